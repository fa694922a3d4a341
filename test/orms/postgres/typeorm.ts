import { DataSource, type EntityManager, EntitySchema } from 'typeorm';
import { postgresStoreWithin, type TransactionAccess } from '../../../src/stores';
import { type Orm, retrying } from '../orm';

const Order = new EntitySchema<{ id?: string; reference: string }>({
  name: 'Order',
  tableName: 'orm_orders',
  columns: {
    id: { type: 'bigint', primary: true, generated: 'increment' },
    reference: { type: 'text' },
  },
});

export async function openTypeorm(url: string): Promise<Orm<EntityManager>> {
  const dataSource = new DataSource({ type: 'postgres', url, entities: [Order] });
  await dataSource.initialize();
  // #region
  const access: TransactionAccess<EntityManager> = {
    transaction: (work) => dataSource.transaction(work),
    query: (tx, text, values) => (tx ?? dataSource.manager).query(text, values),
  };
  const store = postgresStoreWithin(access, { maxTransactions: 8 });
  // #endregion
  return {
    name: 'TypeORM',
    access,
    store,
    serializable: {
      ...access,
      transaction: (work) => retrying(() => dataSource.transaction('SERIALIZABLE', work)),
    },
    insert: (tx, reference) => tx.insert(Order, { reference }),
    nested: (tx, work) => tx.transaction(work),
    close: () => dataSource.destroy(),
  };
}
