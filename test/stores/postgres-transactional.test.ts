import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ConfigurationError, StoreError } from '../../src/errors';
import {
  type PostgresPool,
  type PostgresPoolClient,
  type PostgresQuery,
  type PostgresResult,
  PostgresStore,
  type PostgresTransaction,
} from '../../src/stores';
import { findPostgres, postgresConfig } from '../helpers/postgres';

const found = await findPostgres();
const run = randomUUID().slice(0, 8);
const table = `transactional ${run}`;
const writes = `writes_${run}`;

describe.skipIf(!found)('PostgreSQL: PostgresStore with transactional: true', () => {
  const pool = new pg.Pool({ ...postgresConfig, max: 10 });
  const store = new PostgresStore(pool, { table, transactional: true });
  let subject: string;

  beforeAll(async () => {
    await store.createTable();
    await pool.query(
      `CREATE TABLE ${writes} (subject text CHECK (subject <> 'refused') UNIQUE DEFERRABLE INITIALLY DEFERRED)`,
    );
  });
  beforeEach(() => {
    subject = `reversal:${randomUUID()}`;
  });
  afterAll(async () => {
    const tables = [table, `${table}_parked`].map((each) => pg.escapeIdentifier(each));
    await pool.query(`DROP TABLE IF EXISTS ${writes}, ${tables}`);
    await pool.end();
  });

  const request = (state = 'PAID', timeoutMs = 10_000) => ({
    subject,
    state,
    retentionMs: 60_000,
    timeoutMs,
  });
  const write = (transaction: PostgresTransaction) =>
    transaction.query(`INSERT INTO ${writes} VALUES ($1)`, [subject]);

  /** How often the callback’s write is in the database. */
  async function effects(): Promise<number> {
    const { rowCount } = await pool.query(`SELECT FROM ${writes} WHERE subject = $1`, [subject]);
    return rowCount ?? 0;
  }

  /** Expects that nothing of a transaction is left, and that the next one can complete. */
  async function expectNothing(): Promise<void> {
    expect(await effects()).toBe(0);
    await eventually(
      async () =>
        (await store.transact(request(), async (t) => void (await write(t)))).status === 'completed',
    );
    expect(await effects()).toBe(1);
  }

  /** Expects that all connections of the pool are usable: none lost, broken, or in a transaction. */
  async function expectPoolIntact(): Promise<void> {
    await eventually(async () => pool.idleCount === pool.totalCount);
    const clients = await Promise.all(Array.from({ length: 10 }, () => pool.connect()));
    const usable = clients.map(async (client) => {
      // In a transaction that was left open, `now()` would be earlier than the start of this statement.
      const { rows } = await client.query<{ alone: boolean; settings: string }>(
        `SELECT now() = statement_timestamp() AS alone, concat_ws(' ', current_setting('statement_timeout'),
          current_setting('idle_in_transaction_session_timeout'), current_setting('synchronous_commit'),
          current_setting('role'), current_setting('tcp_user_timeout')) AS settings`,
      );
      return { ...rows[0], listeners: client.listenerCount('error') };
    });
    const found = await Promise.all(usable).finally(() => {
      for (const client of clients) client.release();
    });
    expect(found).toEqual(Array(10).fill({ alone: true, settings: '0 0 on none 0', listeners: 0 }));
  }

  it('commits the writes together with the record', async () => {
    const result = await store.transact(request(), async (transaction, claim) => {
      expect(claim).toMatchObject({ subject, state: 'PAID', handledStates: [] });
      await write(transaction);
      expect(await effects()).toBe(0);
      const { rows, rowCount } = await transaction.query<{ subject: string }>(
        `SELECT subject FROM ${writes} WHERE subject = $1`,
        [subject],
      );
      expect({ rows, rowCount }).toEqual({ rows: [{ subject }], rowCount: 1 });
    });
    expect(result).toEqual({ status: 'completed' });
    expect(await effects()).toBe(1);
    expect(await store.claim(subject, 'PAID', 1000)).toEqual({ status: 'done', handledStates: ['PAID'] });
    expect(await store.transact(request(), neverRun)).toEqual({ status: 'done' });
  });

  it('hands on the done states', async () => {
    await store.transact(request('PENDING'), async () => {});
    await store.transact(request('PAID'), async (_, { handledStates }) => {
      expect(handledStates).toEqual(['PENDING']);
    });
  });

  it('runs one of 100 simultaneous callbacks with a pool of 10; the rest are busy at once', async () => {
    let running = true;
    let others = 0;
    const results = await Promise.all(
      Array.from({ length: 100 }, async () => {
        const result = await store.transact(request(), async (transaction) => {
          await write(transaction);
          // Ends only after all the others have their answer: if one of them had waited, this would never end.
          await eventually(async () => others === 99);
          running = false;
        });
        if (running) others += 1;
        return result.status;
      }),
    );
    expect(results.filter((status) => status === 'completed')).toHaveLength(1);
    expect(results.filter((status) => status === 'busy')).toHaveLength(99);
    expect(await effects()).toBe(1);
    await expectPoolIntact();
  });

  it('is busy while the plain mode has the lease', async () => {
    const claim = await store.claim(subject, 'PAID', 60_000);
    expect(await store.transact(request(), neverRun)).toEqual({ status: 'busy' });
    if (claim.status !== 'claimed') throw new Error('not claimed');
    await store.release(claim);
    expect(await store.transact(request(), async () => {})).toEqual({ status: 'completed' });
  });

  it('does not take another table for its own', async () => {
    const other = new PostgresStore(pool, { table: `${table} 2`, transactional: true });
    await other.createTable();
    const result = await store.transact(request(), async () => {
      expect(await other.transact(request(), async () => {})).toEqual({ status: 'completed' });
    });
    const tables = [`${table} 2`, `${table} 2_parked`].map((each) => pg.escapeIdentifier(each));
    await pool.query(`DROP TABLE ${tables}`);
    expect(result).toEqual({ status: 'completed' });
  });

  it('rolls back and rethrows the callback’s error', async () => {
    const error = new Error('out of stock');
    const failing = store.transact(request(), async (transaction) => {
      await write(transaction);
      throw error;
    });
    await expect(failing).rejects.toBe(error);
    await expectNothing();
    await expectPoolIntact();
  });

  it('never completes after an SQL error that the callback caught', async () => {
    const swallowing = store.transact(request(), async (transaction) => {
      await write(transaction);
      await transaction.query(`INSERT INTO ${writes} VALUES ('refused')`).catch(() => {});
    });
    await expect(swallowing).rejects.toMatchObject({
      message: expect.stringContaining('current transaction is aborted'),
    });
    await expectNothing();
    await expectPoolIntact();
  });

  it('completes after an SQL error that was undone by a savepoint', async () => {
    const result = await store.transact(request(), async (transaction) => {
      await write(transaction);
      await transaction.query('SAVEPOINT attempt');
      await transaction.query(`INSERT INTO ${writes} VALUES ('refused')`).catch(() => {});
      await transaction.query('ROLLBACK TO SAVEPOINT attempt');
    });
    expect(result).toEqual({ status: 'completed' });
    expect(await effects()).toBe(1);
  });

  it('never completes when the commit itself fails', async () => {
    const failing = store.transact(request(), async (transaction) => {
      await write(transaction);
      await write(transaction);
    });
    await expect(failing).rejects.toMatchObject({ message: expect.stringContaining('duplicate key value') });
    await expectNothing();
    await expectPoolIntact();
  });

  it.each(['ROLLBACK', 'COMMIT', '/* a /* b */ */ -- c\n ;END', 'abort', "PREPARE TRANSACTION 'x'", 'BEGIN'])(
    'refuses %j, also when the callback catches the refusal',
    async (statement) => {
      for (const caught of [false, true]) {
        const refused = store.transact(request(), async (transaction) => {
          await write(transaction);
          const query = transaction.query(statement);
          await (caught ? query.catch(() => {}) : query);
        });
        await expect(refused).rejects.toBeInstanceOf(ConfigurationError);
        expect(await effects()).toBe(0);
      }
      await expectNothing();
    },
  );

  it.each(['DO $$ BEGIN ROLLBACK; END $$', 'DO $$ BEGIN COMMIT; END $$'])(
    'lets PostgreSQL refuse %j',
    async (statement) => {
      const refused = store.transact(request(), async (transaction) => {
        await write(transaction);
        await transaction.query(statement).catch(() => {});
      });
      await expect(refused).rejects.toMatchObject({ code: '25P02' });
      await expectNothing();
    },
  );

  describe('with a driver that lets several statements through', () => {
    const lax = new PostgresStore(
      poolWith((query, client) => client.query(smuggledIn(typeof query === 'string' ? query : query.text))),
      { table, transactional: true },
    );

    // The driver changes the text after the store has checked it, so the store cannot see it.
    function smuggledIn(text: string): string {
      return text.replace(/\/\* smuggled(.*)\*\//, '$1');
    }

    const writeLiterally = (transaction: PostgresTransaction) =>
      transaction.query(`INSERT INTO ${writes} VALUES ('${subject}')`);

    it.each(['ROLLBACK', 'ROLLBACK; BEGIN', 'COMMIT', 'COMMIT; BEGIN', 'ROLLBACK; BEGIN; SELECT 1'])(
      'never completes after a smuggled %j',
      async (smuggled) => {
        let before = 0;
        const result = lax.transact(request(), async (transaction) => {
          await writeLiterally(transaction);
          await transaction.query(`SELECT 1 /* smuggled; ${smuggled} */`);
          before = await effects();
        });
        await expect(result).rejects.toBeInstanceOf(StoreError);
        // What a smuggled COMMIT wrote stays, and is the merchant’s concern. The store did not confirm it.
        expect(await effects()).toBe(before);
        expect(await store.claim(subject, 'PAID', 1000)).not.toMatchObject({ status: 'done' });
        await expectPoolIntact();
      },
    );

    it('never completes when another callback has completed after a smuggled ROLLBACK; BEGIN', async () => {
      const result = lax.transact(request(), async (transaction) => {
        await transaction.query('SELECT 1 /* smuggled; ROLLBACK; BEGIN */');
        expect(await store.transact(request(), async (other) => void (await write(other)))).toEqual({
          status: 'completed',
        });
      });
      await expect(result).rejects.toBeInstanceOf(StoreError);
      expect(await effects()).toBe(1);
    });
  });

  it('never takes the command tag ROLLBACK for a commit', async () => {
    const cheated = storeWith((query, client) => client.query(query === 'COMMIT' ? 'ROLLBACK' : query));
    await expect(cheated.transact(request(), async (t) => void (await write(t)))).rejects.toBeInstanceOf(
      StoreError,
    );
    await expectNothing();
    await expectPoolIntact();
  });

  it('never completes when the completion recorded nothing', async () => {
    const result = store.transact(request(), async (transaction) => {
      await write(transaction);
      await transaction.query(`DELETE FROM ${pg.escapeIdentifier(table)} WHERE subject = $1`, [subject]);
    });
    await expect(result).rejects.toBeInstanceOf(StoreError);
    await expectNothing();
  });

  it('commits durably, whatever the callback set', async () => {
    let setting: unknown;
    const watched = storeWith(async (query, client) => {
      if (query === 'COMMIT') setting = (await client.query('SHOW synchronous_commit')).rows;
      return client.query(query);
    });
    await watched.transact(request(), async (transaction) => {
      await transaction.query('SET LOCAL synchronous_commit = off');
    });
    expect(setting).toEqual([{ synchronous_commit: 'on' }]);
  });

  it('lets the server end a transaction whose process has stopped', async () => {
    await store.transact(request('PAID', 7000), async (transaction) => {
      const { rows } = await transaction.query(
        "SELECT current_setting('idle_in_transaction_session_timeout') AS idle, current_setting('statement_timeout') AS statement, current_setting('transaction_isolation') AS isolation",
      );
      expect(rows).toEqual([{ idle: '27s', statement: '12s', isolation: 'read committed' }]);
    });
  });

  it('gives a callback up to the longest time of a timer, which is also the server’s longest timeout', async () => {
    const longest = 2 ** 31 - 1;
    const result = await store.transact(request('PAID', longest), async (transaction) => {
      const names = ['statement_timeout', 'idle_in_transaction_session_timeout'];
      for (const name of names) {
        const { rows } = await transaction.query('SELECT setting FROM pg_settings WHERE name = $1', [name]);
        expect(rows).toEqual([{ setting: String(longest) }]);
      }
    });
    expect(result).toEqual({ status: 'completed' });
    await expect(store.transact(request('PAID', longest + 1), neverRun)).rejects.toBeInstanceOf(
      ConfigurationError,
    );
  });

  it('abandons a callback that takes longer than timeoutMs, and accepts nothing more from it', async () => {
    let late: unknown;
    const slow = store.transact(request('PAID', 100), async (transaction) => {
      await write(transaction);
      await sleep(300);
      late = await write(transaction).catch((error: unknown) => error);
    });
    await expect(slow).rejects.toMatchObject({ message: expect.stringContaining('longer than 100 ms') });
    await eventually(async () => late !== undefined);
    expect(late).toBeInstanceOf(StoreError);
    await expectNothing();
    await expectPoolIntact();
  });

  it('abandons at once a callback that waits for a slow statement, and the server ends that statement', async () => {
    const short = new PostgresStore(pool, { table, transactional: true, stepTimeoutMs: 2000 });
    const slow = short.transact(request('PAID', 100), async (transaction) => {
      await write(transaction);
      await transaction.query('SELECT pg_sleep(60)');
    });
    const error = await Promise.race([slow.catch((reason: unknown) => reason), sleep(1500, 'late')]);
    expect(String(error)).toContain('longer than 100 ms');
    await expectNothing();
    await expectPoolIntact();
  });

  it('accepts no query once the callback has ended', async () => {
    let kept: PostgresTransaction | undefined;
    await store.transact(request(), async (transaction) => {
      kept = transaction;
    });
    await expect(kept?.query('SELECT 1')).rejects.toBeInstanceOf(StoreError);
  });

  it('commits statements that the callback did not await, and fails when one of them fails', async () => {
    await store.transact(request(), async (transaction) => {
      void write(transaction);
    });
    expect(await effects()).toBe(1);

    const failing = store.transact(request('CANCELLED'), async (transaction) => {
      void transaction.query(`INSERT INTO ${writes} VALUES ('refused')`).catch(() => {});
    });
    await expect(failing).rejects.toBeInstanceOf(Error);
  });

  it('waits for statements that the callback did not await for as long as for the callback', async () => {
    const short = new PostgresStore(pool, { table, transactional: true, stepTimeoutMs: 300 });
    const result = await short.transact(request(), async (transaction) => {
      void transaction.query('SELECT pg_sleep(1)');
    });
    expect(result).toEqual({ status: 'completed' });
  });

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

  const steps = ['BEGIN', 'pg_try_advisory', 'WITH claimed', 'UPDATE', 'COMMIT'];

  it.each(steps)('leaves nothing when %s fails before it is sent', async (step) => {
    const failing = storeWith(async (query, client) => {
      if (textOf(query).trim().startsWith(step) || textOf(query).includes(`SELECT ${step}`))
        throw new Error('injected');
      return client.query(query);
    });
    await expect(failing.transact(request(), async (t) => void (await write(t)))).rejects.toMatchObject({
      message: expect.stringContaining('injected'),
    });
    await expectNothing();
    await expectPoolIntact();
  });

  it.each(steps)('leaves all or nothing when the reply to %s is lost', async (step) => {
    const losing = storeWith(async (query, client) => {
      const reply = await client.query(query);
      if (textOf(query).trim().startsWith(step) || textOf(query).includes(`SELECT ${step}`))
        throw new Error('injected');
      return reply;
    });
    await expect(losing.transact(request(), async (t) => void (await write(t)))).rejects.toMatchObject({
      message: expect.stringContaining('injected'),
    });
    if (step !== 'COMMIT') return expectNothing();

    expect(await effects()).toBe(1);
    expect(await store.transact(request(), neverRun)).toEqual({ status: 'done' });
    await expectPoolIntact();
  });

  it.each(steps)('gives up when %s hangs, and frees the subject', async (step) => {
    const hanging = storeWith(
      async (query, client) => {
        const isStep = textOf(query).trim().startsWith(step) || textOf(query).includes(`SELECT ${step}`);
        return isStep ? new Promise(() => {}) : client.query(query);
      },
      { stepTimeoutMs: 200 },
    );
    const result = hanging.transact(request(), async (t) => void (await write(t)));
    await expect(result).rejects.toMatchObject({
      message: expect.stringContaining('did not answer within 200 ms'),
    });
    await expectNothing();
    await expectPoolIntact();
  });

  it('gives up when the pool has no connection, and returns one that comes late', async () => {
    const small = new pg.Pool({ ...postgresConfig, max: 1 });
    const held = await small.connect();
    const waiting = new PostgresStore(small, { table, transactional: true, stepTimeoutMs: 100 });
    await expect(waiting.transact(request(), neverRun)).rejects.toMatchObject({
      message: expect.stringContaining('No database connection within 100 ms'),
    });
    held.release();
    await eventually(async () => small.idleCount === 1);
    expect(await waiting.transact(request(), async () => {})).toEqual({ status: 'completed' });
    await small.end();
  });

  type Intercept = (query: string | PostgresQuery, client: PostgresPoolClient) => Promise<PostgresResult>;

  function storeWith(intercept: Intercept, options: { stepTimeoutMs?: number } = {}) {
    return new PostgresStore(poolWith(intercept), { table, transactional: true, ...options });
  }

  /** A pool whose connections have their queries intercepted. */
  function poolWith(intercept: Intercept): PostgresPool {
    return {
      totalCount: 10,
      query: (text, values) => pool.query(text, values),
      connect: (callback) =>
        pool.connect((error, client) => {
          if (client === undefined) return callback(error, undefined);
          callback(undefined, {
            query: (query, values) => {
              const bound: PostgresPoolClient = {
                query: (text, own) => client.query(text, own ?? values),
                release: () => {},
                on: () => {},
                removeListener: () => {},
              };
              return intercept(query, bound);
            },
            release: (error) => client.release(error),
            on: (event, listener) => client.on(event, listener),
            removeListener: (event, listener) => client.removeListener(event, listener),
          });
        }),
    };
  }
});

async function neverRun(): Promise<void> {
  throw new Error('must not run');
}

function textOf(query: string | PostgresQuery): string {
  return typeof query === 'string' ? query : query.text;
}

/** Waits for what the server does on its own, for example noticing that a connection is gone. */
async function eventually(condition: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 500; attempt += 1) {
    if (await condition()) return;
    await sleep(20);
  }
  throw new Error('did not happen within 10 s');
}
