import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readParameters, readQuery } from '../../src/webhooks/query';
import { seedRandomTests } from '../helpers/random-seed';

seedRandomTests();

it('parameters that are cut out are those that URLSearchParams reads', () => {
  const piece = fc.constantFrom(
    '?',
    '&',
    '=',
    '#',
    '+',
    '%',
    '%26',
    '%3D',
    '/',
    'type',
    'refund',
    'true',
    'é',
    '',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const url = `/webhooks?${pieces.join('')}`;
      const expected = [...readQuery({ url })].map(([name, value]) => `${name}=${value}`);
      // A name alone and an empty parameter carry no flag, and need not read the same.
      const withValue = (texts: readonly string[]) => texts.filter((text) => /=./.test(text));
      expect(withValue(readParameters({ url }))).toEqual(withValue(expected));
    }),
    { numRuns: 5_000 },
  );
});
