// Ten thousand journeys in one sandbox: how much memory they take, and whether the last is as fast as the first.
// Run: node --expose-gc --import tsx bench/sandbox-journeys.ts
import { request } from 'node:http';
import { startSandbox } from 'pix-automatic-sdk/sandbox';

const JOURNEYS = 10_000;
const BLOCK = 1_000;
const MAX_MEGABYTES = 200;

const sandbox = await startSandbox();
const headers = {
  'x-api-key': sandbox.credentials.apiKey,
  'x-api-token': sandbox.credentials.apiToken,
  'content-type': 'application/json',
};

function call(method: string, path: string, body?: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = request(sandbox.url + path, { method, headers }, async (answer) => {
      let text = '';
      for await (const chunk of answer) text += chunk;
      resolve(text);
    });
    outgoing.on('error', reject).end(body && JSON.stringify(body));
  });
}

function order(index: number) {
  return {
    currency: 'BRL',
    referenceCode: `order-${index}`,
    amount: 59.7,
    shopper: {
      id: `shopper-${index}`,
      name: 'Ana de Souza',
      email: `ana-${index}@example.com`,
      document: { type: 'CPF', number: '12345678909' },
      phone: { type: 'MOBILE', number: '11999990000' },
    },
    recurrence: { immediatePayment: true, amount: { recurrenceAmount: 29.9 } },
  };
}

function megabytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().rss / 2 ** 20;
}

console.log('journeys   create   query   (median ms)   rss MB');
const uuids: string[] = [];
for (let block = 0; block < JOURNEYS / BLOCK; block++) {
  const creations: number[] = [];
  const queries: number[] = [];
  for (let index = 0; index < BLOCK; index++) {
    const started = performance.now();
    const answer = await call('POST', '/v1.1/checkout/pix-automatic', order(block * BLOCK + index));
    const created = performance.now();
    const { uuid } = JSON.parse(answer).response;
    uuids.push(uuid);
    sandbox.pay(uuid);
    const asked = uuids[Math.floor(Math.random() * uuids.length)];
    const beforeQuery = performance.now();
    await call('GET', `/v1.1/transactions/${asked}`);
    creations.push(created - started);
    queries.push(performance.now() - beforeQuery);
  }
  const columns = [
    uuids.length,
    median(creations).toFixed(2),
    median(queries).toFixed(2),
    megabytes().toFixed(0),
  ];
  const [count, create, query, memory] = columns.map(String);
  console.log(`${count?.padStart(8)} ${create?.padStart(8)} ${query?.padStart(7)} ${memory?.padStart(22)}`);
}

const used = megabytes();
await sandbox.close();
if (used > MAX_MEGABYTES) {
  console.error(`${used.toFixed(0)} MB are more than ${MAX_MEGABYTES}.`);
  process.exitCode = 1;
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
