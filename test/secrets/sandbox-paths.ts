import { setTimeout as sleep } from 'node:timers/promises';
import { PaymentsClient } from 'pix-automatic-sdk';
import { type SandboxOptions, startSandbox } from 'pix-automatic-sdk/sandbox';
import { onTestFinished } from 'vitest';
import type { SandboxLogEntry } from '../../src/sandbox/log';
import { checkoutRequest } from '../client/support';
import { reply, startHttpServer } from '../helpers/http-server';
import { credentials, marked } from './marks';
import type { Paths } from './path';

const { apiKey, apiToken, cpf, email, account } = marked;
const document = { type: 'CPF', number: cpf };
const order = { ...checkoutRequest(), shopper: { email, document }, amount: 10, account };

/** A sandbox with marked credentials, everything that it logs, and calls of it. */
async function start(options: SandboxOptions = {}) {
  const log: SandboxLogEntry[] = [];
  const sandbox = await startSandbox({ credentials, log: (entry) => log.push(entry), ...options });
  onTestFinished(() => sandbox.close());
  const client = new PaymentsClient({ baseUrl: sandbox.url, ...credentials, maxRetries: 0 });
  const createJourney = async () => (await client.createRecurringCheckout(order)).response.uuid;
  const call = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
    const sent = { 'x-api-key': apiKey, 'x-api-token': apiToken, ...headers };
    const answer = await fetch(sandbox.url + path, { method, headers: sent });
    return [answer.status, [...answer.headers], await answer.text()];
  };
  return { sandbox, client, log, createJourney, call };
}

const webhookUrl = `http://127.0.0.1:1/?key=${apiKey}`;

export const sandboxPaths: Paths = {
  async 'startSandbox: the log of calls and deliveries'() {
    const listener = await startHttpServer(reply(500, `${apiKey} ${email}`), reply(200));
    const { sandbox, client, log, createJourney, call } = await start({
      webhookUrl: `${listener.url}/?key=${apiKey}&token=${encodeURIComponent(apiToken)}`,
      retryIntervalMs: 1,
    });
    const uuid = await createJourney();
    sandbox.pay(uuid);
    await sandbox.idle();
    await client.getTransaction(uuid);
    await call(`/v1.1/transactions/${apiToken}?email=${email}`);
    await call(`/${apiKey}/${apiToken}`, {}, 'DELETE');
    return log;
  },
  async 'startSandbox: the deliveries, apart from their payloads'() {
    const { sandbox, createJourney } = await start({ webhookUrl });
    sandbox.pay(await createJourney());
    await sleep(50);
    return sandbox.deliveries.map(({ payload: _, ...delivery }) => delivery);
  },
  async 'startSandbox: responses to calls with wrong credentials'() {
    const { call } = await start();
    const asked = ['/v1.1/transactions/t', '/sandbox/deliveries', '/sandbox/faults', '/elsewhere'];
    return Promise.all(asked.map((path) => call(path, { 'x-api-token': 'another' })));
  },
  'startSandbox: an invalid webhookUrl': () => start({ webhookUrl: `${apiKey}:${apiToken}@${email}` }),
  'startSandbox: an unknown transaction': async () => (await start()).sandbox.pay(cpf),
  async 'startSandbox: an impossible refund'() {
    const { sandbox, createJourney } = await start();
    return sandbox.refund(await createJourney(), { amount: Number(cpf), reason: email });
  },
  'startSandbox: bad credentials': () => start({ credentials: { apiKey: `${apiKey}\n`, apiToken } }),
  async 'startSandbox: its page, the list of control calls, and refusals of foreign hosts and origins'() {
    const { createJourney, call } = await start({ webhookUrl });
    await createJourney();
    return Promise.all([
      call('/'),
      call('/sandbox'),
      call('/sandbox/events', { 'x-api-token': 'another' }),
      call(`/${apiKey}`, { origin: `https://${apiKey}.example` }),
    ]);
  },
};
