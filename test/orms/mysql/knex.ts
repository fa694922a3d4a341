import createKnex, { type Knex } from 'knex';
import { mysqlStoreWithin, type TransactionAccess } from '../../../src/stores';
import type { Orm } from '../orm';

export function openKnexMysql(connection: string): Orm<Knex.Transaction> {
  const knex = createKnex({ client: 'mysql2', connection, pool: { min: 0, max: 10 } });
  // #region
  const access: TransactionAccess<Knex.Transaction> = {
    transaction: (work) => knex.transaction(work),
    query: (tx, text, values) => (tx ?? knex).raw(text, values as Knex.RawBinding[]),
  };
  const store = mysqlStoreWithin(access, { maxTransactions: 8 });
  // #endregion
  return {
    name: 'Knex',
    access,
    store,
    insert: (tx, reference) => tx('orm_orders').insert({ reference }),
    nested: (tx, work) => tx.transaction(work),
    close: () => knex.destroy(),
  };
}
