import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { afterAll, describe, expect, it } from 'vitest';
import { type RedisClient, RedisStore } from '../../src/stores';
import { findRedis, redisUrl } from '../helpers/redis';
import { ALL_FAULTS, type StoreHarness, testStoreContract } from './contract';
import type { Faults } from './faults';

const found = await findRedis();
const prefix = `pix-automatic-test:${randomUUID()}:`;

describe.skipIf(!found)('Redis', () => {
  const ioredis = new Redis(redisUrl, { lazyConnect: true });
  const nodeRedis = createClient({ url: redisUrl });

  afterAll(async () => {
    const keys = await ioredis.keys(`${prefix}*`);
    if (keys.length > 0) await ioredis.del(keys);
    ioredis.disconnect();
    if (nodeRedis.isOpen) await nodeRedis.close();
  });

  testStoreContract('RedisStore over ioredis', ALL_FAULTS, async () =>
    harnessOf('ioredis', (faults) => {
      if (faults === undefined) return ioredis;
      return {
        defineCommand: ioredis.defineCommand,
        eval: (script: string, count: number, ...values: string[]) =>
          faults.apply(() => ioredis.eval(script, count, ...values), ['claimed']),
      };
    }),
  );

  testStoreContract('RedisStore over node-redis', ALL_FAULTS, async () => {
    await nodeRedis.connect();
    return harnessOf('node-redis', (faults) => {
      if (faults === undefined) return nodeRedis;
      return {
        evalSha: nodeRedis.evalSha,
        eval: (script: string, options: { keys: string[]; arguments: string[] }) =>
          faults.apply(() => nodeRedis.eval(script, options), ['claimed']),
      };
    });
  });

  it('keeps one key per subject, which expires by itself', async () => {
    const namespace = 'expiry';
    const store = new RedisStore(ioredis, { prefix, namespace });
    const claim = await store.claim('payment:1', 'PAID', 1000);
    expect(await ioredis.keys(`${prefix}${namespace}*`)).toEqual([`${prefix}${namespace}:payment:1`]);
    expect(await ioredis.pttl(`${prefix}${namespace}:payment:1`)).toBeLessThanOrEqual(1000);

    if (claim.status !== 'claimed') throw new Error('not claimed');
    await store.complete(claim, 30_000);
    const rest = await ioredis.pttl(`${prefix}${namespace}:payment:1`);
    expect(rest).toBeGreaterThan(25_000);
    expect(rest).toBeLessThanOrEqual(30_000);
  });

  it('grows the fence also when the clock was set back, and keeps the record until the clock has caught up', async () => {
    const key = `${prefix}fences:payment:1`;
    const store = new RedisStore(ioredis, { prefix, namespace: 'fences' });
    const ahead = Date.now() + 20_000;
    await ioredis.set(key, JSON.stringify({ fence: ahead, expires: 1, done: [] }));
    const claim = await store.claim('payment:1', 'PAID', 1000);
    expect(claim).toMatchObject({ status: 'claimed', fence: ahead + 1 });
    expect(await ioredis.pttl(key)).toBeGreaterThan(10_000);
    if (claim.status !== 'claimed') throw new Error('not claimed');
    await store.release(claim);
    expect(await ioredis.pttl(key)).toBeGreaterThan(10_000);
    expect(await store.claim('payment:1', 'PAID', 1000)).toMatchObject({ fence: ahead + 2 });
  });

  it('reads a record of 9,000 states, and cuts it to the 64 newest', async () => {
    const key = `${prefix}flood:payment:1`;
    const store = new RedisStore(ioredis, { prefix, namespace: 'flood' });
    const done = Array.from({ length: 9_000 }, (_, index) => ({
      state: `STATE ${index}`,
      token: 'token',
      expires: Date.now() + 60_000,
    }));
    await ioredis.set(key, JSON.stringify({ fence: 1, expires: 1, done }));
    const claim = await store.claim('payment:1', 'PAID', 60_000);
    if (claim.status !== 'claimed') throw new Error('not claimed');
    expect(await store.complete(claim, 60_000)).toBe(true);
    const newest = done.slice(-63).map(({ state }) => state);
    expect(await store.claim('payment:1', 'PAID', 60_000)).toEqual({
      status: 'done',
      handledStates: [...newest, 'PAID'],
    });
    expect(await ioredis.strlen(key)).toBeLessThan(10_000);
  });

  it('keeps the list of parked notifications as long as its last entry, and drops entries that have expired', async () => {
    const store = new RedisStore(ioredis, { prefix, namespace: 'parking' });
    const list = `${prefix}parking{parked}`;
    const park = (key: string, retentionMs: number) =>
      store.park(
        { key, kind: 'payment', subject: key, state: 'PAID', body: '{}', url: '', errorName: 'Error' },
        retentionMs,
      );
    for (const key of ['a', 'b', 'c']) await park(key, 50);
    expect(await ioredis.pttl(list)).toBeLessThanOrEqual(50);
    await park('d', 60_000);
    await park('e', 50);
    expect(await ioredis.pttl(list)).toBeGreaterThan(30_000);
    await sleep(100);
    const listed = () => ioredis.zrange(list, '0', '-1');
    // Each call checks the two oldest entries.
    for (const key of ['f', 'g']) await park(key, 60_000);
    expect(await listed()).toEqual(expect.not.arrayContaining(['a']));
    expect(await listed()).toEqual(expect.not.arrayContaining(['b']));
    expect(await listed()).toEqual(expect.not.arrayContaining(['c']));
    expect((await store.parked()).map(({ key }) => key)).toEqual(['d', 'f', 'g']);
    expect(await listed()).toEqual(['d', 'f', 'g']);
    await store.unpark('f');
    expect(await listed()).toEqual(['d', 'g']);
  });

  it('shares records between ioredis and node-redis', async () => {
    const subject = `payment:${randomUUID()}`;
    const claim = await new RedisStore(ioredis, { prefix }).claim(subject, 'PAID', 60_000);
    if (claim.status !== 'claimed') throw new Error('not claimed');
    const other = new RedisStore(nodeRedis, { prefix });
    expect(await other.claim(subject, 'PAID', 60_000)).toEqual({ status: 'busy' });
    expect(await other.complete(claim, 60_000)).toBe(true);
  });

  function harnessOf(
    namespace: string,
    clientWith: (faults: Faults | undefined) => RedisClient,
  ): StoreHarness {
    return {
      open: ({ faults, space = '' } = {}) =>
        new RedisStore(clientWith(faults), { prefix, namespace: namespace + space }),
      pass: (ms) => sleep(ms),
      close: async () => {},
      releasesFailedClaims: true,
    };
  }
});
