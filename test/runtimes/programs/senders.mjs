// Calls the service in a process where something else sends, or intercepts, what `fetch` is given. Prints who answered.
import { Buffer } from 'node:buffer';
import process from 'node:process';

const { sender, when, baseUrl, ca, answers } = JSON.parse(process.argv.at(-1));

const paths = {
  GET: '/v1.1/transactions/uuid-1',
  POST: '/v1.1/checkout/pix-automatic',
  PUT: '/v1.1/pix-automatic/scheduled-payments/instruction-1/cancel',
};
/** As the service answers, and told from it by the message. */
const mocked = (method) => JSON.stringify({ ...answers[method], message: 'mock' });

async function mockAgent(module) {
  const { MockAgent, setGlobalDispatcher } = await import(module);
  const agent = new MockAgent();
  agent.disableNetConnect();
  for (const [method, path] of Object.entries(paths)) {
    agent.get(baseUrl).intercept({ method, path }).reply(200, mocked(method)).persist();
  }
  setGlobalDispatcher(agent);
}

async function agent(module) {
  const { Agent, setGlobalDispatcher } = await import(module);
  setGlobalDispatcher(new Agent({ connect: { ca } }));
}

async function envHttpProxyAgent(module) {
  const { EnvHttpProxyAgent, setGlobalDispatcher } = await import(module);
  setGlobalDispatcher(new EnvHttpProxyAgent());
}

async function msw() {
  const { http, HttpResponse } = await import('msw');
  const { setupServer } = await import('msw/node');
  const handlers = Object.entries(paths).map(([method, path]) =>
    http[method.toLowerCase()](baseUrl + path, () => new HttpResponse(mocked(method))),
  );
  setupServer(...handlers).listen({ onUnhandledRequest: 'error' });
}

async function nock() {
  const { default: nock } = await import('nock');
  nock.disableNetConnect();
  for (const [method, path] of Object.entries(paths)) {
    nock(baseUrl).persist().intercept(path, method).reply(200, mocked(method));
  }
}

async function openTelemetry() {
  const { propagation } = await import('@opentelemetry/api');
  const { UndiciInstrumentation } = await import('@opentelemetry/instrumentation-undici');
  propagation.setGlobalPropagator({
    inject: (_, carrier, { set }) => set(carrier, 'traceparent', 'marked'),
    extract: (context) => context,
    fields: () => ['traceparent'],
  });
  new UndiciInstrumentation().enable();
}

const setUps = { mockAgent, agent, envHttpProxyAgent, msw, nock, openTelemetry, none: async () => undefined };
const setUp = async () => {
  const [name, module] = sender.split(' ');
  await setUps[name](module);
};

/** What plain `fetch` gets, and then each call, three times each, so that a kept connection has its turn. */
async function callAll(client) {
  const { referenceCode, ...request } = answers.request;
  const calls = {
    fetch: async () => (await fetch(baseUrl + paths.GET, { headers: { 'x-api-key': 'plain' } })).json(),
    GET: () => client.getTransaction('uuid-1'),
    POST: () => client.createRecurringCheckout({ ...request, referenceCode }),
    PUT: () => client.cancelScheduledPayment('instruction-1', { reason: 'moved house' }),
  };
  const found = {};
  for (const [name, call] of Object.entries(calls)) {
    const ends = [];
    for (let number = 0; number < 3; number += 1) {
      ends.push(
        await call().then(
          ({ message }) => message,
          ({ code, outcome, cause }) => `${code ?? cause?.code} ${outcome}`,
        ),
      );
    }
    found[name] = [...new Set(ends)].join(', ');
  }
  return found;
}

const load = async () => {
  const { PaymentsClient } = await import('pix-automatic-sdk');
  const options = { apiKey: 'key', apiToken: 'token', allowInsecureHttp: true, maxRetries: 0 };
  return new PaymentsClient({ baseUrl, ...options });
};

if (when === 'before') await setUp();
const client = await load();
// Its kept connection is there when the mock comes.
if (when === 'used') await callAll(client);
if (when !== 'before') await setUp();
process.stdout.write(`set up ${when}\n`);
const found = await callAll(client);
console.log(`found ${Buffer.from(JSON.stringify(found)).toString('base64')}`);
process.exit(0);
