/**
 * Everything that a merchant's listener uses. It loads nothing of the client.
 *
 * @module pix-automatic-sdk/webhooks
 */

// Withheld on purpose: types that no caller writes, such as the parts of a node:http request that are used.

export { ConfigurationError } from '../errors/configuration-error';
export {
  type AuthorizationFailure,
  InvalidNotificationError,
  WebhookAuthenticationError,
} from '../errors/listener-errors';
export { type Outcome, PaymentsError, type PaymentsErrorCode } from '../errors/payments-error';
export { StoreError } from '../errors/store-error';
export type { Credentials } from '../service/credentials';
export type { DocumentedNotification } from '../service/notifications';
export type { ReceivedNotification } from '../service/notifications/notification';
export {
  type FailedPayout,
  type PayoutNotification,
  type PayoutPayload,
  payoutPayloadSchema,
  type SuccessfulPayout,
} from '../service/notifications/payout';
export {
  type RecurrenceEventType,
  type RecurrenceNotification,
  type RecurrencePayload,
  recurrencePayloadSchema,
} from '../service/notifications/recurrence';
export {
  type RefundDetails,
  type RefundNotification,
  type RefundPayload,
  refundPayloadSchema,
} from '../service/notifications/refund';
export {
  type ReversalNotification,
  type ReversalPayload,
  type ReversedSale,
  reversalPayloadSchema,
} from '../service/notifications/reversal';
export {
  type PaymentNotification,
  type SalePayload,
  type SaleShopper,
  type SaleStatusNotification,
  salePayloadSchema,
} from '../service/notifications/sale';
export type { ValidationIssue } from '../shared/validation-issue';
export type { DeadLetter } from '../stores/dead-letters';
export { MemoryStore } from '../stores/memory-store';
export { credentialsFromEnv } from '../values/credentials';
// The types of a handler: TypeScript must be able to name them in your own declarations.
export type { PlainResponse } from './answer';
export { checkAuthorization, verifyAuthorization } from './authorization';
export { createWebhookHandler, type WebhookHandler } from './handler';
export type { Notification, UnrecognizedNotification } from './kinds';
export {
  type DefinedNotification,
  defineNotification,
  type NotificationDefinition,
} from './kinds';
export { toLambda } from './lambda';
export type { NodeRequest, NodeResponse } from './node';
export type {
  WebhookCallback,
  WebhookCallbacks,
  WebhookContext,
  WebhookHandlerOptions,
} from './options';
export {
  constructNotification,
  parseNotification,
} from './parse';
export { type PayoutFailure, payoutFailure } from './payout-failure';
export type { DeadLetters, ReplayResult } from './replay';
export type { WebhookDone, WebhookReport } from './report';
export type { ReportSeverity, WebhookReportCode } from './report-texts';
