import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { Effects } from '../../../src/cli/verify/effects';
import { selfSigned } from '../../client/self-signed';

/** Answers with each of these counts in turn, the last one again and again, and takes `delayMs` for each. */
async function answering(counts: readonly unknown[], delayMs: number): Promise<URL> {
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

test.each([
  [
    { version: '1.4', startedAt: null, tags: ['a'], payment: 2 },
    { total: 2, byName: { payment: 2 } },
  ],
  [{ name: '' }, { total: 0, byName: {} }],
])('other names than those of the checks may hold anything: %j', async (answer, count) => {
  expect(await new Effects(await answering([answer], 0), 50).count()).toEqual(count);
});

test.each(['payment', 'payoutFailed', 'inbox'])('the counter `%s` must be a number', async (name) => {
  const effects = new Effects(await answering([{ [name]: '3' }], 0), 50);
  await expect(effects.count()).rejects.toThrow(
    'Expected `--effects` to answer 200 with the number of actions',
  );
});

test('a certificate that nobody trusts is named, and so is a server without TLS', async () => {
  const server = createTlsServer(selfSigned, (_request, response) => response.end('{}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;

  await expect(new Effects(new URL(`https://127.0.0.1:${port}`), 50).count()).rejects.toThrow(
    'The certificate of the `--effects` URL is not trusted',
  );
  const plain = await answering([3], 0);
  plain.protocol = 'https:';
  await expect(new Effects(plain, 50).count()).rejects.toThrow('speaks another protocol');
  await expect(new Effects(new URL('http://127.0.0.1:1'), 50).count()).rejects.toThrow('cannot be reached');
});
