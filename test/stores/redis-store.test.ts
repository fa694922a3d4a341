import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis as UpstashRedis } from '@upstash/redis';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { RedisStore } from '../../src/stores';
import type { RedisClient } from '../../src/stores/redis-store';
import { findRedis, redisUrl } from '../helpers/redis';
import { withSteps } from '../helpers/store-of';
import { startUpstashBridge } from '../helpers/upstash';
import { claimed, completed, tryClaim } from './claims';
import { ALL_FAULTS, type StoreHarness, testStoreContract } from './contract';
import type { Faults } from './faults';
import { retain } from './limits';

const found = await findRedis();
const prefix = `pix-automatic-test:${randomUUID()}:`;

describe.skipIf(!found)('Redis', () => {
  const ioredis = new Redis(redisUrl, { lazyConnect: true });
  const nodeRedis = createClient({ url: redisUrl });
  let scripts = 0;
  const counting = () => ({
    defineCommand: ioredis.defineCommand,
    eval: (script: string, count: number, ...values: string[]) => {
      scripts += 1;
      return ioredis.eval(script, count, ...values);
    },
  });

  afterAll(async () => {
    const keys = await ioredis.keys(`*${prefix}*`);
    while (keys.length > 0) await ioredis.del(keys.splice(0, 1_000));
    ioredis.disconnect();
    if (nodeRedis.isOpen) await nodeRedis.close();
  });

  testStoreContract('RedisStore over ioredis', ALL_FAULTS, async () =>
    harnessOf('ioredis', (faults) => {
      if (faults === undefined) return ioredis;
      return {
        defineCommand: ioredis.defineCommand,
        eval: (script: string, count: number, ...values: string[]) =>
          faults.apply(() => ioredis.eval(script, count, ...values), ['garbled']),
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
          faults.apply(() => nodeRedis.eval(script, options), ['garbled']),
      };
    });
  });

  testStoreContract('RedisStore over Upstash (REST)', ALL_FAULTS, async () => {
    const bridge = await startUpstashBridge(ioredis);
    const upstash = new UpstashRedis({ ...bridge, automaticDeserialization: false, enableTelemetry: false });
    const harness = harnessOf('upstash', (faults) => {
      if (faults === undefined) return upstash;
      return {
        createScript: upstash.createScript,
        eval: (script: string, keys: string[], values: string[]) =>
          faults.apply(() => upstash.eval(script, keys, values), ['garbled']),
      };
    });
    return { ...harness, close: async () => bridge.close() };
  });

  it('says what to change where an Upstash client parses what it reads', async () => {
    const bridge = await startUpstashBridge(ioredis);
    onTestFinished(() => bridge.close());
    const parsing = new UpstashRedis({ ...bridge, enableTelemetry: false });
    await expect(
      claimed(withSteps(new RedisStore(parsing, { prefix })), 'payment:parsed'),
    ).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringContaining('automaticDeserialization: false'),
    });
  });

  it('keeps one key per subject, which expires by itself', async () => {
    const store = withSteps(new RedisStore(ioredis, { prefix, namespace: 'expiry' }));
    const claim = await claimed(store, 'payment:1', 'PAID', 1_000);
    const key = `${prefix}expiry/seen:payment:1`;
    expect(await ioredis.keys(`${prefix}expiry*`)).toEqual([key]);
    expect(await ioredis.pttl(key)).toBeLessThanOrEqual(1_000);
    await store.complete(claim, retain(30_000));
    const rest = await ioredis.pttl(key);
    expect(rest).toBeGreaterThan(25_000);
    // Counted from the claim.
    expect(rest).toBeLessThanOrEqual(30_000);
  });

  it('sends three commands for a new notification, and one for a duplicate', async () => {
    const store = withSteps(new RedisStore(counting(), { prefix, namespace: 'counted' }));
    scripts = 0;
    await completed(store, 'payment:1');
    expect(scripts).toBe(3);
    await tryClaim(store, 'payment:1');
    expect(scripts).toBe(4);
  });

  it('looks at each of 20,000 names once to tidy its index, from where it was, and at all again the next time', {
    timeout: 60_000,
  }, async () => {
    const namespace = 'tidied';
    const store = new RedisStore(counting(), { prefix, namespace });
    const place = `{${prefix}${namespace}}`;
    const nameOf = (i: number) => `order:${String(i).padStart(5, '0')}`;
    const COUNT = 20_000;
    for (let from = 0; from < COUNT; from += 1_000) {
      const batch = Array.from({ length: 1_000 }, (_, i) => nameOf(from + i));
      await ioredis.zadd(`${place}/index`, ...batch.flatMap((name) => [0, `${namespace}/${name}`]));
      // Of the second half, the records have expired.
      if (from >= COUNT / 2) continue;
      const live = ioredis.pipeline();
      for (const name of batch) live.hset(`${place}/${name}`, 'record', '{}');
      await live.exec();
    }
    const indexed = () => ioredis.zcard(`${place}/index`);
    scripts = 0;
    expect(await store.deleteExpired()).toBe(COUNT / 2);
    // Two for each hundred names, and one that finds the end.
    expect([scripts, await indexed()]).toEqual([401, COUNT / 2]);
    await ioredis.del(`${place}/${nameOf(7)}`);
    scripts = 0;
    expect(await store.deleteExpired()).toBe(1);
    expect([scripts, await indexed()]).toEqual([201, COUNT / 2 - 1]);
  });

  it('shares records between ioredis and node-redis', async () => {
    const subject = `payment:${randomUUID()}`;
    const claim = await claimed(withSteps(new RedisStore(ioredis, { prefix })), subject);
    const other = withSteps(new RedisStore(nodeRedis, { prefix }));
    expect(await tryClaim(other, subject)).toBe('busy');
    expect(await other.complete(claim, retain(60_000))).toBe(true);
  });

  function harnessOf(
    namespace: string,
    clientWith: (faults: Faults | undefined) => RedisClient,
  ): StoreHarness {
    return {
      open: ({ faults, space = '' } = {}) =>
        withSteps(new RedisStore(clientWith(faults), { prefix, namespace: namespace + space })),
      pass: (ms) => sleep(ms),
      close: async () => {},
    };
  }
});
