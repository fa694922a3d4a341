import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { createPool } from 'mysql2/promise';
import pg from 'pg';
import { createClient } from 'redis';
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
import { MemoryStore } from '../../../src/webhooks';
import { mysqlAccess } from '../../helpers/mysql-access';
import { storeOf } from '../../helpers/store-of';
import { lease, retain } from '../../stores/limits';
import type { ListenerConfig } from './config';

/** The merchant's own transaction, whichever the database. */
export interface Transaction {
  query(text: string, values: string[]): Promise<unknown>;
}

type Store = AnyStore<Transaction>;

/** The store of a listener process, and the queries that its callbacks send to the store’s own pool. */
export async function openStore(
  config: ListenerConfig,
): Promise<{ readonly store: Store; readonly askPool: () => Promise<unknown> }> {
  const { storeTimeoutMs } = config.timing;
  const pool = new pg.Pool({
    ...config.postgres,
    max: 5,
    // A connection that is ready too late for its step is kept for the next one.
    connectionTimeoutMillis: 2 * storeTimeoutMs,
    keepAlive: true,
  });
  // An idle connection may be lost.
  pool.on('error', () => undefined);
  return { store: await storeOver(config, pool), askPool: () => pool.query('SELECT pg_sleep(0.01)') };
}

async function storeOver(config: ListenerConfig, pool: pg.Pool): Promise<Store> {
  const { store: name, run } = config;
  const table = `crash_${run}`;
  const { storeTimeoutMs, callbackTimeoutMs, leaseMs } = config.timing;
  const options = { table };
  const transactional = {
    ...options,
    transactional: true,
    stepTimeoutMs: storeTimeoutMs,
    slotTimeoutMs: callbackTimeoutMs,
    holdMs: leaseMs - callbackTimeoutMs,
  } as const;
  const redis = () => {
    const client = new Redis(config.redisUrl);
    client.on('error', () => undefined);
    return new RedisStore(client, { namespace: run });
  };

  switch (name) {
    case 'memory':
      return new MemoryStore() as AnyStore as Store;
    case 'redis':
      return redis();
    case 'redis over node-redis': {
      const client = createClient({ url: config.redisUrl });
      client.on('error', () => undefined);
      await client.connect();
      return new RedisStore(client, { namespace: run });
    }
    case 'postgres':
      return new PostgresStore(pool, options);
    case 'postgres transactional':
      return new PostgresStore(pool, transactional);
    case 'mysql':
      return new MysqlStore(createPool({ uri: config.mysqlUrl, connectionLimit: 5 }), options);
    case 'mysql transactional':
      return storeWithin(mysqlAccess(createPool({ uri: config.mysqlUrl, connectionLimit: 5 })), {
        dialect: 'mysql',
        ...transactional,
        maxTransactions: 4,
      });
    case 'sqlite': {
      const { DatabaseSync } = await import('node:sqlite');
      const database = new DatabaseSync(config.sqliteFile);
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
    case 'wrong: writes outside the transaction':
      return writesOutside(new PostgresStore(pool, transactional), pool);
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

// Stores with mistakes of hand-written listeners. The crash test must find them.

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
      return store.transact(request, (_, ...more) => work(outside, ...more));
    },
  });
}
