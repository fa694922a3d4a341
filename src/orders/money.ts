import { currencyDecimals } from '../service/currency';
import { sha256Of } from '../shared/hash';
import { isGiven } from '../shared/objects';
import { amountFromMinorUnits, toMinorUnits } from '../values/amounts';
import { type Attempt, attemptIn, type Money, type Order } from './attempt';

// Which sums of money an order expects, and what is left of one.

const AMOUNT = 'amount';
const CURRENCY = 'currency';
const IMMEDIATE = 'recurrence.immediatePayment';
const RECURRENCE = 'recurrence.amount.recurrenceAmount';
const VALUE_TYPE = 'recurrence.amount.valueType';
const MINIMUM = 'recurrence.amount.debitorMinimumAmount';
const PERIODICITY = 'recurrence.calendar.periodicity';
const VARIABLE = 'VARIABLE';

/** What of a request is about money. */
export interface MoneyOfRequest {
  readonly currency?: string | undefined;
  readonly amount?: number | null | undefined;
  readonly recurrence?:
    | {
        readonly immediatePayment?: boolean | undefined;
        readonly amount?:
          | {
              readonly recurrenceAmount?: number | null | undefined;
              readonly valueType?: string | null | undefined;
              readonly debitorMinimumAmount?: number | null | undefined;
            }
          | null
          | undefined;
        readonly calendar?: { readonly periodicity?: unknown } | null | undefined;
      }
    | undefined;
}

/** The hash of each field of a request that is about money, by its path. */
export function moneyOf(key: string, request: MoneyOfRequest): Money {
  const { currency = '', amount, recurrence } = request;
  const variable = variableOf(request);
  return {
    [CURRENCY]: hashOf(key, CURRENCY, currency),
    [AMOUNT]: hashOfSum(key, AMOUNT, amount, currency),
    [IMMEDIATE]: hashOf(key, IMMEDIATE, recurrence?.immediatePayment),
    [RECURRENCE]: hashOfSum(key, RECURRENCE, recurrence?.amount?.recurrenceAmount, currency),
    // `FIXED` is what a request without it means.
    [VALUE_TYPE]: hashOf(key, VALUE_TYPE, variable === undefined ? undefined : VARIABLE),
    [MINIMUM]: hashOfSum(key, MINIMUM, variable?.minimum, currency),
    [PERIODICITY]: hashOf(key, PERIODICITY, recurrence?.calendar?.periodicity),
  };
}

/** What each charge may be, where each has a sum of its own: the least, in the main unit, if the request says it. */
export function variableOf({ recurrence }: MoneyOfRequest): Attempt['variable'] {
  const { valueType, debitorMinimumAmount } = recurrence?.amount ?? {};
  return valueType === VARIABLE ? { minimum: debitorMinimumAmount ?? undefined } : undefined;
}

/** What was paid, as it is told. */
export interface PaidSum {
  /** In the main unit. */
  readonly amount?: number | undefined;
  readonly currency?: string | undefined;
}

export function isImmediate({ key }: Order, { money }: Attempt): boolean {
  return money[IMMEDIATE] === hashOf(key, IMMEDIATE, true);
}

/** The first sum: `amount` where the payment is immediate, else that of the recurrence, or an `amount` above 0. */
export function isFirstSum(order: Order, attempt: Attempt, reported: PaidSum): boolean {
  if (!isSameCurrency(order, attempt, reported)) return false;
  if (isImmediate(order, attempt)) return hasSum(order, attempt, AMOUNT, reported.amount);
  if (attempt.variable !== undefined) {
    const isAmount = namesSum(order, attempt, AMOUNT) && hasSum(order, attempt, AMOUNT, reported.amount);
    return isAmount || isVariableSum(attempt, reported.amount);
  }
  const paths = [AMOUNT, RECURRENCE].filter((path) => namesSum(order, attempt, path));
  return paths.length === 0 || paths.some((path) => hasSum(order, attempt, path, reported.amount));
}

