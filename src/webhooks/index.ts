/**
 * What a merchant's listener uses. It loads nothing of the client.
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
export type { Credentials } from '../schemas/credentials';
export {
  type FailedPayout,
  type PayoutDetails,
  type PayoutErrorCode,
  type PayoutPayload,
  payoutPayloadSchema,
  type SuccessfulPayout,
} from '../schemas/notifications/payout';
export { type RefundDetails, type RefundPayload, refundPayloadSchema } from '../schemas/notifications/refund';
export {
  type ReversalPayload,
  type ReversedSale,
  reversalPayloadSchema,
} from '../schemas/notifications/reversal';
export { type SalePayload, type SaleShopper, salePayloadSchema } from '../schemas/notifications/sale';
export type { Schema } from '../schemas/schema';
export type { BankDetails, OpenEnum } from '../schemas/shared';
export { type AuthorizationCheck, checkAuthorization, verifyAuthorization } from './authorization';
export {
  type AnyDefinition,
  type DefinedNotification,
  defineNotification,
  type NotificationDefinition,
} from './define-notification';
export { createWebhookHandler, type WebhookHandler } from './handler/create-webhook-handler';
export { type NodeRequest, toNodeListener } from './handler/node-listener';
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
export type { Claim, ClaimResult, IdempotencyStore, Transact, TransactRequest } from './idempotency-store';
export { MemoryStore, type MemoryStoreOptions } from './memory-store';
export type {
  DocumentedNotification,
  Notification,
  PaymentNotification,
  PayoutNotification,
  ReceivedNotification,
  RefundNotification,
  ReversalNotification,
  SaleStatusNotification,
  UnrecognizedNotification,
} from './notification';
export type { ParkedNotification, ParkedQuery, ParkRequest } from './parked';
export {
  constructNotification,
  type NotificationInput,
  parseNotification,
  type SignedNotificationInput,
} from './parse-notification';
export { type PayoutFailure, payoutFailure } from './payout-failure';
export type { QueryInput, QuerySource } from './query';
