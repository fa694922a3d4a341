import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PaymentsClient } from 'pix-automatic-sdk';
import { notificationRequest } from 'pix-automatic-sdk/testing';
import { createWebhookHandler } from 'pix-automatic-sdk/webhooks';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { blockWith } from './markdown';
import { loadBlock } from './run-block';

// The programs of SECURITY.md, and what it says that others can see.

afterEach(() => vi.unstubAllGlobals());

const own = { apiKey: 'your-api-key', apiToken: 'your-api-token' };
const leaked = { apiKey: 'leaked-key', apiToken: 'leaked-tóken' };

async function failed() {
  const handler = createWebhookHandler({
    credentials: [own, leaked],
    deadLetters: true,
    onReport: () => {},
    on: {
      refund: () => {
        throw new Error('a bug');
      },
    },
  });
  vi.stubGlobal('orders', { webhook: handler });
  const keep = async (uuid: string, pair: typeof own, changes: object = {}) => {
    const request = notificationRequest('refund', { refund: { uuid }, ...changes }, pair);
    const body = (await request.clone().text()).replaceAll('é', '\\u00e9');
    return handler(new Request(request, { body }));
  };
  return { keep };
}

test('what a forger left is found by the leaked pair, beyond the first page', async () => {
  const { keep } = await failed();
  for (let index = 0; index < 120; index += 1) await keep(`r-${index}`, own);
  await keep('a-forged', leaked);
  await keep('z-forged', leaked);
  const { keptOf } = await loadBlock(blockWith('function keptOf', 'SECURITY.md'));
  expect(await keptOf(leaked.apiKey, leaked.apiToken)).toEqual([
    'refund:a-forged:PAID',
    'refund:z-forged:PAID',
  ]);
  expect(await keptOf('another-key', 'another-token')).toEqual([]);
});

test('an APM in the process can read the credentials of a call', async () => {
  const server = createServer((_request, response) => response.writeHead(404).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const seen: string[] = [];
  const listener = (message: unknown) => {
    seen.push(JSON.stringify((message as { request: { headers: unknown } }).request.headers));
  };
  subscribe('undici:request:create', listener);
  onTestFinished(() => void unsubscribe('undici:request:create', listener));
  expect(channel('undici:request:create').hasSubscribers).toBe(true);

  const { port } = server.address() as AddressInfo;
  const client = new PaymentsClient({ ...own, baseUrl: `http://127.0.0.1:${port}`, maxRetries: 0 });
  await client.getTransaction('t-1').catch(() => {});
  expect(seen).toContainEqual(expect.stringContaining(own.apiToken));
});
