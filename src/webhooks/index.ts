/**
 * Everything that a merchant's listener uses. It loads nothing of the client.
 *
 * @module pix-automatic-sdk/webhooks
 */

export {
  type AuthorizationFailure,
  ConfigurationError,
  InvalidNotificationError,
  type Outcome,
  PaymentsError,
  type PaymentsErrorCode,
  StoreError,
  type ValidationIssue,
  WebhookAuthenticationError,
} from '../errors';
export type { Credentials } from '../service/credentials';
export type { DocumentedNotification } from '../service/kinds';
export type { ReceivedNotification } from '../service/kinds/kind';
export {
  type FailedPayout,
  type PayoutDetails,
  type PayoutErrorCode,
  type PayoutNotification,
  type PayoutPayload,
  payoutPayloadSchema,
  type SuccessfulPayout,
} from '../service/kinds/payout';
export {
  type RefundDetails,
  type RefundNotification,
  type RefundPayload,
  refundPayloadSchema,
} from '../service/kinds/refund';
export {
  type ReversalNotification,
  type ReversalPayload,
  type ReversedSale,
  reversalPayloadSchema,
} from '../service/kinds/reversal';
export {
  type PaymentNotification,
  type SalePayload,
  type SaleShopper,
  type SaleStatusNotification,
  salePayloadSchema,
} from '../service/kinds/sale';
export type { BankDetails, OpenEnum } from '../service/schema/fields';
export type { Schema } from '../service/schema/schema';
export type {
  Claim,
  ClaimResult,
  IdempotencyStore,
  Transact,
  TransactRequest,
} from '../stores/idempotency-store';
export { MemoryStore, type MemoryStoreOptions } from '../stores/memory-store';
export type { ParkedNotification, ParkedQuery, ParkRequest } from '../stores/parked';
export { credentialsFromEnv } from '../values/credentials';
export { type NodeRequest, toNodeListener } from './adapters/node-listener';
export { type AuthorizationCheck, checkAuthorization, verifyAuthorization } from './authorization';
export { createWebhookHandler, type WebhookHandler } from './handler/create-webhook-handler';
export type { NodeResponse } from './handler/node-response';
export type {
  WebhookCallback,
  WebhookCallbacks,
  WebhookContext,
  WebhookHandlerOptions,
} from './handler/options';
export type { ReplayResult, ReplaySelection } from './handler/parking';
export type { WebhookReport, WebhookReportCode } from './handler/report';
export type { PlainRequest, PlainResponse, RequestHead } from './handler/request';
export {
  type AnyDefinition,
  type DefinedNotification,
  defineNotification,
  type NotificationDefinition,
} from './notification/define-notification';
export type { Notification, UnrecognizedNotification } from './notification/notification';
export {
  constructNotification,
  type NotificationInput,
  parseNotification,
  type SignedNotificationInput,
} from './notification/parse-notification';
export { type PayoutFailure, payoutFailure } from './notification/payout-failure';
export type { QueryInput, QuerySource } from './notification/query';
