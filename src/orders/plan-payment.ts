import { isIdentity } from '../service/checks';
import type { SalePayload } from '../service/notifications/sale';
import type { Transaction } from '../service/operations/get-transaction';
import { isGiven } from '../shared/objects';
import { isSameId } from '../shared/uuid';
import type { SingleRecords } from '../stores/steps';
import { withoutNoise } from '../values/amounts';
import type { PaymentConfirmation } from '../values/confirm-payment';
import type { FoundKey, Notified, Plan } from '../webhooks/order-link';
import { type Attempt, attemptIn, type Order, ownAttempt } from './attempt';
import {
  attemptNamedBy,
  type BookedSale,
  decideSale,
  type ReportedSale,
  type SaleReason,
  type SaleVerdict,
  withPayment,
} from './booking';
import { withBegun, withoutCase } from './marks';
import { isRepeatSum, minorUnitsOf } from './money';
import { changeOrder, type OrderReading } from './order-records';
import {
  asKnown,
  bookingOf,
  EMPTY_PLAN,
  foreignPlan,
  knownOf,
  type OrderCallbacks,
  readIfFound,
} from './plan-parts';
import { isReturned, type Refund, withRefunds } from './returns';

// What is done about a payment.

/** Says what is to be done about a payment, as its order is now. */
export async function planPayment(
  records: SingleRecords,
  notified: Notified,
  found: FoundKey,
  confirmation: PaymentConfirmation | undefined,
  callbacks: OrderCallbacks,
): Promise<Plan> {
  const { identity, cause } = notified;
  const booking = bookingOf(cause);
  const reading = await readIfFound(records, found, booking);
  const reported = {
    ...asKnown(reading?.order, reportedSale(notified, confirmation)),
    isOthers: found.isOthers,
  };
  const { sale, referenceCode, amount } = reported;
  if (reading === undefined) {
    return foreignPlan(notified, { sale, amount, currency: reported.currency }, callbacks);
  }
  const { order } = reading;
  const currency = reported.currency ?? currencyOf(order);
  const details = { order: order.key, sale, referenceCode, idRec: reported.charge?.idRec, amount, currency };
  const refuse = (reason: SaleReason, isOwn?: boolean): Plan => {
    return { ...EMPTY_PLAN, details: { ...details, isOwn }, reason };
  };

  const isRepeat = cause.origin === 'decision' && cause.isAgain;
  const stated = confirmation?.transaction.amount;
  const isUnclear = isRepeat
    ? booking?.amount === undefined && !isRepeatSum(order, reported, stated)
    : isOtherSum(booking?.amount, stated);
  if (isUnclear) return refuse('unclear_amount');
  if (isRepeat && isReturned({ ...reported, amount: stated ?? 0 })) return refuse('returned_in_full');

  const wasOwn = knownOf(cause)?.isOwn === true;
  const isConfirmed = confirmation !== undefined || wasOwn;
  const expected = decideSale(order, reported);
  const isForced = booking !== undefined && expected.do === 'case' && expected.reason !== 'other_order';
  const verdict = isForced ? booked(order, reported) : expected;
  if (verdict.do === 'case') {
    // Once it is own money, it stays that until it is decided.
    return refuse(verdict.reason, isConfirmed && (verdict.isOwn || wasOwn));
  }
  if (verdict.do === 'nothing' && !isRepeat) {
    const clear = (latest: Order) => withoutCase(latest, identity.key);
    const record = async () => void (await changeOrder(records, order.key, clear, reading));
    return { ...EMPTY_PLAN, details, record };
  }
  const isOwn = ownAttempt(order, reported) !== undefined;
  if (amount === undefined) return refuse('unclear_amount', isConfirmed && isOwn);
  const payment = { ...reported, amount, currency, isAgain: verdict.do === 'nothing' };
  const { isFirst, attempt } = verdict.do === 'book' ? verdict : { isFirst: false };
  const isDecided = booking !== undefined;
  const isExpected = (latest: Order) => isDecided || isSameVerdict(verdict, decideSale(latest, reported));
  const { notification } = notified;
  const minorUnits = minorUnitsOf(amount, currency);
  const paid = { order: order.key, sale, amount, minorUnits, currency, isFirst };
  return {
    // If `paid` fails on it, it is own money, whether or not the service was asked.
    details: { ...details, isOwn: isOwn || attempt !== undefined },
    run: (context) => callbacks.paid(paid, { ...context, notification }),
    ...recordingOf(records, reading, { payment, attempt, isBegun: isFirst && !isDecided, isExpected }, found),
  };
}

/** A payment that is to be booked. */
interface ToBook {
  readonly payment: BookedSale;
  /** The attempt that it pays. */
  readonly attempt: Attempt | undefined;
  /** Whether its order remembers that it has begun. */
  readonly isBegun: boolean;
  /** Whether an order that has changed expects it still. */
  readonly isExpected: (order: Order) => boolean;
}

