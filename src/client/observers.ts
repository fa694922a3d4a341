import type { CallName, PaymentsErrorCode, ValidationIssue } from '../errors';

/**
 * Callbacks for logs, metrics and traces. They receive no credential, no body and no identifier (but the path of a
 * `client.request`). An observer that
 * throws or rejects changes nothing.
 */
export interface Observers {
  /** Called before each attempt. */
  readonly onRequest?: ((event: RequestEvent) => void) | undefined;
  /** Called at the end of each attempt, whether a response came or not. */
  readonly onResponse?: ((event: ResponseEvent) => void) | undefined;
  /** Called when a retry has been decided on, before the wait for it. */
  readonly onRetry?: ((event: RetryEvent) => void) | undefined;
}

/** An attempt is about to be made. */
export interface RequestEvent {
  /** The operation, by the name of the client's method; for `client.request`, the method and the path. */
  readonly operation: CallName;
  /** The HTTP method. */
  readonly method: string;
  /** The path with the names of its parameters, e.g. `/v1.1/transactions/{transactionUUID}`. For `client.request`, the path. */
  readonly urlTemplate: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
}

/** An attempt has ended. */
export interface ResponseEvent extends RequestEvent {
  /** The HTTP status; `undefined` when none came. */
  readonly status: number | undefined;
  /**
   * Fields of a successful response that did not have the documented type and are left out of the result: where, and
   * what was expected, never the values. Usually empty.
   */
  readonly issues: readonly ValidationIssue[];
  /** The service's own id of the request, from `x-request-id`, `request-id` or `x-correlation-id`, if one came. */
  readonly requestId: string | undefined;
  /** How long the attempt took, in milliseconds, including the body. */
  readonly durationMs: number;
  /** The `code` of the attempt's error; `undefined` when it succeeded. */
  readonly errorCode: PaymentsErrorCode | undefined;
}

/** Another attempt will be made after a failure. */
export interface RetryEvent extends RequestEvent {
  /** The HTTP status of the attempt that failed; `undefined` when no response came. */
  readonly status: number | undefined;
  /** How long the wait will be, in milliseconds. */
  readonly delayMs: number;
  /** The `code` of the error of the attempt that failed. */
  readonly errorCode: PaymentsErrorCode;
}

/** Calls an observer, and keeps its failures away from the call: a full disk under a log must not fail a payment. */
export async function notify<Event>(
  observer: ((event: Event) => unknown) | undefined,
  event: Event,
): Promise<void> {
  try {
    await observer?.(event);
  } catch {
    // An observer that throws or rejects changes nothing.
  }
}
