// Calls a service whose connections bring responses that nobody asked for, and prints what became of the calls.
import { Buffer } from 'node:buffer';
import { connect } from 'node:net';
import process from 'node:process';
import { PaymentsClient } from 'pix-automatic-sdk';

const { http, tls, control, strays, requests, tries, seed } = JSON.parse(process.argv.at(-1));
const teller = connect(control, '127.0.0.1').setNoDelay(true);
await new Promise((resolve) => teller.once('connect', resolve));

// A small generator (mulberry32), so that a seed repeats a run.
let state = seed;
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const calls = {
  POST: async (client, id) => {
    const { response } = await client.createRecurringCheckout({ ...requests.checkout, referenceCode: id });
    return response.uuid === `uuid-of-${id}`;
  },
  PUT: async (client, id) => (await client.cancelScheduledPayment(id, { reason: 'r' })).status === 0,
  GET: async (client, id) => {
    const { uuid, situation } = await client.getTransaction(id);
    // An answer to the merchant's own request names no transaction, and so confirms none.
    return uuid === undefined ? situation === undefined : uuid === id && situation === 'PAID';
  },
};

/** As a merchant does. After a moment, because Node does not use a connection that is about to close, nor its place. */
async function useOwnFetch(baseUrl) {
  await sleep(10);
  await (await fetch(`${baseUrl}/health`, { signal: AbortSignal.timeout(2_000) })).text();
}

const found = { tries: 0, refused: 0, wrong: 0, failedQueries: 0, otherFailures: 0, examples: [] };
for (const baseUrl of [`http://127.0.0.1:${http}`, `https://127.0.0.1:${tls}`]) {
  const client = new PaymentsClient({ baseUrl, apiKey: 'key', apiToken: 'token', timeoutMs: 10_000 });
  for (let number = 0; number < tries; number += 1) {
    const stray = strays[number % strays.length];
    const method = Object.keys(calls)[Math.floor(number / strays.length) % 3];
    const isAfterOurs = Math.floor(number / strays.length / 3) % 2 === 0;
    const isCrossing = Math.floor(number / strays.length / 6) % 2 === 0;
    const id = `${new URL(baseUrl).protocol.slice(0, -1)}-${method}-${number}`;
    try {
      if (isAfterOurs) await client.getTransaction(`before-${id}`);
      else await useOwnFetch(baseUrl);
    } catch {
      // Its connection is exposed to strays, like the merchant's.
      if (isAfterOurs) found.failedQueries += 1;
    }
    await sleep(6 * random());
    const heard = new Promise((resolve) => teller.once('data', resolve));
    teller.write(`${stray} ${isCrossing ? 'crossing' : 'now'}\n`);
    await heard;
    found.tries += 1;
    try {
      if (!(await calls[method](client, id))) found.wrong += 1;
    } catch (error) {
      if (method === 'GET') {
        found.failedQueries += 1;
        continue;
      }
      if (error.outcome === 'refused' || error.outcome === 'not-sent') found.refused += 1;
      else found.otherFailures += 1;
      found.examples.push(`${id}, ${stray} ${isCrossing ? 'crossing' : 'before'}: ${error.message}`);
    }
  }
}
found.examples.splice(5);
console.log(`found ${Buffer.from(JSON.stringify(found)).toString('base64')}`);
process.exit(0);
