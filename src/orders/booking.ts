import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { currencyDecimals } from '../service/currency';
import { amountFromMinorUnits, toMinorUnits } from '../values/amounts';
import {
  type Attempt,
  differences,
  isPaid,
  type Money,
  moved,
  type Order,
  type OwnCase,
  type Return,
  withAttempt,
} from './attempt';

// Every decision about the money of an order: pure functions over its record. Times are by the database's clock.

/** A sale that was reported as paid. */
export interface ReportedSale {
  /** The key of its notification. */
  readonly id: string;
  /** Its `saleToken`. */
  readonly sale: string;
  readonly referenceCode?: string | undefined;
  /** In the main unit, as the service says it, else the notification. */
  readonly amount?: number | undefined;
  readonly currency?: string | undefined;
  /** What the service says was refunded of it since. */
  readonly refunds?: readonly Refund[] | undefined;
}

/** A refund of a sale, as the service tells of it beside the sale. */
export interface Refund {
  readonly uuid: string;
  readonly amount: number;
}

/** Why a sale is not booked, and needs a person or time. */
export type SaleReason =
  | 'paid_twice'
  | 'other_amount'
  | 'closed'
  | 'other_sale'
  | 'unclear_amount'
  | 'returned_in_full';

/** What is to be done about a sale. */
export type SaleVerdict =
  /** It is among the payments. */
  | { readonly do: 'nothing' }
  /** `attempt`: the one that it pays; missing for a later charge. */
  | { readonly do: 'book'; readonly isFirst: boolean; readonly attempt?: Attempt | undefined }
  /** `isOwn`: it is an attempt's own. */
  | { readonly do: 'case'; readonly reason: SaleReason; readonly isOwn: boolean };

/**
 * Decides whether a sale is expected: the first payment of an order, or a later charge. The first row that fits counts.
 *
 * | the sale | when | |
 * |---|---|---|
 * | is among the payments | | nothing |
 * | is an attempt's own: its uuid, or its reference where the attempt has no uuid | another attempt is paid or has begun | `paid_twice` |
 * | the same | its money is not the newest request's, or another sum | `other_amount` |
 * | the same | the attempt is closed | `closed` |
 * | the same | | book |
 * | has the reference of the attempt that paid | the recurrence's sum, else the first payment's | book, a later charge |
 * | the same | another sum | `other_amount` |
 * | has the reference of an attempt without an immediate payment | no payment yet, the recurrence's sum | book, the first |
 * | any other of the order | | `other_sale` |
 */
export function decideSale(order: Order, reported: ReportedSale): SaleVerdict {
  const { sale, referenceCode, amount } = reported;
  if (order.payments.some((each) => each.sale === sale)) return { do: 'nothing' };
  const isFirst = !isPaid(order);
  const paidBy = order.attempts.find(({ state }) => state === 'paid');
  const isBegun = order.begun !== undefined && order.begun !== reported.id;

  const own = ownAttempt(order, reported);
  if (own !== undefined && own !== paidBy) {
    const refuse = (reason: SaleReason): SaleVerdict => ({ do: 'case', reason, isOwn: true });
    if (paidBy !== undefined || isBegun) return refuse('paid_twice');
    if (amount === undefined) return refuse('unclear_amount');
    const isNewest = differences(order.newest ?? own.money, own.money).length === 0;
    if (!isNewest || !isFirstSum(order, own, reported)) return refuse('other_amount');
    if (own.state === 'closed') return refuse('closed');
    return unlessReturned({ do: 'book', isFirst, attempt: own }, reported);
  }

  const named = order.attempts.find((each) => each.referenceCode === referenceCode) ?? own;
  const refuse = (reason: SaleReason): SaleVerdict => ({ do: 'case', reason, isOwn: false });
  if (named !== undefined && named === paidBy) {
    if (amount === undefined) return refuse('unclear_amount');
    if (!isLaterSum(order, named, reported)) return refuse('other_amount');
    return unlessReturned({ do: 'book', isFirst }, reported);
  }
  if (named !== undefined && !isImmediate(order, named) && isFirst && !isBegun) {
    if (amount === undefined) return refuse('unclear_amount');
    const isNewest = differences(order.newest ?? named.money, named.money).length === 0;
    if (!isNewest) return refuse('other_amount');
    if (named.state === 'closed') return refuse('closed');
    if (isFirstSum(order, named, reported)) {
      return unlessReturned({ do: 'book', isFirst, attempt: named }, reported);
    }
  }
  return refuse('other_sale');
}

