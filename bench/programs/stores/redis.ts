import { Redis } from 'ioredis';
import { RedisStore } from 'pix-automatic-sdk/stores';
import { createClient } from 'redis';
import { SCRIPT } from '../../../src/stores/redis-store';
import { findRedis, redisUrl } from '../../../test/helpers/redis';
import { interleave } from '../../lib/interleave';
import {
  bareRecord,
  type Growth,
  grow,
  type Handle,
  handleWith,
  newSubject,
  RETENTION_MS,
  type StoreFigures,
  throughput,
} from './measure';
import { startWire } from './wire';

const COUNT = 1_000;
const prefix = `pix-automatic-benchmark-${process.pid}:`;
const NAMESPACE = 'webhooks';

type Eval = (script: string, key: string, ...values: string[]) => Promise<unknown>;

export async function redis(options: { rounds: number; random: () => number }) {
  if (!(await findRedis())) return undefined;
  const ioredis = new Redis(redisUrl);
  const nodeRedis = createClient({ url: redisUrl });
  await nodeRedis.connect();
  const handles = {
    ioredisStore: handleWith(new RedisStore(ioredis, { prefix, namespace: NAMESPACE })),
    ioredisBare: bare((script, key, ...values) => ioredis.eval(script, 1, key, ...values)),
    nodeRedisStore: handleWith(new RedisStore(nodeRedis, { prefix, namespace: NAMESPACE })),
    nodeRedisBare: bare((script, key, ...values) =>
      nodeRedis.eval(script, { keys: [key], arguments: values }),
    ),
  };
  try {
    for (const handle of Object.values(handles)) await throughput(handle, COUNT);
    const samples = await interleave(
      {
        ioredisStore: () => throughput(handles.ioredisStore, COUNT),
        ioredisBare: () => throughput(handles.ioredisBare, COUNT),
        nodeRedisStore: () => throughput(handles.nodeRedisStore, COUNT),
        nodeRedisBare: () => throughput(handles.nodeRedisBare, COUNT),
      },
      options,
    );
    const roundTrips = await countRoundTrips();
    const stores: Record<string, StoreFigures> = {
      'Redis, ioredis': { roundTrips, store: samples.ioredisStore, bare: samples.ioredisBare },
      'Redis, node-redis': { roundTrips, store: samples.nodeRedisStore, bare: samples.nodeRedisBare },
    };
    return { stores, growth: { Redis: await measureGrowth(ioredis, handles.ioredisStore) } };
  } finally {
    await removeKeys(ioredis);
    ioredis.disconnect();
    await nodeRedis.close();
  }
}

function bare(run: Eval): Handle {
  return async (subject) => {
    const key = `${prefix}${NAMESPACE}:${subject}`;
    const { claimed, completed, version, expiresAt, before } = bareRecord();
    await run(SCRIPT, key);
    await run(SCRIPT, key, '0', `${before}`, `${version}`, claimed, `${expiresAt}`);
    await run(SCRIPT, key, `${version}`, `${before}`, `${version + 1}`, completed, `${expiresAt}`);
  };
}

async function countRoundTrips(): Promise<number> {
  const { hostname, port } = new URL(redisUrl);
  const wire = await startWire({ host: hostname, port: Number(port || 6379) });
  const url = new URL(redisUrl);
  url.hostname = '127.0.0.1';
  url.port = String(wire.port);
  const client = new Redis(url.href);
  await client.ping();
  wire.reset();
  await handleWith(new RedisStore(client, { prefix, namespace: NAMESPACE }))(newSubject());
  client.disconnect();
  wire.close();
  return wire.roundTrips;
}

/** Copies a record that the store wrote, under keys of the same length. */
const LOAD = `
for number = tonumber(ARGV[1]), tonumber(ARGV[2]) do
  local key = ARGV[3] .. string.format('%012d', number)
  redis.call('HSET', key, 'version', ARGV[6], 'record', ARGV[4])
  redis.call('PEXPIRE', key, ARGV[5])
end`;
const AT_ONCE = 5_000;

async function measureGrowth(client: Redis, handle: Handle): Promise<Growth> {
  const subject = newSubject();
  await handle(subject);
  const { record, version } = await client.hgetall(`${prefix}${NAMESPACE}:${subject}`);
  if (record === undefined || version === undefined)
    throw new Error('The store did not write its record where it says.');
  const stem = `${prefix}${NAMESPACE}:payment:00000000-0000-4000-8000-`;
  const before = await usedMemory(client);
  let loaded = 0;
  const load = async (from: number, to: number) => {
    for (let first = from; first < to; first += AT_ONCE) {
      const last = Math.min(first + AT_ONCE, to) - 1;
      await client.eval(LOAD, 0, first, last, stem, record, RETENTION_MS, version);
    }
    loaded = to;
  };
  const levels = await grow(load, handle, COUNT);
  // The measurements add one key per notification.
  const keys = loaded + 3 * COUNT * levels.length;
  const bytesAKey = ((await usedMemory(client)) - before) / keys;
  const alone = Number(await client.call('MEMORY', 'USAGE', `${prefix}${NAMESPACE}:${subject}`));
  const sizes = `\`used_memory\` grew by ${bytesAKey.toFixed(0)} bytes a key, of which \`MEMORY USAGE\` sees ${alone}; the key itself has ${`${prefix}${NAMESPACE}:${subject}`.length}`;
  return { levels, bytesAKey, sizes };
}

async function usedMemory(client: Redis): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1]);
}

async function removeKeys(client: Redis): Promise<void> {
  for await (const keys of client.scanStream({ match: `${prefix}*`, count: 10_000 })) {
    if (keys.length > 0) await client.unlink(keys);
  }
}
