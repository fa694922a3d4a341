import fc from 'fast-check';
import {
  constructNotification,
  InvalidNotificationError,
  parseNotification,
  WebhookAuthenticationError,
} from 'pix-automatic-sdk/webhooks';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { NotificationInput } from '../../src/webhooks/parse';
import { seedRandomTests } from '../helpers/random-seed';
import { thrownBy } from './faults';
import { payoutPayload, queries, refundPayload, reversalPayload, salePayload } from './payloads';
import { authorization, basic, credentials, everythingPrintedOf } from './support';

seedRandomTests();

const [sale, refund, reversal, payout] = [salePayload(), refundPayload(), reversalPayload(), payoutPayload()];
const kinds = [
  { kind: 'payment', payload: sale, query: queries.sale },
  { kind: 'reversal', payload: reversal, query: queries.reversal },
  { kind: 'refund', payload: refund, query: queries.refund },
  { kind: 'payout', payload: payout, query: queries.payout },
] as const;

function refusalOf(input: NotificationInput): InvalidNotificationError {
  const error = thrownBy(() => parseNotification(input));
  expect(error).toBeInstanceOf(InvalidNotificationError);
  return error as InvalidNotificationError;
}
const messageOf = (input: NotificationInput) => {
  const { issues } = refusalOf(input);
  expect(issues).toEqual([{ path: [], message: expect.any(String) }]);
  return issues[0]?.message;
};
/** The kind of a notification that has all its fields as documented. */
const kindOf = (input: NotificationInput) => {
  const notification = parseNotification(input);
  expect(notification).not.toHaveProperty('issues');
  return notification.kind;
};

describe('the kind, by the query flags,', () => {
  it.each(kinds)('is $kind as the document sends it, without parsing its query', (given) => {
    const { kind, payload, query } = given;
    const parsing = vi.fn();
    vi.stubGlobal('URLSearchParams', parsing);
    onTestFinished(() => void vi.unstubAllGlobals());
    for (const own of [{}, { kinds: [] }]) {
      const sent = { url: `/webhooks${query}`, body: JSON.stringify(payload) };
      const notification = parseNotification({ ...sent, ...own });
      expect(notification).toMatchObject({ kind, payload, raw: payload });
    }
    expect(parsing).not.toHaveBeenCalled();
  });

  // The least that each kind needs, with nothing that marks another kind.
  const least = { uuid: 'v-1', status: 'PAID' };
  const leastRefund = { saleToken: 's-1', status: 'PAID', refund: { uuid: 'r-1' } };
  const leastPayout = { ...least, success: true };

  it.each([
    ['reversal', least, 'reversing=true type=reversing type=order-update&type=reversing'],
    ['reversal', least, 'reversing=false&reversing=true'],
    ['refund', leastRefund, 'refund=true type=refund type=refund&refund=true&type=refund'],
    ['refund', leastRefund, 'shop=7&type=mine&refund=true'],
    ['payout', leastPayout, 'payout=true type=payout a=b&type=a&type=b&type=payout#type=refund'],
    // What the merchant's own parameters say is no flag. A sale has none, and `undefined` is not its name.
    ['payment', sale, 'refund=1 refund=TRUE refund refund= refund=false type=refunds type= kind=refund'],
    ['payment', sale, 'undefined=true type=undefined'],
    ['unrecognized', {}, 'undefined=true'],
  ])('is %s of %j by each of ?%s', (kind, body, all) => {
    const found = all.split(' ').map((query) => [query, kindOf({ url: `/?${query}`, body })]);
    expect(found).toEqual(all.split(' ').map((query) => [query, kind]));
  });

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
    expect(kindOf({ ...from, body: least })).toBe('reversal');
  });

  it.each([
    { url: '/#?type=reversing' },
    { url: '/type=reversing' },
    { query: JSON.parse('{"__proto__":{"type":"reversing"},"constructor":"type=reversing"}') },
  ])('is not read from %j', (from) => {
    expect(kindOf({ ...from, body: least })).toBe('unrecognized');
  });
});

