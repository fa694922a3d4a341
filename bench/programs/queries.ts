// Queries over TLS: by the client of an entry, or by `fetch` over connections that are kept.
import { programInput } from '../lib/program-input';

const { url, entry, calls, concurrency } = programInput<{
  url: string;
  /** Of a built package; missing for `fetch`. */
  entry?: string;
  calls: number;
  concurrency: number;
}>();
// The certificate is a self-signed one.
process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
process.removeAllListeners('warning');

const byFetch = async () => (await fetch(`${url}/v1.1/transactions/uuid-1`)).json();

async function byClient(from: string): Promise<() => Promise<unknown>> {
  const { PaymentsClient }: typeof import('pix-automatic-sdk') = await import(from);
  const client = new PaymentsClient({ baseUrl: url, apiKey: 'benchmark-key', apiToken: 'benchmark-token' });
  return () => client.getTransaction('uuid-1');
}

const query = entry === undefined ? byFetch : await byClient(entry);

async function run(count: number): Promise<void> {
  let begun = 0;
  const caller = async () => {
    while (begun < count) {
      begun += 1;
      await query();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, caller));
}

await run(50);
const cpu = process.cpuUsage();
const start = performance.now();
await run(calls);
const ms = performance.now() - start;
const { user, system } = process.cpuUsage(cpu);
process.stdout.write(JSON.stringify({ ms: ms / calls, cpuMs: (user + system) / calls / 1000 }));
process.exit();
