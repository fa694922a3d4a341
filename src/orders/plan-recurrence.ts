import type { RecurrenceNotification, RecurrencePayload } from '../service/notifications/recurrence';
import type { SalePayload } from '../service/notifications/sale';
import type { SingleRecords } from '../stores/steps';
import type { FoundKey, Notified, Plan } from '../webhooks/order-link';
import type { Order } from './attempt';
import { changeOrder } from './order-records';
import { EMPTY_PLAN, type OrderCallbacks, readIfFound } from './plan-parts';
import {
  decideEvent,
  type EventVerdict,
  isEnd,
  type ReportedEvent,
  reportedEvent,
} from './recurrence-events';

// What is done about an event of a recurrence that moves no money.

/** The event that a notification is, or came as. */
export function eventOf({
  kind,
  payload,
}: Pick<Notified['notification'], 'kind' | 'payload'>): RecurrencePayload | undefined {
  if (kind === 'recurrence') return payload as RecurrencePayload;
  return kind === 'payment' ? (payload as SalePayload).recurrence : undefined;
}

/** Says what is to be done about an event, as its order is now. */
export async function planRecurrence(
  records: SingleRecords,
  { notification, identity }: Notified,
  found: FoundKey,
  { recurrence, foreign }: OrderCallbacks,
): Promise<Plan> {
  const { key, isOthers } = found;
  const payload = notification.payload as RecurrencePayload;
  const details = { order: key, sale: payload.saleToken ?? undefined, idRec: payload.idRec };
  const nothing = { ...EMPTY_PLAN, details };
  const reading = await readIfFound(records, found);
  if (reading === undefined) {
    // It is no money: nobody needs to look at it.
    return typeof foreign === 'function'
      ? { ...nothing, run: (context) => foreign(notification, context) }
      : nothing;
  }
  // It names one order, and an earlier event of its recurrence another one: it belongs to neither.
  if (isOthers) return nothing;

  const reported = reportedEvent(identity.key, payload);
  const order = reading.order.key;
  const verdict = decideEvent(reading.order, reported, reading.now);
  const decideAgain = (current: Order, now: number) => decideEvent(current, reported, now).order;
  if (verdict.do === 'case') {
    // What the payer has approved is known, whoever decides about it.
    await changeOrder(records, order, decideAgain, reading);
    return { ...nothing, reason: verdict.reason };
  }

  let current: EventVerdict = verdict;
  let isWritten = false;
  const write = async () => {
    if (isWritten) return true;
    const change = (latest: Order, now: number) => {
      current = decideEvent(latest, reported, now);
      return current.do === verdict.do ? current.order : latest;
    };
    await changeOrder(records, order, change, reading);
    isWritten = current.do === verdict.do;
    return isWritten;
  };
  return {
    ...nothing,
    run:
      verdict.do === 'run' && recurrence !== undefined
        ? (context) => recurrence(seenEvent(order, reported, payload, current), { ...context, notification })
        : undefined,
    // Before the callback also under a lease, so that of two approvals at once the later one sees the other. An end comes after
    // it: a process that dies between the two leaves nothing else to tell of an end whose event was lost.
    before: isEnd(reported) ? nothing.before : write,
    record: async () => void (await write()),
  };
}

/** What `on.recurrence` gets. */
function seenEvent(
  order: string,
  { idRec, event, charge }: ReportedEvent,
  { rejectionReason }: RecurrenceNotification['payload'],
  verdict: EventVerdict,
): object {
  const { status, nextChargeAt } = (verdict as Extract<EventVerdict, { do: 'run' }>).recurrence;
  const seen = { order, idRec, event, status, nextChargeAt };
  if (charge === undefined) return seen;
  const { sale, amount, dueDate, code, willRetry } = charge;
  const reason = rejectionReason ?? undefined;
  return { ...seen, charge: { sale, amount, dueDate, code, reason, willRetry } };
}