describe('the kind, by the shape of the body when there is no flag,', () => {
  it.each<[string, object]>([
    ['payment', { saleToken: 's-1', newStatus: 'PAID' }],
    ['reversal', { uuid: 'v-1', status: 'PAID', sale: {}, reversedAmount: 0 }],
    ['refund', { saleToken: 's-1', status: 'PAID', refund: { uuid: 'r-1' } }],
    ['payout', { uuid: 'p-1', status: 'PENDING', success: false }],
    // Nobody ships goods for these.
    ...['REVERSAL', 'paid', 'PAID ', 'PENDING', ''].map((newStatus): [string, object] => [
      'saleStatus',
      { saleToken: 's-1', newStatus },
    ]),
    ['unrecognized', { uuid: 'v-1', status: 'PAID', sale: {} }],
    ['unrecognized', { uuid: 'v-1', status: 'PAID', reversedAmount: 10 }],
    ['unrecognized', { uuid: 'p-1', status: 'PAID', success: 'true' }],
    ['unrecognized', { status: 'PAID', success: true }],
    ['unrecognized', { ...payout, uuid: null }],
    ['unrecognized', { saleToken: 's-1', amount: 10 }],
    ['unrecognized', { instructionId: 'i-1', status: 'SCHEDULED' }],
    // Of several shapes the first of sale, reversal, refund and payout counts.
    ['payment', { ...sale, success: true, uuid: 'p-1', status: 'PAID' }],
    ['payment', { ...sale, refund: {} }],
    ['payment', { ...payout, ...refund, ...reversal, ...sale }],
    ['saleStatus', { ...refund, ...sale, newStatus: 'REVERSAL' }],
    ['reversal', { ...payout, ...refund, ...reversal }],
    ['refund', { ...payout, ...refund }],
  ])('is %s: %j', (kind, body) => {
    for (const url of ['', '/webhooks?shop=7']) expect(kindOf({ url, body })).toBe(kind);
  });

  it.each(kinds)('is $kind where every field of every kind is sent, null where unused', (given) => {
    const all = kinds.flatMap(({ payload }) => Object.keys(payload));
    const body = { ...Object.fromEntries(all.map((name) => [name, null])), ...given.payload };
    expect([kindOf({ body }), kindOf({ url: given.query, body })]).toEqual([given.kind, given.kind]);
  });
});

describe('a contradiction between flags and shapes', () => {
  it.each(
    kinds.flatMap(({ query, kind }) =>
      kinds.filter((each) => each.kind !== kind && query !== '').map((each) => ({ ...each, query })),
    ),
  )('is refused for $query on the body of a $kind', ({ query, payload }) => {
    expect(messageOf({ url: `/${query}`, body: payload })).toMatch(
      /^expected the body of a \w+, as the query flags say, got that of a \w+$/,
    );
  });

  const two = ['refund=true&payout=true', 'type=refund&type=reversing', 'refund=true&type=payout'];
  it.each(two)('is refused for the flags of two kinds: ?%s', (query) => {
    const message = messageOf({ url: `/?${query}`, body: refund });
    expect(message).toMatch(/^expected query flags of one kind, got those of /);
  });

  it('is none where the body has the shape of its flag too, and one where it has only others', () => {
    expect(kindOf({ url: queries.refund, body: { ...sale, ...refund } })).toBe('refund');
    expect(messageOf({ url: queries.payout, body: { ...sale, success: true } })).toBe(
      'expected the body of a payout, as the query flags say, got that of a sale',
    );
  });
});

