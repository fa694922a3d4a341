/**
 * Idempotency stores that use your own database client: no driver comes with them.
 *
 * @module pix-automatic-sdk/stores
 */

export type { DeadLetter, DeadLetterQuery, DeadLetters, NewDeadLetter } from './dead-letters';
export type {
  Claim,
  ClaimLimits,
  ClaimResult,
  CompleteLimits,
  IdempotencyStore,
  Transact,
  TransactRequest,
} from './idempotency-store';
export { MemoryDeadLetters, type MemoryDeadLettersOptions } from './memory-dead-letters';
export { type MysqlQueryable, MysqlStore, type MysqlStoreOptions } from './mysql/mysql-store';
export { type MysqlStoreWithinOptions, mysqlStoreWithin } from './mysql/mysql-within';
export type {
  PostgresPool,
  PostgresPoolClient,
  PostgresQuery,
  PostgresQueryable,
  PostgresResult,
  PostgresRows,
  PostgresTypes,
} from './postgres/client';
export type {
  PostgresStatement,
  PostgresTransaction,
  PostgresTransactionResult,
} from './postgres/pool-access';
export { PostgresStore, type PostgresStoreOptions } from './postgres/postgres-store';
export { type PostgresStoreWithinOptions, postgresStoreWithin } from './postgres/postgres-within';
export {
  createIdempotencyStore,
  type ReadRecord,
  type RecordStore,
  type StoreOverRecords,
  type WriteRecord,
} from './record-store';
export type { IoredisClient, NodeRedisClient, RedisClient, UpstashRedisClient } from './redis/client';
export { RedisStore, type RedisStoreOptions } from './redis/redis-store';
export { RedisDeadLetters, type RedisDeadLettersOptions } from './redis-dead-letters';
export type { SqlDialect, SqlQuery } from './sql';
export { SqlDeadLetters, type SqlDeadLettersOptions } from './sql-dead-letters';
export {
  type LibsqlClient,
  type SqliteDatabase,
  type SqliteStatement,
  SqliteStore,
  type SqliteStoreOptions,
} from './sqlite/sqlite-store';
export type { StoreWithin, TransactionAccess, TransactionOptions, TransactionRows } from './within';
