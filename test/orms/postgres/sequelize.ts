import { DataTypes, QueryTypes, Sequelize, Transaction } from 'sequelize';
import { postgresStoreWithin, type TransactionAccess } from '../../../src/stores';
import { type Orm, retrying } from '../orm';

export function openSequelize(url: string): Orm<Transaction> {
  const sequelize = new Sequelize(url, { logging: false });
  const Order = sequelize.define(
    'Order',
    { reference: DataTypes.TEXT },
    { tableName: 'orm_orders', timestamps: false },
  );
  // #region
  const access: TransactionAccess<Transaction> = {
    transaction: (work) => sequelize.transaction(work),
    query: (transaction, text, bind) =>
      sequelize.query(text, { transaction: transaction ?? null, bind, type: QueryTypes.SELECT }),
  };
  const store = postgresStoreWithin(access, { maxTransactions: 4 });
  // #endregion
  return {
    name: 'Sequelize',
    access,
    store,
    serializable: {
      ...access,
      transaction: (work) =>
        retrying(() =>
          sequelize.transaction({ isolationLevel: Transaction.ISOLATION_LEVELS.SERIALIZABLE }, work),
        ),
    },
    insert: (transaction, reference) => Order.create({ reference }, { transaction }),
    nested: (transaction, work) => sequelize.transaction({ transaction }, work),
    close: () => sequelize.close(),
  };
}
