import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Agent, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { PaymentsError } from 'pix-automatic-sdk';
import { createWebhookHandler, parseNotification, toNodeListener } from 'pix-automatic-sdk/webhooks';
import { type Answer, authorization, credentials, deliver } from '../../../helpers/deliver';
import { WatchedStore } from '../../../webhooks/support';
import { mutatedText } from '../mutations';
import { assertNothingPolluted, onlyOurErrors } from '../oracles';
import { notifications } from '../payloads';
import { Tally, type Target } from '../target';
import { charge, queryText } from './notification';

/** Text of the callbacks’ errors, which may not reach an answer. */
const MARK = 'marked-error-text';
const MAX_BODY_BYTES = 4_096;

/** Every answer that the handler gives, with its whole text. */
const documented = new Map([
  [200, 'OK'],
  [400, 'Bad request'],
  [401, 'Unauthorized'],
  [405, 'Method not allowed'],
  [413, 'Content too large'],
  [500, 'Internal error'],
]);

const wrongAuthorizations = [
  ...['', 'Basic', 'Basic Og==', authorization.slice(0, -1), `${authorization}=`],
  ...[authorization.replace('Basic', 'Bearer'), authorization.toLowerCase()],
  ...[`Basic ${'A'.repeat(4_000)}`, `${authorization}, ${authorization}`],
];
const rightAuthorizations = [authorization.replace('Basic', 'bASIC'), ` ${authorization} `];

const headers = fc.record(
  {
    authorization: fc.oneof(
      { weight: 6, arbitrary: fc.constant(authorization) },
      { weight: 3, arbitrary: fc.constantFrom(...wrongAuthorizations) },
      { weight: 1, arbitrary: fc.constantFrom(...rightAuthorizations) },
    ),
    'content-type': fc.constantFrom('application/json', 'text/plain', 'application/xml; charset=utf-16', ''),
    'transfer-encoding': fc.constant('chunked'),
    'content-encoding': fc.constantFrom('gzip', 'identity'),
    'x-forwarded-for': fc.constantFrom('', '__proto__'),
    expect: fc.constant('100-continue'),
  },
  { requiredKeys: ['authorization'] },
);

const request = fc.record({
  method: fc.oneof(
    { weight: 9, arbitrary: fc.constant('POST') },
    { weight: 1, arbitrary: fc.constantFrom('GET', 'PUT', 'OPTIONS', 'DELETE', 'PATCH') },
  ),
  query: queryText.map((text) =>
    text === '' ? '' : `?${encodeURI(text.replaceAll(/\p{Surrogate}/gu, '?'))}`,
  ),
  headers,
  body: fc.oneof(
    { weight: 9, arbitrary: mutatedText(notifications) },
    // With many identities, so that not nearly all notifications are done before.
    {
      weight: 10,
      arbitrary: fc
        .tuple(mutatedText(notifications), fc.nat(100_000))
        .map(([text, id]) => text.replaceAll(/"([a-z]-1)"/g, `"$1-${id}"`)),
    },
    {
      weight: 1,
      arbitrary: fc.integer({ min: 4_000, max: 5_000 }).map((size) => `{"a":"${'a'.repeat(size)}"}`),
    },
  ),
  /** What the callback does. */
  callback: fc.constantFrom('resolve', 'resolve', 'throw', 'reject' as const) as fc.Arbitrary<Callback>,
});

type Callback = 'resolve' | 'throw' | 'reject';

