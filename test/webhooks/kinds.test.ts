import type { StandardSchemaV1 } from '@standard-schema/spec';
import { defineNotification, InvalidNotificationError, parseNotification } from 'pix-automatic-sdk/webhooks';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import type { QueryInput } from '../../src/webhooks/recognize';
import { throwing, thrownBy } from './faults';
import { salePayload } from './payloads';
import { createListener, everythingPrintedOf, send } from './support';

const charge = defineNotification({
  kind: 'charge',
  match: (body) => 'instructionId' in body,
  schema: z.looseObject({ instructionId: z.string(), status: z.string(), amount: z.optional(z.number()) }),
  subject: ({ instructionId }) => instructionId,
  state: ({ status }) => status,
});

/** A hand-written schema, as any library could make it. */
function schemaOf<Output>(
  validate: (value: unknown) => StandardSchemaV1.Result<Output> | Promise<StandardSchemaV1.Result<Output>>,
): StandardSchemaV1<unknown, Output> {
  return { '~standard': { version: 1, vendor: 'test', validate } };
}

const anyObject = schemaOf((value) => ({ value: value as Record<string, string> }));
const good = { match: () => true, schema: anyObject, subject: () => 'x' };
type More = Partial<typeof good> & { state?: () => string };
const define = <const Kind extends string>(kind: Kind, more: More = {}) =>
  defineNotification({ ...good, ...more, kind });

describe('a merchant’s own kind', () => {
  const body = { instructionId: 'i:1', status: 'SCHEDULED', novel: 1 };

  it('is recognized by its match, and typed by its schema', () => {
    const notification = parseNotification({ body, kinds: [charge] });
    expect(notification).toEqual({ kind: 'charge', payload: body, raw: body, key: 'charge:i%3A1:SCHEDULED' });
    if (notification.kind === 'charge') expect(notification.payload.status.length).toBe(9);
  });

  it.each([
    ['a:b', 'c', undefined, 'a%3Ab:c'],
    ['a', 'b', 'c', 'a:b:c'],
    ['a', 'b:c', undefined, 'a:b%3Ac'],
    ['a%3Ab', 'c', undefined, 'a%253Ab:c'],
  ])('%s has another key than one that looks alike: subject %s, state %s', (kind, subject, state, key) => {
    const own = define(kind, { subject: () => subject, ...(state !== undefined && { state: () => state }) });
    expect(parseNotification({ body: {}, kinds: [own] }).key).toBe(key);
  });

  it('is asked before the documented kinds, in the order of kinds', () => {
    const kinds = [define('first'), define('second')] as const;
    expect(parseNotification({ body: salePayload(), kinds }).kind).toBe('first');
    expect(parseNotification({ body: salePayload(), url: '/?type=refund', kinds }).kind).toBe('first');
  });

  it('leaves what it does not match to the documented kinds', () => {
    const kinds = [define('never', { match: () => false })];
    expect(parseNotification({ body: salePayload(), kinds }).kind).toBe('payment');
  });

  it.each<[string, { url?: string; query?: QueryInput }, readonly (readonly [string, string])[]]>([
    ['no URL', {}, []],
    ['a URL without a query', { url: '/webhooks' }, []],
    ['an empty query', { url: '/webhooks?' }, []],
    ['a fragment with a question mark', { url: '/webhooks#a?b=1' }, []],
    ['a query before a fragment', { url: '/webhooks?a=1#b?c=2' }, [['a', '1']]],
    ['a parsed query with a parameter that has no value', { query: { a: undefined, b: 'x' } }, [['b', 'x']]],
    ['a parsed query with a list', { query: { a: ['x', 'y'] } }, ['x', 'y'].map((value) => ['a', value])],
  ])('is asked with the body and the parameters of %s, and no others', (_, source, parameters) => {
    const seen: unknown[] = [];
    const match = (body: unknown, query: URLSearchParams) => seen.push(body, ...query) > 0;
    const own = defineNotification({ ...good, kind: 'own', match });
    expect(parseNotification({ ...source, body: { a: 1 }, kinds: [own] }).kind).toBe('own');
    expect(seen).toEqual([{ a: 1 }, ...parameters]);
  });

  it('is dispatched to its callback and deduplicated by its key', async () => {
    const acted: string[] = [];
    const note = (_: unknown, { key, handledStates }: { key: string; handledStates: readonly string[] }) =>
      void acted.push(`${key} after ${handledStates}`);
    const { handler } = createListener({ kinds: [charge], on: { charge: note } });
    for (const status of ['SCHEDULED', 'SCHEDULED', 'PAID']) {
      expect(await send(handler, { ...body, status })).toBe(200);
    }
    expect(acted).toEqual(['charge:i%3A1:SCHEDULED after ', 'charge:i%3A1:PAID after SCHEDULED']);
  });

  it('gives the payload that its schema makes, and raw as it came', () => {
    const schema = z.pipe(
      z.object({ id: z.number() }),
      z.transform(({ id }) => ({ id: `n${id}` })),
    );
    const converted = defineNotification({ ...good, kind: 'converted', schema, subject: ({ id }) => id });
    const raw = { id: 7, more: 1 };
    const expected = { kind: 'converted', payload: { id: 'n7' }, raw, key: 'converted:n7' };
    expect(parseNotification({ body: raw, kinds: [converted] })).toEqual(expected);
  });
});