describe('a known kind', () => {
  it.each<[string, object, string, string?]>([
    ['a sale without saleToken', { newStatus: 'PAID', saleToken: null }, 'saleToken'],
    ['a reversal without uuid', { ...reversal, uuid: undefined }, 'uuid'],
    ['a reversal without status', { ...reversal, status: null }, 'status'],
    ['a refund without saleToken', { ...refund, saleToken: null }, 'saleToken'],
    ['a refund without status', { ...refund, status: undefined }, 'status'],
    ['a refund without its uuid', { saleToken: 's', status: 'PAID', refund: {} }, 'refund.uuid'],
    ['a refund without refund', { saleToken: 's', status: 'PAID' }, 'refund', queries.refund],
    ['a payout without uuid', { ...payout, uuid: null }, 'uuid', queries.payout],
    ['a payout without status', { ...payout, status: null }, 'status'],
    ['a payout without success', { uuid: 'p-1', status: 'PAID' }, 'success', queries.payout],
  ])('is refused without its identity or state: %s', (_, body, path, url = '') => {
    expect(refusalOf({ url, body }).issues.map((issue) => issue.path.join('.'))).toEqual([path]);
  });

  it('shows neither body nor values when it is refused', () => {
    const body = { ...sale, saleToken: 7, amount: 'S3CRET', shopper: { email: ['S3CRET'] } };
    const error = refusalOf({ body });
    expect([error.body, error.issues.length, error.code]).toEqual([body, 1, 'invalid_notification']);
    expect(error.message).toContain('The notification does not fit the kind it seems to be.');
    expect(everythingPrintedOf(error)).not.toMatch(/S3CRET|maria|order-/);
  });

  it('has a field of another type than documented left out of its payload, kept in raw, named in issues', () => {
    const { shopper, amount: _, ...payload } = sale;
    const { email: __, ...others } = { ...shopper };
    const raw = { ...sale, amount: 'S3CRET', shopper: { ...shopper, email: ['S3CRET'] } };
    expect(parseNotification({ body: raw })).toStrictEqual({
      kind: 'payment',
      payload: { ...payload, shopper: others },
      raw,
      key: 'payment:s-1:PAID',
      issues: [
        { path: ['amount'], message: 'expected the documented type, got a string' },
        { path: ['shopper', 'email'], message: 'expected the documented type, got an array' },
      ],
    });
  });

  it('is refused when the bytes of its identity were not UTF-8; in other text they are accepted', () => {
    const damaged = (field: string, text: string) =>
      Buffer.from(JSON.stringify({ ...sale, [field]: 'MARK' }).replace('MARK', text), 'latin1');
    for (const text of ['s-\xe1', 's-\xe9']) {
      expect(refusalOf({ body: damaged('saleToken', text) }).issues).toMatchObject([{ path: ['saleToken'] }]);
    }
    const notification = parseNotification({ body: damaged('referenceCode', '\xe1') });
    expect(notification).toMatchObject({ kind: 'payment', payload: { referenceCode: '\uFFFD' } });
  });
});

