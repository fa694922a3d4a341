// Counts which files and functions of `src` run for one notification, by V8's coverage: what somebody has to read to
// follow it. A payment over node:http to a `MemoryStore`, after one that has warmed everything up.
// Run: npm run walk                prints the counts
//      npm run walk -- --list    prints each function, too
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Session } from 'node:inspector/promises';
import type { AddressInfo } from 'node:net';
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createWebhookHandler, MemoryStore } from 'pix-automatic-sdk/webhooks';

const session = new Session();
session.connect();
await session.post('Profiler.enable');

const credentials = { apiKey: 'your-api-key', apiToken: 'your-api-token' };
const handler = createWebhookHandler({ credentials, store: new MemoryStore(), on: { payment: () => {} } });
const server = createServer(handler).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
const authorization = `Basic ${btoa(`${credentials.apiKey}:${credentials.apiToken}`)}`;

async function deliver(saleToken: string): Promise<void> {
  const body = JSON.stringify({ saleToken, newStatus: 'PAID' });
  const { status } = await fetch(url, { method: 'POST', headers: { authorization }, body });
  if (status !== 200) throw new Error(`The listener answered ${status}.`);
}

await deliver('s-1');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
await session.post('Profiler.takePreciseCoverage');
await deliver('s-2');
const { result } = await session.post('Profiler.takePreciseCoverage');
server.close();

const root = fileURLToPath(new URL('../src', import.meta.url));
const walked = result
  .filter(({ url }) => url.startsWith('file:') && fileURLToPath(url).startsWith(root + sep))
  .map(({ url, functions }) => ({
    file: relative(root, fileURLToPath(url)),
    // Not a file's own code, nor the names that the compiler gives to functions.
    names: functions
      .filter(
        ({ functionName, ranges }) => functionName !== '__name' && ranges.some(({ count }) => count > 0),
      )
      .map(({ functionName }) => functionName || '(anonymous)'),
  }))
  .filter(({ names }) => names.length > 0)
  .sort((a, b) => a.file.localeCompare(b.file));

if (process.argv.includes('--list')) {
  for (const { file, names } of walked) console.log(`${file}: ${names.join(', ')}`);
}
const functions = walked.reduce((sum, { names }) => sum + names.length, 0);
console.log(`One notification runs ${functions} functions in ${walked.length} files.`);
process.exit();
