import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ConfigurationError, StoreError } from '../../src/errors';
import { createStore } from '../../src/stores/create-store';
import { MemoryRecords } from '../../src/stores/memory-store';
import { recordFromText, recordToText, type SubjectRecord } from '../../src/stores/record';
import type { RecordStore, WriteRecord } from '../../src/stores/record-store';
import { type Claim, stepsOf } from '../../src/stores/steps';
import { type TestStore, withSteps } from '../helpers/store-of';
import { letter } from './claims';

const START = 1_900_000_000_000;
const MONTH_MS = 30 * 24 * 3_600_000;
const limits = { leaseMs: 40_000, withinMs: 5_000 };
const NO_RECORD = { record: undefined, version: 0, now: START };
const tooLate = (step: string) =>
  new StoreError(
    `The store's database did not carry out a ${step} within 5000 ms, although it answered: other processes wrote the ` +
      'same record each time, or its answers are slow. The next delivery tries again.',
  );

/** A store over these records, which writes down what is written. */
function storeOver({ read, write = async () => true }: Partial<RecordStore> & Pick<RecordStore, 'read'>) {
  const written: WriteRecord[] = [];
  const records: RecordStore = {
    list: async () => [],
    read,
    write: (key, change) => {
      written.push(change);
      return write(key, change);
    },
  };
  return { store: withSteps(createStore(records)), written };
}

/** A store whose records somebody else writes each time, a second before its own write comes, up to this many times. */
function contended(times: number) {
  const record = recordToText({ done: [] }, 'theirs');
  const { store, written } = storeOver({
    read: async () => ({ record, version: 1 + written.length, now: START + 1_000 * written.length }),
    write: async () => written.length > times,
  });
  return { store, written };
}

const claim = (store: TestStore, state = 'PAID', subject = 'payment:1') =>
  store.claim(subject, state, limits) as Promise<Claim>;

describe('A claim that others come before', () => {
  it('asks for no later end of its lease, and for no more time, than its first attempt', async () => {
    const { store, written } = contended(2);
    expect(await claim(store)).toMatchObject({ status: 'claimed' });
    expect(
      written.map(({ record, before }) => [recordFromText<SubjectRecord>(record)?.lease?.until, before]),
    ).toEqual(Array(3).fill([START + 40_000, START + 5_000]));
  });

  it('gives up after its time', async () => {
    const { store, written } = contended(100);
    await expect(claim(store)).rejects.toThrow(tooLate('claim'));
    expect(written).toHaveLength(5);
  });
});

