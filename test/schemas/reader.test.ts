import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { recurringCheckoutRequestObject } from '../../src/schemas/checkout-request';
import { recurringCheckoutObject } from '../../src/schemas/checkout-response';
import { payoutObject } from '../../src/schemas/notifications/payout';
import { refundObject } from '../../src/schemas/notifications/refund';
import { reversalObject } from '../../src/schemas/notifications/reversal';
import { saleObject } from '../../src/schemas/notifications/sale';
import { REFUSED, toReader } from '../../src/schemas/reader';
import { transactionObject } from '../../src/schemas/transaction';
import { seedRandomTests } from '../helpers/random-seed';

seedRandomTests();

// Values that are nearly what the schema wants: any of them where another belongs, at any depth.
const leaf = fc.constantFrom<unknown>(
  '',
  'x',
  'null',
  'PAID',
  0,
  -1.5,
  Number.NaN,
  true,
  false,
  null,
  undefined,
  [],
);

const cases = [
  ['sale', saleObject, { saleToken: 's', newStatus: 'PAID', shopper: { id: 'i' }, amount: 1 }],
  ['reversal', reversalObject, { uuid: 'v', status: 'PENDING', sale: { id: 1 }, receipt: 'null' }],
  ['refund', refundObject, { saleToken: 's', status: 'PAID', refund: { uuid: 'r' }, receipt: 'null' }],
  [
    'payout',
    payoutObject,
    { uuid: 'p', status: 'PAID', success: false, error_code: 'PE0001', receipt: null },
  ],
  [
    'transaction',
    transactionObject,
    { status: 0, refunds: { transactions: [{ uuid: 'r' }] }, track: { a: 1 } },
  ],
  [
    'checkout',
    recurringCheckoutObject,
    { response: { uuid: 'u', instructions: { qrCode: { plain: 'p' } } } },
  ],
  [
    'request',
    recurringCheckoutRequestObject,
    { currency: 'BRL', referenceCode: 'r', shopper: {}, recurrence: {} },
  ],
] as const;

describe.each(cases)('the reader of a %s', (_, schema, example) => {
  const read = toReader(schema as z.core.$ZodType);
  const fields = Object.keys((schema as { shape?: object }).shape ?? example);

  test('gives what the schema gives, or refuses', () => {
    const anyField = fc.tuple(
      fc.constantFrom(...fields, '__proto__', 'unknown'),
      fc.oneof(leaf, fc.object()),
    );
    fc.assert(
      fc.property(fc.array(anyField, { maxLength: 4 }), leaf, fc.boolean(), (changes, inner, deep) => {
        const value = Object.fromEntries([...Object.entries(structuredClone(example)), ...changes]);
        if (deep) replaceOneInside(value, inner);
        const quick = read(value);
        const slow = z.safeParse(schema as z.core.$ZodType, value);
        if (quick !== REFUSED)
          expect({ success: true, data: quick }).toEqual({ success: slow.success, data: slow.data });
      }),
      { numRuns: 500 },
    );
  });
});

test.each(cases.slice(0, 5))('the reader of a %s takes what is as documented', (_, schema, example) => {
  expect(toReader(schema as z.core.$ZodType)(example)).not.toBe(REFUSED);
});

test('a reader changes nothing in what it is given', () => {
  const given = Object.freeze({ uuid: 'v', status: 'PENDING', receipt: 'null' });
  expect(toReader(reversalObject)(given)).toEqual({ ...given, receipt: null });
  expect(given.receipt).toBe('null');
});

test.each([
  ['an object that takes no other fields', z.strictObject({ a: z.string() }), { a: '', b: 1 }],
  ['an object that drops other fields', z.object({ a: z.string() }), { a: '', b: 1 }],
  ['a record of one kind of value', z.record(z.string(), z.string()), { a: 1 }],
  ['a check that it does not know', z.string().check(z.maxLength(1)), 'long'],
])('a reader leaves %s to the schema', (_, schema, value) => {
  expect(toReader(schema as z.core.$ZodType)(value)).toBe(REFUSED);
});

test('a reader leaves a field called __proto__ to the schema', () => {
  const given = JSON.parse('{ "uuid": "v", "status": "PENDING", "__proto__": { "admin": true } }');
  expect(toReader(reversalObject)(given)).toBe(REFUSED);
});

/** Puts a value in the place of one that is nested. */
function replaceOneInside(value: Record<string, unknown>, inner: unknown): void {
  const nested = Object.values(value).find((field) => typeof field === 'object' && field !== null);
  const [name] = Object.keys(nested ?? {});
  if (nested !== undefined && name !== undefined) Reflect.set(nested as object, name, inner);
}
