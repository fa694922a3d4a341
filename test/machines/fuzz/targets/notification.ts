import assert from 'node:assert/strict';
import fc from 'fast-check';
import { PaymentsError } from 'pix-automatic-sdk';
import { defineNotification, parseNotification } from 'pix-automatic-sdk/webhooks';
import * as z from 'zod/mini';
import type { NotificationInput } from '../../../../src/webhooks/parse';
import { BoundedMap } from '../bounded-map';
import { toJson, write } from '../json';
import { mutatedText, style, trickyText } from '../mutations';
import { assertNothingPolluted, assertPlain, onlyOurErrors } from '../oracles';
import { notifications } from '../payloads';
import { Tally, type Target } from '../target';

export const charge = defineNotification({
  kind: 'charge',
  match: (body) => Object.hasOwn(body, 'instructionId'),
  schema: z.looseObject({ instructionId: z.string(), status: z.string() }),
  subject: ({ instructionId }) => instructionId,
  state: ({ status }) => status,
});

type Query = NotificationInput['query'];

const parameter = fc.tuple(
  fc.oneof(fc.constantFrom('reversing', 'refund', 'payout', 'type', 'Type', '__proto__', ''), trickyText),
  fc.oneof(fc.constantFrom('true', 'TRUE', '1', 'reversing', 'refund', 'payout', 'sale', ''), trickyText),
);

/** The service’s queries, or arbitrary ones. */
export const queryText: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom('', '', 'reversing=true&type=reversing', 'refund=true&type=refund'),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom('payout=true', 'payout=true&type=payout', 'type=%72efund', 'ref=1'),
  },
  {
    weight: 2,
    arbitrary: fc
      .array(parameter, { maxLength: 3 })
      .map((pairs) => pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&')),
  },
  { weight: 1, arbitrary: trickyText },
);

function encode(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '?'));
}

/** Query parameters as frameworks parse them; qs makes objects and arrays of `type[a]=b`. */
const queryRecord = fc.dictionary(
  fc.constantFrom('type', 'refund', 'payout', 'reversing', 'own', '__proto__'),
  fc.oneof(
    fc.constantFrom('true', 'refund', 'reversing', 'payout'),
    fc.constantFrom<unknown>(['true'], ['own', 'refund'], [], undefined, null, true, 1),
    fc.constantFrom<unknown>({ toString: 'x' }, { a: 'b' }, Object.create(null), [
      { valueOf: 1, toString: 1 },
    ]),
  ),
  { maxKeys: 3 },
) as fc.Arbitrary<Query>;

const bodyForms = {
  text: (text: string) => text,
  bytes: (text: string) => new TextEncoder().encode(text),
  buffer: (text: string) => new TextEncoder().encode(text).buffer,
  parsed: (text: string) => onlyJson(text),
} as const;

/** Identities and states that would share a key if they were joined without encoding. */
const keyPart = fc
  .constantFrom('a', 'b', 'a:b', 'b:b', 'a:b:b', ':', 'a%3Ab', 'PAID', 'true', 'true:PAID')
  .map(toJson);
const ambiguous = fc
  .tuple(mutatedText(notifications), keyPart, keyPart)
  .map(([text, id, state]) =>
    text.replaceAll(/"[a-z]-1"/g, write(id)).replaceAll(/"(?:PAID|PENDING|REVERSAL|CHARGED)"/g, write(state)),
  );

/** Bytes cannot hold half of a surrogate pair. */
function received(text: string, form: keyof typeof bodyForms): string {
  return form === 'bytes' || form === 'buffer'
    ? new TextDecoder().decode(new TextEncoder().encode(text))
    : text;
}

const input = fc.record({
  text: fc.oneof({ weight: 4, arbitrary: mutatedText(notifications) }, { weight: 1, arbitrary: ambiguous }),
  form: fc.constantFrom('text', 'text', 'text', 'parsed', 'bytes', 'buffer' as const) as fc.Arbitrary<
    keyof typeof bodyForms
  >,
  query: fc.oneof(
    { weight: 5, arbitrary: queryText.map((text) => ({ url: `/webhooks?${text}` })) },
    { weight: 1, arbitrary: queryText.map((query) => ({ query })) },
    { weight: 1, arbitrary: queryText.map((text) => ({ query: new URLSearchParams(text) })) },
    { weight: 1, arbitrary: queryRecord.map((query) => ({ query })) },
    { weight: 3, arbitrary: fc.constant({}) },
  ),
  withOwnKinds: fc.boolean(),
  style,
});

/** The identity of each key over the whole run, and the key of each identity. */
const identities = new BoundedMap();
const keys = new BoundedMap();
const tally = new Tally();

