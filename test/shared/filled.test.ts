import { expect, it } from 'vitest';
import { filled } from '../../src/shared/filled';

it.each([
  [{ count: 0 }, '0 notifications'],
  [{ count: 1 }, '1 notification'],
  [{ count: 2 }, '2 notifications'],
  [{ count: '1' }, '1 notification'],
  [{}, '{count} {count:notification|notifications}'],
])('of %j, the words are in the number that fits', (values, expected) => {
  expect(filled('{count} {count:notification|notifications}', values)).toBe(expected);
});

it('a value is put in as it is, and never read for values of its own', () => {
  expect(filled('{one} {two}', { one: '{two}', two: '$1' })).toBe('{two} $1');
});
