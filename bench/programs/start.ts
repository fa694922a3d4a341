// What a new process pays: the import of the package, and its first call. Prints both, in milliseconds.
import { performance } from 'node:perf_hooks';
import { programInput } from '../lib/program-input';

const { entry, service } = programInput<{ entry: string; service: string }>();
const before = performance.now();
const { PaymentsClient }: typeof import('pix-automatic-sdk') = await import(entry);
const imported = performance.now();
const client = new PaymentsClient({ baseUrl: service, apiKey: 'benchmark-key', apiToken: 'benchmark-token' });
await client.getTransaction('7d1f2a90-3c54-4c8e-9a55-5f3f1c0f6a11');
const called = performance.now();
console.log(JSON.stringify({ 'cold import': imported - before, 'first call': called - imported }));
