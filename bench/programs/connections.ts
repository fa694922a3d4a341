// Calls by one client, with nothing else in its process: the one of an entry, or ky alone. Measures on each message.
import { fixtures } from 'pix-automatic-sdk/testing';
import { programInput } from '../lib/program-input';
import { median } from '../lib/statistics';
import type { Ky } from './client/peers';

/** What to measure. */
export interface Calls {
  readonly url: string;
  readonly operation: 'query' | 'post';
  readonly calls: number;
  readonly concurrency: number;
}

/** Of one call: processor time and median, in microseconds; of all calls: the time, in seconds. */
export interface Measured {
  readonly cpu: number;
  readonly median: number;
  readonly seconds: number;
}

const { entry, first } = programInput<{
  /** Of a built package; missing for ky. */
  entry?: string;
  /** Where to make a first call, as soon as the client is imported, and then to end. */
  first?: string;
}>();
// The certificate is a self-signed one.
process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
process.removeAllListeners('warning');

const request = fixtures.recurringCheckoutRequest();
const client = entry === undefined ? await kyAlone() : await clientOf(entry);

/** As its documentation sets it up: it keeps its connections. */
async function kyAlone() {
  // By a variable, so that the type check does not need the module.
  const name: string = 'ky';
  const { default: ky }: Ky = await import(name);
  const headers = { 'x-api-key': 'benchmark-key', 'x-api-token': 'benchmark-token' };
  return (url: string) => ({
    query: () => ky.get(`${url}/v1.1/transactions/uuid-1`, { headers }).json(),
    post: () => ky.post(`${url}/v1.1/checkout/pix-automatic`, { headers, json: request }).json(),
  });
}

async function clientOf(from: string) {
  const { PaymentsClient }: typeof import('pix-automatic-sdk') = await import(from);
  return (url: string) => {
    const credentials = { apiKey: 'benchmark-key', apiToken: 'benchmark-token' };
    const payments = new PaymentsClient({ baseUrl: url, ...credentials });
    return {
      query: () => payments.getTransaction('uuid-1'),
      post: () => payments.createRecurringCheckout(request),
    };
  };
}

/** One client a service, as in a merchant's process, so that connections are kept from one message to the next. */
const clients = new Map<string, ReturnType<typeof client>>();

async function measure({ url, operation, calls, concurrency }: Calls): Promise<Measured> {
  const of = clients.get(url) ?? client(url);
  clients.set(url, of);
  const times: number[] = [];
  let begun = 0;
  const caller = async () => {
    while (begun < calls) {
      begun += 1;
      const startedAt = performance.now();
      await of[operation]();
      times.push((performance.now() - startedAt) * 1000);
    }
  };
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: concurrency }, caller));
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { cpu: (user + system) / calls, median: median(times), seconds };
}

if (first === undefined) {
  process.on('message', async (calls: Calls) => process.send?.(await measure(calls)));
  process.send?.({ version: process.versions.node });
} else {
  const measured = await measure({ url: first, operation: 'query', calls: 1, concurrency: 1 });
  process.stdout.write(JSON.stringify(measured));
  process.exit();
}
