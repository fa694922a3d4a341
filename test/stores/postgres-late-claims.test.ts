import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { StoreError } from '../../src/errors';
import { type PostgresQueryable, PostgresStore } from '../../src/stores';
import { findPostgres, postgresConfig } from '../helpers/postgres';

const found = await findPostgres();
const table = `late_${randomUUID().slice(0, 8)}`;

/** The lease of the handler’s default options. */
const LEASE_MS = 40_000;
const STEP_MS = 200;

describe.skipIf(!found)('PostgreSQL: a claim that the store has given up', () => {
  const pool = new pg.Pool({ ...postgresConfig, max: 3 });
  const others = new pg.Pool({ ...postgresConfig, max: 2 });
  const store = new PostgresStore(pool, { table, stepTimeoutMs: STEP_MS });
  const other = new PostgresStore(others, { table });

  beforeAll(() => other.createTable());
  afterAll(async () => {
    await others.query(`DROP TABLE IF EXISTS ${table}, ${table}_parked`);
    await pool.end();
    await others.end();
  });

  /** Keeps all statements on the table waiting in the server, also those whose client is gone. */
  async function stallTable(): Promise<() => Promise<void>> {
    const holder = await others.connect();
    await holder.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    return async () => {
      await holder.query('ROLLBACK');
      holder.release();
    };
  }

  async function waitingStatements(): Promise<number> {
    const { rows } = await others.query<{ waiting: number }>(
      `SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND position($1 in query) > 0`,
      [table],
    );
    return rows[0]?.waiting ?? 0;
  }

  it('is carried out late by the server, and released a moment later', async () => {
    const subject = `payment:${randomUUID()}`;
    const goOn = await stallTable();
    const error = await store.claim(subject, 'PAID', LEASE_MS).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StoreError);
    await expect.poll(waitingStatements).toBeGreaterThan(0);
    await goOn();

    // The claim has the lease now, or had it for a moment.
    await expect.poll(async () => (await fenceOf(subject)) !== undefined).toBe(true);
    await expect
      .poll(async () => (await other.claim(subject, 'PAID', LEASE_MS)).status, {
        timeout: 10_000,
        interval: 100,
      })
      .toBe('claimed');
  });

  it('is released alone: a claim that another process made meanwhile keeps its lease', async () => {
    const subject = `payment:${randomUUID()}`;
    const goOn = await stallTable();
    await store.claim(subject, 'PAID', 1).catch(() => undefined);
    await goOn();
    await expect
      .poll(async () => (await other.claim(subject, 'PAID', LEASE_MS)).status, {
        timeout: 10_000,
        interval: 20,
      })
      .toBe('claimed');
    await sleep(2_500);
    expect(await other.claim(subject, 'PAID', LEASE_MS)).toEqual({ status: 'busy' });
  });

  it('loses its connection, so that the pool serves others', async () => {
    const goOn = await stallTable();
    const given = Array.from({ length: 3 }, () => store.claim(`payment:${randomUUID()}`, 'PAID', LEASE_MS));
    expect((await Promise.allSettled(given)).map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
    // The pool’s three former connections are still busy in the server.
    const { rows } = await pool.query('SELECT 1 AS one');
    expect(rows).toEqual([{ one: 1 }]);
    await goOn();
  });

  async function fenceOf(subject: string): Promise<unknown> {
    const { rows } = await others.query(`SELECT fence FROM ${table} WHERE subject = $1`, [subject]);
    return rows[0];
  }
});

