import { isIdentity } from '../service/checks';
import type { RefundPayload } from '../service/notifications/refund';
import type { ReversalPayload } from '../service/notifications/reversal';
import type { SalePayload } from '../service/notifications/sale';
import type { Transaction } from '../service/operations/get-transaction';
import { isGiven, isObject } from '../shared/objects';
import { HOUR_MS } from '../shared/time';
import { isSameId, oneSpelling } from '../shared/uuid';
import type { LetterRecord } from '../stores/dead-letters';
import { isLeased, type SubjectRecord } from '../stores/record';
import type { SingleRecords } from '../stores/steps';
import { withoutNoise } from '../values/amounts';
import type { PaymentConfirmation, TransactionSource } from '../values/confirm-payment';
import { type Booking, type Cause, letterIdentity } from '../webhooks/cause';
import { UNCONFIRMED } from '../webhooks/keep';
import { identify, partsOf } from '../webhooks/key';
import type { AnyDefinition } from '../webhooks/kinds';
import {
  type CaseDetails,
  type FoundKey,
  type MeantPayment,
  type Notified,
  ORDER_KINDS,
  type OrderLink,
  type Plan,
  referenceOf,
} from '../webhooks/order-link';
import {
  type Attempt,
  attemptIn,
  isBooked,
  type Order,
  ownAttempt,
  type Return,
  type ReturnKind,
} from './attempt';
import {
  attemptNamedBy,
  decideSale,
  knownSpelling,
  type ReportedSale,
  type SaleVerdict,
  withPayment,
} from './booking';
import { CASE_TEXTS, endedBy, fateOfCase } from './case-reasons';
import { mayFindSince } from './lost-events';
import { withBegun, withDismissal, withEarly, withoutBegun, withoutCase, withReview } from './marks';
import { isRepeatSum, minorUnitsOf } from './money';
import {
  caseOfSale,
  changeOrder,
  findOrder,
  isKnown,
  type OrderReading,
  orderOfSale,
  pointEarly,
  pointToSale,
  readOrder,
} from './order-records';
import { eventOf, planRecurrence } from './plan-recurrence';
import { isChargeOf } from './proof';
import { namedAttempt, recurrenceOf, withPaidCharge } from './recurrences';
import {
  asTold,
  decideReturn,
  isReturned,
  isUntold,
  type Refund,
  type ReportedReturn,
  toldOtherwise,
  withRefunds,
} from './returns';

/** What the merchant does, as `on` of `createOrders` says it. */
export interface OrderCallbacks {
  readonly paid: (payment: object, context: object) => unknown;
  readonly returned: ((returned: object, context: object) => unknown) | 'ignore';
  readonly foreign?: ((notification: object, context: object) => unknown) | 'ignore' | undefined;
  readonly recurrence?: ((event: object, context: object) => unknown) | undefined;
}

/** What the parts around the orders are told. */
export interface OrderLinkHooks {
  /** The service does not have a call of its public pages. */
  readonly onNoCall: (error: unknown) => void;
  /** An event of a recurrence has come, and whether its order has missed those before it. */
  readonly onEvent: (hasMissed: boolean) => Promise<void>;
  /** It is known what a request is answered. Never rejects. */
  readonly onAnswer: () => Promise<void>;
}

/** How long a return waits for its sale before it counts as one of no order. */
const EARLY_MS = HOUR_MS;

const PAID = 'PAID';

const NOTHING = { before: async () => true, record: async () => undefined, followUps: () => [] };

