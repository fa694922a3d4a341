import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { reversalPayloadSchema } from '../../src/service/notifications/reversal';
import { toSchema, validate } from '../../src/service/schema';
import { fixtures } from '../../src/testing';
import { seedRandomTests } from '../helpers/random-seed';
import { guarded, mutated, replacedOnce } from './guarded';

seedRandomTests();
const RUNS = { numRuns: 2_000 };

describe.each(guarded)('the generated guard of $name', ({ object, isAsDocumented, examples }) => {
  it('says yes to a documented value, also with unknown fields and with the nulls that its schema allows', () => {
    for (const example of examples) {
      expect(isAsDocumented(example)).toBe(true);
      expect(isAsDocumented({ ...example, novel: { deep: [null] } })).toBe(true);
      for (const name of Object.keys(example)) {
        const bare = { ...example, [name]: null };
        expect([name, isAsDocumented(bare)]).toEqual([name, z.safeParse(object, bare).success]);
      }
    }
  });

  it('says yes only to values that zod returns unchanged, with any value in any place', () => {
    for (const value of examples.flatMap((example) => replacedOnce(example)).filter(isAsDocumented)) {
      const { success, data } = z.safeParse(object, value);
      expect([success, isDeepStrictEqual(data, value)]).toEqual([true, true]);
    }
  });

  it('changes nothing in what the schema gives and says, for random mutations', () => {
    const guardedSchema = toSchema(object, isAsDocumented);
    const schema = toSchema(object);
    let yes = 0;
    fc.assert(
      fc.property(mutated(examples), (value) => {
        if (isAsDocumented(value)) yes += 1;
        expect(validate(guardedSchema, value)).toEqual(validate(schema, value));
      }),
      RUNS,
    );
    // Otherwise the property would prove nothing.
    expect(yes).toBeGreaterThan(RUNS.numRuns / 10);
  });

  it('has a schema that names exactly the fields that it left out, at most twenty', () => {
    const schema = toSchema(object);
    let count = 0;
    fc.assert(
      fc.property(mutated(examples), (value) => {
        const result = validate(schema, value);
        expect(result.issues === undefined).toBe(z.safeParse(object, value).success);
        if (result.issues !== undefined) return;
        // zod's order is that of the schema.
        const missing = pathsMissing(value, result.value).map(String).sort();
        const named = result.leftOut.map(({ path }) => String(path)).sort();
        if (missing.length > 20) expect(named).toHaveLength(20);
        else expect(named).toEqual(missing);
        count += missing.length;
      }),
      RUNS,
    );
    expect(count).toBeGreaterThan(RUNS.numRuns / 20);
  });
});

/** The path of each value that is in `input` and not in `output`. */
function pathsMissing(input: unknown, output: unknown, path: readonly PropertyKey[] = []): PropertyKey[][] {
  if (typeof input !== 'object' || input === null) return [];
  return Object.entries(input).flatMap(([name, value]) => {
    const here = [...path, Array.isArray(input) ? Number(name) : name];
    if (value === undefined) return [];
    if (!Object.hasOwn(Object(output), name)) return [here];
    return pathsMissing(value, Reflect.get(Object(output), name), here);
  });
}

it('validation does not change the value that it is given', () => {
  const given = Object.freeze({ ...fixtures.reversal(), receipt: 'null' });
  expect(validate(reversalPayloadSchema, given)).toEqual({ value: { ...given, receipt: null }, leftOut: [] });
  expect(given.receipt).toBe('null');
});
