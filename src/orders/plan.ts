import type { RefundPayload } from '../service/notifications/refund';
import type { ReversalPayload } from '../service/notifications/reversal';
import type { SalePayload } from '../service/notifications/sale';
import type { Transaction } from '../service/operations/get-transaction';
import { isGiven, isObject } from '../shared/objects';
import { HOUR_MS } from '../shared/time';
import type { SingleRecords } from '../stores/steps';
import { withoutNoise } from '../values/amounts';
import type { PaymentConfirmation, TransactionSource } from '../values/confirm-payment';
import type { Booking, Cause } from '../webhooks/cause';
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
import type { Attempt, Order } from './attempt';
import {
  decideReturn,
  decideSale,
  isReturned,
  ownAttempt,
  type Refund,
  type ReportedReturn,
  type ReportedSale,
  type SaleVerdict,
  withBegun,
  withDismissal,
  withEarly,
  withoutBegun,
  withoutCase,
  withPayment,
  withRefunds,
  withReview,
} from './booking';
import { CASE_TEXTS, endedBy, fateOfCase } from './case-reasons';
import { changeOrder, findOrder, isKnown, type OrderReading, pointEarly, readOrder } from './order-records';

/** What the merchant does, as `on` of `createOrders` says it. */
export interface OrderCallbacks {
  readonly paid: (payment: object, context: object) => unknown;
  readonly returned: ((returned: object, context: object) => unknown) | 'ignore';
  readonly foreign?: ((notification: object, context: object) => unknown) | 'ignore' | undefined;
}

/** How long a return waits for its sale before it counts as one of no order. */
const EARLY_MS = HOUR_MS;

/** The reasons that say nothing of the money: what was known of it, or has begun, stays. */
const UNDECIDED: ReadonlySet<string> = new Set(['not_confirmed', 'confirm_failed']);

const NOTHING = { before: async () => true, record: async () => undefined, followUps: () => [] };

