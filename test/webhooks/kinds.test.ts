import type { StandardSchemaV1 } from '@standard-schema/spec';
import {
  createWebhookHandler,
  defineNotification,
  InvalidNotificationError,
  MemoryStore,
  parseNotification,
  type WebhookReport,
} from 'pix-automatic-sdk/webhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import type { QueryInput } from '../../src/webhooks/parse';
import {
  credentials,
  everythingPrintedOf,
  notificationRequest,
  salePayload,
  send,
  throwing,
} from './support';

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

describe('a merchant’s own kind', () => {
  const body = { instructionId: 'i:1', status: 'SCHEDULED', novel: 1 };

  it('is recognized by its match, and typed by its schema', () => {
    const notification = parseNotification({ body, kinds: [charge] });
    expect(notification).toEqual({ kind: 'charge', payload: body, raw: body, key: 'charge:i%3A1:SCHEDULED' });
    if (notification.kind === 'charge') expect(notification.payload.status.length).toBe(9);
  });

  it('has no part for the state in its key when it defines no state', () => {
    const once = defineNotification({
      kind: 'once',
      match: () => true,
      schema: anyObject,
      subject: ({ id = '' }) => id,
    });
    expect(parseNotification({ body: { id: 'x' }, kinds: [once] }).key).toBe('once:x');
  });

  it('has another key than a kind whose name, subject and state look alike when joined', () => {
    const define = (kind: string, subject: string, state?: string) =>
      defineNotification({
        kind,
        match: () => true,
        schema: anyObject,
        subject: () => subject,
        ...(state !== undefined && { state: () => state }),
      });
    const kinds = [define('a:b', 'c'), define('a', 'b', 'c'), define('a', 'b:c'), define('a%3Ab', 'c')];
    const keys = kinds.map((kind) => parseNotification({ body: {}, kinds: [kind] }).key);
    expect(keys).toEqual(['a%3Ab:c', 'a:b:c', 'a:b%3Ac', 'a%253Ab:c']);
  });

  it('is asked before the documented kinds, in the order of kinds', () => {
    const define = <const Kind extends string>(kind: Kind) =>
      defineNotification({ kind, match: () => true, schema: anyObject, subject: () => 'x' });
    const kinds = [define('first'), define('second')] as const;
    expect(parseNotification({ body: salePayload(), kinds }).kind).toBe('first');
    expect(parseNotification({ body: salePayload(), url: '/?type=refund', kinds }).kind).toBe('first');
  });

  it('is asked with the body and the query, and leaves what it does not match to the documented kinds', () => {
    const seen: unknown[] = [];
    const byQuery = defineNotification({
      kind: 'byQuery',
      match: (given, query) => {
        seen.push(given);
        return query.getAll('type').includes('charge');
      },
      schema: anyObject,
      subject: ({ saleToken = '' }) => saleToken,
    });
    const kinds = [byQuery];
    expect(parseNotification({ body: salePayload(), kinds }).kind).toBe('payment');
    expect(parseNotification({ body: salePayload(), query: { type: ['a', 'charge'] }, kinds }).kind).toBe(
      'byQuery',
    );
    expect(seen).toEqual([salePayload(), salePayload()]);
  });

  it.each<[string, { url?: string; query?: QueryInput }, readonly (readonly [string, string])[]]>([
    ['no URL', {}, []],
    ['a URL without a query', { url: '/webhooks' }, []],
    ['an empty query', { url: '/webhooks?' }, []],
    ['a fragment with a question mark', { url: '/webhooks#a?b=1' }, []],
    ['a query before a fragment', { url: '/webhooks?a=1#b?c=2' }, [['a', '1']]],
    ['a parsed query with a parameter that has no value', { query: { a: undefined, b: 'x' } }, [['b', 'x']]],
    ['a parsed query with a list', { query: { a: ['x', 'y'] } }, ['x', 'y'].map((value) => ['a', value])],
  ])('is asked with the parameters of %s, and no others', (_, source, parameters) => {
    const seen: unknown[] = [];
    const own = defineNotification({
      kind: 'own',
      match: (_, query) => seen.push(...query) >= 0,
      schema: anyObject,
      subject: () => 'x',
    });
    expect(parseNotification({ ...source, body: {}, kinds: [own] }).kind).toBe('own');
    expect(seen).toEqual(parameters);
  });

  it('is dispatched to its callback and deduplicated by its key', async () => {
    const acted: string[] = [];
    const handler = createWebhookHandler({
      credentials,
      kinds: [charge],
      store: new MemoryStore(),
      on: {
        charge: ({ payload }, { key, handledStates }) =>
          void acted.push(`${key} ${payload.instructionId} after ${handledStates}`),
      },
    });
    expect(await send(handler, body)).toBe(200);
    expect(await send(handler, body)).toBe(200);
    expect(await send(handler, { ...body, status: 'PAID' })).toBe(200);
    expect(acted).toEqual(['charge:i%3A1:SCHEDULED i:1 after ', 'charge:i%3A1:PAID i:1 after SCHEDULED']);
  });

  it('gives the payload that its schema makes, and raw as it came', () => {
    const converted = defineNotification({
      kind: 'converted',
      match: () => true,
      schema: z.pipe(
        z.object({ id: z.number() }),
        z.transform(({ id }) => ({ id: `n${id}` })),
      ),
      subject: ({ id }) => id,
    });
    expect(parseNotification({ body: { id: 7, more: 1 }, kinds: [converted] })).toEqual({
      kind: 'converted',
      payload: { id: 'n7' },
      raw: { id: 7, more: 1 },
      key: 'converted:n7',
    });
  });
});