describe('the body', () => {
  const json = JSON.stringify({ ...sale, referenceCode: 'café 🏠' });
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
    const { kind, key, raw } = parseNotification({ body });
    expect([kind, key, raw]).toEqual(['payment', 'payment:s-1:PAID', JSON.parse(json)]);
  });

  it.each<[string, readonly unknown[]]>([
    ['no JSON', ['saleToken=s-1&newStatus=PAID', json.slice(0, -1), `${json}${json}`, '', new Uint8Array()]],
    ['JSON with a second byte order mark', [`\uFEFF\uFEFF${json}`]],
    ['JSON of something else', [`[${json}]`, '"PAID"', '7', 'null']],
    ['something else', [[sale], null, undefined, 7, true]],
  ])('is refused as %s', (_, bodies) => {
    for (const body of bodies) {
      const error = refusalOf({ url: queries.refund, body });
      expect(error.issues).toEqual([{ path: [], message: 'expected a JSON object' }]);
      expect(error.message).toContain('The body cannot be read.');
      expect(error.body).toBe(body);
      expect(everythingPrintedOf(error)).not.toContain('s-1');
    }
  });

  it.each([undefined, null, json])('is refused when passed alone, with where it belongs: %j', (input) => {
    for (const [parse, usage] of [
      [parseNotification, 'parseNotification({ url, body })'],
      [constructNotification, 'constructNotification({ authorization, url, body }, credentials)'],
    ] as const) {
      const message = expect.stringContaining(`\`${usage}\`: the body goes into \`body\``);
      const error = thrownBy(() => parse(input as never, credentials));
      expect(error).toMatchObject({ code: 'configuration', message });
    }
  });

  it('is read at any depth where the kind is known, and refused where it would be hashed', () => {
    const nested = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
    expect(kindOf({ body: `{"saleToken":"s-1","newStatus":"PAID","novel":${nested}}` })).toBe('payment');
    const lists = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    for (const body of [nested, lists]) {
      expect(messageOf({ body })).toBe('expected a body that is not nested as deeply');
    }
  });

  it('is not changed, and raw is what came, with unknown fields and the text null', () => {
    const more = { receipt: 'null', novel: Object.freeze({ a: 1 }) };
    const notification = parseNotification({ body: Object.freeze({ ...reversal, ...more }) });
    expect(notification.raw).toEqual({ ...reversal, ...more });
    expect(notification).toMatchObject({ payload: { receipt: null, novel: { a: 1 } } });
  });

  // Mutated notifications are in parse-mutated.test.ts.
  it('gives a notification or an InvalidNotificationError, whatever it is', { timeout: 60_000 }, () => {
    const changes = ({ payload }: (typeof kinds)[number]) =>
      fc
        .dictionary(fc.constantFrom(...Object.keys(payload), '__proto__'), fc.anything(), { maxKeys: 3 })
        .map((changed) => ({ ...payload, ...changed }));
    const any = fc.oneof(fc.anything(), fc.json(), fc.uint8Array(), fc.constantFrom(...kinds).chain(changes));
    const query = fc.oneof(fc.constantFrom(...Object.values(queries)), fc.webQueryParameters(), fc.string());
    const isEither = (body: unknown, url: string) => {
      try {
        expect(parseNotification({ url, body }).key).toMatch(/^[!-9;-~]+(:[!-9;-~]*)*$/);
      } catch (error) {
        if (!(error instanceof InvalidNotificationError)) throw error;
        expect(error.issues.length).toBeGreaterThan(0);
      }
    };
    fc.assert(fc.property(any, query, isEither), { numRuns: 200 });
  });
});

describe('constructNotification', () => {
  const other = { apiKey: 'S3CRET-key', apiToken: 'S3CRET-token' };

  it('gives the notification when the credentials are right', () => {
    const input = { authorization, url: queries.refund, body: JSON.stringify(refund) };
    for (const own of [credentials, [other, credentials]]) {
      expect(constructNotification(input, own)).toMatchObject({ kind: 'refund', key: 'refund:r-1:PAID' });
    }
  });

  it.each([
    ['missing', undefined],
    ['wrong-scheme', 'Bearer S3CRET'],
    ['malformed', 'Basic S3CRET!'],
    ['mismatch', basic(other)],
  ])('throws WebhookAuthenticationError with the reason %s, and shows no credential', (reason, header) => {
    // It verifies before it parses: a bad body is not even looked at.
    for (const body of [refund, 'no JSON', null, { refund: {}, newStatus: 7 }]) {
      const error = thrownBy(() => constructNotification({ authorization: header, body }, credentials));
      expect(error).toBeInstanceOf(WebhookAuthenticationError);
      expect(error).toMatchObject({ code: 'webhook_authentication_failed', reason });
      expect(everythingPrintedOf(error)).not.toMatch(/S3CRET|UzNDUkV|key-1|token:1|r-1/);
    }
  });

  it('refuses a bad body with good credentials as parseNotification does', () => {
    const refused = thrownBy(() => constructNotification({ authorization, body: 'no JSON' }, credentials));
    expect(refused).toBeInstanceOf(InvalidNotificationError);
  });
});
