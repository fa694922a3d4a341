import { isDeepStrictEqual as isDeepEqual } from 'node:util';
import fc from 'fast-check';
import { type Notification, parseNotification } from 'pix-automatic-sdk/webhooks';
import { describe, expect, it, vi } from 'vitest';
import { seedRandomTests } from '../helpers/random-seed';
import { payoutPayload, refundPayload, reversalPayload, salePayload } from './support';

seedRandomTests();

const keyOf = (body: unknown, url = '') => parseNotification({ url, body }).key;

describe('the key of a documented kind', () => {
  it.each([
    ['reversal:v-1:PENDING', reversalPayload()],
    ['reversal:v-1:PAID', { ...reversalPayload(), status: 'PAID' }],
    ['payout:p-1:true:PAID', payoutPayload()],
    ['payout:p-1:false:PENDING', { ...payoutPayload(), success: false, status: 'PENDING' }],
    ['refund:r-1:PAID', refundPayload()],
    ['payment:s-1:PAID', salePayload()],
    ['payment:s-1:REVERSAL', { ...salePayload(), newStatus: 'REVERSAL' }],
    // One special character at a time, because any of them gets the whole part encoded.
    ['reversal:a%3Ab:PAID', { ...reversalPayload(), uuid: 'a:b', status: 'PAID' }],
    ['reversal:a:PAID%3Ab', { ...reversalPayload(), uuid: 'a', status: 'PAID:b' }],
    ['reversal:a%25b:PAID', { ...reversalPayload(), uuid: 'a%b', status: 'PAID' }],
    ['reversal:a%3Ab%25c%20d:PAID%2FX', { ...reversalPayload(), uuid: 'a:b%c d', status: 'PAID/X' }],
    ['reversal:%C3%A7%F0%9F%8F%A0:PAID', { ...reversalPayload(), uuid: 'ç🏠', status: 'PAID' }],
  ])('is kind, identity and state: %s', (key, body) => {
    expect(keyOf(body)).toBe(key);
  });

  it('differs between partial refunds of one sale, and from the key of its payment', () => {
    const second = { ...refundPayload(), refund: { uuid: 'r-2' } };
    const keys = [refundPayload(), second, salePayload()].map((body) => keyOf(body));
    expect(new Set(keys).size).toBe(3);
  });

  it('does not change with fields that may change between two deliveries', () => {
    const later = { ...refundPayload(), date: '2027-01-01 00:00:00', receipt: null, novel: 1 };
    expect(keyOf(later)).toBe(keyOf(refundPayload()));
  });
});

/** Parts that break carelessly joined keys. U+FFFD cannot be in an identity: see `isUndamaged`. */
const part = fc.oneof(
  fc.string({ minLength: 1, unit: 'binary' }).filter((text) => !text.includes('\ufffd')),
  fc
    .array(fc.constantFrom(':', '%', '%3A', '%25', '%u', '%ud800', '\ud800', '\udc00', 'a', ' ', '\n'), {
      minLength: 1,
    })
    .map((pieces) => pieces.join('')),
);
const documented = fc.oneof(
  fc.record({ saleToken: part, newStatus: part }),
  fc.record({ uuid: part, status: part, sale: fc.constant({}), reversedAmount: fc.constant(1) }),
  fc.record({ saleToken: part, status: part, refund: fc.record({ uuid: part }) }),
  fc.record({ uuid: part, status: part, success: fc.boolean() }),
);

describe('a key, being injective,', () => {
  /** Kind, identity and state in an unambiguous form. A payment and a saleStatus are about the same sale. */
  function identityOf(notification: Notification): string {
    switch (notification.kind) {
      case 'payment':
      case 'saleStatus':
        return JSON.stringify(['sale', notification.payload.saleToken, notification.payload.newStatus]);
      case 'reversal':
        return JSON.stringify(['reversal', notification.payload.uuid, notification.payload.status]);
      case 'refund':
        return JSON.stringify(['refund', notification.payload.refund.uuid, notification.payload.status]);
      case 'payout': {
        const { uuid, success, status } = notification.payload;
        return JSON.stringify(['payout', uuid, success, status]);
      }
      default:
        throw new Error(`unexpected ${notification.kind}`);
    }
  }

  it('is shared by two notifications exactly when kind, identity and state are the same', () => {
    fc.assert(
      fc.property(documented, documented, (one, other) => {
        const [a, b] = [parseNotification({ body: one }), parseNotification({ body: other })];
        expect(a.key === b.key).toBe(identityOf(a) === identityOf(b));
      }),
      { numRuns: 2000 },
    );
  });

  it('changes when characters move between identity and state', () => {
    fc.assert(
      fc.property(part, part, part, (a, b, c) => {
        const one = { ...reversalPayload(), uuid: `${a}:${b}`, status: c };
        const other = { ...reversalPayload(), uuid: a, status: `${b}:${c}` };
        expect(keyOf(one)).not.toBe(keyOf(other));
      }),
    );
  });

  it.each([
    ['\ud800', '\ud801'],
    ['\ud800', '%ud800'],
    ['\udc00\ud800', '\ud800\udc00'],
    ['a\ud800', '\ud800a'],
    ['\ud800ab', '\ud800ac'],
  ])('differs between %j and %j, each with half a surrogate pair', (one, other) => {
    const keys = [one, other].map((uuid) => keyOf(JSON.stringify({ ...reversalPayload(), uuid })));
    expect(keys[0]).not.toBe(keys[1]);
    expect(keys[0]).toBe(keyOf({ ...reversalPayload(), uuid: one }));
  });

  it('is printable ASCII whatever its parts hold, so that it can be logged and stored anywhere', () => {
    fc.assert(
      fc.property(documented, (body) => {
        expect(keyOf(body)).toMatch(/^[!-~]+$/);
      }),
    );
  });
});

