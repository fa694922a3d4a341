/** Compiled by `npm run typecheck`, never run: the real clients fit the structural types, and wrong ones do not. */
import type { DatabaseSync } from 'node:sqlite';
import type { PGlite } from '@electric-sql/pglite';
import type { Redis as UpstashRedis } from '@upstash/redis';
import type { Cluster, Redis } from 'ioredis';
import type { Pool as CallbackPool } from 'mysql2';
import type { Connection, Pool as MysqlPool, PoolConnection } from 'mysql2/promise';
import type { Client, Pool } from 'pg';
import type { createClient, createClientPool, createCluster, createSentinel } from 'redis';
import {
  MysqlStore,
  PostgresStore,
  type PostgresTransaction,
  RedisStore,
  SqliteStore,
  storeWithin,
} from '../../src/stores';
import type { Store } from '../../src/stores/steps';
import { type Equal, isTrue } from './equal';

/** Takes a store as a handler does: the store decides the type of the transaction. */
declare function handlerWith<Transaction = unknown>(store: Store<Transaction>): Transaction;

export function redis(
  ioredis: Redis,
  ioredisCluster: Cluster,
  client: ReturnType<typeof createClient>,
  pool: ReturnType<typeof createClientPool>,
  cluster: ReturnType<typeof createCluster>,
  sentinel: ReturnType<typeof createSentinel>,
  upstash: UpstashRedis,
): void {
  new RedisStore(ioredis);
  new RedisStore(ioredisCluster, { prefix: 'shop:', namespace: undefined });
  new RedisStore(client, { namespace: 'shop' });
  new RedisStore(pool);
  new RedisStore(cluster);
  new RedisStore(sentinel);
  new RedisStore(upstash);
  // @ts-expect-error: a URL is not a client
  new RedisStore('redis://localhost');
  // @ts-expect-error: a misspelt option
  new RedisStore(ioredis, { nameSpace: 'shop' });
}

export function postgres(pool: Pool, client: Client, pglite: PGlite, either: boolean): void {
  const plain = new PostgresStore(pool, { schema: 'shop', table: undefined });
  new PostgresStore(client);
  new PostgresStore(pglite);
  const noTransaction = handlerWith(plain);
  isTrue<Equal<typeof noTransaction, unknown>>();

  const transactional = new PostgresStore(pool, { transactional: true });
  const transaction = handlerWith(transactional);
  isTrue<Equal<typeof transaction, PostgresTransaction>>();

  // If the mode is not known, the type of the transaction is not known either.
  const unknown = handlerWith(new PostgresStore(pool, { transactional: either }));
  isTrue<Equal<typeof unknown, unknown>>();

  // @ts-expect-error: a transaction needs a connection of its own
  new PostgresStore(pglite, { transactional: true });
  // @ts-expect-error: a transaction needs a pool
  new PostgresStore(client, { transactional: true });
}

export function mysql(
  pool: MysqlPool,
  connection: Connection,
  poolConnection: PoolConnection,
  callbacks: CallbackPool,
): void {
  new MysqlStore(pool, { schema: 'shop', table: undefined });
  new MysqlStore(connection);
  new MysqlStore(poolConnection);
  new MysqlStore(callbacks.promise());
  // @ts-expect-error: a pool with callbacks
  new MysqlStore(callbacks);

  const within = storeWithin<PoolConnection>(
    {
      transaction: async (work) => work(await pool.getConnection()),
      query: async (own, text, values) => (await (own ?? pool).query(text, values)) as unknown[],
    },
    { dialect: 'mysql' },
  );
  const transaction = handlerWith(within);
  isTrue<Equal<typeof transaction, PoolConnection>>();
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

/** The part of `Client` in `@libsql/core` 0.18, api.d.ts, which `createClient()` of @libsql/client returns. */
type LibsqlValue = null | string | number | bigint | ArrayBuffer;
type LibsqlArgument = LibsqlValue | boolean | Uint8Array | Date;
type LibsqlArguments = LibsqlArgument[] | Record<string, LibsqlArgument>;
interface LibsqlResultSet {
  columns: string[];
  rows: { length: number; [index: number]: LibsqlValue; [name: string]: LibsqlValue }[];
  rowsAffected: number;
  lastInsertRowid: bigint | undefined;
}
interface Libsql {
  execute(statement: { sql: string; args?: LibsqlArguments } | string): Promise<LibsqlResultSet>;
  execute(sql: string, args?: LibsqlArguments): Promise<LibsqlResultSet>;
}

export function sqlite(database: DatabaseSync, better: BetterSqlite3Database, libsql: Libsql): void {
  new SqliteStore(libsql);
  new SqliteStore(database);
  new SqliteStore(better, { table: 'notifications' });
  // @ts-expect-error: a path is not a database
  new SqliteStore('notifications.db');
}
