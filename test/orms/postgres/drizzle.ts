import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { bigserial, pgTable, text as textColumn } from 'drizzle-orm/pg-core';
import pg from 'pg';
import { postgresStoreWithin, type TransactionAccess } from '../../../src/stores';
import { type Orm, retrying } from '../orm';

const orders = pgTable('orm_orders', {
  id: bigserial({ mode: 'bigint' }).primaryKey(),
  reference: textColumn().notNull(),
});

export function openDrizzle(connectionString: string) {
  const pool = new pg.Pool({ connectionString });
  // #region
  pool.on('error', console.error); // of an idle connection
  pool.on('connect', (client) => client.on('error', console.error)); // of one in use: without a listener, it ends the process
  // #endregion
  const db = drizzle(pool);
  // #region
  type Transaction = Parameters<Parameters<typeof db.transaction>[0]>[0];
  const bound = (text: string, values: unknown[]) =>
    sql.join(
      text
        .split(/\$\d+/)
        .flatMap((part, i) => (i === 0 ? [sql.raw(part)] : [sql`${values[i - 1]}`, sql.raw(part)])),
    );
  const access: TransactionAccess<Transaction> = {
    transaction: (work) => db.transaction(work),
    query: (tx, text, values) => (tx ?? db).execute(bound(text, values)),
  };
  const store = postgresStoreWithin(access, { maxTransactions: 8 });
  // #endregion
  const orm: Orm<Transaction> = {
    name: 'Drizzle',
    access,
    store,
    serializable: {
      ...access,
      transaction: (work) => retrying(() => db.transaction(work, { isolationLevel: 'serializable' })),
    },
    insert: (tx, reference) => tx.insert(orders).values({ reference }),
    nested: (tx, work) => tx.transaction(work),
    close: () => pool.end(),
  };
  return orm;
}
