// Everything that has to do with money: how an order gets its journey, and what a payment does.
import { Injectable } from '@nestjs/common';
import { PaymentsClient } from 'pix-automatic-sdk';
import {
  type Case,
  createOrders,
  type DecideResult,
  type OrderRequest,
  type Orders,
} from 'pix-automatic-sdk/orders';
import { typeormStore } from 'pix-automatic-sdk/stores';
import { DataSource, type EntityManager } from 'typeorm';
import { Order, Payment, Return } from './entities.js';
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
      store: typeormStore(dataSource, { maxTransactions: 8 }),
      on: {
        // Write through `transaction`: both writes happen exactly once, with the record of the notification.
        // It runs for the first payment, and for each month after that.
        async paid({ order, sale, amount, isFirst }, { transaction, credentialIndex, needsPerson }) {
          credentialsUsed.inc({ pair: credentialIndex });
          const { cancelled } = await transaction.findOneByOrFail(Order, { key: order });
          if (cancelled) needsPerson('The customer has cancelled the order: send the money back.');
          await transaction.insert(Payment, { sale, orderKey: order, amount, isFirst });
          await transaction.update(Order, { key: order }, { paid: true, overdue: false });
        },
        async returned({ order, sale, amount, left }, { transaction }) {
          await transaction.insert(Return, { sale, orderKey: order, amount, left });
        },
        // Nobody confirms these events, so that they take no access away by themselves: they tell your staff.
        async recurrence({ order, event, charge }, { transaction }) {
          if (event === 'charge_failed' && !charge?.willRetry) {
            await transaction.update(Order, { key: order }, { overdue: true });
          }
          if (event === 'cancelled' || event === 'concluded') {
            await transaction.update(Order, { key: order }, { ended: true });
          }
        },
        payout: 'ignore',
      },
      onDone: countNotification,
      onReport: reportNotification,
    });
  }

  /**
   * The order's QR code: always the same one, however often this is called, until its half hour is over or the price has
   * changed. None if the order is paid.
   */
  async subscribe(orderKey: string) {
    await this.#manager
      .createQueryBuilder()
      .insert()
      .into(Order)
      .values({ key: orderKey })
      .orIgnore()
      .execute();
    const { price } = await this.#manager.findOneByOrFail(Order, { key: orderKey });
    const request: OrderRequest = {
      currency: 'BRL',
      amount: Number(price),
      maxAge: 30,
      shopper: { name: 'Maria Silva', document: { type: 'CPF', number: '12345678909' } },
      recurrence: {
        immediatePayment: true,
        amount: { recurrenceAmount: 29.9 },
        calendar: { periodicity: 'MONTHLY' },
      },
    };
    const order = await this.orders.open(orderKey, request, { replace: true });
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

  /** What was not booked: what the support staff must look at. The bodies hold personal data: without them. */
  async cases(): Promise<Omit<Case, 'body'>[]> {
    const all: Omit<Case, 'body'>[] = [];
    for await (const { body, ...rest } of this.orders.cases()) all.push(rest);
    return all;
  }

  /** Books a case, or ends it without booking anything. */
  decide({ id, decision, ...booking }: Decision): Promise<DecideResult> {
    return this.orders.decide(id, decision, booking);
  }
}

export interface Decision {
  /** Of the case. */
  id: string;
  decision: 'book' | 'dismiss';
  /** For a payment of no order: whose it is. */
  order?: string;
  /** Where nothing else says how much it is. */
  amount?: number;
  /** To dismiss money of an order that was paid: have it sent back. */
  evenIfPaid?: boolean;
}
