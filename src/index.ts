/**
 * For a merchant's backend, to call the service. Notifications have their own entry, `pix-automatic-sdk/webhooks`,
 * which loads none of this.
 *
 * @module pix-automatic-sdk
 */

export {
  type ConfirmOptions,
  confirmPayment,
  type PaymentConfirmation,
  type PaymentDifference,
  type TransactionSource,
} from './client/confirm-payment';
export type { BodyCallOptions, CallLimits, CallOptions, PaymentsClientOptions } from './client/options';
export { PaymentsClient } from './client/payments-client';
export { type Reconciled, type ReconcileOptions, reconcile } from './client/reconcile';
export type { Fetch, FetchInit, FetchResponse } from './client/transport/fetch';
export type { Observers, RequestEvent, ResponseEvent, RetryEvent } from './client/transport/observers';
export type { WaitOptions } from './client/wait-for-transaction';
export {
  AbortedError,
  ApiError,
  type AuthorizationFailure,
  type CallError,
  ConfigurationError,
  ConnectionError,
  InvalidNotificationError,
  InvalidRequestError,
  InvalidResponseError,
  isCallError,
  type OperationName,
  type Outcome,
  PaymentsError,
  type PaymentsErrorCode,
  StoreError,
  TimeoutError,
  type ValidationIssue,
  WebhookAuthenticationError,
} from './errors';
export {
  type ScheduledPaymentCancellation,
  type ScheduledPaymentCancellationRequest,
  scheduledPaymentCancellationRequestSchema,
  scheduledPaymentCancellationSchema,
} from './service/answers/cancellation';
export {
  type CheckoutInstructions,
  type CheckoutShopper,
  type CheckoutSteps,
  type QrCode,
  type RecurringCheckout,
  type RecurringCheckoutJourney,
  recurringCheckoutSchema,
} from './service/answers/checkout-response';
export {
  type CreditTransferDetails,
  type ShopperBankDetails,
  type Transaction,
  type TransactionRefund,
  type TransactionRefunds,
  type TransactionShopper,
  transactionSchema,
} from './service/answers/transaction';
export type { Credentials } from './service/credentials';
export {
  type CheckoutRequestShopper,
  type RecurrenceRequest,
  type RecurringCheckoutRequest,
  type RecurringCheckoutRequestBase,
  recurringCheckoutRequestSchema,
} from './service/requests/checkout-request';
export type { BankDetails, IdentityDocument, OpenEnum, Phone } from './service/schema/fields';
export type { Schema } from './service/schema/schema';
export { amountFromMinorUnits } from './values/amount-from-minor-units';
export { decodeQrCode, type QrCodeImage } from './values/decode-qr-code';
export { parseDateTime } from './values/parse-date-time';
export { VERSION } from './version';
