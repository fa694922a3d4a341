import { ApiError, type PaymentsError } from '../errors';
import type { Schema } from '../schemas/schema';
import { abortedError, exchange } from './attempt';
import { Call } from './call';
import { interpret } from './interpret';
import { notify } from './observers';
import type { Operation } from './operations';
import { type CallOptions, type ResolvedOptions, resolveLimits } from './options';
import { mayTryAgain, tryAgain } from './try-again';

/** What to send, and what to make of the answer. */
export interface Message<T> {
  readonly operation: Operation;
  readonly path: string;
  readonly body?: string;
  readonly answer: Schema<unknown, T>;
}

/** Carries calls to the service. */
export class Transport {
  readonly #options: ResolvedOptions;

  constructor(options: ResolvedOptions) {
    this.#options = options;
  }

  async send<T>(message: Message<T>, options: CallOptions = {}): Promise<T> {
    const call = new Call(message.operation, resolveLimits(options, this.#options.limits), options.signal);
    // A signal that fires right after the call, in the same turn, is to find that nothing was sent.
    await undefined;
    if (call.signal?.aborted) throw abortedError(call);
    const attempt = () => this.#attempt(call, message);
    try {
      return await attempt();
    } catch (error) {
      if (!mayTryAgain(call)) throw error;
      const url = this.#options.baseUrl + message.path;
      return tryAgain(call, url, attempt, (failure, delayMs) => {
        notify(this.#options.onRetry, { ...this.#describe(call), ...describeFailure(failure), delayMs });
      });
    }
  }

  /** One attempt, seen by the observers. */
  async #attempt<T>(call: Call, { operation, path, body, answer: schema }: Message<T>): Promise<T> {
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
      const answer = await exchange(call, fetch, baseUrl + path, init, maxResponseBytes);
      status = answer.httpStatus;
      return interpret(answer, schema, call, (text) => this.#redact(text));
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

function describeFailure(error: PaymentsError) {
  return { status: error instanceof ApiError ? error.httpStatus : undefined, errorCode: error.code };
}
