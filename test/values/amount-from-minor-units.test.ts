import fc from 'fast-check';
import { amountFromMinorUnits, InvalidRequestError } from 'pix-automatic-sdk';
import { expect, it } from 'vitest';
import { seedRandomTests } from '../helpers/random-seed';

seedRandomTests();

const decimals = { JPY: 0, CLP: 0, BRL: 2, COP: 2, HUF: 2, KWD: 3, UYW: 4 } as const;
const currency = fc.constantFrom(...(Object.keys(decimals) as Array<keyof typeof decimals>));

it.each([
  [5970, 'BRL', 59.7],
  [1, 'BRL', 0.01],
  [29, 'BRL', 0.29],
  [35, 'BRL', 0.35],
  [0, 'BRL', 0],
  [-5970, 'BRL', -59.7],
  [500, 'JPY', 500],
  [1500, 'KWD', 1.5],
  [199, 'COP', 1.99],
  [12345, 'CLF', 1.2345],
])('%d of %s is %d', (minorUnits, code, amount) => {
  expect(amountFromMinorUnits(minorUnits, code)).toBe(amount);
});

it('writes exactly the digits it was given, for every amount it accepts', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), currency, (minorUnits, code) => {
      let amount: number;
      try {
        amount = amountFromMinorUnits(minorUnits, code);
      } catch {
        // Only where numbers are too coarse for the currency's smallest unit.
        expect(Math.abs(minorUnits)).toBeGreaterThan(2 ** 50);
        return;
      }
      const digits = String(Math.abs(minorUnits)).padStart(decimals[code] + 1, '0');
      const point = digits.length - decimals[code];
      const sign = minorUnits < 0 ? '-' : '';
      expect(amount).toBe(Number(`${sign}${digits.slice(0, point)}.${digits.slice(point)}`));
      expect(amount.toFixed(decimals[code]).replace('.', '')).toBe(sign + digits);
    }),
    { numRuns: 3_000 },
  );
});

it('an amount that a number cannot hold to the cent is refused, and not changed', () => {
  // The next number is 1.56 cents away.
  expect(() => amountFromMinorUnits(7_036_874_417_766_401, 'BRL')).toThrow(InvalidRequestError);
  expect(amountFromMinorUnits(7_036_874_417_766_400, 'BRL')).toBe(2 ** 46);
});

it.each([0.5, 59.7, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '5970', null, undefined, 5n])(
  '%s is no number of minor units',
  (minorUnits) => {
    expect(() => amountFromMinorUnits(minorUnits as number, 'BRL')).toThrow(
      'minorUnits: expected a whole number',
    );
  },
);

it.each(['', 'brl', 'XAU', 'ZZZ', 'BRL CLP', undefined, null, 7])('%j has no minor unit', (code) => {
  expect(() => amountFromMinorUnits(1, code as string)).toThrow('currency: expected an ISO 4217 code');
});
