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
  // 1.1 * 100 and 8.2 * 100 are not whole numbers.
  [110, 'BRL', 1.1],
  [820, 'BRL', 8.2],
  [0, 'BRL', 0],
  [-50, 'BRL', -0.5],
  [-5970, 'BRL', -59.7],
  [1e15, 'BRL', 1e13],
  [500, 'JPY', 500],
  [1500, 'KWD', 1.5],
  [199, 'COP', 1.99],
  [12345, 'CLF', 1.2345],
  // A number holds it, though it is large.
  [7_036_874_417_766_400, 'BRL', 2 ** 46],
])('%d minor units of %s make the amount %d, and that makes them', (minorUnits, code, amount) => {
  expect(amountFromMinorUnits(minorUnits, code)).toBe(amount);
  expect(toMinorUnits(amount, code)).toBe(minorUnits);
});

it('-0 is 0 minor units', () => expect(toMinorUnits(-0, 'BRL')).toBe(0));

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

it('every accepted amount has exactly the digits of its minor units in JSON, and makes them again', () => {
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
      expect(toMinorUnits(amount, code)).toBe(minorUnits);
    }),
    { numRuns: 5_000 },
  );
});

const { MAX_SAFE_INTEGER: most, MAX_VALUE, NaN: none, POSITIVE_INFINITY: infinite } = Number;
const units = (code: string, says: string, ...wrong: unknown[]) =>
  wrong.map((value) => [amountFromMinorUnits, 'minorUnits', value, code, says]);
const amount = (code: string, says: string, ...wrong: unknown[]) =>
  wrong.map((value) => [toMinorUnits, 'amount', value, code, says]);

it.each([
  ...units('BRL', 'whole', 0.5, 59.7, none, infinite, 2 ** 53, '5970', null, 5n),
  // JSON writes no number with their digits: 90071992547409.91 becomes 90071992547409.9, a cent less.
  ...units('BRL', 'too large', most, -most, 7_036_874_417_766_401),
  ...units('KWD', 'too large', most),
  ...amount('BRL', 'decimals', 59.701, 3 * 19.9, 0.1 + 0.2, 1e-7),
  ...amount('JPY', 'decimals', 0.5),
  ...amount('KWD', 'decimals', 1.2345),
  ...amount('CLF', 'decimals', 5e-324),
  ...amount('BRL', 'too large', 90_071_992_547_410, -90_071_992_547_410, 1e300),
  ...amount('JPY', 'too large', 2 ** 53, 1e21),
  ...amount('KWD', 'too large', MAX_VALUE),
  ...amount('BRL', 'a number', none, infinite, '59.7', null, 5n, {}, [59.7]),
] as Array<[typeof toMinorUnits, string, number, string, string]>)(
  '%o refuses the %s %s of %s: %s',
  (convert, field, value, code, message) => {
    expect(failureOf(() => convert(value, code))).toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/^The amount is not valid\./),
      issues: [{ path: [field], message: expect.stringContaining(message) }],
    });
  },
);

const unknown = ['', 'brl', 'XAU', 'ZZZ', 'BRL CLP', undefined, null, 7, ['BRL'], Symbol('BRL')];

it.each(unknown)('%s is refused as a currency without a known minor unit', (code) => {
  for (const convert of [amountFromMinorUnits, toMinorUnits]) {
    expect(failureOf(() => convert(1, code as string))).toMatchObject({
      message: expect.stringMatching(/^The amount is not valid\./),
      issues: [{ path: ['currency'], message: expect.stringContaining('expected an ISO 4217 code') }],
    });
  }
});

it.each([
  [amountFromMinorUnits, 0.5],
  [toMinorUnits, Number.NaN],
])('an error of %o has no outcome, and shows and mentions nothing sent', (convert, wrong) => {
  const error = failureOf(() => convert(wrong, 'ZZZ'));
  expect(error).toBeInstanceOf(InvalidRequestError);
  expect(error.outcome).toBeUndefined();
  const says = /^The amount is not valid\. (amount|minorUnits): .+; currency: .+\. See docs/;
  expect(error.message).toMatch(says);
  expect(error.message).not.toContain('sent');
  expect(failureOf(() => convert(123.456789, 'BRL')).message).not.toContain('123');
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

it('says that an amount is no number of minor units, nor a text', () => {
  const messageOf = (minorUnits: number) => failureOf(() => amountFromMinorUnits(minorUnits, 'BRL')).message;
  expect(messageOf(59.7)).toContain('an amount such as 59.7 is in the main unit already');
  expect(messageOf('5970' as never)).toContain('expected a whole number, got a string');
});
