import { oneSpelling } from '../shared/uuid';
import type { Order, Return, ReturnKind } from './attempt';
import { isSumIn, leftAfter } from './money';

// What goes back of a payment: pure functions over the record of its order.

/** A refund of a sale, as the service tells of it beside the sale. */
export interface Refund {
  readonly uuid: string;
  readonly amount: number;
}

/** Whether the service says that all of it went back. */
export function isReturned({
  amount = 0,
  refunds = [],
  currency,
}: {
  readonly amount?: number | undefined;
  readonly refunds?: readonly Refund[] | undefined;
  readonly currency?: string | undefined;
}): boolean {
  return refunds.length > 0 && leftAfter(amount, refunds, currency) <= 0;
}

/** How many payments an order remembers, and how many returns. */
export const MAX_REMEMBERED = 400;

/** A refund or a reversal that was reported. */
export interface ReportedReturn {
  /** Its uuid. */
  readonly id: string;
  /** The kind of its notification. */
  readonly by: ReturnKind;
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
  const { id, by, sale, amount, currency, status } = reported;
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
  const forgotten = { amount: order.forgotten?.[sale] };
  const leftBefore = leftAfter(paid, [...others, forgotten], payment.currency);
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
  // A person may know another currency, and never that more went back than there was.
  const isPossible = left !== undefined && left >= 0 && Number(amount) > 0;
  if (isCredited && !(isPossible && (isForced || !isOther))) return { do: 'case', reason: 'unclear_amount' };
  const isSame = known !== undefined && known.status === status && known.amount === amount && known.by === by;
  const next = isSame
    ? order
    : withReturn(order, { id, sale, amount, status, by, at: known?.at ?? now, isUntold: known?.isUntold });
  return recorded(next, isCredited, isCredited ? (left ?? leftBefore) : leftBefore, payment.currency);
}

/** A return as the order knows it, if it was recorded for another notification, in the same state. */
export function toldOtherwise({ returns }: Order, { id, by, status }: ReportedReturn): Return | undefined {
  const known = returns.find((each) => each.id === id);
  const isOther = known?.by !== undefined && known.by !== by;
  return isOther && known.status === status ? known : undefined;
}

function recorded(order: Order, isCredited: boolean, left: number, currency: string): ReturnVerdict {
  return { do: 'record', order, isCredited, left, currency };
}

/** The order with what the service says was refunded of a sale; the same order if it has all of them. */
export function withRefunds(
  order: Order,
  { sale, refunds = [] }: { readonly sale: string; readonly refunds?: readonly Refund[] | undefined },
  now: number,
): Order {
  const returns = refunds
    .map(({ uuid, amount }) => ({
      id: oneSpelling(uuid),
      sale,
      amount,
      status: PAID,
      at: now,
      isUntold: true as const,
    }))
    .filter(({ id }) => !order.returns.some((each) => each.id === id && each.status === PAID));
  return returns.length === 0 ? order : returns.reduce(withReturn, order);
}

/** The order once `returned` has run for a return that the service has told of beside its payment; else the same order. */
export function asTold(order: Order, id: string): Order {
  if (!isUntold(order, id)) return order;
  const returns = order.returns.map((each) => (each.id === id ? { ...each, isUntold: undefined } : each));
  return { ...order, returns };
}

/** Whether nothing but the service's word beside its payment has told of a return. */
export function isUntold({ returns }: Order, id: string): boolean {
  return returns.some((each) => each.id === id && each.isUntold);
}

/** The order with a return in place of what it knew of it. */
function withReturn(order: Order, returned: Return): Order {
  const returns = [...order.returns.filter(({ id }) => id !== returned.id), returned];
  if (returns.length <= MAX_REMEMBERED) return { ...order, returns };
  const forgotten = returns.find(isOfNoSum) ?? returns.find(({ status }) => status !== PAID) ?? returns[0];
  const left = { ...order, returns: returns.filter((each) => each !== forgotten) };
  if (forgotten?.status !== PAID) return left;
  // What is counted stays: what has gone back twice would be more than was paid.
  const { sale, amount = 0 } = forgotten;
  const [currency = ''] = order.payments.filter((each) => each.sale === sale).map((each) => each.currency);
  const sum = leftAfter(order.forgotten?.[sale] ?? 0, [{ amount: -amount }], currency);
  return { ...left, forgotten: { ...order.forgotten, [sale]: sum } };
}

/** Whether a return is forgotten first: of one that is on its way, the end is told again. */
function isOfNoSum({ status }: Return): boolean {
  return status !== PAID && status !== CANCELLED;
}

const PAID = 'PAID';
const CANCELLED = 'CANCELLED';