/** The recurrence's sum, from the minimum up where each charge has its own; a plan that is known by its id has none in the request, and charges the first one again. */
export function isLaterSum(order: Order, attempt: Attempt, reported: PaidSum): boolean {
  if (!isSameCurrency(order, attempt, reported)) return false;
  if (attempt.variable !== undefined) return isVariableSum(attempt, reported.amount);
  if (namesSum(order, attempt, RECURRENCE)) return hasSum(order, attempt, RECURRENCE, reported.amount);
  const [first] = order.payments;
  return (
    first !== undefined &&
    unitsOf(first.amount, first.currency) === unitsOf(reported.amount ?? 0, first.currency)
  );
}

/** Whether the sum of another payment under a booked sale is one that is expected, or that the service states of the sale. */
export function isRepeatSum(order: Order, reported: PaidSum, stated: number | null | undefined): boolean {
  const { amount = Number.NaN, currency = '' } = reported;
  const paidBy = attemptIn(order, 'paid');
  if (paidBy !== undefined && isLaterSum(order, paidBy, reported)) return true;
  return isGiven(stated) && unitsOf(stated, currency) === unitsOf(amount, currency);
}

/** Whether it is a sum that the payer has authorized: from the minimum up, and above 0. */
function isVariableSum({ variable, currency }: Attempt, amount = Number.NaN): boolean {
  const [units, least] = [unitsOf(amount, currency), unitsOf(variable?.minimum ?? 0, currency)];
  return Number(units) > 0 && Number(units) >= Number(least);
}

/** What nobody has said is not compared. */
function isSameCurrency({ key }: Order, { money }: Attempt, { currency }: PaidSum): boolean {
  return currency === undefined || money[CURRENCY] === hashOf(key, CURRENCY, currency);
}

function hasSum({ key }: Order, { money, currency }: Attempt, path: string, amount = Number.NaN): boolean {
  return money[path] === hashOfSum(key, path, amount, currency);
}

/** Whether the request has a sum above 0 there. */
function namesSum({ key }: Order, { money, currency }: Attempt, path: string): boolean {
  return money[path] !== hashOf(key, path, null) && money[path] !== hashOfSum(key, path, 0, currency);
}

/** With the order's key in it, because the same amount of two orders should not look alike. */
function hashOf(key: string, path: string, value: unknown): string {
  return sha256Of(JSON.stringify([key, path, value ?? null])).slice(0, 32);
}

function hashOfSum(key: string, path: string, amount: number | null | undefined, currency: string): string {
  return hashOf(key, path, isGiven(amount) ? String(unitsOf(amount, currency)) : null);
}

/** In minor units; `undefined` for a currency that ISO 4217 does not list, and for a sum that it cannot have. */
export function minorUnitsOf(amount: number | undefined, currency: string): number | undefined {
  const units = unitsOf(amount ?? Number.NaN, currency);
  return typeof units === 'number' ? units : undefined;
}

/** In minor units; of a currency that ISO 4217 does not list, and of an amount that it cannot have, as it is. */
function unitsOf(amount: number, currency: string): number | string {
  try {
    return toMinorUnits(amount, currency);
  } catch {
    return `${amount}`;
  }
}

/** Whether a currency has such an amount. */
export function isSumIn(amount: number, currency: string): boolean {
  return typeof unitsOf(amount, currency) === 'number' || currencyDecimals(currency) === undefined;
}

/** What is left of an amount, in the main unit. Counted in minor units, as far as the currency has them. */
export function leftAfter(
  amount: number,
  returns: readonly { readonly amount?: number | undefined }[],
  currency: string | undefined,
): number {
  const back = returns.map((each) => each.amount ?? 0);
  try {
    const units = (each: number) => toMinorUnits(each, currency ?? '');
    return amountFromMinorUnits(
      units(amount) - back.map(units).reduce((sum, each) => sum + each, 0),
      currency ?? '',
    );
  } catch {
    return amount - back.reduce((sum, each) => sum + each, 0);
  }
}
