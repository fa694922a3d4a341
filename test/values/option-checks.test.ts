import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../src/errors';
import { checkCount, checkDuration, checkFunction, checkPositive } from '../../src/values/option-checks';

describe('A positive number', () => {
  it.each([0.001, 5, 10])('is accepted up to the maximum: %s of 10', (given) => {
    expect(checkPositive('timeoutMs', given, 10)).toBe(given);
  });

  it('may be as long as a timer can be where there is no maximum', () => {
    expect(checkPositive('timeoutMs', 2 ** 31 - 1)).toBe(2 ** 31 - 1);
    expect(() => checkPositive('timeoutMs', 2 ** 31)).toThrow('above 0 and at most 2147483647');
  });

  it.each([0, -1, 11, Number.NaN, Number.POSITIVE_INFINITY, '5', null, 5n])(
    'is refused and named where it is %s of 10',
    (given) => {
      const check = () => checkPositive('timeoutMs', given as number, 10);
      expect(check).toThrow(ConfigurationError);
      expect(check).toThrow(
        'Expected `timeoutMs` to be a number above 0 and at most 10. Text from the environment needs `Number(…)`.',
      );
    },
  );
});

describe('A duration', () => {
  it.each([
    [1, 1],
    [0.001, 1],
    [1.5, 2],
    [1e13, 1e13],
  ])('of %s ms is rounded up to %s', (given, ms) => {
    expect(checkDuration('leaseMs', given)).toBe(ms);
  });

  it.each([0, -1, 1e13 + 1, Number.NaN, Number.POSITIVE_INFINITY, '5', undefined, null, 5n])(
    'is refused and named where it is %s',
    (given) => {
      const check = () => checkDuration('leaseMs', given as number);
      expect(check).toThrow(ConfigurationError);
      expect(check).toThrow(
        'Expected `leaseMs` to be a number above 0 and at most 10000000000000. Text from the ' +
          'environment needs `Number(…)`.',
      );
    },
  );
});

describe('A count', () => {
  it.each([1, 7, 10])('is accepted from 1 to the maximum: %s of 10', (given) => {
    expect(checkCount('limit', given, 10)).toBe(given);
  });

  it('may be any whole number where there is no maximum', () => {
    expect(checkCount('limit', Number.MAX_SAFE_INTEGER)).toBe(Number.MAX_SAFE_INTEGER);
  });

  it.each([0, -1, 1.5, 11, Number.NaN, Number.POSITIVE_INFINITY, '5'])(
    'is refused and named where it is %s of 10',
    (given) => {
      const check = () => checkCount('limit', given as number, 10);
      expect(check).toThrow(ConfigurationError);
      expect(check).toThrow(
        'Expected `limit` to be a whole number from 1 to 10, or left out for the default. Text from the ' +
          'environment needs `Number(…)`.',
      );
    },
  );
});

describe('A function', () => {
  it('is accepted', () => {
    expect(() => checkFunction('match', () => true, '(body) => boolean')).not.toThrow();
  });

  it.each([undefined, null, 'match', 7, {}])('is refused and named where it is %s', (given) => {
    const check = () => checkFunction('match', given, '(body) => boolean');
    expect(check).toThrow(ConfigurationError);
    expect(check).toThrow('Expected `match` to be a function: `(body) => boolean`.');
  });
});