/** Finds the order of a notification, decides what is to be done, and records that it was. */
export function orderLinkOf(
  client: TransactionSource,
  callbacks: OrderCallbacks,
  asPayment: ((body: Readonly<Record<string, unknown>>) => MeantPayment | undefined) | undefined,
  kinds: readonly AnyDefinition[],
  hooks: OrderLinkHooks,
): OrderLink {
  return {
    client,
    endedBy,
    texts: CASE_TEXTS,
    fateOf: fateOfCase,
    onAnswer: hooks.onAnswer,

    asPayment(body) {
      const meant = asPayment?.(body);
      return meant === undefined || meant === null ? undefined : saleOf(meant);
    },

    async find(records, notified, confirmation) {
      const { notification, cause, isMeant } = notified;
      const event = eventOf(notification);
      const { uuid, referenceCode } = referenceOf(notification, kinds);
      const said = confirmation?.transaction.referenceCode ?? undefined;
      const by = { uuid, referenceCode: referenceCode ?? said, idRec: event?.idRec };
      const found = await findOrder(
        records,
        notification.kind === 'recurrence' ? { ...by, uuid: undefined } : by,
      );
      if (event !== undefined) await hooks.onEvent(found.isFirstEvent && event.eventType.includes('CHARGE'));
      const booking = bookingOf(cause);
      // What a person says of its recurrence counts, and never against what the service says of its transaction.
      const { early, isOthers: isOther = false } =
        booking?.order === undefined ? found : { early: found.early };
      const own = booking?.order ?? knownOf(cause)?.order ?? found.key;
      const isRouted = event !== undefined || isMeant === true || booking?.order !== undefined;
      if (!isRouted || said === undefined) return { key: own, early, isOthers: isOther };
      const isSame = said === referenceCode && booking?.order === undefined;
      const stated = isSame ? own : (await findOrder(records, { referenceCode: said })).key;
      const key = own ?? stated;
      const isOthers = isOther || (stated !== undefined && stated !== key);
      return { key, early, isOthers, isStated: stated !== undefined && stated === key };
    },

    async strayOf(records, notified, isSame) {
      const { notification } = notified;
      const event = eventOf(notification);
      const { foreign: callback } = callbacks;
      if (event === undefined || notification.kind !== 'payment') return undefined;
      const charge = reportedSale(notified, undefined);
      const holder = isSame && callback === undefined ? undefined : await orderOfSale(records, charge.sale);
      // A service that tells of a charge in its ordinary form first may send no other events.
      const isNew = holder !== undefined && !isSame && (await learnRecurrence(records, holder, charge));
      await hooks.onEvent(isNew);
      if (callback === undefined || holder !== undefined) return undefined;
      const { externalId: referenceCode, idRec } = event;
      const { key } = await findOrder(records, { referenceCode, idRec });
      if (key === undefined) return undefined;
      return callback === 'ignore' ? 'again' : 'foreign';
    },

    async isProven({ notification, cause }, { key, isStated }, confirmation, limits) {
      const event = eventOf(notification);
      // What the service lists is proven by that, and what a person books by the person.
      const isReported = cause.origin === 'delivery' || cause.origin === 'replay';
      if (event === undefined || notification.kind !== 'payment' || !isReported) return true;
      if (confirmation === undefined || key === undefined || isStated) return true;
      const { saleToken } = notification.payload as SalePayload;
      return isChargeOf(event.idRec, saleToken, { client, onNoCall: hooks.onNoCall, ...limits });
    },

    async about(records, notified) {
      const { key } = await this.find(records, notified, undefined);
      const { kind } = notified.notification;
      if (!ORDER_KINDS.has(kind) || kind === 'recurrence') {
        return { order: key, sale: referenceOf(notified.notification, kinds).uuid ?? undefined };
      }
      const isReturn = kind === 'refund' || kind === 'reversal';
      const { sale, amount, currency } = isReturn
        ? reportedReturn(notified)
        : reportedSale(notified, undefined);
      const idRec = eventOf(notified.notification)?.idRec;
      return { order: key, sale, idRec, amount, currency, isOwn: knownOf(notified.cause)?.isOwn };
    },

    async plan(records, notified, found, confirmation) {
      switch (notified.notification.kind) {
        case 'payment':
          return planPayment(records, notified, found, confirmation);
        case 'saleStatus':
          return planSaleStatus(records, notified, found);
        case 'recurrence':
          return planRecurrence(records, notified, found, await readIfFound(records, found), callbacks);
        default:
          return planReturned(records, notified, found);
      }
    },

    async isAsItWas(records, replayed) {
      const { letter } = replayed.cause;
      const { kind } = replayed.notification;
      if (!ORDER_KINDS.has(kind)) return false;
      const key = letter.about?.order;
      // An hour makes money of nobody of a return.
      if (key === undefined) return letter.code === 'no_order' && (await leadsNowhere(records, replayed));
      const { reason } = await this.plan(records, replayed, { key, early: [] }, undefined);
      return reason === letter.code;
    },

    async note(records, { key, reason, details }, isRunning) {
      const { order: orderKey, sale: told, amount, isOwn } = details;
      const isEarly = reason === 'early_return' && told !== undefined;
      if (orderKey === undefined && isEarly) await pointEarly(records, told, key);
      // What was known of the money, or has begun, stays.
      if (orderKey === undefined || UNCONFIRMED.has(reason)) return;
      await changeOrder(records, orderKey, (order, now) => {
        const noted = isRunning ? order : withoutBegun(order, key);
        const { sale } = asKnown(order, { sale: told });
        if (sale === undefined || isBooked(order, sale)) return noted;
        if (isEarly) return withEarly(noted, sale, key);
        const own = isOwn ? attemptOf(order, details) : undefined;
        return withReview(noted, own, { id: key, reason, sale, amount, at: now });
      });
    },

    async end(records, { key, details }, dismissal) {
      const { order: orderKey, sale, idRec } = details;
      if (orderKey === undefined) return;
      // Done, and the order's: nothing that looks for lost payments brings it up again.
      const isPayment = partsOf(key).subject.startsWith('payment:');
      if (dismissal !== undefined && isPayment && sale !== undefined)
        await pointToSale(records, sale, orderKey);
      await changeOrder(records, orderKey, (order, now) =>
        dismissal !== undefined && isKnown(order)
          ? withDismissal(
              order,
              { ...asKnown(order, details), ...dismissal, id: key, isRouted: idRec !== undefined },
              now,
            )
          : withoutCase(order, key),
      );
    },
  };

  /** Whether still no order is known by a notification. */
  async function leadsNowhere(records: SingleRecords, { notification }: Notified): Promise<boolean> {
    const { uuid, referenceCode } = referenceOf(notification, kinds);
    const event = eventOf(notification);
    if (event !== undefined) {
      return (await findOrder(records, { uuid, referenceCode, idRec: event.idRec })).key === undefined;
    }
    // The reference of a sale is that of its journey, which is known before anything can be paid. A return counts once its
    // sale is booked, and leads to its order by that sale then.
    const isSale = notification.kind === 'payment' && notification.raw['newStatus'] === PAID;
    const by = isSale && referenceCode ? { referenceCode } : uuid ? { uuid } : { referenceCode };
    return (await findOrder(records, by)).key === undefined;
  }

  /** What is to be done about what belongs to no order. */
  function foreign({ notification }: Notified, details: CaseDetails): Plan {
    const callback = callbacks.foreign;
    if (callback === undefined) return { ...NOTHING, details, reason: 'no_order' };
    if (callback === 'ignore') return { ...NOTHING, details };
    const run = async (context: object) => {
      await callback(notification, context);
      // Money of no order need not be written down.
      return 'nothing';
    };
    return { ...NOTHING, details, run };
  }

  async function planPayment(
    records: SingleRecords,
    notified: Notified,
    found: FoundKey,
    confirmation: PaymentConfirmation | undefined,
  ): Promise<Plan> {
    const { notification, identity, cause } = notified;
    const booking = bookingOf(cause);
    const isRepeat = cause.origin === 'decision' && cause.isAgain;
    const reading = await readIfFound(records, found, booking);
    const reported = {
      ...asKnown(reading?.order, reportedSale(notified, confirmation)),
      isOthers: found.isOthers,
    };
    const { sale, amount } = reported;
    const stated = confirmation?.transaction.amount;
    const isConfirmed = confirmation !== undefined || knownOf(cause)?.isOwn === true;
    if (reading === undefined) return foreign(notified, { sale, amount, currency: reported.currency });
    const { key } = reading.order;
    const currency = reported.currency ?? currencyOf(reading.order);
    const { referenceCode } = reported;
    const details = { order: key, sale, referenceCode, idRec: reported.charge?.idRec, amount, currency };
    let verdict = decideSale(reading.order, reported);
    const isOwn = ownAttempt(reading.order, reported) !== undefined;
    if (booking !== undefined && verdict.do === 'case' && verdict.reason !== 'other_order') {
      verdict = booked(reading.order, reported);
    }
    const isAgain = isRepeat && verdict.do === 'nothing';
    if (isRepeat && booking?.amount === undefined && !isRepeatSum(reading.order, reported, stated)) {
      return { ...NOTHING, details, reason: 'unclear_amount' };
    }
    if (!isRepeat && isOtherSum(booking?.amount, stated))
      return { ...NOTHING, details, reason: 'unclear_amount' };
    if (isRepeat && isReturned({ ...reported, amount: confirmation?.transaction.amount ?? 0 })) {
      return { ...NOTHING, details, reason: 'returned_in_full' };
    }
    if (verdict.do === 'case') {
      return {
        ...NOTHING,
        // Once it is own money, it stays that until it is decided.
        details: { ...details, isOwn: isConfirmed && (verdict.isOwn || knownOf(cause)?.isOwn === true) },
        reason: verdict.reason,
      };
    }
    if (verdict.do === 'nothing' && !isAgain) {
      const clear = (order: Order) => withoutCase(order, identity.key);
      const record = async () => void (await changeOrder(records, key, clear, reading));
      return { ...NOTHING, details, record };
    }
    const isFirst = verdict.do === 'book' && verdict.isFirst;
    const attempt = verdict.do === 'book' ? verdict.attempt : undefined;
    if (amount === undefined) {
      return { ...NOTHING, details: { ...details, isOwn: isConfirmed && isOwn }, reason: 'unclear_amount' };
    }
    const payment = { ...reported, amount, currency, isAgain };
    // What went back of a sale that is booked was told with its first payment, or by notifications of its own.
    const withTold = (order: Order, now: number) => (isAgain ? order : withRefunds(order, reported, now));
    // What was read before, unless it was written since.
    let latest: OrderReading | undefined = reading;
    let early: readonly string[] = [];
    return {
      // If `paid` fails on it, it is own money, whether or not the service was asked.
      details: { ...details, isOwn: isOwn || attempt !== undefined },
      run: (context) =>
        callbacks.paid(
          { order: key, sale, amount, minorUnits: minorUnitsOf(amount, currency), currency, isFirst },
          { ...context, notification },
        ),
      async before() {
        let isSame = true;
        const begin = (order: Order, now: number) => {
          isSame = booking !== undefined || isSameVerdict(verdict, decideSale(order, reported));
          if (!isSame) return order;
          const begun = isFirst && booking === undefined ? withBegun(order, reported, now) : order;
          return withTold(begun, now);
        };
        const order = await changeOrder(records, key, begin, reading);
        if (order !== reading.order) latest = undefined;
        return isSame;
      },
      async record() {
        await changeOrder(
          records,
          key,
          (order, now) => {
            const waiting = order.early?.filter((each) => isSameId(each.sale, sale)) ?? [];
            early = waiting.map((each) => each.key);
            return withPayment(withTold(order, now), payment, attempt, now);
          },
          latest,
        );
      },
      followUps: () => [...new Set([...found.early, ...early])],
    };
  }

  async function planReturned(records: SingleRecords, notified: Notified, found: FoundKey): Promise<Plan> {
    const { notification, cause } = notified;
    const booking = bookingOf(cause);
    const reading = await readIfFound(records, found, booking);
    const reported = asKnown(reading?.order, reportedReturn(notified));
    const { sale, amount } = reported;
    const decide = (order: Order, now: number) => decideReturn(order, reported, now, booking !== undefined);
    const verdict = reading && decide(reading.order, reading.now);
    const order = reading?.order.key ?? (await orderOfCase(records, sale));
    const details = { order, sale, amount, currency: reported.currency };
    if (reading === undefined || verdict === undefined || verdict.do === 'wait') {
      // What leads to an order waits for its sale, however long that takes: it is no money of nobody.
      const isForeign = order === undefined && (await isLate(records, notified));
      return isForeign ? foreign(notified, details) : { ...NOTHING, details, reason: 'early_return' };
    }
    if (verdict.do === 'case') return { ...NOTHING, details, reason: verdict.reason };
    const told = toldOtherwise(reading.order, reported);
    const toldAs = told === undefined ? 'undone' : await stateOf(records, told);
    const isSame = told?.sale === sale && (amount === undefined || amount === told?.amount);
    // What has run for its other form runs for no second one, whoever decides.
    if (told !== undefined && toldAs !== 'undone' && (booking === undefined || isSame)) {
      if (toldAs === 'leased') return { ...NOTHING, details, reason: 'busy' };
      return { ...NOTHING, details, reason: isSame ? undefined : 'unclear_amount' };
    }

    const { key } = reading.order;
    const { returned } = callbacks;
    let current = verdict;
    let isWritten = false;
    let wasUntold = false;
    const { id } = reported;
    const write = async (isRun: boolean) => {
      if (isWritten) return true;
      let isSame = true;
      const change = (order: Order, now: number) => {
        const next = decide(order, now);
        // Another notification of the same return may have been begun since.
        isSame = next.do === 'record' && toldOtherwise(order, reported)?.by === told?.by;
        if (next.do !== 'record' || !isSame) return order;
        current = next;
        wasUntold = isUntold(order, id);
        return isRun ? asTold(next.order, id) : next.order;
      };
      await changeOrder(records, key, change, reading);
      isWritten = isSame;
      return isSame;
    };
    return {
      ...NOTHING,
      details,
      run:
        verdict.isCredited && returned !== 'ignore'
          ? (context) => {
              const { left, currency } = current;
              const units = {
                minorUnits: minorUnitsOf(amount, currency),
                leftMinorUnits: minorUnitsOf(left, currency),
              };
              const given = { order: key, sale, amount, currency, left, ...units };
              return returned(given, { ...context, notification });
            }
          : undefined,
      // Before the callback also under a lease, so that of two partial refunds at once the later one sees both. What no
      // notification has told of is told of once it has run: `maintain` looks for it until then.
      before: () => write(false),
      record: async () => {
        if (!isWritten) await write(true);
        else if (wasUntold) await changeOrder(records, key, (order) => asTold(order, id));
      },
    };
  }

  async function planSaleStatus(records: SingleRecords, notified: Notified, found: FoundKey): Promise<Plan> {
    const { saleToken, amount, currency } = notified.notification.payload as SalePayload;
    const reading = await readIfFound(records, found);
    const details = {
      order: reading?.order.key,
      sale: saleToken,
      amount: amount ?? undefined,
      currency: currency ?? undefined,
    };
    if (reading === undefined && callbacks.foreign !== undefined) return foreign(notified, details);
    // One case a sale, however many states it has.
    const { subject, state } = notified.identity;
    return {
      ...NOTHING,
      details,
      reason: 'sale_status',
      letter: { subject, state, key: `${subject}~status` },
    };
  }
}

