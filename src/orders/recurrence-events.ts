import type { RecurrenceEventType, RecurrencePayload } from '../service/notifications/recurrence';
import { isSameId } from '../shared/uuid';
import { type Attempt, isBooked, isNewestMoney, moved, type Order, withAttempt } from './attempt';
import {
  APPROVED,
  clipped,
  hasEnded,
  isBefore,
  type KnownCharge,
  liveOf,
  namedAttempt,
  type Recurrence,
  recurrenceOf,
  withCharge,
  withRecurrence,
} from './recurrences';

// Every decision about an event of a recurrence that moves no money: pure functions over the record of its order. The
// service's public pages show these events, its document does not.

/** What has happened to a recurrence. */
export type RecurrenceEvent =
  | 'authorized'
  | 'rejected'
  | 'expired'
  | 'cancelled'
  | 'concluded'
  | 'charge_scheduled'
  | 'charge_failed';

/** `RECURRENCE_CHARGE_FAILED` is `charge_failed`. The `eventType` is one of the seven. */
function eventNamed(eventType: RecurrenceEventType): RecurrenceEvent {
  return eventType.slice('RECURRENCE_'.length).toLowerCase() as RecurrenceEvent;
}

/** The event by which a recurrence ends with a status. */
export function endEventOf(status: string): RecurrenceEventType {
  return `RECURRENCE_${status}` as RecurrenceEventType;
}

/** The status of a recurrence after an event, whatever the event's own field says: an end is named like its status. */
function statusAfter(event: RecurrenceEvent): string {
  const status = event.toUpperCase();
  return hasEnded({ status }) ? status : APPROVED;
}

/** An event of a recurrence, as far as an order decides by it. */
export interface ReportedEvent {
  /** The key of its notification. */
  readonly id: string;
  readonly idRec: string;
  readonly event: RecurrenceEvent;
  readonly referenceCode?: string | undefined;
  readonly nextChargeAt?: string | undefined;
  /** When the service made it. */
  readonly told?: string | undefined;
  /** Of an event of a charge. */
  readonly charge?: KnownCharge | undefined;
}

/** Why a recurrence that may be charged is not the order's. */
export type EventReason = 'authorized_twice' | 'closed' | 'other_amount';

/** What is to be done about an event. `order` remembers it. */
export type EventVerdict =
  | { readonly do: 'nothing'; readonly order: Order }
  | { readonly do: 'run'; readonly order: Order; readonly recurrence: Recurrence }
  | { readonly do: 'case'; readonly order: Order; readonly reason: EventReason };

/** What an order decides by. */
export function reportedEvent(id: string, payload: RecurrencePayload): ReportedEvent {
  const { eventType, idRec, externalId, nextRecurrenceDate, eventDate } = payload;
  const event = eventNamed(eventType);
  return {
    id,
    idRec,
    event,
    referenceCode: externalId ?? undefined,
    nextChargeAt: clipped(nextRecurrenceDate),
    told: clipped(eventDate),
    charge: event.startsWith('charge_') ? chargeOf(payload, event) : undefined,
  };
}

/** Whether an event ends its recurrence. */
export function isEnd({ event }: Pick<ReportedEvent, 'event'>): boolean {
  return hasEnded({ status: statusAfter(event) });
}

/** The charge of an event, without the bank's text. */
function chargeOf(payload: RecurrencePayload, event: RecurrenceEvent): KnownCharge {
  const { saleToken, chargeAmount, chargeDueDate, rejectionCode, retryScheduled, eventDate } = payload;
  return {
    sale: saleToken ?? undefined,
    amount: chargeAmount ?? undefined,
    dueDate: chargeDueDate?.slice(0, 10),
    status: event === 'charge_failed' ? 'FAILED' : 'SCHEDULED',
    code: clipped(rejectionCode),
    willRetry: retryScheduled ?? undefined,
    told: clipped(eventDate),
  };
}

/**
 * Decides what an event means for its order. The first row that fits counts.
 *
 * | the event | when | |
 * |---|---|---|
 * | rejected, expired, cancelled, concluded | another end of it has come, or it is the surplus one of two | nothing |
 * | the same | | run; an attempt that is `authorized` expires, and the QR code of one that is `created` is over |
 * | authorized | its end has come | nothing |
 * | authorized, scheduled, failed | another attempt is paid or authorized, or an earlier recurrence of the order lives | `authorized_twice`, once |
 * | the same | the attempt is closed | `closed`, once |
 * | the same | its money is not the newest request's | `other_amount`, once |
 * | scheduled, failed | a payment has overtaken it | nothing |
 * | the same, authorized | | run; an attempt that is not paid is `authorized` |
 */
