/**
 * For a merchant's backend, to call the service. Notifications have their own entry, `pix-automatic-sdk/webhooks`,
 * which loads none of this.
 *
 * @module pix-automatic-sdk
 */

// Withheld on purpose: the listener's errors, which only `./webhooks` throws, and types that no caller writes, such as
// what `fetch` gets and the parts that options are made of.

export type {
  CallOptions,
  Dispatcher,
  Fetch,
  PaymentsClientOptions,
  RequestEvent,
  ResponseEvent,
  RetryEvent,
} from './client/options';
export { PaymentsClient } from './client/payments-client';
export { type ReconcileOptions, type ReconcileResult, reconcile } from './client/reconcile';
export { InvalidRequestError } from './errors/argument-errors';
export {
  AbortedError,
  ApiError,
  type CallError,
  ConnectionError,
  InvalidResponseError,
  isCallError,
  type ServiceError,
  TimeoutError,
} from './errors/call-errors';
export { ConfigurationError } from './errors/configuration-error';
export { type Outcome, PaymentsError, type PaymentsErrorCode } from './errors/payments-error';
export type { Credentials } from './service/credentials';
export type { BankDetails, IdentityDocument, OpenEnum, Phone } from './service/fields';
export type { CallName } from './service/operations';
export {
  type ScheduledPaymentCancellation,
  type ScheduledPaymentCancellationRequest,
  scheduledPaymentCancellationRequestSchema,
  scheduledPaymentCancellationSchema,
} from './service/operations/cancel-scheduled-payment';
export {
  type CheckoutInstructions,
  type CheckoutRequestShopper,
  type CheckoutShopper,
  type CheckoutSteps,
  type QrCode,
  type RecurrenceRequest,
  type RecurringCheckout,
  type RecurringCheckoutJourney,
  type RecurringCheckoutRequest,
  recurringCheckoutRequestSchema,
  recurringCheckoutSchema,
} from './service/operations/create-recurring-checkout';
export {
  type CreditTransferDetails,
  type ShopperBankDetails,
  type Transaction,
  type TransactionRefund,
  type TransactionRefunds,
  type TransactionShopper,
  transactionSchema,
} from './service/operations/get-transaction';
export type { Schema } from './service/schema';
export type { ValidationIssue } from './shared/validation-issue';
export { amountFromMinorUnits, toMinorUnits } from './values/amounts';
export {
  confirmPayment,
  type PaymentConfirmation,
  type PaymentDifference,
  type TransactionSource,
} from './values/confirm-payment';
export { decodeQrCode, type QrCodeImage } from './values/decode-qr-code';
export { parseDateTime } from './values/parse-date-time';
export { VERSION } from './version';
