import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ConfigurationError, StoreError } from '../../src/errors';
import {
  type PostgresPool,
  type PostgresQueryable,
  type PostgresResult,
  PostgresStore,
} from '../../src/stores';

const request = { subject: 'payment:1', state: 'PAID', retentionMs: 1000, timeoutMs: 1000 };

/** A pool of one connection that gives scripted answers, and what the connection was released with. */
function poolOf(answer: (text: string) => Promise<PostgresResult>) {
  const client = new EventEmitter();
  const released: unknown[] = [];
  const sent: string[] = [];
  Object.assign(client, {
    release: (broken: unknown) => released.push(broken),
    query: (text: string) => {
      sent.push(text.trim().split(' ')[0] ?? '');
      return answer(text);
    },
  });
  const pool = {
    totalCount: 1,
    query: () => Promise.reject(new Error('not by the pool')),
    connect: (give: (error: undefined, given: unknown) => void) => give(undefined, client),
  } as unknown as PostgresPool;
  return { pool, client, released, sent };
}

describe('PostgresStore closes a connection that', () => {
  it.each([
    ['plain', (pool: PostgresPool) => new PostgresStore(pool).claim('payment:1', 'PAID', 1000)],
    [
      'transactional',
      (pool: PostgresPool) => new PostgresStore(pool, { transactional: true }).transact(request, neverRun),
    ],
  ])('was lost, and survives the errors it emits after that, in %s mode', async (_, use) => {
    const lost = new Error('Connection terminated unexpectedly');
    const { pool, client, released } = poolOf(() => Promise.reject(lost));
    await expect(use(pool)).rejects.toBe(lost);
    expect(released).toEqual([lost]);
    expect(() => client.emit('error', new Error('read ECONNRESET'))).not.toThrow();
  });

  it('failed with a value that is no error', async () => {
    const { pool, released } = poolOf(() => Promise.reject('gone'));
    await expect(new PostgresStore(pool).claim('payment:1', 'PAID', 1000)).rejects.toBe('gone');
    expect(released).toEqual([expect.any(StoreError)]);
    expect(released).toEqual([expect.objectContaining({ cause: 'gone' })]);
  });

  it('did not answer within stepTimeoutMs of its statement, and no sooner, however long connecting took', async () => {
    // As on a busy machine, connecting takes so long that no statement would fit into what is left of one step.
    const [stepTimeoutMs, connectingMs, answeringMs] = [400, 300, 200];
    const idle: object[] = [];
    const closed: unknown[] = [];
    let connections = 0;
    let answer = (): Promise<PostgresResult> =>
      sleep(answeringMs, { rows: [], rowCount: 0, command: 'UPDATE' });
    const connected = () => {
      connections += 1;
      const client = {
        query: () => answer(),
        on: () => undefined,
        removeListener: () => undefined,
        release: (broken: unknown) => (broken === undefined ? idle.push(client) : closed.push(broken)),
      };
      return sleep(connectingMs, client);
    };
    const pool = {
      totalCount: 1,
      query: () => Promise.reject(new Error('not by the pool')),
      connect: async (give: (error: undefined, given: unknown) => void) =>
        give(undefined, idle.pop() ?? (await connected())),
    } as unknown as PostgresPool;
    const store = new PostgresStore(pool, { stepTimeoutMs });
    const claim = { subject: 'payment:1', state: 'PAID', token: 'token', fence: 1, handledStates: [] };

    await expect(store.release(claim)).rejects.toBeInstanceOf(StoreError);
    await expect.poll(() => idle).toHaveLength(1);
    await store.release(claim);
    expect({ connections, closed }).toEqual({ connections: 1, closed: [] });

    answer = () => new Promise(() => undefined);
    await expect(store.release(claim)).rejects.toBeInstanceOf(StoreError);
    await expect.poll(() => closed).toEqual([expect.any(StoreError)]);
    expect(idle).toEqual([]);
  });

  it('did not answer in time, and sends it no ROLLBACK, in transactional mode', async () => {
    const { pool, released, sent } = poolOf((text) =>
      text.startsWith('BEGIN') ? new Promise(() => undefined) : Promise.reject(new Error('busy')),
    );
    const store = new PostgresStore(pool, { transactional: true, stepTimeoutMs: 50 });
    await expect(store.transact(request, neverRun)).rejects.toBeInstanceOf(StoreError);
    expect(released).toEqual([expect.any(StoreError)]);
    expect(sent).toEqual(['BEGIN']);
  });
});

