import { describe, expect, it } from 'vitest';
import { hasRedisServer, startOwnRedis } from '../helpers/own-servers';
import { firstAnswer, startListeners } from './helpers/start-listeners';
import { installExample } from './runner/install-example';

describe.skipIf(!hasRedisServer())('redis', () => {
  it('acts once over two processes, and not at all while Redis is away', async () => {
    const redis = await startOwnRedis();
    const directory = await installExample('redis');
    const { sandbox, order, deliverAllAgain, stop } = await startListeners(directory, 2, {
      REDIS_URL: redis.url,
    });

    const first = await order('order-1');
    sandbox.pay(first);
    // A payment that is refunded before its notification arrives is not confirmed.
    await sandbox.idle();
    sandbox.refund(first, { amount: 10 });
    await sandbox.idle();
    const { uuid: reversal } = sandbox.reverse(first);
    await sandbox.idle();
    sandbox.completeReversal(reversal);
    await deliverAllAgain();

    await redis.stop();
    const second = await order('order-2');
    sandbox.pay(second);
    expect(await firstAnswer(sandbox)).toBe(503);
    await redis.start();
    await deliverAllAgain();

    const { status, stdout, stderr } = await stop();
    expect(status).toEqual([0, 0]);
    expect(stdout.toSorted()).toEqual([
      'Listening on http://localhost:PORT',
      'Listening on http://localhost:PORT',
      'order-1 is paid',
      'order-2 is paid',
      'refund of 10 credited',
      'reversal of 49.7: PAID',
      'reversal of 49.7: PENDING',
    ]);
    // The number of failures depends on timing.
    const failures = stderr.filter((line) => line !== 'Redis: ECONNREFUSED').map(codeAndKey);
    expect(new Set(failures)).toEqual(new Set([`store_failed payment:${second}:PAID`]));
  });
});

function codeAndKey(line: string): string {
  return line.split(' ', 2).join(' ');
}