/** Finds the order of a notification, decides what is to be done, and records that it was. */
export function orderLinkOf(
  client: TransactionSource,
  callbacks: OrderCallbacks,
  asPayment: ((body: Readonly<Record<string, unknown>>) => MeantPayment | undefined) | undefined,
  kinds: readonly AnyDefinition[],
): OrderLink {
  return {
    client,
    endedBy,
    texts: CASE_TEXTS,
    fateOf: fateOfCase,

    asPayment(body) {
      const meant = asPayment?.(body);
      return meant === undefined || meant === null ? undefined : saleOf(meant);
    },

    async find(records, notified, confirmation) {
      const { notification, cause } = notified;
      const reference = referenceOf(notification, kinds);
      const said = confirmation?.transaction;
      const referenceCode = reference.referenceCode ?? said?.referenceCode;
      const found = await findOrder(records, { ...reference, referenceCode });
      return { ...found, key: bookingOf(cause)?.order ?? knownOf(cause)?.order ?? found.key };
    },

    async about(records, notified) {
      const { key } = await this.find(records, notified, undefined);
      const { kind } = notified.notification;
      if (!ORDER_KINDS.has(kind)) {
        return { order: key, sale: referenceOf(notified.notification, kinds).uuid ?? undefined };
      }
      const isReturn = kind === 'refund' || kind === 'reversal';
      const { sale, amount, currency } = isReturn
        ? reportedReturn(notified)
        : reportedSale(notified, undefined);
      return { order: key, sale, amount, currency, isOwn: knownOf(notified.cause)?.isOwn };
    },

    plan(records, notified, found, confirmation) {
      switch (notified.notification.kind) {
        case 'payment':
          return planPayment(records, notified, found, confirmation);
        case 'saleStatus':
          return planSaleStatus(records, notified, found);
        default:
          return planReturned(records, notified, found);
      }
    },

    async note(records, { key, reason, details }, isRunning) {
      const { order: orderKey, sale, referenceCode, amount, isOwn } = details;
      const isEarly = reason === 'early_return' && sale !== undefined;
      if (orderKey === undefined && isEarly) await pointEarly(records, sale, key);
      if (orderKey === undefined || UNDECIDED.has(reason)) return;
      await changeOrder(records, orderKey, (order, now) => {
        const noted = isRunning ? order : withoutBegun(order, key);
        if (sale === undefined || isBooked(order, sale)) return noted;
        if (isEarly) return withEarly(noted, sale, key);
        const own = isOwn ? attemptOf(order, { sale, referenceCode }) : undefined;
        return withReview(noted, own, { id: key, reason, sale, amount, at: now });
      });
    },

    async end(records, { key, details }, isDismissed) {
      const { order: orderKey, sale, referenceCode } = details;
      if (orderKey === undefined) return;
      await changeOrder(records, orderKey, (order, now) =>
        isDismissed && sale !== undefined && !isBooked(order, sale)
          ? withDismissal(order, { id: key, sale, referenceCode }, now)
          : withoutCase(order, key),
      );
    },
  };

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
    const reported = reportedSale(notified, confirmation);
    const { sale, amount } = reported;
    const isConfirmed = confirmation !== undefined || knownOf(cause)?.isOwn === true;
    if (reading === undefined) return foreign(notified, { sale, amount, currency: reported.currency });
    const { key } = reading.order;
    const currency = reported.currency ?? currencyOf(reading.order);
    const { referenceCode } = reported;
    const details = { order: key, sale, referenceCode, amount, currency };
    const isOwn = isConfirmed && ownAttempt(reading.order, reported) !== undefined;

    let verdict = decideSale(reading.order, reported);
    if (verdict.do === 'book' && !isOwn && isUnproven(notified, confirmation)) {
      verdict = { do: 'case', reason: 'other_sale', isOwn: false };
    }
    if (booking !== undefined && verdict.do === 'case') verdict = booked(reading.order, reported);
    const isAgain = isRepeat && verdict.do === 'nothing';
    if (isAgain && isReturned({ ...reported, amount: confirmation?.transaction.amount ?? 0 })) {
      return { ...NOTHING, details, reason: 'returned_in_full' };
    }
    if (verdict.do === 'case') {
      return {
        ...NOTHING,
        details: { ...details, isOwn: isConfirmed && verdict.isOwn },
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
    if (amount === undefined) return { ...NOTHING, details: { ...details, isOwn }, reason: 'unclear_amount' };
    const payment = { ...reported, amount, currency, isAgain };
    // What was read before, unless it was written since.
    let latest: OrderReading | undefined = reading;
    let early: readonly string[] = [];
    return {
      details: { ...details, isOwn },
      run: (context) =>
        callbacks.paid({ order: key, sale, amount, currency, isFirst }, { ...context, notification }),
      async before() {
        let isSame = true;
        const begin = (order: Order, now: number) => {
          isSame = booking !== undefined || isSameVerdict(verdict, decideSale(order, reported));
          if (!isSame) return order;
          const begun = isFirst && booking === undefined ? withBegun(order, identity.key) : order;
          return withRefunds(begun, reported, now);
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
            const waiting = order.early?.filter((each) => each.sale === sale) ?? [];
            early = waiting.map((each) => each.key);
            return withPayment(withRefunds(order, reported, now), payment, attempt, now);
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
    const since = 'letter' in cause ? cause.letter.firstFailedAt : undefined;
    const reported = reportedReturn(notified);
    const { sale, amount } = reported;
    const reading = await readIfFound(records, found, booking);
    const decide = (order: Order, now: number) => decideReturn(order, reported, now, booking !== undefined);
    const verdict = reading && decide(reading.order, reading.now);
    const details = { order: reading?.order.key, sale, amount, currency: reported.currency };
    if (reading === undefined || verdict === undefined || verdict.do === 'wait') {
      const now = reading?.now ?? (await records.readRecord('maintain', '')).now;
      const isLate = since !== undefined && now - since > EARLY_MS;
      return isLate ? foreign(notified, details) : { ...NOTHING, details, reason: 'early_return' };
    }
    if (verdict.do === 'case') return { ...NOTHING, details, reason: verdict.reason };

    const { key } = reading.order;
    const { returned } = callbacks;
    let current = verdict;
    let isWritten = false;
    const write = async () => {
      if (isWritten) return true;
      let isSame = true;
      const change = (order: Order, now: number) => {
        const next = decide(order, now);
        isSame = next.do === 'record';
        if (next.do !== 'record') return order;
        current = next;
        return next.order;
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
              return returned({ order: key, sale, amount, currency, left }, { ...context, notification });
            }
          : undefined,
      // Before the callback also under a lease, so that of two partial refunds at once the later one sees both.
      before: write,
      record: async () => void (await write()),
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

function isBooked({ payments }: Order, sale: string | undefined): boolean {
  return payments.some((each) => each.sale === sale);
}

/** The attempt whose money it is: a journey without an immediate payment is paid by a transaction of its own. */
function attemptOf(order: Order, sale: Pick<ReportedSale, 'sale' | 'referenceCode'>): Attempt | undefined {
  const { referenceCode } = sale;
  return ownAttempt(order, sale) ?? order.attempts.find((each) => each.referenceCode === referenceCode);
}

/** Whether a payment came as an event whose reference the service does not state of its sale: it proves nothing. */
function isUnproven({ notification }: Notified, confirmation: PaymentConfirmation | undefined): boolean {
  const { recurrence, referenceCode } = notification.payload as SalePayload;
  return (
    recurrence !== undefined &&
    confirmation !== undefined &&
    confirmation.transaction.referenceCode !== referenceCode
  );
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
  const own = ownAttempt(order, reported);
  const isPaid = order.attempts.some(({ state }) => state === 'paid');
  return { do: 'book', isFirst: order.payments.length === 0, attempt: isPaid ? undefined : own };
}

/** The money of a sale, as the service says it where it was asked. */
function reportedSale(
  { notification, identity, cause }: Notified,
  confirmation: PaymentConfirmation | undefined,
): ReportedSale {
  const [known, booking] = [knownOf(cause), bookingOf(cause)];
  const isAgain = cause.origin === 'decision' && cause.isAgain;
  const payload = notification.payload as SalePayload;
  const said = confirmation?.transaction;
  // What the service says of a sale is its first payment.
  const first = isAgain ? undefined : said?.amount;
  const amount = booking?.amount ?? first ?? payload.amount ?? (isAgain ? undefined : known?.amount);
  const currency = said?.currency ?? payload.currency ?? known?.currency;
  return {
    id: identity.key,
    sale: payload.saleToken,
    referenceCode: payload.referenceCode ?? said?.referenceCode ?? undefined,
    amount: typeof amount === 'number' ? withoutNoise(amount) : undefined,
    currency,
    refunds: said && refundsIn(said),
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

/** The money that a refund or a reversal returns. */
function reportedReturn({ notification, cause }: Notified): ReportedReturn {
  const { id, sale, amounts, currency, status } =
    notification.kind === 'reversal'
      ? reversalOf(notification.payload as ReversalPayload)
      : refundOf(notification.payload as RefundPayload);
  const said = amounts.filter(isGiven);
  // The document does not say which of the names counts.
  const amount = bookingOf(cause)?.amount ?? (new Set(said).size === 1 ? said[0] : undefined);
  return { id, sale, amount, currency: currency ?? undefined, status };
}

function reversalOf({ uuid, sale, reversedAmount, currency, status }: ReversalPayload) {
  return {
    id: `reversal:${uuid}`,
    sale: sale?.uuid ?? undefined,
    amounts: [reversedAmount],
    currency,
    status,
  };
}

function refundOf({ saleToken, refund, reversedAmount, amountRefunded, currency, status }: RefundPayload) {
  const amounts = [refund.amount, reversedAmount, amountRefunded];
  return { id: `refund:${refund.uuid}`, sale: saleToken, amounts, currency, status };
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
