import { ApiError, type PaymentsError } from '../errors';
import type { Schema } from '../schemas/schema';
import { abortedError, exchange } from './attempt';
import { Call } from './call';
import { interpret } from './interpret';
import { notify } from './observers';
import { onAbort } from './on-abort';
import type { Operation } from './operations';
import { type CallOptions, type ResolvedOptions, resolveLimits } from './options';
import { mayRetry, retryDelayMs } from './retry-policy';

/** What to send, and what to make of the answer. */
export interface Message<T> {
  readonly operation: Operation;
  readonly path: string;
  readonly body?: string;
  readonly answer: Schema<unknown, T>;
}

/**
 * Carries calls to the service. ky drives the attempts: it counts them, waits between them, and ends the wait with
 * the caller's signal. It is given neither headers nor body, for two reasons: it would clone the request for each
 * retry, and its errors hold the request, credentials included.
 */
export class Transport {
  readonly #options: ResolvedOptions;

  constructor(options: ResolvedOptions) {
    this.#options = options;
  }

  async send<T>(message: Message<T>, options: CallOptions = {}): Promise<T> {
    const call = new Call(message.operation, resolveLimits(options, this.#options.limits), options.signal);
    if (call.signal?.aborted) throw abortedError(call);
    // On the first call, because ky builds a `Request` while it loads, and with it the whole of the platform's fetch.
    const { default: ky } = await import('ky');
    // Ends ky's waits. Not the caller's own signal, which ky would tie to signals of its own, call after call.
    const waiting = new AbortController();
    const stopListening = onAbort(call.signal, () => waiting.abort());
    let result: T | undefined;
    try {
      await ky(this.#options.baseUrl + message.path, {
        method: message.operation.method,
        fetch: async () => {
          const exchanged = await this.#attempt(call, message);
          result = exchanged.result;
          return exchanged.response as Response;
        },
        retry: this.#retries(call),
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

  /** One attempt, seen by the observers. */
  async #attempt<T>(call: Call, { operation, path, body, answer: schema }: Message<T>) {
    const { baseUrl, fetch, maxResponseBytes, onRequest, onResponse } = this.#options;
    call.attempts += 1;
    const event = { ...this.#describe(call), attempt: call.attempts };
    notify(onRequest, event);
    const startedAt = performance.now();
    let status: number | undefined;
    let failure: PaymentsError | undefined;
    try {
      const init = {
        method: operation.method,
        headers: this.#headers(body),
        ...(body === undefined ? {} : { body }),
      };
      const { answer, response } = await exchange(call, fetch, baseUrl + path, init, maxResponseBytes);
      status = answer.httpStatus;
      return { result: interpret(answer, schema, call, (text) => this.#redact(text)), response };
    } catch (error) {
      failure = call.lastFailure?.error;
      throw error;
    } finally {
      notify(onResponse, {
        ...event,
        status,
        durationMs: performance.now() - startedAt,
        errorCode: failure?.code,
      });
    }
  }

  /**
   * ky asks `shouldRetry` once an attempt has failed, and `delay` right after. The wait is decided in the first,
   * because ky would sleep to the deadline on a longer one and lose the answer that asked for it.
   */
  #retries(call: Call) {
    let delayMs = 0;
    return {
      limit: call.limits.maxRetries,
      methods: ['get' as const, 'post' as const, 'put' as const],
      shouldRetry: () => {
        const failed = call.lastFailure;
        if (failed === undefined || !mayRetry(call.operation, failed)) return false;
        delayMs = retryDelayMs(failed.error, call.attempts);
        if (delayMs >= call.remainingMs - TIMER_SLACK_MS) return false;
        notify(this.#options.onRetry, { ...this.#describe(call), ...describeFailure(failed.error), delayMs });
        return true;
      },
      delay: () => delayMs,
    };
  }

  #describe({ operation, attempts }: Call) {
    return {
      operation: operation.name,
      method: operation.method,
      urlTemplate: operation.urlTemplate,
      attempt: attempts,
    };
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

  /** Takes the credentials out of a text that the service wrote, in whatever case it wrote them. */
  #redact(text: string): string {
    let redacted = text;
    for (const secret of [this.#options.apiKey, this.#options.apiToken]) {
      const pattern = new RegExp(secret.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'gi');
      redacted = redacted.replace(pattern, '[redacted]');
    }
    return redacted;
  }
}

/** Timers may fire a little early, and what is then left of the total time is not worth an attempt. */
const TIMER_SLACK_MS = 5;

function describeFailure(error: PaymentsError) {
  return { status: error instanceof ApiError ? error.httpStatus : undefined, errorCode: error.code };
}
