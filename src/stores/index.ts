/**
 * Idempotency stores that use your own database client: no driver comes with them.
 *
 * @module pix-automatic-sdk/stores
 */

export type {
  PostgresPool,
  PostgresPoolClient,
  PostgresQuery,
  PostgresQueryable,
  PostgresResult,
  PostgresRows,
  PostgresTypes,
} from './postgres/client';
export { PostgresStore, type PostgresStoreOptions } from './postgres/postgres-store';
export type { PostgresStatement, PostgresTransaction } from './postgres/transaction';
export type { IoredisClient, NodeRedisClient, RedisClient } from './redis/client';
export { RedisStore, type RedisStoreOptions } from './redis/redis-store';
export type { SqliteDatabase, SqliteStatement } from './sqlite/database';
export { SqliteStore, type SqliteStoreOptions } from './sqlite/sqlite-store';
