// Ten thousand journeys in one sandbox: is the last as fast as the first, and how much memory do they take?
// Needs --expose-gc.
import { Agent, request } from 'node:http';
import { startSandbox } from 'pix-automatic-sdk/sandbox';
import { fixtures } from 'pix-automatic-sdk/testing';
import { programInput } from '../lib/program-input';
import { randomFrom } from '../lib/random';
import { median } from '../lib/statistics';

const JOURNEYS = 10_000;
const BLOCK = 2_000;

const { seed } = programInput<{ seed: number }>();
const random = randomFrom(seed);
const sandbox = await startSandbox();
const agent = new Agent({ keepAlive: true });
const headers = {
  'x-api-key': sandbox.credentials.apiKey,
  'x-api-token': sandbox.credentials.apiToken,
  'content-type': 'application/json',
};

const blocks: { journeys: number; create: number; query: number; megabytes: number }[] = [];
const uuids: string[] = [];
while (uuids.length < JOURNEYS) {
  const creations: number[] = [];
  const queries: number[] = [];
  for (let index = 0; index < BLOCK; index += 1) {
    const order = fixtures.recurringCheckoutRequest({ referenceCode: `order-${uuids.length}` });
    const started = performance.now();
    const { response } = await call('POST', '/v1.1/checkout/pix-automatic', order);
    creations.push(performance.now() - started);
    uuids.push(response.uuid);
    sandbox.pay(response.uuid);
    const asked = uuids[Math.floor(random() * uuids.length)];
    const before = performance.now();
    const { situation } = await call('GET', `/v1.1/transactions/${asked}`);
    queries.push(performance.now() - before);
    if (situation !== 'PAID') throw new Error('The sandbox does not know a journey that was paid.');
  }
  globalThis.gc?.();
  const megabytes = process.memoryUsage().rss / 2 ** 20;
  blocks.push({ journeys: uuids.length, create: median(creations), query: median(queries), megabytes });
}
console.log(JSON.stringify(blocks));
agent.destroy();
await sandbox.close();

interface Answer {
  readonly situation: string;
  readonly response: { readonly uuid: string };
}

function call(method: string, path: string, body?: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(sandbox.url + path, { method, headers, agent }, async (answer) => {
      let text = '';
      for await (const chunk of answer) text += chunk;
      resolve(JSON.parse(text));
    });
    outgoing.on('error', reject).end(body && JSON.stringify(body));
  });
}
