import type { Pool } from 'pg';
import type PgBoss from 'pg-boss';
import { PostgresStore } from '../../../src/stores';
import { createWebhookHandler, credentialsFromEnv } from '../../../src/webhooks';

export function acceptWithPgBoss(pool: Pool, boss: PgBoss) {
  const store = new PostgresStore(pool, { transactional: true });
  const handler = createWebhookHandler({
    credentials: credentialsFromEnv(),
    // without `confirm`, to keep this short: pass your client
    store,
    on: {
      payment: ({ payload }, { transaction }) => {
        // #region
        const db = { executeSql: (text: string, values: unknown[]) => transaction.query(text, values) };
        return boss.send('payments', payload, { db });
        // #endregion
      },
    },
  });
  return { handler, store };
}
