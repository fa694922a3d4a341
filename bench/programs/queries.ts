// Queries over TLS: by this library, or by `fetch` over connections that are kept.
import { PaymentsClient } from 'pix-automatic-sdk';
import { programInput } from '../lib/program-input';

const { url, kept, calls, concurrency } = programInput<{
  url: string;
  kept: boolean;
  calls: number;
  concurrency: number;
}>();
// The certificate is a self-signed one.
process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
process.removeAllListeners('warning');

const client = new PaymentsClient({ baseUrl: url, apiKey: 'benchmark-key', apiToken: 'benchmark-token' });
const query = kept
  ? async () => (await fetch(`${url}/v1.1/transactions/uuid-1`)).json()
  : () => client.getTransaction('uuid-1');

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
