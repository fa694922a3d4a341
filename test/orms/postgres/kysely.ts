import { CompiledQuery, type Generated, Kysely, PostgresDialect, type Transaction } from 'kysely';
import pg from 'pg';
import { postgresStoreWithin, type TransactionAccess } from '../../../src/stores';
import { type Orm, retrying } from '../orm';

export interface Database {
  orm_orders: { id: Generated<string>; reference: string };
}

export function openKysely(connectionString: string): Orm<Transaction<Database>> {
  const pool = new pg.Pool({ connectionString });
  // #region
  pool.on('error', console.error); // of an idle connection
  pool.on('connect', (client) => client.on('error', console.error)); // of one in use: without a listener, it ends the process
  // #endregion
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
  // #region
  const access: TransactionAccess<Transaction<Database>> = {
    transaction: (work) => db.transaction().execute(work),
    query: (tx, text, values) => (tx ?? db).executeQuery(CompiledQuery.raw(text, values)),
  };
  const store = postgresStoreWithin(access, { maxTransactions: 8 });
  // #endregion
  return {
    name: 'Kysely',
    access,
    store,
    serializable: {
      ...access,
      transaction: (work) => retrying(() => db.transaction().setIsolationLevel('serializable').execute(work)),
    },
    insert: (tx, reference) => tx.insertInto('orm_orders').values({ reference }).execute(),
    close: () => db.destroy(),
  };
}