export const notificationTarget: Target = {
  name: 'parseNotification',
  share: 0.62,
  summary: () => `${tally}; ${identities.size} keys remembered`,
  kept: () => identities.size + keys.size,
  property: fc.property(input, ({ text, form, query, withOwnKinds, style }) => {
    const options = { ...query, ...(withOwnKinds ? { kinds: [charge] } : {}) };
    const parse = (body: unknown) => onlyOurErrors(() => parseNotification({ ...options, body }));
    const result = parse(bodyForms[form](text));
    assertNothingPolluted();
    assertKind(result, onlyJson(received(text, form).replace(/^\ufeff/, '')), query, withOwnKinds);
    if (result instanceof PaymentsError) {
      assert.equal(result.code, 'invalid_notification');
      tally.count('refused');
      return;
    }
    tally.count(result.kind);
    assertPlain(result);
    assert.deepEqual(result.raw, onlyJson(received(text, form).replace(/^\ufeff/, '')), 'not as it was sent');

    // With fields left out, the payload’s shape may no longer show its kind.
    if ('payload' in result && !('issues' in result && result.issues !== undefined)) {
      assertSame(parse(result.payload), result, 'parsed from its own payload');
    }
    // JSON.parse reads 1e999 as Infinity, which JSON.stringify writes as null.
    const written = JSON.stringify(result.raw);
    if (write(toJson(result.raw)) === written) {
      assertSame(parse(written), result, 'parsed from its JSON');
    }
    if (result.kind !== 'unrecognized') {
      assertSame(parse(write(toJson(result.raw), style)), result, 'with other white space and order of keys');
    }

    const identity = identityOf(result);
    identities.expect(result.key, identity, 'one key for two identities');
    keys.expect(identity, result.key, 'two keys for one identity');
  }),
};

/**
 * Works out the kind by the document's rules and not by our code: by the flags of the query, or else the first of sale,
 * reversal, refund and payout that the body looks like. A sale with its identity and state is never refused for what
 * else is in it: a paid one would be lost.
 */
function assertKind(
  result: Parsed | PaymentsError,
  body: unknown,
  source: object,
  withOwnKinds: boolean,
): void {
  const query =
    'url' in source
      ? String(source.url)
          .replace(/#.*$/s, '')
          .replace(/^[^?]*\??/, '')
      : '';
  if (typeof body !== 'object' || body === null || Array.isArray(body) || 'query' in source) return;
  if (withOwnKinds && Object.hasOwn(body, 'instructionId')) return;
  const field = (name: string): unknown => Reflect.get(body, name) ?? undefined;
  const shapes = [
    field('newStatus') !== undefined && (field('newStatus') === 'PAID' ? 'payment' : 'saleStatus'),
    field('sale') !== undefined && field('reversedAmount') !== undefined && 'reversal',
    field('refund') !== undefined && 'refund',
    typeof field('success') === 'boolean' && field('uuid') !== undefined && 'payout',
  ].filter((shape) => shape !== false);
  const parameters = [...new URLSearchParams(query)];
  const flags = Object.entries({ reversing: 'reversal', refund: 'refund', payout: 'payout' }).filter(
    ([flag]) =>
      parameters.some(
        ([name, value]) => (name === flag && value === 'true') || (name === 'type' && value === flag),
      ),
  );
  const [flagged] = flags.map(([, kind]) => kind);
  const contradicts = flagged !== undefined && shapes.length > 0 && !shapes.includes(flagged);
  if (flags.length > 1 || contradicts) {
    assert.ok(result instanceof PaymentsError, 'a flag contradicts the body');
    return;
  }
  const expected = flagged ?? shapes[0] ?? 'unrecognized';
  const isIdentity = (value: unknown) =>
    typeof value === 'string' && value !== '' && value.length <= 512 && !value.includes('\ufffd');
  if (!(result instanceof PaymentsError)) assert.equal(result.kind, expected, 'another kind');
  else if (expected === 'payment' || expected === 'saleStatus') {
    assert.ok(!isIdentity(field('saleToken')) || !isIdentity(field('newStatus')), 'a sale was refused');
  }
}

type Parsed = Exclude<ReturnType<typeof parseNotification<[typeof charge]>>, PaymentsError>;

function assertSame(again: Parsed | PaymentsError, first: Parsed, how: string): void {
  assert.ok(!(again instanceof PaymentsError), `${how}: refused`);
  assert.equal(again.kind, first.kind, `${how}: another kind`);
  assert.equal(again.key, first.key, `${how}: another key`);
  if ('payload' in first && 'payload' in again) assert.deepEqual(again.payload, first.payload, how);
}

/** Kind, identity and state of a notification, read from its body by the document’s rules and not by our code. */
function identityOf({ kind, raw }: Parsed): string {
  const { saleToken, newStatus, uuid, status, success, refund, instructionId } = raw as Record<
    string,
    unknown
  >;
  switch (kind) {
    case 'payment':
    case 'saleStatus':
      return JSON.stringify([kind, saleToken, newStatus]);
    case 'refund':
      return JSON.stringify([kind, (refund as Record<string, unknown>)['uuid'], status]);
    case 'reversal':
      return JSON.stringify([kind, uuid, status]);
    case 'payout':
      return JSON.stringify([kind, uuid, success, status]);
    case 'charge':
      return JSON.stringify([kind, instructionId, status]);
    case 'unrecognized':
      return `unrecognized ${JSON.stringify(raw)}`;
  }
}

function onlyJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
