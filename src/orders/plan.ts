import type { SalePayload } from '../service/notifications/sale';
import type { SingleRecords } from '../stores/steps';
import type { TransactionSource } from '../values/confirm-payment';
import { UNCONFIRMED } from '../webhooks/keep';
import { partsOf } from '../webhooks/key';
import type { AnyDefinition } from '../webhooks/kinds';
import {
  type CaseDetails,
  type FoundKey,
  type Notified,
  ORDER_KINDS,
  type OrderLink,
  type Plan,
  referenceOf,
} from '../webhooks/order-link';
import { type AsPayment, paymentMeantBy } from './as-payment';
import { type Attempt, isBooked, type Order, ownAttempt } from './attempt';
import { attemptNamedBy, type ReportedSale } from './booking';
import { CASE_TEXTS, endedBy, fateOfCase } from './case-reasons';
import { withDismissal, withEarly, withoutBegun, withoutCase, withReview } from './marks';
import {
  changeOrder,
  findOrder,
  isKnown,
  type OrderReading,
  orderOfSale,
  pointEarly,
  pointToSale,
} from './order-records';
import {
  asKnown,
  bookingOf,
  EMPTY_PLAN,
  foreignPlan,
  knownOf,
  type OrderCallbacks,
  readIfFound,
} from './plan-parts';
import { planPayment, reportedSale } from './plan-payment';
import { eventOf, planRecurrence } from './plan-recurrence';
import { planReturned, reportedReturn } from './plan-return';
import { isChargeOf, PROOF_TIMEOUT_MS, UNPROVEN } from './proof';
import { namedAttempt, recurrenceOf, withPaidCharge } from './recurrences';

/** What the parts around the orders are told. */
export interface OrderLinkHooks {
  /** The service does not have a call of its public pages. */
  readonly onNoCall: (error: unknown) => void;
  /** An event of a recurrence has come, and whether its order has missed those before it. */
  readonly onEvent: (hasMissed: boolean) => Promise<void>;
  /** It is known what a request is answered. Never rejects. */
  readonly onAnswer: () => Promise<void>;
}

const PAID = 'PAID';

/** Finds the order of a notification, decides what is to be done, and records that it was. */
export function orderLinkOf(
  client: TransactionSource,
  callbacks: OrderCallbacks,
  asPayment: AsPayment | undefined,
  kinds: readonly AnyDefinition[],
  hooks: OrderLinkHooks,
): OrderLink {
  return {
    client,
    endedBy,
    texts: CASE_TEXTS,
    fateOf: fateOfCase,
    onAnswer: hooks.onAnswer,

    meant: paymentMeantBy(asPayment),

    async find(records, notified, confirmation) {
      const { notification, cause, isMeant } = notified;
      const event = eventOf(notification);
      const { uuid, referenceCode } = referenceOf(notification, kinds);
      const said = confirmation?.transaction.referenceCode ?? undefined;
      const found = await findOrder(records, {
        uuid: notification.kind === 'recurrence' ? undefined : uuid,
        referenceCode: referenceCode ?? said,
        idRec: event?.idRec,
      });
      if (event !== undefined) await hooks.onEvent(found.isFirstEvent && event.eventType.includes('CHARGE'));
      const booking = bookingOf(cause);
      // What a person says of its recurrence counts, and never against what the service says of its transaction.
      const isOther = booking?.order === undefined && found.isOthers;
      const { early } = found;
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

    async missingProof({ notification, cause }, { key, isStated }, confirmation, signal) {
      const event = eventOf(notification);
      // What the service lists is proven by that, and what a person books by the person.
      const isReported = cause.origin === 'delivery' || cause.origin === 'replay';
      if (event === undefined || notification.kind !== 'payment' || !isReported) return undefined;
      if (confirmation === undefined || key === undefined || isStated) return undefined;
      const { saleToken } = notification.payload as SalePayload;
      const proof = { client, onNoCall: hooks.onNoCall, signal, timeoutMs: PROOF_TIMEOUT_MS };
      return (await isChargeOf(event.idRec, saleToken, proof)) ? undefined : UNPROVEN;
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
          return planPayment(records, notified, found, confirmation, callbacks);
        case 'saleStatus':
          return planSaleStatus(records, notified, found, callbacks);
        case 'recurrence':
          return planRecurrence(records, notified, found, callbacks);
        default:
          return planReturned(records, notified, found, callbacks);
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
}

/** A sale that is not paid is a case: a person looks. */
async function planSaleStatus(
  records: SingleRecords,
  notified: Notified,
  found: FoundKey,
  callbacks: OrderCallbacks,
): Promise<Plan> {
  const { saleToken, amount, currency } = notified.notification.payload as SalePayload;
  const reading = await readIfFound(records, found);
  const details = {
    order: reading?.order.key,
    sale: saleToken,
    amount: amount ?? undefined,
    currency: currency ?? undefined,
  };
  if (reading === undefined && callbacks.foreign !== undefined)
    return foreignPlan(notified, details, callbacks);
  // One case a sale, however many states it has.
  const { subject, state } = notified.identity;
  return {
    ...EMPTY_PLAN,
    details,
    reason: 'sale_status',
    letter: { subject, state, key: `${subject}~status` },
  };
}

/** The attempt whose money it is: a journey without an immediate payment is paid by a transaction of its own. */
function attemptOf(order: Order, { sale = '', referenceCode, idRec }: CaseDetails): Attempt | undefined {
  const charge = idRec === undefined ? undefined : { idRec };
  const reported = { sale, referenceCode, charge, isRouted: charge !== undefined };
  return ownAttempt(order, reported) ?? attemptNamedBy(order, reported);
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
