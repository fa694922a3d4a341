import { isSameId } from '../shared/uuid';

// What an order remembers of the recurrences that its payer was asked to approve. The service's public pages show their
// events, its document does not.

/** What became of a charge, as the newest event of it says. */
export interface RecurrenceCharge {
  /** The uuid of its transaction. */
  readonly sale?: string | undefined;
  /** In the currency's main unit. */
  readonly amount?: number | undefined;
  /** The day it is due, `yyyy-MM-dd`. */
  readonly dueDate?: string | undefined;
  /** `SCHEDULED`, `PAID` or `FAILED`. */
  readonly status: string;
  /** Why it failed: a code of the central bank, such as `AM04`, for `explainPixCode`. */
  readonly code?: string | undefined;
  /** Of one that failed: whether the service tries again by itself. */
  readonly willRetry?: boolean | undefined;
}

/** A recurrence that the payer was asked to approve (the service's public pages; not in its document). */
export interface FoundRecurrence {
  /** Identifies it, for `orders.cancelRecurrence` and `getAuthorization`. */
  readonly idRec: string;
  /** The attempt whose journey it is; missing if that is not remembered. */
  readonly attempt?: number | undefined;
  /** `APPROVED`, or how it has ended: `REJECTED`, `EXPIRED`, `CANCELLED` or `CONCLUDED`. */
  readonly status: string;
  /** When it is charged next, as the service says it: `yyyy-MM-dd HH:mm:ss`, in São Paulo time. */
  readonly nextChargeAt?: string | undefined;
  /** Its latest charge. */
  readonly charge?: RecurrenceCharge | undefined;
}

/** A charge, as its order remembers it. */
export interface KnownCharge extends RecurrenceCharge {
  /** The `eventDate` of the event that told of it: dates of that form sort as text. */
  readonly told?: string | undefined;
}

/** A recurrence, as its order remembers it. It holds no personal data. */
export interface Recurrence extends FoundRecurrence {
  readonly charge?: KnownCharge | undefined;
  /** The charge that was paid last. */
  readonly paid?: Pick<KnownCharge, 'dueDate' | 'told'> | undefined;
  /** The newest `eventDate` of its events. */
  readonly told?: string | undefined;
  /** Why it is not the order's, and the event that is the case about it. */
  readonly refused?: { readonly reason: string; readonly id: string } | undefined;
}

/** What these functions need of an order. */
interface Remembering {
  readonly recurrences?: readonly Recurrence[] | undefined;
}

/** How a recurrence ends. */
const ENDS: ReadonlySet<string> = new Set(['REJECTED', 'EXPIRED', 'CANCELLED', 'CONCLUDED']);

/** Whether nothing more is charged by it. */
export function hasEnded({ status }: Pick<Recurrence, 'status'>): boolean {
  return ENDS.has(status);
}

/** Those that may still be charged, in the order in which they were told of first. */
export function liveOf({ recurrences = [] }: Remembering): readonly Recurrence[] {
  return recurrences.filter((each) => !hasEnded(each));
}

export function recurrenceOf({ recurrences = [] }: Remembering, idRec: string | undefined) {
  return recurrences.find((each) => isSameId(each.idRec, idRec));
}

/** The attempt that an event names: by the reference of its journey, else by what is known of its recurrence. */
export function namedAttempt<Each extends { readonly attempt: number; readonly referenceCode: string }>(
  order: Remembering & { readonly attempts: readonly Each[] },
  by: { readonly referenceCode?: string | undefined; readonly idRec?: string | undefined },
): Each | undefined {
  const known = recurrenceOf(order, by.idRec);
  return (
    order.attempts.find(({ referenceCode }) => referenceCode === by.referenceCode) ??
    order.attempts.find(({ attempt }) => attempt === known?.attempt)
  );
}

/** How many recurrences an order remembers. */
const MAX_RECURRENCES = 20;

/** The order with a recurrence added or replaced, in its place. */
export function withRecurrence<Given extends Remembering>(order: Given, recurrence: Recurrence): Given {
  const { recurrences = [] } = order;
  const isKnown = recurrences.some(({ idRec }) => idRec === recurrence.idRec);
  const all = isKnown
    ? recurrences.map((each) => (each.idRec === recurrence.idRec ? recurrence : each))
    : [...recurrences, recurrence];
  return { ...order, recurrences: bounded(all) };
}

/** Never without the oldest one that lives: whoever tells of more cannot push it out. */
function bounded(all: readonly Recurrence[]): readonly Recurrence[] {
  if (all.length <= MAX_RECURRENCES) return all;
  const oldestLive = all.find((each) => !hasEnded(each));
  const pushedOut = all.find(hasEnded) ?? all.find((each) => each !== oldestLive);
  return all.filter((each) => each !== pushedOut);
}

/** What is known of a recurrence, with a newer charge; an older one changes nothing. */
export function withCharge(known: Recurrence, charge: KnownCharge): Recurrence {
  const next = isOlder(charge, known.charge) ? known : { ...known, charge };
  if (charge.status !== PAID || isOlder(charge, known.paid)) return next;
  return { ...next, paid: { dueDate: charge.dueDate, told: charge.told } };
}

const PAID = 'PAID';

/** Whether a charge was told of before another one; one that was listed, and told of by no event, is as old as it is due. */
function isOlder(
  one: Pick<KnownCharge, 'told' | 'dueDate'>,
  other: Pick<KnownCharge, 'told' | 'dueDate'> | undefined,
): boolean {
  const areTold = one.told !== undefined && other?.told !== undefined;
  return areTold ? isBefore(one.told, other.told) : isBefore(one.dueDate, other?.dueDate);
}

/** Whether a date is before another one; not if either is unknown. */
export function isBefore(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && one < other;
}

/** The status of a recurrence that may be charged. */
export const APPROVED = 'APPROVED';

/** A charge of a recurrence that was paid. */
export interface PaidCharge {
  readonly sale: string;
  readonly amount?: number | undefined;
  readonly idRec?: string | undefined;
  readonly dueDate?: string | undefined;
  readonly told?: string | undefined;
}

/**
 * The order once a charge is paid. The ordinary form of a charge names no recurrence: it is that of its attempt, if it has
 * one alone.
 */
export function withPaidCharge<Given extends Remembering>(
  order: Given,
  { idRec, ...charge }: PaidCharge,
  attempt: number | undefined,
): Given {
  const ofAttempt = liveOf(order).filter((each) => each.attempt === attempt);
  const only = ofAttempt.length === 1 ? ofAttempt[0] : undefined;
  const isNew = idRec === undefined ? undefined : { idRec, attempt, status: APPROVED };
  const known = (idRec === undefined ? only : recurrenceOf(order, idRec)) ?? isNew;
  return known === undefined ? order : withRecurrence(order, withCharge(known, { ...charge, status: PAID }));
}

/** A recurrence as a merchant sees it: its charge may have been booked by the ordinary form of its payment. */
export function seenRecurrence(
  { idRec, attempt, status, nextChargeAt, charge }: Recurrence,
  payments: readonly { readonly sale: string }[],
): FoundRecurrence {
  if (charge === undefined) return { idRec, attempt, status, nextChargeAt };
  const { told: _, ...seen } = charge;
  const isBooked = payments.some(({ sale }) => isSameId(sale, charge.sale));
  return { idRec, attempt, status, nextChargeAt, charge: isBooked ? { ...seen, status: PAID } : seen };
}

/** What a record keeps of a text that nobody has checked. */
export function clipped(text: string | null | undefined): string | undefined {
  return text?.slice(0, 32);
}
