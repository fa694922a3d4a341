import { Redis } from 'ioredis';
import { createPool } from 'mysql2/promise';
import pg from 'pg';
import { MysqlStore, PostgresStore } from '../../../src/stores';
import { isTransactional, type ListenerConfig, tablesOf } from './config';
import type { Evidence } from './judge';

export interface Place {
  written(): Promise<NonNullable<Evidence['written']>>;
  close(): Promise<void>;
}

type Config = Omit<ListenerConfig, 'logFile'>;

/** Prepares the tables and files that the listeners use, reads the results, and removes everything afterwards. */
export async function openPlace(config: Config): Promise<Place> {
  const { store, run } = config;
  if (store === 'sqlite' || store === 'memory') return { written: noTables, close: async () => undefined };
  if (store.startsWith('mysql')) return inTables(run, await openMysql(config));
  if (isTransactional(store) || store === 'postgres') return inTables(run, await openPostgres(config));
  return {
    written: noTables,
    async close() {
      const redis = new Redis(config.redisUrl);
      const keys = await redis.keys(`pix-automatic:${run}:*`);
      if (keys.length > 0) await redis.del(keys);
      redis.disconnect();
    },
  };
}

interface Row {
  readonly subject: string;
  readonly state: string;
}

/** A database that has the store's table. */
interface Database {
  query(text: string): Promise<readonly Row[]>;
  close(): Promise<void>;
}

async function inTables(run: string, { query, close }: Database): Promise<Place> {
  const { effects, states } = tablesOf(run);
  await query(`CREATE TABLE ${effects} (subject varchar(100), state varchar(100))`);
  await query(`CREATE TABLE ${states} (subject varchar(100) PRIMARY KEY, state varchar(100))`);
  return {
    async written() {
      const times = new Map<string, number>();
      for (const { subject, state } of await query(`SELECT subject, state FROM ${effects}`)) {
        const key = `${subject}:${state}`;
        times.set(key, (times.get(key) ?? 0) + 1);
      }
      const stored = await query(`SELECT subject, state FROM ${states}`);
      return { effects: times, states: new Map(stored.map(({ subject, state }) => [subject, state])) };
    },
    async close() {
      await query(`DROP TABLE ${effects}, ${states}, crash_${run}`);
      await close();
    },
  };
}

async function openPostgres({ postgres, run }: Config): Promise<Database> {
  const pool = new pg.Pool({ ...postgres, max: 1 });
  // A restarted server ends idle connections.
  pool.on('error', () => undefined);
  await new PostgresStore(pool, { table: `crash_${run}` }).createTable();
  return { query: async (text) => (await pool.query<Row>(text)).rows, close: () => pool.end() };
}

async function openMysql({ mysqlUrl, run }: Config): Promise<Database> {
  const pool = createPool({ uri: mysqlUrl, connectionLimit: 1 });
  await new MysqlStore(pool, { table: `crash_${run}` }).createTable();
  return {
    query: async (text) => (await pool.query(text))[0] as unknown as readonly Row[],
    close: () => pool.end(),
  };
}

async function noTables(): Promise<never> {
  throw new Error('This store has no tables to read effects from.');
}