describe('the key of an unrecognized body', () => {
  const body = { b: [1, { y: null, x: 'é' }], a: { d: true, c: 1.5 } };

  it('is the SHA-256 of its canonical JSON', () => {
    // sha256('{"a":{"c":1.5,"d":true},"b":[1,{"x":"é","y":null}]}')
    expect(keyOf(body)).toBe('unrecognized:8ff98d46aa6fe8967c154a736e4f0361d637fb7df3b0f4b739882a4206a35d5f');
  });

  it('depends neither on the order of keys, nor on white space, nor on the form of the body', () => {
    const reordered = '{\n "a" : {"c":1.50, "d":true},\t"b": [1.0, {"x":"\\u00e9","y":null}]}';
    expect(keyOf(reordered)).toBe(keyOf(body));
    expect(keyOf(new TextEncoder().encode(reordered))).toBe(keyOf(body));
  });

  it('depends on the order of arrays, on types, and on every field, __proto__ too', () => {
    const bodies = [
      '{"a":[1,2]}',
      '{"a":[2,1]}',
      '{"a":["1",2]}',
      '{"a":[1,2],"b":null}',
      '{"a":"[1,2]"}',
      '{"a":{"0":1,"1":2}}',
      '{"a":[1,2],"__proto__":{"b":1}}',
      '{"a":[1,2],"__proto__":{"b":2}}',
      '{"A":[1,2]}',
      '{"a":[[1],2]}',
      '{}',
    ];
    expect(new Set(bodies.map((text) => keyOf(text))).size).toBe(bodies.length);
  });

  it('is the same exactly for the same JSON value', () => {
    const value = fc.jsonValue({ maxDepth: 3 }).map((a) => ({ a }));
    const shuffled = (given: unknown): unknown => {
      if (typeof given !== 'object' || given === null) return given;
      if (Array.isArray(given)) return given.map(shuffled);
      return Object.fromEntries(
        Object.entries(given)
          .reverse()
          .map(([name, v]) => [name, shuffled(v)]),
      );
    };
    fc.assert(
      fc.property(value, value, (one, other) => {
        expect(keyOf(shuffled(one))).toBe(keyOf(one));
        // Through JSON, which writes -0 as 0.
        const same = isDeepEqual(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other)));
        expect(keyOf(one) === keyOf(other)).toBe(same);
      }),
    );
  });

  it('exists for a body of 200 levels, and not for one of 201', () => {
    const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    expect(keyOf(nested(200))).toMatch(/^unrecognized:/);
    const refused = expect.objectContaining({
      code: 'invalid_notification',
      message: expect.stringContaining('The body cannot be read.'),
      issues: [{ path: [], message: expect.stringContaining('not nested as deeply') }],
    });
    expect(() => keyOf(nested(201))).toThrow(refused);
    const list = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    expect(keyOf(list(200))).toMatch(/^unrecognized:/);
    expect(() => keyOf(list(201))).toThrow(refused);
  });

  it('takes a BigInt as the same number, and undefined as null', () => {
    expect(keyOf({ a: 7n })).toBe(keyOf({ a: 7 }));
    expect(keyOf({ a: 2n ** 64n })).not.toBe(keyOf({ a: 2n ** 64n + 1n }));
    expect(keyOf({ a: undefined, b: [undefined] })).toBe(keyOf({ a: null, b: [null] }));
  });

  it('is not made up for a body that throws when it is read: the error comes through', () => {
    const failure = new Error('unreadable');
    const body = {
      get novel(): string {
        throw failure;
      },
    };
    expect(() => keyOf(body)).toThrow(failure);
  });

  it('takes no more work than for 5,000 values, however many fields and items a body has', () => {
    const fields = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, at]));
    /** How many texts were written, and how many names were sorted. */
    const workFor = (body: object) => {
      const stringify = vi.spyOn(JSON, 'stringify');
      const sort = vi.spyOn(Array.prototype, 'sort');
      try {
        keyOf(body);
        const sorted = sort.mock.contexts.reduce((sum: number, list) => sum + (list as unknown[]).length, 0);
        return { written: stringify.mock.calls.length, sorted };
      } finally {
        stringify.mockRestore();
        sort.mockRestore();
      }
    };
    expect(workFor(fields(5_000))).toEqual({ written: 10_000, sorted: 5_000 });
    const nested = Array.from({ length: 50 }, () => fields(1_000));
    for (const large of [fields(5_001), fields(90_000), { list: Array(90_000).fill(1) }, { nested }])
      expect(workFor(large)).toEqual({ written: 1, sorted: 0 });
  });

  it('depends on the order of fields in a body of more than 5,000 values, and otherwise only on the values', () => {
    const names = Array.from({ length: 5_001 }, (_, at) => `f${at}`);
    const body = Object.fromEntries(names.map((name) => [name, 1]));
    const spaced = JSON.stringify(body, null, 2);
    expect(keyOf(spaced)).toBe(keyOf(body));
    expect(keyOf(new TextEncoder().encode(spaced))).toBe(keyOf(body));
    expect(keyOf(Object.fromEntries(names.reverse().map((name) => [name, 1])))).not.toBe(keyOf(body));
    expect(keyOf({ ...body, f7: 2 })).not.toBe(keyOf(body));
    // Some parsers read large numbers as BigInt. That must differ from text with the same digits.
    expect(keyOf({ ...body, f7: 1n })).toMatch(/^unrecognized:[0-9a-f]{64}$/);
    expect(keyOf({ ...body, f7: 1n })).not.toBe(keyOf({ ...body, f7: '1' }));
    expect(keyOf({ ...body, f7: 1n })).not.toBe(keyOf({ ...body, f7: 2n }));
  });
});
