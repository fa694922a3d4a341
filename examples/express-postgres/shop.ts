// Everything that has to do with money: how an order gets its journey, and what a payment does.
import { PaymentsClient } from 'pix-automatic-sdk';
import { JourneyJournal } from 'pix-automatic-sdk/journal';
import { createWebhookHandler, credentialsFromEnv } from 'pix-automatic-sdk/webhooks';
import { deadLetters, pool, records, store } from './database.js';

export const client = PaymentsClient.fromEnv();
export const journal = new JourneyJournal({ client, records });

/** The order's QR code: always the same one, however often and wherever this is called. */
export async function subscribe(orderKey: string) {
  const { uuid, qrCode } = await journal.open(orderKey, {
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
  await pool.query(
    'INSERT INTO orders (key, journey) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET journey = $2',
    [orderKey, uuid],
  );
  return { uuid, qrCode: qrCode.plain };
}

export const handler = createWebhookHandler({
  credentials: credentialsFromEnv(), // with the previous pair during a rotation
  confirm: client, // the service confirms each payment before its callback runs
  store,
  deadLetters,
  on: {
    // Write through `transaction`: both writes happen exactly once, together with the record of the notification.
    async payment({ payload: { saleToken, referenceCode, amount } }, { transaction }) {
      const attempt = await journal.find({ uuid: saleToken, referenceCode });
      // Nobody was shown the QR code of any other attempt. A person refunds the payment, or takes it for the order's.
      const needsPerson = attempt?.state !== 'created';
      await transaction.query(
        'INSERT INTO payments (sale_token, order_key, amount, needs_person) VALUES ($1, $2, $3, $4)',
        [saleToken, attempt?.orderKey, amount, needsPerson],
      );
      if (needsPerson) console.error(`A person must look at payment ${saleToken} (${attempt?.state})`);
      else await transaction.query('UPDATE orders SET paid = true WHERE key = $1', [attempt.orderKey]);
    },
    // What has neither a callback nor 'ignore' becomes a dead letter, such as a notification of a later charge.
    saleStatus: 'ignore',
    reversal: 'ignore',
    refund: 'ignore',
    payout: 'ignore',
  },
  onReport: ({ code, key, message }) => console.error(code, key ?? '', message),
});

/** What the support staff must look at: payments of attempts that nobody was shown, and dead letters. */
export async function openCases() {
  const payments = await pool.query(
    `SELECT sale_token AS "saleToken", order_key AS "orderKey", amount, booked_at AS "bookedAt"
     FROM payments WHERE needs_person ORDER BY booked_at`,
  );
  const letters = await deadLetters.list();
  // Without their bodies, which hold personal data.
  return {
    payments: payments.rows,
    deadLetters: letters.map(({ key, code, attempts, lastFailedAt }) => ({
      key,
      code,
      attempts,
      lastFailedAt,
    })),
  };
}

/** Runs the dead letters again, once their cause is fixed. What succeeds is forgotten. */
export async function replayDeadLetters() {
  return handler.replay(await deadLetters.list());
}
