import { recurringCheckoutSchema, type Schema, transactionSchema } from 'pix-automatic-sdk';
import { fixtures } from 'pix-automatic-sdk/testing';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { recurringCheckoutObject } from '../../src/schemas/checkout-response';
import { validate } from '../../src/schemas/schema';
import { transactionObject } from '../../src/schemas/transaction';

type Place = readonly (string | number)[];

const values: readonly unknown[] = [
  ...['text', '', 0, -1.5, Number.NaN, Number.POSITIVE_INFINITY, true, null, undefined],
  ...[[], {}, ['text'], [7], [null], [{}], { novel: 1 }, new Date(0), Object.create(null)],
];

describe.each<[string, Schema<unknown>, z.ZodMiniType, object]>([
  ['a transaction', transactionSchema, transactionObject(), fixtures.transaction()],
  ['a journey', recurringCheckoutSchema, recurringCheckoutObject(), fixtures.recurringCheckout()],
])('the guard of %s', (_, schema, object, example) => {
  it('agrees with the schema, whatever stands in the place of whatever', () => {
    const places = placesIn(example);
    expect(places.length).toBeGreaterThan(20);
    for (const place of places) {
      for (const value of values) {
        const given = withValue(example, place, value);
        const slow = z.safeParse(object, given);
        const { issues, ...result } = validate(schema, given);
        expect([place, value, issues === undefined]).toEqual([place, value, slow.success]);
        // An object of a class is taken as it is; the schema would copy what fields it has of its own.
        if (slow.success && !(value instanceof Date))
          expect([place, result]).toEqual([place, { value: slow.data }]);
      }
    }
  });

  it('answers for what is as documented, which the schema would copy', () => {
    const result = validate(schema, example);
    expect(result.issues === undefined && result.value).toBe(example);
  });

  it('leaves a field called __proto__ to the schema, which drops it, at any depth', () => {
    for (const place of placesIn(example)) {
      if (typeof valueAt(example, place) !== 'object') continue;
      const text = JSON.stringify(withValue(example, place, { MARK: 1 }));
      const given = JSON.parse(text.replace('"MARK":1', '"__proto__":{"admin":true}'));
      const slow = z.safeParse(object, given);
      if (slow.success) expect(validate(schema, given)).toEqual({ value: slow.data });
      else expect(validate(schema, given).issues).toBeDefined();
    }
  });
});

/** Every place in an example, objects and their elements included. */
function placesIn(value: unknown, at: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [[...at, name], ...placesIn(inner, [...at, name])]);
}

function valueAt(holder: unknown, place: Place): unknown {
  return place.reduce((value, name) => (value as Record<string, unknown>)[name], holder);
}

function withValue(example: object, place: Place, value: unknown): object {
  const copy = structuredClone(example);
  const holder = valueAt(copy, place.slice(0, -1)) as Record<string, unknown>;
  holder[String(place.at(-1))] = value;
  return copy;
}
