import { invalidArgument } from '../errors/argument-errors';
import { currencyDecimals, decimalsOf } from '../service/currency';

/**
 * Converts a whole number of the currency's smallest unit into an amount as the service takes it:
 * `amountFromMinorUnits(5970, 'BRL')` is `59.7`. Calculate in minor units, and convert the result last.
 *
 * @param minorUnits - cents of BRL, whole yen of JPY, thousandths of KWD (ISO 4217)
 * @param currency - an active ISO 4217 code
 * @throws `InvalidRequestError`, without an `outcome`, for a fraction of a minor unit, an amount too large for JSON to
 *   show with exactly these digits, or a currency that is not in ISO 4217's list
 */
export function amountFromMinorUnits(minorUnits: number, currency: string): number {
  const wrong = {
    minorUnits:
      typeof minorUnits === 'number'
        ? 'expected a whole number of minor units, such as 5970. Round what you calculated in them; an amount such as ' +
          '59.7 is in the main unit already'
        : `expected a whole number, got a ${typeof minorUnits}`,
  };
  const decimals = decimalsIn(currency, Number.isSafeInteger(minorUnits) ? {} : wrong);
  // Move the decimal point in the text. Dividing by 100 would round.
  const text = decimalText(minorUnits, decimals);
  const amount = Number(text);
  // Near 2^53 the nearest number may be written with other digits, a cent off.
  if (String(amount) !== text) {
    throw invalidArgument('The amount', {
      minorUnits: 'expected an amount that a number holds to the last digit; this one is too large',
    });
  }
  return amount;
}

/**
 * Converts an amount of the service into a whole number of the currency's smallest unit, the inverse of
 * {@link amountFromMinorUnits}: `toMinorUnits(59.7, 'BRL')` is `5970`. It never rounds.
 *
 * @param amount - in the currency's main unit, as in `transaction.amount`
 * @param currency - an active ISO 4217 code
 * @throws `InvalidRequestError`, without an `outcome`, for an amount with more decimals than its currency, one too large
 *   for a number to hold its minor units exactly, or a currency that is not in ISO 4217's list
 */
export function toMinorUnits(amount: number, currency: string): number {
  const wrong = { amount: 'expected a number, such as 59.7' };
  const decimals = decimalsIn(currency, Number.isFinite(amount) ? {} : wrong);
  if (decimalsOf(amount) > decimals) {
    throw invalidArgument('The amount', {
      amount: `expected at most as many decimals as the currency has, which is ${decimals}; round first`,
    });
  }
  // Move the decimal point in the text. Multiplying by 100 would round: 8.2 * 100 is 819.9999999999999.
  const [whole = '', fraction = ''] = String(amount).split('.');
  const minorUnits = Number(whole + fraction.padEnd(decimals, '0'));
  if (!Number.isSafeInteger(minorUnits)) {
    throw invalidArgument('The amount', {
      amount: 'expected an amount whose minor units a number holds exactly; this one is too large',
    });
  }
  return minorUnits;
}

/** The decimals of a currency. Throws if it is unknown, or if there are other issues. */
function decimalsIn(currency: string, issues: Readonly<Record<string, string>>): number {
  const decimals = typeof currency === 'string' ? currencyDecimals(currency) : undefined;
  const unknown = { currency: 'expected an ISO 4217 code with a minor unit, such as BRL' };
  if (decimals === undefined) throw invalidArgument('The amount', { ...issues, ...unknown });
  if (Object.keys(issues).length > 0) throw invalidArgument('The amount', issues);
  return decimals;
}

/** `5970` with 2 decimals is `59.7`: the form in which JSON writes numbers, without zeros at the end. */
function decimalText(minorUnits: number, decimals: number): string {
  const digits = String(Math.abs(minorUnits)).padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  let fraction = digits.slice(point);
  while (fraction.endsWith('0')) fraction = fraction.slice(0, -1);
  return `${minorUnits < 0 ? '-' : ''}${digits.slice(0, point)}${fraction && `.${fraction}`}`;
}

/**
 * Drops what a calculation with floats leaves, and nothing that may be money: 10.000000000000002 is 10. No currency has
 * more than four decimals.
 */
export function withoutNoise(amount: number): number {
  const rounded = Number(amount.toFixed(4));
  const noise = Math.max(1e-7, Math.abs(amount) * 4 * Number.EPSILON);
  return Math.abs(amount - rounded) < noise ? rounded : amount;
}
