import { describe, expect, it } from 'vitest';
import { hasRedisServer, startOwnRedis } from '../helpers/own-servers';
import { userEnvironment } from '../package/run';
import { firstAnswer, startListeners } from './helpers/start-listeners';
import { installExample } from './runner/install-example';
import { Program } from './runner/program';

describe.skipIf(!hasRedisServer())('bullmq', () => {
  it('puts each notification into the queue once, and accepts none while the queue is away', async () => {
    const redis = await startOwnRedis();
    const env = { REDIS_URL: redis.url };
    const directory = await installExample('bullmq');
    const { sandbox, order, deliverAllAgain, stop } = await startListeners(directory, 2, env);

    const first = await order('order-1');
    sandbox.pay(first);
    await sandbox.idle();
    const { uuid: payout } = sandbox.payOut({ amount: 10 });
    await sandbox.idle();

    // The listener accepted these while no worker ran, so the jobs waited for it. Their duplicates find them done.
    const worker = new Program([process.execPath, 'dist/worker.js'], directory, {
      ...userEnvironment(),
      ...env,
    });
    await worker.printed(/payout of 10/);
    await deliverAllAgain();

    await redis.stop();
    const second = await order('order-2');
    sandbox.pay(second);
    expect(await firstAnswer(sandbox)).toBe(500);
    await redis.start();
    await deliverAllAgain();
    await worker.printed(new RegExp(second));

    const listeners = await stop();
    expect(listeners.status).toEqual([0, 0]);
    expect(listeners.stdout).toEqual(Array(2).fill('Listening on http://localhost:PORT'));
    const failures = listeners.stderr.filter((line) => line !== 'queue: ECONNREFUSED').map(codeAndKey);
    expect(new Set(failures)).toEqual(new Set([`callback_failed payment:${second}:PAID`]));
    const { status, stdout, stderr } = await worker.stop();
    expect(status).toBe(0);
    expect(stdout).toEqual([
      `payment of 59.7: payment%3A${first}%3APAID`,
      `payout of 10: payout%3A${payout}%3Atrue%3APAID`,
      `payment of 59.7: payment%3A${second}%3APAID`,
    ]);
    expect(stderr.filter((line) => line !== 'worker: ECONNREFUSED')).toEqual([]);
  });
});

function codeAndKey(line: string): string {
  return line.split(' ', 2).join(' ');
}
