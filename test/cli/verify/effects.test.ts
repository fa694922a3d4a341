import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { Effects } from '../../../src/cli/verify/effects';

/** Answers with each of these counts in turn, the last one again and again, and takes `delayMs` for each. */
async function answering(counts: readonly number[], delayMs: number): Promise<URL> {
  let reads = 0;
  const server = createServer(async (_request, response) => {
    const count = counts[Math.min(reads++, counts.length - 1)];
    await sleep(delayMs);
    response.end(JSON.stringify(count));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

test.each([60, 200])(
  'a read of %i ms that takes longer than the wait is not the last one',
  async (delayMs) => {
    const effects = new Effects(await answering([3, 4], delayMs), 50);

    const { total } = await effects.since({ total: 3, byName: undefined }, 1);

    expect(total).toBe(1);
  },
);

test('a count that never comes is missing after the wait', async () => {
  const effects = new Effects(await answering([3], 0), 50);

  const { total } = await effects.since({ total: 3, byName: undefined }, 1);

  expect(total).toBe(0);
});
