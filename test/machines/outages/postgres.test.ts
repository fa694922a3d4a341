import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { PostgresStore, type PostgresTransaction } from '../../../src/stores';
import { findPostgres, postgresConfig } from '../../helpers/postgres';
import { findPostgresPrograms, startOwnPostgres } from '../../helpers/postgres-server';
import { startTcpProxy, type TcpProxy } from '../../helpers/tcp-proxy';
import { lease } from '../../stores/limits';
import {
  expectCommitFoundLater,
  expectCompleteRepeated,
  expectSubjectKept,
  expectToLeaveSilence,
  expectToSurvive,
} from './checks';
import {
  CALLBACK_TIMEOUT_MS,
  isRecorded,
  LEASE_MS,
  STORE_TIMEOUT_MS,
  sendAllUntilAcknowledged,
  sendWhile,
  startListener,
} from './listener';

const found = await findPostgres();
const programs = findPostgresPrograms();
const run = randomUUID().slice(0, 8);
const table = `outages_${run}`;
const effects = `outages_effects_${run}`;

describe.skipIf(!found)('A listener whose PostgreSQL goes away', () => {
  /** For the checks of the tests themselves, and never cut. */
  const pool = new pg.Pool(postgresConfig);
  const recorded = new PostgresStore(pool, { table });

  beforeAll(async () => {
    await recorded.createTable();
    await pool.query(`CREATE TABLE ${effects} (id text)`);
  });
  beforeEach(async () => {
    await pool.query(`TRUNCATE ${table}, ${effects}`);
  });
  afterAll(async () => {
    await pool.query(`DROP TABLE ${table}, ${effects}`);
    await pool.end();
  });

  /** The listener's own pool, through a proxy that acts as a bad network. */
  async function openNetwork(settings: pg.PoolConfig = { max: 10 }) {
    const { host = '127.0.0.1', port = 5432 } = new pg.Client(postgresConfig);
    const proxy = await startTcpProxy(
      host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port },
    );
    const application_name = `outages ${randomUUID()}`;
    const { connectionString } = postgresConfig;
    const target =
      connectionString === undefined
        ? { ...postgresConfig, host: '127.0.0.1', port: proxy.port }
        : { connectionString: throughPort(connectionString, proxy.port) };
    const listeners = new pg.Pool({ ...target, application_name, ...settings });
    // Without an error listener the loss of an idle connection ends the process, as pg's documentation says.
    listeners.on('error', () => undefined);
    onTestFinished(async () => {
      proxy.restore();
      await listeners.end();
    });
    const terminate = () =>
      pool.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 AND pid <> pg_backend_pid()',
        [application_name],
      );
    return { proxy, listeners, terminate };
  }

  const plain = (connections: pg.Pool) => new PostgresStore(connections, { table });
  const transactional = (connections: pg.Pool) =>
    new PostgresStore(connections, { table, transactional: true, stepTimeoutMs: STORE_TIMEOUT_MS });

  const write = (id: string, transaction: PostgresTransaction | undefined) =>
    transaction?.query(`INSERT INTO ${effects} VALUES ($1)`, [id]);

  async function effectsById(): Promise<Map<string, number>> {
    const { rows } = await pool.query<{ id: string; times: number }>(
      `SELECT id, count(*)::int AS times FROM ${effects} GROUP BY id`,
    );
    return new Map(rows.map(({ id, times }) => [id, times]));
  }

  describe.each([
    ['in plain mode', plain],
    ['in transactional mode', transactional],
  ])('%s', (mode, open) => {
    const start = (connections: pg.Pool, limits = {}) =>
      startListener<PostgresTransaction>(
        open(connections),
        async ({ payload }, { transaction }) => {
          await write(payload.saleToken, transaction);
          await sleep(20);
        },
        limits,
      );

    async function expectExactlyOnce(ids: readonly string[]): Promise<void> {
      if (mode !== 'in transactional mode') return;
      expect(await effectsById()).toEqual(new Map(ids.map((id) => [id, 1])));
    }

    it('survives repeated termination of its connections', async () => {
      const { listeners, terminate } = await openNetwork();
      const limits = { callbackTimeoutMs: CALLBACK_TIMEOUT_MS, storeTimeoutMs: 5_000 };
      const { pay, acted } = await start(listeners, limits);
      const count = { acknowledged: 0, failed: 0 };
      const counted = async (id: string) => {
        const answer = await pay(id);
        count[answer.status === 200 ? 'acknowledged' : 'failed'] += 1;
        return answer;
      };
      // Waits for payments, not for a fixed time, in which no payment may get through on a busy machine.
      const sent = await sendWhile(counted, async () => {
        for (let times = 0; times < 10 || count.failed === 0; times += 1) {
          const before = count.acknowledged;
          await expect.poll(() => count.acknowledged, { timeout: 30_000 }).toBeGreaterThan(before);
          await terminate();
        }
      });

      const acknowledged = sent.filter(({ status }) => status === 200);
      expect(new Set(sent.map(({ status }) => status >= 500 || status === 200))).toEqual(new Set([true]));
      expect(acknowledged.length).toBeGreaterThanOrEqual(10);
      expect(acknowledged.length).toBeLessThan(sent.length);
      const states = await Promise.all(acknowledged.map(({ id }) => isRecorded(recorded, id)));
      expect(new Set(states)).toEqual(new Set([true]));

      const before = acted.length;
      await sleep(LEASE_MS);
      await sendAllUntilAcknowledged(
        pay,
        sent.map(({ id }) => id),
      );
      const known = new Set(acknowledged.map(({ id }) => id));
      expect(acted.slice(before).filter((id) => known.has(id))).toEqual([]);
      await expectExactlyOnce(sent.map(({ id }) => id));
    }, 120_000);

    it('survives the loss of a connection at the moment when it becomes ready', async () => {
      const { proxy, listeners, terminate } = await openNetwork();
      const { pay } = await start(listeners);
      proxy.holdRepliesFrom('server_version');
      const paying = pay('sale-1');
      await expect.poll(() => proxy.held).toContain('server_version');
      await terminate();
      // The error's code, which now arrives together with the message that the connection is ready.
      await expect.poll(() => proxy.held).toContain('57P01');
      proxy.restore();
      expect((await paying).status).toBe(503);
      expect((await pay('sale-1')).status).toBe(200);
      await expectExactlyOnce(['sale-1']);
    });

    it.each<[string, (proxy: TcpProxy) => void]>([
      ['while the network is cut', (proxy) => proxy.cut()],
      ['in time while nothing comes through', (proxy) => proxy.stall()],
    ])('answers 5xx %s, acknowledges nothing unrecorded, and recovers', async (_, down) => {
      const { proxy, listeners } = await openNetwork();
      const listener = await start(listeners);
      const ids = await expectToSurvive(
        listener,
        recorded,
        () => down(proxy),
        () => proxy.restore(),
      );
      await expectExactlyOnce(ids);
    });
  });

  it('repeats complete when its reply is lost, and does not act again', async () => {
    const { proxy, listeners } = await openNetwork();
    await expectCompleteRepeated(plain(listeners), recorded, proxy, 'UPDATE');
  });

  it('does not answer 200 when the reply to COMMIT is lost, and finds the payment done at the next delivery', async () => {
    const { proxy, listeners } = await openNetwork();
    await expectCommitFoundLater(transactional(listeners), proxy, write);
    expect(await effectsById()).toEqual(new Map([['sale-1', 1]]));
  });

  it('keeps the subject of a callback that hangs until its lease is over, in plain mode', () =>
    expectSubjectKept(plain(pool)));

  it.each([
    ['plain', false, 1],
    // Two transactions may be open at a time over a pool of 3, so each may meet a silent connection.
    ['transactional', true, 2],
  ])(
    'recovers from connections that go silent, with a pool of 3 in %s mode (transactional: %s) after at most %s timeouts of its store',
    async (_, transactional, timeouts) => {
      // The pool's own time limit closes silent connections.
      const { proxy, listeners } = await openNetwork({ max: 3, query_timeout: 1_000 });
      const store = new PostgresStore(listeners, { table, transactional, stepTimeoutMs: 1_000 });
      const limits = { storeTimeoutMs: 7_500, callbackTimeoutMs: 10_000 };
      const goSilent = async () => {
        await Promise.all([1, 2, 3].map(() => listeners.query('SELECT pg_sleep(0.1)')));
        expect(listeners.totalCount).toBe(3);
        proxy.silence();
      };
      await expectToLeaveSilence(store, limits, goSilent, timeouts);
    },
  );

  it('rolls back a callback that exceeds its timeout, and holds its subject until it ends, in transactional mode', async () => {
    const signals: AbortSignal[] = [];
    let endHanging: () => void = () => undefined;
    const hanging = new Promise<void>((resolve) => (endHanging = resolve));
    const { pay, reports } = await startListener(
      transactional(pool),
      async ({ payload }, { signal, transaction }) => {
        await write(payload.saleToken, transaction);
        signals.push(signal);
        if (signals.length === 1) await hanging;
      },
    );
    expect((await pay('sale-1')).status).toBe(500);
    expect(signals[0]?.aborted).toBe(true);
    expect(reports.map(({ code }) => code)).toEqual(['callback_timeout']);
    expect(await effectsById()).toEqual(new Map());
    expect((await pay('sale-1')).status).toBe(503);
    endHanging();
    await vi.waitUntil(async () => (await pay('sale-1')).status === 200, { timeout: 5_000 });
    expect((await pay('sale-1')).status).toBe(200);
    expect(await effectsById()).toEqual(new Map([['sale-1', 1]]));
  });
});

