import { DataSource, type EntityManager, EntitySchema } from 'typeorm';
import { mysqlStoreWithin, type TransactionAccess } from '../../../src/stores';
import type { Orm } from '../orm';

const Order = new EntitySchema<{ id?: string; reference: string }>({
  name: 'Order',
  tableName: 'orm_orders',
  columns: {
    id: { type: 'bigint', primary: true, generated: 'increment' },
    reference: { type: 'varchar' },
  },
});

export async function openTypeormMysql(url: string): Promise<Orm<EntityManager>> {
  const dataSource = new DataSource({ type: 'mysql', url, entities: [Order] });
  await dataSource.initialize();
  // #region
  const access: TransactionAccess<EntityManager> = {
    transaction: (work) => dataSource.transaction(work),
    query: (tx, text, values) => (tx ?? dataSource.manager).query(text, values),
  };
  const store = mysqlStoreWithin(access, { maxTransactions: 8 });
  // #endregion
  return {
    name: 'TypeORM',
    access,
    store,
    insert: (tx, reference) => tx.insert(Order, { reference }),
    nested: (tx, work) => tx.transaction(work),
    close: () => dataSource.destroy(),
  };
}
