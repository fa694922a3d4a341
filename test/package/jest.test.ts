import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, inject, it } from 'vitest';
import { node } from './run';

/** A test as in a NestJS project: CommonJS, and a module loader that refuses ESM and `import()`. */
const test = `
const { createServer } = require('node:http');

test.each(['', '/webhooks', '/stores', '/orders', '/recurrence', '/testing', '/sandbox', '/pix'])('require pix-automatic-sdk%s', (entry) => {
  expect(() => require('pix-automatic-sdk' + entry)).not.toThrow();
});

test('a call over HTTP', async () => {
  const { PaymentsClient, ApiError } = require('pix-automatic-sdk');
  const server = createServer((request, response) => {
    const found = request.url === '/v1.1/transactions/t-1' && request.headers['x-api-key'] === 'key';
    response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(found ? { status: 0, uuid: 't-1', situation: 'PAID' } : { status: -1 }));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const baseUrl = 'http://127.0.0.1:' + server.address().port;
    const client = new PaymentsClient({ baseUrl, apiKey: 'key', apiToken: 'token' });
    expect(await client.getTransaction('t-1')).toMatchObject({ uuid: 't-1', situation: 'PAID' });
    await expect(client.getTransaction('t-2')).rejects.toBeInstanceOf(ApiError);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

test('a notification', () => {
  const { constructNotification, WebhookAuthenticationError } = require('pix-automatic-sdk/webhooks');
  const credentials = { apiKey: 'key', apiToken: 'token' };
  const authorization = 'Basic ' + Buffer.from('key:token').toString('base64');
  const body = JSON.stringify({ saleToken: 't-1', newStatus: 'PAID' });
  expect(constructNotification({ authorization, body }, credentials)).toMatchObject({ kind: 'payment' });
  expect(() => constructNotification({ authorization: 'Basic x', body }, credentials)).toThrow(WebhookAuthenticationError);
});

test('the mocked service, without msw', async () => {
  const { PaymentsClient } = require('pix-automatic-sdk');
  const { createWebhookHandler } = require('pix-automatic-sdk/webhooks');
  const { fakeClock, fixtures, mockService } = require('pix-automatic-sdk/testing');
  const credentials = { apiKey: 'key', apiToken: 'token' };
  const payment = jest.fn();
  const clock = fakeClock();
  const deliverTo = createWebhookHandler({ credentials, on: { payment } });
  const service = mockService({ credentials, clock, deliverTo });
  const client = new PaymentsClient({ baseUrl: service.url, ...credentials, fetch: service.fetch });
  const { response } = await client.createRecurringCheckout(fixtures.recurringCheckoutRequest());
  service.pay(response.uuid);
  await clock.advance(0);
  expect(payment).toHaveBeenCalledTimes(1);
  expect((await client.getTransaction(response.uuid)).situation).toBe('PAID');
});
`;

it('the package can be required under Jest 30, which cannot import() on Node 20', async () => {
  const project = join(inject('consumer'), 'jest');
  await mkdir(project, { recursive: true });
  await writeFile(join(project, 'package.test.js'), test);
  await writeFile(
    join(project, 'jest.config.json'),
    JSON.stringify({ testEnvironment: 'node', transform: {} }),
  );

  const jest = resolve('node_modules/jest/bin/jest.js');
  await expect(
    node(project, jest, '--config', 'jest.config.json', '--watchman=false'),
  ).resolves.toBeDefined();
});
