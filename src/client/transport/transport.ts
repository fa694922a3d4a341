import ky, { type Options } from 'ky';
import { ConfigurationError } from '../../errors';
import { Secrets } from '../../service/credentials';
import type { Operation } from '../../service/operations';
import type { Schema } from '../../service/schema/schema';
import { ownOptions } from '../../shared/objects';
import { onAbort } from '../../shared/on-abort';
import { noteLeftOut } from '../left-out';
import { type CallOptions, type ResolvedOptions, resolveLimits, resolveSignal } from '../options';
import { exchange, type OutgoingRequest } from './exchange';
import { type Attempt, abortedError, FailedAttempt } from './failed-attempt';
import { interpret } from './interpret';
import { interruption } from './interruption';
import { notify, type RequestEvent } from './observers';
import { mayRetry, retryDelayMs } from './retry-policy';

/** What to send, and the schema of the response. */
export interface Message<T> {
  readonly operation: Operation;
  readonly path: string;
  readonly body?: string;
  readonly response: Schema<unknown, T>;
}

/** A successful response that was read to its end, with its result in place of its body. */
type FinishedResponse<T> = Response & { readonly result: T };

/**
 * Sends calls to the service. ky makes the attempts and the waits between them. The `fetch` given to ky limits the time
 * and the bytes of each attempt, and returns a finished response or throws a {@link FailedAttempt} for ky to decide on.
 */
export class Transport {
  readonly #options: ResolvedOptions;
  readonly #secrets: Secrets;

  constructor(options: ResolvedOptions) {
    this.#options = options;
    this.#secrets = new Secrets(options);
  }

  async send<T>(message: Message<T>, given: CallOptions): Promise<T> {
    const { operation } = message;
    const options = ownOptions(given);
    const limits = resolveLimits(options, this.#options.limits);
    const signal = resolveSignal(options.signal);
    const url = this.#options.baseUrl + message.path;
    const deadline = performance.now() + limits.totalTimeoutMs;
    let number = 0;
    let failed: FailedAttempt | undefined;
    let delayMs = 0;
    const attempt = (): Attempt => {
      const remainingMs = deadline - performance.now();
      return { operation, url, limits, signal, number, remainingMs, before: failed?.error };
    };
    // If the signal fires right after the call, in the same turn, nothing must be sent.
    await undefined;
    if (signal?.aborted) throw abortedError(attempt());
    // Ends ky's waits. ky does not get the caller's signal, because it would tie more signals to it with each call. ky
    // always gets this one, so that it never takes a `signal` from a polluted `Object.prototype`.
    const waiting = new AbortController();
    const stopListening = onAbort(signal, () => waiting.abort());
    const { body } = message;
    const request = { url, method: operation.method, headers: this.#headers(body), body };
    try {
      const response = await ky(url, {
        ...UNUSED,
        // Neither headers nor body: ky's errors hold what ky is given, which would include the credentials.
        method: request.method,
        signal: waiting.signal,
        timeout: false,
        fetch: async () => {
          number += 1;
          try {
            return await this.#attempt(attempt(), request, message.response);
          } catch (thrown) {
            if (thrown instanceof FailedAttempt) failed = thrown;
            throw thrown;
          }
        },
        retry: {
          limit: limits.maxRetries,
          methods: ['get', 'post', 'put'],
          // ky calls this after a failed attempt, and `delay` right after it. A wait beyond the deadline is refused
          // here: ky would sleep until the deadline, and lose the response that asked for the wait.
          shouldRetry: ({ error }) => {
            if (!(error instanceof FailedAttempt)) return false;
            if (!mayRetry(operation, error, this.#options.isOwnFetch)) return false;
            delayMs = retryDelayMs(error);
            if (delayMs >= deadline - performance.now() - TIMER_SLACK_MS) return false;
            notify(this.#options.onRetry, { ...describe(attempt()), ...describeFailure(error), delayMs });
            return true;
          },
          delay: () => delayMs,
        },
      });
      return (response as FinishedResponse<T>).result;
    } catch (thrown) {
      if (thrown instanceof FailedAttempt) throw thrown.error;
      // Anything else comes from ky: the signal ended its wait, or the platform has no `Request`.
      if (signal?.aborted) throw abortedError(attempt());
      throw failed?.error ?? new ConfigurationError(NO_REQUEST);
    } finally {
      stopListening();
    }
  }

  /** One attempt, from the request to the interpreted response, reported to the observers. */
  async #attempt<T>(
    attempt: Attempt,
    request: OutgoingRequest,
    schema: Schema<unknown, T>,
  ): Promise<FinishedResponse<T>> {
    const { fetch, maxResponseBytes, onRequest, onResponse } = this.#options;
    const event = describe(attempt);
    notify(onRequest, event);
    // The signal may have fired in the wait before this attempt, or in the observer. It then calls no more listeners.
    if (attempt.signal?.aborted) throw new FailedAttempt(abortedError(attempt), 'not-sent');
    const startedAt = performance.now();
    const ended = () => ({ ...event, durationMs: performance.now() - startedAt });
    try {
      const received = await exchange(attempt, request, fetch, maxResponseBytes);
      const { result, leftOut } = interpret(received, schema, attempt, this.#secrets);
      noteLeftOut(result as object, leftOut);
      const status = received.httpStatus;
      notify(onResponse, { ...ended(), status, errorCode: undefined, issues: leftOut });
      return Object.assign(new Response(), { result });
    } catch (thrown) {
      const failure = thrown instanceof FailedAttempt ? thrown : interruption(thrown, attempt);
      notify(onResponse, { ...ended(), ...describeFailure(failure), issues: [] });
      throw failure;
    }
  }

  #headers(body: string | undefined): Record<string, string> {
    const { apiKey, apiToken, userAgent } = this.#options;
    return {
      accept: 'application/json',
      'user-agent': userAgent,
      'x-api-key': apiKey,
      'x-api-token': apiToken,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
  }
}

/** Options of ky that are not used, set explicitly so that none comes from a polluted `Object.prototype`. */
const UNUSED = {
  baseUrl: undefined,
  body: undefined,
  // One by one, because ky adds an empty object to the hooks that it already has.
  hooks: {
    init: undefined,
    beforeRequest: undefined,
    beforeRetry: undefined,
    beforeError: undefined,
    afterResponse: undefined,
  },
  json: undefined,
  onDownloadProgress: undefined,
  parseJson: undefined,
  prefix: '',
  searchParams: '',
  totalTimeout: false,
} as unknown as Options;

const NO_REQUEST =
  'No request can be made, because the platform lacks `fetch`, `Request`, `Response` or `Headers`. Node 20.19 and later ' +
  'have them; test environments such as jsdom take them away.';

/** Timers may fire a little early. The time that is left then is not worth an attempt. */
const TIMER_SLACK_MS = 5;

function describe({ operation: { name, method, urlTemplate }, number }: Attempt): RequestEvent {
  return { operation: name, method, urlTemplate, attempt: number };
}

function describeFailure({ error, httpStatus }: FailedAttempt) {
  return { status: httpStatus, errorCode: error.code };
}
