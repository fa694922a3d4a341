import type { Outcome, PaymentsErrorCode } from 'pix-automatic-sdk';

/** How a call under a fault must end. */
export interface Expected {
  /** `'success'`, or the class and the `code` of the error. */
  readonly end: 'success' | readonly [className: string, code: PaymentsErrorCode];
  readonly outcome?: Outcome;
  readonly httpStatus?: number;
  /** How many attempts the client says that it made. */
  readonly attempts: number;
  /** How many whole requests reached the service. */
  readonly requests: number;
}

/** One expectation for each operation. */
export interface ExpectedOf {
  readonly createRecurringCheckout: Expected;
  readonly getTransaction: Expected;
  readonly cancelScheduledPayment: Expected;
}

/** The client's default number of attempts, when every attempt fails and may be retried. */
const ALL_ATTEMPTS = 3;

export function every(expected: Expected): ExpectedOf {
  return readAndWrite(expected, expected);
}

/** `read` is for the query, which may be retried; `write` for POST and PUT, which may not unless nothing was done. */
export function readAndWrite(read: Expected, write: Expected): ExpectedOf {
  return { createRecurringCheckout: write, getTransaction: read, cancelScheduledPayment: write };
}

/** The same, but only so many whole requests reach the server. */
export function reaching(requests: number, expected: ExpectedOf): ExpectedOf {
  return {
    createRecurringCheckout: { ...expected.createRecurringCheckout, requests },
    getTransaction: { ...expected.getTransaction, requests },
    cancelScheduledPayment: { ...expected.cancelScheduledPayment, requests },
  };
}

export function connectionFailed(outcome: Outcome, attempts: number, requests = attempts): Expected {
  return { end: ['ConnectionError', 'connection_failed'], outcome, attempts, requests };
}

function timedOut(attempts: number): Expected {
  return { end: ['TimeoutError', 'timeout'], outcome: 'unknown', attempts, requests: attempts };
}

export function apiError(httpStatus: number, outcome: Outcome, attempts = 1): Expected {
  return { end: ['ApiError', 'api_error'], httpStatus, outcome, attempts, requests: attempts };
}

export function success(requests = 1): Expected {
  return { end: 'success', attempts: requests, requests };
}

export const invalidResponse: Expected = {
  end: ['InvalidResponseError', 'invalid_response'],
  outcome: 'unknown',
  attempts: 1,
  requests: 1,
};

// The rules for retries and for `outcome`, by name.

/** The request may have arrived, and no whole response came back: it may have gone through. */
export const lost = readAndWrite(connectionFailed('unknown', ALL_ATTEMPTS), connectionFailed('unknown', 1));

/** The same when `timeoutMs` ends each attempt. */
export const stalled = readAndWrite(timedOut(ALL_ATTEMPTS), timedOut(1));

/** `totalTimeoutMs` ends the call in its first attempt. */
export const outOfTime = every(timedOut(1));

/**
 * The request certainly never reached the service, and may reach it next time. Only a query is retried: a dispatcher
 * below the platform's `fetch` may have sent the request before it was refused.
 */
export const neverSent = readAndWrite(
  connectionFailed('not-sent', ALL_ATTEMPTS, 0),
  connectionFailed('not-sent', 1, 0),
);

/** The request certainly never reached the service, and never will: an untrusted certificate, a forbidden port. */
export const hopeless = every(connectionFailed('not-sent', 1, 0));

/** A success that cannot be used. A retry would not make it readable, so not even a query is retried. */
export const unusable = every(invalidResponse);

export const survived = every(success());

/** 4xx except 408 and 499: the service did not act. */
export function refused(httpStatus: number): ExpectedOf {
  return every(apiError(httpStatus, 'refused'));
}

/** The service may have acted, and the status is not one on which a query is retried. */
export function undecided(httpStatus: number): ExpectedOf {
  return every(apiError(httpStatus, 'unknown'));
}

/** A temporary status: a query is retried; a POST or PUT is not, because the service may still be working on it. */
export function passing(httpStatus: number): ExpectedOf {
  return readAndWrite(apiError(httpStatus, 'unknown', ALL_ATTEMPTS), apiError(httpStatus, 'unknown'));
}
