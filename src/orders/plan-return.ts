import { isIdentity } from '../service/checks';
import type { RefundPayload } from '../service/notifications/refund';
import type { ReversalPayload } from '../service/notifications/reversal';
import { isGiven } from '../shared/objects';
import { HOUR_MS } from '../shared/time';
import { oneSpelling } from '../shared/uuid';
import type { LetterRecord } from '../stores/dead-letters';
import { isLeased, type SubjectRecord } from '../stores/record';
import type { SingleRecords } from '../stores/steps';
import { withoutNoise } from '../values/amounts';
import { letterIdentity } from '../webhooks/cause';
import { identify } from '../webhooks/key';
import type { FoundKey, Notified, Plan } from '../webhooks/order-link';
import type { Order, Return, ReturnKind } from './attempt';
import { mayFindSince } from './lost-events';
import { minorUnitsOf } from './money';
import { caseOfSale, changeOrder } from './order-records';
import { asKnown, bookingOf, EMPTY_PLAN, foreignPlan, type OrderCallbacks, readIfFound } from './plan-parts';
import { asTold, decideReturn, isUntold, type ReportedReturn, toldOtherwise } from './returns';

// What is done about money that goes back.

/** Says what is to be done about a refund or a reversal, as its order is now. */
export async function planReturned(
  records: SingleRecords,
  notified: Notified,
  found: FoundKey,
  callbacks: OrderCallbacks,
): Promise<Plan> {
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
    return isForeign
      ? foreignPlan(notified, details, callbacks)
      : { ...EMPTY_PLAN, details, reason: 'early_return' };
  }
  if (verdict.do === 'case') return { ...EMPTY_PLAN, details, reason: verdict.reason };
  const told = toldOtherwise(reading.order, reported);
  const toldAs = told === undefined ? 'undone' : await stateOf(records, told);
  const isSame = told?.sale === sale && (amount === undefined || amount === told?.amount);
  // What has run for its other form runs for no second one, whoever decides.
  if (told !== undefined && toldAs !== 'undone' && (booking === undefined || isSame)) {
    if (toldAs === 'leased') return { ...EMPTY_PLAN, details, reason: 'busy' };
    return { ...EMPTY_PLAN, details, reason: isSame ? undefined : 'unclear_amount' };
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
      // A late `PENDING` tells nothing of what has gone back.
      wasUntold = next.isCredited && isUntold(order, id);
      return isRun && wasUntold ? asTold(next.order, id) : next.order;
    };
    await changeOrder(records, key, change, reading);
    isWritten = isSame;
    return isSame;
  };
  return {
    ...EMPTY_PLAN,
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

/** The order of a sale that is a case still: nothing else may lead from the sale to it. */
async function orderOfCase(records: SingleRecords, sale: string | undefined): Promise<string | undefined> {
  return sale === undefined ? undefined : (await caseOfSale(records, sale))?.about?.order;
}

/** How long a return waits for its sale before it counts as one of no order. */
const EARLY_MS = HOUR_MS;

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

/** The money that a refund or a reversal returns. */
export function reportedReturn({ notification, cause }: Notified): ReportedReturn {
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