/** The handler on a real server, as a merchant mounts it, with a watched store and callbacks. */
export async function createHandlerTarget(): Promise<Target> {
  const store = new WatchedStore();
  const acted: string[] = [];
  /** The content of what was acted on. */
  const done = new Map<string, Content>();
  const repeats: (readonly string[])[] = [];
  let behaviour: Callback = 'resolve';
  const callback = ({ key }: { readonly key: string }): void | Promise<void> => {
    acted.push(key);
    if (behaviour === 'throw') throw new Error(MARK);
    if (behaviour === 'reject') return Promise.reject(MARK);
  };
  const handler = createWebhookHandler({
    credentials,
    store,
    kinds: [charge],
    maxBodyBytes: MAX_BODY_BYTES,
    on: {
      payment: callback,
      saleStatus: callback,
      reversal: callback,
      refund: callback,
      payout: callback,
      unrecognized: 'ignore',
      charge: callback,
    },
    onReport: ({ code, issues = [] }) => {
      if (code === 'unexpected_repeat') repeats.push(issues.map(({ path }) => String(path[0])).sort());
      throw new Error(MARK);
    },
  });
  const server = createServer(toNodeListener(handler)).listen(0, '127.0.0.1');
  // Between two slices, other targets run for longer than the default. The next request would then meet a connection
  // that is being closed.
  server.keepAliveTimeout = 0;
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const tally = new Tally();

  return {
    name: 'handler over HTTP',
    share: 0.03,
    summary: () => `${tally}; ${done.size} notifications acted on`,
    // Remembered in `done` and, for 30 days, in the store.
    kept: () => done.size,
    async close() {
      agent.destroy();
      server.closeAllConnections();
      server.close();
    },
    property: fc.asyncProperty(request, async ({ method, query, headers, body, callback }) => {
      behaviour = callback;
      acted.length = 0;
      repeats.length = 0;
      store.steps.length = 0;
      const sent = { ...framingOf(method, headers, body), ...headers };
      const answer = await deliver(url + query, body, { method, headers: sent, agent, timeoutMs: 5_000 });
      tally.count(String(answer.status));
      assertNothingPolluted();
      assertDocumented(answer);

      const isLetIn = /^\s*basic +(\S+)\s*$/i.exec(headers.authorization)?.[1] === authorization.slice(6);
      if (method !== 'POST' || !isLetIn) {
        assert.equal(answer.status, method === 'POST' ? 401 : 405);
        assert.deepEqual([...store.steps, ...acted], [], 'something was done for one who was not let in');
        return;
      }
      if (new TextEncoder().encode(body).byteLength > MAX_BODY_BYTES) {
        assert.equal(answer.status, 413);
        assert.deepEqual([...store.steps, ...acted], []);
        return;
      }
      const parsed = onlyOurErrors(() =>
        parseNotification({ url: `/${query}`, body: new TextEncoder().encode(body), kinds: [charge] }),
      );
      if (parsed instanceof PaymentsError || parsed.kind === 'unrecognized') {
        // A contradictory body is `unrecognized`, which this handler ignores; anything else is no JSON.
        assert.ok(answer.status === 200 || (answer.status === 400 && parsed instanceof PaymentsError));
        assert.deepEqual([...store.steps, ...acted], []);
        return;
      }
      const { key } = parsed;
      const content = contentOf(parsed);
      const before = done.get(hash(key));
      const isRepeat = before !== undefined;
      const differing = Object.keys(before ?? {}).filter(
        (name) => (content[name] ?? before?.[name]) !== before?.[name],
      );
      assert.deepEqual(
        repeats,
        differing.length === 0 ? [] : [differing.sort()],
        'a repeat with other content',
      );
      assert.deepEqual(
        acted,
        isRepeat ? [] : [key],
        'once for each notification, and never for one that is done',
      );
      assert.equal(answer.status, isRepeat || callback === 'resolve' ? 200 : 500);
      if (answer.status === 200 && !isRepeat) done.set(hash(key), content);
      assert.deepEqual(
        store.steps,
        isRepeat ? ['claim'] : ['claim', callback === 'resolve' ? 'complete' : 'release'],
      );
      store.claims.length = 0;
      store.leases.length = 0;
      store.retentions.length = 0;
    }),
  };
}

/** What says that a repeat is another event, by the document's fields and not by our code: a short hash of each. */
type Content = Readonly<Record<string, string>>;

const MONEY = [
  ...['amount', 'currency', 'referenceCode'],
  ...['originalAmount', 'reversedAmount', 'amountRefunded', 'refund.amount'],
];

function contentOf({ kind, payload, raw }: { kind: string; payload: object; raw: object }): Content {
  const isTime = (value: unknown) =>
    typeof value === 'string' &&
    /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)? ?(?:Z|[+-]\d\d:?\d\d)?$/i.test(value);
  const fields: [string, unknown][] =
    kind === 'charge'
      ? [['body', JSON.stringify(raw, (_, value) => (isTime(value) ? undefined : value))]]
      : MONEY.map((name) => [
          name,
          name.split('.').reduce((at: unknown, field) => Object(at)[field], payload),
        ]);
  return Object.fromEntries(
    fields
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => [name, hash(JSON.stringify(value)).slice(0, 8)]),
  );
}

function assertDocumented({ status, headers, body }: Answer): void {
  assert.equal(body, documented.get(status), `HTTP ${status}`);
  assert.equal(headers['www-authenticate'] !== undefined, status === 401);
  assert.equal(headers.allow, status === 405 ? 'POST' : undefined);
  assert.ok(!JSON.stringify(headers).includes(MARK));
}

/** Node adds no framing headers to a DELETE by itself. */
function framingOf(method: string, headers: object, body: string): Record<string, string> {
  return 'transfer-encoding' in headers || method === 'GET'
    ? {}
    : { 'content-length': String(Buffer.byteLength(body)) };
}

/** Short, so that remembered keys do not distort the measured memory. */
function hash(key: string): string {
  return createHash('sha1').update(key).digest('base64');
}
