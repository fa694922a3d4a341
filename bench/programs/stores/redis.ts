import { Redis } from 'ioredis';
import { RedisStore } from 'pix-automatic-sdk/stores';
import { createClient } from 'redis';
import { SCRIPT } from '../../../src/stores/redis-store';
import { findRedis, redisUrl } from '../../../test/helpers/redis';
import { interleave } from '../../lib/interleave';
import { bareRecord, type Handle, handleWith, newSubject, type StoreFigures, throughput } from './measure';
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
    return { stores };
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

async function removeKeys(client: Redis): Promise<void> {
  for await (const keys of client.scanStream({ match: `${prefix}*`, count: 10_000 })) {
    if (keys.length > 0) await client.unlink(keys);
  }
}
