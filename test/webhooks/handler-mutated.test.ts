import fc from 'fast-check';
import { parseNotification, type WebhookReport } from 'pix-automatic-sdk/webhooks';
import { expect, it } from 'vitest';
import { authorization, deliver } from '../helpers/deliver';
import { holds, mutatedText, patience } from '../helpers/mutations';
import { seedRandomTests } from '../helpers/random-seed';
import { charge, notifications, queryText } from './mutated';
import { serve } from './serving';
import { WatchedStore } from './watched-store';

seedRandomTests();

/** Text of the callbacks' errors, which may not reach a response. */
const MARK = 'marked-error-text';
const maxBodyBytes = 4_096;

/** Every response of the handler, with its whole text. */
const answers: Readonly<Record<number, string>> = {
  200: 'OK',
  400: 'Bad request',
  401: 'Unauthorized',
  405: 'Method not allowed',
  413: 'Content too large',
  500: 'Internal error',
};

const authorizations = [
  ...Array.from({ length: 9 }, () => authorization),
  ...[authorization.replace('Basic', 'bASIC'), ` ${authorization} `],
  ...['', 'Basic', 'Basic Og==', authorization.slice(0, -1), `${authorization}=`],
  ...[authorization.replace('Basic', 'Bearer'), authorization.toLowerCase()],
  ...[`Basic ${'A'.repeat(4_000)}`, `${authorization}, ${authorization}`],
];

const request = fc.record({
  method: fc.constantFrom(...Array(40).fill('POST'), 'GET', 'PUT', 'OPTIONS', 'DELETE', 'PATCH'),
  query: queryText.map((text) => encodeURI(text.replaceAll(/\p{Surrogate}/gu, '?'))),
  headers: fc.record(
    {
      authorization: fc.constantFrom(...authorizations),
      'content-type': fc.constantFrom(
        'application/json',
        'text/plain',
        'application/xml; charset=utf-16',
        '',
      ),
      'transfer-encoding': fc.constant('chunked'),
      'content-encoding': fc.constantFrom('gzip', 'identity'),
      'x-forwarded-for': fc.constantFrom('', '__proto__'),
      expect: fc.constant('100-continue'),
    },
    { requiredKeys: ['authorization'] },
  ),
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
  callback: fc.constantFrom('resolves', 'resolves', 'throws', 'rejects'),
});

const title = 'a listener acts once on each notification of the service, and for nobody else';
it(title, { timeout: patience }, async () => {
  const store = new WatchedStore();
  const acted: string[] = [];
  const done = new Map<string, Content>();
  const repeats: (readonly string[])[] = [];
  let behaviour = 'resolves';
  const act = ({ key }: { readonly key: string }) => {
    acted.push(key);
    if (behaviour === 'throws') throw new Error(MARK);
    return behaviour === 'rejects' ? Promise.reject(MARK) : undefined;
  };
  const documented = { payment: act, saleStatus: act, reversal: act, refund: act, payout: act };
  const on = { ...documented, charge: act, unrecognized: 'ignore' };
  const onReport = ({ code, issues = [] }: WebhookReport) => {
    if (code === 'unexpected_repeat') repeats.push(issues.map(({ path }) => String(path[0])).sort());
    throw new Error(MARK);
  };
  const { url } = await serve({ store, maxBodyBytes, onReport, kinds: [charge], on });

  await holds(request, async ({ method, query, headers, body, callback }) => {
    behaviour = callback;
    acted.length = 0;
    repeats.length = 0;
    store.steps.length = 0;
    // Node adds no framing headers to a DELETE by itself.
    const isFramed = 'transfer-encoding' in headers || method === 'GET';
    const framing = isFramed ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const target = `?${query}`;
    const sent = { method, headers: { ...framing, ...headers }, timeoutMs: 5_000 };
    const answer = await deliver(url + target, body, sent);
    expect(answer.body).toBe(answers[answer.status]);
    expect(answer.headers['www-authenticate'] !== undefined).toBe(answer.status === 401);
    expect(answer.headers.allow).toBe(answer.status === 405 ? 'POST' : undefined);
    expect(JSON.stringify(answer.headers)).not.toContain(MARK);

    const isLetIn = /^\s*basic +(\S+)\s*$/i.exec(headers.authorization)?.[1] === authorization.slice(6);
    const refused = (status: number) => expect([answer.status, store.steps, acted]).toEqual([status, [], []]);
    if (method !== 'POST') return refused(405);
    if (!isLetIn) return refused(401);
    if (Buffer.byteLength(body) > maxBodyBytes) return refused(413);
    const notification = parsed(target, body);
    // What contradicts itself is `unrecognized`, which this listener ignores.
    if (notification === undefined || notification.kind === 'unrecognized')
      return refused(notification === undefined && answer.status === 400 ? 400 : 200);
    const { key } = notification;
    const content = contentOf(notification);
    const before = done.get(key);
    if (before !== undefined) {
      const differs = (name: string) => (content[name] ?? before[name]) !== before[name];
      const differing = Object.keys(before).filter(differs).sort();
      const expected = differing.length === 0 ? [] : [differing];
      return expect([answer.status, store.steps, acted, repeats]).toEqual([200, ['claim'], [], expected]);
    }
    const isDone = callback === 'resolves';
    if (isDone) done.set(key, content);
    const steps = ['claim', isDone ? 'complete' : 'release'];
    expect([answer.status, store.steps, acted]).toEqual([isDone ? 200 : 500, steps, [key]]);
  });
});

/** What says that a repeat is another event: the document's fields about money, or the whole body but its times. */
type Content = Readonly<Record<string, string>>;

const MONEY = [
  ...['amount', 'currency', 'referenceCode'],
  ...['originalAmount', 'reversedAmount', 'amountRefunded', 'refund.amount'],
];

function contentOf({ kind, payload, raw }: { kind: string; payload: unknown; raw: unknown }): Content {
  const isTime = (value: unknown) =>
    typeof value === 'string' &&
    /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)? ?(?:Z|[+-]\d\d:?\d\d)?$/i.test(value);
  const valueAt = (path: string) =>
    path.split('.').reduce((at: unknown, field) => Object(at)[field], payload);
  const fields: [string, unknown][] =
    kind === 'charge'
      ? [['body', JSON.stringify(raw, (_, value) => (isTime(value) ? undefined : value))]]
      : MONEY.map((path) => [path, valueAt(path)]);
  const known = fields.filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(known.map(([name, value]) => [name, JSON.stringify(value)]));
}

function parsed(target: string, body: string) {
  try {
    return parseNotification({ url: `/${target}`, body: new TextEncoder().encode(body), kinds: [charge] });
  } catch {
    return undefined;
  }
}
