// Everything that has to do with money: how an order gets its journey, and what a payment does.
import { PaymentsClient } from 'pix-automatic-sdk';
import { createOrders } from 'pix-automatic-sdk/orders';
import { credentialsFromEnv } from 'pix-automatic-sdk/webhooks';
import { pool, store } from './database.js';

export const orders = createOrders({
  client: PaymentsClient.fromEnv(), // it confirms each payment before the callback runs
  credentials: credentialsFromEnv(), // with the previous pair during a rotation
  store,
  on: {
    // Write through `transaction`: both writes happen exactly once, together with the record of the notification.
    async paid({ order, sale, amount }, { transaction }) {
      await transaction.query(
        'INSERT INTO payments (sale_token, order_key, amount, needs_person) VALUES ($1, $2, $3, false)',
        [sale, order, amount],
      );
      await transaction.query('UPDATE orders SET paid = true WHERE key = $1', [order]);
    },
    // Everything that is not expected is one of `orders.cases()`.
    returned: 'ignore',
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

/**
 * What the support staff must look at: payments that need a person, orders that the service calls paid and does not
 * confirm, and dead letters.
 */
export async function openCases() {
  const payments = await pool.query(
    `SELECT sale_token AS "saleToken", order_key AS "orderKey", amount, booked_at AS "bookedAt"
     FROM payments WHERE needs_person ORDER BY booked_at`,
  );
  const letters = await orders.webhook.deadLetters.list();
  // Without their bodies, which hold personal data.
  return {
    payments: payments.rows,
    review: await orders.list({ state: 'review' }),
    deadLetters: letters.map(({ key, code, attempts, lastFailedAt }) => ({
      key,
      code,
      attempts,
      lastFailedAt,
    })),
  };
}
