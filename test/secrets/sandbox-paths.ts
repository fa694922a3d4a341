import { PaymentsClient } from 'pix-automatic-sdk';
import { type SandboxLogEntry, type SandboxOptions, startSandbox } from 'pix-automatic-sdk/sandbox';
import { onTestFinished } from 'vitest';
import { checkoutRequest } from '../client/support';
import { reply, startHttpServer } from '../helpers/http-server';
import { credentials, marked } from './marks';
import type { Path } from './path';

const { apiKey, apiToken, cpf, email, account } = marked;

/** A sandbox with marked credentials, and everything that it logs. */
async function start(options: SandboxOptions = {}) {
  const log: SandboxLogEntry[] = [];
  const sandbox = await startSandbox({ credentials, log: (entry) => log.push(entry), ...options });
  onTestFinished(() => sandbox.close());
  const client = new PaymentsClient({ baseUrl: sandbox.url, ...credentials, maxRetries: 0 });
  const order = {
    ...checkoutRequest(),
    shopper: { email, document: { type: 'CPF', number: cpf } },
    amount: 10,
    account,
  };
  return { sandbox, client, log, order };
}

const call = (url: string, init: RequestInit = {}) =>
  fetch(url, { ...init, headers: { 'x-api-key': apiKey, 'x-api-token': apiToken, ...init.headers } });

export const sandboxPaths: readonly Path[] = [
  [
    'startSandbox: the log of calls and deliveries',
    async () => {
      const listener = await startHttpServer(reply(500, `${apiKey} ${email}`), reply(200));
      const { sandbox, client, log, order } = await start({
        webhookUrl: `${listener.url}/?key=${apiKey}&token=${encodeURIComponent(apiToken)}`,
        retryIntervalMs: 1,
      });
      const { response } = await client.createRecurringCheckout(order);
      sandbox.pay(response.uuid);
      await sandbox.idle();
      await client.getTransaction(response.uuid);
      await call(`${sandbox.url}/v1.1/transactions/${apiToken}?email=${email}`);
      await call(`${sandbox.url}/${apiKey}/${apiToken}`, { method: 'DELETE' });
      return log;
    },
  ],
  [
    'startSandbox: the deliveries, apart from their payloads',
    async () => {
      const { sandbox, client, order } = await start({ webhookUrl: `http://127.0.0.1:1/?key=${apiKey}` });
      const { response } = await client.createRecurringCheckout(order);
      sandbox.pay(response.uuid);
      await new Promise((resolve) => setTimeout(resolve, 50));
      return sandbox.deliveries.map(({ payload: _, ...delivery }) => delivery);
    },
  ],
  [
    'startSandbox: responses to calls with wrong credentials',
    async () => {
      const { sandbox } = await start();
      const asked = ['/v1.1/transactions/t', '/sandbox/deliveries', '/sandbox/faults', '/elsewhere'];
      const answers = asked.map(async (path) => {
        const answer = await call(sandbox.url + path, { headers: { 'x-api-token': 'another' } });
        return [answer.status, [...answer.headers], await answer.text()];
      });
      return Promise.all(answers);
    },
  ],
  ['startSandbox: an invalid webhookUrl', () => start({ webhookUrl: `${apiKey}:${apiToken}@${email}` })],
  ['startSandbox: an unknown transaction', async () => (await start()).sandbox.pay(cpf)],
  [
    'startSandbox: an impossible refund',
    async () => {
      const { sandbox, client, order } = await start();
      const { response } = await client.createRecurringCheckout(order);
      return sandbox.refund(response.uuid, { amount: Number(cpf), reason: email });
    },
  ],
  [
    'startSandbox: bad credentials',
    () =>
      startSandbox({ credentials: { apiKey: `${apiKey}\n`, apiToken } }).then((sandbox) => sandbox.close()),
  ],
  [
    'startSandbox: its page, the list of control calls, and refusals of foreign hosts and origins',
    async () => {
      const { sandbox, client, order } = await start({ webhookUrl: `http://127.0.0.1:1/?key=${apiKey}` });
      await client.createRecurringCheckout(order);
      const asked: [string, Record<string, string>][] = [
        ['/', {}],
        ['/sandbox', {}],
        ['/sandbox/events', { 'x-api-token': 'another' }],
        [`/${apiKey}`, { origin: `https://${apiKey}.example` }],
      ];
      const answers = asked.map(async ([path, headers]) => {
        const answer = await call(sandbox.url + path, { headers });
        return [answer.status, [...answer.headers], await answer.text()];
      });
      return Promise.all(answers);
    },
  ],
];
