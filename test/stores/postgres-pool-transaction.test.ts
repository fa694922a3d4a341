import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { StoreError } from '../../src/errors';
import type { PostgresPool } from '../../src/stores/postgres-pool';
import {
  type PoolTransaction,
  type PostgresPoolClient,
  type PostgresResult,
  poolAccess,
  type SentStatement,
} from '../../src/stores/postgres-pool';

type Answer = (text: string) => unknown;

/** A pool with one connection, whose answers have the statement's first word as their command, or what is said. */
function poolOf(answer: Answer = (text) => ({ command: text.split(' ')[0] })) {
  const sent: SentStatement[] = [];
  const listeners = new Set<unknown>();
  const release = vi.fn();
  const client: PostgresPoolClient = {
    query: async (query) => {
      sent.push(query);
      return answer(query.text) as PostgresResult;
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

/** An answer to the statement of this text alone. */
const answerTo = (text: string, answer: () => unknown) => (sent: string) =>
  sent === text ? answer() : { command: sent.split(' ')[0] };

/** Whatever the server, the database or the role says. */
const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';

/** What became of the promise of a query, in the tests that need no answer to it. */
const ignored = () => undefined;

describe('a statement of a callback', () => {
  it('is sent as it is, to be refused by PostgreSQL if it is more than one', async () => {
    const { transact, sent } = poolOf();
    await transact(async (transaction) => {
      await transaction.query('PREPARE/**/TRANSACTION $1', ['x']);
      await transaction.query({ text: 'SELECT $1', values: [1], name: 'one', rowMode: 'array' }, [2]);
      transaction.close();
    });
    expect(sent.slice(1, 3)).toEqual([
      { text: 'PREPARE/**/TRANSACTION $1', values: ['x'], queryMode: 'extended' },
      { text: 'SELECT $1', values: [2], name: 'one', rowMode: 'array', queryMode: 'extended' },
    ]);
  });

  it.each([
    ['an error of the driver', new Error('Query read timeout'), new Error('Query read timeout')],
    ['no error', 'lost', new StoreError('The connection failed.', { cause: 'lost' })],
  ])(
    'that ends with %s fails the transaction, also where the callback catches it',
    async (_, thrown, failure) => {
      const { transact, texts } = poolOf(answerTo('INSERT', () => Promise.reject(thrown)));
      const failing = transact(async (transaction) => {
        await transaction.query('INSERT').catch(ignored);
        transaction.close();
      });
      await expect(failing).rejects.toEqual(failure);
      expect(texts()).toEqual([BEGIN, 'INSERT', 'ROLLBACK']);
    },
  );

  it('that PostgreSQL refused leaves it to PostgreSQL whether the transaction goes on', async () => {
    const refused = Object.assign(new Error('duplicate key'), { severity: 'ERROR' });
    const { transact, texts } = poolOf(answerTo('INSERT', () => Promise.reject(refused)));
    await transact(async (transaction) => {
      await transaction.query('SAVEPOINT a');
      await transaction.query('INSERT').catch(ignored);
      await transaction.query('ROLLBACK TO a');
      transaction.close();
    });
    expect(texts()).toEqual([BEGIN, 'SAVEPOINT a', 'INSERT', 'ROLLBACK TO a', 'COMMIT']);
  });
});

describe('a connection of the pool', () => {
  const [failed, lost] = [new Error('failed'), new Error('lost')];
  const fail = async () => {
    throw failed;
  };

  it('is used again after a ROLLBACK', async () => {
    const { transact, sent, release, listeners } = poolOf();
    await expect(transact(fail)).rejects.toBe(failed);
    expect(sent).toEqual([{ text: BEGIN, query_timeout: 50 }, { text: 'ROLLBACK' }]);
    expect(release).toHaveBeenCalledExactlyOnceWith(undefined);
    expect(listeners.size).toBe(0);
  });

  it.each([
    [
      'has another command',
      () => ({ command: 'COMMIT' }),
      new StoreError('ROLLBACK was answered with COMMIT.'),
    ],
    ['never comes', () => new Promise(() => undefined), new StoreError('ROLLBACK was not answered.')],
    [
      'is no Error',
      () => Promise.reject('lost'),
      new StoreError('The connection failed.', { cause: 'lost' }),
    ],
    ['is an error', () => Promise.reject(lost), lost],
  ])('is closed, and listened to, where the answer to ROLLBACK %s', async (_, answer, error) => {
    const { transact, release, listeners } = poolOf(answerTo('ROLLBACK', answer));
    await expect(transact(fail)).rejects.toBe(failed);
    expect(release).toHaveBeenCalledExactlyOnceWith(error);
    expect(listeners.size).toBe(1);
  });

  it('is not needed for a statement outside of any transaction', async () => {
    const query = vi.fn(async () => ({ rows: [] }));
    await poolAccess({ ...poolOf().pool, query }, 50).query(undefined, 'SELECT $1', [1]);
    expect(query.mock.calls).toEqual([['SELECT $1', [1]]]);
  });

  it.each<[string, PostgresPool['connect'], Error]>([
    ['missing', (callback) => callback(failed, undefined), failed],
    [
      'missing for too long',
      () => undefined,
      new StoreError(
        "No database connection within 50 ms. Raise the pool's max, look for callbacks that take long, or, if the " +
          'server does not answer, set connectionTimeoutMillis in the pool.',
      ),
    ],
  ])('is %s: the transaction fails', async (_, connect, error) => {
    const access = poolAccess({ ...poolOf().pool, connect }, 50);
    await expect(access.transaction(fail, { timeoutMs: 50 })).rejects.toThrow(error);
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
      'The callback returned while a query of its transaction was still running. `Promise.all` awaits several.',
    );
    expect(texts()).toEqual([BEGIN, 'SELECT 1', 'ROLLBACK']);
  });

  it('rejects after a rollback; after the callback it is warned of, and stays pending, so as not to end the process', async () => {
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
    const settled = vi.fn();
    void kept?.query('SELECT 1').then(settled, settled);
    await sleep(0);
    expect(settled).not.toHaveBeenCalled();
    expect(warned).toHaveBeenCalledExactlyOnceWith(new StoreError(late).message, 'PixAutomaticWarning');
    expect(() => kept?.close()).toThrow(new StoreError(late));
    expect(texts()).toEqual([BEGIN, 'ROLLBACK']);
  });

  it.each([undefined, {}])(
    'before the commit fails it, also where `process` is %j, as outside Node',
    async (process) => {
      const { transact, texts } = poolOf();
      const failing = transact(async (transaction) => {
        transaction.close();
        vi.stubGlobal('process', process);
        void transaction.query('SELECT 1');
        vi.unstubAllGlobals();
      });
      await expect(failing).rejects.toThrow(new StoreError(late));
      expect(texts()).toEqual([BEGIN, 'ROLLBACK']);
    },
  );
});