function throughPort(connectionString: string, port: number): string {
  const url = new URL(connectionString);
  url.host = `127.0.0.1:${port}`;
  return url.href;
}

/** The handler's defaults. */
const DEFAULT_LEASE_MS = 40_000;
const DEFAULT_STORE_TIMEOUT_MS = 5_000;

describe.skipIf(programs === undefined)(
  'A PostgreSQL that freezes for longer than the timeout of the store',
  () => {
    it('carries out nothing of the abandoned claims when it thaws, and lets a new delivery claim the subject', async () => {
      const server = await startOwnPostgres(programs as string);
      const limits = {
        connectionTimeoutMillis: DEFAULT_STORE_TIMEOUT_MS,
        query_timeout: DEFAULT_STORE_TIMEOUT_MS,
      };
      const pool = new pg.Pool({ ...server.config, max: 3, ...limits });
      pool.on('error', () => undefined);
      onTestFinished(() => pool.end());
      const store = new PostgresStore(pool);
      await store.createTable();
      // Connect first, as in a listener that has been running.
      expect(await store.claim('payment:0', 'PAID', lease(DEFAULT_LEASE_MS))).toMatchObject({
        status: 'claimed',
      });

      server.freeze();
      await expect(store.claim('payment:1', 'PAID', lease(DEFAULT_LEASE_MS))).rejects.toThrow('timeout');
      await sleep(5_000);
      server.thaw();
      expect(await store.claim('payment:1', 'PAID', lease(DEFAULT_LEASE_MS))).toMatchObject({
        status: 'claimed',
      });
    }, 60_000);
  },
);
