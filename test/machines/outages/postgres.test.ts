import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { PostgresStore, type PostgresTransaction } from '../../../src/stores';
import { findPostgres, postgresConfig } from '../../helpers/postgres';
import { startTcpProxy } from '../../helpers/tcp-proxy';
import { expectToSurvive } from './checks';
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
  async function openNetwork() {
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
    const listeners = new pg.Pool({ ...target, application_name, max: 10 });
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

    it('answers 5xx while the network is cut, acknowledges nothing unrecorded, and recovers', async () => {
      const { proxy, listeners } = await openNetwork();
      const sent = await expectToSurvive(await start(listeners), recorded, async (outage) => {
        await sleep(500);
        proxy.cut();
        outage.begin = performance.now();
        await sleep(1000);
        outage.end = performance.now();
        proxy.restore();
        await sleep(500);
      });
      await expectExactlyOnce(sent.map(({ id }) => id));
    });

    it('answers 5xx in time while nothing comes through, acknowledges nothing unrecorded, and recovers', async () => {
      const { proxy, listeners } = await openNetwork();
      const sent = await expectToSurvive(await start(listeners), recorded, async (outage) => {
        await sleep(500);
        proxy.stall();
        outage.begin = performance.now();
        await sleep(1000);
        outage.end = performance.now();
        proxy.restore();
        await sleep(1000);
      });
      await expectExactlyOnce(sent.map(({ id }) => id));
    });
  });

  it('repeats complete when its reply is lost, and does not act again', async () => {
    const { proxy, listeners } = await openNetwork();
    const { pay, acted } = await startListener(plain(listeners), () => proxy.loseReplyTo('UPDATE'));
    expect((await pay('sale-1')).status).toBe(200);
    expect(proxy.lostReplies).toBe(1);
    expect(await isRecorded(recorded, 'sale-1')).toBe(true);
    expect((await pay('sale-1')).status).toBe(200);
    expect(acted).toEqual(['sale-1']);
  });

  it('does not answer 200 when the reply to COMMIT is lost, and finds the payment done at the next delivery', async () => {
    const { proxy, listeners } = await openNetwork();
    const { pay, acted, reports } = await startListener(
      transactional(listeners),
      async ({ payload }, { transaction }) => {
        await write(payload.saleToken, transaction);
        proxy.loseReplyTo('COMMIT');
      },
    );
    expect((await pay('sale-1')).status).toBe(500);
    expect(proxy.lostReplies).toBe(1);
    expect(reports).toMatchObject([{ code: 'store_failed' }]);
    expect((await pay('sale-1')).status).toBe(200);
    expect(acted).toEqual(['sale-1']);
    expect(await effectsById()).toEqual(new Map([['sale-1', 1]]));
  });

  it('keeps the subject of a callback that hangs until its lease is over, in plain mode', async () => {
    const signals: AbortSignal[] = [];
    const { pay, acted, reports } = await startListener(plain(pool), (_, { signal }) => {
      signals.push(signal);
      return signals.length === 1 ? new Promise(() => undefined) : undefined;
    });
    const start = performance.now();
    expect((await pay('sale-1')).status).toBe(500);
    expect(performance.now() - start).toBeGreaterThanOrEqual(CALLBACK_TIMEOUT_MS - 5);
    expect(signals[0]?.aborted).toBe(true);
    expect((await pay('sale-1')).status).toBe(503);
    expect(reports.map(({ code }) => code)).toEqual(['callback_timeout', 'busy']);
    await sleep(LEASE_MS);
    expect((await pay('sale-1')).status).toBe(200);
    expect((await pay('sale-1')).status).toBe(200);
    expect(acted).toHaveLength(2);
  });

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
