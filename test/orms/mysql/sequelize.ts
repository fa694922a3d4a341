import { DataTypes, QueryTypes, Sequelize, type Transaction } from 'sequelize';
import { mysqlStoreWithin, type TransactionAccess } from '../../../src/stores';
import type { Orm } from '../orm';

export function openSequelizeMysql(url: string): Orm<Transaction> {
  const sequelize = new Sequelize(url, { logging: false });
  const Order = sequelize.define(
    'Order',
    { reference: DataTypes.TEXT },
    { tableName: 'orm_orders', timestamps: false },
  );
  // #region
  const access: TransactionAccess<Transaction> = {
    transaction: (work) => sequelize.transaction(work),
    query: (transaction, text, replacements) => {
      const type = text.startsWith('SELECT') ? QueryTypes.SELECT : QueryTypes.RAW;
      return sequelize.query(text, { transaction: transaction ?? null, replacements, type });
    },
  };
  const store = mysqlStoreWithin(access, { maxTransactions: 4 });
  // #endregion
  return {
    name: 'Sequelize',
    access,
    store,
    insert: (transaction, reference) => Order.create({ reference }, { transaction }),
    nested: (transaction, work) => sequelize.transaction({ transaction }, work),
    close: () => sequelize.close(),
  };
}
