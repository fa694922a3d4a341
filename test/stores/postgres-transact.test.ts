import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { StoreError } from '../../src/errors';
import { type PostgresPool, PostgresStore } from '../../src/stores';
import { scriptedPool } from './scripted-pool';

const request = { subject: 'payment:1', state: 'PAID', retentionMs: 1000, timeoutMs: 1000 };
const open = (pool: PostgresPool) => new PostgresStore(pool, { transactional: true, maxTransactions: 1 });

async function neverRun(): Promise<void> {
  throw new Error('must not run');
}

/** Answers that no real server gives, or statements that a real server would not show. */
describe('PostgresStore with transactional: true, over a client with scripted answers,', () => {
  it('completes with five statements of its own, and gives its connection back', async () => {
    const { pool, client, sent, released } = scriptedPool();
    expect(await open(pool).transact(request, async () => undefined)).toEqual({ status: 'completed' });
    expect(sent).toEqual(['BEGIN', 'lock', 'claim', 'completion', 'COMMIT']);
    expect(released).toEqual([undefined]);
    expect(client.listenerCount('error')).toBe(0);
  });

  it('sets the role again where a statement of the callback names a role', async () => {
    const roles: unknown[] = [];
    const { pool, sent } = scriptedPool({
      role: ([role]) => {
        roles.push(role);
        return {};
      },
    });
    await open(pool).transact(request, async ({ query }) => void query);
    await open(pool).transact(request, async (transaction) => void (await transaction.query('SET ROLE me')));
    expect(sent.slice(5)).toEqual(['BEGIN', 'lock', 'claim', 'callback', 'role', 'completion', 'COMMIT']);
    expect(roles).toEqual(['none']);
  });

  it.each([
    [0, []],
    [1, []],
    [0, [{}]],
    [null, [{}]],
    [2, [{}]],
    [1, [{}, {}]],
    [2, [{}, {}]],
  ])('rolls back where the completion changed %j rows and returned %j', async (rowCount, rows) => {
    const { pool, sent, released } = scriptedPool({ completion: () => ({ rowCount, rows }) });
    await expect(open(pool).transact(request, async () => undefined)).rejects.toBeInstanceOf(StoreError);
    expect(sent.slice(3)).toEqual(['completion', 'ROLLBACK']);
    expect(released).toEqual([undefined]);
  });

  it.each(['ROLLBACK', 'commit', '', 'SELECT'])(
    'rejects where the COMMIT is answered with the command tag %j',
    async (command) => {
      const { pool, sent } = scriptedPool({ COMMIT: () => ({ command }) });
      await expect(open(pool).transact(request, async () => undefined)).rejects.toBeInstanceOf(StoreError);
      expect(sent.slice(-2)).toEqual(['COMMIT', 'ROLLBACK']);
    },
  );

  it('rolls back when the callback throws, and uses the connection and the slot again', async () => {
    const { pool, sent, released } = scriptedPool();
    const store = open(pool);
    const error = new Error('out of stock');
    const failing = store.transact(request, () => Promise.reject(error));
    await expect(failing).rejects.toBe(error);
    expect(sent).toEqual(['BEGIN', 'lock', 'claim', 'ROLLBACK']);
    expect(released).toEqual([undefined]);
    expect(await store.transact(request, async () => undefined)).toEqual({ status: 'completed' });
  });

  it.each([
    ['busy', 'lock', [{ locked: false, table: 'public.records', role: 'none' }], ['BEGIN', 'lock']],
    ['busy', 'claim', [], ['BEGIN', 'lock', 'claim']],
  ])(
    'answers %s without running the callback, and rolls back, after the %s',
    async (status, step, rows, steps) => {
      const { pool, sent, released } = scriptedPool({ [step]: () => ({ rows }) });
      expect(await open(pool).transact(request, neverRun)).toEqual({ status });
      expect(sent).toEqual([...steps, 'ROLLBACK']);
      expect(released).toEqual([undefined]);
    },
  );

  it('completes once, and frees its slot once, where a listener of the pool throws at the release', async () => {
    const { pool, client, sent } = scriptedPool();
    const release = vi.fn(() => {
      throw new Error('of a listener for release');
    });
    Object.assign(client, { release });
    const store = open(pool);
    const done = vi.fn();
    let most = 0;
    let atOnce = 0;
    const work = async () => {
      most = Math.max(most, ++atOnce);
      await sleep(5);
      atOnce -= 1;
      done();
    };
    expect(await store.transact(request, work)).toEqual({ status: 'completed' });
    expect([sent, release.mock.calls]).toEqual([
      ['BEGIN', 'lock', 'claim', 'completion', 'COMMIT'],
      [[undefined]],
    ]);
    await Promise.all([store.transact(request, work), store.transact(request, work)]);
    expect([done.mock.calls.length, most]).toEqual([3, 1]);
  });

  it('leaves no unhandled rejection where a listener throws at the release after an overdue callback', async () => {
    const { pool, client } = scriptedPool();
    Object.assign(client, {
      release: () => {
        throw new Error('of a listener for release');
      },
    });
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    onTestFinished(() => void process.off('unhandledRejection', unhandled));
    const late = open(pool).transact({ ...request, timeoutMs: 5 }, () => sleep(20));
    await expect(late).rejects.toThrow('The callback took longer than 5 ms');
    await sleep(40);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it.each(['timeoutMs', 'retentionMs'])('refuses an invalid %s, and sends no BEGIN', async (option) => {
    const { pool, sent } = scriptedPool();
    const store = open(pool);
    for (const value of [0, -1, Number.NaN]) {
      await expect(store.transact({ ...request, [option]: value }, neverRun)).rejects.toMatchObject({
        code: 'configuration',
        message: expect.stringContaining(`Expected \`${option}\` to be`),
      });
    }
    expect(sent).not.toContain('BEGIN');
    expect(await store.transact(request, async () => undefined)).toEqual({ status: 'completed' });
  });
});

describe('PostgresStore with transactional: true', () => {
  it.each([
    [20, 15],
    [10, 8],
    [3, 2],
    [2, 1],
    [1, 1],
    [undefined, 8],
  ])('opens, over a pool of at most %s connections, %s transactions at a time', async (max, most) => {
    const open = await mostOpen({ ...(max !== undefined && { options: { max } }) });
    expect(open).toBe(most);
  });

  it('opens as many transactions at a time as maxTransactions says', async () => {
    expect(await mostOpen({ options: { max: 10 } }, 6)).toBe(6);
    const { pool } = scriptedPool();
    for (const maxTransactions of [0, 1.5])
      expect(() => new PostgresStore(pool, { maxTransactions, transactional: true })).toThrow(
        'Expected `maxTransactions` to be',
      );
  });

  /** How many transactions a store opens at a time over a pool whose connections never answer. */
  async function mostOpen(like: Partial<PostgresPool>, maxTransactions?: number): Promise<number> {
    let connections = 0;
    const client = {
      query: () => new Promise<never>(() => undefined),
      release: () => undefined,
      on: () => undefined,
      removeListener: () => undefined,
    };
    const endless: PostgresPool = {
      ...like,
      totalCount: 0,
      query: client.query,
      connect: (give) => {
        connections += 1;
        give(undefined, client);
      },
    };
    const store = new PostgresStore(endless, { maxTransactions, transactional: true, stepTimeoutMs: 200 });
    const all = Array.from({ length: 20 }, () => store.transact(request, neverRun).catch(() => undefined));
    await sleep(20);
    const most = connections;
    await Promise.all(all);
    return most;
  }
});
