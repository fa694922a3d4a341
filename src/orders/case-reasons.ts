import { KEPT } from '../webhooks/keep';
import type { EndedBy } from '../webhooks/order-link';
import type { WebhookDone } from '../webhooks/report';
import type { CaseReason, OrdersCode, ReportText } from '../webhooks/report-texts';

// What each reason of a case means: what ends it, and what its report says.

const CASE_REASONS: Readonly<Record<CaseReason, EndedBy>> = {
  paid_twice: 'person',
  authorized_twice: 'order',
  other_amount: 'order',
  closed: 'order',
  other_sale: 'order-in-time',
  other_order: 'person',
  no_order: 'order',
  unclear_amount: 'person',
  returned_in_full: 'person',
  early_return: 'order-in-time',
  sale_status: 'person',
  needs_person: 'person',
};

/** What ends each case: those of the orders, and what any listener keeps. */
export const ENDED_BY: ReadonlyMap<string, EndedBy> = /* @__PURE__ */ new Map<string, EndedBy>([
  ...Object.entries(CASE_REASONS),
  ...KEPT,
]);

/** @returns nothing for a code whose notification is not kept: the next delivery is all that it needs */
export function endedBy(code: string): EndedBy | undefined {
  return ENDED_BY.get(code);
}

/** Whether it is tried again, and mostly ends, without a person. */
export function isRetried(code: string): boolean {
  return ['retry', 'order-in-time'].includes(endedBy(code) ?? '');
}

const PERSON = '`orders.decide` books or dismisses it.';

/** What a report says of each. */
export const CASE_TEXTS: Readonly<Record<OrdersCode, ReportText>> = {
  paid_twice: ['An order was paid again: another payment of it is booked, or is being booked.', PERSON],
  authorized_twice: [
    'The payer has approved two recurrences of an order: both would be charged.',
    'Have one of them cancelled: `orders.cancelRecurrence(key, { reason, idRec })`. The case ends once one is over, or by ' +
      "`orders.decide(id, 'dismiss')`; of a payment, `'book'` books it.",
  ],
  other_amount: [
    'A payment of an order, or an event of its recurrence, is not over the money that was asked for last.',
    PERSON,
  ],
  closed: [
    'A journey was paid, or its recurrence approved, that was closed before.',
    '`orders.decide` books or dismisses a payment, and dismisses an event. `orders.cancelRecurrence` ends the recurrence.',
  ],
  other_sale: [
    'A sale under the reference of an order is none of its journeys: somebody else may have made it, or it is a later ' +
      'charge that came before the first payment.',
    'The latter is booked by `orders.maintain` once it is expected. `orders.decide` books or dismisses the former.',
  ],
  other_order: [
    'A charge names an order by its event, and another one by its transaction or its recurrence.',
    "Find out whose it is. `orders.decide(id, 'book', { order })` books it for that order, `'dismiss'` ends the case.",
  ],
  no_order: [
    'Money came, or went back, that belongs to no order.',
    'Was `open` called with another store or `namespace`, or before a restart that a `MemoryStore` does not survive? If ' +
      'other systems share the account, take it in `on.foreign`. `orders.decide` books it for an order, or dismisses it.',
  ],
  unclear_amount: ['How much money came or went back is not clear.', PERSON],
  returned_in_full: ['A payment was refunded in full before it was booked.', PERSON],
  early_return: [
    'Money went back of a sale that is not booked.',
    '`returned` runs once it is booked. What leads to no order of yours counts as money of no order after an hour, or once ' +
      'the daily search for lost events has not found its sale.',
  ],
  sale_status: ['A sale has a status other than `PAID`.', PERSON],
  needs_person: [
    'The callback has called `needsPerson`: what it wrote in its transaction is undone.',
    PERSON,
  ],
  reconcile_ended: [
    'Not every order was asked about: the service asked for a longer pause than a query may take, it has failed too often ' +
      'in a row, the time of the run was over, or it was stopped.',
    'The next run goes on from there. If it answers 429, set `perSecond` below its rate limit.',
  ],
  recurrence_call_missing: [
    'The service does not have a call that its public pages show, so a charge whose transaction has not the reference of its ' +
      'journey is proven by that transaction alone, and nothing finds an event that was lost.',
    'Ask the service to give your account the calls about authorizations and scheduled payments.',
  ],
  maintain_failed: ['A part of `orders.maintain` failed: see `error`. The other parts were run.'],
  not_maintained: [
    'No `orders.maintain` has ended for 25 hours: payments whose notification was lost stay unbooked.',
    'Call `orders.start()` when your process starts, or `orders.maintain()` every hour by a scheduler.',
  ],
};

/** What became of a case, by where its notification came from. */
export function fateOfCase(code: string, origin: WebhookDone['origin']): string {
  if (origin === 'replay') return 'It was tried again, and stays a case.';
  if (origin === 'settle') return '`orders.maintain` tries it again.';
  return isRetried(code)
    ? 'It is kept as a case: `orders.maintain` tries it again.'
    : 'It is kept as a case: `orders.cases()` has it.';
}
