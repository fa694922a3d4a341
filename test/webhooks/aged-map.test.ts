import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AgedMap } from '../../src/webhooks/aged-map';
import { seedRandomTests } from '../helpers/random-seed';

seedRandomTests();

interface Entry {
  readonly key: string;
  readonly value: number;
  readonly expiry: number;
}

/** The same, with a list from the oldest to the youngest. */
class Model {
  entries: Entry[] = [];

  find(key: string): Entry | undefined {
    return this.entries.find((entry) => entry.key === key);
  }

  set(entry: Entry): void {
    const index = this.entries.findIndex(({ key }) => key === entry.key);
    if (index === -1) this.entries.push(entry);
    else this.entries[index] = entry;
  }

  delete(key: string): void {
    this.entries = this.entries.filter((entry) => entry.key !== key);
  }
}

/** Of the first two, and of the two after them, FNV-1a makes the same 32 bits. */
const keys = ['costarring', 'liquid', 'declinate', 'macallums', '', 'a', 'b', 'ç🏠', '\ud800', 'payment:s-1'];
const key = fc.constantFrom(...keys);
const time = fc.nat({ max: 10 });
const steps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ name: fc.constant('set' as const), key, value: fc.nat(), expiry: time }),
    },
    { weight: 2, arbitrary: fc.record({ name: fc.constant('delete' as const), key }) },
    fc.record({ name: fc.constant('takeOldest' as const) }),
    fc.record({ name: fc.constant('expire' as const), now: time }),
  ),
  { maxLength: 60 },
);

describe('AgedMap', () => {
  it('gives what a list gives that is searched from end to end, whatever the steps', () => {
    const property = fc.property(fc.integer({ min: 1, max: 6 }), steps, (capacity, all) => {
      const map = new AgedMap<number>(capacity);
      const model = new Model();
      for (const step of all) {
        expect(map.isFull).toBe(model.entries.length === capacity);
        if (step.name === 'set' && map.isFull && model.find(step.key) === undefined) {
          expect(() => map.set(step.key, step.value, step.expiry)).toThrow(RangeError);
        } else if (step.name === 'set') {
          map.set(step.key, step.value, step.expiry);
          model.set(step);
        } else if (step.name === 'delete') {
          map.delete(step.key);
          model.delete(step.key);
        } else if (step.name === 'takeOldest') {
          const oldest = model.entries.shift();
          expect(map.takeOldest()).toEqual(oldest && [oldest.key, oldest.value]);
        } else {
          // As many looks as a round has: each place, and its end.
          const found = Array.from({ length: capacity + 1 }, () => map.nextExpired(step.now));
          const expired = model.entries.filter(({ expiry }) => expiry <= step.now);
          const keysOf = (entries: readonly (string | undefined)[]) =>
            new Set(entries.filter((each) => each !== undefined));
          expect(keysOf(found.map((entry) => entry?.[0]))).toEqual(keysOf(expired.map((entry) => entry.key)));
        }
        for (const each of keys) expect(map.get(each)).toBe(model.find(each)?.value);
      }
    });
    fc.assert(property, { numRuns: 1_000 });
  });
});
