import { describe, expect, it } from 'vitest';
import { ConfigurationError, StoreError } from '../../src/errors';
import type { ClaimResult } from '../../src/webhooks/idempotency-store';
import { MemoryStore } from '../../src/webhooks/memory-store';
import { testStoreContract } from './contract';

function fakeClock() {
  let time = Date.now();
  return {
    clock: () => time,
    pass: async (ms: number) => {
      time += ms;
    },
  };
}

async function complete(store: MemoryStore, claim: ClaimResult): Promise<void> {
  if (claim.status !== 'claimed') throw new Error('not claimed');
  await store.complete(claim, 60_000);
}

testStoreContract('MemoryStore', [], async () => {
  const { clock, pass } = fakeClock();
  const store = new MemoryStore({ clock });
  return {
    open: ({ space } = {}) => (space === undefined ? store : new MemoryStore({ clock })),
    pass,
    close: async () => {},
  };
});

describe('MemoryStore', () => {
  it('rejects when all its entries are live claims, and recovers when one ends', async () => {
    const { clock, pass } = fakeClock();
    const store = new MemoryStore({ maxEntries: 2, clock });
    const first = await store.claim('payment:1', 'PAID', 1000);
    await store.claim('payment:2', 'PAID', 500);

    await expect(store.claim('payment:3', 'PAID', 1000)).rejects.toThrow(StoreError);
    expect(await store.claim('payment:1', 'PAID', 1000)).toEqual({ status: 'busy' });
    if (first.status !== 'claimed') throw new Error('not claimed');
    expect(await store.complete(first, 1000)).toBe(true);
    expect(await store.claim('payment:3', 'PAID', 100)).toMatchObject({ status: 'claimed' });
    await pass(1000);
    expect(await store.claim('payment:4', 'PAID', 1000)).toMatchObject({ status: 'claimed' });
  });

  it('forgets what was done longest ago when it is full, never a live claim', async () => {
    const store = new MemoryStore({ maxEntries: 3 });
    await store.claim('payment:live', 'PAID', 60_000);
    for (const subject of ['payment:1', 'payment:2', 'payment:3']) {
      await complete(store, await store.claim(subject, 'PAID', 60_000));
    }
    expect(await store.claim('payment:live', 'PAID', 60_000)).toEqual({ status: 'busy' });
    expect(await store.claim('payment:2', 'PAID', 60_000)).toMatchObject({ status: 'done' });
    expect(await store.claim('payment:3', 'PAID', 60_000)).toMatchObject({ status: 'done' });
    expect(await store.claim('payment:1', 'PAID', 60_000)).toMatchObject({ status: 'claimed' });
  });

  it('forgets of thousands the ones claimed longest ago, each when there is one more', async () => {
    const maxEntries = 10_000;
    const more = 2_500;
    const store = new MemoryStore({ maxEntries });
    const claim = (index: number) => store.claim(`payment:${index}`, 'PAID', 60_000);
    for (let index = 0; index < maxEntries + more; index += 1) await complete(store, await claim(index));

    for (let index = more; index < maxEntries + more; index += 1)
      expect((await claim(index)).status).toBe('done');
    expect((await claim(more - 1)).status).toBe('claimed');
  });

  it('forgets a subject whose second state came late after those claimed in between', async () => {
    const store = new MemoryStore({ maxEntries: 2 });
    const claim = (subject: string, state: string) => store.claim(subject, state, 60_000);
    await complete(store, await claim('reversal:1', 'PENDING'));
    await complete(store, await claim('reversal:2', 'PENDING'));
    await complete(store, await claim('reversal:1', 'PAID'));
    await complete(store, await claim('reversal:3', 'PENDING'));

    expect(await claim('reversal:1', 'PAID')).toEqual({ status: 'done', handledStates: ['PENDING', 'PAID'] });
    expect((await claim('reversal:2', 'PENDING')).status).toBe('claimed');
  });

  it('grows the fence also when the clock has been set back', async () => {
    const { clock, pass } = fakeClock();
    const store = new MemoryStore({ clock });
    const first = await store.claim('payment:1', 'PAID', 1000);
    await pass(-5000);
    const second = await store.claim('payment:2', 'PAID', 1000);
    if (first.status !== 'claimed' || second.status !== 'claimed') throw new Error('not claimed');
    expect(second.fence).toBe(first.fence + 1);
  });

  it('lets expired entries go as it is used, whatever their order', async () => {
    const { clock, pass } = fakeClock();
    const maxEntries = 10_000;
    const store = new MemoryStore({ maxEntries, clock });
    for (let index = 0; index < maxEntries; index += 1) {
      const claim = await store.claim(`payment:${index}`, 'PAID', 10);
      if (claim.status !== 'claimed') throw new Error('not claimed');
      // Half stay leases that run out; of the others some are kept long, and stand before the expired ones.
      if (index % 2 === 0) await store.complete(claim, index % 4 === 0 ? 1_000_000 : 10);
    }
    await pass(1000);
    for (let step = 0; step < maxEntries; step += 1) await store.claim('payment:0', 'PAID', 10);

    // Room for as many live claims as entries have expired, without a long-kept one being evicted for it.
    for (let index = 0; index < (maxEntries * 3) / 4; index += 1) {
      expect(await store.claim(`new:${index}`, 'PAID', 60_000)).toMatchObject({ status: 'claimed' });
    }
    for (let index = 0; index < maxEntries; index += 4) {
      expect(await store.claim(`payment:${index}`, 'PAID', 10)).toMatchObject({ status: 'done' });
    }
  });

  it('evicts no live claim, and finds room behind more of them than it looks at in one step', async () => {
    const live = 1_500;
    const store = new MemoryStore({ maxEntries: 2 * live });
    for (let index = 0; index < live; index += 1) await store.claim(`live:${index}`, 'PAID', 60_000);
    for (let index = 0; index < live; index += 1) {
      await complete(store, await store.claim(`done:${index}`, 'PAID', 60_000));
    }

    await expect(store.claim('new', 'PAID', 60_000)).rejects.toThrow(StoreError);
    expect((await store.claim('new', 'PAID', 60_000)).status).toBe('claimed');
    for (let index = 0; index < live; index += 1)
      expect((await store.claim(`live:${index}`, 'PAID', 60_000)).status).toBe('busy');
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 24 + 1])(
    'refuses maxEntries: %s',
    (maxEntries) => {
      expect(() => new MemoryStore({ maxEntries })).toThrow(ConfigurationError);
    },
  );
});