describe('the body of a merchant’s own kind', () => {
  const marked = 'CPF 52998224725';

  it.each<[string, StandardSchemaV1, readonly unknown[]]>([
    ['whose messages quote values', z.object({ status: z.number(`got ${marked}`) }), ['status']],
    [
      'whose path segments are objects',
      schemaOf(() => ({ issues: [{ message: marked, path: [{ key: 'a' }, 'b', { key: 0 }] }] })),
      ['a', 'b', 0],
    ],
    ['whose issues have no path', schemaOf(() => ({ issues: [{ message: marked }] })), []],
  ])('is refused without the words of a schema %s', (_, schema, path) => {
    const own = defineNotification({ kind: 'own', match: () => true, schema, subject: () => 'x' });
    try {
      parseNotification({ body: { status: marked }, kinds: [own] });
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(InvalidNotificationError);
      expect(error).toMatchObject({ issues: [{ path, message: 'refused by the schema of your kind own' }] });
      expect(everythingPrintedOf(error)).not.toContain('5299');
    }
  });

  it.each([
    ['an empty subject', '', 'x'],
    ['an empty state', 'x', ''],
    ['a subject that is no text', 7, 'x'],
    ['a state that is no text', 'x', null],
    ['no subject', undefined, 'x'],
  ])('is refused for %s, because two things would be taken for one', (_, subject, state) => {
    const own = defineNotification({
      kind: 'own',
      match: () => true,
      schema: anyObject,
      subject: () => subject as string,
      state: () => state as string,
    });
    expect(() => parseNotification({ body: {}, kinds: [own] })).toThrow(InvalidNotificationError);
  });

  it.each([
    ['a subject of 513 characters', { instructionId: 'x'.repeat(513), status: 'PAID' }],
    ['a subject of 257 emoji', { instructionId: '😀'.repeat(257), status: 'PAID' }],
    ['a state of 513 characters', { instructionId: 'i-1', status: 'x'.repeat(513) }],
    ['a subject with bytes that were no UTF-8', { instructionId: 'i-\uFFFD', status: 'PAID' }],
    ['a state with bytes that were no UTF-8', { instructionId: 'i-1', status: '\uFFFD' }],
  ])('is refused for %s', (_, body) => {
    expect(() => parseNotification({ body, kinds: [charge] })).toThrow(
      expect.objectContaining({
        code: 'invalid_notification',
        issues: [{ path: [], message: expect.stringContaining('at most 512 characters, without U+FFFD') }],
      }),
    );
  });
});

