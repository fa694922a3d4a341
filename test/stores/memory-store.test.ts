import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { ConfigurationError, StoreError } from '../../src/errors';
import { MemoryRecords, MemoryStore, type MemoryStoreOptions } from '../../src/stores/memory-store';
import { recordToText } from '../../src/stores/record';
import { seedRandomTests } from '../helpers/random-seed';
import { withSteps } from '../helpers/store-of';
import { claimed, completed, letter, tryClaim } from './claims';
import { testStoreContract } from './contract';
import { retain } from './limits';

seedRandomTests();
setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** A store whose clock only the tests move forward. */
function setUp(options: MemoryStoreOptions = {}) {
  let time = Date.now();
  const open = () => withSteps(new MemoryStore({ ...options, clock: () => time }));
  const pass = async (ms: number) => {
    time += ms;
  };
  return { store: open(), open, pass };
}

testStoreContract('MemoryStore', [], async () => {
  const { store, open, pass } = setUp();
  return { open: ({ space } = {}) => (space === undefined ? store : open()), pass, close: async () => {} };
});

describe('MemoryRecords', () => {
  const now = 1_000;
  const record = recordToText({ done: [] }, 'write');
  const change = { record, version: 0, next: 1, before: now + 1, expiresAt: now };

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

  it.each([1_000, 10_000])('touch, of %i of each kind, the rows of a page alone', async (count) => {
    const records = new MemoryRecords(1_000_000, () => now);
    const put = (key: string) => records.write(key, { ...change, expiresAt: now + 1 });
    const keyOf = (at: number) => `shop/order:${String(at).padStart(6, '0')}`;
    // 7919 is prime, so that each is added once, and seldom at the end.
    const shuffled = Array.from({ length: count }, (_, at) => (at * 7919) % count);
    for (const at of shuffled) {
      for (const kind of ['seen', 'uuid', 'open', 'letter']) await put(`shop/${kind}:${at}`);
      await put(keyOf(at));
    }
    const page = (after?: string) => records.list('shop/order:', { after, limit: 10 });
    expect(await rowsTouched(() => page())).toBeLessThanOrEqual(11);
    expect(await rowsTouched(() => page(keyOf(count / 2)))).toBeLessThanOrEqual(11);
    // Also where keys came and went since the page before.
    await put(`${keyOf(count / 2)}-new`);
    expect(await rowsTouched(() => page(keyOf(count / 2)))).toBeLessThanOrEqual(11);
    const expected = [
      `${keyOf(count / 2)}-new`,
      ...Array.from({ length: 9 }, (_, i) => keyOf(count / 2 + 1 + i)),
    ];
    expect((await page(keyOf(count / 2))).map(({ key }) => key)).toEqual(expected);
  });

  it('list what has not expired in order, whatever came and went', () => {
    const kind = fc.constantFrom('order', 'open', 'letter', 'seen');
    const write = fc.record({ kind, id: fc.nat(5_000), lifeMs: fc.integer({ min: 1, max: 9_000 }) });
    const writes = fc.array(write, { minLength: 4_000, maxLength: 6_000 });
    const prefix = fc.constantFrom(
      'shop/order:',
      'shop/open:',
      'shop/letter:',
      'shop/order:7',
      'shop/other:',
    );
    const property = fc.asyncProperty(writes, prefix, fc.option(fc.nat(5_000)), async (all, of, from) => {
      let time = now;
      const records = new MemoryRecords(1_000_000, () => time);
      const kept = new Map<string, number>();
      for (const { kind, id, lifeMs } of all) {
        const key = `shop/${kind}:${id}`;
        const { version } = await records.read(key);
        const expiresAt = time + lifeMs;
        await records.write(key, { record, version, next: version + 1, before: time + 1, expiresAt });
        kept.set(key, expiresAt);
        time += 1;
        if (time % 1_000 === 0) await records.deleteExpired(200);
      }
      const after = from === null ? '' : `${of}${from}`;
      const expected = [...kept].filter(([key, end]) => key.startsWith(of) && key > after && end > time);
      const listed = await records.list(of, { after, limit: 9_999 });
      expect(listed.map(({ key }) => key)).toEqual(expected.map(([key]) => key).sort());
    });
    return fc.assert(property, { numRuns: 10, endOnFailure: true });
  });
});

