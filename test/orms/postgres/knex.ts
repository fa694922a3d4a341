import createKnex, { type Knex } from 'knex';
import { postgresStoreWithin, type TransactionAccess } from '../../../src/stores';
import { type Orm, retrying } from '../orm';

export function openKnex(connection: string): Orm<Knex.Transaction> {
  const knex = createKnex({ client: 'pg', connection, pool: { min: 0, max: 10 } });
  // #region
  const access: TransactionAccess<Knex.Transaction> = {
    transaction: (work) => knex.transaction(work),
    query: (tx, text, values) => (tx ?? knex).raw(text.replace(/\$\d+/g, '?'), values as Knex.RawBinding[]),
  };
  const store = postgresStoreWithin(access, { maxTransactions: 8 });
  // #endregion
  return {
    name: 'Knex',
    access,
    store,
    serializable: {
      ...access,
      transaction: (work) => retrying(() => knex.transaction(work, { isolationLevel: 'serializable' })),
    },
    insert: (tx, reference) => tx('orm_orders').insert({ reference }),
    nested: (tx, work) => tx.transaction(work),
    close: () => knex.destroy(),
  };
}
