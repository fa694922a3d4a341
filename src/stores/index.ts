/**
 * One store for everything that must not be forgotten, over your own database client: no driver comes with it.
 *
 * @module pix-automatic-sdk/stores
 */

export {
  type MysqlQueryable,
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
export type {
  PostgresPool,
  PostgresQueryable,
  PostgresStatement,
  PostgresTransaction,
} from './postgres-pool';
export {
  PostgresStore,
  type PostgresStoreOptions,
} from './postgres-store';
export {
  createStore,
  type ListedRecord,
  type ListPage,
  type NamespaceOptions,
  type ReadRecord,
  type RecordStore,
  type WriteRecord,
} from './record-store';
export {
  type IoredisClient,
  type NodeRedisClient,
  type RedisClient,
  RedisStore,
  type RedisStoreOptions,
  type UpstashRedisClient,
} from './redis-store';
export type { SqlDialect } from './sql';
export type { TableOptions } from './sql-records';
export {
  type LibsqlClient,
  type SqliteDatabase,
  type SqliteStatement,
  SqliteStore,
  type SqliteStoreOptions,
} from './sqlite-store';
export type { Store } from './steps';
export {
  type JoinedStoreOptions,
  type StoreWithinOptions,
  storeWithin,
  type TransactionAccess,
  type TransactionOptions,
} from './within';
