/**
 * Idempotency stores that use your own database client: no driver comes with them.
 *
 * @module pix-automatic-sdk/stores
 */

export {
  type DeadLetter,
  type DeadLetterQuery,
  type DeadLetters,
  MemoryDeadLetters,
  type MemoryDeadLettersOptions,
  type NewDeadLetter,
} from './dead-letters';
export type {
  Claim,
  ClaimLimits,
  ClaimResult,
  CompleteLimits,
  IdempotencyStore,
  Transact,
  TransactRequest,
} from './idempotency-store';
export {
  type MysqlQueryable,
  MysqlStore,
  type MysqlStoreOptions,
  type MysqlStoreWithinOptions,
  mysqlStoreWithin,
} from './mysql-store';
export type {
  PostgresPool,
  PostgresPoolClient,
  PostgresQuery,
  PostgresQueryable,
  PostgresResult,
  PostgresRows,
  PostgresStatement,
  PostgresTransaction,
  PostgresTransactionResult,
  PostgresTypes,
} from './postgres-pool';
export {
  PostgresStore,
  type PostgresStoreOptions,
  type PostgresStoreWithinOptions,
  postgresStoreWithin,
} from './postgres-store';
export {
  createIdempotencyStore,
  type ReadRecord,
  type RecordStore,
  type StoreOverRecords,
  type WriteRecord,
} from './record-store';
export { RedisDeadLetters, type RedisDeadLettersOptions } from './redis-dead-letters';
export {
  type IoredisClient,
  type NodeRedisClient,
  type RedisClient,
  RedisStore,
  type RedisStoreOptions,
  type UpstashRedisClient,
} from './redis-store';
export type { SqlDialect, SqlQuery } from './sql';
export { SqlDeadLetters, type SqlDeadLettersOptions } from './sql-dead-letters';
export {
  type LibsqlClient,
  type SqliteDatabase,
  type SqliteStatement,
  SqliteStore,
  type SqliteStoreOptions,
} from './sqlite-store';
export type { StoreWithin, TransactionAccess, TransactionOptions, TransactionRows } from './within';
