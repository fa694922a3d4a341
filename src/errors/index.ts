// What an entry for production is made of imports each error from its own file. The build's shared chunks follow this list
// to all of the errors, and a bundle of one entry would keep those of the others.

export type { CallName, OperationName } from '../service/operations';
export type { ValidationIssue } from '../shared/validation-issue';
export { InvalidRequestError } from './argument-errors';
export {
  AbortedError,
  ApiError,
  type CallError,
  ConnectionError,
  InvalidResponseError,
  isCallError,
  type ServiceError,
  TimeoutError,
} from './call-errors';
export { ConfigurationError } from './configuration-error';
export {
  type AuthorizationFailure,
  InvalidNotificationError,
  WebhookAuthenticationError,
} from './listener-errors';
export { type Outcome, PaymentsError, type PaymentsErrorCode } from './payments-error';
export { StoreError } from './store-error';
