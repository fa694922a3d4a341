import type { PaymentsError } from '../errors';
import { abortedError } from './attempt';
import type { Call } from './call';
import { onAbort } from './on-abort';
import { mayRetry, retryDelayMs } from './retry-policy';

/** Whether the attempt that just failed may be followed by another one. */
export function mayTryAgain({ operation, limits, lastFailure }: Call): boolean {
  return limits.maxRetries > 0 && lastFailure !== undefined && mayRetry(operation, lastFailure);
}

/**
 * The attempts after a first one that failed. ky drives them: it counts them, waits between them, and ends the wait
 * with the caller's signal. It is given neither headers nor body, because its errors hold the request, credentials
 * included.
 *
 * It is not there for the first attempt, which is nearly always the only one: for each call ky builds a `Request`, and
 * for each attempt a copy of it, which costs more than all the rest of a call. It is loaded here for the same reason.
 *
 * @param onRetry - told of each further attempt before the wait for it
 */
export async function tryAgain<T>(
  call: Call,
  url: string,
  attempt: () => Promise<T>,
  onRetry: (error: PaymentsError, delayMs: number) => void,
): Promise<T> {
  // Ends ky's waits. Not the caller's own signal, which ky would tie to signals of its own, call after call.
  const waiting = new AbortController();
  const stopListening = onAbort(call.signal, () => waiting.abort());
  // ky begins with the attempt that it was not there for.
  let next = () => Promise.reject<T>(call.lastFailure?.error);
  let result: T | undefined;
  try {
    const { default: ky } = await import('ky');
    await ky(url, {
      method: call.operation.method,
      fetch: async () => {
        const current = next;
        next = attempt;
        result = await current();
        return new Response();
      },
      retry: retries(call, onRetry),
      signal: waiting.signal,
      timeout: false,
      throwHttpErrors: false,
    });
  } catch (thrown) {
    // Anything but the last attempt's own error comes from the wait for the next one, which the signal ended.
    throw thrown !== call.lastFailure?.error && call.signal?.aborted ? abortedError(call) : thrown;
  } finally {
    stopListening();
  }
  return result as T;
}

/**
 * ky asks `shouldRetry` once an attempt has failed, and `delay` right after. The wait is decided in the first, because
 * ky would sleep to the deadline on a longer one and lose the answer that asked for it.
 */
function retries(call: Call, onRetry: (error: PaymentsError, delayMs: number) => void) {
  let delayMs = 0;
  return {
    limit: call.limits.maxRetries,
    methods: ['get' as const, 'post' as const, 'put' as const],
    shouldRetry: () => {
      const failed = call.lastFailure;
      if (failed === undefined || !mayRetry(call.operation, failed)) return false;
      delayMs = retryDelayMs(failed.error, call.attempts);
      if (delayMs >= call.remainingMs - TIMER_SLACK_MS) return false;
      onRetry(failed.error, delayMs);
      return true;
    },
    delay: () => delayMs,
  };
}

/** Timers may fire a little early, and what is then left of the total time is not worth an attempt. */
const TIMER_SLACK_MS = 5;
