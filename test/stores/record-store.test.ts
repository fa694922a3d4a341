import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ConfigurationError, StoreError } from '../../src/errors';
import { MemoryRecords } from '../../src/stores/memory-store';
import { recordFromText, recordToText, type SubjectRecord } from '../../src/stores/record';
import { createStore, type ReadRecord, type WriteRecord } from '../../src/stores/record-store';
import type { Claim, StoreSteps } from '../../src/stores/steps';
import { type TestStore, withSteps } from '../helpers/store-of';

const START = 1_900_000_000_000;

/** A store whose records somebody else writes each time, a second before its own write comes, up to this many times. */
function contended(times: number) {
  const written: WriteRecord[] = [];
  const record = recordToText({ done: [] }, 'theirs');
  const store = withSteps(
    createStore({
      list: async () => [],
      read: async () => ({ record, version: 1 + written.length, now: START + 1_000 * written.length }),
      write: async (_, change) => written.push(change) > times,
    }),
  );
  return { store, written };
}

describe('A claim that others come before', () => {
  it('asks for no later end of its lease, and for no more time, than its first attempt', async () => {
    const { store, written } = contended(2);
    const claim = await store.claim('payment:1', 'PAID', { leaseMs: 40_000, withinMs: 5_000 });
    expect(claim.status).toBe('claimed');
    expect(written.map(({ record }) => recordFromText<SubjectRecord>(record)?.lease?.until)).toEqual(
      Array(3).fill(START + 40_000),
    );
    expect(written.map(({ before }) => before)).toEqual(Array(3).fill(START + 5_000));
  });

  it('gives up after its time', async () => {
    const { store, written } = contended(100);
    const claiming = store.claim('payment:1', 'PAID', { leaseMs: 40_000, withinMs: 5_000 });
    await expect(claiming).rejects.toBeInstanceOf(StoreError);
    await expect(claiming).rejects.toThrow('did not carry out a claim within 5000 ms');
    expect(written).toHaveLength(5);
  });
});

