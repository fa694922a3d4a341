import { afterEach, describe, expect, it, vi } from 'vitest';
import { ConfigurationError, StoreError } from '../../src/errors';
import type { PostgresPool, PostgresPoolClient, PostgresQuery, PostgresResult } from '../../src/stores';
import { type PoolTransaction, poolAccess } from '../../src/stores/postgres-pool';

type Answer = (text: string) => unknown;

/** A pool with one connection, whose answers have the statement's first word as their command, or what is said. */
function poolOf(answer: Answer = (text) => ({ command: text.split(' ')[0] })) {
  const sent: PostgresQuery[] = [];
  const listeners = new Set<unknown>();
  const release = vi.fn();
  const client: PostgresPoolClient = {
    query: async (query) => {
      sent.push(query as PostgresQuery);
      return answer((query as PostgresQuery).text) as PostgresResult;
    },
    release,
    on: (_, listener) => listeners.add(listener),
    removeListener: (_, listener) => listeners.delete(listener),
  };
  const pool: PostgresPool = {
    totalCount: 1,
    query: () => Promise.reject(new Error('must not be used')),
    connect: (callback) => callback(undefined, client),
  };
  const transact = (work: (transaction: PoolTransaction) => Promise<void>) =>
    poolAccess(pool, 50).transaction(work, { timeoutMs: 2_000 });
  return { pool, sent, listeners, release, transact, texts: () => sent.map(({ text }) => text) };
}

/** What became of the promise of a query, in the tests that need no answer to it. */
const ignored = () => undefined;

describe('a statement of a callback', () => {
  const control =
    'A callback cannot begin or end the transaction it runs in: return to commit, throw to roll back.';
  const noWord =
    "Expected an SQL statement that begins with a word, or with comments before it: query('SELECT 1'), or " +
    "query({ text: 'SELECT 1' }).";

  it.each([
    ['BEGIN', control],
    ['start transaction', control],
    ['\t\n\r\f COMMIT', control],
    ['END', control],
    ['Abort', control],
    ["PREPARE  TRANSACTION 'x'", control],
    ['ROLLBACK', control],
    ['ROLLBACK WORK', control],
    ['ROLLBACK TRANSACTION', control],
    ['ROLLBACK AND CHAIN', control],
    ['ROLLBACK TOO', control],
    ['-- a comment\nCOMMIT', control],
    ['-- a\r--b\n\n COMMIT', control],
    ['--\nCOMMIT', control],
    ['/**/COMMIT', control],
    ['/* a */ /* b */COMMIT', control],
    ['/* * / ** */COMMIT', control],
    ['/* a/b **/COMMIT', control],
    ['-- all of it', noWord],
    ['--', noWord],
    ['/* not closed', noWord],
    ['/* a /* nested */ */ SELECT 1', noWord],
    ['SELECT', undefined],
    ['(SELECT 1)', undefined],
    ['SELECT 1 -- COMMIT', undefined],
    ['SELECT 1 /* COMMIT */', undefined],
    ['-- COMMIT\nSELECT 1', undefined],
    ['/* COMMIT */ SELECT 1', undefined],
    ["PREPARE name AS SELECT 'TRANSACTION'", undefined],
    ['BEGINNING', undefined],
    ['SAVEPOINT a', undefined],
    ['ROLLBACK TO a', undefined],
    ['rollback  to a', undefined],
    ['ROLLBACK WORK TO SAVEPOINT a', undefined],
    ['ROLLBACK  WORK  TO a', undefined],
    ['ROLLBACK TRANSACTION TO a', undefined],
  ])('%j is sent or refused', async (statement, refusal) => {
    const { transact, texts } = poolOf();
    const done = transact(async (transaction) => {
      await transaction.query(statement).catch(ignored);
      transaction.close();
    });
    if (refusal !== undefined) await expect(done).rejects.toThrow(new ConfigurationError(refusal));
    else await done;
    expect(texts()).toEqual(refusal ? ['BEGIN', 'ROLLBACK'] : ['BEGIN', statement, 'COMMIT']);
  });
});

