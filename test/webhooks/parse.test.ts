import fc from 'fast-check';
import {
  constructNotification,
  InvalidNotificationError,
  type NotificationInput,
  parseNotification,
  WebhookAuthenticationError,
} from 'pix-automatic-sdk/webhooks';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { seedRandomTests } from '../helpers/random-seed';
import {
  authorization,
  basic,
  credentials,
  everythingPrintedOf,
  payoutPayload,
  queries,
  refundPayload,
  reversalPayload,
  salePayload,
} from './support';

seedRandomTests();

const payloads = {
  payment: { payload: salePayload, query: queries.sale },
  reversal: { payload: reversalPayload, query: queries.reversal },
  refund: { payload: refundPayload, query: queries.refund },
  payout: { payload: payoutPayload, query: queries.payout },
} as const;

const kinds = Object.entries(payloads).map(([kind, { payload, query }]) => ({ kind, payload, query }));
const flagged = kinds.filter(({ query }) => query !== '');

function refusalOf(input: NotificationInput): InvalidNotificationError {
  try {
    parseNotification(input);
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidNotificationError);
    return error as InvalidNotificationError;
  }
  throw new Error('expected the notification to be refused');
}

describe('the kind, by the query flags,', () => {
  it.each(kinds)(
    'is $kind as the document sends it, with payload and raw as they came',
    ({ kind, payload, query }) => {
      const notification = parseNotification({ url: `/webhooks${query}`, body: JSON.stringify(payload()) });
      expect(notification).toMatchObject({ kind, payload: payload(), raw: payload() });
    },
  );

  it.each([
    ['reversal', 'reversing=true'],
    ['reversal', 'type=reversing'],
    ['reversal', 'reversing=true&type=reversing'],
    ['reversal', 'type=order-update&type=reversing'],
    ['reversal', 'reversing=false&reversing=true'],
    ['refund', 'refund=true'],
    ['refund', 'type=refund'],
    ['refund', 'type=refund&refund=true&type=refund'],
    ['refund', 'shop=7&type=mine&refund=true'],
    ['payout', 'payout=true'],
    ['payout', 'type=payout'],
    ['payout', 'payout=true&type=payout'],
    ['payout', 'a=b&type=a&type=b&type=payout#type=refund'],
  ])('is %s by ?%s, for a body that shows nothing', (kind, query) => {
    // The least that each kind needs, with nothing that marks another kind.
    const body = {
      reversal: { uuid: 'v-1', status: 'PAID' },
      refund: { saleToken: 's-1', status: 'PAID', refund: { uuid: 'r-1' } },
      payout: { uuid: 'p-1', success: true, status: 'PAID' },
    }[kind];
    expect(parseNotification({ url: `/?${query}`, body }).kind).toBe(kind);
  });

  it.each([
    'refund=1',
    'refund=TRUE',
    'refund',
    'refund=',
    'refund=false',
    'type=refunds',
    'type=',
    'kind=refund',
    // A sale has no flag, and `undefined` is not its name.
    'undefined=true',
    'type=undefined',
  ])('is not set by ?%s, a parameter of the merchant’s own', (query) => {
    expect(parseNotification({ url: `/?${query}`, body: salePayload() }).kind).toBe('payment');
  });

  it.each(kinds)('is $kind without parsing the query that the service spells', ({ kind, payload, query }) => {
    const parsing = vi.fn();
    vi.stubGlobal('URLSearchParams', parsing);
    onTestFinished(() => void vi.unstubAllGlobals());
    expect(parseNotification({ url: `/webhooks${query}`, body: payload() }).kind).toBe(kind);
    expect(parsing).not.toHaveBeenCalled();
  });

  const body = { uuid: 'v-1', status: 'PAID' };

  it.each([
    ['a path', { url: '/webhooks?type=reversing' }],
    ['an absolute URL', { url: 'https://merchant.example/webhooks?type=reversing' }],
    ['a URL object', { url: new URL('https://merchant.example/webhooks?type=reversing') }],
    ['a URL with a fragment', { url: '/webhooks?type=reversing#?type=refund' }],
    ['a query in a query', { url: '/webhooks?back=/?a&type=reversing' }],
    ['a URL that no parser takes', { url: 'http://[?type=reversing' }],
    ['percent-encoding', { url: '/?typ%65=re%76ersing' }],
    ['query text', { query: 'type=reversing' }],
    ['query text with its mark', { query: '?type=reversing' }],
    ['URLSearchParams', { query: new URLSearchParams({ type: 'reversing' }) }],
    ['a record', { query: { type: 'reversing' } }],
    ['a record of arrays, as Express makes it', { query: { type: ['mine', 'reversing'], other: undefined } }],
    // `?type[toString]=x`, as Express's qs gives it, once beside the service's own and once in a list.
    ['a record with an object in it', { query: { type: ['reversing', { toString: 'x' } as never] } }],
    ['a record without a prototype', { query: Object.assign(Object.create(null), { type: 'reversing' }) }],
    ['both url and query', { url: '/?shop=7', query: { type: 'reversing' } }],
  ])('is read from %s', (_, from) => {
    expect(parseNotification({ ...from, body }).kind).toBe('reversal');
  });

  it.each([
    { url: '/#?type=reversing' },
    { url: '/type=reversing' },
    { query: JSON.parse('{"__proto__":{"type":"reversing"},"constructor":"type=reversing"}') },
  ])('is not read from %j', (from) => {
    expect(parseNotification({ ...from, body }).kind).toBe('unrecognized');
  });
});