/** What a person has decided about it. */
function bookingOf(cause: Cause): Booking | undefined {
  return cause.origin === 'decision' ? cause.booking : undefined;
}

/** What its case, or the service, has said before of its money, where nobody is asked. */
function knownOf(cause: Cause): CaseDetails | undefined {
  return 'letter' in cause ? cause.letter.about : undefined;
}

async function readIfFound(
  records: SingleRecords,
  { key }: FoundKey,
  booking?: Booking | undefined,
): Promise<OrderReading | undefined> {
  if (key === undefined) return undefined;
  const reading = await readOrder(records, key);
  // A person may name any order.
  return isKnown(reading.order) || booking?.order !== undefined ? reading : undefined;
}

/** The order of a sale that is a case still: nothing else may lead from the sale to it. */
async function orderOfCase(records: SingleRecords, sale: string | undefined): Promise<string | undefined> {
  return sale === undefined ? undefined : (await caseOfSale(records, sale))?.about?.order;
}

/** Whether a return has waited for its sale so long that it counts as one of no order. */
async function isLate(records: SingleRecords, notified: Notified): Promise<boolean> {
  const { key } = letterIdentity(notified);
  const { value, now } = await records.readRecord<Partial<LetterRecord>>('letter:', key);
  const { firstFailedAt } = value?.letter ?? {};
  if (firstFailedAt === undefined || now - firstFailedAt <= EARLY_MS) return false;
  // Its sale may be a charge whose event was lost.
  return !(await mayFindSince(records, firstFailedAt));
}

