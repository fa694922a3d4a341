import type { WebhookReportCode } from './report-texts';

/** The failures of a listener that are kept. What is not kept needs no more than the next delivery. */
export const KEPT: ReadonlySet<WebhookReportCode> = /* @__PURE__ */ new Set<WebhookReportCode>([
  'unhandled',
  'invalid_notification',
  'callback_failed',
  'callback_timeout',
  'nothing_written',
  'transaction_ended',
  'not_confirmed',
  'confirm_failed',
  'store_failed',
  'lease_lost',
  'unexpected_repeat',
  'too_many_states',
]);
