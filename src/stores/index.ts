/**
 * One store for everything that must not be forgotten, over your own database client: no driver comes with it.
 *
 * @module pix-automatic-sdk/stores
 */

export { createStore } from './create-store';
export {
  MysqlStore,
  type MysqlStoreOptions,
} from './mysql-store';
export {
  drizzleStore,
  knexStore,
  kyselyStore,
  prismaStore,
  sequelizeStore,
  typeormStore,
} from './orms';
export type { PostgresTransaction } from './postgres-pool';
export {
  PostgresStore,
  type PostgresStoreOptions,
} from './postgres-store';
export type {
  ListedRecord,
  ListPage,
  ReadRecord,
  RecordStore,
  WriteRecord,
} from './record-store';
export {
  RedisStore,
  type RedisStoreOptions,
} from './redis-store';
export {
  SqliteStore,
  type SqliteStoreOptions,
} from './sqlite-store';
export type { Store } from './steps';
export type { TransactionAccess } from './transaction-access';
export {
  type JoinedStoreOptions,
  type StoreWithinOptions,
  storeWithin,
} from './within';