describe('a definition that cannot work', () => {
  const good = { kind: 'own', match: () => true, schema: anyObject, subject: () => 'x' };
  const refusal = (message: string) =>
    expect.objectContaining({ code: 'configuration', message: expect.stringContaining(message) });

  it.each([undefined, null, 'own', 7])(
    'is refused when it is %j, with what to write instead',
    (definition) => {
      expect(() => defineNotification(definition as never)).toThrow(
        refusal('Expected `defineNotification({ kind, match, schema, subject })`'),
      );
    },
  );

  it.each([undefined, 7, '', 'payment', 'saleStatus', 'reversal', 'refund', 'payout', 'unrecognized'])(
    'is refused for the kind %j',
    (kind) => {
      expect(() => defineNotification({ ...good, kind: kind as string })).toThrow(
        refusal('Expected `kind` to be a name of'),
      );
    },
  );

  it.each([[undefined], [null], [{}], [{ '~standard': {} }], [() => true]])(
    'is refused for the schema %s, which is no Standard Schema',
    (schema) => {
      expect(() => defineNotification({ ...good, schema: schema as never })).toThrow(
        refusal('Expected `schema` to be a Standard Schema'),
      );
    },
  );

  it.each([
    ['match', undefined],
    ['match', 'instructionId'],
    ['subject', undefined],
    ['subject', 'instructionId'],
    ['state', null],
    ['state', 'status'],
  ])('is refused where %s is %j', (name, value) => {
    expect(() => defineNotification({ ...good, [name]: value })).toThrow(
      refusal(`Expected \`${name}\` to be a function`),
    );
  });

  it.each([
    [{}, '`kinds` to be a list'],
    [null, '`kinds` to be a list'],
    [[{ kind: 'own' }], '`schema` to be a Standard Schema'],
  ])('is refused by parseNotification where kinds is %j', (kinds, message) => {
    expect(() => parseNotification({ body: salePayload(), kinds: kinds as never })).toThrow(refusal(message));
  });

  it('is refused by the handler when two kinds share a name', () => {
    const kinds = [defineNotification(good), defineNotification(good)];
    expect(() => createWebhookHandler({ credentials, kinds, on: {} })).toThrow(
      refusal('each definition in `kinds` to have a `kind` of its own'),
    );
  });

  it.each([
    ['resolves', () => Promise.resolve({ value: {} })],
    ['rejects', () => Promise.reject(new Error('lost'))],
  ])(
    'is reported when its schema is asynchronous and %s, and leaves no rejection unhandled',
    async (_, validate) => {
      const unhandled: unknown[] = [];
      const note = (error: unknown) => void unhandled.push(error);
      process.on('unhandledRejection', note);
      onTestFinished(() => void process.off('unhandledRejection', note));

      const own = defineNotification({ ...good, schema: schemaOf(validate) });
      const refused = expect.objectContaining({
        name: 'ConfigurationError',
        message: expect.stringContaining('`own` to be synchronous'),
      });
      expect(() => parseNotification({ body: {}, kinds: [own] })).toThrow(refused);

      const reports: WebhookReport[] = [];
      const handler = createWebhookHandler({
        credentials,
        kinds: [own],
        on: {},
        onReport: (report) => reports.push(report),
      });
      expect(await send(handler, {})).toBe(500);
      expect(reports).toMatchObject([{ code: 'internal', error: { code: 'configuration' } }]);
      await new Promise((resolve) => setTimeout(resolve, 10));
      expect(unhandled).toEqual([]);
    },
  );

  it('answers 500 and is reported when its match throws', async () => {
    const failure = new Error('match failed');
    const own = defineNotification({
      ...good,
      match: throwing(failure),
    });
    const reports: WebhookReport[] = [];
    const handler = createWebhookHandler({
      credentials,
      kinds: [own],
      on: {},
      onReport: (report) => reports.push(report),
    });
    const answer = await handler(notificationRequest({}));
    expect([answer.status, await answer.text()]).toEqual([500, 'Internal error']);
    expect(reports).toMatchObject([{ code: 'internal', error: failure }]);
  });
});
