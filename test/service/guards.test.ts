import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { reversalPayloadSchema } from '../../src/service/kinds/reversal';
import { read } from '../../src/service/schema/read';
import { validate } from '../../src/service/schema/schema';
import { fixtures } from '../../src/testing';
import { seedRandomTests } from '../helpers/random-seed';
import { guarded, lackingOnce, mutated, replacedOnce } from './guarded';

seedRandomTests();
const RUNS = { numRuns: 4_000 };

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
    for (const value of examples.flatMap(replacedOnce).filter(isAsDocumented)) {
      const { success, data } = z.safeParse(object, value);
      expect([success, isDeepStrictEqual(data, value)]).toEqual([true, true]);
      expect(read(object, value)).toEqual({ value, leftOut: [] });
    }
  });

  it('says yes to a value without a field only if its schema does, even when Object.prototype has that field', () => {
    for (const { value, name, missing } of examples.flatMap(lackingOnce)) {
      const isEnough = z.safeParse(object, value).success;
      Object.defineProperty(Object.prototype, name, { value: missing, configurable: true });
      const saysYes = isAsDocumented(value);
      Reflect.deleteProperty(Object.prototype, name);
      expect([name, saysYes && !isEnough]).toEqual([name, false]);
    }
  });

  it('says yes only to values that zod returns unchanged, for random mutations', () => {
    let yes = 0;
    fc.assert(
      fc.property(mutated(examples), (value) => {
        if (!isAsDocumented(value)) return;
        yes += 1;
        const { success, data } = z.safeParse(object, value);
        expect([success, isDeepStrictEqual(data, value)]).toEqual([true, true]);
        expect(read(object, value)).toEqual({ value, leftOut: [] });
      }),
      RUNS,
    );
    // Otherwise the property would prove nothing.
    expect(yes).toBeGreaterThan(RUNS.numRuns / 10);
  });

  it('belongs to a reader that agrees with zod on which values are accepted, and on the result', () => {
    fc.assert(
      fc.property(mutated(examples), (value) => {
        // zod also reads inherited fields, unlike the reader.
        if (inherits(value)) return;
        const ofZod = z.safeParse(object, value);
        const reading = read(object, value);
        expect(reading.issues === undefined).toBe(ofZod.success);
        // zod returns a field that is left out as undefined, which `toEqual` treats as absent.
        if (reading.issues === undefined) expect(reading.value).toEqual(ofZod.data);
      }),
      RUNS,
    );
  });
});

/** Whether an object in `value` has inherited enumerable fields. */
function inherits(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null || depth > 9) return false;
  for (const name in value) if (!Object.hasOwn(value, name)) return true;
  return Object.values(value).some((inner) => inherits(inner, depth + 1));
}

it('validation does not change the value that it is given', () => {
  const given = Object.freeze({ ...fixtures.reversal(), receipt: 'null' });
  expect(validate(reversalPayloadSchema, given)).toEqual({ value: { ...given, receipt: null }, leftOut: [] });
  expect(given.receipt).toBe('null');
});