/** Whether the notification that a return was recorded for is done, or being acted on. */
async function stateOf(
  records: SingleRecords,
  { by = 'refund', id, status }: Return,
): Promise<'done' | 'leased' | 'undone'> {
  const { subject, state } = identify(by, id, [status]);
  const { value, now } = await records.readRecord<SubjectRecord>('seen:', subject);
  if (value === undefined) return 'undone';
  if (value.done.some((each) => each.state === state)) return 'done';
  return isLeased(value, now) ? 'leased' : 'undone';
}

/** With its sale as the order spells it: every comparison, and your callbacks, meet one spelling. */
function asKnown<Reported extends { readonly sale?: string | undefined }>(
  order: Order | undefined,
  reported: Reported,
): Reported {
  const { sale } = reported;
  if (order === undefined || sale === undefined) return reported;
  return { ...reported, sale: knownSpelling(order, sale) };
}

/** The attempt whose money it is: a journey without an immediate payment is paid by a transaction of its own. */
function attemptOf(order: Order, { sale = '', referenceCode, idRec }: CaseDetails): Attempt | undefined {
  const charge = idRec === undefined ? undefined : { idRec };
  const reported = { sale, referenceCode, charge, isRouted: charge !== undefined };
  return ownAttempt(order, reported) ?? attemptNamedBy(order, reported);
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
function reportedSale(
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

/**
 * Has an order remember the recurrence of a charge that its ordinary form has booked, if the event names one of its attempts.
 * Gives whether it did not know of it.
 */
async function learnRecurrence(
  records: SingleRecords,
  holder: OrderReading,
  { sale, referenceCode, amount, date, charge }: ReportedSale,
): Promise<boolean> {
  let isNew = false;
  const learn = (order: Order) => {
    const named = namedAttempt(order, { referenceCode });
    isNew = named !== undefined && recurrenceOf(order, charge?.idRec) === undefined;
    return isNew ? withPaidCharge(order, { sale, amount, told: date, ...charge }, named?.attempt) : order;
  };
  await changeOrder(records, holder.order.key, learn, holder);
  return isNew;
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

/** The money that a refund or a reversal returns. */
function reportedReturn({ notification, cause }: Notified): ReportedReturn {
  const { id, sale, amounts, currency, status } =
    notification.kind === 'reversal'
      ? reversalOf(notification.payload as ReversalPayload)
      : refundOf(notification.payload as RefundPayload);
  const said = amounts.filter(isGiven).map(withoutNoise);
  // The document does not say which of the names counts.
  const amount = bookingOf(cause)?.amount ?? (new Set(said).size === 1 ? said[0] : undefined);
  return { id, by: notification.kind as ReturnKind, sale, amount, currency: currency ?? undefined, status };
}

function reversalOf({ uuid, sale, reversedAmount, currency, status }: ReversalPayload) {
  return {
    id: oneSpelling(uuid),
    sale: isIdentity(sale?.uuid) ? sale.uuid : undefined,
    amounts: [reversedAmount],
    currency,
    status,
  };
}

function refundOf({ saleToken, refund, reversedAmount, amountRefunded, currency, status }: RefundPayload) {
  const amounts = [refund.amount, reversedAmount, amountRefunded];
  return { id: oneSpelling(refund.uuid), sale: saleToken, amounts, currency, status };
}

/** @throws `TypeError` for what is no payment */
function saleOf(meant: MeantPayment): SalePayload {
  const { saleToken, referenceCode, amount, currency, date } = meant;
  if (!isObject(meant) || typeof saleToken !== 'string' || saleToken === '') {
    throw new TypeError(
      '`asPayment` gave something without a `saleToken`. Give `undefined` for what is no payment.',
    );
  }
  return { saleToken, newStatus: 'PAID', referenceCode, amount, currency, date };
}
