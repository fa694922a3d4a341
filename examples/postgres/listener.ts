import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { PaymentsClient } from 'pix-automatic-sdk';
import { PostgresStore } from 'pix-automatic-sdk/stores';
import { createWebhookHandler, toNodeListener } from 'pix-automatic-sdk/webhooks';

const { DATABASE_URL, PAYMENTS_API_KEY = '', PAYMENTS_API_TOKEN = '', PORT = '3000' } = process.env;
const client = PaymentsClient.fromEnv();

// Each running callback holds a connection. The store uses at most 8 of these 10, so callbacks can use the pool, too.
const pool = new pg.Pool({
  connectionString: DATABASE_URL,
  max: 10,
  connectionTimeoutMillis: 5_000,
  keepAlive: true,
});
pool.on('error', console.error); // when an idle connection is lost; without a listener, pg ends the process

const store = new PostgresStore(pool, { transactional: true });
await store.createTable();
await pool.query(
  'CREATE TABLE IF NOT EXISTS orders (reference text PRIMARY KEY, paid boolean DEFAULT false)',
);
await pool.query('CREATE TABLE IF NOT EXISTS ledger (sale_token text, amount numeric)');

const handler = createWebhookHandler({
  credentials: { apiKey: PAYMENTS_API_KEY, apiToken: PAYMENTS_API_TOKEN },
  confirm: client, // the service confirms each payment before its callback runs
  store,
  on: {
    // Write through `transaction`. A write through the pool commits separately, so it may happen more than once.
    payment: async (notification, { transaction }) => {
      const { saleToken, referenceCode, amount } = notification.payload;
      await transaction.query('INSERT INTO ledger (sale_token, amount) VALUES ($1, $2)', [saleToken, amount]);
      const { rowCount } = await transaction.query('UPDATE orders SET paid = true WHERE reference = $1', [
        referenceCode,
      ]);
      // The payer can be faster than the commit of the order. Then nothing is booked, and the notification comes again.
      if (rowCount !== 1) throw new Error(`there is no order ${referenceCode}`);
      // Like mails and calls to other services, this is not part of the transaction, so it can happen again.
      console.log(`booking ${referenceCode}`);
    },
    reversal: 'ignore',
    refund: 'ignore',
    payout: 'ignore',
  },
  onReport: ({ code, key, message }) => console.error(code, key ?? '', message),
});

const server = createServer(toNodeListener(handler));
server.listen(Number(PORT), () => {
  console.log(`Listening on http://localhost:${(server.address() as AddressInfo).port}`);
});

process.once('SIGTERM', async () => {
  await handler.drain();
  server.close();
  await pool.end();
});