describe('the body of a merchant’s own kind', () => {
  const marked = 'CPF 52998224725';

  const objects = schemaOf(() => ({ issues: [{ message: marked, path: [{ key: 'a' }, 'b', { key: 0 }] }] }));
  const noPath = schemaOf(() => ({ issues: [{ message: marked }] }));
  it.each<[string, StandardSchemaV1, readonly unknown[]]>([
    ['whose messages quote values', z.object({ status: z.number(`got ${marked}`) }), ['status']],
    ['whose path segments are objects', objects, ['a', 'b', 0]],
    ['whose issues have no path', noPath, []],
  ])('is refused without the words of a schema %s', (_, schema, path) => {
    const own = defineNotification({ ...good, kind: 'own', schema });
    const error = thrownBy(() => parseNotification({ body: { status: marked }, kinds: [own] }));
    expect(error).toBeInstanceOf(InvalidNotificationError);
    expect(error).toMatchObject({ issues: [{ path, message: 'refused by the schema of your kind own' }] });
    expect(everythingPrintedOf(error)).not.toContain('5299');
  });

  const [longest, emoji] = ['x'.repeat(512), '😀'.repeat(256)];
  it.each<[unknown, unknown, boolean]>([
    [longest, longest, true],
    [emoji, 'x', true],
    ['', 'x', false],
    ['x', '', false],
    [7, 'x', false],
    ['x', null, false],
    [undefined, 'x', false],
    [`${longest}x`, 'x', false],
    [`${emoji}😀`, 'x', false],
    ['x', `${longest}x`, false],
    ['i-\uFFFD', 'x', false],
    ['x', '\uFFFD', false],
  ])('with the subject %j and the state %j identifies it: %j', (subject, state, isRight) => {
    const own = define('own', { subject: () => subject as string, state: () => state as string });
    const parse = () => parseNotification({ body: {}, kinds: [own] }).kind;
    if (isRight) return expect(parse()).toBe('own');
    const message = expect.stringContaining('at most 512 characters, without U+FFFD');
    expect(thrownBy(parse)).toMatchObject({ code: 'invalid_notification', issues: [{ path: [], message }] });
  });

  it('goes to unrecognized with its issues when its schema refuses it', async () => {
    const seen: unknown[] = [];
    const on = { unrecognized: ({ issues }: { issues?: unknown }) => void seen.push(issues) };
    const { handler } = createListener({ kinds: [charge], on });
    expect(await send(handler, { instructionId: 'i-1', status: 7 })).toBe(200);
    expect(seen).toEqual([[{ path: ['status'], message: 'refused by the schema of your kind charge' }]]);
  });
});

describe('a definition that cannot work', () => {
  const refusal = (message: string) =>
    expect.objectContaining({ code: 'configuration', message: expect.stringContaining(message) });
  const documented = [
    ...['payment', 'saleStatus', 'reversal', 'refund', 'payout', 'recurrence', 'unrecognized'],
  ];

  const noSchema = [undefined, null, {}, { '~standard': {} }, () => true];

  it.each<[string, readonly unknown[], string]>([
    ['kind', [undefined, 7, '', ...documented], '`kind` to be a name of'],
    ['schema', noSchema, '`schema` to be a Standard Schema'],
    ['match', [undefined, 'instructionId'], '`match` to be a function: `(body, query) => boolean`'],
    ['subject', [undefined, 'instructionId'], '`subject` to be a function: `(payload) => string`'],
    ['state', [null, 'status'], '`state` to be a function: `(payload) => string`'],
  ])('is refused for a wrong %s', (name, values, message) => {
    for (const value of values) {
      const defined = () => defineNotification({ ...good, kind: 'own', [name]: value });
      expect(defined).toThrow(refusal(`Expected ${message}`));
    }
  });

  it.each([undefined, null, 'own', 7])('is refused when it is %j, with what to write', (definition) => {
    const message = 'Expected `defineNotification({ kind, match, schema, subject })`';
    expect(() => defineNotification(definition as never)).toThrow(refusal(message));
  });

  it.each([
    [{}, '`kinds` to be a list'],
    [null, '`kinds` to be a list'],
    [[{ kind: 'own' }], '`schema` to be a Standard Schema'],
  ])('is refused by parseNotification where kinds is %j', (kinds, message) => {
    expect(() => parseNotification({ body: {}, kinds: kinds as never })).toThrow(refusal(message));
  });

  // A rejection that nothing handles fails the whole run.
  it.each([
    ['resolves', () => Promise.resolve({ value: {} })],
    ['rejects', () => Promise.reject(new Error('lost'))],
  ])('is reported when its schema is asynchronous and %s', async (_, validate) => {
    const own = defineNotification({ ...good, kind: 'own', schema: schemaOf(validate) });
    const refused = refusal('`own` to be synchronous');
    expect(() => parseNotification({ body: {}, kinds: [own] })).toThrow(refused);
    const { handler, reports } = createListener({ kinds: [own] });
    expect(await send(handler, {})).toBe(500);
    expect(reports).toMatchObject([{ code: 'internal', error: { code: 'configuration' } }]);
  });

  it('is reported, and answered 500, when its match throws', async () => {
    const error = new Error('match failed');
    const { handler, reports } = createListener({ kinds: [define('own', { match: throwing(error) })] });
    expect(await send(handler, {})).toBe(500);
    expect(reports).toMatchObject([{ code: 'internal', error }]);
  });
});