/** Booked and gone back at once is nothing to deliver goods for. */
function unlessReturned(verdict: Extract<SaleVerdict, { do: 'book' }>, reported: ReportedSale): SaleVerdict {
  if (!isReturned(reported)) return verdict;
  return { do: 'case', reason: 'returned_in_full', isOwn: verdict.attempt !== undefined };
}

/** Whether the service says that all of it went back. */
export function isReturned({
  amount = 0,
  refunds = [],
  currency,
}: Pick<ReportedSale, 'amount' | 'refunds' | 'currency'>): boolean {
  return refunds.length > 0 && leftAfter(amount, refunds, currency) <= 0;
}

/** The attempt whose own sale it is. */
export function ownAttempt(
  { attempts }: Order,
  { sale, referenceCode }: Pick<ReportedSale, 'sale' | 'referenceCode'>,
): Attempt | undefined {
  return (
    attempts.find(({ uuid }) => uuid === sale) ??
    attempts.find((each) => each.uuid === undefined && each.referenceCode === referenceCode)
  );
}

const AMOUNT = 'amount';
const CURRENCY = 'currency';
const IMMEDIATE = 'recurrence.immediatePayment';
const RECURRENCE = 'recurrence.amount.recurrenceAmount';

/** What of a request is about money. */
export interface MoneyOfRequest {
  readonly currency?: string | undefined;
  readonly amount?: number | null | undefined;
  readonly recurrence?:
    | {
        readonly immediatePayment?: boolean | undefined;
        readonly amount?: { readonly recurrenceAmount?: number | null | undefined } | null | undefined;
        readonly calendar?: { readonly periodicity?: unknown } | null | undefined;
      }
    | undefined;
}

/** The hash of each field of a request that is about money, by its path. */
export function moneyOf(key: string, { currency = '', amount, recurrence }: MoneyOfRequest): Money {
  return {
    [CURRENCY]: hashOf(key, CURRENCY, currency),
    [AMOUNT]: hashOfSum(key, AMOUNT, amount, currency),
    [IMMEDIATE]: hashOf(key, IMMEDIATE, recurrence?.immediatePayment),
    [RECURRENCE]: hashOfSum(key, RECURRENCE, recurrence?.amount?.recurrenceAmount, currency),
    'recurrence.calendar.periodicity': hashOf(
      key,
      'recurrence.calendar.periodicity',
      recurrence?.calendar?.periodicity,
    ),
  };
}

/** With the order's key in it, because the same amount of two orders should not look alike. */
function hashOf(key: string, path: string, value: unknown): string {
  return bytesToHex(sha256(utf8ToBytes(JSON.stringify([key, path, value ?? null]))).subarray(0, 16));
}

