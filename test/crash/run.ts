import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import { PostgresStore } from '../../src/stores';
import { postgresConfig } from '../helpers/postgres';
import { redisUrl } from '../helpers/redis';
import {
  CALLBACK_TIMEOUT_MS,
  isTransactional,
  LEASE_MS,
  type ListenerConfig,
  type StoreName,
  tablesOf,
} from './config';
import { Fleet } from './fleet';
import { type Evidence, judge, type Verdict } from './judge';
import { scheduleNotifications } from './notifications';
import { randomFrom } from './seed';
import { sendAll } from './sender';

export interface CrashRun {
  readonly store: StoreName;
  readonly seed: number;
  readonly notifications: number;
  /** Over how long the first deliveries are spread; the retries come after. */
  readonly durationMs: number;
  /** The Node that runs the listeners. */
  readonly execPath?: string;
}

const FLEET_SIZE = 4;

/** Runs a fleet of listeners, sends to it and kills in it, and judges what is left. Prints the figures. */
export async function runCrashTest({ store, seed, ...options }: CrashRun): Promise<Verdict> {
  const { notifications, durationMs, execPath = process.execPath } = options;
  const run = randomUUID().slice(0, 8);
  const directory = mkdtempSync(join(tmpdir(), 'crash-test-'));
  const config = { store, run, redisUrl, postgres: postgresConfig, sqliteFile: join(directory, 'store.db') };
  const place = await openPlace(config);
  const random = randomFrom(seed);
  const schedule = scheduleNotifications(random, notifications, durationMs);
  const fleet = new Fleet(config, directory, execPath);

  try {
    await fleet.start(FLEET_SIZE);
    const delivered = await sendAll(fleet, schedule, random);
    // Callbacks whose delivery timed out may still be at work.
    await sleep(CALLBACK_TIMEOUT_MS);

    const incarnations = await fleet.stop();
    const transactional = isTransactional(store);
    const leaseMs = transactional ? CALLBACK_TIMEOUT_MS : LEASE_MS;
    const written = transactional ? { written: await place.written() } : {};
    const verdict = judge({ delivered, incarnations, leaseMs, ...written });
    console.log(`CRASH_SEED=${seed} ${store}: ${JSON.stringify(verdict.figures)}`);
    return verdict;
  } finally {
    await fleet.stop();
    await place.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

interface Place {
  written(): Promise<NonNullable<Evidence['written']>>;
  close(): Promise<void>;
}

/** What the listeners find when they start, and what is read and removed when they have ended. */
async function openPlace(config: Omit<ListenerConfig, 'logFile'>): Promise<Place> {
  const { store, run } = config;
  if (store === 'sqlite') return { written: noTables, close: async () => undefined };
  if (!isTransactional(store) && store !== 'postgres') {
    return {
      written: noTables,
      async close() {
        const redis = new Redis(redisUrl);
        const keys = await redis.keys(`pix-automatic:${run}:*`);
        if (keys.length > 0) await redis.del(keys);
        redis.disconnect();
      },
    };
  }

  const pool = new pg.Pool({ ...postgresConfig, max: 1 });
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
      await pool.query(`DROP TABLE ${effects}, ${states}, crash_${run}, crash_${run}_parked`);
      await pool.end();
    },
  };
}

async function noTables(): Promise<never> {
  throw new Error('This store has no tables to read effects from.');
}
