import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RedisStore } from '../../../src/stores';
import { hasRedisServer, type OwnRedis, startOwnRedis } from '../../helpers/redis-server';
import { startTcpProxy } from '../../helpers/tcp-proxy';
import { lease } from '../../stores/limits';
import { expectCompleteRepeated, expectSubjectKept, expectToSurvive } from './checks';
import { isRecorded, LEASE_MS, STORE_TIMEOUT_MS, startListener } from './listener';

describe.skipIf(!hasRedisServer())('A listener whose Redis goes away', () => {
  /** With the default settings of ioredis, which queue commands for ever. */
  function ioredis(url: string): RedisStore {
    const client = new Redis(url);
    client.on('error', () => undefined);
    onTestFinished(() => client.disconnect());
    return new RedisStore(client);
  }

  async function nodeRedis(url: string): Promise<RedisStore> {
    const client = createClient({ url });
    client.on('error', () => undefined);
    await client.connect();
    onTestFinished(() => client.destroy());
    return new RedisStore(client);
  }

  it.each([
    ['ends, over ioredis', ioredis, (redis) => redis.stop(), (redis) => redis.start()],
    ['ends, over node-redis', nodeRedis, (redis) => redis.stop(), (redis) => redis.start()],
    ['is frozen', ioredis, (redis) => redis.freeze(), (redis) => redis.thaw()],
  ] satisfies [
    string,
    (url: string) => unknown,
    (redis: OwnRedis) => unknown,
    (redis: OwnRedis) => unknown,
  ][])(
    'answers 5xx while Redis %s, acknowledges nothing unrecorded, and recovers',
    async (_, open, down, up) => {
      const redis = await startOwnRedis();
      const listener = await startListener(await open(redis.url), () => sleep(20));
      await expectToSurvive(
        listener,
        ioredis(redis.url),
        () => down(redis),
        () => up(redis),
      );
    },
  );

  it('frees a subject whose claim was carried out late, when the late claim is released', async () => {
    const redis = await startOwnRedis();
    const [store, other] = [ioredis(redis.url), ioredis(redis.url)];
    await Promise.all([store, other].map((each) => each.claim('payment:connected', 'PAID', lease(1))));
    redis.freeze();
    const late = store.claim('payment:sale-1', 'PAID', lease(40_000));
    expect(await Promise.race([late, sleep(STORE_TIMEOUT_MS, 'given up')])).toBe('given up');
    redis.thaw();

    const claim = await late;
    if (claim.status !== 'claimed') throw new Error('not claimed');
    expect(await other.claim('payment:sale-1', 'PAID', lease(40_000))).toEqual({ status: 'busy' });
    await store.release(claim);
    expect(await other.claim('payment:sale-1', 'PAID', lease(40_000))).toMatchObject({ status: 'claimed' });
  });

  it.each([
    ['does nothing after the limit of the claim', 600, 0],
    ['before that, holds the subject until its lease ends', 5_000, 1],
  ])('a write that failed by commandTimeout and is carried out late: %s', async (_, withinMs, writes) => {
    const redis = await startOwnRedis();
    const client = new Redis(redis.url, { commandTimeout: 300 });
    onTestFinished(() => client.disconnect());
    const other = ioredis(redis.url);
    // Redis freezes between the read and the write: only the write has more than a script and a key.
    const store = new RedisStore({
      defineCommand: client.defineCommand,
      eval: (script: string, keys: number, ...rest: string[]) => {
        if (rest.length > 1) redis.freeze();
        return client.eval(script, keys, ...rest);
      },
    });
    await other.claim('payment:connected', 'PAID', lease(1));
    expect(await client.ping()).toBe('PONG');
    const claim = store.claim('payment:sale-1', 'PAID', { leaseMs: 1_500, withinMs });
    await expect(claim).rejects.toMatchObject({ message: 'Command timed out' });
    await sleep(400);
    redis.thaw();

    // Redis answers it after every command that the client sent before.
    expect(await client.ping()).toBe('PONG');
    expect(await client.exists('pix-automatic:webhooks:payment:sale-1')).toBe(writes);
    if (writes === 1) {
      expect(await other.claim('payment:sale-1', 'PAID', lease(40_000))).toEqual({ status: 'busy' });
      await sleep(1_500);
    }
    expect(await other.claim('payment:sale-1', 'PAID', lease(40_000))).toMatchObject({ status: 'claimed' });
  });

  it('answers 503 in time when an ioredis client would wait for ever', async () => {
    const redis = await startOwnRedis();
    const { pay, acted, reports } = await startListener(ioredis(redis.url));
    await redis.stop();
    const start = performance.now();
    const answer = await pay('sale-1');
    expect(performance.now() - start).toBeLessThan(STORE_TIMEOUT_MS + 1500);
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': expect.anything() } });
    expect(reports).toMatchObject([{ code: 'store_failed', status: 503 }]);
    expect(acted).toEqual([]);
  });

  it('records a success that came while Redis was away, as soon as Redis is back', async () => {
    const redis = await startOwnRedis();
    let returned: Promise<void> | undefined;
    const { pay, acted } = await startListener(ioredis(redis.url), async () => {
      await redis.stop();
      returned = comeBack(redis, 300);
    });
    expect((await pay('sale-1')).status).toBe(200);
    await returned;
    expect(await isRecorded(ioredis(redis.url), 'sale-1')).toBe(true);
    expect((await pay('sale-1')).status).toBe(200);
    expect(acted).toEqual(['sale-1']);
  });

  it('does not answer 200 when Redis comes back after the lease has ended', async () => {
    const redis = await startOwnRedis();
    let times = 0;
    let returned: Promise<void> | undefined;
    const { pay, acted, reports } = await startListener(ioredis(redis.url), async () => {
      times += 1;
      if (times > 1) return;
      await redis.stop();
      returned = comeBack(redis, LEASE_MS * 1.5);
    });
    expect((await pay('sale-1')).status).toBe(503);
    expect(reports).toMatchObject([{ code: 'lease_lost' }]);
    await returned;
    expect(await isRecorded(ioredis(redis.url), 'sale-1')).toBe(false);
    expect((await pay('sale-1')).status).toBe(200);
    expect(acted).toEqual(['sale-1', 'sale-1']);
  });

  it('repeats complete when its reply is lost, and does not act again', async () => {
    const redis = await startOwnRedis();
    const proxy = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(redis.url).port) });
    const throughProxy = ioredis(`redis://127.0.0.1:${proxy.port}`);
    await expectCompleteRepeated(throughProxy, ioredis(redis.url), proxy, 'written');
  });

  it('keeps the subject of a callback that hangs until its lease is over', async () => {
    await expectSubjectKept(ioredis((await startOwnRedis()).url));
  });
});

async function comeBack(redis: OwnRedis, afterMs: number): Promise<void> {
  await sleep(afterMs);
  await redis.start();
}