function hashOfSum(key: string, path: string, amount: number | null | undefined, currency: string): string {
  return hashOf(
    key,
    path,
    amount === undefined || amount === null ? null : String(unitsOf(amount, currency)),
  );
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
function isSumIn(amount: number, currency: string): boolean {
  return typeof unitsOf(amount, currency) === 'number' || currencyDecimals(currency) === undefined;
}

function isImmediate({ key }: Order, { money }: Attempt): boolean {
  return money[IMMEDIATE] === hashOf(key, IMMEDIATE, true);
}

/** The first sum: `amount` where the payment is immediate, else that of the recurrence, or an `amount` above 0. */
function isFirstSum(order: Order, attempt: Attempt, reported: ReportedSale): boolean {
  if (!isSameCurrency(order, attempt, reported)) return false;
  if (isImmediate(order, attempt)) return hasSum(order, attempt, AMOUNT, reported.amount);
  const paths = [AMOUNT, RECURRENCE].filter((path) => namesSum(order, attempt, path));
  return paths.length === 0 || paths.some((path) => hasSum(order, attempt, path, reported.amount));
}

/** The recurrence's sum; a plan that is known by its id has none in the request, and charges the first one again. */
function isLaterSum(order: Order, attempt: Attempt, reported: ReportedSale): boolean {
  if (!isSameCurrency(order, attempt, reported)) return false;
  if (namesSum(order, attempt, RECURRENCE)) return hasSum(order, attempt, RECURRENCE, reported.amount);
  const [first] = order.payments;
  return (
    first !== undefined &&
    unitsOf(first.amount, first.currency) === unitsOf(reported.amount ?? 0, first.currency)
  );
}

/** What nobody has said is not compared. */
function isSameCurrency({ key }: Order, { money }: Attempt, { currency }: ReportedSale): boolean {
  return currency === undefined || money[CURRENCY] === hashOf(key, CURRENCY, currency);
}

function hasSum({ key }: Order, { money, currency }: Attempt, path: string, amount = Number.NaN): boolean {
  return money[path] === hashOfSum(key, path, amount, currency);
}

/** Whether the request has a sum above 0 there. */
function namesSum({ key }: Order, { money, currency }: Attempt, path: string): boolean {
  return money[path] !== hashOf(key, path, null) && money[path] !== hashOfSum(key, path, 0, currency);
}

/** How many payments an order remembers, and how many returns. */
const MAX_REMEMBERED = 400;

/** A sale that is booked. */
export interface BookedSale extends ReportedSale {
  readonly amount: number;
  readonly currency: string;
  /** A person has decided that it is a payment of its own, under a sale that is booked already. */
  readonly isAgain?: boolean | undefined;
}

/** The order once `paid` has run for a sale; the same order if that is recorded. */
export function withPayment(
  order: Order,
  reported: BookedSale,
  attempt: Attempt | undefined,
  now: number,
): Order {
  const { sale, amount, currency, id, isAgain = false } = reported;
  const without = withoutCase(order, id);
  if (order.payments.some((each) => each.sale === sale) && !isAgain) return without;
  const current = without.attempts.find((each) => each.attempt === attempt?.attempt);
  const paid =
    current === undefined ? without : moved(without, { ...current, uuid: current.uuid ?? sale }, 'paid', now);
  const payment = { sale, attempt: attempt?.attempt, amount, currency, at: now };
  const early = order.early?.filter((each) => each.sale !== sale);
  return { ...paid, early, payments: [...order.payments, payment].slice(-MAX_REMEMBERED) };
}

/** The order with what the service says was refunded of a sale; the same order if it has all of them. */
export function withRefunds(order: Order, { sale, refunds = [] }: ReportedSale, now: number): Order {
  const returns = refunds
    .map(({ uuid, amount }) => ({
      id: `refund:${uuid}`,
      sale,
      amount,
      status: PAID,
      at: now,
      isUntold: true as const,
    }))
    .filter(({ id }) => !order.returns.some((each) => each.id === id && each.status === PAID));
  return returns.length === 0 ? order : returns.reduce(withReturn, order);
}

/** The order with a return in place of what it knew of it. */
function withReturn(order: Order, returned: Return): Order {
  const others = order.returns.filter(({ id }) => id !== returned.id);
  return { ...order, returns: [...others, returned].slice(-MAX_REMEMBERED) };
}

const PAID = 'PAID';

/** A refund or a reversal that was reported. */
export interface ReportedReturn {
  /** `refund:<uuid>` or `reversal:<uuid>`. */
  readonly id: string;
  readonly sale: string | undefined;
  /** In the main unit; `undefined` if it is not said, or said in two ways. */
  readonly amount: number | undefined;
  readonly currency: string | undefined;
  readonly status: string;
}

/** What is to be done about a return. */
export type ReturnVerdict =
  /** Its sale is not booked. */
  | { readonly do: 'wait' }
  | { readonly do: 'case'; readonly reason: 'unclear_amount' }
  /** `order` has the return; `isCredited`: `returned` is to run, with what is left of the sale. */
  | {
      readonly do: 'record';
      readonly order: Order;
      readonly isCredited: boolean;
      readonly left: number;
      readonly currency: string;
    };

/**
 * Decides what is to be done about a return.
 *
 * @param isForced - a person says that the amount is right
 */
export function decideReturn(
  order: Order,
  reported: ReportedReturn,
  now: number,
  isForced = false,
): ReturnVerdict {
  const { id, sale, amount, currency, status } = reported;
  const payments = order.payments.filter((each) => each.sale === sale);
  const [payment] = payments;
  if (payment === undefined || sale === undefined) return { do: 'wait' };
  const paid = leftAfter(
    0,
    payments.map((each) => ({ amount: -each.amount })),
    payment.currency,
  );
  const known = order.returns.find((each) => each.id === id);
  const others = order.returns.filter((each) => each.sale === sale && each.id !== id && each.status === PAID);
  const leftBefore = leftAfter(paid, others, payment.currency);
  const isFinal = known?.status === PAID || known?.status === CANCELLED;
  const isOther = currency !== undefined && currency !== payment.currency;
  const isCredited = status === PAID;

  if (isFinal && known.status !== status) {
    // A late `PENDING` changes nothing. Money that has both gone back and not gone back is for a person.
    const isContradiction = isCredited || status === CANCELLED;
    if (isContradiction && !isForced) return { do: 'case', reason: 'unclear_amount' };
    if (!isContradiction) return recorded(order, false, leftBefore, payment.currency);
  }
  const isSum = amount !== undefined && isSumIn(amount, payment.currency);
  const left = isSum ? leftAfter(leftBefore, [{ amount }], payment.currency) : undefined;
  const isClear = left !== undefined && left >= 0 && !isOther && Number(amount) > 0;
  if (isCredited && !isClear && !(isForced && left !== undefined))
    return { do: 'case', reason: 'unclear_amount' };
  const isSame = known !== undefined && known.status === status && known.amount === amount && !known.isUntold;
  const next = isSame ? order : withReturn(order, { id, sale, amount, status, at: known?.at ?? now });
  return recorded(next, isCredited, isCredited ? (left ?? leftBefore) : leftBefore, payment.currency);
}

const CANCELLED = 'CANCELLED';

function recorded(order: Order, isCredited: boolean, left: number, currency: string): ReturnVerdict {
  return { do: 'record', order, isCredited, left, currency };
}

/** What is left of an amount, in the main unit. Counted in minor units, as far as the currency has them. */
function leftAfter(
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

/** The order before its first `paid` runs without a transaction: until it ends, no other payment is the first. */
export function withBegun(order: Order, id: string): Order {
  return order.begun === id ? order : { ...order, begun: id };
}

/** How many returns wait for their sale. */
const MAX_EARLY = 20;

/** The order with a return whose sale is not booked yet. */
export function withEarly(order: Order, sale: string, key: string): Order {
  const { early = [] } = order;
  if (early.some((each) => each.key === key)) return order;
  return { ...order, early: [...early, { sale, key }].slice(-MAX_EARLY) };
}

/** The order without what has begun for a notification; the same order if nothing has. */
export function withoutBegun(order: Order, key: string): Order {
  const { begun, ...others } = order;
  return begun === key ? others : order;
}

/** The order with a case about the own money of an attempt, which remembers it; without it if it is no attempt's. */
export function withReview(order: Order, own: Attempt | undefined, entry: OwnCase): Order {
  const known = own?.review?.find(({ id }) => id === entry.id);
  if (known?.reason === entry.reason) return order;
  const without = withoutReview(order, entry.id);
  const attempt = without.attempts.find((each) => each.attempt === own?.attempt);
  if (attempt === undefined) return without;
  const review = [...(attempt.review ?? []), { ...entry, at: known?.at ?? entry.at }];
  return withAttempt(without, { ...attempt, review });
}

function withoutReview(order: Order, id: string): Order {
  const isIt = (each: OwnCase) => each.id === id;
  if (!order.attempts.some(({ review }) => review?.some(isIt))) return order;
  const attempts = order.attempts.map(({ review = [], ...attempt }): Attempt => {
    const left = review.filter((each) => !isIt(each));
    return left.length === 0 ? attempt : { ...attempt, review: left };
  });
  return { ...order, attempts };
}

/** The attempt of this sale is not asked about any more. */
export function answered(order: Order, sale: string | undefined): Order {
  const attempt = order.attempts.find(({ uuid }) => uuid !== undefined && uuid === sale);
  return attempt === undefined || attempt.isAnswered
    ? order
    : withAttempt(order, { ...attempt, isAnswered: true });
}

/** The order once a notification is done: without its case, and without what has begun for it; the same if it has neither. */
export function withoutCase(order: Order, key: string): Order {
  return withoutReview(withoutBegun(order, key), key);
}

/** The order after a person has dismissed a sale: its own attempt is closed, and not asked about. */
export function withDismissal(
  order: Order,
  reported: Pick<ReportedSale, 'id' | 'sale' | 'referenceCode'>,
  now: number,
): Order {
  const without = withoutCase(order, reported.id);
  const own = ownAttempt(without, reported);
  if (own === undefined || own.state === 'paid') return without;
  return moved(without, { ...own, uuid: own.uuid ?? reported.sale, isAnswered: true }, 'closed', now);
}