describe('PostgresStore, giving back a connection that answered,', () => {
  it('survives an error that the release throws', async () => {
    const { pool, client } = poolOf(async () => ({ rows: [], rowCount: 0, command: '' }));
    const release = vi.fn(() => {
      throw new Error('of a listener for release');
    });
    Object.assign(client, { release });
    expect(await new PostgresStore(pool).claim('payment:1', 'PAID', 1000)).toEqual({ status: 'busy' });
    expect(release.mock.calls).toEqual([[undefined]]);
  });
});

describe('PostgresStore, whose pool has no connection to give,', () => {
  it.each([
    ['plain', (pool: PostgresPool) => new PostgresStore(pool).claim('payment:1', 'PAID', 1000)],
    [
      'transactional',
      (pool: PostgresPool) => new PostgresStore(pool, { transactional: true }).transact(request, neverRun),
    ],
  ])('rejects with the pool’s reason, in %s mode', async (_, use) => {
    const refused = new Error('connect ECONNREFUSED');
    await expect(use(poolWithout(refused))).rejects.toBe(refused);
  });

  it('assumes no claim, so that nothing is released later', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const pool = poolWithout(new Error('connect ECONNREFUSED'));
    await expect(new PostgresStore(pool).claim('payment:1', 'PAID', 1000)).rejects.toBeInstanceOf(Error);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('frees its slot for the next transaction', async () => {
    const pool = poolWithout(new Error('connect ECONNREFUSED'));
    const store = new PostgresStore(pool, { transactional: true, maxTransactions: 1, stepTimeoutMs: 200 });
    for (let attempt = 0; attempt < 3; attempt += 1)
      await expect(store.transact(request, neverRun)).rejects.toThrow('ECONNREFUSED');
  });

  function poolWithout(reason: Error): PostgresPool {
    return {
      totalCount: 0,
      query: () => Promise.reject(new Error('not by the pool')),
      connect: (give) => give(reason, undefined),
    };
  }
});

describe('PostgresStore, given a database that is no pool,', () => {
  const query = async () => ({ rows: [] });
  const connect = () => {
    throw new Error('not by a connection');
  };
  const noPools: [string, PostgresQueryable][] = [
    ['a Client, whose connect gives no connection', Object.assign({ query }, { connect })],
    ['a database that counts something', Object.assign({ query }, { totalCount: 1 })],
    ['a database with another connect', Object.assign({ query }, { connect: true, totalCount: 1 })],
  ];

  it.each(noPools)('queries it directly, and refuses it as transactional: %s', async (_, given) => {
    expect(await new PostgresStore(given).claim('payment:1', 'PAID', 1000)).toEqual({ status: 'busy' });
    expect(() => new PostgresStore(given as PostgresPool, { transactional: true })).toThrow(
      ConfigurationError,
    );
  });

  it('rejects with its error, and may be used again', async () => {
    const lost = new Error('Connection terminated');
    let answer = (): Promise<{ rows: unknown[] }> => Promise.reject(lost);
    const store = new PostgresStore({ query: () => answer() });
    await expect(store.unpark('payment:1')).rejects.toBe(lost);
    answer = query;
    await expect(store.unpark('payment:1')).resolves.toBeUndefined();
  });
});

async function neverRun(): Promise<void> {
  throw new Error('must not run');
}
