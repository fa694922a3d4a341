import { expect, it, onTestFinished, vi } from 'vitest';
import { SandboxClient } from '../../src/cli/sandbox-client';
import { reply, startHttpServer } from '../helpers/http-server';

const credentials = { apiKey: 'marked-key', apiToken: 'marked-token' };

it.each([301, 302, 303, 307, 308])('a %d carries the credentials nowhere', async (status) => {
  const other = await startHttpServer(reply(200, { transactions: [] }));
  const redirecting = await startHttpServer(reply(status, '', { location: `${other.url}/steal` }));
  const client = new SandboxClient(redirecting.url, credentials);
  for (const method of ['GET', 'POST']) {
    await expect(client.call(method, '/sandbox/transactions')).rejects.toThrow(`(HTTP ${status})`);
  }
  expect(redirecting.requests).toMatchObject([{ method: 'GET' }, { method: 'POST' }]);
  expect(redirecting.requests[0]?.headers).toMatchObject({ 'x-api-key': 'marked-key' });
  expect(other.requests).toEqual([]);
});

it.each(['ERR_SSL_WRONG_VERSION_NUMBER', 'EPROTO', 'ERR_SSL_PACKET_LENGTH_TOO_LONG'])(
  'a sandbox of https is answered with its URL of http: %s',
  async (code) => {
    vi.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('fetch failed', { cause: { code } }));
    onTestFinished(() => void vi.restoreAllMocks());
    const client = new SandboxClient('https://127.0.0.1:4100/', credentials);
    await expect(client.call('GET', '/sandbox/transactions')).rejects.toThrow(
      'The sandbox at https://127.0.0.1:4100 speaks http, not https: write http:// in its URL.',
    );
  },
);
