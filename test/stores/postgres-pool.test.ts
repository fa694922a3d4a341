import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
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
import { freezeProcess } from '../helpers/frozen';
import { findPostgres, postgresConfig } from '../helpers/postgres';
import { withSteps } from '../helpers/store-of';

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
  afterEach(() => expect(unhandled.splice(0)).toEqual([]));
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
  const write = (transaction: PostgresTransaction, what = subject) =>
    transaction.query(`INSERT INTO ${writes} VALUES ($1)`, [what]);

  /** How often the callback’s write is in the database. */
  async function effects(): Promise<number> {
    const { rowCount } = await pool.query(`SELECT FROM ${writes} WHERE subject LIKE $1`, [`${subject}%`]);
    return rowCount ?? 0;
  }

  /** Expects that nothing of a transaction is left, and that the next one can complete. */
  async function expectNothing(): Promise<void> {
    expect(await effects()).toBe(0);
    await expect
      .poll(() => store.transact(request(), async (t) => void (await write(t))).catch(() => undefined))
      .toEqual({ status: 'completed' });
    expect(await effects()).toBe(1);
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
      expect(await store.claim(subject, 'PAID', { leaseMs: 1000, withinMs: 1000 })).toMatchObject({
        status: 'done',
        handledStates: ['PAID'],
      });
      expect(await store.transact(request(), neverRun)).toMatchObject({ status: 'done' });
    });

    it('gives what pg gives: command, fields, rows as lists, and the rest', async () => {
      await store.transact(request(), async (transaction) => {
        const inserted = await write(transaction);
        expect(inserted).toMatchObject({ command: 'INSERT', rowCount: 1, rows: [] });
        const text = `SELECT subject FROM ${writes} WHERE subject = $1`;
        const selected = await transaction.query({
          text,
          values: [subject],
          rowMode: 'array',
          name: `n ${run}`,
        });
        expect(selected.rows).toEqual([[subject]]);
        expect(selected).toMatchObject({ command: 'SELECT', fields: [{ name: 'subject' }] });
      });
    });

    it('takes 8 statements for a new notification, 7 for a new state, and 1 for a duplicate', async () => {
      const { counted, sent } = counting();
      const counts: number[] = [];
      for (const state of ['PENDING', 'PAID', 'PAID']) {
        sent.length = 0;
        await counted.transact(request(state), async () => undefined);
        counts.push(sent.length);
      }
      expect(counts).toEqual([8, 7, 1]);
    });

    it('runs one of 100 simultaneous callbacks with a pool of 10; the rest are busy without waiting', async () => {
      let others = 0;
      const results = await Promise.all(
        Array.from({ length: 100 }, async () => {
          const { status } = await store.transact(request(), async (transaction) => {
            await write(transaction);
            // Ends only after all the others have their answer: if one of them had waited, this would never end.
            await expect.poll(() => others).toBe(99);
          });
          if (status === 'busy') others += 1;
          return status;
        }),
      );
      expect(results.filter((status) => status === 'completed')).toHaveLength(1);
      expect(await effects()).toBe(1);
      await expectPoolIntact();
    });

    it('finds a state done while a callback is at work on another state', async () => {
      await store.transact(request('PENDING'), async () => undefined);
      await store.transact(request('PAID'), async (_, { fence, handledStates }) => {
        expect(handledStates).toEqual(['PENDING']);
        expect(fence).toBeGreaterThan(1.6e12);
        expect(await store.transact(request('PENDING'), neverRun)).toMatchObject({ status: 'done' });
        expect(await store.transact(request('CANCELLED'), neverRun)).toEqual({ status: 'busy' });
      });
    });

    it('is busy while the plain mode has the lease', async () => {
      const claim = await store.claim(subject, 'PAID', { leaseMs: 60_000, withinMs: 5_000 });
      expect(await store.transact(request(), neverRun)).toEqual({ status: 'busy' });
      if (claim.status !== 'claimed') throw new Error('not claimed');
      await store.release(claim);
      expect(await store.transact(request(), async () => {})).toEqual({ status: 'completed' });
    });

    it('makes the record again where it was deleted before the transaction began', async () => {
      await store.transact(request('PENDING'), async () => undefined);
      const prepare = async () => {
        await pool.query(`DELETE FROM ${pg.escapeIdentifier(table)} WHERE id = $1`, [
          `default/seen:${subject}`,
        ]);
      };
      const result = store.transact({ ...request(), prepare }, async (t) => void (await write(t)));
      expect(await result).toEqual({ status: 'completed' });
      expect(await effects()).toBe(1);
    });

    it('prepares once, after the first read and before the transaction, and never for what is done', async () => {
      const steps: string[] = [];
      const prepare = async () => void steps.push('prepare');
      const { counted, sent } = counting();
      await counted.transact(
        { ...request(), prepare: async () => void sent.push('prepare') },
        async () => undefined,
      );
      expect(sent.slice(0, 2)).toEqual([expect.stringContaining('SELECT record'), 'prepare']);
      expect(sent.indexOf('BEGIN')).toBeGreaterThan(1);
      await counted.transact({ ...request(), prepare }, neverRun);
      expect(steps).toEqual([]);

      const error = new Error('not confirmed');
      const refused = counted.transact(
        { ...request('CANCELLED'), prepare: () => Promise.reject(error) },
        neverRun,
      );
      await expect(refused).rejects.toBe(error);
      expect(await store.transact(request('CANCELLED'), async () => undefined)).toEqual({
        status: 'completed',
      });
    });
  });

  describe('a transaction that must not be committed', () => {
    it('is rolled back when the callback throws, and its error rethrown', async () => {
      const error = new Error('out of stock');
      const failing = store.transact(request(), async (transaction) => {
        await write(transaction);
        throw error;
      });
      await expect(failing).rejects.toBe(error);
      await expectNothing();
      await expectPoolIntact();
    });

    it('fails after an SQL error that the callback caught', async () => {
      const swallowing = store.transact(request(), async (transaction) => {
        await write(transaction);
        await write(transaction, 'refused').catch(() => {});
      });
      await expect(swallowing).rejects.toMatchObject({
        message: expect.stringContaining('probably caught an SQL error'),
        cause: expect.objectContaining({ code: '25P02' }),
      });
      await expectNothing();
      await expectPoolIntact();
    });

    it('completes after an SQL error that was undone by a savepoint', async () => {
      const result = await store.transact(request(), async (transaction) => {
        await write(transaction);
        await transaction.query('SAVEPOINT attempt');
        await write(transaction, 'refused').catch(() => {});
        await transaction.query('ROLLBACK TO SAVEPOINT attempt');
      });
      expect(result).toEqual({ status: 'completed' });
      expect(await effects()).toBe(1);
    });

    it('fails when the commit itself fails', async () => {
      const failing = store.transact(request(), async (transaction) => {
        await write(transaction);
        await write(transaction);
      });
      await expect(failing).rejects.toMatchObject({
        message: expect.stringContaining('duplicate key value'),
      });
      await expectNothing();
      await expectPoolIntact();
    });

    it('fails when the record was changed by the callback', async () => {
      const result = store.transact(request(), async (transaction) => {
        await write(transaction);
        await transaction.query(`DELETE FROM ${pg.escapeIdentifier(table)} WHERE id = $1`, [
          `default/seen:${subject}`,
        ]);
      });
      await expect(result).rejects.toThrow('was changed while its callback held it');
      await expectNothing();
    });

    it('never takes the command tag ROLLBACK for a commit', async () => {
      const cheated = intercepted((query, send) =>
        send(query.text === 'COMMIT' ? { text: 'ROLLBACK' } : query),
      );
      await expect(cheated.transact(request(), async (t) => void (await write(t)))).rejects.toThrow(
        'COMMIT was answered with ROLLBACK',
      );
      await expectNothing();
      await expectPoolIntact();
    });
  });

  describe('a statement of a callback', () => {
    // Not PREPARE TRANSACTION: most servers refuse it, and where it is allowed the subject stays busy with it.
    it.each(['COMMIT', ';COMMIT', '/* a /* b */ */ COMMIT AND CHAIN', 'end'])(
      '%j ends its transaction: that is noticed, and answered as a failure, but what was written by then stays',
      async (statement) => {
        const ending = store.transact(request(), async (transaction) => {
          await write(transaction);
          await transaction.query(statement);
        });
        await expect(ending).rejects.toThrow('ended the transaction itself');
        expect(await effects()).toBe(1);
        expect(await store.transact(request(), async () => undefined)).toEqual({ status: 'completed' });
        await expectPoolIntact();
      },
    );

    it.each(['ROLLBACK', 'abort', 'rollback work', "PREPARE/**/TRANSACTION 'x'"])(
      '%j undoes what was written, and is answered as a failure',
      async (statement) => {
        const ending = store.transact(request(), async (transaction) => {
          await write(transaction);
          await transaction.query(statement).catch(() => {});
        });
        await expect(ending).rejects.toThrow('ended the transaction itself');
        await expectNothing();
        await expectPoolIntact();
      },
    );

    it.each(['BEGIN', 'start transaction', '', '-- nothing'])('%j changes nothing', async (statement) => {
      const result = store.transact(request(), async (transaction) => {
        await write(transaction);
        await transaction.query(statement);
      });
      expect(await result).toEqual({ status: 'completed' });
      expect(await effects()).toBe(1);
    });

    it.each([
      'SELECT 1; COMMIT',
      'SELECT 1; COMMIT; BEGIN',
      'DO $$ BEGIN ROLLBACK; END $$',
      'DO $$ BEGIN COMMIT; END $$',
    ])('PostgreSQL refuses %j', async (statement) => {
      const refused = store.transact(request(), async (transaction) => {
        await write(transaction);
        await transaction.query(statement).catch(() => {});
      });
      await expect(refused).rejects.toMatchObject({ cause: { code: '25P02' } });
      await expectNothing();
    });

    it.each([
      [42, undefined],
      [{ text: 42 }, undefined],
      [{}, undefined],
      [null, undefined],
      ['SELECT $1', 'one'],
      ['SELECT $1', { one: 1 }],
    ])(
      '%j with %j is refused before it is sent: the transaction fails, also if that is caught',
      async (statement, values) => {
        for (const caught of [false, true]) {
          const refused = store.transact(request(), async (transaction) => {
            await write(transaction);
            const query = transaction.query(statement as never, values as never);
            await (caught ? query.catch(() => {}) : query);
          });
          await expect(refused).rejects.toBeInstanceOf(Error);
          expect(await effects()).toBe(0);
        }
        await expectNothing();
        await expectPoolIntact();
      },
    );

    it('that was not answered in time makes the transaction fail, also if that is caught', async () => {
      const impatient = new pg.Pool({ ...postgresConfig, max: 2, query_timeout: 100 });
      const result = open(impatient).transact(request(), async (transaction) => {
        await write(transaction);
        await transaction.query('SELECT pg_sleep(0.3)').catch(() => {});
        await sleep(400);
      });
      await expect(result).rejects.toThrow('Query read timeout');
      await expectNothing();
      await impatient.end();
    });
  });

  describe('a callback that does not await its queries', () => {
    const half = () => [1, 2].map((part) => `${subject} ${part}`);
    const callbacks: Record<string, (transaction: PostgresTransaction) => Promise<void>> = {
      'forEach(async …)': async (transaction) => {
        half().forEach(async (part) => {
          await write(transaction, part);
          await write(transaction, `${part} again`);
        });
      },
      'a race with a timeout': async (transaction) => {
        await write(transaction);
        await Promise.race([transaction.query('SELECT pg_sleep(0.2)'), sleep(20)]);
      },
      'a forgotten await': async (transaction) => {
        await write(transaction);
        void write(transaction, `${subject} 2`);
      },
      'a forgotten await of a query that fails': async (transaction) => {
        await write(transaction);
        void write(transaction, 'refused');
      },
      'a helper that fails and is not awaited': async (transaction) => {
        await write(transaction);
        void (async () => {
          await write(transaction, 'refused');
          await write(transaction, `${subject} 2`);
        })();
      },
      'Promise.all(…).catch': async (transaction) => {
        await Promise.all(['refused', ...half()].map((part) => write(transaction, part))).catch(
          () => undefined,
        );
      },
    };

    it.each(Object.entries(callbacks))('commits nothing: %s', async (_, callback) => {
      await expect(store.transact(request(), callback)).rejects.toBeInstanceOf(StoreError);
      await sleep(50);
      await expectNothing();
      await expectPoolIntact();
    });

    it('commits nothing where a helper with a pause sends its next query before the commit', async () => {
      const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
      let release: () => void = () => undefined;
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      const slow = intercepted(async (query, send) => {
        if (query.text.startsWith('RELEASE')) {
          release();
          await sleep(50);
        }
        return send(query);
      });
      const failing = slow.transact(request(), async (transaction) => {
        await write(transaction);
        void released.then(() => write(transaction, `${subject} 2`));
      });
      await expect(failing).rejects.toThrow('after its transaction had ended');
      expect(warned).toHaveBeenCalledOnce();
      warned.mockRestore();
      await expectNothing();
    });

    it('warns of a query that comes after the commit, and does not end the process', async () => {
      const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
      let kept: PostgresTransaction | undefined;
      await store.transact(request(), async (transaction) => {
        kept = transaction;
      });
      const settled = vi.fn();
      void (async () => {
        await kept?.query('SELECT 1');
      })().then(settled, settled);
      await sleep(20);
      expect(settled).not.toHaveBeenCalled();
      expect(warned).toHaveBeenCalledWith(
        expect.stringContaining('after its transaction had ended'),
        expect.anything(),
      );
      warned.mockRestore();
    });

    it('runs the queries of Promise.all one after the other, as pg asks for', async () => {
      let [running, most] = [0, 0];
      const counting = intercepted(async (query, send) => {
        running += 1;
        most = Math.max(most, running);
        return send(query).finally(() => {
          running -= 1;
        });
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
      const result = await open(pool, { holdMs: 2_000 }).transact(
        request('PAID', 50),
        async (transaction) => {
          await sleep(150);
          await write(transaction);
        },
      );
      expect(result).toEqual({ status: 'completed' });
      expect(await effects()).toBe(1);
    });

    it('keeps its subject until then, and after that can write nothing', async () => {
      const limits = { holdMs: 300, stepTimeoutMs: 200, maxTransactions: 1, slotTimeoutMs: 5_000 };
      let late: unknown;
      const slow = open(pool, limits).transact(request('PAID', 100), async (transaction) => {
        await write(transaction);
        await sleep(2_000);
        late = await write(transaction).catch((error: unknown) => error);
      });
      const other = sleep(200).then(() => store.transact(request('CANCELLED'), neverRun));
      expect(await other).toEqual({ status: 'busy' });
      await expect(slow).rejects.toThrow('took longer than 800 ms');
      await expectNothing();
      await expect.poll(() => late).toBeInstanceOf(StoreError);
      expect(await effects()).toBe(1);
      await expectPoolIntact();
    });

    it('is ended by the server if it waits for a statement', async () => {
      const limits = { holdMs: 100, stepTimeoutMs: 300 };
      const slow = open(pool, limits).transact(request('PAID', 100), async (transaction) => {
        await write(transaction);
        await transaction.query('SELECT pg_sleep(60)');
      });
      await expect(slow).rejects.toThrow(/took longer than 800 ms|statement timeout/);
      await expectNothing();
      await expectPoolIntact();
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
      const connected = new pg.Pool({ ...postgresConfig, options: `-c statement_timeout=${own}`, max: 1 });
      const limits = { holdMs: 15_000, stepTimeoutMs: 2_500 };
      await open(connected, limits).transact(request('PAID', 10_000), async (transaction) => {
        const { rows } = await transaction.query(SETTINGS);
        expect(rows).toEqual([{ statement, idle: '30s', isolation: 'read committed' }]);
      });
      const { rows } = await connected.query(SETTINGS);
      expect(rows).toMatchObject([{ statement: own, idle: '0' }]);
      await connected.end();
    });

    it.each([
      ['off', undefined, 'on'],
      ['local', undefined, 'local'],
      ['on', 'off', 'on'],
      ['remote_apply', undefined, 'remote_apply'],
    ])(
      'a synchronous_commit of %s, which the callback makes %s, becomes %s: a commit is never lost, and never weakened',
      async (own, said, expected) => {
        const connected = new pg.Pool({ ...postgresConfig, options: `-c synchronous_commit=${own}`, max: 1 });
        let seen: unknown;
        const watched = intercepted(
          async (query, send) => {
            if (query.text === 'COMMIT') seen = (await send({ text: 'SHOW synchronous_commit' })).rows;
            return send(query);
          },
          {},
          connected,
        );
        await watched.transact(request(), async (transaction) => {
          if (said) await transaction.query(`SET LOCAL synchronous_commit = ${said}`);
        });
        expect(seen).toEqual([{ synchronous_commit: expected }]);
        await connected.end();
      },
    );
  });

  describe('a database that fails', () => {
    it('survives the loss of its connection, before and during a query', async () => {
      for (const duringQuery of [false, true]) {
        const lost = store.transact(request(), async (transaction) => {
          await write(transaction);
          const { rows } = await transaction.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
          const sleeping = duringQuery ? transaction.query('SELECT pg_sleep(5)').catch(() => {}) : sleep(100);
          await pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
          await sleeping;
        });
        await expect(lost).rejects.toBeInstanceOf(Error);
        expect(await effects()).toBe(0);
      }
      await expectNothing();
      await expectPoolIntact();
    });

    it('ends the session of a process that stops dead, and the next delivery acts', {
      timeout: 60_000,
    }, async () => {
      await freezeProcess('postgres', table, subject);
      expect(await store.transact(request(), neverRun)).toEqual({ status: 'busy' });
      await expect
        .poll(() => store.transact(request(), async (t) => void (await write(t))))
        .toEqual({ status: 'completed' });
      expect(await effects()).toBe(1);
    });

    const steps = ['BEGIN', 'SELECT record, version', 'SAVEPOINT', 'RELEASE', 'UPDATE', 'COMMIT'];

    it.each(steps)('leaves nothing when %s fails before it is sent', async (step) => {
      const failing = intercepted(async (query, send) => {
        if (query.text.startsWith(step)) throw new Error('injected');
        return send(query);
      });
      await expect(failing.transact(request(), async (t) => void (await write(t)))).rejects.toSatisfy(
        isInjected,
      );
      await expectNothing();
      await expectPoolIntact();
    });

    it.each(steps)('leaves all or nothing when the reply to %s is lost', async (step) => {
      const losing = intercepted(async (query, send) => {
        const reply = await send(query);
        if (query.text.startsWith(step)) throw new Error('injected');
        return reply;
      });
      await expect(losing.transact(request(), async (t) => void (await write(t)))).rejects.toSatisfy(
        isInjected,
      );
      if (step !== 'COMMIT') return expectNothing();

      expect(await effects()).toBe(1);
      expect(await store.transact(request(), neverRun)).toMatchObject({ status: 'done' });
      await expectPoolIntact();
    });

    it('ends a connection that goes silent, and frees the subject and the slot', async () => {
      const silent = intercepted(
        (query, send) =>
          query.text.startsWith('UPDATE')
            ? send({ text: 'SELECT pg_sleep(3)', query_timeout: 100 })
            : send(query),
        { stepTimeoutMs: 500, maxTransactions: 1, slotTimeoutMs: 10_000 },
      );
      await expect(silent.transact(request(), async (t) => void (await write(t)))).rejects.toThrow('timeout');
      await expectNothing();
      expect(await silent.transact(request(), neverRun)).toMatchObject({ status: 'done' });
      await expectPoolIntact();
    });

    it('gives up when the pool has no connection, and returns one that comes late', async () => {
      const small = new pg.Pool({ ...postgresConfig, max: 1 });
      const waiting = open(small, { stepTimeoutMs: 300 });
      let held: pg.PoolClient | undefined;
      const prepare = async () => {
        await waiting.transact(request('PENDING'), async () => undefined);
        held = await small.connect();
      };
      await store.transact(request('FIRST'), async () => undefined);
      await expect(waiting.transact({ ...request(), prepare }, neverRun)).rejects.toThrow(/within 300 ms/);
      held?.release();
      await expect.poll(() => small.idleCount).toBe(1);
      expect(await waiting.transact(request(), async () => {})).toEqual({ status: 'completed' });
      await small.end();
    });
  });

  describe('slots', () => {
    it('completes a burst of 40 callbacks that also query the pool of 10', async () => {
      const results = await Promise.all(
        Array.from({ length: 40 }, async (_, i) => {
          const one = { ...request(), subject: `${subject} ${i}` };
          const { status } = await store.transact(one, async (transaction) => {
            await write(transaction, one.subject);
            await pool.query('SELECT pg_sleep(0.02)');
          });
          return status;
        }),
      );
      expect(results).toEqual(Array(40).fill('completed'));
      expect(await effects()).toBe(40);
    });

    it.each([
      [20, 15],
      [10, 8],
      [3, 2],
      [2, 1],
      [1, 1],
    ])('over a pool of %s connections there are %s', async (max, slots) => {
      const sized = new pg.Pool({ ...postgresConfig, max });
      const opened = open(sized);
      let [running, most] = [0, 0];
      let end: () => void = () => undefined;
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      const all = Array.from({ length: 20 }, (_, i) =>
        opened.transact({ ...request(), subject: `${subject} ${max} ${i}` }, async () => {
          running += 1;
          most = Math.max(most, running);
          await ended;
          running -= 1;
        }),
      );
      await expect.poll(() => running).toBe(slots);
      end();
      await Promise.all(all);
      expect(most).toBe(slots);
      await sized.end();
    });

    it('are waited for longer than the store may take for a step, so that a burst is not lost', async () => {
      const handler = createWebhookHandler({
        credentials,
        store: open(pool, { maxTransactions: 1 }),
        storeTimeoutMs: 300,
        onReport: () => undefined,
        on: {
          payment: async ({ payload }, { transaction }) => {
            await write(transaction, payload.saleToken);
            await sleep(200);
          },
        },
      });
      const deliveries = Array.from({ length: 5 }, (_, i) =>
        handler(notificationRequest('payment', { saleToken: `${subject}-${i}` }, credentials)),
      );
      const statuses = (await Promise.all(deliveries)).map(({ status }) => status);
      expect(statuses).toEqual(Array(5).fill(200));
      expect(await effects()).toBe(5);
    });

    it('are never all taken by replays: with 30 at once on 7, a payment finds one', async () => {
      let [isBroken, running] = [true, 0];
      let end: () => void = () => undefined;
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      const handler = createWebhookHandler({
        credentials,
        store: open(pool, { maxTransactions: 7, slotTimeoutMs: 5_000, namespace: `replays-${run}` }),
        deadLetters: true,
        onReport: () => undefined,
        on: {
          payment: async ({ payload }, { transaction }) => {
            if (isBroken) throw new Error('broken');
            running += 1;
            if (!payload.saleToken.endsWith('new')) await ended;
            await write(transaction, payload.saleToken);
          },
        },
      });
      const deliver = async (saleToken: string) =>
        (await handler(notificationRequest('payment', { saleToken }, credentials))).status;
      const tokens = Array.from({ length: 30 }, (_, i) => `${subject}-${i}`);
      expect(await Promise.all(tokens.map(deliver))).toEqual(Array(30).fill(500));

      isBroken = false;
      const letters = await handler.deadLetters.list();
      const replays = Promise.all(letters.map((letter) => handler.replay([letter])));
      await expect.poll(() => running).toBe(6);
      const status = await deliver(`${subject}-new`);
      end();
      expect(status).toBe(200);
      expect((await replays).flat().map((each) => each.status)).toEqual(Array(30).fill('done'));
      expect(await effects()).toBe(31);
    });

    it('can be taken by a replay where there is only one', async () => {
      const only = open(pool, { maxTransactions: 1 });
      expect(await only.transact({ ...request(), isReplay: true }, async () => undefined)).toEqual({
        status: 'completed',
      });
    });

    it('are waited for by a replay for as long as slotTimeoutMs says', async () => {
      const small = open(pool, { maxTransactions: 2, slotTimeoutMs: 200 });
      let end: () => void = () => undefined;
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      const began = vi.fn(() => ended);
      const replay = (i: number) => ({ ...request(), subject: `${subject} ${i}`, isReplay: true });
      const first = small.transact(replay(1), began);
      await expect.poll(() => began.mock.calls.length).toBe(1);
      await expect(small.transact(replay(2), neverRun)).rejects.toThrow(
        '1 replays were running for 200 ms, which is the most that the store runs at a time',
      );
      // A delivery takes the other slot, so that the next replay has none although its own is free.
      const delivery = small.transact(request(), began);
      await expect.poll(() => began.mock.calls.length).toBe(2);
      end();
      await Promise.all([first, delivery]);
      expect(await small.transact(replay(3), async () => undefined)).toEqual({ status: 'completed' });
    });

    it('come back when their transaction has ended, and are waited for as long as slotTimeoutMs says', async () => {
      const small = open(pool, { maxTransactions: 1, slotTimeoutMs: 200 });
      let end: () => void = () => undefined;
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      const began = vi.fn(() => ended);
      const first = small.transact(request(), began);
      await expect.poll(() => began.mock.calls.length).toBe(1);
      const other = { ...request(), subject: `${subject} other` };
      await expect(small.transact(other, neverRun)).rejects.toThrow('1 transactions were open for 200 ms');
      end();
      await first;
      expect(await small.transact(other, async () => undefined)).toEqual({ status: 'completed' });
    });

    it.each(['maxTransactions', 'slotTimeoutMs', 'holdMs', 'stepTimeoutMs'])(
      '%s must be a positive number',
      (name) => {
        for (const value of [0, -1, Number.NaN, '1']) {
          expect(() => open(pool, { [name]: value })).toThrow(`Expected \`${name}\` to be`);
        }
      },
    );

    it.each(['timeoutMs', 'retentionMs'])('refuses an invalid %s', async (name) => {
      await expect(store.transact({ ...request(), [name]: 0 }, neverRun)).rejects.toThrow(
        `Expected \`${name}\` to be`,
      );
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

  function counting() {
    const sent: string[] = [];
    const counted = intercepted((query, send) => {
      sent.push(query.text);
      return send(query);
    });
    const outside = vi.spyOn(pool, 'query');
    const { query } = pool;
    outside.mockImplementation(((text: string, values: unknown[]) => {
      sent.push(text);
      return Reflect.apply(pg.Pool.prototype.query, pool, [text, values]);
    }) as typeof query);
    return { counted, sent };
  }
});

async function neverRun(): Promise<void> {
  throw new Error('must not run');
}

function isInjected(error: { message: string; cause?: unknown }): boolean {
  return `${error.message} ${error.cause}`.includes('injected');
}