describe('the kind, by the shape of the body when there is no flag,', () => {
  it.each(kinds)('is $kind for its documented payload', ({ kind, payload }) => {
    expect(parseNotification({ body: payload() }).kind).toBe(kind);
    expect(parseNotification({ url: '/webhooks?shop=7', body: payload() }).kind).toBe(kind);
  });

  it.each([
    ['payment', { saleToken: 's-1', newStatus: 'PAID' }],
    ['reversal', { uuid: 'v-1', status: 'PAID', sale: {}, reversedAmount: 0 }],
    ['refund', { saleToken: 's-1', status: 'PAID', refund: { uuid: 'r-1' } }],
    ['payout', { uuid: 'p-1', status: 'PENDING', success: false }],
    ['unrecognized', { uuid: 'v-1', status: 'PAID', sale: {} }],
    ['unrecognized', { uuid: 'v-1', status: 'PAID', reversedAmount: 10 }],
    ['unrecognized', { uuid: 'p-1', status: 'PAID', success: 'true' }],
    ['unrecognized', { saleToken: 's-1', amount: 10 }],
    ['unrecognized', { instructionId: 'i-1', status: 'SCHEDULED' }],
    ['unrecognized', {}],
  ])('is %s: %j', (kind, body) => {
    expect(parseNotification({ body }).kind).toBe(kind);
  });

  it.each(kinds)(
    'is $kind from a service that sends every field of every kind, null where unused',
    (given) => {
      const all = kinds.flatMap(({ payload }) => Object.keys(payload()));
      const body = { ...Object.fromEntries(all.map((name) => [name, null])), ...given.payload() };
      expect(parseNotification({ body }).kind).toBe(given.kind);
      expect(parseNotification({ url: given.query, body }).kind).toBe(given.kind);
    },
  );
});

describe('a contradiction between flags and shapes', () => {
  const expected = /^expected the body of a \w+, as the query flags say, got that of a \w+$/;

  it.each(
    flagged.flatMap(({ query, kind }) =>
      kinds
        .filter((other) => other.kind !== kind)
        .map((other) => ({ query, other: other.kind, payload: other.payload })),
    ),
  )('is refused for ?$query on the body of a $other', ({ query, payload }) => {
    const error = refusalOf({ url: `/${query}`, body: payload() });
    expect(error.issues).toEqual([{ path: [], message: expect.stringMatching(expected) }]);
    expect(error.code).toBe('invalid_notification');
  });

  it.each(['refund=true&payout=true', 'type=refund&type=reversing', 'refund=true&type=payout'])(
    'is refused for the flags of two kinds: ?%s',
    (query) => {
      const { issues } = refusalOf({ url: `/?${query}`, body: refundPayload() });
      expect(issues).toEqual([
        { path: [], message: expect.stringMatching(/^expected query flags of one kind, got those of /) },
      ]);
    },
  );

  it('is refused for the shapes of two kinds without a flag', () => {
    const { issues } = refusalOf({ body: { ...salePayload(), ...refundPayload() } });
    expect(issues).toEqual([
      { path: [], message: 'expected a body of one kind, got those of sale and refund' },
    ]);
  });

  it('is settled by the flag when a body has two shapes', () => {
    const body = { ...salePayload(), ...refundPayload() };
    expect(parseNotification({ url: queries.refund, body }).kind).toBe('refund');
  });
});

