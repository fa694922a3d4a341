import type { Reading } from './readings';
import type { Attempt, Money, Order } from './state';

// Which payment is expected: the two tables of the design, row by row.

export interface Claimed {
  readonly sale: string;
  readonly amount: number;
  readonly currency: string;
}

export type Decision =
  | { readonly is: 'booked' }
  | { readonly is: 'first' | 'later'; readonly attempt: Attempt; readonly reading?: Reading }
  /** Where several rows fit, each of their reasons will do. */
  | {
      readonly is: 'case';
      readonly reasons: readonly [string, ...string[]];
      readonly isOwn: boolean;
      readonly reading?: Reading | undefined;
    };

export function sameMoney(one: Money, other: Money | undefined): boolean {
  return (
    other !== undefined &&
    one.currency === other.currency &&
    one.amount === other.amount &&
    one.recurring === other.recurring &&
    one.least === other.least
  );
}

function isFirstSum(money: Money, { amount, currency }: Claimed): boolean {
  if (currency !== money.currency) return false;
  if (money.isImmediate) return amount === money.amount;
  if (money.least !== undefined) return amount >= money.least;
  if (money.recurring !== undefined) return amount === money.recurring;
  return money.amount === undefined || money.amount === 0 || amount === money.amount;
}

export function isLaterSum(order: Order, money: Money, { amount, currency }: Claimed): boolean {
  if (currency !== money.currency) return false;
  if (money.least !== undefined) return amount >= money.least;
  return amount === (money.recurring ?? order.payments[0]?.amount);
}

const some = (reasons: readonly (string | false)[], isOwn: boolean, reading?: Reading): Decision => {
  const fitting = reasons.filter((reason) => reason !== false);
  return { is: 'case', reasons: fitting as [string, ...string[]], isOwn, reading };
};

/** The sale is an attempt's own. */
function decideOwn(order: Order, own: Attempt, claimed: Claimed, named?: Attempt): Decision {
  const isWrong = !sameMoney(own.money, order.newest) || !isFirstSum(own.money, claimed);
  const isSecond = order.attempts.some((each) => each !== own && each.state === 'paid');
  // A charge has paid this attempt, and its own transaction too: no row fits.
  if (own.state === 'paid') {
    const reading = 'paid by a charge';
    const isLater = isLaterSum(order, own.money, claimed);
    if (named !== undefined && named !== own)
      return some(['other_sale', !isLater && 'other_amount'], false, reading);
    return isLater ? { is: 'later', attempt: own, reading } : some(['other_amount'], false, reading);
  }
  const isClosed = own.state === 'closed';
  if (!isSecond && !isWrong && !isClosed) return { is: 'first', attempt: own };
  return some([isSecond && 'paid_twice', isWrong && 'other_amount', isClosed && 'closed'], true);
}

/** A payment in its ordinary form. */
export function decidePayment(order: Order, claimed: Claimed, reference: string | undefined): Decision {
  if (order.payments.some(({ sale }) => sale === claimed.sale)) return { is: 'booked' };
  const own = order.attempts.find(({ uuid }) => uuid === claimed.sale);
  const named = order.attempts.find((each) => each.reference === reference);
  if (own !== undefined) return decideOwn(order, own, claimed, named);
  if (named?.state === 'paid') {
    return isLaterSum(order, named.money, claimed)
      ? { is: 'later', attempt: named }
      : some(['other_amount'], false);
  }
  if (named !== undefined && order.attempts.some((each) => each !== named && each.state === 'authorized'))
    return some(['authorized_twice'], false, 'elsewhere authorized');
  if (named !== undefined && !named.money.isImmediate && order.payments.length === 0) {
    const isWrong = !sameMoney(named.money, order.newest) || !isFirstSum(named.money, claimed);
    const isClosed = named.state === 'closed';
    if (!isWrong && !isClosed) return { is: 'first', attempt: named };
    return some(['other_sale', isWrong && 'other_amount', isClosed && 'closed'], false);
  }
  return some(['other_sale'], false);
}

/** A paid charge, told by an event or by the list. */
export function decideCharge(order: Order, claimed: Claimed, named: Attempt | undefined): Decision {
  if (order.payments.some(({ sale }) => sale === claimed.sale)) return { is: 'booked' };
  const own = order.attempts.find(({ uuid }) => uuid === claimed.sale);
  if (own !== undefined) return decideOwn(order, own, claimed);
  if (named === undefined) return some(['other_sale'], false);
  if (named.state === 'paid') {
    return isLaterSum(order, named.money, claimed)
      ? { is: 'later', attempt: named }
      : some(['other_amount'], false);
  }
  if (order.attempts.some(({ state }) => state === 'paid')) return some(['paid_twice'], false);
  if (order.attempts.some((each) => each !== named && each.state === 'authorized'))
    return some(['authorized_twice'], false);
  const isOld = !sameMoney(named.money, order.newest);
  const isWrong = isOld || !isFirstSum(named.money, claimed);
  const isClosed = named.state === 'closed';
  if (named.money.isImmediate) {
    return some(['other_sale', isOld && 'other_amount', isClosed && 'closed'], false);
  }
  if (order.payments.length > 0) return some(['other_sale'], false);
  if (!isWrong && !isClosed) return { is: 'first', attempt: named };
  return some([isWrong && 'other_amount', isClosed && 'closed'], false);
}
