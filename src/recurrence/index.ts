/**
 * Calls about recurrences that the service's public pages show and its document does not. Ask the service whether your account
 * has them.
 *
 * @module pix-automatic-sdk/recurrence
 */

export {
  type AuthorizationCancellation,
  type AuthorizationResponse,
  type AuthorizationStatus,
  cancelAuthorization,
  getAuthorization,
  type RecurrenceAuthorization,
} from './authorizations';
export {
  type CallSource,
  listScheduledPayments,
  type ScheduledPayment,
  type ScheduledPaymentStatus,
  type ScheduledPaymentsQuery,
  type ScheduledSale,
} from './scheduled-payments';
