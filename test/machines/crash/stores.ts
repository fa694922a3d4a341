import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { createPool } from 'mysql2/promise';
import pg from 'pg';
import type { Store as AnyStore } from '../../../src/stores';
import {
  MysqlStore,
  PostgresStore,
  type PostgresTransaction,
  RedisStore,
  SqliteStore,
  storeWithin,
} from '../../../src/stores';
import { stepsOf } from '../../../src/stores/steps';
import { mysqlUrl } from '../../helpers/mysql';
import { mysqlAccess } from '../../helpers/mysql-access';
import { postgresConfig } from '../../helpers/postgres';
import { redisUrl } from '../../helpers/redis';
import { storeOf } from '../../helpers/store-of';
import { lease, retain } from '../../stores/limits';
import {
  CALLBACK_TIMEOUT_MS,
  isTransactional,
  LEASE_MS,
  type ListenerConfig,
  STORE_TIMEOUT_MS,
  type StoreName,
  sqliteFile,
  tablesOf,
} from './config';

/** The merchant's own transaction, whichever the database. */
export interface Transaction {
  query(text: string, values: string[]): Promise<unknown>;
}

type Store = AnyStore<Transaction>;

const openPool = (config: pg.PoolConfig, max: number) => {
  const pool = new pg.Pool({ ...config, max, connectionTimeoutMillis: 2 * STORE_TIMEOUT_MS });
  // An idle connection may be lost.
  pool.on('error', () => undefined);
  return pool;
};

/** The store of a listener process. */
export async function openStore({ store: name, run, postgres }: ListenerConfig): Promise<Store> {
  const options = { table: tablesOf(run).records };
  const limited = {
    ...options,
    stepTimeoutMs: STORE_TIMEOUT_MS,
    slotTimeoutMs: CALLBACK_TIMEOUT_MS,
    holdMs: LEASE_MS - CALLBACK_TIMEOUT_MS,
  };
  const transactional = { ...limited, transactional: true } as const;
  const redis = () => new RedisStore(new Redis(redisUrl), { namespace: run });
  const mysql = () => createPool({ uri: mysqlUrl, connectionLimit: 5 });
  switch (name) {
    case 'redis':
      return redis();
    case 'postgres':
    case 'postgres over PgBouncer':
      return new PostgresStore(openPool(postgres, 5), options);
    case 'postgres transactional':
    case 'postgres over PgBouncer, transactional':
      return new PostgresStore(openPool(postgres, 5), transactional);
    case 'mysql':
      return new MysqlStore(mysql(), options);
    case 'mysql transactional':
      return storeWithin(mysqlAccess(mysql()), { dialect: 'mysql', ...limited, maxTransactions: 4 });
    case 'sqlite': {
      const { DatabaseSync } = await import('node:sqlite');
      const database = new DatabaseSync(sqliteFile(run));
      await setWriteAheadLog(() =>
        database.exec('PRAGMA busy_timeout = 100; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL'),
      );
      const store = new SqliteStore(database);
      await store.createTable();
      return store;
    }
    case 'wrong: forgets leases':
      return forgetsLeases(redis());
    case 'wrong: done at claim':
      return doneAtClaim(redis());
    case 'wrong: writes outside the transaction': {
      const pool = openPool(postgres, 5);
      return writesOutside(new PostgresStore(pool, transactional), pool);
    }
  }
}

/** SQLite does not wait for its lock when several processes do this at once, so this retries. */
async function setWriteAheadLog(set: () => void): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return set();
    } catch (error) {
      if (attempt === 50) throw error;
      await sleep(50);
    }
  }
}

/** Makes the tables of a run, reads the effects in them, and removes everything. */
export async function openPlace(store: StoreName, run: string) {
  const { records, effects } = tablesOf(run);
  const database = store.startsWith('mysql')
    ? openMysql(records)
    : store.startsWith('postgres') || isTransactional(store)
      ? openPostgres(records)
      : undefined;
  await database?.store.createTable();
  await database?.query(`CREATE TABLE ${effects} (effect varchar(100))`);
  return {
    /** How often each effect is there. */
    async written(): Promise<Map<string, number>> {
      const times = new Map<string, number>();
      for (const { effect } of (await database?.query(`SELECT effect FROM ${effects}`)) ?? []) {
        times.set(effect, (times.get(effect) ?? 0) + 1);
      }
      return times;
    },
    async close() {
      await database?.query(`DROP TABLE ${effects}, ${records}`);
      await database?.end();
      rmSync(sqliteFile(run), { force: true });
      const redis = new Redis(redisUrl);
      const keys = await redis.keys(`pix-automatic:${run}:*`);
      if (keys.length > 0) await redis.del(keys);
      redis.disconnect();
    },
  };
}

interface Row {
  readonly effect: string;
}

function openPostgres(table: string) {
  const pool = openPool(postgresConfig, 1);
  const query = async (text: string) => (await pool.query<Row>(text)).rows;
  return { store: new PostgresStore(pool, { table }), query, end: () => pool.end() };
}

function openMysql(table: string) {
  const pool = createPool({ uri: mysqlUrl, connectionLimit: 1 });
  const query = async (text: string) => (await pool.query(text))[0] as unknown as readonly Row[];
  return { store: new MysqlStore(pool, { table }), query, end: () => pool.end() };
}

// Stores with mistakes of hand-written listeners. The run must find them.

function forgetsLeases(right: AnyStore): Store {
  const store = stepsOf(right);
  return storeOf({
    claim: (subject, state) => store.claim(subject, state, lease(1)),
    // Records even when the lease is lost.
    complete: async (claim, limits) => {
      const again = await store.claim(claim.subject, claim.state, lease(1000));
      return again.status === 'claimed' ? store.complete(again, limits) : true;
    },
    release: (claim) => store.release(claim),
  });
}

function doneAtClaim(right: AnyStore): Store {
  const store = stepsOf(right);
  return storeOf({
    async claim(subject, state, limits) {
      const claim = await store.claim(subject, state, limits);
      if (claim.status === 'claimed') await store.complete(claim, retain(3_600_000));
      return claim;
    },
    complete: async () => true,
    release: async () => undefined,
  });
}

function writesOutside(right: AnyStore<PostgresTransaction>, pool: pg.Pool): Store {
  const outside: Transaction = { query: (text, values) => pool.query(text, values) };
  const store = stepsOf(right);
  return storeOf({
    transact: (request, work) => {
      if (store.transact === undefined) throw new Error('not transactional');
      return store.transact(request, (within, prepared) =>
        work({ ...within, transaction: outside }, prepared),
      );
    },
  });
}
