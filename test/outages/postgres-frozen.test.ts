import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PostgresStore } from '../../src/stores';
import { beginTransaction } from '../../src/stores/postgres/sql';
import { findPostgresPrograms, startOwnPostgres } from '../helpers/postgres-server';

const programs = findPostgresPrograms();

/** The handler's defaults. */
const LEASE_MS = 40_000;
const STORE_TIMEOUT_MS = 5_000;

describe.skipIf(programs === undefined)(
  'A PostgreSQL that freezes for longer than the timeout of the store',
  () => {
    it('carries out the abandoned claims when it thaws, and then lets a new delivery claim the subject', async () => {
      const server = await startOwnPostgres(programs as string);
      const pool = new pg.Pool({ ...server.config, max: 3, connectionTimeoutMillis: STORE_TIMEOUT_MS });
      pool.on('error', () => undefined);
      onTestFinished(() => pool.end());
      const store = new PostgresStore(pool, { stepTimeoutMs: STORE_TIMEOUT_MS });
      await store.createTable();
      // Connect first, as in a listener that has been running.
      expect(await store.claim('payment:0', 'PAID', LEASE_MS)).toMatchObject({ status: 'claimed' });

      server.freeze();
      const error = await store.claim('payment:1', 'PAID', LEASE_MS).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'store_failed' });
      await sleep(5_000);
      server.thaw();
      const thawedAt = performance.now();

      await expect
        .poll(async () => (await store.claim('payment:1', 'PAID', LEASE_MS).catch(() => undefined))?.status, {
          timeout: 20_000,
          interval: 250,
        })
        .toBe('claimed');
      console.log(`claimed ${Math.round(performance.now() - thawedAt)} ms after the server went on`);
    }, 60_000);
  },
);

describe.skipIf(programs === undefined)('A listener that stops while PostgreSQL sends rows to it', () => {
  it('loses its transaction, and with it its locks, by the timeout for rows that it does not read', async () => {
    const server = await startOwnPostgres(programs as string);
    const stopped = new pg.Client(server.config);
    const watcher = new pg.Client(server.config);
    stopped.on('error', () => undefined);
    await Promise.all([stopped.connect(), watcher.connect()]);
    onTestFinished(async () => {
      await watcher.end();
      await stopped.end();
    });
    await stopped.query(beginTransaction(60_000, 3_000));
    const { rows } = await stopped.query('SELECT pg_try_advisory_xact_lock(1), pg_backend_pid() AS pid');
    const { pid } = rows[0];
    // Acts as a stopped process: the kernel keeps the connection, and accepts no more data when its buffers are full.
    const { stream } = (stopped as unknown as { connection: { stream: { pause(): void } } }).connection;
    stream.pause();
    void stopped.query("SELECT repeat('x', 100000) FROM generate_series(1, 1000)").catch(() => undefined);

    const locks = async () =>
      (await watcher.query("SELECT FROM pg_locks WHERE locktype = 'advisory'")).rowCount;
    const waitsFor = async () =>
      (await watcher.query('SELECT wait_event FROM pg_stat_activity WHERE pid = $1', [pid])).rows[0]
        ?.wait_event;
    await expect.poll(waitsFor, { timeout: 10_000 }).toBe('ClientWrite');
    expect(await locks()).toBe(1);
    await expect.poll(locks, { timeout: 20_000, interval: 200 }).toBe(0);
  }, 60_000);
});
