import { sql } from 'drizzle-orm';
import { bigint, mysqlTable, varchar } from 'drizzle-orm/mysql-core';
import { drizzle } from 'drizzle-orm/mysql2';
import mysql from 'mysql2/promise';
import { mysqlStoreWithin, type TransactionAccess } from '../../../src/stores';
import type { Orm } from '../orm';

const orders = mysqlTable('orm_orders', {
  id: bigint({ mode: 'number' }).autoincrement().primaryKey(),
  reference: varchar({ length: 200 }).notNull(),
});

export function openDrizzleMysql(uri: string) {
  const pool = mysql.createPool(uri);
  const db = drizzle(pool);
  // #region
  type Transaction = Parameters<Parameters<typeof db.transaction>[0]>[0];
  const bound = (text: string, values: unknown[]) =>
    sql.join(
      text
        .split('?')
        .flatMap((part, i) => (i === 0 ? [sql.raw(part)] : [sql`${values[i - 1]}`, sql.raw(part)])),
    );
  const access: TransactionAccess<Transaction> = {
    transaction: (work) => db.transaction(work),
    query: (tx, text, values) => (tx ?? db).execute(bound(text, values)),
  };
  const store = mysqlStoreWithin(access, { maxTransactions: 8 });
  // #endregion
  const orm: Orm<Transaction> = {
    name: 'Drizzle',
    access,
    store,
    insert: (tx, reference) => tx.insert(orders).values({ reference }),
    nested: (tx, work) => tx.transaction(work),
    close: () => pool.end(),
  };
  return orm;
}
