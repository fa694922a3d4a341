import type { Queue } from 'bullmq';
import type { Pool } from 'pg';
import { PostgresStore } from '../../../src/stores';
import { createWebhookHandler, credentialsFromEnv } from '../../../src/webhooks';

export function acceptWithBullmq(pool: Pool, queue: Pick<Queue, 'add'>) {
  const store = new PostgresStore(pool, { transactional: true });
  const handler = createWebhookHandler({
    credentials: credentialsFromEnv(),
    // without `confirm`, to keep this short: pass your client
    store,
    on: {
      payment: ({ payload, key }, { transaction }) =>
        transaction.query('INSERT INTO outbox (key, payload) VALUES ($1, $2)', [key, payload]),
    },
  });
  // The relay. If it dies between the two lines, it adds the same job again: one id, one job.
  async function relay() {
    const { rows } = await pool.query('SELECT key, payload FROM outbox LIMIT 100');
    for (const { key, payload } of rows) {
      await queue.add('payment', payload, { jobId: encodeURIComponent(key) });
      await pool.query('DELETE FROM outbox WHERE key = $1', [key]);
    }
  }
  return { handler, store, relay };
}
