import fc from 'fast-check';
import { amountFromMinorUnits, InvalidRequestError, toMinorUnits } from 'pix-automatic-sdk';
import { expect, it } from 'vitest';
import { seedRandomTests } from '../helpers/random-seed';
import { failureOf } from './support';

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
])('%d minor units of %s make the amount %d', (minorUnits, code, amount) => {
  expect(amountFromMinorUnits(minorUnits, code)).toBe(amount);
});

/** The amount in decimal notation, made by placing the point in the text: arithmetic could round. */
function decimalText(minorUnits: number, code: keyof typeof decimals): string {
  const digits = String(Math.abs(minorUnits)).padStart(decimals[code] + 1, '0');
  const point = digits.length - decimals[code];
  const fraction = digits.slice(point).replace(/0+$/, '');
  return `${minorUnits < 0 ? '-' : ''}${digits.slice(0, point)}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Any safe integer, more often around 2^46 * 100 and below 2^53, where numbers become too coarse for cents. */
const anyMinorUnits = fc.oneof(
  fc.maxSafeInteger(),
  fc.integer({ min: 2 ** 52, max: Number.MAX_SAFE_INTEGER }),
  fc.integer({ min: 2 ** 46 * 100 - 2 ** 20, max: 2 ** 46 * 100 + 2 ** 20 }),
);

it('every accepted amount has exactly the digits of its minor units in JSON', () => {
  fc.assert(
    fc.property(anyMinorUnits, currency, (minorUnits, code) => {
      const expected = decimalText(minorUnits, code);
      let amount: number;
      try {
        amount = amountFromMinorUnits(minorUnits, code);
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidRequestError);
        // Refused only if JSON writes no number with these digits.
        expect(JSON.stringify(Number(expected))).not.toBe(expected);
        expect(Math.abs(minorUnits)).toBeGreaterThan(2 ** 50);
        return;
      }
      expect(JSON.stringify(amount)).toBe(expected);
    }),
    { numRuns: 5_000 },
  );
});

it('2^46 of a currency with cents is accepted, because a number holds it', () => {
  expect(amountFromMinorUnits(7_036_874_417_766_400, 'BRL')).toBe(2 ** 46);
});

const { MAX_SAFE_INTEGER: most, MAX_VALUE } = Number;
const notWhole = 'expected a whole number';
const unknown = ['', 'brl', 'XAU', 'ZZZ', 'BRL CLP', undefined, null, 7, ['BRL'], Symbol('BRL')];

it.each([
  ...[0.5, 59.7, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '5970', null, 5n].map((wrong) => [
    wrong,
    'BRL',
    notWhole,
  ]),
  // JSON writes no number with their digits: 90071992547409.91 becomes 90071992547409.9, a cent less.
  ...[most, -most, 7_036_874_417_766_401].map((wrong) => [wrong, 'BRL', 'too large']),
  [most, 'KWD', 'too large'],
] as Array<[number, string, string]>)(
  'amountFromMinorUnits refuses %s of %s: %s',
  (minorUnits, code, message) => {
    expect(failureOf(() => amountFromMinorUnits(minorUnits, code))).toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/^The amount is not valid\./),
      issues: [{ path: ['minorUnits'], message: expect.stringContaining(message) }],
    });
  },
);

it.each(unknown)('%s is refused as a currency without a known minor unit', (code) => {
  for (const convert of [amountFromMinorUnits, toMinorUnits]) {
    expect(failureOf(() => convert(1, code as string))).toMatchObject({
      message: expect.stringMatching(/^The amount is not valid\./),
      issues: [{ path: ['currency'], message: expect.stringContaining('expected an ISO 4217 code') }],
    });
  }
});

it.each([amountFromMinorUnits, toMinorUnits])(
  'an error of %o has no outcome, and shows and mentions nothing sent',
  (convert) => {
    const error = failureOf(() => convert(convert === toMinorUnits ? Number.NaN : 0.5, 'ZZZ'));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(error.outcome).toBeUndefined();
    expect(error.message).toMatch(
      /^The amount is not valid\. (amount|minorUnits): .+; currency: .+\. See docs/,
    );
    expect(error.message).not.toContain('sent');
    expect(failureOf(() => convert(123.456789, 'BRL')).message).not.toContain('123');
  },
);

it.each([
  [59.7, 'BRL', 5970],
  [0.01, 'BRL', 1],
  [0.29, 'BRL', 29],
  // 1.1 * 100 and 8.2 * 100 are not whole numbers.
  [1.1, 'BRL', 110],
  [8.2, 'BRL', 820],
  [0, 'BRL', 0],
  [-0, 'BRL', 0],
  [-0.5, 'BRL', -50],
  [500, 'JPY', 500],
  [1.5, 'KWD', 1500],
  [1.2345, 'CLF', 12345],
  [1e13, 'BRL', 1e15],
])('the amount %d of %s is %d minor units', (amount, code, minorUnits) => {
  expect(toMinorUnits(amount, code)).toBe(minorUnits);
});

it('toMinorUnits reverses amountFromMinorUnits for every amount that it makes', () => {
  fc.assert(
    fc.property(anyMinorUnits, currency, (minorUnits, code) => {
      let amount: number;
      try {
        amount = amountFromMinorUnits(minorUnits, code);
      } catch {
        return;
      }
      expect(toMinorUnits(amount, code)).toBe(minorUnits);
    }),
    { numRuns: 5_000 },
  );
});

it('what toMinorUnits gives makes the same amount again, and everything else is refused', () => {
  fc.assert(
    fc.property(fc.double({ noDefaultInfinity: true, noNaN: true }), currency, (amount, code) => {
      let minorUnits: number;
      try {
        minorUnits = toMinorUnits(amount, code);
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidRequestError);
        return;
      }
      // -0 makes 0.
      expect(amountFromMinorUnits(minorUnits, code)).toBe(amount + 0);
    }),
    { numRuns: 5_000 },
  );
});

it.each([
  ...[59.701, 3 * 19.9, 0.1 + 0.2, 1e-7].map((wrong) => [wrong, 'BRL', 'decimals']),
  [0.5, 'JPY', 'decimals'],
  [1.2345, 'KWD', 'decimals'],
  [5e-324, 'CLF', 'decimals'],
  ...[90_071_992_547_410, -90_071_992_547_410, 1e300].map((wrong) => [wrong, 'BRL', 'too large']),
  [2 ** 53, 'JPY', 'too large'],
  [1e21, 'JPY', 'too large'],
  [MAX_VALUE, 'KWD', 'too large'],
  ...[Number.NaN, Number.POSITIVE_INFINITY, '59.7', null, 5n, {}, [59.7]].map((wrong) => [
    wrong,
    'BRL',
    'expected a number',
  ]),
] as Array<[number, string, string]>)('toMinorUnits refuses %s of %s: %s', (amount, code, message) => {
  expect(failureOf(() => toMinorUnits(amount, code))).toMatchObject({
    code: 'invalid_request',
    message: expect.stringMatching(/^The amount is not valid\./),
    issues: [{ path: ['amount'], message: expect.stringContaining(message) }],
  });
});
