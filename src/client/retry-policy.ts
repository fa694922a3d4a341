import { ApiError, ConnectionError, type Outcome, type PaymentsError, TimeoutError } from '../errors';
import { isPermanent } from './connection-failure';
import type { Operation } from './operations';

/** How one attempt ended. Its error speaks for the whole call; what may be done next hangs on this attempt alone. */
export interface FailedAttempt {
  readonly error: PaymentsError;
  /** What is known of this attempt. */
  readonly outcome: Outcome;
}

/** Whether another attempt can help, and can do no harm. */
export function mayRetry(operation: Operation, { error, outcome }: FailedAttempt): boolean {
  if (!isTransient(error)) return false;
  if (operation.method === 'GET') return true;
  // A second recurrence, or a misreported cancellation, costs money: only what certainly did not reach the service is
  // sent again, and 429, which by convention means that the request was turned away unprocessed.
  if (error instanceof ConnectionError) return outcome === 'not-sent';
  return error instanceof ApiError && error.httpStatus === 429;
}

/** A failure that may pass by itself. */
export function isTransient(error: unknown): boolean {
  if (error instanceof ApiError) return TRANSIENT_STATUSES.has(error.httpStatus);
  if (error instanceof ConnectionError) return error.reason === undefined || !isPermanent(error.reason);
  return error instanceof TimeoutError;
}

const TRANSIENT_STATUSES = new Set([408, 429, 500, 502, 503, 504]);

/**
 * How long to wait before the next attempt, in milliseconds: what the service asked for, or else exponential back-off
 * with full jitter (anything between 0 and the bound, so that clients that failed together do not return together).
 */
export function retryDelayMs(error: PaymentsError, attempts: number): number {
  if (error instanceof ApiError && error.retryAfterMs !== undefined) return error.retryAfterMs;
  return Math.random() * Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (attempts - 1));
}

const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 8_000;

/** Reads `Retry-After`, which is a number of seconds or a date (RFC 9110, section 10.2.3), as milliseconds from now. */
export function parseRetryAfter(value: string | null): number | undefined {
  if (value === null) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  // `Date.parse` takes much that is no HTTP date ("-1", "next 5"), so the form is checked first.
  const date = /^[A-Z][a-z]{2,8}, .+ GMT$/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
