import { CompiledQuery, Kysely, MysqlDialect, type Transaction } from 'kysely';
import { createPool } from 'mysql2';
import { mysqlStoreWithin, type TransactionAccess } from '../../../src/stores';
import type { Orm } from '../orm';
import type { Database } from '../postgres/kysely';

export function openKyselyMysql(uri: string): Orm<Transaction<Database>> {
  const db = new Kysely<Database>({ dialect: new MysqlDialect({ pool: createPool(uri) }) });
  // #region
  const access: TransactionAccess<Transaction<Database>> = {
    transaction: (work) => db.transaction().execute(work),
    query: (tx, text, values) => (tx ?? db).executeQuery(CompiledQuery.raw(text, values)),
  };
  const store = mysqlStoreWithin(access, { maxTransactions: 8 });
  // #endregion
  return {
    name: 'Kysely',
    access,
    store,
    insert: (tx, reference) => tx.insertInto('orm_orders').values({ reference }).execute(),
    close: () => db.destroy(),
  };
}