describe('a connection of the pool', () => {
  const failed = new Error('failed');
  const fail = async () => {
    throw failed;
  };

  it('is used again after a ROLLBACK', async () => {
    const { transact, sent, release, listeners } = poolOf();
    await expect(transact(fail)).rejects.toBe(failed);
    expect(sent).toEqual([{ text: 'BEGIN', query_timeout: 50 }, { text: 'ROLLBACK' }]);
    expect(release).toHaveBeenCalledExactlyOnceWith(undefined);
    expect(listeners.size).toBe(0);
  });

  it.each([
    ['has another command', () => ({ command: 'COMMIT' }), 'ROLLBACK was answered with COMMIT.', undefined],
    ['never comes', () => new Promise(() => undefined), 'ROLLBACK was not answered.', undefined],
    ['is no Error', () => Promise.reject('lost'), 'The connection failed.', 'lost'],
  ])('is closed, and listened to, where the answer to ROLLBACK %s', async (_, answer, message, cause) => {
    const { transact, release, listeners } = poolOf((text) =>
      text === 'ROLLBACK' ? answer() : { command: text },
    );
    await expect(transact(fail)).rejects.toBe(failed);
    expect(release).toHaveBeenCalledExactlyOnceWith(new StoreError(message, { cause }));
    expect(listeners.size).toBe(1);
  });

  it('is closed with the error of the ROLLBACK', async () => {
    const lost = new Error('lost');
    const { transact, release } = poolOf((text) => (text === 'ROLLBACK' ? Promise.reject(lost) : {}));
    await expect(transact(fail)).rejects.toBe(failed);
    expect(release).toHaveBeenCalledExactlyOnceWith(lost);
  });

  it('is not needed for a statement outside of any transaction', async () => {
    const query = vi.fn(async () => ({ rows: [] }));
    await poolAccess({ ...poolOf().pool, query }, 50).query(undefined, 'SELECT $1', [1]);
    expect(query.mock.calls).toEqual([['SELECT $1', [1]]]);
  });

  it('is missing: the transaction fails with the pool’s error', async () => {
    const { pool } = poolOf();
    const refusing: PostgresPool = { ...pool, connect: (callback) => callback(failed, undefined) };
    await expect(poolAccess(refusing, 50).transaction(fail, { timeoutMs: 50 })).rejects.toBe(failed);
  });

  it('is missing for too long', async () => {
    const { pool } = poolOf();
    const silent: PostgresPool = { ...pool, connect: () => undefined };
    await expect(poolAccess(silent, 50).transaction(fail, { timeoutMs: 50 })).rejects.toThrow(
      "No database connection within 50 ms. Raise the pool's max, look for callbacks that take long, or, if the " +
        'server does not answer, set connectionTimeoutMillis in the pool.',
    );
  });
});

describe('a query that is not awaited', () => {
  const late =
    'A callback sent a query after its transaction had ended. Await every query, and every helper that sends one.';
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });

  it('fails the transaction while it runs', async () => {
    const { transact, texts } = poolOf();
    const failing = transact(async (transaction) => {
      void transaction.query('SELECT 1');
      transaction.close();
    });
    await expect(failing).rejects.toThrow(
      'The callback returned while a query of its transaction was still running, so all of it is rolled back. Await ' +
        'every query: `for … of` in place of `forEach(async …)`, `Promise.all` where there are several.',
    );
    expect(texts()).toEqual(['BEGIN', 'SELECT 1', 'ROLLBACK']);
  });

  it('is warned of after the callback, and rejects without a warning after a rollback', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const { transact, texts } = poolOf();
    let kept: PoolTransaction | undefined;
    const failing = transact(async (transaction) => {
      kept = transaction;
      throw new Error('failed');
    });
    await expect(failing).rejects.toThrow('failed');
    await expect(kept?.query('SELECT 1')).rejects.toThrow(new StoreError(late));
    expect(warned).not.toHaveBeenCalled();

    expect(() => kept?.close()).not.toThrow();
    void kept?.query('SELECT 1');
    expect(warned).toHaveBeenCalledExactlyOnceWith(new StoreError(late).message, 'PixAutomaticWarning');
    expect(() => kept?.close()).toThrow(new StoreError(late));
    expect(texts()).toEqual(['BEGIN', 'ROLLBACK']);
  });

  it.each([undefined, {}])('fails the commit where `process` is %j, as outside Node', async (process) => {
    const { transact, texts } = poolOf();
    const failing = transact(async (transaction) => {
      transaction.close();
      vi.stubGlobal('process', process);
      void transaction.query('SELECT 1');
      vi.unstubAllGlobals();
    });
    await expect(failing).rejects.toThrow(new StoreError(late));
    expect(texts()).toEqual(['BEGIN', 'ROLLBACK']);
  });
});
