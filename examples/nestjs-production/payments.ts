// Everything that has to do with money: how an order gets its journey, and what a payment does.
import { Injectable } from '@nestjs/common';
import { PaymentsClient, reconcile } from 'pix-automatic-sdk';
import { JourneyJournal } from 'pix-automatic-sdk/journal';
import {
  createWebhookHandler,
  credentialsFromEnv,
  type PaymentNotification,
} from 'pix-automatic-sdk/webhooks';
import { DataSource, type EntityManager, IsNull, Not } from 'typeorm';
import { Order, Payment } from './entities.js';
import { libraryTables } from './library-tables.js';
import { clientObservers, logger, observed, reportError, reportNotification } from './observability.js';

@Injectable()
export class Payments {
  readonly #manager: EntityManager;
  readonly #tables: ReturnType<typeof libraryTables>;
  readonly #client = PaymentsClient.fromEnv(process.env, clientObservers);
  readonly #journal: JourneyJournal;
  readonly handler;

  constructor({ manager }: DataSource) {
    this.#manager = manager;
    this.#tables = libraryTables(manager);
    const { store, deadLetters, records } = this.#tables;
    this.#journal = new JourneyJournal({ client: this.#client, records });
    this.handler = createWebhookHandler({
      credentials: credentialsFromEnv(), // with the previous pair during a rotation
      confirm: this.#client, // the service confirms each payment before its callback runs
      store,
      deadLetters,
      on: {
        payment: observed((notification, { transaction }) => this.#book(notification, transaction)),
        // What has neither a callback nor 'ignore' becomes a dead letter, such as a notification of a later charge.
        saleStatus: 'ignore',
        reversal: 'ignore',
        refund: 'ignore',
        payout: 'ignore',
      },
      onReport: reportNotification,
    });
  }

  /** The order's QR code: always the same one, however often and wherever this is called. */
  async subscribe(orderKey: string) {
    const { uuid, qrCode } = await this.#journal.open(orderKey, {
      currency: 'BRL',
      amount: 59.7,
      shopper: { name: 'Maria Silva', document: { type: 'CPF', number: '12345678909' } },
      recurrence: {
        immediatePayment: true,
        amount: { recurrenceAmount: 29.9 },
        calendar: { periodicity: 'MONTHLY' },
      },
    });
    // Before the payer sees the QR code, so that the reconciliation knows every journey that can be paid.
    await this.#manager.upsert(Order, { key: orderKey, journey: uuid }, ['key']);
    return { uuid, qrCode: qrCode.plain };
  }

  /** Both writes happen exactly once, together with the record of the notification. */
  async #book({ payload: { saleToken, referenceCode, amount } }: PaymentNotification, tx: EntityManager) {
    const attempt = await this.#journal.find({ uuid: saleToken, referenceCode });
    // Nobody was shown the QR code of any other attempt. A person refunds the payment, or takes it for the order's.
    const needsPerson = attempt?.state !== 'created';
    await tx.insert(Payment, {
      saleToken,
      orderKey: attempt?.orderKey ?? null,
      amount: amount ?? null,
      needsPerson,
    });
    if (needsPerson) {
      logger.error({ saleToken, attempt: attempt?.state }, 'A person must look at this payment');
    } else {
      await tx.update(Order, { key: attempt.orderKey }, { paid: true });
    }
  }

  /** A scheduled payment of later. */
  async cancel(instructionId: string) {
    await this.#client.cancelScheduledPayment(instructionId, { reason: 'Customer left' });
  }

  /**
   * For once a day: finds the payments whose notification never came, and frees the orders whose journey was cancelled.
   * Returns how many orders it could not settle, after it has tried all.
   */
  async reconcile() {
    const open = await this.#manager.findBy(Order, { paid: false, journey: Not(IsNull()) });
    const orderKeys = new Map(open.map(({ key, journey }) => [journey ?? '', key]));
    let unsettled = 0;
    for await (const { uuid, transaction, error } of reconcile(this.#client, orderKeys.keys(), {
      stopAfterFailures: 10, // in a row: the service is down
    })) {
      try {
        if (error !== undefined) throw error;
        // Runs the payment callback if the transaction is paid. A late notification of it then does nothing.
        const { status } = await this.handler.settle({ uuid, transaction });
        logger.info({ uuid, status }, 'reconciled');
        if (status === 'failed' || status === 'busy') unsettled += 1;
        if (transaction.situation === 'CANCELLED') {
          // Its QR code can no longer be paid, so the order may get another one.
          await this.#journal.close(orderKeys.get(uuid) ?? '', { uuid });
          await this.#manager.update(Order, { journey: uuid }, { journey: null });
        }
      } catch (failure) {
        unsettled += 1;
        reportError(failure, `not reconciled: ${uuid}`);
      }
    }
    return unsettled;
  }

  /** For once a day, too: without it, the tables only grow. */
  async deleteExpired() {
    const { store, deadLetters, records } = this.#tables;
    await Promise.all([store.deleteExpired(), deadLetters.deleteExpired(), records.deleteExpired()]);
  }

  /** What the support staff must look at: payments of attempts that nobody was shown, and dead letters. */
  async openCases() {
    const payments = await this.#manager.find(Payment, {
      where: { needsPerson: true },
      order: { id: 'ASC' },
    });
    const deadLetters = await this.#tables.deadLetters.list();
    return { payments, deadLetters: deadLetters.map(({ body, url, ...rest }) => rest) };
  }

  async replayDeadLetters(key?: string) {
    const letters = await this.#tables.deadLetters.list({ limit: 1_000 });
    return this.handler.replay(letters.filter((letter) => key === undefined || letter.key === key));
  }

  forgetDeadLetter(key: string) {
    return this.#tables.deadLetters.forget(key);
  }

  async countDeadLetters() {
    const [{ count }] = await this.#manager.query(
      'SELECT count(*)::int AS count FROM pix_automatic_dead_letters',
    );
    return count;
  }
}
