import {
  mysqlStoreWithin,
  postgresStoreWithin,
  type StoreWithin,
  type TransactionAccess,
  type TransactionOptions,
} from '../../src/stores';
import type { Dialect } from './orms';

export function storeWithin<Tx>(
  dialect: Dialect,
  access: TransactionAccess<Tx>,
  options: TransactionOptions = {},
): StoreWithin<Tx> {
  return dialect === 'postgres' ? postgresStoreWithin(access, options) : mysqlStoreWithin(access, options);
}
