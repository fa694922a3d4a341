import { Redis } from 'ioredis';
import pg from 'pg';
import { PostgresStore } from '../../src/stores';
import { isTransactional, type ListenerConfig, tablesOf } from './config';
import type { Evidence } from './judge';

export interface Place {
  written(): Promise<NonNullable<Evidence['written']>>;
  close(): Promise<void>;
}

/** Prepares the tables and files that the listeners use, reads the results, and removes everything afterwards. */
export async function openPlace(config: Omit<ListenerConfig, 'logFile'>): Promise<Place> {
  const { store, run } = config;
  if (store === 'sqlite' || store === 'memory') return { written: noTables, close: async () => undefined };
  if (!isTransactional(store) && store !== 'postgres') {
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

  const pool = new pg.Pool({ ...config.postgres, max: 1 });
  // A restarted server ends idle connections.
  pool.on('error', () => undefined);
  const { effects, states } = tablesOf(run);
  await new PostgresStore(pool, { table: `crash_${run}` }).createTable();
  await pool.query(`CREATE TABLE ${effects} (subject text, state text)`);
  await pool.query(`CREATE TABLE ${states} (subject text PRIMARY KEY, state text)`);
  return {
    async written() {
      const counted = await pool.query<{ key: string; times: number }>(
        `SELECT subject || ':' || state AS key, count(*)::int AS times FROM ${effects} GROUP BY 1`,
      );
      const stored = await pool.query<{ subject: string; state: string }>(
        `SELECT subject, state FROM ${states}`,
      );
      return {
        effects: new Map(counted.rows.map(({ key, times }) => [key, times])),
        states: new Map(stored.rows.map(({ subject, state }) => [subject, state])),
      };
    },
    async close() {
      await pool.query(`DROP TABLE ${effects}, ${states}, crash_${run}`);
      await pool.end();
    },
  };
}

async function noTables(): Promise<never> {
  throw new Error('This store has no tables to read effects from.');
}
