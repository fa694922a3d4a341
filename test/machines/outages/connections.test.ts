import { randomUUID } from 'node:crypto';
import { createPool, type Pool, type PoolConnection } from 'mysql2/promise';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Store } from '../../../src/stores';
import { MysqlStore, PostgresStore, type PostgresTransaction, storeWithin } from '../../../src/stores';
import { closeSilent } from '../../helpers/close-silent';
import { findMysql, mysqlUrl } from '../../helpers/mysql';
import { mysqlAccess } from '../../helpers/mysql-access';
import { findPostgres, postgresConfig } from '../../helpers/postgres';
import { startTcpProxy } from '../../helpers/tcp-proxy';
import { type Act, startListener } from './listener';

// What else a store and a handler do when a database goes away is in test/stores, test/webhooks and the chaos run.

const run = randomUUID().slice(0, 8);
const table = `outages_${run}`;
const effects = `outages_effects_${run}`;

/** Over a pool of three connections that go silent: after at most so many rounds, every payment gets through. */
async function expectToLeaveSilence<Transaction>(
  store: Store<Transaction>,
  act: Act<Transaction>,
  limits: { readonly storeTimeoutMs: number; readonly callbackTimeoutMs: number },
  goSilent: () => Promise<void>,
  atMost: number,
): Promise<void> {
  const { pay } = await startListener(store, act, limits);
  const payments = async () => {
    const answers = await Promise.all([1, 2, 3].map(() => pay(`sale-${randomUUID()}`)));
    return answers.map(({ status }) => status);
  };
  expect(await payments()).toEqual([200, 200, 200]);
  await goSilent();
  let rounds = 0;
  const start = performance.now();
  while ((await payments()).some((status) => status !== 200)) rounds += 1;
  // Where every payment gets through at once, it has still met a connection that went silent for a second.
  if (atMost === 0) expect(performance.now() - start).toBeGreaterThan(900);
  else expect(rounds).toBeGreaterThan(0);
  expect(rounds).toBeLessThanOrEqual(atMost);
}

describe.skipIf(!(await findPostgres()))('A listener over PostgreSQL', () => {
  const pool = new pg.Pool(postgresConfig);
  beforeAll(async () => {
    await new PostgresStore(pool, { table }).createTable();
    await pool.query(`CREATE TABLE ${effects} (id text)`);
  });
  afterAll(async () => {
    await pool.query(`DROP TABLE ${table}, ${effects}`);
    await pool.end();
  });

  /** The listener's own pool, through a proxy that acts as a bad network. */
  async function openNetwork(settings: pg.PoolConfig) {
    const { host = '127.0.0.1', port = 5432, user, database, password } = new pg.Client(postgresConfig);
    const proxy = await startTcpProxy(
      host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port },
    );
    const listeners = new pg.Pool({
      ...{ user, database, password: password ?? undefined, host: '127.0.0.1', port: proxy.port },
      application_name: `outages ${run}`,
      ...settings,
    });
    // Without an error listener the loss of an idle connection ends the process, as pg's documentation says.
    listeners.on('error', () => undefined);
    onTestFinished(async () => {
      proxy.restore();
      await listeners.end();
    });
    return { proxy, listeners };
  }

  const write: Act<PostgresTransaction> = async ({ payload }, { transaction }) => {
    await transaction?.query(`INSERT INTO ${effects} VALUES ($1)`, [payload.saleToken]);
  };

  it.each([false, true])(
    'survives the loss of a connection at the moment when it becomes ready (transactional: %s)',
    async (transactional) => {
      const { proxy, listeners } = await openNetwork({ max: 10 });
      const store = new PostgresStore(listeners, { table, transactional, stepTimeoutMs: 1_000 });
      const { pay } = await startListener(store, write, { storeTimeoutMs: 1_000, callbackTimeoutMs: 1_000 });
      const id = `sale-${randomUUID()}`;
      proxy.holdRepliesFrom('server_version');
      const paying = pay(id);
      await expect.poll(() => proxy.held).toContain('server_version');
      await pool.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1', [
        `outages ${run}`,
      ]);
      // The error's code, which now arrives together with the message that the connection is ready.
      await expect.poll(() => proxy.held).toContain('57P01');
      proxy.restore();
      // Outside transactions the claim is tried again at once, on another connection.
      expect((await paying).status).toBe(transactional ? 503 : 200);
      expect((await pay(id)).status).toBe(200);
      const { rows } = await pool.query(`SELECT id FROM ${effects} WHERE id = $1`, [id]);
      expect(rows).toHaveLength(transactional ? 1 : 0);
    },
  );

  it.each([
    // A step tries again by itself, within its time.
    [false, 0],
    // Two transactions may be open at a time over a pool of 3, so each may meet a silent connection.
    [true, 2],
  ])(
    'recovers from connections that go silent, with a pool of 3 (transactional: %s), after at most %s timeouts of its store',
    async (transactional, timeouts) => {
      // The pool's own time limit closes silent connections.
      const { proxy, listeners } = await openNetwork({ max: 3, query_timeout: 1_000 });
      const store = new PostgresStore(listeners, { table, transactional, stepTimeoutMs: 1_000 });
      const limits = { storeTimeoutMs: 7_500, callbackTimeoutMs: 10_000 };
      const goSilent = async () => {
        await Promise.all([1, 2, 3].map(() => listeners.query('SELECT pg_sleep(0.1)')));
        expect(listeners.totalCount).toBe(3);
        proxy.silence();
      };
      await expectToLeaveSilence(store, write, limits, goSilent, timeouts);
    },
    60_000,
  );
});

describe.skipIf(!(await findMysql()))('A listener over MariaDB', () => {
  it.each([
    ['plain', (pool: Pool) => new MysqlStore(pool, { table }) as Store<unknown>],
    [
      'in the merchant’s transaction',
      (pool: Pool) =>
        storeWithin<PoolConnection>(mysqlAccess(pool), {
          dialect: 'mysql',
          table,
          maxTransactions: 3,
          stepTimeoutMs: 1_000,
        }),
    ],
  ])(
    'recovers from connections that go silent, over a pool that closes them: %s',
    async (_, storeOver) => {
      const admin = createPool(mysqlUrl);
      await new MysqlStore(admin, { table }).createTable();
      await admin.query(`CREATE TABLE ${effects} (id varchar(100))`);
      onTestFinished(async () => {
        await admin.query(`DROP TABLE ${table}, ${effects}`);
        await admin.end();
      });
      const url = new URL(mysqlUrl);
      const proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port || 3306) });
      url.host = `127.0.0.1:${proxy.port}`;
      const pool = createPool({ uri: url.href, connectionLimit: 3, connectTimeout: 2_000 });
      onTestFinished(() => void pool.end().catch(() => undefined));
      closeSilent(pool, 1_000);
      const limits = { storeTimeoutMs: 3_000, callbackTimeoutMs: 4_000 };
      const goSilent = async () => {
        // So that all connections are open.
        await Promise.all([1, 2, 3].map(() => pool.query('SELECT SLEEP(0.1)')));
        proxy.silence();
      };
      // A transaction in which nothing was written is a mistake of the callback's.
      const write: Act<PoolConnection | undefined> = async ({ payload }, { transaction }) => {
        await transaction?.query(`INSERT INTO ${effects} VALUES (?)`, [payload.saleToken]);
      };
      const store = storeOver(pool) as Store<PoolConnection | undefined>;
      await expectToLeaveSilence(store, write, limits, goSilent, 4);
    },
    60_000,
  );
});