describe('PostgresStore releases in the background', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** A database with a scripted answer to a claim. It keeps what it is asked to release. */
  function databaseWith(claim: () => Promise<{ rows: unknown[] }>) {
    const releases: (readonly string[])[] = [];
    let release = async (_: readonly string[]): Promise<{ rows: unknown[] }> => ({ rows: [] });
    const database: PostgresQueryable = {
      query: async (text, values = []) => {
        if (text.includes('WITH claimed')) return claim();
        const tokens = values[1] as readonly string[];
        releases.push(tokens);
        return release(tokens);
      },
    };
    return {
      database,
      releases,
      answerWith: (answer: typeof release) => {
        release = answer;
      },
    };
  }
  const lost = () => Promise.reject(new Error('Connection terminated unexpectedly'));

  it.each<[string, () => Promise<{ rows: unknown[] }>]>([
    ['whose connection was lost', lost],
    ['whose reply cannot be read', async () => ({ rows: ['garbled'] })],
    [
      'whose server was shut down meanwhile',
      () => Promise.reject(Object.assign(new Error('terminating connection'), { code: '57P01' })),
    ],
    [
      'whose connection was reset',
      () => Promise.reject(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
    ],
    [
      'whose host was not found: an SQLSTATE could look like the last five letters of ENOTFOUND',
      () => Promise.reject(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })),
    ],
    [
      'whose code only begins like an SQLSTATE',
      () => Promise.reject(Object.assign(new Error('injected'), { code: 'FETCH_FAILED' })),
    ],
    ['whose code is a number', () => Promise.reject(Object.assign(new Error('injected'), { code: 42_501 }))],
    ['that was rejected with undefined', () => Promise.reject(undefined)],
    ['that was rejected with null', () => Promise.reject(null)],
    ['that was rejected with a text', () => Promise.reject('gone')],
  ])('a claim %s, once', async (_, claim) => {
    const { database, releases, answerWith } = databaseWith(claim);
    answerWith(async (tokens) => ({ rows: tokens.map((token) => ({ token })) }));
    const reason = await claim().catch((error: unknown) => error);
    const step = new PostgresStore(database).claim('payment:1', 'PAID', LEASE_MS);
    // The client’s error, or the store’s own for a reply that it cannot read.
    await (isReply(reason)
      ? expect(step).rejects.toBeInstanceOf(StoreError)
      : expect(step).rejects.toEqual(reason));
    expect(releases).toEqual([]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(releases).toEqual([[expect.stringMatching(/^[\da-f-]{36}$/)]]);
  });

  const isReply = (value: unknown) => typeof value === 'object' && value !== null && 'rows' in value;

  it('without keeping the process alive', async () => {
    const { database } = databaseWith(lost);
    const timers = vi.spyOn(globalThis, 'setTimeout');
    await new PostgresStore(database).claim('payment:1', 'PAID', LEASE_MS).catch(() => undefined);
    // The claim’s own timer is over.
    expect(vi.getTimerCount()).toBe(1);
    expect(timers.mock.results.at(-1)?.value.hasRef()).toBe(false);
    timers.mockRestore();
  });

  it.each([{}, 5])('on runtimes whose timers are %j and keep no process alive', async (timer) => {
    vi.useRealTimers();
    const { database } = databaseWith(lost);
    const timers = vi.spyOn(globalThis, 'setTimeout').mockReturnValue(timer as never);
    const claim = new PostgresStore(database).claim('payment:1', 'PAID', LEASE_MS);
    await expect(claim).rejects.toThrow('Connection terminated unexpectedly');
    timers.mockRestore();
  });

  it('no claim that the server refused', async () => {
    const { database, releases } = databaseWith(() =>
      Promise.reject(Object.assign(new Error('relation "x" does not exist'), { code: '42P01' })),
    );
    await expect(new PostgresStore(database).claim('payment:1', 'PAID', LEASE_MS)).rejects.toMatchObject({
      code: '42P01',
    });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(releases).toEqual([]);
  });

  it('a claim by one try every second for five minutes, even while the server fails, and then stops', async () => {
    const { database, releases, answerWith } = databaseWith(lost);
    answerWith(() => Promise.reject(new Error('connect ECONNREFUSED')));
    await expect(new PostgresStore(database).claim('payment:1', 'PAID', LEASE_MS)).rejects.toBeInstanceOf(
      Error,
    );
    await vi.advanceTimersByTimeAsync(299_500);
    expect(releases).toHaveLength(299);
    await vi.advanceTimersByTimeAsync(300_000);
    expect(releases).toHaveLength(299);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('all claims together, with one statement at a time', async () => {
    const { database, releases, answerWith } = databaseWith(lost);
    const store = new PostgresStore(database);
    let answer: (reply: { rows: unknown[] }) => void = () => undefined;
    answerWith(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    const claim = () => store.claim('payment:1', 'PAID', LEASE_MS).catch(() => undefined);
    await Promise.all([claim(), claim()]);
    await vi.advanceTimersByTimeAsync(4_000);
    await claim();
    expect(releases.map((tokens) => tokens.length)).toEqual([2]);
    answer({ rows: [{ token: releases[0]?.[0] }] });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(releases.map((tokens) => tokens.length)).toEqual([2, 2]);
    expect(releases[1]).toContain(releases[0]?.[1]);
  });

  it('at most the 1000 newest claims', async () => {
    const { database, releases } = databaseWith(lost);
    const store = new PostgresStore(database);
    for (let index = 0; index < 1_001; index += 1) {
      await store.claim(`payment:${index}`, 'PAID', LEASE_MS).catch(() => undefined);
    }
    await vi.advanceTimersByTimeAsync(1_000);
    expect(releases.map((tokens) => tokens.length)).toEqual([1_000]);
  });
});
