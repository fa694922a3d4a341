import { invalidArgument } from '../errors/invalid-request-error';
import { currencyDecimals } from '../service/currency';

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
  const decimals = typeof currency === 'string' ? currencyDecimals(currency) : undefined;
  const isWhole = Number.isSafeInteger(minorUnits);
  if (!isWhole || decimals === undefined) {
    throw invalidArgument('The amount', {
      ...(isWhole ? {} : { minorUnits: 'expected a whole number of minor units; round first' }),
      ...(decimals === undefined && { currency: 'expected an ISO 4217 code with a minor unit, such as BRL' }),
    });
  }
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

/** `5970` with 2 decimals is `59.7`: the form in which JSON writes numbers, without zeros at the end. */
function decimalText(minorUnits: number, decimals: number): string {
  const digits = String(Math.abs(minorUnits)).padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  let fraction = digits.slice(point);
  while (fraction.endsWith('0')) fraction = fraction.slice(0, -1);
  return `${minorUnits < 0 ? '-' : ''}${digits.slice(0, point)}${fraction && `.${fraction}`}`;
}
