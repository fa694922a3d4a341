// Calls a service that offers HTTP/2, and prints how the calls ended. `world.control` makes the connections that are
// open die in silence, as on a path that forgets them.
import { Buffer } from 'node:buffer';
import process from 'node:process';
import { PaymentsClient } from 'pix-automatic-sdk';

const { baseUrl, control, checkout } = JSON.parse(process.argv.at(-1));
const client = new PaymentsClient({
  ...{ baseUrl, apiKey: 'key', apiToken: 'token' },
  ...{ maxRetries: 0, timeoutMs: 1_500 },
});
const post = (id) => client.createRecurringCheckout({ ...checkout, referenceCode: id });
const query = (id) => client.getTransaction(id);

/** How ten calls end, one after the other. */
async function tenOf(call, name) {
  const ends = [];
  for (let number = 0; number < 10; number += 1) {
    const ended = call(`${name}-${number}`);
    ends.push(
      await ended.then(
        () => 'answer',
        ({ code, outcome }) => `${code} ${outcome}`,
      ),
    );
  }
  return ends;
}

/** What the service tells of its connections since it was last asked. */
const ask = async (what) => (await fetch(`${control}/${what}`)).json();

const found = {};
found.queries = { ends: await tenOf(query, 'query'), ...(await ask('seen')) };
found.posts = { ends: await tenOf(post, 'post'), ...(await ask('seen')) };
// Node closes a session that nobody uses for 4 s.
await query('just-before');
await ask('silence');
found.queriesAfterSilence = { ends: await tenOf(query, 'later-query'), ...(await ask('seen')) };
found.postsAfterSilence = { ends: await tenOf(post, 'later-post'), ...(await ask('seen')) };
await ask('silence-next-post');
found.postsDuringSilence = { ends: await tenOf(post, 'last-post'), ...(await ask('seen')) };
console.log(`found ${Buffer.from(JSON.stringify(found)).toString('base64')}`);
process.exit(0);
