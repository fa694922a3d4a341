import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { ReadRecord } from '../../src/stores/record-store';
import type { RecordsWithin } from '../../src/stores/sql-records';
import type { Act } from '../../src/stores/steps';
import { transactWithin } from '../../src/stores/transact';
import type { TransactionAccess, TransactionOptions } from '../../src/stores/transaction-access';
import { deferred } from '../helpers/deferred';

// What the databases do with it is in transact-endings.test.ts, and what the ORMs do is in test/orms.

const request = { subject: 'payment:1', state: 'PAID', retentionMs: 60_000, timeoutMs: 1_000 };
const FREE = { record: '{"format":2,"token":"free","done":[]}', version: 7, now: 1_000_000 };

/** A store over one record, whose writes count once `commit` is called, and whose steps may be replaced. */
function storeOver(
  transaction: (work: () => Promise<void>, commit: () => void) => PromiseLike<unknown>,
  steps: Partial<RecordsWithin<undefined>> = {},
  options: TransactionOptions = {},
) {
  let standing: ReadRecord = FREE;
  let written: ReadRecord | undefined;
  const log: string[] = [];
  const note = (step: string) => async () => void log.push(step);
  const commit = () => {
    log.push('commit');
    standing = written ?? standing;
  };
  const records: RecordsWithin<undefined> = {
    read: async () => standing,
    lock: async () => standing,
    lockInTurn: async () => standing,
    liftLimit: note('lift'),
    savepoint: note('savepoint'),
    undo: note('undo'),
    release: note('release'),
    beforeCommit: async () => 'held',
    list: async () => [],
    async write(_, { record, next }) {
      written = { ...standing, record, version: next };
      return true;
    },
    ...steps,
  };
  const access: TransactionAccess<undefined> = {
    transaction: (work) => transaction(() => work(undefined), commit),
    query: async () => [],
  };
  const transact = transactWithin(access, records, { stepTimeoutMs: 300, holdMs: 100, ...options });
  const deliver = (callback: Parameters<Act>[0], changes: object = {}) =>
    transact({ ...request, ...changes }, ({ act }) => act(callback));
  return { deliver, transact, log };
}

const committing = async (work: () => Promise<void>, commit: () => void) => {
  await work();
  commit();
};
const done = async () => 'done' as const;
const never = () => new Promise<'done'>(() => undefined);
const boom = new Error('boom');

describe('a transaction', () => {
  it('is answered only when its callback has ended, also where the access settles before that', async () => {
    // As Knex does when the callback calls `trx.commit()`.
    const committed = deferred();
    const { deliver } = storeOver(async (work, commit) => {
      work().catch(() => undefined);
      await committed.promise;
      commit();
    });
    let hasEnded = false;
    const result = await deliver(async () => {
      committed.resolve();
      await sleep(50);
      hasEnded = true;
      throw boom;
    });
    expect(hasEnded).toBe(true);
    expect(result).toEqual({ status: 'failed', during: 'own commit', error: boom });
    expect(await deliver(done)).toMatchObject({ status: 'done' });
  });

  it('gives its slot back when it has ended, also where its callback never does', async () => {
    // As the store over a pool does, and ORMs with a limit of their own: Prisma.
    const limited = (work: () => Promise<void>, commit: () => void) =>
      Promise.race([work().then(commit), sleep(100).then(() => Promise.reject(boom))]);
    const { deliver } = storeOver(limited, {}, { maxTransactions: 1, slotTimeoutMs: 400 });
    expect((await deliver(never, { timeoutMs: 20 })).status).toBe('late');
    expect(await deliver(done, { state: 'REFUNDED' })).toMatchObject({ status: 'completed' });
  });

  it('keeps its slot until it has ended, also where it is answered before', async () => {
    const { promise, resolve } = deferred();
    const slow = async (work: () => Promise<void>, commit: () => void) => {
      await work();
      await promise;
      commit();
    };
    const { deliver } = storeOver(slow, {}, { maxTransactions: 1, slotTimeoutMs: 20 });
    const answered = await deliver(done, { storeTimeoutMs: 20 });
    expect(answered).toMatchObject({ status: 'failed', during: 'commit' });
    expect(await deliver(done)).toMatchObject({
      status: 'failed',
      during: 'begin',
      error: { message: expect.stringContaining('1 transactions were open for 20 ms') },
    });
    resolve();
    await sleep(1);
    expect((await deliver(done)).status).toBe('done');
  });

  const failing = {
    rejects: () => Promise.reject(boom),
    'throws at once': () => {
      throw boom;
    },
  };
  it.each(
    (['read', 'lock', 'savepoint', 'write', 'beforeCommit'] as const).flatMap((step) =>
      Object.entries(failing).map(([how, fails]) => [step, how, fails] as const),
    ),
  )('never rejects: %s %s', async (step, _, fails) => {
    const { deliver } = storeOver(committing, { [step]: fails });
    expect(await deliver(done)).toMatchObject({ status: 'failed' });
  });

  it.each<[string, () => ReturnType<ReturnType<typeof storeOver>['deliver']>]>([
    [
      'the access throws at once',
      () =>
        storeOver(() => {
          throw boom;
        }).deliver(done),
    ],
    ['the access resolves without its work', () => storeOver(async () => undefined).deliver(done)],
    [
      'the callback throws at once',
      () =>
        storeOver(committing).deliver(() => {
          throw boom;
        }),
    ],
    [
      'the preparation throws at once',
      () =>
        storeOver(committing).deliver(done, {
          prepare: () => {
            throw boom;
          },
        }),
    ],
    ['a limit is none', () => storeOver(committing).deliver(done, { timeoutMs: 0 })],
  ])('never rejects: %s', async (_, deliver) => {
    expect(await deliver()).toMatchObject({ status: 'failed' });
  });

  it('is over when the database hangs, and sends nothing when it goes on after that', async () => {
    const { promise, resolve } = deferred();
    const { deliver, log } = storeOver(
      committing,
      { lock: () => promise.then(() => FREE) },
      { stepTimeoutMs: 20 },
    );
    const result = await deliver(done);
    expect(result).toMatchObject({ status: 'failed', during: 'begin' });
    resolve();
    await sleep(10);
    expect(log).not.toContain('commit');
  });

  const conflict = Object.assign(new Error('could not serialize access'), { code: '40001' });
  it.each([
    [
      'is tried again where the database has rolled it back for others',
      new Error('wrapped', { cause: conflict }),
      2,
    ],
    ['is not tried again after any other failure', boom, 1],
  ])('%s', async (_, error, runs) => {
    let run = 0;
    const { deliver } = storeOver(committing);
    const result = await deliver(async () => {
      run += 1;
      if (run === 1) throw error;
      return 'done';
    });
    expect([result.status, run]).toEqual([runs === 2 ? 'completed' : 'failed', runs]);
  });

  it('is tried again five times at most, and not after its time', async () => {
    for (const [timeoutMs, most] of [
      [1_000, 5],
      [30, 1],
    ] as const) {
      let runs = 0;
      const result = await storeOver(committing).deliver(
        async () => {
          runs += 1;
          if (most === 1) await sleep(40);
          throw conflict;
        },
        { timeoutMs },
      );
      const ended = result.status === 'late' ? await result.ended : result;
      expect([ended, runs]).toEqual([{ status: 'failed', during: 'callback', error: conflict }, most]);
    }
  });
});
