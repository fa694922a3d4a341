import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { confirmPayment, PaymentsClient } from 'pix-automatic-sdk';
import { PostgresStore } from 'pix-automatic-sdk/stores';
import { createWebhookHandler, toNodeListener } from 'pix-automatic-sdk/webhooks';

const { DATABASE_URL, PAYMENTS_API_KEY = '', PAYMENTS_API_TOKEN = '', PORT = '3000' } = process.env;
const client = PaymentsClient.fromEnv();

// Each callback that runs holds a connection: 8 of these 10 at a time, so that callbacks can also ask the pool.
const pool = new pg.Pool({
  connectionString: DATABASE_URL,
  max: 10,
  connectionTimeoutMillis: 5_000,
  keepAlive: true,
});
pool.on('error', console.error); // of an idle connection; without a listener, pg ends the process

const store = new PostgresStore(pool, { transactional: true });
await store.createTable();
await pool.query(
  'CREATE TABLE IF NOT EXISTS orders (reference text PRIMARY KEY, paid boolean DEFAULT false)',
);
await pool.query('CREATE TABLE IF NOT EXISTS ledger (sale_token text, amount numeric)');

const handler = createWebhookHandler({
  credentials: { apiKey: PAYMENTS_API_KEY, apiToken: PAYMENTS_API_TOKEN },
  store,
  on: {
    // Write through `transaction`: what goes through the pool is committed by itself, and so not exactly once.
    payment: async (notification, { transaction }) => {
      const { saleToken, referenceCode, amount } = notification.payload;
      // Asked first, so that no order is locked meanwhile.
      const { confirmed } = await confirmPayment(client, notification);
      if (!confirmed) throw new Error('the service does not confirm it');
      await transaction.query('INSERT INTO ledger (sale_token, amount) VALUES ($1, $2)', [saleToken, amount]);
      const { rowCount } = await transaction.query('UPDATE orders SET paid = true WHERE reference = $1', [
        referenceCode,
      ]);
      // The payer can be faster than the commit of the order. Nothing is booked, and the notification comes again.
      if (rowCount !== 1) throw new Error(`there is no order ${referenceCode}`);
      // Not part of the transaction, and neither are mails or calls elsewhere: those can happen again.
      console.log(`booking ${referenceCode}`);
    },
    reversal: 'ignore',
    refund: 'ignore',
    payout: 'ignore',
  },
  onReport: ({ code, error, status }) =>
    console.error(`${status} ${code}: ${error instanceof Error ? error.message : ''}`),
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
