import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { StoreError } from '../../src/errors';
import { PostgresStore, type PostgresStoreOptions, type PostgresTransaction } from '../../src/stores';
import type {
  PostgresPool,
  PostgresPoolClient,
  PostgresResult,
  SentStatement,
} from '../../src/stores/postgres-pool';
import { notificationRequest } from '../../src/testing';
import { createWebhookHandler } from '../../src/webhooks';
import { deferred } from '../helpers/deferred';
import { freezeProcess } from '../helpers/frozen';
import { findPostgres, postgresConfig } from '../helpers/postgres';
import { withSteps } from '../helpers/store-of';
import { claimed, tryClaim } from './claims';

const credentials = { apiKey: 'your-api-key', apiToken: 'your-api-token' };
const found = await findPostgres();
const run = randomUUID().slice(0, 8);
const table = `transactional ${run}`;
const writes = `writes_${run}`;

describe.skipIf(!found)('PostgreSQL: PostgresStore with transactional: true', () => {
  const pool = new pg.Pool({ ...postgresConfig, max: 10 });
  const open = (on: PostgresPool, options: Omit<PostgresStoreOptions, 'transactional'> = {}) =>
    withSteps(new PostgresStore(on, { table, ...options, transactional: true }));
  const store = open(pool);
  type Callback = Parameters<typeof store.transact>[1];
  let subject: string;

  const unhandled: unknown[] = [];
  const keep = (reason: unknown) => unhandled.push(reason);
  beforeAll(async () => {
    process.on('unhandledRejection', keep);
    await store.createTable();
    await pool.query(
      `CREATE TABLE ${writes} (subject text CHECK (subject <> 'refused') UNIQUE DEFERRABLE INITIALLY DEFERRED)`,
    );
  });
  beforeEach(() => {
    subject = `reversal:${randomUUID()}`;
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    expect(unhandled.splice(0)).toEqual([]);
    await expectPoolIntact();
  });
  afterAll(async () => {
    process.off('unhandledRejection', keep);
    await pool.query(`DROP TABLE IF EXISTS ${writes}, ${pg.escapeIdentifier(table)}`);
    await pool.end();
  });

  const request = (state = 'PAID', timeoutMs = 10_000) => ({
    subject,
    state,
    retentionMs: 60_000,
    timeoutMs,
  });
  const write = async (transaction: PostgresTransaction, what = subject) => {
    await transaction.query(`INSERT INTO ${writes} VALUES ($1)`, [what]);
  };
  /** A callback that writes a row, then does this. */
  const writing =
    (then: (transaction: PostgresTransaction) => unknown = () => undefined): Callback =>
    async (transaction) => {
      await write(transaction);
      await then(transaction);
    };
  const doNothing: Callback = async () => undefined;
  const deleteRecord = (on: Pick<PostgresTransaction, 'query'>) =>
    on.query(`DELETE FROM ${pg.escapeIdentifier(table)} WHERE id = $1`, [`default/seen:${subject}`]);

  /** A pool of its own, for this test. */
  function poolOf(config: pg.PoolConfig): pg.Pool {
    const own = new pg.Pool({ ...postgresConfig, ...config });
    onTestFinished(() => own.end());
    return own;
  }

  /** How often the callback’s write is in the database. */
  async function effects(): Promise<number> {
    const { rowCount } = await pool.query(`SELECT FROM ${writes} WHERE subject LIKE $1`, [`${subject}%`]);
    return rowCount ?? 0;
  }

  const COMMITTED = 'completed: 1 row; next: done, 1 row';
  /** What a delivery comes to that leaves nothing, so that the next one completes. */
  const undone = (why: string) => `${why}: 0 rows; next: completed, 1 row`;
  /** Why a transaction is undone whose statements have ended or failed it. */
  const notCommitted = (cause: string) =>
    `The callback returned, but its transaction cannot be committed (${cause})`;
  const UNDONE = /.: 0 rows; next: completed, 1 row$/;

  /** What a delivery comes to, and the next one of the same notification, which writes a row of its own. */
  async function outcome(callback: Callback, on = store, timeoutMs?: number): Promise<string> {
    const first = await on.transact(request('PAID', timeoutMs), callback).then(({ status }) => status, why);
    const rows = await effects();
    // The server may still be ending a connection that was given up.
    const deliverNext = async () => {
      const { status } = await store.transact(request(), (to) => write(to, `${subject} next`));
      if (status === 'busy') throw new Error('still busy');
      return status;
    };
    const next = await vi.waitFor(deliverNext, { timeout: 10_000 });
    return `${first}: ${rows} rows; next: ${next}, ${await effects()} rows`.replaceAll(/\b1 rows/g, '1 row');
  }

  /** Expects that all connections of the pool are usable: none lost, broken, or in a transaction. */
  async function expectPoolIntact(): Promise<void> {
    await expect.poll(() => pool.idleCount === pool.totalCount).toBe(true);
    const clients = await Promise.all(Array.from({ length: 10 }, () => pool.connect()));
    const usable = clients.map(async (client) => {
      // In a transaction that was left open, `now()` would be earlier than the start of this statement.
      const { rows } = await client.query<{ alone: boolean; settings: string }>(
        `SELECT now() = statement_timestamp() AS alone, concat_ws(' ', current_setting('statement_timeout'),
          current_setting('idle_in_transaction_session_timeout'), current_setting('synchronous_commit'),
          current_setting('role')) AS settings`,
      );
      return { ...rows[0], listeners: client.listenerCount('error') };
    });
    const found = await Promise.all(usable).finally(() => {
      for (const client of clients) client.release();
    });
    expect(found).toEqual(Array(10).fill({ alone: true, settings: '0 0 on none', listeners: 0 }));
  }

  describe('the transaction', () => {
    it('commits the writes together with the record', async () => {
      const result = await store.transact(request(), async (transaction, claim) => {
        expect(claim).toMatchObject({ subject, state: 'PAID', handledStates: [] });
        await write(transaction);
        expect(await effects()).toBe(0);
      });
      expect(result).toEqual({ status: 'completed' });
      expect(await effects()).toBe(1);
      expect(await tryClaim(store, subject)).toBe('done PAID');
      expect(await store.transact(request(), neverRun)).toMatchObject({ status: 'done' });
    });

    it('gives what pg gives: command, fields, rows as lists, and the rest', async () => {
      await store.transact(request(), async (transaction) => {
        const inserted = await transaction.query(`INSERT INTO ${writes} VALUES ($1)`, [subject]);
        expect(inserted).toMatchObject({ command: 'INSERT', rowCount: 1, rows: [] });
        const text = `SELECT subject FROM ${writes} WHERE subject = $1`;
        const statement = { text, values: [subject], rowMode: 'array', name: `n ${run}` } as const;
        const selected = await transaction.query(statement);
        expect(selected.rows).toEqual([[subject]]);
        expect(selected).toMatchObject({ command: 'SELECT', fields: [{ name: 'subject' }] });
      });
    });

    it('takes 8 statements for a new notification, 7 for a new state, and 1 for a duplicate', async () => {
      const sent = statementsSent();
      const counts: number[] = [];
      for (const state of ['PENDING', 'PAID', 'PAID']) {
        const before = sent().length;
        await store.transact(request(state), doNothing);
        counts.push(sent().length - before);
      }
      expect(counts).toEqual([8, 7, 1]);
    });

    it('runs one of 100 simultaneous callbacks with a pool of 10; the rest are busy without waiting', async () => {
      let others = 0;
      // Beside the rest of the tests, a hundred of them take seconds.
      const patient = { ...request('PAID', 30_000), storeTimeoutMs: 30_000 };
      const results = await Promise.all(
        Array.from({ length: 100 }, async () => {
          const { status } = await store.transact(patient, async (transaction) => {
            await write(transaction);
            // Ends only after all the others have their answer: if one of them had waited, this would never end.
            await expect.poll(() => others, { timeout: 25_000 }).toBe(99);
          });
          if (status === 'busy') others += 1;
          return status;
        }),
      );
      expect(results.filter((status) => status === 'completed')).toHaveLength(1);
      expect(await effects()).toBe(1);
    }, 40_000);

    it('is busy without waiting where another has made the record and acts in it', async () => {
      const begun = deferred();
      const answered = deferred();
      const query = async (text: string, values: unknown[]) => {
        if (text.startsWith('INSERT')) await begun.promise;
        return pool.query(text, values);
      };
      const overtaken = open(Object.assign(Object.create(pool), { query })).transact(request(), neverRun);
      const first = store.transact(request(), async () => {
        begun.resolve();
        await answered.promise;
      });
      expect(await Promise.race([overtaken, first])).toEqual({ status: 'busy' });
      answered.resolve();
      expect(await first).toEqual({ status: 'completed' });
    });

    it('finds a state done while a callback is at work on another state', async () => {
      await store.transact(request('PENDING'), doNothing);
      await store.transact(request('PAID'), async (_, { fence, handledStates }) => {
        expect(handledStates).toEqual(['PENDING']);
        expect(fence).toBeGreaterThan(1.6e12);
        expect(await store.transact(request('PENDING'), neverRun)).toMatchObject({ status: 'done' });
        expect(await store.transact(request('CANCELLED'), neverRun)).toEqual({ status: 'busy' });
      });
    });

    it('is busy while the plain mode has the lease', async () => {
      const claim = await claimed(store, subject);
      expect(await store.transact(request(), neverRun)).toEqual({ status: 'busy' });
      await store.release(claim);
      expect(await store.transact(request(), doNothing)).toEqual({ status: 'completed' });
    });

    it('makes the record again where it was deleted before the transaction began', async () => {
      await store.transact(request('PENDING'), doNothing);
      const prepare = async () => void (await deleteRecord(pool));
      expect(await store.transact({ ...request(), prepare }, writing())).toEqual({ status: 'completed' });
      expect(await effects()).toBe(1);
    });

    it('prepares once, when its record is there and before the transaction, and never for what is done', async () => {
      const sent = statementsSent();
      const prepare = vi.fn(async () =>
        expect(sent()).toEqual([expect.stringContaining('SELECT record'), expect.stringContaining('INSERT')]),
      );
      await store.transact({ ...request(), prepare }, doNothing);
      await store.transact({ ...request(), prepare }, neverRun);
      expect(prepare).toHaveBeenCalledOnce();

      const error = new Error('not confirmed');
      const refusing = { ...request('CANCELLED'), prepare: () => Promise.reject(error) };
      await expect(store.transact(refusing, neverRun)).rejects.toBe(error);
      expect(await store.transact(request('CANCELLED'), doNothing)).toEqual({ status: 'completed' });
    });
  });

  it.each<[string, string, Callback]>([
    ['throws', undone('out of stock'), writing(() => Promise.reject(new Error('out of stock')))],
    [
      'caught an SQL error',
      undone(notCommitted('25P02')),
      writing((transaction) => write(transaction, 'refused').catch(ignored)),
    ],
    [
      'undid an SQL error by a savepoint',
      COMMITTED,
      writing(async (transaction) => {
        await transaction.query('SAVEPOINT attempt');
        await write(transaction, 'refused').catch(ignored);
        await transaction.query('ROLLBACK TO SAVEPOINT attempt');
      }),
    ],
    [
      'wrote what fails at the commit itself',
      undone('duplicate key value violates unique constraint'),
      writing((transaction) => write(transaction)),
    ],
    [
      'changed the record',
      undone('The record of the notification was changed while its callback held it'),
      writing(deleteRecord),
    ],
  ])('a callback that %s: %s', async (_, expected, callback) => {
    expect(await outcome(callback)).toBe(expected);
  });

  it('never takes the command tag ROLLBACK for a commit', async () => {
    const cheated = intercepted((query, send) =>
      send(query.text === 'COMMIT' ? { text: 'ROLLBACK' } : query),
    );
    expect(await outcome(writing(), cheated)).toBe(undone('COMMIT was answered with ROLLBACK'));
  });

  describe('a statement of a callback', () => {
    const ENDED = 'The callback returned, but its transaction cannot be committed';
    // It has happened before it is noticed, so that what was written stays, and the record with it.
    const STAYS = `${ENDED}: 1 row; next: done, 1 row`;
    const FAILED = undone(notCommitted('25P02'));

    // Not a PREPARE TRANSACTION that succeeds: where a server allows it, the subject stays busy with it.
    const refused = ['SELECT 1; COMMIT', 'SELECT 1; COMMIT; BEGIN', 'DO $$ BEGIN ROLLBACK; END $$'];
    it.each(
      [
        [STAYS, 'COMMIT', ';COMMIT', 'end', '/* a /* b */ */ COMMIT AND CHAIN'],
        [undone(ENDED), 'ROLLBACK', 'abort', 'rollback work', "PREPARE/**/TRANSACTION 'x'"],
        [FAILED, ...refused, 'DO $$ BEGIN COMMIT; END $$'],
        [COMMITTED, 'BEGIN', 'start transaction', '', '-- nothing'],
      ].flatMap(([expected, ...statements]) => statements.map((statement) => [statement, expected])),
    )('%j, its error caught, comes to: %s', async (statement = '', expected) => {
      const callback = writing((transaction) => transaction.query(statement).catch(ignored));
      expect(await outcome(callback)).toBe(expected);
    });

    it.each([
      [42, undefined],
      [{ text: 42 }, undefined],
      [{}, undefined],
      [null, undefined],
      ['SELECT $1', 'one'],
      ['SELECT $1', { one: 1 }],
    ] as never[][])(
      '%j with %j is refused before it is sent: the transaction fails, also if that is caught',
      async (statement, values) => {
        const query = (transaction: PostgresTransaction) => transaction.query(statement as never, values);
        expect(await outcome(writing(query))).toMatch(UNDONE);
        subject += ' caught';
        expect(await outcome(writing((transaction) => query(transaction).catch(ignored)))).toMatch(UNDONE);
      },
    );

    it('that was not answered in time makes the transaction fail, also if that is caught', async () => {
      const impatient = open(poolOf({ max: 2, query_timeout: 100 }));
      const callback = writing(async (transaction) => {
        await transaction.query('SELECT pg_sleep(0.3)').catch(ignored);
        await sleep(400);
      });
      expect(await outcome(callback, impatient)).toBe(undone('Query read timeout'));
    });
  });

  describe('a callback that does not await its queries', () => {
    const half = () => [1, 2].map((part) => `${subject} ${part}`);
    const callbacks: Record<string, Callback> = {
      'forEach(async …)': async (transaction) => {
        half().forEach(async (part) => {
          await write(transaction, part);
          await write(transaction, `${part} again`);
        });
      },
      'a race with a timeout': writing((transaction) =>
        Promise.race([transaction.query('SELECT pg_sleep(0.2)'), sleep(20)]),
      ),
      'a forgotten await': writing((transaction) => void write(transaction, `${subject} 2`)),
      'a forgotten await of a query that fails': writing((transaction) => void write(transaction, 'refused')),
      'a helper that fails and is not awaited': writing(
        (transaction) => void write(transaction, 'refused').then(() => write(transaction, `${subject} 2`)),
      ),
      'Promise.all(…).catch': async (transaction) => {
        const all = ['refused', ...half()].map((part) => write(transaction, part));
        await Promise.all(all).catch(ignored);
      },
    };

    it.each(Object.entries(callbacks))('commits nothing: %s', async (_, callback) => {
      expect(await outcome(callback)).toBe(
        undone('The callback returned while a query of its transaction was still running'),
      );
      await sleep(50);
      expect(await effects()).toBe(1);
    });

    it('runs the queries of Promise.all one after the other, as pg asks for', async () => {
      let [running, most] = [0, 0];
      const counting = intercepted((query, send) => {
        most = Math.max(most, ++running);
        return send(query).finally(() => --running);
      });
      const values: string[] = [];
      const result = counting.transact(request(), async (transaction) => {
        const insert = (part: string) => {
          // Its own values, although the caller uses the array again before they are sent.
          values[0] = part;
          return transaction.query(`INSERT INTO ${writes} VALUES ($1)`, values);
        };
        await Promise.all(half().map(insert));
      });
      expect(await result).toEqual({ status: 'completed' });
      expect(await effects()).toBe(2);
      expect(most).toBe(1);
    });
  });

  describe('a callback over its time', () => {
    it('is committed if it succeeds within its hold', async () => {
      const callback: Callback = (transaction) => sleep(150).then(() => write(transaction));
      expect(await outcome(callback, open(pool, { holdMs: 2_000 }), 50)).toBe(COMMITTED);
    });

    it('keeps its subject until then, and after that can write nothing', async () => {
      const limits = { holdMs: 300, stepTimeoutMs: 200, maxTransactions: 1, slotTimeoutMs: 5_000 };
      let late: unknown;
      const callback = writing(async (transaction) => {
        await sleep(2_000);
        late = await write(transaction).catch((error: unknown) => error);
      });
      const slow = outcome(callback, open(pool, limits), 100);
      await sleep(200);
      expect(await store.transact(request('CANCELLED'), neverRun)).toEqual({ status: 'busy' });
      expect(await slow).toBe(undone('The transaction took longer than 400 ms'));
      await expect.poll(() => late).toBeInstanceOf(StoreError);
      expect(await effects()).toBe(1);
    });

    it('is ended by the server if it waits for a statement', async () => {
      const limits = { holdMs: 100, stepTimeoutMs: 300 };
      const callback = writing((transaction) => transaction.query('SELECT pg_sleep(60)'));
      // Either clock may be the first: the process's, or the server's, which has the session for 800 ms.
      const ended = [
        undone('The transaction took longer than 200 ms'),
        undone('canceling statement due to statement timeout'),
      ];
      expect(ended).toContain(await outcome(callback, open(pool, limits), 100));
    });
  });

  describe('settings', () => {
    const SETTINGS = `SELECT current_setting('statement_timeout') AS statement, current_setting('transaction_isolation') AS
      isolation, current_setting('idle_in_transaction_session_timeout') AS idle`;

    it.each([
      ['0', '30s'],
      ['300ms', '300ms'],
      ['1min', '1min'],
    ])('a statement_timeout of %s becomes %s, and the session ends after 30 s', async (own, statement) => {
      const connected = poolOf({ options: `-c statement_timeout=${own}`, max: 1 });
      const limits = { holdMs: 15_000, stepTimeoutMs: 2_500 };
      await open(connected, limits).transact(request(), async (transaction) => {
        const { rows } = await transaction.query(SETTINGS);
        expect(rows).toEqual([{ statement, idle: '30s', isolation: 'read committed' }]);
      });
      expect((await connected.query(SETTINGS)).rows).toMatchObject([{ statement: own, idle: '0' }]);
    });

    it.each([
      ['off', undefined, 'on'],
      ['local', undefined, 'local'],
      ['on', 'off', 'on'],
      ['remote_apply', undefined, 'remote_apply'],
    ])(
      'a synchronous_commit of %s, which the callback makes %s, becomes %s: a commit is never lost, and never weakened',
      async (own, said, expected) => {
        let seen: unknown;
        const watched = intercepted(
          async (query, send) => {
            if (query.text === 'COMMIT') seen = (await send({ text: 'SHOW synchronous_commit' })).rows;
            return send(query);
          },
          {},
          poolOf({ options: `-c synchronous_commit=${own}`, max: 1 }),
        );
        await watched.transact(request(), async (transaction) => {
          if (said) await transaction.query(`SET LOCAL synchronous_commit = ${said}`);
        });
        expect(seen).toEqual([{ synchronous_commit: expected }]);
      },
    );
  });

  describe('a database that fails', () => {
    it.each(['before', 'during'])('leaves nothing when the connection is lost %s a query', async (when) => {
      const callback = writing(async (transaction) => {
        const { rows } = await transaction.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
        const query = when === 'during' && transaction.query('SELECT pg_sleep(5)').catch(ignored);
        await pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
        await (query || sleep(100));
      });
      expect(await outcome(callback)).toMatch(UNDONE);
    });

    it('ends the session of a process that stops dead, and the next delivery acts', async () => {
      await freezeProcess('postgres', table, subject);
      expect(await store.transact(request(), neverRun)).toEqual({ status: 'busy' });
      const again = expect.poll(() => store.transact(request(), writing()), { timeout: 10_000 });
      await again.toEqual({ status: 'completed' });
      expect(await effects()).toBe(1);
    }, 60_000);

    const steps = ['BEGIN', 'SELECT record, version', 'SAVEPOINT', 'SELECT CASE', 'UPDATE', 'COMMIT'];
    it.each(
      steps.flatMap((step) => {
        const failed = undone(step === 'SELECT CASE' ? notCommitted('injected') : 'injected');
        const lost = step === 'COMMIT' ? 'injected: 1 row; next: done, 1 row' : failed;
        return [
          [step, 'fails before it is sent', failed],
          [step, 'loses its reply', lost],
        ];
      }),
    )('%s %s: %s', async (step, how, expected) => {
      const failing = intercepted(async (query, send) => {
        if (!query.text.startsWith(step as string)) return send(query);
        if (how === 'loses its reply') await send(query);
        throw new Error('injected');
      });
      expect(await outcome(writing(), failing)).toBe(expected);
    });

    it('ends a connection that goes silent, and frees the subject and the slot', async () => {
      const silence = { text: 'SELECT pg_sleep(3)', query_timeout: 100 };
      const silent = intercepted((query, send) => send(query.text.startsWith('UPDATE') ? silence : query), {
        stepTimeoutMs: 500,
        maxTransactions: 1,
        slotTimeoutMs: 10_000,
      });
      expect(await outcome(writing(), silent)).toBe(undone('Query read timeout'));
      expect(await silent.transact(request(), neverRun)).toMatchObject({ status: 'done' });
    });

    it('gives up when the pool has no connection, and returns one that comes late', async () => {
      const small = poolOf({ max: 1 });
      const waiting = open(small, { stepTimeoutMs: 300 });
      let held: pg.PoolClient | undefined;
      const prepare = async () => {
        await waiting.transact(request('PENDING'), doNothing);
        held = await small.connect();
      };
      await store.transact(request('FIRST'), doNothing);
      await expect(waiting.transact({ ...request(), prepare }, neverRun)).rejects.toThrow(/within 300 ms/);
      held?.release();
      await expect.poll(() => small.idleCount).toBe(1);
      expect(await waiting.transact(request(), doNothing)).toEqual({ status: 'completed' });
    });
  });

  describe('slots', () => {
    it('completes a burst of 40 callbacks that also query the pool of 10', async () => {
      const callbacks = Array.from({ length: 40 }, (_, i) =>
        store.transact({ ...request(), subject: `${subject} ${i}` }, async (transaction) => {
          await write(transaction, `${subject} ${i}`);
          await pool.query('SELECT pg_sleep(0.02)');
        }),
      );
      expect(await Promise.all(callbacks)).toEqual(Array(40).fill({ status: 'completed' }));
      expect(await effects()).toBe(40);
    });

    it.each([
      [20, 15],
      [10, 8],
      [3, 2],
      [2, 1],
      [1, 1],
    ])('over a pool of %s connections there are %s', async (max, slots) => {
      const opened = open(poolOf({ max }));
      let [running, most] = [0, 0];
      const ended = deferred();
      const all = Array.from({ length: 20 }, (_, i) =>
        opened.transact({ ...request(), subject: `${subject} ${i}` }, async () => {
          running += 1;
          most = Math.max(most, running);
          await ended.promise;
          running -= 1;
        }),
      );
      await expect.poll(() => running).toBe(slots);
      ended.resolve();
      await Promise.all(all);
      expect(most).toBe(slots);
    });

    /** Delivers a payment to a handler with this callback: gives the status of the answer. */
    function handlerOf(
      options: Parameters<typeof open>[1],
      payment: (subject: string, transaction: PostgresTransaction) => Promise<void>,
    ) {
      const handler = createWebhookHandler({
        credentials,
        store: open(pool, options),
        storeTimeoutMs: 300,
        deadLetters: true,
        onReport: () => undefined,
        on: { payment: ({ payload }, { transaction }) => payment(payload.saleToken, transaction) },
      });
      const deliver = async (saleToken: string) =>
        (await handler(notificationRequest('payment', { saleToken }, credentials))).status;
      const deliverAll = (count: number) =>
        Promise.all(Array.from({ length: count }, (_, i) => deliver(`${subject}-${i}`)));
      return { handler, deliver, deliverAll };
    }

    it('are waited for longer than the store may take for a step, so that a burst is not lost', async () => {
      const { deliverAll } = handlerOf({ maxTransactions: 1 }, async (sale, transaction) => {
        await write(transaction, sale);
        await sleep(200);
      });
      expect(await deliverAll(5)).toEqual(Array(5).fill(200));
      expect(await effects()).toBe(5);
    });

    it('are never all taken by replays: with 30 at once on 7, a payment finds one', async () => {
      let [isBroken, running] = [true, 0];
      const ended = deferred();
      const options = { maxTransactions: 7, slotTimeoutMs: 5_000, namespace: `replays-${run}` };
      const { handler, deliver, deliverAll } = handlerOf(options, async (sale, transaction) => {
        if (isBroken) throw new Error('broken');
        running += 1;
        if (!sale.endsWith('new')) await ended.promise;
        await write(transaction, sale);
      });
      expect(await deliverAll(30)).toEqual(Array(30).fill(500));

      isBroken = false;
      const letters = await handler.deadLetters.list();
      const replays = Promise.all(letters.map((letter) => handler.replay([letter])));
      await expect.poll(() => running).toBe(6);
      const status = await deliver(`${subject}-new`);
      ended.resolve();
      expect(status).toBe(200);
      expect((await replays).flat().map((each) => each.status)).toEqual(Array(30).fill('done'));
      expect(await effects()).toBe(31);
    });

    it('can be taken by a replay where there is only one', async () => {
      const replay = open(pool, { maxTransactions: 1 }).transact({ ...request(), isReplay: true }, doNothing);
      expect(await replay).toEqual({ status: 'completed' });
    });

    it('are waited for by a replay for as long as slotTimeoutMs says', async () => {
      const small = open(pool, { maxTransactions: 2, slotTimeoutMs: 200 });
      const ended = deferred();
      const began = vi.fn(() => ended.promise);
      const replay = (i: number) => ({ ...request(), subject: `${subject} ${i}`, isReplay: true });
      const first = small.transact(replay(1), began);
      await expect.poll(() => began.mock.calls.length).toBe(1);
      await expect(small.transact(replay(2), neverRun)).rejects.toThrow(
        '1 replays were running for 200 ms, which is the most that the store runs at a time',
      );
      // A delivery takes the other slot, so that the next replay has none although its own is free.
      const delivery = small.transact(request(), began);
      await expect.poll(() => began.mock.calls.length).toBe(2);
      ended.resolve();
      await Promise.all([first, delivery]);
      expect(await small.transact(replay(3), doNothing)).toEqual({ status: 'completed' });
    });

    it.each(['maxTransactions', 'slotTimeoutMs', 'holdMs', 'stepTimeoutMs'])(
      'refuses an invalid %s',
      (name) => {
        for (const value of [0, -1, Number.NaN, '1'])
          expect(() => open(pool, { [name]: value })).toThrow(`Expected \`${name}\` to be`);
      },
    );

    it.each(['timeoutMs', 'retentionMs'])('refuses an invalid %s', async (name) => {
      const refused = store.transact({ ...request(), [name]: 0 }, neverRun);
      await expect(refused).rejects.toThrow(`Expected \`${name}\` to be`);
    });
  });

  type Send = (query: SentStatement) => Promise<PostgresResult>;
  type Intercept = (query: SentStatement, send: Send) => Promise<PostgresResult>;

  /** A store whose transactions have their queries intercepted. */
  function intercepted(intercept: Intercept, options: Parameters<typeof open>[1] = {}, on: pg.Pool = pool) {
    const intercepting: PostgresPool = {
      totalCount: 10,
      query: (text, values) => on.query(text, values),
      connect: (callback) =>
        on.connect((error, client) => {
          if (client === undefined) return callback(error, undefined);
          const send: Send = (query) => client.query(query as never);
          const wrapped: PostgresPoolClient = {
            query: (query) => intercept(query, send),
            release: (broken) => client.release(broken),
            on: (event, listener) => client.on(event, listener),
            removeListener: (event, listener) => client.removeListener(event, listener),
          };
          callback(undefined, wrapped);
        }),
    };
    return open(intercepting, options);
  }

  /** The statements that are sent from now on. */
  function statementsSent(): () => string[] {
    const query = vi.spyOn(pg.Client.prototype, 'query');
    return () => (query.mock.calls as unknown[][]).map(([sent]) => (Object(sent).text ?? sent) as string);
  }
});

/** What became of a query, where that does not matter. */
const ignored = () => undefined;

async function neverRun(): Promise<void> {
  throw new Error('must not run');
}

/** Why a delivery failed: its first clause, and the code or message of its cause. */
function why({ message, cause }: Error & { cause?: { code?: string; message?: string } }): string {
  const [reason] = message.split(/ ?[.;:"]|, so /);
  return cause === undefined ? `${reason}` : `${reason} (${cause.code ?? cause.message})`;
}
