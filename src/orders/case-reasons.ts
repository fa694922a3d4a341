import type { EndedBy } from '../webhooks/order-link';
import type { WebhookDone } from '../webhooks/report';
import type { CaseReason, OrdersCode, ReportText, WebhookReportCode } from '../webhooks/report-texts';

// What each reason of a case means: what ends it, and what its report says.

const CASE_REASONS: Readonly<Record<CaseReason, EndedBy>> = {
  paid_twice: 'person',
  other_amount: 'order',
  closed: 'order',
  other_sale: 'order-in-time',
  no_order: 'order',
  unclear_amount: 'person',
  returned_in_full: 'person',
  early_return: 'order-in-time',
  sale_status: 'person',
  needs_person: 'person',
};

export const KEPT: Readonly<Partial<Record<WebhookReportCode, EndedBy>>> = {
  ...CASE_REASONS,
  unhandled: 'person',
  invalid_notification: 'person',
  callback_failed: 'retry',
  callback_timeout: 'retry',
  nothing_written: 'retry',
  transaction_ended: 'person',
  not_confirmed: 'retry',
  confirm_failed: 'retry',
  store_failed: 'retry',
  lease_lost: 'retry',
  unexpected_repeat: 'person',
  too_many_states: 'person',
};

const ENDED_BY: ReadonlyMap<string, EndedBy> = /* @__PURE__ */ new Map(Object.entries(KEPT));

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
  other_amount: ['A payment of an order is not over the money that was asked for last.', PERSON],
  closed: ['A journey was paid that was closed before.', PERSON],
  other_sale: [
    'A sale under the reference of an order is none of its journeys: somebody else may have made it, or it is a later ' +
      'charge that came before the first payment.',
    'The latter is booked by `orders.maintain` once it is expected. `orders.decide` books or dismisses the former.',
  ],
  no_order: [
    'Money came, or went back, that belongs to no order.',
    'Was `open` called with another store or `namespace`? If other systems share the account, take it in ' +
      '`on.foreign`. `orders.decide` books it for an order, or dismisses it.',
  ],
  unclear_amount: ['How much money came or went back is not clear.', PERSON],
  returned_in_full: ['A payment was refunded in full before it was booked.', PERSON],
  early_return: [
    'Money went back of a sale that is not booked.',
    '`returned` runs once it is booked; after an hour it counts as money of no order.',
  ],
  sale_status: ['A sale has a status other than `PAID`.', PERSON],
  needs_person: [
    'The callback has called `needsPerson`: what it wrote in its transaction is undone.',
    PERSON,
  ],
  reconcile_ended: [
    'Not every order was asked about: the service asked for a longer pause than a query may take, it has failed too often ' +
      'in a row, or the run was stopped.',
    'The next run goes on from there. If it answers 429, set `perSecond` below its rate limit.',
  ],
  maintain_failed: ['A part of `orders.maintain` failed: see `error`. The other parts were run.'],
};

/** What became of a case, by where its notification came from. */
export function fateOfCase(code: string, origin: WebhookDone['origin']): string {
  if (origin === 'replay') return 'It was tried again, and stays a case.';
  if (origin === 'settle') return '`orders.maintain` tries it again.';
  return isRetried(code)
    ? 'It is kept as a case: `orders.maintain` tries it again.'
    : 'It is kept as a case: `orders.cases()` has it.';
}
