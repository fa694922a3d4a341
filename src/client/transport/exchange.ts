import { onAbort } from '../../shared/on-abort';
import { readBody } from '../../shared/read-body';
import type { Attempt } from './failed-attempt';
import type { Fetch, FetchInit, FetchResponse } from './fetch';
import { ABORTED, ATTEMPT_TIMED_OUT, CALL_TIMED_OUT } from './interruption';

/** A request, ready to be sent. */
export interface OutgoingRequest extends Omit<FetchInit, 'redirect' | 'signal' | 'body'> {
  readonly url: string;
  readonly body: string | undefined;
}

/** A response of the service, with as much of its body as arrived. */
export interface Received {
  readonly httpStatus: number;
  readonly header: (name: string) => string | null;
  readonly text: string;
  /** Why the body is incomplete, if it is: a symbol of `interruption.ts`, `TOO_LARGE`, or what reading threw. */
  readonly brokenOff?: unknown;
}

/**
 * Sends one request and reads its response to the end, within the time limits of the attempt and the call, even if the
 * service stalls in the middle of the body. A failure after the status has arrived is returned as `brokenOff`, not
 * thrown: the partial response says more than the failure.
 *
 * @throws a symbol of `interruption.ts`, or what `fetch` threw
 */
export async function exchange(
  attempt: Attempt,
  { url, method, headers, body }: OutgoingRequest,
  fetch: Fetch,
  maxResponseBytes: number,
): Promise<Received> {
  const controller = new AbortController();
  const limit = startLimit(attempt);
  let whole = false;
  try {
    const init = { method, headers, redirect: 'manual', signal: controller.signal } as const;
    const pending = fetch(url, body === undefined ? init : { ...init, body });
    const response = await Promise.race([pending, limit.interrupted]).catch((reason: unknown) => {
      // A custom fetch may ignore the signal: discard whatever it delivers late.
      pending.then(discard).catch(() => undefined);
      throw reason;
    });
    const { status: httpStatus } = response;
    const received = await readBody(response, maxResponseBytes, limit.interrupted);
    whole = received.brokenOff === undefined;
    return { httpStatus, header: (name) => response.headers.get(name), ...received };
  } finally {
    limit.end();
    if (!whole) controller.abort();
  }
}

interface Limit {
  /** Rejects when the time is over or the caller's signal fires; never resolves. */
  readonly interrupted: Promise<never>;
  end(): void;
}

/** One timer for whichever limit ends first, the attempt's or the call's, besides the caller's signal. */
function startLimit({ limits, remainingMs, signal }: Attempt): Limit {
  let interrupt: (reason: symbol) => void = () => undefined;
  const interrupted = new Promise<never>((_, reject) => {
    interrupt = reject;
  });
  interrupted.catch(() => undefined);
  const timer =
    remainingMs < limits.timeoutMs
      ? setTimeout(interrupt, Math.max(0, remainingMs), CALL_TIMED_OUT)
      : setTimeout(interrupt, limits.timeoutMs, ATTEMPT_TIMED_OUT);
  const stopListening = onAbort(signal, () => interrupt(ABORTED));
  return {
    interrupted,
    end() {
      clearTimeout(timer);
      stopListening();
    },
  };
}

function discard({ body }: FetchResponse): void {
  if (body instanceof ReadableStream) body.cancel().catch(() => undefined);
}
