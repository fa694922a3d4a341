import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ConfigurationError, StoreError } from '../../src/errors';
import type { Claim, IdempotencyStore } from '../../src/stores/idempotency-store';
import { recordFromText, recordToText } from '../../src/stores/record';
import { createIdempotencyStore, type WriteRecord } from '../../src/stores/record-store';

const START = 1_900_000_000_000;

/** A store whose records somebody else writes each time, a second before its own write comes, up to this many times. */
function contended(times: number) {
  const written: WriteRecord[] = [];
  const record = recordToText({ done: [] });
  const store = createIdempotencyStore({
    read: async () => ({ record, version: 1 + written.length, now: START + 1_000 * written.length }),
    write: async (_, change) => written.push(change) > times,
  });
  return { store, written };
}

describe('A claim that others come before', () => {
  it('asks for no later end of its lease, and for no more time, than its first attempt', async () => {
    const { store, written } = contended(2);
    const claim = await store.claim('payment:1', 'PAID', { leaseMs: 40_000, withinMs: 5_000 });
    expect(claim.status).toBe('claimed');
    expect(written.map(({ record }) => recordFromText(record).lease?.until)).toEqual(
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

it.each<[string, (store: IdempotencyStore, claim: Claim) => Promise<unknown>]>([
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
    const store = createIdempotencyStore({
      read: async (subject) => {
        vi.advanceTimersByTime(1_000);
        return { record: records.get(subject), version, now: START };
      },
      write: async (subject, { record }) => {
        version += 1;
        if (!isContended) records.set(subject, record);
        return !isContended;
      },
    });
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

it('a completion is remembered from when it comes, not from when the claim was read', async () => {
  stopTime();
  const written: WriteRecord[] = [];
  const store = createIdempotencyStore({
    read: async () => ({ record: undefined, version: 0, now: START }),
    write: async (_, change) => written.push(change) > 0,
  });
  const claim = await store.claim('payment:1', 'PAID', { leaseMs: 40_000, withinMs: 5_000 });
  if (claim.status !== 'claimed') throw new Error('not claimed');
  vi.advanceTimersByTime(10_000);
  await store.complete(claim, { retentionMs: 60_000, withinMs: 5_000 });
  expect(recordFromText(written[1]?.record).done).toMatchObject([{ until: START + 70_000 }]);
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
    const store = createIdempotencyStore({
      read: async () => ({ record: undefined, version: 0, now: START, ...more }),
      write: async () => true,
    });
    const claiming = store.claim('payment:1', 'PAID', { leaseMs: 40_000, withinMs: 5_000 });
    const refusal = new StoreError(
      "The store's client gave a reply to read that its command never gives, so its outcome is unknown. Pass a plain " +
        'client, without transformed replies, outside a pipeline or MULTI.',
    );
    await expect(claiming).rejects.toThrow(refusal);
  },
);

it.each([
  [undefined, '`records.read` to be a function: `async read(subject) { … }`'],
  [{}, '`records.read` to be a function'],
  [{ read: async () => undefined }, '`records.write` to be a function: `async write(subject, change) { … }`'],
])('refuses the records %j', (records, says) => {
  const create = () => createIdempotencyStore(records as never);
  expect(create).toThrow(ConfigurationError);
  expect(create).toThrow(says);
});
