import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPool, type PoolConnection } from 'mysql2/promise';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { mysqlStoreWithin, PostgresStore } from '../../../src/stores';
import type { IdempotencyStore } from '../../../src/webhooks';
import { findMysql, mysqlUrl } from '../../helpers/mysql';
import { findPostgres, postgresConfig } from '../../helpers/postgres';
import { type Act, startListener } from './listener';

const foundPostgres = await findPostgres();
const foundMysql = await findMysql();

/** Callbacks of 1 s, the wait for a slot and the minute between two deliveries, all at a tenth. */
const WORK_MS = 100;
const SLOT_TIMEOUT_MS = 2_500;
const INTERVAL_MS = 6_000;
const NOTIFICATIONS = 300;

/** Sends all at once, as the service does after an incident, and those that fail up to five times again. */
async function unacknowledged<Tx>(store: IdempotencyStore<Tx>, act: Act<Tx>): Promise<readonly string[]> {
  const { pay, acted } = await startListener<Tx>(
    store,
    async (notification, context) => {
      await act(notification, context);
      await sleep(WORK_MS);
    },
    { callbackTimeoutMs: 5_000, storeTimeoutMs: 7_500 },
  );
  let left = Array.from({ length: NOTIFICATIONS }, (_, index) => `sale-${index}`);
  const leftAfter: number[] = [];
  for (let attempt = 1; attempt <= 6 && left.length > 0; attempt += 1) {
    if (attempt > 1) await sleep(INTERVAL_MS);
    const statuses = await Promise.all(left.map(async (id) => (await pay(id)).status));
    left = left.filter((_, index) => statuses[index] !== 200);
    leftAfter.push(left.length);
  }
  console.log(`${NOTIFICATIONS} at once: left after each delivery ${leftAfter}, callbacks ${acted.length}`);
  return left;
}

describe('300 notifications at once, with slow callbacks and a pool of 10, are all acknowledged', () => {
  const run = randomUUID().slice(0, 8);
  const tables = { table: `burst_${run}`, effects: `burst_effects_${run}` };

  it.skipIf(!foundPostgres)('in PostgreSQL', { timeout: 120_000 }, async () => {
    const pool = new pg.Pool({ ...postgresConfig, max: 10 });
    await pool.query(`CREATE TABLE ${tables.effects} (id text)`);
    onTestFinished(async () => {
      await pool.query(`DROP TABLE public.${tables.table}, ${tables.effects}`);
      await pool.end();
    });
    const limits = { transactional: true, slotTimeoutMs: SLOT_TIMEOUT_MS } as const;
    const store = new PostgresStore(pool, { table: tables.table, ...limits });
    await store.createTable();
    const left = await unacknowledged(store, async ({ payload }, { transaction }) => {
      await transaction.query(`INSERT INTO ${tables.effects} VALUES ($1)`, [payload.saleToken]);
    });
    expect(left).toEqual([]);
    const { rows } = await pool.query(`SELECT id FROM ${tables.effects}`);
    expect(rows).toHaveLength(NOTIFICATIONS);
  });

  it.skipIf(!foundMysql)('in MySQL or MariaDB', { timeout: 120_000 }, async () => {
    const pool = createPool({ uri: mysqlUrl, connectionLimit: 10 });
    await pool.query(`CREATE TABLE ${tables.effects} (id varchar(100))`);
    onTestFinished(async () => {
      await pool.query(`DROP TABLE ${tables.table}, ${tables.effects}`);
      await pool.end();
    });
    const store = mysqlStoreWithin<PoolConnection>(
      {
        async transaction(work) {
          const connection = await pool.getConnection();
          try {
            await connection.beginTransaction();
            await work(connection);
            await connection.commit();
          } catch (error) {
            connection.destroy();
            throw error;
          }
          connection.release();
        },
        query: async (connection, text, values) =>
          (await (connection ?? pool).query(text, values))[0] as unknown[],
      },
      { table: tables.table, maxTransactions: 8, slotTimeoutMs: SLOT_TIMEOUT_MS },
    );
    await store.createTable();
    const left = await unacknowledged(store, async ({ payload }, { transaction }) => {
      await transaction.query(`INSERT INTO ${tables.effects} VALUES (?)`, [payload.saleToken]);
    });
    expect(left).toEqual([]);
    const [rows] = await pool.query(`SELECT id FROM ${tables.effects}`);
    expect(rows).toHaveLength(NOTIFICATIONS);
  });
});
