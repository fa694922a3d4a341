// Everything that has to do with money: how an order gets its journey, and what a payment does.
import { Injectable } from '@nestjs/common';
import { PaymentsClient } from 'pix-automatic-sdk';
import { createOrders, type Orders } from 'pix-automatic-sdk/orders';
import { typeormStore } from 'pix-automatic-sdk/stores';
import { credentialsFromEnv } from 'pix-automatic-sdk/webhooks';
import { DataSource, type EntityManager } from 'typeorm';
import { Order, Payment } from './entities.js';
import { clientObservers, countNotification, credentialsUsed, reportNotification } from './observability.js';

@Injectable()
export class Payments {
  readonly #manager: EntityManager;
  readonly #client = PaymentsClient.fromEnv(process.env, clientObservers);
  readonly orders: Orders<EntityManager>;

  constructor(dataSource: DataSource) {
    this.#manager = dataSource.manager;
    this.orders = createOrders({
      client: this.#client, // it confirms each payment before the callback runs
      credentials: credentialsFromEnv(), // with the previous pair during a rotation
      store: typeormStore(dataSource, { maxTransactions: 8 }),
      on: {
        // Write through `transaction`: both writes happen exactly once, with the record of the notification.
        async paid({ order, sale, amount }, { transaction, credentialIndex }) {
          credentialsUsed.inc({ pair: credentialIndex });
          const payment = { saleToken: sale, orderKey: order, amount, needsPerson: false };
          await transaction.insert(Payment, payment);
          await transaction.update(Order, { key: order }, { paid: true });
        },
        // Everything that is not expected is one of `orders.cases()`.
        returned: 'ignore',
        payout: 'ignore',
      },
      onDone: countNotification,
      onReport: reportNotification,
    });
  }

  /** The order's QR code: always the same one, however often this is called. None if the order is paid. */
  async subscribe(orderKey: string) {
    await this.#manager
      .createQueryBuilder()
      .insert()
      .into(Order)
      .values({ key: orderKey })
      .orIgnore()
      .execute();
    const order = await this.orders.open(orderKey, {
      currency: 'BRL',
      amount: 59.7,
      shopper: { name: 'Maria Silva', document: { type: 'CPF', number: '12345678909' } },
      recurrence: {
        immediatePayment: true,
        amount: { recurrenceAmount: 29.9 },
        calendar: { periodicity: 'MONTHLY' },
      },
    });
    return {
      state: order.state,
      uuid: order.uuid,
      qrCode: order.state === 'open' ? order.qrCode.plain : undefined,
    };
  }

  /** A scheduled payment of later. */
  async cancel(instructionId: string) {
    await this.#client.cancelScheduledPayment(instructionId, { reason: 'Customer left' });
  }

  /** What the support staff must look at. */
  async openCases() {
    const payments = await this.#manager.find(Payment, {
      where: { needsPerson: true },
      order: { id: 'ASC' },
    });
    const review = await this.orders.list({ state: 'review' });
    const deadLetters = await this.deadLetters();
    return { payments, review, deadLetters: deadLetters.map(({ body, url, ...rest }) => rest) };
  }

  async replayDeadLetters(key?: string) {
    const letters = await this.deadLetters();
    return this.orders.webhook.replay(letters.filter((letter) => key === undefined || letter.key === key));
  }

  forgetDeadLetter(key: string) {
    return this.orders.webhook.deadLetters.forget(key);
  }

  /** The first 1,000. */
  deadLetters() {
    return this.orders.webhook.deadLetters.list({ limit: 1_000 });
  }
}
