// Everything that has to do with money: how an order gets its journey, and what a payment does.
import { PaymentsClient } from 'pix-automatic-sdk';
import { type Case, createOrders } from 'pix-automatic-sdk/orders';
import { pool, store } from './database.js';

export const orders = createOrders({
  client: PaymentsClient.fromEnv(), // it confirms each payment before the callback runs
  store,
  on: {
    // Write through `transaction`: both writes happen exactly once, together with the record of the notification.
    // It runs for the first payment, and for each month after that.
    async paid({ order, sale, amount, isFirst }, { transaction }) {
      await transaction.query(
        'INSERT INTO payments (sale, order_key, amount, is_first) VALUES ($1, $2, $3, $4)',
        [sale, order, amount, isFirst],
      );
      await transaction.query('UPDATE orders SET paid = true WHERE key = $1', [order]);
    },
    async returned({ order, sale, amount, left }, { transaction }) {
      await transaction.query(
        'INSERT INTO returns (sale, order_key, amount, left_of_sale) VALUES ($1, $2, $3, $4)',
        [sale, order, amount, left],
      );
    },
    payout: 'ignore',
  },
  onReport: ({ code, key, message }) => console.error(code, key ?? '', message),
});

/** The order's QR code: always the same one, however often and wherever this is called. None if the order is paid. */
export async function subscribe(orderKey: string) {
  await pool.query('INSERT INTO orders (key) VALUES ($1) ON CONFLICT (key) DO NOTHING', [orderKey]);
  const order = await orders.open(orderKey, {
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

/** What the support staff must look at: everything that was not booked. Without the bodies, which hold personal data. */
export async function openCases(): Promise<Omit<Case, 'body'>[]> {
  const all: Omit<Case, 'body'>[] = [];
  for await (const { body, ...rest } of orders.cases()) all.push(rest);
  return all;
}