/** How many rows a list takes from a `Map` or puts into order. It works at once, so nothing else is counted. */
async function rowsTouched(list: () => Promise<unknown>): Promise<number> {
  const { get, forEach, keys, values, entries } = Map.prototype;
  const { sort } = Array.prototype;
  let touched = 0;
  const counting = (method: (this: Map<unknown, unknown>) => Iterable<unknown>) =>
    function* (this: Map<unknown, unknown>) {
      for (const each of method.call(this)) {
        touched += 1;
        yield each;
      }
    };
  const counted = { get, forEach, keys, values, entries, [Symbol.iterator]: entries };
  Object.assign(Map.prototype, {
    get(this: Map<unknown, unknown>, key: unknown) {
      touched += 1;
      return get.call(this, key);
    },
    forEach(this: Map<unknown, unknown>, ...given: Parameters<typeof forEach>) {
      touched += this.size;
      forEach.apply(this, given);
    },
    keys: counting(keys),
    values: counting(values),
    entries: counting(entries),
    [Symbol.iterator]: counting(entries),
  });
  Array.prototype.sort = function (...given) {
    touched += this.length;
    return sort.apply(this, given);
  };
  const listed = list();
  Object.assign(Map.prototype, counted);
  Array.prototype.sort = sort;
  await listed;
  return touched;
}

