import { currencyDecimals } from '../../service/currency';

/** The decimals of amounts in a currency; two for a code that ISO 4217 does not list. */
export function decimals(currency: string): number {
  return currencyDecimals(currency) ?? 2;
}

/** Sums amounts in whole minor units, because `59.7 - 19.9` is 39.800000000000004. */
export function sum(currency: string, amounts: readonly number[]): number {
  const factor = 10 ** decimals(currency);
  return amounts.reduce((total, amount) => total + Math.round(amount * factor), 0) / factor;
}