/** Only the tests move time forward. */
function stopTime() {
  vi.useFakeTimers({ toFake: ['performance', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
}

type Take = (store: TestStore, claim: Claim) => Promise<unknown>;
const take = {
  claim: (store) => claim(store, 'PAID', 'payment:2'),
  complete: (store, claim) => store.complete(claim, { retentionMs: 60_000, withinMs: 5_000 }),
  release: (store, claim) => store.release(claim),
  keepLetter: (store) => store.keepLetter(letter, 60_000),
} satisfies Record<string, Take>;

it.each(['claim', 'complete', 'release'] as const)(
  'a %s that others come before ends after its time, also where the database’s clock stands still',
  async (step) => {
    stopTime();
    const records = new Map<string, string>();
    let isContended = false;
    const { store, written } = storeOver({
      read: async (subject) => {
        vi.advanceTimersByTime(1_000);
        return { record: records.get(subject), version: written.length, now: START };
      },
      write: async (subject, { record }) => {
        if (!isContended) records.set(subject, record);
        return !isContended;
      },
    });
    const held = await claim(store);
    isContended = true;
    await expect(take[step](store, held)).rejects.toThrow(tooLate(step));
    // A claim is read before its first write, and the reading of a claim is known.
    expect(written.length - 1).toBe(step === 'claim' ? 4 : 5);
  },
);

it('a claim whose read comes after its time writes nothing: nobody waits for it any more', async () => {
  stopTime();
  const { store, written } = storeOver({
    read: async () => {
      vi.advanceTimersByTime(5_000);
      return NO_RECORD;
    },
  });
  await expect(claim(store)).rejects.toThrow(tooLate('claim'));
  expect(written).toEqual([]);
});

it('a completion is remembered from its claim on, whatever this process’s clock says', async () => {
  stopTime();
  const { store, written } = storeOver({
    read: async () => ({ record: written.at(-1)?.record, version: written.length, now: START }),
  });
  const retention = { retentionMs: MONTH_MS, withinMs: 5_000 };
  await store.complete(await claim(store, 'PENDING'), retention);
  const paid = await claim(store);
  // The clock of this machine is put right while the callback runs.
  vi.setSystemTime(Date.now() + MONTH_MS + 1);
  await store.complete(paid, retention);
  const done = ['PENDING', 'PAID'].map((state) => ({ state, at: START }));
  expect(recordFromText<SubjectRecord>(written.at(-1)?.record)).toMatchObject({
    done,
    until: START + MONTH_MS,
  });
});

it.each([
  ['claim', 'claimed, then busy'],
  ['complete', 'true, then done'],
  ['release', 'undefined, then claimed'],
  ['keepLetter', 'undefined, then busy'],
] as const)(
  'a %s that fails again and again, with nothing changed, is tried until it goes through: %s',
  async (step, expected) => {
    const records = new MemoryRecords(10, Date.now);
    let failures = 0;
    const failing = async <Result>(call: () => Promise<Result>): Promise<Result> => {
      failures -= 1;
      if (failures < 0) return call();
      throw Object.assign(new Error('could not serialize access'), { code: '40001' });
    };
    const { store } = storeOver({
      read: (key) => failing(() => records.read(key)),
      write: (key, change) => failing(() => records.write(key, change)),
    });
    const held = await claim(store);
    failures = 4;
    const taken = await take[step](store, held);
    expect(failures).toBeLessThan(0);
    expect(
      `${Object(taken).status ?? taken}, then ${(await store.claim('payment:1', 'PAID', limits)).status}`,
    ).toBe(expected);
  },
);

it('a step gives the database’s own error, before its time is over', async () => {
  const error = new Error('the database is on fire');
  const { store } = storeOver({ read: () => Promise.reject(error) });
  await expect(store.claim('payment:1', 'PAID', { ...limits, withinMs: 200 })).rejects.toBe(error);
});

it('a completion refuses a time that is none', async () => {
  const { store } = contended(0);
  const completing = store.complete(await claim(store), { retentionMs: 60_000, withinMs: 0 });
  await expect(completing).rejects.toThrow('`withinMs`');
});

it.each([{ version: -1 }, { version: 1.5 }, { now: Number.NaN }])(
  'refuses what no client reads: %j',
  async (more) => {
    const { store } = storeOver({ read: async () => ({ ...NO_RECORD, ...more }) });
    const refusal = new StoreError(
      "The store's client gave a reply to read that its command never gives, so its outcome is unknown. Pass a plain " +
        'client, without transformed replies, outside a pipeline or MULTI.',
    );
    await expect(claim(store)).rejects.toThrow(refusal);
  },
);

it('nothing but a store of the library is taken for one', () => {
  expect(() => stepsOf({} as never)).toThrow(
    new ConfigurationError(
      'Expected `store` to be a store: `new PostgresStore(pool)`, for example. For a database of your own, ' +
        '`createStore(records)` of pix-automatic-sdk/stores makes one.',
    ),
  );
});

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
  const { store, written } = storeOver({
    read: (key) => records.read(key),
    write: async (key, change) => {
      const isWritten = await records.write(key, change);
      if (written.length > 1) return isWritten;
      throw new Error('the reply was lost');
    },
  });
  await store.keepLetter(letter, 60_000);
  expect(await store.readLetter(letter.key)).toMatchObject({ attempts: 1 });
});

it('leaves unreadable records out of a list, says how many, and refuses each when it is read alone', async () => {
  const records = new MemoryRecords(100, () => START);
  const store = withSteps(createStore(records));
  const newer = {
    record: '{"format":99,"token":"t"}',
    version: 0,
    next: 1,
    before: START + 1,
    expiresAt: START + 9,
  };
  for (const at of [0, 1, 2, 3, 4]) {
    await store.keepLetter({ ...letter, key: `l${at}` }, 60_000);
    if (at < 3) await records.write(`default/letter:l${at}-newer`, newer);
  }
  await records.write('default/order:newer', newer);
  const counts: number[] = [];
  const onUnreadable = (count: number) => counts.push(count);
  const keysOf = async (page: { after?: string; limit: number }) =>
    (await store.listLetters({ ...page, onUnreadable })).map(({ key }) => key);
  expect(await keysOf({ limit: 3 })).toEqual(['l0', 'l1', 'l2']);
  expect(await keysOf({ after: 'l2', limit: 3 })).toEqual(['l3', 'l4']);
  expect(await store.listRecords('order:', { limit: 9, onUnreadable })).toEqual([]);
  expect(counts).toEqual([2, 1, 1]);
  await expect(store.readLetter('l0-newer')).rejects.toThrow(StoreError);
  await expect(store.readRecord('order:', 'newer')).rejects.toThrow(StoreError);
});
