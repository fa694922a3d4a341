import fc from 'fast-check';
import { InvalidNotificationError, parseNotification } from 'pix-automatic-sdk/webhooks';
import { expect, it } from 'vitest';
import type { NotificationInput } from '../../src/webhooks/parse';
import { holds, mutatedText, patience, style, toJson, write } from '../helpers/mutations';
import { seedRandomTests } from '../helpers/random-seed';
import { charge, notifications, queryText } from './mutated';

seedRandomTests();

/** Query parameters as frameworks parse them; qs makes objects and arrays of `type[a]=b`. */
const queryRecord = fc.dictionary(
  fc.constantFrom('type', 'refund', 'payout', 'reversing', 'own', '__proto__'),
  fc.constantFrom<unknown>(
    ...['true', 'refund', 'reversing', 'payout', ['true'], ['own', 'refund'], [], undefined, null, true, 1],
    ...[{ toString: 'x' }, { a: 'b' }, Object.create(null), [{ valueOf: 1, toString: 1 }]],
  ),
  { maxKeys: 3 },
) as fc.Arbitrary<NotificationInput['query']>;

/** Bytes cannot hold half of a surrogate pair. */
const throughBytes = (text: string) => new TextDecoder().decode(new TextEncoder().encode(text));

/** The body in each form that is taken, and the text that it stands for. */
const forms: readonly ((text: string) => readonly [body: unknown, text: string])[] = [
  (text) => [text, text],
  (text) => [jsonOf(text), text],
  (text) => [new TextEncoder().encode(text), throughBytes(text)],
  (text) => [new TextEncoder().encode(text).buffer, throughBytes(text)],
];

/** Identities and states that would share a key if they were joined without encoding. */
const keyPart = fc
  .constantFrom('a', 'b', 'a:b', 'b:b', 'a:b:b', ':', 'a%3Ab', 'PAID', 'true', 'true:PAID')
  .map((text) => JSON.stringify(text));
const ambiguous = fc
  .tuple(mutatedText(notifications), keyPart, keyPart)
  .map(([text, id, state]) =>
    text.replaceAll(/"[a-z]-1"/g, id).replaceAll(/"(?:PAID|PENDING|REVERSAL|CHARGED)"/g, state),
  );

const input = fc.record({
  text: fc.oneof({ weight: 4, arbitrary: mutatedText(notifications) }, { weight: 1, arbitrary: ambiguous }),
  form: fc.constantFrom(...forms),
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

const title =
  'a mutated notification is refused, or has the kind, key and payload that the document’s rules give';
it(title, { timeout: patience }, async () => {
  const identities = new Map<string, string>();
  const keys = new Map<string, string>();
  await holds(input, ({ text, form, query, withOwnKinds, style }) => {
    const parse = (body: unknown) => parsed({ ...query, ...(withOwnKinds && { kinds: [charge] }), body });
    const [body, received] = form(text);
    const raw = jsonOf(received.replace(/^\ufeff/, ''));
    const result = parse(body);
    expectKind(result, raw, query, withOwnKinds);
    if (result === undefined) return;
    expectPlain(result);
    expect(result.raw).toEqual(raw);

    const shown = ({ kind, key, ...rest }: Parsed) => [kind, key, 'payload' in rest && rest.payload];
    const expectSame = (body: unknown) => expect(shown(parse(body) as Parsed)).toEqual(shown(result));
    // With fields left out, the payload's shape may no longer show its kind.
    if ('payload' in result && !('issues' in result && result.issues !== undefined)) {
      expect(parse(result.payload)).toMatchObject({ kind: result.kind, key: result.key });
    }
    // JSON.parse reads 1e999 as Infinity, which JSON.stringify writes as null.
    const written = JSON.stringify(result.raw);
    if (write(toJson(result.raw)) === written) expectSame(written);
    if (result.kind !== 'unrecognized') expectSame(write(toJson(result.raw), style));

    const identity = identityOf(result);
    expect(identities.get(result.key) ?? identity, 'two identities of one key').toBe(identity);
    expect(keys.get(identity) ?? result.key, 'two keys of one identity').toBe(result.key);
    identities.set(result.key, identity);
    keys.set(identity, result.key);
  });
});

type Parsed = ReturnType<typeof parseNotification<[typeof charge]>>;

/** The notification, or `undefined` where it is refused as it may be. */
function parsed(input: object): Parsed | undefined {
  try {
    return parseNotification(input as NotificationInput<[typeof charge]>);
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidNotificationError);
    return undefined;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * Works out the kind by the document's rules and not by our code: by the flags of the query, or else the first of sale,
 * reversal, refund and payout that the body looks like. A sale with its identity and state is never refused for what
 * else is in it: a paid one would be lost.
 */
function expectKind(result: Parsed | undefined, body: unknown, source: object, withOwnKinds: boolean): void {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    expect(result).toBeUndefined();
    return;
  }
  if ('query' in source || (withOwnKinds && Object.hasOwn(body, 'instructionId'))) return;
  const [, query] = /^[^?]*\??([^#]*)/s.exec('url' in source ? String(source.url) : '') ?? [];
  const field = (name: string): unknown => Reflect.get(body, name) ?? undefined;
  const shapes = [
    field('newStatus') !== undefined && (field('newStatus') === 'PAID' ? 'payment' : 'saleStatus'),
    field('sale') !== undefined && field('reversedAmount') !== undefined && 'reversal',
    field('refund') !== undefined && 'refund',
    typeof field('success') === 'boolean' && field('uuid') !== undefined && 'payout',
  ].filter((shape) => shape !== false);
  const parameters = [...new URLSearchParams(query)].map((pair) => pair.join('='));
  const flags = Object.entries({ reversing: 'reversal', refund: 'refund', payout: 'payout' })
    .filter(([flag]) => parameters.some((each) => each === `${flag}=true` || each === `type=${flag}`))
    .map(([, kind]) => kind);
  const [flagged] = flags;
  if (flags.length > 1 || (flagged !== undefined && shapes.length > 0 && !shapes.includes(flagged))) {
    expect(result, 'a flag contradicts the body').toBeUndefined();
    return;
  }
  const expected = flagged ?? shapes[0] ?? 'unrecognized';
  const isIdentity = (value: unknown) =>
    typeof value === 'string' && value !== '' && value.length <= 512 && !value.includes('\ufffd');
  const isWholeSale = isIdentity(field('saleToken')) && isIdentity(field('newStatus'));
  const isSale = expected === 'payment' || expected === 'saleStatus';
  if (result !== undefined) expect(result.kind).toBe(expected);
  else expect(isSale && isWholeSale, 'a sale was refused').toBe(false);
}

/** Kind, identity and state of a notification, read from its body by the document's rules and not by our code. */
function identityOf({ kind, raw }: Parsed): string {
  const fields = raw as Record<string, unknown>;
  const { saleToken, newStatus, uuid, status, success, refund, instructionId } = fields;
  const identities: Record<Parsed['kind'], unknown[]> = {
    payment: [saleToken, newStatus],
    saleStatus: [saleToken, newStatus],
    refund: [Reflect.get(Object(refund), 'uuid'), status],
    reversal: [uuid, status],
    payout: [uuid, success, status],
    recurrence: [raw],
    charge: [instructionId, status],
    unrecognized: [raw],
  };
  return JSON.stringify([kind, ...identities[kind]]);
}

/** Asserts that a result consists of plain objects and arrays, and inherits nothing from the input. */
function expectPlain(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  expect(Object.getPrototypeOf(value)).toBe(Array.isArray(value) ? Array.prototype : Object.prototype);
  for (const each of Object.values(value)) expectPlain(each);
}
