import {
  type Attempt,
  type AttemptState,
  type BookedPayment,
  type FoundCase,
  isAuthorized,
  isInReview,
  isOpen,
  isPaid,
  type Order,
  type ReturnedMoney,
} from './attempt';
import { seenReturn } from './open';
import { type FoundRecurrence, seenRecurrence } from './recurrences';

// An order as a merchant sees it.

/** An attempt to give an order its journey. */
export interface FoundAttempt {
  /** 1 for the order's first attempt. */
  readonly attempt: number;
  /** What became of it. */
  readonly state: AttemptState;
  /** What the service knows it by. */
  readonly referenceCode: string;
  /** The transaction's uuid, if it is known. */
  readonly uuid?: string | undefined;
  /** When it was begun, in milliseconds since 1970, by the database's clock. */
  readonly createdAt: number;
  /** When its QR code dies, if the request had a `maxAge`. */
  readonly expiresAt?: number | undefined;
}

/** What happened to an order. */
export interface FoundOrder {
  /** Your key of the order. */
  readonly key: string;
  /**
   * - `paid`: something was booked
   * - `review`: its own money has come, and is a case, or, without a transaction, is being booked now
   * - `authorized`: the payer has approved a recurrence that has not ended, and nothing is paid (the service's public pages; not
   *   in its document)
   * - `open`: it has a journey that can be paid, or is being given one
   * - `none`: none of these
   */
  readonly state: 'none' | 'open' | 'authorized' | 'review' | 'paid';
  /** Oldest first: the newest 50 at most. */
  readonly attempts: readonly FoundAttempt[];
  /** Oldest first: the newest 400 at most. */
  readonly payments: readonly BookedPayment[];
  /** Oldest first: the newest 400 at most. */
  readonly returns: readonly ReturnedMoney[];
  /**
   * The recurrences that the payer was asked to approve, in the order in which the service has told of them first: 20 at
   * most (the service's public pages; not in its document).
   */
  readonly recurrences: readonly FoundRecurrence[];
  /** The cases about money of its attempts: those for which it is in `review`. `cases({ order })` has all. */
  readonly cases: readonly FoundCase[];
  /** What a person has dismissed of it, oldest first: the newest 50 at most. */
  readonly dismissed: readonly FoundCase[];
}

/** What `close` has closed. */
export interface ClosedOrder {
  /** The journeys that it closed. */
  readonly attempts: readonly FoundAttempt[];
  /**
   * The recurrences that live all the same, so that the payer may be charged: end them with `cancelRecurrence`. Until their
   * end has come, `open` gives `authorized`.
   */
  readonly recurrences: readonly FoundRecurrence[];
}

/** An order as a merchant sees it. */
export function seenOrder(order: Order): FoundOrder {
  const { key, attempts, payments, returns, recurrences = [], dismissed = [] } = order;
  return {
    key,
    state: stateOf(order),
    attempts: attempts.map(seenAttempt),
    payments,
    returns: returns.map(seenReturn),
    recurrences: recurrences.map((each) => seenRecurrence(each, payments)),
    cases: attempts.flatMap(({ review = [] }) => review),
    dismissed,
  };
}

function stateOf(order: Order): FoundOrder['state'] {
  if (isPaid(order)) return 'paid';
  if (isInReview(order)) return 'review';
  if (isAuthorized(order)) return 'authorized';
  return order.attempts.some(isOpen) ? 'open' : 'none';
}

export function seenAttempt({
  attempt,
  state,
  referenceCode,
  uuid,
  startedAt,
  expiresAt,
}: Attempt): FoundAttempt {
  return { attempt, state, referenceCode, uuid, createdAt: startedAt, expiresAt };
}
