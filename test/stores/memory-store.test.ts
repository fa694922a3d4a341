import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { ConfigurationError, StoreError } from '../../src/errors';
import { MemoryRecords, MemoryStore } from '../../src/stores/memory-store';
import { recordToText } from '../../src/stores/record';
import type { ClaimResult } from '../../src/stores/steps';
import { type TestStore, withSteps } from '../helpers/store-of';
import { testStoreContract } from './contract';
import { lease, retain } from './limits';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

function fakeClock() {
  let time = Date.now();
  return {
    clock: () => time,
    pass: async (ms: number) => {
      time += ms;
    },
  };
}

async function complete(store: TestStore, claim: ClaimResult): Promise<void> {
  if (claim.status !== 'claimed') throw new Error('not claimed');
  await store.complete(claim, retain(60_000));
}

testStoreContract('MemoryStore', [], async () => {
  const { clock, pass } = fakeClock();
  const store = withSteps(new MemoryStore({ clock }));
  return {
    open: ({ space } = {}) => (space === undefined ? store : withSteps(new MemoryStore({ clock }))),
    pass,
    close: async () => {},
  };
});

describe('MemoryRecords', () => {
  const now = 1_000;
  const change = {
    record: recordToText({ done: [] }, 'write'),
    version: 0,
    next: 1,
    before: now + 1,
    expiresAt: now,
  };

  it('write nothing once their clock has reached the time of the write', async () => {
    const records = new MemoryRecords(10, () => now);
    expect(await records.write('late', { ...change, before: now })).toBe(false);
    expect(await records.write('in time', change)).toBe(true);
    expect([(await records.read('late')).version, (await records.read('in time')).version]).toEqual([0, 1]);
  });

  it('make room where something has expired just now', async () => {
    const records = new MemoryRecords(1, () => now);
    const lease = { token: 't', until: now + 1, ms: 1 };
    await records.write('expired', { ...change, record: recordToText({ lease, done: [] }, 'write') });
    expect(await records.write('new', change)).toBe(true);
  });
});

