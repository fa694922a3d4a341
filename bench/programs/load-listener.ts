// A small listener as in production: one row a payment, written in the transaction of its notification, or outside it.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { PostgresStore } from 'pix-automatic-sdk/stores';
import { createWebhookHandler } from 'pix-automatic-sdk/webhooks';
import { programInput } from '../lib/program-input';
import type { LoadListener } from '../load/fleet';

const { databaseUrl, store: kind, workMs, credentials } = programInput<LoadListener>();

const pool = new pg.Pool({ connectionString: databaseUrl, max: 6, connectionTimeoutMillis: 5_000 });
pool.on('error', () => undefined);
const INSERT = 'INSERT INTO payments (sale_token) VALUES ($1)';
const options = { credentials, onReport: () => undefined };
const handler =
  kind === 'transactional'
    ? createWebhookHandler({
        ...options,
        store: new PostgresStore(pool, { transactional: true, maxTransactions: 5 }),
        on: {
          async payment({ payload }, { transaction }) {
            await transaction.query(INSERT, [payload.saleToken]);
            await sleep(workMs);
          },
        },
      })
    : createWebhookHandler({
        ...options,
        store: new PostgresStore(pool),
        on: {
          async payment({ payload }) {
            await pool.query(INSERT, [payload.saleToken]);
            await sleep(workMs);
          },
        },
      });

const server = createServer(handler);
server.listen(0, '127.0.0.1', () => {
  console.log(
    JSON.stringify({ message: `Listening on http://localhost:${(server.address() as AddressInfo).port}` }),
  );
});
process.once('SIGTERM', async () => {
  await handler.drain();
  server.close();
  await pool.end();
  process.exit(0);
});
