import {
  type Attempt,
  attemptWith,
  moved,
  type Order,
  type OwnCase,
  ownAttempt,
  withAttempt,
} from './attempt';

// What an order remembers beside its money: what has begun, what waits for its sale, what a person is to decide, and what one
// has dismissed.

/** The order before its first `paid` runs without a transaction: until it ends, no other payment is the first. */
export function withBegun(
  order: Order,
  { id: key, sale }: { readonly id: string; readonly sale: string },
  now: number,
): Order {
  return order.begun?.key === key ? order : { ...order, begun: { key, sale, at: now } };
}

/** The order without what has begun for a notification; the same order if nothing has. */
export function withoutBegun(order: Order, key: string): Order {
  const { begun, ...others } = order;
  return begun?.key === key ? others : order;
}

/** How many returns wait for their sale. */
export const MAX_EARLY = 20;

/** The order with a return whose sale is not booked yet. */
export function withEarly(order: Order, sale: string, key: string): Order {
  const { early = [] } = order;
  if (early.some((each) => each.key === key && each.sale === sale)) return order;
  // It may have named another sale before.
  const others = early.filter((each) => each.key !== key);
  return { ...order, early: [...others, { sale, key }].slice(-MAX_EARLY) };
}

/**
 * The order with a case about the own money of an attempt, which remembers it. If it is no attempt's now, what is remembered
 * of it stays: only booking or dismissing it ends the review. A later charge is no attempt's: its letter alone has its case.
 */
export function withReview(order: Order, own: Attempt | undefined, entry: OwnCase): Order {
  if (own === undefined) return order;
  const known = own.review?.find(({ id }) => id === entry.id);
  if (known?.reason === entry.reason) return order;
  const without = withoutReview(order, entry.id);
  const attempt = without.attempts.find((each) => each.attempt === own.attempt);
  if (attempt === undefined) return without;
  const review = [...(attempt.review ?? []), { ...entry, at: known?.at ?? entry.at }];
  return withAttempt(without, { ...attempt, review });
}

function withoutReview(order: Order, id: string): Order {
  const isIt = (each: OwnCase) => each.id === id;
  if (!order.attempts.some(({ review }) => review?.some(isIt))) return order;
  const attempts = order.attempts.map(({ review = [], ...attempt }): Attempt => {
    const left = review.filter((each) => !isIt(each));
    return left.length === 0 ? attempt : { ...attempt, review: left };
  });
  return { ...order, attempts };
}

/** The order once a notification is done: without its case, and without what has begun for it; the same if it has neither. */
export function withoutCase(order: Order, key: string): Order {
  return withoutReview(withoutBegun(order, key), key);
}

/** The attempt of this sale is not asked about any more. */
export function answered(order: Order, sale: string): Order {
  const attempt = attemptWith(order, sale);
  return attempt === undefined || attempt.isAnswered
    ? order
    : withAttempt(order, { ...attempt, isAnswered: true });
}

/** The order once the service has said that it does not know the transaction of an attempt. */
export function withUnknown(order: Order, sale: string, now: number): Order {
  const attempt = attemptWith(order, sale);
  return attempt === undefined ? order : withAttempt(order, { ...attempt, unknownAt: now });
}

/** How many dismissals an order remembers. */
export const MAX_DISMISSED = 50;

/** A case that a person has dismissed. */
export interface DismissedCase {
  /** The key of its notification. */
  readonly id: string;
  readonly reason: string;
  readonly sale?: string | undefined;
  readonly referenceCode?: string | undefined;
  readonly amount?: number | undefined;
  /** Whether it is a charge: its reference names an attempt that is not its own. */
  readonly isRouted?: boolean | undefined;
  /** Whether its own attempt is not wanted any more. */
  readonly closes: boolean;
}

/** The order after a person has dismissed a case, which it remembers; its own attempt is closed, and not asked about. */
export function withDismissal(order: Order, dismissal: DismissedCase, now: number): Order {
  const { id, reason, sale, amount, closes, referenceCode, isRouted } = dismissal;
  const others = order.dismissed?.filter((each) => each.id !== id) ?? [];
  const dismissed = [...others, { id, reason, sale, amount, at: now }].slice(-MAX_DISMISSED);
  const without = { ...withoutCase(order, id), dismissed };
  const own =
    closes && sale !== undefined ? ownAttempt(without, { sale, referenceCode, isRouted }) : undefined;
  if (own === undefined || own.state === 'paid') return without;
  return moved(without, { ...own, uuid: own.uuid ?? sale, isAnswered: true }, 'closed', now);
}
