import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { payoutObject, payoutPayloadSchema } from '../../src/schemas/notifications/payout';
import { refundObject, refundPayloadSchema } from '../../src/schemas/notifications/refund';
import { reversalObject, reversalPayloadSchema } from '../../src/schemas/notifications/reversal';
import { saleObject, salePayloadSchema } from '../../src/schemas/notifications/sale';
import { type Schema, validate } from '../../src/schemas/schema';
import { fixtures } from '../../src/testing';

type Fields = Record<string, unknown>;

const [sale, reversal, refund, payout] = [saleObject(), reversalObject(), refundObject(), payoutObject()];
const [successful, failed] = payout._zod.def.options;
const cases: ReadonlyArray<
  readonly [kind: string, object: z.ZodMiniType, fields: Fields, schema: Schema<unknown>, example: object]
> = [
  ['sale', sale, sale.shape, salePayloadSchema, fixtures.payment()],
  ['reversal', reversal, reversal.shape, reversalPayloadSchema, fixtures.reversal()],
  ['refund', refund, refund.shape, refundPayloadSchema, fixtures.refund()],
  ['payout', payout, successful.shape, payoutPayloadSchema, fixtures.payout()],
  ['failed payout', payout, failed.shape, payoutPayloadSchema, fixtures.failedPayout()],
];

/** What may stand where another value belongs. */
const values: readonly unknown[] = [
  'text',
  '',
  'null',
  0,
  -1.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  true,
  false,
  null,
  undefined,
  [],
  {},
  { id: 1, uuid: '', bank: 2 },
];

describe.each(cases)('the guard of a %s', (_, object, fields, schema, example) => {
  /** The example, which has every field, with each value in the place of each field, at any depth. */
  const changed = [example as Fields, ...nestedIn(example as Fields)].flatMap((_, depth) =>
    placesIn(structuredClone(example) as Fields, depth).flatMap((field) =>
      values.map((value): [string, Fields] => {
        const copy = structuredClone(example) as Fields;
        const holder = [copy, ...nestedIn(copy)][depth] as Fields;
        holder[field] = value;
        return [`${depth}.${field} = ${String(JSON.stringify(value))}`, copy];
      }),
    ),
  );

  test('agrees with the schema, whatever stands where', () => {
    expect(changed.length).toBeGreaterThan(150);
    for (const [name, given] of changed) {
      const slow = z.safeParse(object, given);
      const result = validate(schema, given);
      expect([name, result.issues === undefined]).toEqual([name, slow.success]);
      if (slow.success) expect([name, result]).toEqual([name, { value: slow.data }]);
    }
  });

  test('is asked about every field that the schema has', () => {
    const known = Object.keys(fields);
    expect(known.filter((field) => !Object.hasOwn(example, field))).toEqual([]);
  });

  test('answers for what is as documented, which the schema would copy', () => {
    const result = validate(schema, example);
    expect(result.issues === undefined && result.value).toBe(example);
    const bare = Object.fromEntries(
      Object.entries(example).map(([name, value]) => [name, orNull(name, value)]),
    );
    const ofBare = validate(schema, bare);
    expect(ofBare.issues === undefined && ofBare.value).toBe(bare);
  });

  test('leaves a field called __proto__ to the schema, which drops it', () => {
    const given = JSON.parse(JSON.stringify(example).replace('{', '{"__proto__":{"admin":true},'));
    const result = validate(schema, given);
    expect(result).toEqual({ value: example });
    expect(Object.hasOwn(Object(result.issues === undefined && result.value), '__proto__')).toBe(false);
  });

  /** What need not be there is null. */
  function orNull(name: string, value: unknown): unknown {
    const accepted = z.safeParse(object, { ...example, [name]: null }).success;
    return accepted ? null : value;
  }
});

test('a guard changes nothing in what it is given', () => {
  const given = Object.freeze({ ...fixtures.reversal(), receipt: 'null' });
  expect(validate(reversalPayloadSchema, given)).toEqual({ value: { ...given, receipt: null } });
  expect(given.receipt).toBe('null');
});

function nestedIn(holder: Fields): Fields[] {
  return Object.values(holder).filter(
    (value): value is Fields => typeof value === 'object' && value !== null,
  );
}

function placesIn(copy: Fields, depth: number): string[] {
  return Object.keys([copy, ...nestedIn(copy)][depth] ?? {});
}