describe('MemoryStore', () => {
  it('rejects when all its entries are live claims, and recovers when one ends', async () => {
    const { clock, pass } = fakeClock();
    const store = withSteps(new MemoryStore({ maxEntries: 2, clock }));
    const first = await store.claim('payment:1', 'PAID', lease(1000));
    await store.claim('payment:2', 'PAID', lease(500));

    const refusal = new StoreError(
      'The memory store is full (2 records): of callbacks that are running, of dead letters and of orders. Raise ' +
        'maxEntries, look for callbacks that hang, or keep them in a database.',
    );
    await expect(store.claim('payment:3', 'PAID', lease(1000))).rejects.toThrow(refusal);
    expect(await store.claim('payment:1', 'PAID', lease(1000))).toEqual({ status: 'busy' });
    if (first.status !== 'claimed') throw new Error('not claimed');
    expect(await store.complete(first, retain(1000))).toBe(true);
    expect(await store.claim('payment:3', 'PAID', lease(100))).toMatchObject({ status: 'claimed' });
    await pass(1000);
    expect(await store.claim('payment:4', 'PAID', lease(1000))).toMatchObject({ status: 'claimed' });
  });

  it('forgets what was done longest ago when it is full, never a live claim', async () => {
    const store = withSteps(new MemoryStore({ maxEntries: 3 }));
    await store.claim('payment:live', 'PAID', lease(60_000));
    for (const subject of ['payment:1', 'payment:2', 'payment:3']) {
      await complete(store, await store.claim(subject, 'PAID', lease(60_000)));
    }
    expect(await store.claim('payment:live', 'PAID', lease(60_000))).toEqual({ status: 'busy' });
    expect(await store.claim('payment:2', 'PAID', lease(60_000))).toMatchObject({ status: 'done' });
    expect(await store.claim('payment:3', 'PAID', lease(60_000))).toMatchObject({ status: 'done' });
    expect(await store.claim('payment:1', 'PAID', lease(60_000))).toMatchObject({ status: 'claimed' });
  });

  it('forgets neither a dead letter nor an order when it is full, and what has expired first', async () => {
    const { clock, pass } = fakeClock();
    const store = withSteps(new MemoryStore({ maxEntries: 4, clock }));
    const letter = { key: 'a', subject: 's', state: 'S', kind: 'payment', body: '{}', url: '/', code: 'x' };
    await store.keepLetter(letter, 60_000);
    await store.keepLetter({ ...letter, key: 'short' }, 100);
    const order = await store.readRecord('order:', '1');
    await store.writeRecord('order:', '1', {}, order, order.now + 60_000);
    for (let index = 0; index < 20; index += 1) {
      await complete(store, await store.claim(`payment:${index}`, 'PAID', lease(60_000)));
    }
    expect((await store.listLetters({ limit: 9 })).map(({ key }) => key)).toEqual(['a', 'short']);
    expect((await store.readRecord('order:', '1')).version).toBeGreaterThan(0);
    await pass(100);
    expect(await store.deleteExpired()).toBe(1);
  });

  it('forgets, of thousands of subjects, the tenth that was written longest ago', async () => {
    const maxEntries = 10_000;
    const store = withSteps(new MemoryStore({ maxEntries }));
    const claim = (index: number) => store.claim(`payment:${index}`, 'PAID', lease(60_000));
    for (let index = 0; index <= maxEntries; index += 1) await complete(store, await claim(index));

    for (let index = maxEntries / 10; index <= maxEntries; index += 1)
      expect((await claim(index)).status).toBe('done');
    expect((await claim(maxEntries / 10 - 1)).status).toBe('claimed');
  });

  it('takes the age of a subject from its latest claim, also where its lease ran out or was released', async () => {
    const { clock, pass } = fakeClock();
    const store = withSteps(new MemoryStore({ maxEntries: 3, clock }));
    const claim = (subject: string) => store.claim(subject, 'PAID', lease(1000));
    await claim('payment:ran-out');
    const released = await claim('payment:released');
    await complete(store, await claim('payment:done'));
    await pass(1000);
    await complete(store, await claim('payment:ran-out'));
    if (released.status === 'claimed') await store.release(released);
    await complete(store, await claim('payment:released'));

    await complete(store, await claim('payment:new'));
    for (const kept of ['payment:ran-out', 'payment:released', 'payment:new'])
      expect((await claim(kept)).status).toBe('done');
    expect((await claim('payment:done')).status).toBe('claimed');
  });

  it('keeps less than 5 MB of 10 notifications whose identities and states have 1 MB each', async () => {
    const store = withSteps(new MemoryStore());
    const heapUsed = () => {
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const before = heapUsed();
    for (let index = 0; index < 10; index += 1) {
      // Made from bytes, so that it is one flat text and not a concatenation that is only joined when needed.
      const text = Buffer.alloc(1_000_000, `${index};`).toString('latin1');
      await complete(store, await store.claim(`payment:${text}`, text, lease(60_000)));
    }
    expect((heapUsed() - before) / 1e6).toBeLessThan(5);
    expect((await store.claim('payment:after', 'PAID', lease(60_000))).status).toBe('claimed');
  });

  it('uses the time of day when it is given no clock, and lets a lease run out by it', async () => {
    const before = Date.now();
    const store = withSteps(new MemoryStore());
    const claim = await store.claim('payment:1', 'PAID', lease(20));
    const after = Date.now();
    if (claim.status !== 'claimed') throw new Error('not claimed');
    // The store’s clock also counts fractions of a millisecond.
    expect(claim.fence).toBeGreaterThanOrEqual(before - 5);
    expect(claim.fence).toBeLessThanOrEqual(after + 5);
    await sleep(40);
    expect((await store.claim('payment:1', 'PAID', lease(20))).status).toBe('claimed');
  });

  it('drops expired records as it is used, whatever their order, before any other', async () => {
    const { clock, pass } = fakeClock();
    const maxEntries = 10_000;
    const store = withSteps(new MemoryStore({ maxEntries, clock }));
    for (let index = 0; index < maxEntries; index += 1) {
      const claim = await store.claim(`payment:${index}`, 'PAID', lease(10));
      if (claim.status !== 'claimed') throw new Error('not claimed');
      // Half stay leases that run out. A quarter is kept long, and stands before expired entries.
      if (index % 2 === 0) await store.complete(claim, retain(index % 4 === 0 ? 1_000_000 : 10));
    }
    await pass(1000);
    // There is room for as many live claims as records have expired.
    for (let index = 0; index < (maxEntries * 3) / 4; index += 1) {
      expect(await store.claim(`new:${index}`, 'PAID', lease(60_000))).toMatchObject({ status: 'claimed' });
    }
    for (let index = 0; index < maxEntries; index += 4) {
      expect(await store.claim(`payment:${index}`, 'PAID', lease(10))).toMatchObject({ status: 'done' });
    }
  });

  it.each([undefined, null])('takes %s as no options', async (options) => {
    const store = withSteps(new MemoryStore(options as never));
    expect(await store.claim('payment:1', 'PAID', lease(1000))).toMatchObject({ status: 'claimed' });
  });

  it('refuses a clock that is not a function, which would fail each claim', () => {
    expect(() => new MemoryStore({ clock: Date.now() as never })).toThrow(
      new ConfigurationError('Expected `clock` to be a function: `() => number`.'),
    );
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 23 + 1])(
    'refuses maxEntries: %s',
    (maxEntries) => {
      expect(() => new MemoryStore({ maxEntries })).toThrow(ConfigurationError);
      expect(() => new MemoryStore({ maxEntries })).toThrow('Expected `maxEntries` to be');
    },
  );
});
