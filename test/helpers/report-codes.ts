import type { WebhookReportCode } from 'pix-automatic-sdk/webhooks';

/** Every code of a report. It does not compile when one is missing. */
export const reportCodes = Object.keys({
  method_not_allowed: true,
  unauthorized: true,
  body_too_large: true,
  body_timeout: true,
  body_interrupted: true,
  body_already_read: true,
  invalid_body: true,
  invalid_notification: true,
  unhandled: true,
  unexpected_repeat: true,
  field_left_out: true,
  busy: true,
  callback_failed: true,
  callback_timeout: true,
  not_confirmed: true,
  confirm_failed: true,
  store_failed: true,
  lease_lost: true,
  dead_letters_failed: true,
  draining: true,
  order_review: true,
  reconcile_ended: true,
  maintain_failed: true,
  internal: true,
} satisfies Record<WebhookReportCode, true>) as WebhookReportCode[];
