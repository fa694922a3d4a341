import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { type Notification, parseNotification } from 'pix-automatic-sdk/webhooks';
import { describe, expect, it } from 'vitest';
import { seedRandomTests } from '../helpers/random-seed';
import { throwing } from './faults';
import { payoutPayload, refundPayload, reversalPayload, salePayload } from './payloads';

seedRandomTests();

const keyOf = (body: unknown, url = '') => parseNotification({ url, body }).key;

const [sale, refund, reversal, payout] = [salePayload(), refundPayload(), reversalPayload(), payoutPayload()];
const reversalOf = (uuid: string, status = 'PAID') => ({ ...reversal, uuid, status });

describe('the key of a documented kind', () => {
  it.each([
    ['reversal:v-1:PENDING', reversal],
    ['reversal:v-1:PAID', reversalOf('v-1')],
    ['payout:p-1:true:PAID', payout],
    ['payout:p-1:false:PENDING', { ...payout, success: false, status: 'PENDING' }],
    ['refund:r-1:PAID', refund],
    ['payment:s-1:PAID', sale],
    ['payment:s-1:REVERSAL', { ...sale, newStatus: 'REVERSAL' }],
    // One special character at a time, because any of them gets the whole part encoded.
    ['reversal:a%3Ab:PAID', reversalOf('a:b')],
    ['reversal:a:PAID%3Ab', reversalOf('a', 'PAID:b')],
    ['reversal:a%25b:PAID', reversalOf('a%b')],
    ['reversal:a%3Ab%25c%20d:PAID%2FX', reversalOf('a:b%c d', 'PAID/X')],
    ['reversal:%C3%A7%F0%9F%8F%A0:PAID', reversalOf('ç🏠')],
  ])('is kind, identity and state: %s', (key, body) => {
    expect(keyOf(body)).toBe(key);
  });

  it('differs between partial refunds of one sale, and from the key of its payment', () => {
    const keys = [refund, { ...refund, refund: { uuid: 'r-2' } }, sale].map((body) => keyOf(body));
    expect(new Set(keys).size).toBe(3);
  });

  it('does not change with fields that may change between two deliveries', () => {
    expect(keyOf({ ...refund, date: '2027-01-01 00:00:00', receipt: null, novel: 1 })).toBe(keyOf(refund));
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
  function identityOf({ kind, raw }: Notification): string {
    const { saleToken, newStatus, uuid, status, success, refund } = raw as Record<string, unknown>;
    const sold = ['sale', saleToken, newStatus];
    const refunded = ['refund', Object(refund)['uuid'], status];
    const paidOut = ['payout', uuid, success, status];
    const parts = { payment: sold, saleStatus: sold, refund: refunded, payout: paidOut };
    return JSON.stringify(
      { ...parts, recurrence: [], unrecognized: [], reversal: ['reversal', uuid, status] }[kind],
    );
  }

  it('is shared by two notifications exactly when kind, identity and state are the same', () => {
    const same = fc.property(documented, documented, (one, other) => {
      const [a, b] = [parseNotification({ body: one }), parseNotification({ body: other })];
      expect(a.key === b.key).toBe(identityOf(a) === identityOf(b));
    });
    fc.assert(same, { numRuns: 2000 });
  });

  it('changes when characters move between identity and state', () => {
    const differs = fc.property(part, part, part, (a, b, c) => {
      expect(keyOf(reversalOf(`${a}:${b}`, c))).not.toBe(keyOf(reversalOf(a, `${b}:${c}`)));
    });
    fc.assert(differs);
  });

  it.each([
    ['\ud800', '\ud801'],
    ['\ud800', '%ud800'],
    ['\udc00\ud800', '\ud800\udc00'],
    ['a\ud800', '\ud800a'],
    ['\ud800ab', '\ud800ac'],
  ])('differs between %j and %j, each with half a surrogate pair', (one, other) => {
    const [first, second] = [one, other].map((uuid) => keyOf(JSON.stringify(reversalOf(uuid))));
    expect(first).not.toBe(second);
    expect(first).toBe(keyOf(reversalOf(one)));
  });

  it('is printable ASCII whatever its parts hold, so that it can be logged and stored anywhere', () => {
    fc.assert(fc.property(documented, (body) => void expect(keyOf(body)).toMatch(/^[!-~]+$/)));
  });
});

describe('the key of an unrecognized body', () => {
  const body = { b: [1, { y: null, x: 'é' }], a: { d: true, c: 1.5 } };

  it('is the SHA-256 of its JSON, with its fields as they came', () => {
    const json = '{"b":[1,{"y":null,"x":"é"}],"a":{"d":true,"c":1.5}}';
    expect(keyOf(body)).toBe(`unrecognized:${createHash('sha256').update(json).digest('hex')}`);
  });

  it('depends neither on white space nor on the form of the body, but on the order of its fields', () => {
    const spaced = '{\n "b" : [1.0, {"y":null,"x":"\\u00e9"}],\t"a": {"d":true, "c":1.50}}';
    expect(keyOf(spaced)).toBe(keyOf(body));
    expect(keyOf(new TextEncoder().encode(spaced))).toBe(keyOf(body));
    expect(keyOf({ a: body.a, b: body.b })).not.toBe(keyOf(body));
  });

  it('depends on the order of arrays, on types, and on every field, __proto__ too', () => {
    const bodies = [
      ...['{}', '{"a":[1,2]}', '{"a":[2,1]}', '{"a":["1",2]}', '{"a":[1,2],"b":null}', '{"a":"[1,2]"}'],
      ...['{"a":{"0":1,"1":2}}', '{"A":[1,2]}', '{"a":[[1],2]}'],
      ...['{"a":[1,2],"__proto__":{"b":1}}', '{"a":[1,2],"__proto__":{"b":2}}'],
    ];
    expect(new Set(bodies.map((text) => keyOf(text))).size).toBe(bodies.length);
  });

  it('is the same exactly for the same JSON value', () => {
    const value = fc.jsonValue({ maxDepth: 3 }).map((a) => ({ a }));
    const same = fc.property(
      value,
      value,
      (one, other) =>
        void expect(keyOf(one) === keyOf(other)).toBe(JSON.stringify(one) === JSON.stringify(other)),
    );
    fc.assert(same);
  });

  it('takes a BigInt for what it is, and undefined in a list as null', () => {
    expect(keyOf({ a: 2n ** 64n })).not.toBe(keyOf({ a: 2n ** 64n + 1n }));
    expect(keyOf({ a: 1n })).not.toBe(keyOf({ a: '1' }));
    expect(keyOf({ b: [undefined] })).toBe(keyOf({ b: [null] }));
  });

  it('is not made up for a body that throws when it is read: the error comes through', () => {
    const failure = new Error('unreadable');
    const body = Object.defineProperty({}, 'novel', { get: throwing(failure), enumerable: true });
    expect(() => keyOf(body)).toThrow(failure);
  });
});