/** Only the tests move time forward. */
function stopTime() {
  vi.useFakeTimers({ toFake: ['performance', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
}

it.each<[string, (store: StoreSteps, claim: Claim) => Promise<unknown>]>([
  ['claim', (store) => store.claim('payment:2', 'PAID', { leaseMs: 40_000, withinMs: 5_000 })],
  ['complete', (store, claim) => store.complete(claim, { retentionMs: 60_000, withinMs: 5_000 })],
  ['release', (store, claim) => store.release(claim)],
])(
  'a %s that others come before ends after its time, also where the database’s clock stands still',
  async (step, take) => {
    stopTime();
    const records = new Map<string, string>();
    let version = 0;
    let isContended = false;
    const store = withSteps(
      createStore({
        list: async () => [],
        read: async (subject) => {
          vi.advanceTimersByTime(1_000);
          return { record: records.get(subject), version, now: START };
        },
        write: async (subject, { record }) => {
          version += 1;
          if (!isContended) records.set(subject, record);
          return !isContended;
        },
      }),
    );
    const claim = await store.claim('payment:1', 'PAID', { leaseMs: 40_000, withinMs: 5_000 });
    isContended = true;
    const tooSlow = new StoreError(
      `The store's database did not carry out a ${step} within 5000 ms, although it answered: other processes wrote the ` +
        'same record each time, or its answers are slow. The next delivery tries again.',
    );
    await expect(take(store, claim as Claim)).rejects.toThrow(tooSlow);
    // A claim is read before its first write, and the reading of a claim is known.
    expect(version - 1).toBe(step === 'claim' ? 4 : 5);
  },
);

it('a claim whose read comes after its time writes nothing: nobody waits for it any more', async () => {
  stopTime();
  const written: WriteRecord[] = [];
  const store = withSteps(
    createStore({
      list: async () => [],
      read: async () => {
        vi.advanceTimersByTime(5_000);
        return { record: undefined, version: 0, now: START };
      },
      write: async (_, change) => written.push(change) > 0,
    }),
  );
  const claiming = store.claim('payment:1', 'PAID', { leaseMs: 40_000, withinMs: 5_000 });
  await expect(claiming).rejects.toThrow('did not carry out a claim within 5000 ms');
  expect(written).toEqual([]);
});

it('a completion is remembered from its claim on, whatever this process’s clock says', async () => {
  stopTime();
  const written: WriteRecord[] = [];
  const store = withSteps(
    createStore({
      list: async () => [],
      read: async () => ({ record: written.at(-1)?.record, version: written.length, now: START }),
      write: async (_, change) => written.push(change) > 0,
    }),
  );
  const month = 30 * 24 * 3_600_000;
  const pending = await store.claim('payment:1', 'PENDING', { leaseMs: 40_000, withinMs: 5_000 });
  await store.complete(pending as Claim, { retentionMs: month, withinMs: 5_000 });
  const paid = await store.claim('payment:1', 'PAID', { leaseMs: 40_000, withinMs: 5_000 });
  // The clock of this machine is put right while the callback runs.
  vi.setSystemTime(Date.now() + 31 * 24 * 3_600_000);
  await store.complete(paid as Claim, { retentionMs: month, withinMs: 5_000 });
  expect(recordFromText<SubjectRecord>(written.at(-1)?.record)?.done).toMatchObject([
    { state: 'PENDING', at: START, until: START + month },
    { state: 'PAID', at: START, until: START + month },
  ]);
});

it.each<[string, (store: TestStore, claim: Claim) => Promise<unknown>, unknown]>([
  ['claim', (store) => store.claim('payment:2', 'PAID', { leaseMs: 40_000, withinMs: 5_000 }), undefined],
  ['complete', (store, claim) => store.complete(claim, { retentionMs: 60_000, withinMs: 5_000 }), true],
  ['release', (store, claim) => store.release(claim), undefined],
  ['keepLetter', (store) => store.keepLetter({ key: 'a' } as never, 60_000), undefined],
])(
  'a %s that fails again and again, with nothing changed, is tried until it goes through',
  async (step, take, result) => {
    const records = new MemoryRecords(10, Date.now);
    let failures = 0;
    const failing = async <Result>(call: () => Promise<Result>): Promise<Result> => {
      failures -= 1;
      if (failures < 0) return call();
      throw Object.assign(new Error('could not serialize access'), { code: '40001' });
    };
    const store = withSteps(
      createStore({
        list: async () => [],
        read: (key): Promise<ReadRecord> => failing(() => records.read(key)),
        write: (key, change): Promise<boolean> => failing(() => records.write(key, change)),
      }),
    );
    const claim = (await store.claim('payment:1', 'PAID', { leaseMs: 40_000, withinMs: 5_000 })) as Claim;
    failures = 4;
    const taken = await take(store, claim);
    if (result !== undefined) expect(taken).toBe(result);
    expect(failures).toBeLessThan(0);
    const after = await store.claim('payment:1', 'PAID', { leaseMs: 40_000, withinMs: 5_000 });
    expect(after.status).toBe({ complete: 'done', release: 'claimed' }[step] ?? 'busy');
  },
);

it('a step gives the database’s own error, before its time is over', async () => {
  const error = new Error('the database is on fire');
  const store = withSteps(
    createStore({
      list: async () => [],
      read: () => Promise.reject(error),
      write: async () => true,
    }),
  );
  const claiming = store.claim('payment:1', 'PAID', { leaseMs: 40_000, withinMs: 200 });
  await expect(claiming).rejects.toBe(error);
});

it('a completion refuses a time that is none', async () => {
  const { store } = contended(0);
  const claim = await store.claim('payment:1', 'PAID', { leaseMs: 40_000, withinMs: 5_000 });
  const completing = store.complete(claim as Claim, { retentionMs: 60_000, withinMs: 0 });
  await expect(completing).rejects.toThrow('`withinMs`');
});

it.each([{ version: -1 }, { version: 1.5 }, { now: Number.NaN }])(
  'refuses what no client reads: %j',
  async (more) => {
    const store = withSteps(
      createStore({
        list: async () => [],
        read: async () => ({ record: undefined, version: 0, now: START, ...more }),
        write: async () => true,
      }),
    );
    const claiming = store.claim('payment:1', 'PAID', { leaseMs: 40_000, withinMs: 5_000 });
    const refusal = new StoreError(
      "The store's client gave a reply to read that its command never gives, so its outcome is unknown. Pass a plain " +
        'client, without transformed replies, outside a pipeline or MULTI.',
    );
    await expect(claiming).rejects.toThrow(refusal);
  },
);

const read = async () => undefined;
it.each([
  [undefined, '`records.read` to be a function: `async read(key) { … }`'],
  [{}, '`records.read` to be a function'],
  [{ read, write: read }, '`records.list` to be a function'],
  [{ read }, '`records.write` to be a function: `async write(key, change) { … }`'],
])('refuses the records %j', (records, says) => {
  const create = () => withSteps(createStore(records as never));
  expect(create).toThrow(ConfigurationError);
  expect(create).toThrow(says);
});

it('a dead letter is counted once, also where the reply to its write was lost', async () => {
  const records = new MemoryRecords(10, () => START);
  let losesReply = true;
  const store = withSteps(
    createStore({
      list: (prefix, page) => records.list(prefix, page),
      read: (key) => records.read(key),
      write: async (key, change) => {
        const isWritten = await records.write(key, change);
        if (!losesReply) return isWritten;
        losesReply = false;
        throw new Error('the reply was lost');
      },
    }),
  );
  const key = 'payment:1:PAID';
  const what = { key, subject: 'payment:1', state: 'PAID', kind: 'payment', code: 'callback_failed' };
  await store.keepLetter({ ...what, body: '{}', url: '/' }, 60_000);
  expect(await store.readLetter(key)).toMatchObject({ attempts: 1 });
});
