import { ApiError, type CallError, ConnectionError, TimeoutError } from '../errors/call-errors';
import { isPermanent } from './connection-failure';

/**
 * How long to wait before the next attempt, in milliseconds: what the service asked for, or else exponential back-off
 * with full jitter (anything between 0 and the bound, so that clients that failed together do not retry together).
 *
 * A POST or PUT is retried on 429 alone, which by convention means that it was rejected unprocessed, and only over the
 * platform's `fetch`: another one may have sent it before, and the 429 may tell of its second try. A 429 that names the
 * journey was not sent for a rejected call, so its outcome is `unknown`. A second recurrence or a misreported
 * cancellation costs money.
 *
 * @param isPlatforms - whether the attempt was made by the platform's own `fetch`
 * @returns `undefined` if another attempt cannot help, or could do harm
 */
export function retryDelayMs(method: string, error: CallError, isPlatforms: boolean): number | undefined {
  const isTooMany = error instanceof ApiError && error.httpStatus === 429 && error.outcome === 'refused';
  const mayRetry = method === 'GET' ? isTransient(error) : isTooMany && isPlatforms;
  if (!mayRetry) return undefined;
  if (error instanceof ApiError && error.retryAfterMs !== undefined) return error.retryAfterMs;
  return Math.random() * Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (error.attempts - 1));
}

const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 8_000;

/**
 * Whether a status may mean that the credentials are not valid. The document shows no such response (section 7.2): 401 is
 * the usual one, and some services answer 403, which may also be about one transaction alone.
 */
export function refusesPair(httpStatus: number | undefined): boolean {
  return httpStatus === 401 || httpStatus === 403;
}

/** A failure that may pass by itself. */
export function isTransient(error: unknown): boolean {
  if (error instanceof ApiError) return TRANSIENT_STATUSES.has(error.httpStatus);
  if (error instanceof ConnectionError) return error.reason === undefined || !isPermanent(error.reason);
  return error instanceof TimeoutError;
}

const TRANSIENT_STATUSES = new Set([408, 429, 500, 502, 503, 504]);

/**
 * Reads `Retry-After`, a number of seconds or a date (RFC 9110, sections 5.6.7 and 10.2.3), as milliseconds from now.
 * `Headers` joins two header lines with a comma: the longer wait counts.
 */
export function parseRetryAfter(value: string | null): number | undefined {
  // Do not split at the comma of a date, which two digits of the day follow: `Sun, 06 Nov 1994`, `Sunday, 06-Nov-94`.
  const waits = (value ?? '').split(/,(?!\s*\d\d[ -][A-Z])/).flatMap((one) => readWait(one.trim()) ?? []);
  // Finite, also where the number has 400 digits.
  return waits.length === 0 ? undefined : Math.min(Math.max(...waits), Number.MAX_SAFE_INTEGER);
}

function readWait(value: string): number | undefined {
  if (/^\d+(?:\.\d+)?$/.test(value)) return Number(value) * 1000;
  // `Date.parse` accepts much that is not an HTTP date ("-1", "next 5"), so the form is checked first. The form of C's
  // `asctime` names no zone, and means UTC.
  const isAsctime = /^[A-Z][a-z]{2} [A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d \d{4}$/.test(value);
  if (!isAsctime && !/^[A-Z][a-z]{2,8}, .+ GMT$/.test(value)) return undefined;
  const date = Date.parse(isAsctime ? `${value} GMT` : value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
