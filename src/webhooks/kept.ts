import type { CaseReason, WebhookReportCode } from './report-texts';

/**
 * What ends a notification that is kept, as a dead letter or as a case of `createOrders`:
 * - `retry`: trying it again
 * - `order`: its order, once that has changed; a person, if it does not change
 * - `order-in-time`: the same, and the change usually comes by itself
 * - `person`: a person alone
 */
export type EndedBy = 'retry' | 'order' | 'order-in-time' | 'person';

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

/** Whatever is kept, with or without orders. */
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

/** Whether its order is asked again: it runs only once what has kept it is gone. */
export function isDecidedByOrder(code: string): boolean {
  return ['order', 'order-in-time'].includes(endedBy(code) ?? '');
}