describe('MemoryStore', () => {
  it('rejects when all its entries are live claims, and recovers when one ends', async () => {
    const { store, pass } = setUp({ maxEntries: 2 });
    const first = await claimed(store, 'payment:1', 'PAID', 1000);
    await claimed(store, 'payment:2', 'PAID', 500);
    const refusal = new StoreError(
      'The memory store is full (2 records): of callbacks that are running, of dead letters and of orders. Raise ' +
        'maxEntries, look for callbacks that hang, or keep them in a database.',
    );
    await expect(claimed(store, 'payment:3')).rejects.toThrow(refusal);
    expect(await tryClaim(store, 'payment:1')).toBe('busy');
    expect(await store.complete(first, retain(1000))).toBe(true);
    await claimed(store, 'payment:3', 'PAID', 100);
    await pass(1000);
    expect(await tryClaim(store, 'payment:4')).toBe('claimed');
  });

  it('forgets what was done longest ago when it is full, never a live claim', async () => {
    const { store } = setUp({ maxEntries: 3 });
    await claimed(store, 'payment:live');
    for (const subject of ['payment:1', 'payment:2', 'payment:3']) await completed(store, subject);
    expect(await tryClaim(store, 'payment:live')).toBe('busy');
    expect(await tryClaim(store, 'payment:2')).toBe('done PAID');
    expect(await tryClaim(store, 'payment:3')).toBe('done PAID');
    expect(await tryClaim(store, 'payment:1')).toBe('claimed');
  });

  it('forgets neither a dead letter nor an order when it is full, and what has expired first', async () => {
    const { store, pass } = setUp({ maxEntries: 6 });
    await store.keepLetter(letter, 60_000);
    await store.keepLetter({ ...letter, key: 'short' }, 100);
    const order = await store.readRecord('order:', '1');
    await store.writeRecord('order:', '1', {}, order, order.now + 60_000);
    for (let index = 0; index < 20; index += 1) await completed(store, `payment:${index}`);
    expect((await store.listLetters({ limit: 9 })).map(({ key }) => key)).toEqual([letter.key, 'short']);
    expect((await store.readRecord('order:', '1')).version).toBeGreaterThan(0);
    await pass(100);
    expect(await store.deleteExpired()).toBe(1);
  });

  it('forgets paid orders that are a day old, with what points to them, only when it is full, and never an open one', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue(undefined);
    const { store, pass } = setUp({ maxEntries: 40 });
    const write = async (prefix: 'order:' | 'uuid:', id: string, value: object) => {
      const read = await store.readRecord(prefix, id);
      return store.writeRecord(prefix, id, value, read, read.now + 900 * 86_400_000);
    };
    const open = async (key: string, state: string) => {
      await write('uuid:', `uuid-${key}`, { key, at: 1 });
      await write('order:', key, { key, attempts: [{ state }] });
    };
    for (let at = 0; at < 10; at += 1) {
      await open(`paid-${at}`, 'paid');
      await open(`open-${at}`, 'created');
    }
    // All of them are of today: none is forgotten.
    await expect(open('one-more', 'created')).rejects.toThrow('The memory store is full (40 records)');
    await pass(86_400_000);
    for (let at = 0; at < 5; at += 1) await open(`more-${at}`, 'created');
    const found = (await store.listRecords<{ key: string }>('order:', { limit: 99 })).map(
      ({ value }) => value.key,
    );
    expect(found.filter((key) => key.startsWith('open'))).toHaveLength(10);
    expect(found.filter((key) => key.startsWith('more'))).toHaveLength(5);
    expect(found.length).toBeLessThan(25);
    expect((await store.readRecord('uuid:', 'uuid-paid-0')).value).toBeUndefined();
    expect((await store.readRecord('uuid:', 'uuid-open-0')).value).toBeDefined();
    expect(warn).toHaveBeenCalledOnce();
  });

  it('forgets, of thousands of subjects, the tenth that was written longest ago', async () => {
    const maxEntries = 10_000;
    const { store } = setUp({ maxEntries });
    for (let index = 0; index <= maxEntries; index += 1) await completed(store, `payment:${index}`);

    for (let index = maxEntries / 10; index <= maxEntries; index += 1)
      expect(await tryClaim(store, `payment:${index}`)).toBe('done PAID');
    expect(await tryClaim(store, `payment:${maxEntries / 10 - 1}`)).toBe('claimed');
  });

  it('takes the age of a subject from its latest claim, also where its lease ran out or was released', async () => {
    const { store, pass } = setUp({ maxEntries: 3 });
    await claimed(store, 'payment:ran-out', 'PAID', 1000);
    const released = await claimed(store, 'payment:released', 'PAID', 1000);
    await completed(store, 'payment:done');
    await pass(1000);
    await completed(store, 'payment:ran-out');
    await store.release(released);
    await completed(store, 'payment:released');

    await completed(store, 'payment:new');
    for (const kept of ['payment:ran-out', 'payment:released', 'payment:new'])
      expect(await tryClaim(store, kept)).toBe('done PAID');
    expect(await tryClaim(store, 'payment:done')).toBe('claimed');
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
      await completed(store, `payment:${text}`, text);
    }
    expect((heapUsed() - before) / 1e6).toBeLessThan(5);
    expect(await tryClaim(store, 'payment:after')).toBe('claimed');
  });

  it('uses the time of day when it is given no clock, and lets a lease run out by it', async () => {
    const before = Date.now();
    const store = withSteps(new MemoryStore());
    const { fence } = await claimed(store, 'payment:1', 'PAID', 20);
    const after = Date.now();
    // The store’s clock also counts fractions of a millisecond.
    expect(fence).toBeGreaterThanOrEqual(before - 5);
    expect(fence).toBeLessThanOrEqual(after + 5);
    await sleep(40);
    expect(await tryClaim(store, 'payment:1')).toBe('claimed');
  });

  it('drops expired records as it is used, whatever their order, before any other', async () => {
    const maxEntries = 10_000;
    const { store, pass } = setUp({ maxEntries });
    for (let index = 0; index < maxEntries; index += 1) {
      const claim = await claimed(store, `payment:${index}`, 'PAID', 10);
      // Half stay leases that run out. A quarter is kept long, and stands before expired entries.
      if (index % 2 === 0) await store.complete(claim, retain(index % 4 === 0 ? 1_000_000 : 10));
    }
    await pass(1000);
    // There is room for as many live claims as records have expired.
    for (let index = 0; index < (maxEntries * 3) / 4; index += 1) await claimed(store, `new:${index}`);
    for (let index = 0; index < maxEntries; index += 4)
      expect(await tryClaim(store, `payment:${index}`)).toBe('done PAID');
  });

  it.each([undefined, null])('takes %s as no options', async (options) => {
    expect(await tryClaim(withSteps(new MemoryStore(options as never)), 'payment:1')).toBe('claimed');
  });

  it('refuses a clock that is not a function, which would fail each claim', () => {
    expect(() => new MemoryStore({ clock: Date.now() as never })).toThrow(
      new ConfigurationError('Expected `clock` to be a function: `() => number`.'),
    );
  });

  const notCounts = [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 23 + 1];
  it.each(notCounts)('refuses maxEntries: %s', (maxEntries) => {
    expect(() => new MemoryStore({ maxEntries })).toThrow(ConfigurationError);
    expect(() => new MemoryStore({ maxEntries })).toThrow('Expected `maxEntries` to be');
  });
});