describe('a known kind without its identity or state', () => {
  it.each([
    ['payment', 'saleToken'],
    ['reversal', 'uuid'],
    ['reversal', 'status'],
    ['refund', 'saleToken'],
    ['refund', 'status'],
    ['payout', 'uuid'],
    ['payout', 'status'],
  ] as const)('is refused: %s without %s', (kind, field) => {
    const { payload, query } = payloads[kind];
    for (const body of [{ ...payload() }, { ...payload(), [field]: null }] as Record<string, unknown>[]) {
      if (body[field] !== null) delete body[field];
      const { issues } = refusalOf({ url: query, body });
      expect(issues).toMatchObject([{ path: [field] }]);
      expect(() => parseNotification({ body })).toThrow(InvalidNotificationError);
    }
  });

  it.each([
    ['a refund without refund', '?type=refund', { saleToken: 's-1', status: 'PAID' }, ['refund']],
    ['a refund without its uuid', '', { saleToken: 's', status: 'PAID', refund: {} }, ['refund', 'uuid']],
    ['a payout without success', '?payout=true', { uuid: 'p-1', status: 'PAID' }, ['success']],
  ])('is refused: %s', (_, query, body, path) => {
    expect(refusalOf({ url: `/${query}`, body }).issues).toMatchObject([{ path }]);
  });

  it('shows neither body nor values in its error', () => {
    const body = { ...salePayload(), saleToken: 7, amount: 'S3CRET', shopper: { email: ['S3CRET'] } };
    const error = refusalOf({ body });
    expect(error.body).toBe(body);
    expect(error.message).toContain('The notification does not fit the kind it seems to be.');
    expect(error.issues).toHaveLength(1);
    expect(everythingPrintedOf(error)).not.toMatch(/S3CRET|maria|order-/);
  });
});

describe('an optional field of another type than documented', () => {
  const body = {
    ...salePayload(),
    amount: 'S3CRET',
    shopper: { ...salePayload().shopper, email: ['S3CRET'] },
  };

  it('is left out of the payload, kept in raw, and its path is in issues', () => {
    const notification = parseNotification({ body });
    const { amount: _, ...payload } = salePayload();
    const { email: __, ...shopper } = { ...payload.shopper };
    expect(notification).toStrictEqual({
      kind: 'payment',
      payload: { ...payload, shopper },
      raw: body,
      key: 'payment:s-1:PAID',
      issues: [
        { path: ['amount'], message: 'expected the documented type, got a string' },
        { path: ['shopper', 'email'], message: 'expected the documented type, got an array' },
      ],
    });
  });
});

describe('an identity or state that cannot be told from another', () => {
  const damaged = (text: string) =>
    Buffer.from(JSON.stringify({ ...salePayload(), saleToken: 'MARK' }).replace('MARK', text), 'latin1');

  it('is refused when its bytes were not UTF-8, because two of them would look the same', () => {
    for (const body of [damaged('s-\xe1'), damaged('s-\xe9')])
      expect(refusalOf({ body }).issues).toMatchObject([{ path: ['saleToken'] }]);
  });

  it('is refused, but other text with such bytes is accepted', () => {
    const json = JSON.stringify({ ...salePayload(), referenceCode: 'MARK' });
    const notification = parseNotification({ body: Buffer.from(json.replace('MARK', '\xe1'), 'latin1') });
    expect(notification).toMatchObject({ kind: 'payment', payload: { referenceCode: '\uFFFD' } });
  });
});

