import { InvalidRequestError } from '../errors';
import { currencyDecimals } from '../schemas/currency';

/**
 * An amount as the service takes it, made of a whole number of the currency's smallest unit:
 * `amountFromMinorUnits(5970, 'BRL')` is `59.7`. Calculate in minor units, and turn the result into an amount last.
 *
 * @param minorUnits - cents of BRL, whole yen of JPY, thousandths of KWD (ISO 4217)
 * @param currency - an active ISO 4217 code
 * @throws `InvalidRequestError` for a fraction of a minor unit, an amount too large for a number to hold exactly,
 *   or a currency that is not in ISO 4217's list
 */
export function amountFromMinorUnits(minorUnits: number, currency: string): number {
  const decimals = currencyDecimals(currency);
  const issues = [];
  if (!Number.isSafeInteger(minorUnits)) {
    issues.push({ path: ['minorUnits'], message: 'expected a whole number of minor units; round first' });
  }
  if (decimals === undefined) {
    issues.push({ path: ['currency'], message: 'expected an ISO 4217 code with a minor unit, such as BRL' });
  }
  if (issues.length > 0) throw new InvalidRequestError('The amount', issues);
  // Through the decimal notation, which is exact: a division by 100 is not.
  const amount = Number(`${minorUnits}e-${decimals}`);
  // Beyond 2^46 of a currency with cents, the next number is more than a cent away.
  if (Number(amount.toFixed(decimals).replace('.', '')) !== minorUnits) {
    const message = 'expected an amount that a number holds to the last digit; this one is too large';
    throw new InvalidRequestError('The amount', [{ path: ['minorUnits'], message }]);
  }
  return amount;
}