export function decideEvent(order: Order, reported: ReportedEvent, now: number): EventVerdict {
  const { id, idRec, event, charge } = reported;
  const known = recurrenceOf(order, idRec);
  const named = namedAttempt(order, reported);
  const hadEnded = known !== undefined && hasEnded(known);

  if (isEnd(reported)) {
    // The same end again is one whose callback has failed: what is done is recognized before this.
    if (hadEnded && known.status !== statusAfter(event)) return { do: 'nothing', order };
    const next = remembering(order, reported, named);
    // Nobody was told of it, so nobody is told of its end.
    const isSurplus = known?.refused?.reason === 'authorized_twice' || isSecond(order, named, idRec);
    return isSurplus ? { do: 'nothing', order: next } : run(afterEnd(next, named, now), idRec);
  }
  if (event === 'authorized' && hadEnded) return { do: 'nothing', order };

  const next = remembering(order, reported, named);
  const reason = refusal(order, named, idRec);
  if (reason !== undefined) {
    const refused = known?.refused ?? { reason, id };
    // One case, whose event is decided again; nothing is charged any more by what has ended.
    if (hadEnded || refused.id !== id) return { do: 'nothing', order: next };
    const recurrence = { ...(recurrenceOf(next, idRec) as Recurrence), refused: { reason, id } };
    return { do: 'case', reason, order: withRecurrence(next, recurrence) };
  }
  if (charge !== undefined && isOvertaken(order, known, charge)) return { do: 'nothing', order: next };
  const isUnpaid = named !== undefined && UNPAID.has(named.state) && !hadEnded;
  return run(isUnpaid ? moved(next, named, 'authorized', now) : next, idRec);
}

/** The states of an attempt whose payer may still approve. */
const UNPAID: ReadonlySet<string> = new Set(['sending', 'created', 'expired', 'lost']);

function run(order: Order, idRec: string): EventVerdict {
  const { refused: _, ...recurrence } = recurrenceOf(order, idRec) as Recurrence;
  return { do: 'run', order: withRecurrence(order, recurrence), recurrence };
}

/** The order with what an event says of its recurrence. What has ended stays so. */
function remembering(order: Order, reported: ReportedEvent, named: Attempt | undefined): Order {
  const { idRec, event, told, charge } = reported;
  const known = recurrenceOf(order, idRec) ?? { idRec, attempt: named?.attempt, status: statusAfter(event) };
  const news = isBefore(told, known.told) ? undefined : reported;
  const status = hasEnded(known) ? known.status : statusAfter(event);
  const next: Recurrence = {
    ...known,
    status,
    nextChargeAt: hasEnded({ status }) ? undefined : (news?.nextChargeAt ?? known.nextChargeAt),
    told: news?.told ?? known.told,
  };
  const isPast = charge === undefined || isOvertaken(order, known, charge);
  return withRecurrence(order, isPast ? next : withCharge(next, charge));
}

/** A payer who scans again is still the order's: nothing is closed. */
function afterEnd(order: Order, named: Attempt | undefined, now: number): Order {
  // One of its recurrences still lives.
  if (named === undefined || liveOf(order).some(({ attempt }) => attempt === named.attempt)) return order;
  if (named.state === 'authorized') return moved(order, named, 'expired', now);
  if (named.state !== 'created') return order;
  // As if its `maxAge` were over: the next `open` asks the service first.
  const aliveUntil = Math.min(named.aliveUntil ?? now, now);
  return withAttempt(order, { ...named, aliveUntil, changedAt: now });
}

function refusal(order: Order, named: Attempt | undefined, idRec: string): EventReason | undefined {
  if (isSecond(order, named, idRec)) return 'authorized_twice';
  if (named === undefined || named.state === 'paid') return undefined;
  if (named.state === 'closed') return 'closed';
  return isNewestMoney(order, named) || named.state === 'authorized' ? undefined : 'other_amount';
}

/** Whether the payer would be charged by two. Of two, the one that was told of first is the order's. */
function isSecond(order: Order, named: Attempt | undefined, idRec: string): boolean {
  const live = liveOf(order);
  const place = live.findIndex((each) => isSameId(each.idRec, idRec));
  const isLater = place === -1 ? live.length > 0 : place > 0;
  return isLater || order.attempts.some((each) => each.attempt !== named?.attempt && isCharged(order, each));
}

/** Whether an attempt may be charged: it is authorized, or paid by a recurrence that is not known to be over. */
function isCharged({ recurrences = [] }: Order, { attempt, state }: Attempt): boolean {
  if (state !== 'paid') return state === 'authorized';
  const own = recurrences.filter((each) => each.attempt === attempt);
  return own.length === 0 || !own.every(hasEnded);
}

/** Whether a charge has been paid for since: nobody stops a subscription for a failure that was made up for. */
function isOvertaken(order: Order, known: Recurrence | undefined, charge: KnownCharge): boolean {
  if (isBooked(order, charge.sale)) return true;
  const { paid } = known ?? {};
  const isSameDay = paid?.dueDate !== undefined && paid.dueDate === charge.dueDate;
  return isSameDay || isBefore(charge.told, paid?.told);
}
