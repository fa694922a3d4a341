import type { AbortedError } from './aborted-error';
import type { ApiError } from './api-error';
import type { ConnectionError } from './connection-error';
import { FailedCall } from './failed-call';
import type { InvalidResponseError } from './invalid-response-error';
import type { TimeoutError } from './timeout-error';

/**
 * An error of a call to the service. It has `outcome`, `uuid`, `operation` and `attempts`, and `switch (error.code)`
 * narrows it to its class. Use {@link isCallError} to recognize one.
 */
export type CallError = ApiError | InvalidResponseError | ConnectionError | TimeoutError | AbortedError;

/**
 * Whether a value is the error of a call to the service, made by this copy of the package or by another one. Errors
 * about arguments (`InvalidRequestError`, `ConfigurationError`) are not: no call was made.
 *
 * @param error - anything that was caught
 */
export function isCallError(error: unknown): error is CallError {
  return error instanceof FailedCall;
}
