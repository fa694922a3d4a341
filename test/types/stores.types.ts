/** Compiled by `npm run typecheck`, never run: the real clients fit the structural types, and wrong ones do not. */
import type { DatabaseSync } from 'node:sqlite';
import type { PGlite } from '@electric-sql/pglite';
import type { Cluster, Redis } from 'ioredis';
import type { Client, Pool } from 'pg';
import type { createClient, createClientPool, createCluster, createSentinel } from 'redis';
import { PostgresStore, type PostgresTransaction, RedisStore, SqliteStore } from '../../src/stores';
import type { IdempotencyStore } from '../../src/stores/idempotency-store';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function expectTrue<_ extends true>(): void {}

/** Takes a store as a handler does: the store decides the type of the transaction. */
declare function handlerWith<Transaction = unknown>(store: IdempotencyStore<Transaction>): Transaction;

export function redis(
  ioredis: Redis,
  ioredisCluster: Cluster,
  client: ReturnType<typeof createClient>,
  pool: ReturnType<typeof createClientPool>,
  cluster: ReturnType<typeof createCluster>,
  sentinel: ReturnType<typeof createSentinel>,
): void {
  new RedisStore(ioredis);
  new RedisStore(ioredisCluster, { prefix: 'shop:', namespace: undefined });
  new RedisStore(client, { namespace: 'shop' });
  new RedisStore(pool);
  new RedisStore(cluster);
  new RedisStore(sentinel);
  // @ts-expect-error: a URL is not a client
  new RedisStore('redis://localhost');
  // @ts-expect-error: a misspelt option
  new RedisStore(ioredis, { nameSpace: 'shop' });
}

export function postgres(pool: Pool, client: Client, pglite: PGlite, either: boolean): void {
  const plain = new PostgresStore(pool, { schema: 'shop', table: undefined });
  new PostgresStore(client);
  new PostgresStore(pglite);
  expectTrue<Equal<typeof plain.transact, undefined>>();
  const noTransaction = handlerWith(plain);
  expectTrue<Equal<typeof noTransaction, unknown>>();

  const transactional = new PostgresStore(pool, { transactional: true });
  const transaction = handlerWith(transactional);
  expectTrue<Equal<typeof transaction, PostgresTransaction>>();

  // If the mode is not known, the type of the transaction is not known either.
  const unknown = handlerWith(new PostgresStore(pool, { transactional: either }));
  expectTrue<Equal<typeof unknown, unknown>>();

  // @ts-expect-error: a transaction needs a connection of its own
  new PostgresStore(pglite, { transactional: true });
  // @ts-expect-error: a transaction needs a pool
  new PostgresStore(client, { transactional: true });
}

/** better-sqlite3 compiles at install, so it is no dependency, and the types that matter are written out here. */
interface BetterSqlite3Database {
  exec(source: string): this;
  prepare(source: string): {
    all(...parameters: unknown[]): unknown[];
    run(...parameters: unknown[]): object;
    readonly reader: boolean;
  };
  readonly inTransaction: boolean;
}

export function sqlite(database: DatabaseSync, better: BetterSqlite3Database): void {
  new SqliteStore(database);
  new SqliteStore(better, { table: 'notifications' });
  // @ts-expect-error: a path is not a database
  new SqliteStore('notifications.db');
}