describe('the body', () => {
  const json = JSON.stringify({ ...salePayload(), referenceCode: 'café 🏠' });
  const bytes = new TextEncoder().encode(json);

  it.each<[string, unknown]>([
    ['text', json],
    ['text with a byte order mark', `\uFEFF${json}`],
    ['text with white space', ` \r\n\t${json}\n`],
    ['bytes', bytes],
    ['bytes with a byte order mark', new TextEncoder().encode(`\uFEFF${json}`)],
    ['a Buffer', Buffer.from(json)],
    ['an ArrayBuffer', bytes.buffer],
    ['a part of a larger buffer', Buffer.from(`xx${json}xx`).subarray(2, -2)],
    ['a DataView', new DataView(bytes.buffer)],
    ['an object', JSON.parse(json)],
    ['an object without a prototype', Object.assign(Object.create(null), JSON.parse(json))],
  ])('may be %s', (_, body) => {
    const notification = parseNotification({ body });
    expect(notification).toMatchObject({ kind: 'payment', key: 'payment:s-1:PAID' });
    expect(notification.raw).toEqual(JSON.parse(json));
  });

  it.each<[string, unknown]>([
    ['no JSON', 'saleToken=s-1&newStatus=PAID'],
    ['broken JSON', json.slice(0, -1)],
    ['two JSON texts', `${json}${json}`],
    ['empty text', ''],
    ['no bytes', new Uint8Array()],
    ['JSON with a second byte order mark', `\uFEFF\uFEFF${json}`],
    ['a JSON array', `[${json}]`],
    ['JSON text', '"PAID"'],
    ['a JSON number', '7'],
    ['JSON null', 'null'],
    ['an array', [salePayload()]],
    ['null', null],
    ['undefined', undefined],
    ['a number', 7],
    ['true', true],
  ])('is refused as %s', (_, body) => {
    const error = refusalOf({ url: queries.refund, body });
    expect(error.issues).toEqual([{ path: [], message: 'expected a JSON object' }]);
    expect(error.message).toContain('The body cannot be read.');
    expect(error.body).toBe(body);
    expect(everythingPrintedOf(error)).not.toContain('s-1');
  });

  it.each([undefined, null, json])(
    'is refused when it is passed alone, with where it belongs: %j',
    (input) => {
      expect(() => parseNotification(input as never)).toThrow(
        expect.objectContaining({
          code: 'configuration',
          message: expect.stringContaining('`parseNotification({ url, body })`: the body goes into `body`'),
        }),
      );
    },
  );

  it('is read at any depth where the kind is known, and refused where it would be hashed', () => {
    const nested = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
    const body = `{"saleToken":"s-1","newStatus":"PAID","novel":${nested}}`;
    expect(parseNotification({ body }).key).toBe('payment:s-1:PAID');
    expect(refusalOf({ body: nested }).issues).toEqual([
      { path: [], message: 'expected a body that is not nested as deeply' },
    ]);
    expect(refusalOf({ body: `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}` }).issues).toHaveLength(1);
  });

  it('is not changed, and raw is what came, with unknown fields and the text null', () => {
    const body = Object.freeze({ ...reversalPayload(), receipt: 'null', novel: Object.freeze({ a: 1 }) });
    const notification = parseNotification({ body });
    expect(notification.raw).toEqual({ ...reversalPayload(), receipt: 'null', novel: { a: 1 } });
    expect(notification).toMatchObject({ payload: { receipt: null, novel: { a: 1 } } });
  });

  it('gives a notification or an InvalidNotificationError, whatever it is', () => {
    const body = fc.oneof(
      fc.anything(),
      fc.json(),
      fc.uint8Array(),
      fc.constantFrom(...kinds).chain(({ payload }) =>
        fc
          .dictionary(fc.constantFrom(...Object.keys(payload()), '__proto__'), fc.anything(), {
            maxKeys: 3,
          })
          .map((changes) => ({ ...payload(), ...changes })),
      ),
    );
    const query = fc.oneof(fc.constantFrom(...Object.values(queries)), fc.webQueryParameters(), fc.string());
    fc.assert(
      fc.property(body, query, (body, url) => {
        try {
          expect(parseNotification({ url, body }).key).toMatch(/^[!-9;-~]+(:[!-9;-~]*)*$/);
        } catch (error) {
          if (!(error instanceof InvalidNotificationError)) throw error;
          expect(error.issues.length).toBeGreaterThan(0);
        }
      }),
      { numRuns: 400 },
    );
  });
});

const other = { apiKey: 'S3CRET-key', apiToken: 'S3CRET-token' };

describe('constructNotification', () => {
  it('gives the notification when the credentials are right', () => {
    const input = { authorization, url: queries.refund, body: JSON.stringify(refundPayload()) };
    expect(constructNotification(input, credentials)).toMatchObject({
      kind: 'refund',
      key: 'refund:r-1:PAID',
    });
    expect(constructNotification(input, [other, credentials]).kind).toBe('refund');
  });

  it.each([
    ['missing', undefined],
    ['wrong-scheme', 'Bearer S3CRET'],
    ['malformed', 'Basic S3CRET!'],
    ['mismatch', basic(other)],
  ])('throws WebhookAuthenticationError with the reason %s, and shows no credential', (reason, header) => {
    const input = { authorization: header, body: refundPayload() };
    let thrown: unknown;
    try {
      constructNotification(input, credentials);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(WebhookAuthenticationError);
    expect(thrown).toMatchObject({ code: 'webhook_authentication_failed', reason });
    const printed = everythingPrintedOf(thrown);
    for (const secret of ['S3CRET', 'UzNDUkV', credentials.apiKey, credentials.apiToken, 'r-1']) {
      expect(printed).not.toContain(secret);
    }
  });

  it('verifies before it parses: a bad body with bad credentials is an authentication error', () => {
    for (const body of ['no JSON', '', null, [], { refund: {}, newStatus: 7 }]) {
      const input = { authorization: basic(other), body };
      expect(() => constructNotification(input, credentials)).toThrow(WebhookAuthenticationError);
      expect(() => constructNotification({ ...input, authorization }, credentials)).toThrow(
        InvalidNotificationError,
      );
    }
  });

  it.each([undefined, null, '{}'])('refuses a body passed alone, and says where it belongs: %j', (input) => {
    expect(() => constructNotification(input as never, credentials)).toThrow(
      expect.objectContaining({
        code: 'configuration',
        message: expect.stringContaining(
          '`constructNotification({ authorization, url, body }, credentials)`',
        ),
      }),
    );
  });
});