/** What is written of a payment before and after `paid` runs, and what waits for that. */
function recordingOf(
  records: SingleRecords,
  reading: OrderReading,
  { payment, attempt, isBegun, isExpected }: ToBook,
  found: FoundKey,
): Pick<Plan, 'before' | 'record' | 'followUps'> {
  const { key } = reading.order;
  // What went back of a sale that is booked was told with its first payment, or by notifications of its own.
  const withTold = (order: Order, now: number) =>
    payment.isAgain ? order : withRefunds(order, payment, now);
  // What was read before, unless it was written since.
  let latest: OrderReading | undefined = reading;
  let early: readonly string[] = [];
  return {
    async before() {
      let isSame = true;
      const begin = (order: Order, now: number) => {
        isSame = isExpected(order);
        if (!isSame) return order;
        return withTold(isBegun ? withBegun(order, payment, now) : order, now);
      };
      const order = await changeOrder(records, key, begin, reading);
      if (order !== reading.order) latest = undefined;
      return isSame;
    },
    async record() {
      const book = (order: Order, now: number) => {
        const waiting = (order.early ?? []).filter((each) => isSameId(each.sale, payment.sale));
        early = waiting.map((each) => each.key);
        return withPayment(withTold(order, now), payment, attempt, now);
      };
      await changeOrder(records, key, book, latest);
    },
    followUps: () => [...new Set([...found.early, ...early])],
  };
}

/** Whether a person says another sum than the service, which knows that of a sale's first payment. */
function isOtherSum(amount: number | undefined, stated: number | null | undefined): boolean {
  return amount !== undefined && isGiven(stated) && withoutNoise(amount) !== withoutNoise(stated);
}

/** Whether an order that has changed leaves it at what was decided. */
function isSameVerdict(one: SaleVerdict, other: SaleVerdict): boolean {
  if (one.do !== 'book' || other.do !== 'book') return one.do === other.do;
  return one.isFirst === other.isFirst && one.attempt?.attempt === other.attempt?.attempt;
}

/** A person has decided that it is booked. */
function booked(
  order: Order,
  reported: ReportedSale,
): { do: 'book'; isFirst: boolean; attempt: Attempt | undefined } {
  // The months after a charge that a person has booked are expected.
  const named = reported.charge === undefined ? undefined : attemptNamedBy(order, reported);
  const own = ownAttempt(order, reported) ?? named;
  return {
    do: 'book',
    isFirst: order.payments.length === 0,
    attempt: attemptIn(order, 'paid') ? undefined : own,
  };
}

/** The money of a sale, as the service says it where it was asked. */
export function reportedSale(
  { notification, identity, cause, isMeant }: Notified,
  confirmation: PaymentConfirmation | undefined,
): ReportedSale {
  const [known, booking] = [knownOf(cause), bookingOf(cause)];
  const isAgain = cause.origin === 'decision' && cause.isAgain;
  const payload = notification.payload as SalePayload;
  const said = confirmation?.transaction;
  // What the service says of a sale is its first payment.
  const first = isAgain ? undefined : said?.amount;
  // What was known of a sum is not said by the service that is asked now.
  const before = said === undefined ? known?.amount : undefined;
  const amount = booking?.amount ?? first ?? payload.amount ?? before;
  const currency = said?.currency ?? payload.currency ?? known?.currency;
  const { recurrence } = payload;
  const isUnstated = said !== undefined && said.referenceCode !== payload.referenceCode;
  const isRouted =
    recurrence !== undefined || booking?.order !== undefined || (isMeant === true && isUnstated);
  return {
    id: identity.key,
    sale: payload.saleToken,
    referenceCode: [payload.referenceCode, said?.referenceCode].find(isIdentity),
    amount: typeof amount === 'number' ? withoutNoise(amount) : undefined,
    currency,
    date: payload.date ?? undefined,
    refunds: said && refundsIn(said),
    isRouted,
    charge: recurrence && { idRec: recurrence.idRec, dueDate: recurrence.chargeDueDate?.slice(0, 10) },
  };
}

/** What the service says was refunded of a sale, and credited. */
function refundsIn({ refunds }: Transaction): readonly Refund[] {
  return (refunds?.transactions ?? []).flatMap(({ uuid, status, total }) =>
    status === 'PAID' && typeof uuid === 'string' && typeof total === 'number'
      ? [{ uuid, amount: total }]
      : [],
  );
}

/** The currency of amounts that come without one. */
function currencyOf({ attempts, payments }: Order): string {
  return payments.at(-1)?.currency ?? attempts.at(-1)?.currency ?? '';
}
