import type { SingleRecords } from '../stores/steps';
import { NOTHING_TO_WRITE } from '../webhooks/call';
import type { Booking, Cause } from '../webhooks/cause';
import type { CaseDetails, FoundKey, Notified, Plan } from '../webhooks/order-link';
import type { Order } from './attempt';
import { knownSpelling } from './booking';
import { isKnown, type OrderReading, readOrder } from './order-records';

// What the plans of all kinds of notifications have in common.

/** What the merchant does, as `on` of `createOrders` says it. */
export interface OrderCallbacks {
  readonly paid: (payment: object, context: object) => unknown;
  readonly returned: ((returned: object, context: object) => unknown) | 'ignore';
  readonly foreign?: ((notification: object, context: object) => unknown) | 'ignore' | undefined;
  readonly recurrence?: ((event: object, context: object) => unknown) | undefined;
}

/** A plan by which nothing runs, and nothing is recorded. */
export const EMPTY_PLAN = { before: async () => true, record: async () => undefined, followUps: () => [] };

/** What is to be done about what belongs to no order. */
export function foreignPlan(
  { notification }: Notified,
  details: CaseDetails,
  { foreign: callback }: OrderCallbacks,
): Plan {
  if (callback === undefined) return { ...EMPTY_PLAN, details, reason: 'no_order' };
  if (callback === 'ignore') return { ...EMPTY_PLAN, details };
  const run = async (context: object) => {
    await callback(notification, context);
    // Money of no order need not be written down.
    return NOTHING_TO_WRITE;
  };
  return { ...EMPTY_PLAN, details, run };
}

/** What a person has decided about it. */
export function bookingOf(cause: Cause): Booking | undefined {
  return cause.origin === 'decision' ? cause.booking : undefined;
}

/** What its case, or the service, has said before of its money, where nobody is asked. */
export function knownOf(cause: Cause): CaseDetails | undefined {
  return 'letter' in cause ? cause.letter.about : undefined;
}

/** Reads the order that was found, if there is anything in it. */
export async function readIfFound(
  records: SingleRecords,
  { key }: FoundKey,
  booking?: Booking | undefined,
): Promise<OrderReading | undefined> {
  if (key === undefined) return undefined;
  const reading = await readOrder(records, key);
  // A person may name any order.
  return isKnown(reading.order) || booking?.order !== undefined ? reading : undefined;
}

/** With its sale as the order spells it: every comparison, and your callbacks, meet one spelling. */
export function asKnown<Reported extends { readonly sale?: string | undefined }>(
  order: Order | undefined,
  reported: Reported,
): Reported {
  const { sale } = reported;
  if (order === undefined || sale === undefined) return reported;
  return { ...reported, sale: knownSpelling(order, sale) };
}
