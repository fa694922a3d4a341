// The program that each host runs: notifications go to its handler, and some paths serve the test.
import { createWebhookHandler } from 'pix-automatic-sdk/webhooks';
import { runSuite } from './suite.mjs';

const acted = [];

// Created while the module loads, as merchants do, and without a store. At that time, Workers allow neither timers
// nor random numbers, and Deno asks for permission to read the environment.
export const handler = createWebhookHandler({
  credentials: { apiKey: 'key-1', apiToken: 'token:1' },
  maxBodyBytes: 65_536,
  bodyTimeoutMs: 500,
  on: {
    async payment({ payload: { saleToken } }, { key }) {
      if (saleToken.startsWith('slow')) await new Promise((resolve) => setTimeout(resolve, 500));
      acted.push(key);
    },
    unrecognized: (_, { key }) => {
      acted.push(key);
    },
  },
  onReport: () => undefined,
});

/** Answers the test’s requests. `world` is what the host adds to the test’s own. */
export async function inspectProgram(url, world = {}) {
  const { pathname, searchParams } = new URL(url);
  if (pathname === '/acted') return acted;
  if (pathname !== '/suite') return null;
  const given = JSON.parse(searchParams.get('world'));
  const { extra = async () => [], required, ...host } = world;
  const results = await runSuite({ ...given, ...host });
  if (required !== undefined) {
    const again = await runSuite({ ...given, ...host, ...required });
    results.push(...again.map(({ name, problem }) => ({ name: `required: ${name}`, problem })));
  }
  return [...results, ...(await extra())];
}
