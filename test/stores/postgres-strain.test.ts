import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StoreError } from '../../src/errors';
import {
  type PostgresPool,
  type PostgresResult,
  PostgresStore,
  type PostgresStoreOptions,
  type PostgresTransaction,
} from '../../src/stores';
import { Slots } from '../../src/stores/postgres/slots';
import { postgresStatements } from '../../src/stores/postgres/sql';
import { transact } from '../../src/stores/postgres/transact';
import { findPostgres, postgresConfig } from '../helpers/postgres';

const found = await findPostgres();
const run = randomUUID().slice(0, 8);
const table = `strain_${run}`;
const writes = `strain_writes_${run}`;
const role = `strain_role_${run}`;

describe.skipIf(!found)('PostgreSQL under strain: PostgresStore with transactional: true', () => {
  const pool = new pg.Pool({ ...postgresConfig, max: 10 });
  const others = new pg.Pool({ ...postgresConfig, max: 5 });
  const open = (on: PostgresPool, options: Omit<PostgresStoreOptions, 'transactional'> = {}) =>
    new PostgresStore(on, { table, ...options, transactional: true });

  beforeAll(async () => {
    await open(pool).createTable();
    await pool.query(`CREATE TABLE ${writes} (subject text)`);
    await pool.query(`CREATE ROLE ${role}`);
    await pool.query(`GRANT INSERT ON ${writes} TO ${role}`);
  });
  afterAll(async () => {
    await pool.query(`DROP TABLE IF EXISTS ${table}, ${table}_parked, ${writes}`);
    await pool.query(`DROP ROLE IF EXISTS ${role}`);
    await pool.end();
    await others.end();
  });

  const newRequest = (timeoutMs = 10_000) => ({
    subject: `payment:${randomUUID()}`,
    state: 'PAID',
    retentionMs: 60_000,
    timeoutMs,
  });
  const write = (transaction: PostgresTransaction, subject: string) =>
    transaction.query(`INSERT INTO ${writes} VALUES ($1)`, [subject]);

  async function effects(subject: string): Promise<number> {
    return (await others.query(`SELECT FROM ${writes} WHERE subject = $1`, [subject])).rowCount ?? 0;
  }

  describe('a callback that takes longer than timeoutMs', () => {
    const holding = (holdMs: number, stepTimeoutMs = 2_000) => {
      const sql = postgresStatements(table, undefined);
      const settings = { pool, slots: new Slots(5), sql, stepTimeoutMs, holdMs };
      return (request: ReturnType<typeof newRequest>, work: Parameters<typeof transact>[2]) =>
        transact(settings, request, work);
    };

    it('is abandoned at once, and keeps its subject until it has ended', async () => {
      const request = newRequest(100);
      let end: () => void = () => undefined;
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      const late = holding(60_000)(request, async (transaction) => {
        await write(transaction, request.subject);
        await ended;
      });
      await expect(late).rejects.toMatchObject({ message: expect.stringContaining('longer than 100 ms') });

      const next = { ...request, state: 'CANCELLED' };
      for (let attempt = 0; attempt < 5; attempt += 1) {
        expect(await open(others).transact(next, neverRun)).toEqual({ status: 'busy' });
        await sleep(50);
      }
      end();
      await expect
        .poll(async () => (await open(others).transact(next, async () => undefined)).status)
        .toBe('completed');
      expect(await effects(request.subject)).toBe(0);
      // The next callback runs, so the abandoned one left no done state behind.
      expect(await open(others).transact(request, async () => undefined)).toEqual({ status: 'completed' });
      await expect.poll(() => pool.idleCount === pool.totalCount).toBe(true);
    });

    it('keeps its subject no longer than a lease would have lasted', async () => {
      const request = newRequest(100);
      let wake: () => void = () => undefined;
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      let late: unknown;
      // The server’s own limit, which is the sum of all three, would come later.
      const hanging = holding(1_000, 20_000)(request, async (transaction) => {
        await write(transaction, request.subject);
        await woken;
        late = await write(transaction, request.subject).catch((error: unknown) => error);
      });
      await expect(hanging).rejects.toBeInstanceOf(StoreError);
      expect(await open(others).transact(request, neverRun)).toEqual({ status: 'busy' });
      await expect
        .poll(async () => (await open(others).transact(request, async () => undefined)).status, {
          timeout: 10_000,
        })
        .toBe('completed');
      wake();
      await expect.poll(() => late, { timeout: 10_000 }).toBeInstanceOf(StoreError);
      expect(await effects(request.subject)).toBe(0);
    });

    it('is limited by the server to the same time: timeoutMs, 15 s and stepTimeoutMs', async () => {
      const settings = await settingsIn(open(pool, { stepTimeoutMs: 3_000 }), newRequest(20_000));
      expect(settings).toEqual({
        statement: '23s',
        idle: '38s',
        unread: expect.stringMatching(/^(38000|0)$/),
      });
    });

    it('frees its slot only when it has ended', async () => {
      const request = newRequest(50);
      const small = open(pool, { maxTransactions: 1, stepTimeoutMs: 1_000 });
      let end: () => void = () => undefined;
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      await small.transact(request, () => ended).catch(() => undefined);
      await expect(small.transact(newRequest(), neverRun)).rejects.toMatchObject({
        message: expect.stringContaining('1 transactions were open for 1000 ms'),
      });
      end();
      await expect
        .poll(() => small.transact(newRequest(), async () => undefined).catch(() => undefined))
        .toEqual({ status: 'completed' });
    });
  });

  async function settingsIn(store: ReturnType<typeof open>, request: ReturnType<typeof newRequest>) {
    let settings: unknown;
    await store.transact(request, async (transaction) => {
      const { rows } = await transaction.query(
        `SELECT current_setting('statement_timeout') AS statement,
           current_setting('idle_in_transaction_session_timeout') AS idle,
           current_setting('tcp_user_timeout', true) AS unread`,
      );
      settings = rows[0];
    });
    return settings;
  }

  it.each([
    ['300ms', '300ms'],
    ['5s', '5s'],
    ['1min', '15s'],
    ['0', '15s'],
  ])(
    'a statement_timeout of %s becomes %s, because it is lowered and never raised',
    async (own, expected) => {
      const connected = new pg.Pool({ ...postgresConfig, options: `-c statement_timeout=${own}`, max: 1 });
      const settings = await settingsIn(open(connected), newRequest());
      await connected.end();
      expect(settings).toMatchObject({ statement: expected });
    },
  );

  it.each([
    ['500ms', '500ms'],
    ['1h', '30s'],
    ['0', '30s'],
  ])('an idle_in_transaction_session_timeout of %s becomes %s', async (own, expected) => {
    const options = `-c idle_in_transaction_session_timeout=${own}`;
    const connected = new pg.Pool({ ...postgresConfig, options, max: 1 });
    const settings = await settingsIn(open(connected), newRequest());
    await connected.end();
    expect(settings).toMatchObject({ idle: expected });
  });

  it('leaves the settings of its connection as they were', async () => {
    const own = 'synchronous_commit=local statement_timeout=1min idle_in_transaction_session_timeout=1h';
    const options = own
      .split(' ')
      .map((setting) => `-c ${setting}`)
      .join(' ');
    const connected = new pg.Pool({ ...postgresConfig, options, max: 1 });
    const settings = async () => {
      const names = [
        'synchronous_commit',
        'statement_timeout',
        'idle_in_transaction_session_timeout',
        'role',
      ];
      const shown = names.map((name) => `current_setting('${name}')`).join(", ' ', ");
      return (await connected.query(`SELECT concat(${shown}) AS settings`)).rows[0];
    };
    const store = open(connected);
    await store.transact(newRequest(), async () => undefined);
    expect(await settings()).toEqual({ settings: 'local 1min 1h none' });
    await store.transact(newRequest(), async (t) => void (await t.query(`SET LOCAL ROLE ${role}`)));
    await expect(store.transact(newRequest(), neverRun)).rejects.toBeInstanceOf(Error);
    expect(await settings()).toEqual({ settings: 'local 1min 1h none' });
    await connected.end();
  });

  it('completes a burst of 40 callbacks that also query the pool of 10', async () => {
    const store = open(pool, { stepTimeoutMs: 10_000 });
    const results = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const request = newRequest();
        const { status } = await store.transact(request, async (transaction) => {
          await write(transaction, request.subject);
          await pool.query('SELECT pg_sleep(0.02)');
        });
        return { status, effects: await effects(request.subject) };
      }),
    );
    expect(results).toEqual(Array(40).fill({ status: 'completed', effects: 1 }));
  });

  it('records a notification whose callback set another search_path', async () => {
    const request = newRequest();
    const result = await open(pool).transact(request, async (transaction) => {
      await write(transaction, request.subject);
      await transaction.query('SET LOCAL search_path = pg_temp');
    });
    expect(result).toEqual({ status: 'completed' });
    expect(await open(pool).transact(request, neverRun)).toEqual({ status: 'done' });
  });

  it.each([
    ['SET LOCAL ROLE', (transaction: PostgresTransaction) => transaction.query(`SET LOCAL ROLE ${role}`)],
    [
      'set_config',
      (transaction: PostgresTransaction) => transaction.query("SELECT set_config('role', $1, true)", [role]),
    ],
  ])(
    'records a notification whose callback took a role without rights on the table, by %s',
    async (_, take) => {
      const request = newRequest();
      const result = await open(pool).transact(request, async (transaction) => {
        await take(transaction);
        await write(transaction, request.subject);
        const { rows } = await transaction.query('SELECT current_user::text AS me');
        expect(rows).toEqual([{ me: role }]);
      });
      expect(result).toEqual({ status: 'completed' });
      expect(await effects(request.subject)).toBe(1);
      expect(await open(pool).transact(request, neverRun)).toEqual({ status: 'done' });
    },
  );

  it('takes a statement as an object, like pg', async () => {
    const request = newRequest();
    let rows: unknown;
    await open(pool).transact(request, async (transaction) => {
      await transaction.query({ text: `INSERT INTO ${writes} VALUES ($1)`, values: [request.subject] });
      const statement = {
        text: `SELECT subject FROM ${writes} WHERE subject = $1`,
        values: [request.subject],
      };
      ({ rows } = await transaction.query({ ...statement, rowMode: 'array', name: `named ${run}` }));
    });
    expect(rows).toEqual([[request.subject]]);
    expect(await effects(request.subject)).toBe(1);
  });

  it.each([false, true])(
    'keeps for the next step a connection that was ready too late for its own, with transactional: %s',
    async (transactional) => {
      const connectingMs = 500;
      let connections = 0;
      class SlowClient extends pg.Client {
        constructor(config?: string | pg.ClientConfig) {
          super(config);
          connections += 1;
          const connect = this.connect.bind(this);
          Object.assign(this, {
            connect: (done: Parameters<typeof connect>[0]) => setTimeout(connect, connectingMs, done),
          });
        }
      }
      const slow = new pg.Pool({
        ...postgresConfig,
        max: 2,
        connectionTimeoutMillis: 10_000,
        Client: SlowClient,
      });
      const options = { table, stepTimeoutMs: connectingMs / 2 };
      const step = (subject: string) =>
        transactional
          ? new PostgresStore(slow, { ...options, transactional: true }).transact(
              { ...newRequest(), subject },
              async () => undefined,
            )
          : new PostgresStore(slow, options).claim(subject, 'PAID', 60_000);
      try {
        await expect(step('payment:late')).rejects.toBeInstanceOf(StoreError);
        await expect
          .poll(async () => (await step(`payment:${randomUUID()}`).catch(() => undefined))?.status, {
            timeout: 10_000,
          })
          .toMatch(/^(claimed|completed)$/);
        expect(connections).toBeLessThanOrEqual(2);
      } finally {
        await slow.end();
      }
    },
  );

  it('gives a claim that waited for its record the whole lease', async () => {
    const store = new PostgresStore(others, { table });
    const subject = `payment:${randomUUID()}`;
    const first = await store.claim(subject, 'PAID', 60_000);
    if (first.status !== 'claimed') throw new Error('not claimed');
    await store.release(first);
    const user = await pool.connect();
    await user.query('BEGIN');
    await user.query(`SELECT FROM ${table} WHERE subject = $1 FOR UPDATE`, [subject]);
    const waiting = store.claim(subject, 'PAID', 1_500);
    await sleep(1_500);
    await user.query('ROLLBACK');
    user.release();
    expect(await waiting).toMatchObject({ status: 'claimed' });
    expect(await store.claim(subject, 'PAID', 1_500)).toEqual({ status: 'busy' });
  });

  it('deletes expired records without waiting for records in use', async () => {
    const store = open(others, { table: `${table}_x`, stepTimeoutMs: 2_000 });
    await store.createTable();
    await store.claim('payment:1', 'PAID', 1);
    await store.claim('payment:2', 'PAID', 1);
    await sleep(50);
    const user = await pool.connect();
    await user.query('BEGIN');
    await user.query(`SELECT FROM ${table}_x WHERE subject = 'payment:1' FOR UPDATE`);
    try {
      expect(await store.deleteExpired()).toBe(1);
    } finally {
      await user.query('ROLLBACK');
      user.release();
    }
    expect(await store.deleteExpired()).toBe(1);
    await others.query(`DROP TABLE ${table}_x, ${table}_x_parked`);
  });

  it.each<[string, () => Partial<PostgresResult>]>([
    ['was answered as something else', () => ({ command: 'SELECT' })],
    [
      'failed',
      () => {
        throw new StoreError('injected');
      },
    ],
  ])('closes a connection whose ROLLBACK %s', async (_, answer) => {
    const released: unknown[] = [];
    const cheating: PostgresPool = {
      totalCount: 1,
      query: (text, values) => pool.query(text, values),
      connect: (give) =>
        pool.connect((error, client) => {
          if (client === undefined) return give(error, undefined);
          give(undefined, {
            query: async (query, values) => {
              const reply = await client.query(query as string, values);
              return query === 'ROLLBACK' ? { ...reply, ...answer() } : reply;
            },
            release: (broken) => {
              released.push(broken);
              client.release(broken);
            },
            on: (event, listener) => client.on(event, listener),
            removeListener: (event, listener) => client.removeListener(event, listener),
          });
        }),
    };
    const failing = open(cheating).transact(newRequest(), async () => {
      throw new Error('out of stock');
    });
    await expect(failing).rejects.toMatchObject({ message: 'out of stock' });
    expect(released).toEqual([expect.any(StoreError)]);
  });
});

async function neverRun(): Promise<void> {
  throw new Error('must not run');
}
