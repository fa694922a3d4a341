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
  it('says yes to what is as documented, and to that with nulls and unknown fields', () => {
    for (const example of examples) {
      expect(isAsDocumented(example)).toBe(true);
      expect(isAsDocumented({ ...example, novel: { deep: [null] } })).toBe(true);
      for (const name of Object.keys(example)) {
        const bare = { ...example, [name]: null };
        expect([name, isAsDocumented(bare)]).toEqual([name, z.safeParse(object, bare).success]);
      }
    }
  });

  it('says yes only to what zod gives out as it is, whatever stands in the place of whatever', () => {
    for (const value of examples.flatMap(replacedOnce).filter(isAsDocumented)) {
      const { success, data } = z.safeParse(object, value);
      expect([success, isDeepStrictEqual(data, value)]).toEqual([true, true]);
      expect(read(object, value)).toEqual({ value, leftOut: [] });
    }
  });

  it('says yes to a value that lacks a field only where its schema does, also when every object inherits the field', () => {
    for (const { value, name, missing } of examples.flatMap(lackingOnce)) {
      const isEnough = z.safeParse(object, value).success;
      Object.defineProperty(Object.prototype, name, { value: missing, configurable: true });
      const saysYes = isAsDocumented(value);
      Reflect.deleteProperty(Object.prototype, name);
      expect([name, saysYes && !isEnough]).toEqual([name, false]);
    }
  });

  it('says yes only to what zod gives out as it is, with nothing left out', () => {
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
    // Else the property claims nothing.
    expect(yes).toBeGreaterThan(RUNS.numRuns / 10);
  });

  it('and the reader agrees with zod on which values are accepted, and on what is made of them', () => {
    fc.assert(
      fc.property(mutated(examples), (value) => {
        // zod reads what is inherited, too.
        if (inherits(value)) return;
        const ofZod = z.safeParse(object, value);
        const reading = read(object, value);
        expect(reading.issues === undefined).toBe(ofZod.success);
        // zod gives a field that is left out as undefined, which `toEqual` takes for absent.
        if (reading.issues === undefined) expect(reading.value).toEqual(ofZod.data);
      }),
      RUNS,
    );
  });
});

/** Whether an object in it has enumerable fields by inheritance. */
function inherits(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null || depth > 9) return false;
  for (const name in value) if (!Object.hasOwn(value, name)) return true;
  return Object.values(value).some((inner) => inherits(inner, depth + 1));
}

it('a guard changes nothing in what it is given', () => {
  const given = Object.freeze({ ...fixtures.reversal(), receipt: 'null' });
  expect(validate(reversalPayloadSchema, given)).toEqual({ value: { ...given, receipt: null }, leftOut: [] });
  expect(given.receipt).toBe('null');
});
