import { expect, it } from 'vitest';
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
