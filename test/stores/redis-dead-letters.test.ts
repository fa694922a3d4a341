import { randomUUID } from 'node:crypto';
import { Redis as UpstashRedis } from '@upstash/redis';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StoreError } from '../../src/errors';
import { RedisDeadLetters } from '../../src/stores';
import { findRedis, redisUrl } from '../helpers/redis';
import { startUpstashBridge } from '../helpers/upstash';
import { entryOf, testDeadLettersContract } from './dead-letters-contract';

const found = await findRedis();

describe.skipIf(!found)('Redis', async () => {
  const run = `test-${randomUUID().slice(0, 8)}:`;
  const ioredis = new Redis(redisUrl, { lazyConnect: true });
  const nodeRedis = createClient({ url: redisUrl });
  const bridge = await startUpstashBridge(ioredis);
  // Its entries are no JSON as a whole, so both ways of reading them work.
  const upstash = new UpstashRedis({ ...bridge, enableTelemetry: false });
  const upstashTexts = new UpstashRedis({
    ...bridge,
    automaticDeserialization: false,
    enableTelemetry: false,
  });
  beforeAll(async () => {
    await nodeRedis.connect();
  });
  afterAll(async () => {
    const keys = await ioredis.keys(`{${run}*`);
    if (keys.length > 0) await ioredis.del(keys);
    bridge.close();
    ioredis.disconnect();
    nodeRedis.destroy();
  });

  const clients = {
    ioredis,
    'node-redis': nodeRedis,
    'Upstash (REST)': upstash,
    'Upstash (REST), texts': upstashTexts,
  };
  for (const [name, client] of Object.entries(clients)) {
    const open = async (options: { readonly retentionMs?: number } = {}) =>
      new RedisDeadLetters(client, { prefix: `${run}${randomUUID()}:`, ...options });
    testDeadLettersContract(name, open);
  }

  it('deletes what has expired from both keys, and lists beyond one page', async () => {
    const prefix = `${run}${randomUUID()}:`;
    const short = new RedisDeadLetters(ioredis, { prefix, retentionMs: 3_000 });
    for (let n = 0; n < 250; n += 1)
      await short.keep(entryOf(`a-${n}`, { kind: n % 2 ? 'refund' : 'payment' }));
    expect(await short.list({ kind: 'refund', limit: 200 })).toHaveLength(125);
    expect(await short.list({ kind: 'refund', limit: 120 })).toHaveLength(120);
    const shorter = new RedisDeadLetters(ioredis, { prefix, retentionMs: 1 });
    expect(await shorter.deleteExpired()).toBe(250);
    expect(await ioredis.exists(`{${prefix}dead-letters}`, `{${prefix}dead-letters}:times`)).toBe(0);
  });

  it('says that something else has written there', async () => {
    const prefix = `${run}${randomUUID()}:`;
    const deadLetters = new RedisDeadLetters(ioredis, { prefix });
    await deadLetters.keep(entryOf('a'));
    await ioredis.hset(`{${prefix}dead-letters}`, 'a', 'S3CRET');
    const listed = deadLetters.list();
    await expect(listed).rejects.toBeInstanceOf(StoreError);
    await expect(listed).rejects.not.toThrow('S3CRET');
  });
});
