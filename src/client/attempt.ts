import { AbortedError, ConnectionError, type Outcome, type PaymentsError, TimeoutError } from '../errors';
import { advice } from '../errors/call-error';
import type { Call } from './call';
import { describeConnectionFailure } from './connection-failure';
import type { Fetch, FetchInit, FetchResponse } from './fetch';
import { type Answer, outcomeOfStatus } from './interpret';
import { onAbort } from './on-abort';
import { readBody, TOO_LARGE } from './read-body';

/** Why an attempt was ended from this side. */
const ATTEMPT_TIMED_OUT = Symbol('timeoutMs');
const CALL_TIMED_OUT = Symbol('totalTimeoutMs');
const ABORTED = Symbol('aborted');

/**
 * Sends one request and reads its answer to the end, within the attempt's and the call's time: also where the service
 * stalls in the middle of the body.
 */
export async function exchange(
  call: Call,
  fetch: Fetch,
  url: string,
  init: Omit<FetchInit, 'redirect' | 'signal'>,
  maxResponseBytes: number,
): Promise<Answer> {
  // It may have fired in the wait before this attempt, or in an observer. A signal that has fired calls no listener.
  if (call.signal?.aborted) throw abortedError(call);
  const controller = new AbortController();
  const limit = startLimit(call);
  let outcome: Outcome = 'unknown';
  let whole = false;
  try {
    const pending = fetch(url, { ...init, redirect: 'manual', signal: controller.signal });
    // Of an implementation that does not heed the signal, a late answer or failure is nobody's any more.
    pending.then(discardIfLate(() => limit.over)).catch(() => undefined);
    const response = await Promise.race([pending, limit.interrupted]);
    outcome = outcomeOfStatus(response.status);
    const { text, failure } = await readBody(response, maxResponseBytes, limit.interrupted);
    whole = failure === undefined;
    const tooLarge = failure === TOO_LARGE;
    // An error's status says all that matters; a body that breaks off must not hide it. The caller's own signal does.
    const usable = whole || tooLarge || (!isSuccess(response.status) && failure !== ABORTED);
    if (!usable) throw failure;
    return { httpStatus: response.status, header: (name) => response.headers.get(name), text, tooLarge };
  } catch (thrown) {
    throw toError(thrown, outcome, call);
  } finally {
    limit.end();
    if (!whole) controller.abort();
  }
}

interface Limit {
  /** Rejects when the time is over or the caller's signal fires; never resolves. */
  readonly interrupted: Promise<never>;
  readonly over: boolean;
  end(): void;
}

/** One timer for the attempt's and the call's limit, whichever ends first, beside the caller's signal. */
function startLimit({ limits, remainingMs, signal }: Call): Limit {
  let interrupt: (reason: symbol) => void = () => undefined;
  let over = false;
  const interrupted = new Promise<never>((_, reject) => {
    interrupt = (reason) => {
      over = true;
      reject(reason);
    };
  });
  interrupted.catch(() => undefined);
  const timer =
    remainingMs < limits.timeoutMs
      ? setTimeout(interrupt, Math.max(0, remainingMs), CALL_TIMED_OUT)
      : setTimeout(interrupt, limits.timeoutMs, ATTEMPT_TIMED_OUT);
  const stopListening = onAbort(signal, () => interrupt(ABORTED));
  return {
    interrupted,
    get over() {
      return over;
    },
    end() {
      clearTimeout(timer);
      stopListening();
    },
  };
}

function discardIfLate(isLate: () => boolean) {
  return ({ body }: FetchResponse): void => {
    if (isLate() && body instanceof ReadableStream) body.cancel().catch(() => undefined);
  };
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** What ended an attempt, as an error of ours. */
function toError(thrown: unknown, outcome: Outcome, call: Call): PaymentsError {
  const { name } = call.operation;
  if (thrown === ABORTED) return abortedError(call, outcome);
  if (thrown === ATTEMPT_TIMED_OUT) return timeoutError(call, outcome, 'timeoutMs');
  if (thrown === CALL_TIMED_OUT) return timeoutError(call, outcome, 'totalTimeoutMs');
  const { reason, neverSent } = describeConnectionFailure(thrown);
  const known = neverSent ? 'not-sent' : outcome;
  const context = call.context(known);
  const cause = reason === undefined ? '' : ` (${reason})`;
  const message = neverSent
    ? `${name} could not connect to the service${cause}. Check \`baseUrl\`, the name service, certificates and proxies. ${advice(context)}`
    : `The connection was lost during ${name}${cause}. ${advice(context)}`;
  return call.failed(new ConnectionError(message, { ...context, reason }), known);
}

function timeoutError(call: Call, outcome: Outcome, limit: 'timeoutMs' | 'totalTimeoutMs'): PaymentsError {
  const context = call.context(outcome);
  const message = `${call.operation.name} did not end within \`${limit}\` (${call.limits[limit]} ms). ${advice(context)}`;
  return call.failed(new TimeoutError(message, context), outcome);
}

/** The caller's signal ended the call: now, or in the wait between two attempts. */
export function abortedError(call: Call, outcome: Outcome = 'not-sent'): AbortedError {
  const context = call.context(outcome);
  const error = new AbortedError(`The signal given to ${call.operation.name} ended it. ${advice(context)}`, {
    ...context,
    cause: call.signal?.reason,
  });
  call.failed(error, outcome);
  return error;
}
