import ky, { type KyInstance } from 'ky';
import { isCallError } from '../errors/call-errors';
import { ConfigurationError } from '../errors/configuration-error';
import type { Credentials, Secrets } from '../service/credentials';
import { notify } from '../shared/notify';
import { IncomingBody } from '../shared/read-body';
import { ABORTED, inTimeOrAborted, MINUTE_MS, onAbort } from '../shared/time';
import { readNamedOptions } from '../values/option-checks';
import { fetchApart, isPlatformFetch, sendsApart } from './connections';
import {
  ATTEMPT_TIMED_OUT,
  type Attempt,
  abortedError,
  CALL_TIMED_OUT,
  type Call,
  contextOf,
  type Failure,
  failureWithoutAttempt,
  interpret,
  type Message,
  type Received,
} from './interpret';
import {
  BODY_CALL_OPTIONS,
  CALL_OPTIONS,
  type CallOptions,
  type FetchInit,
  type FetchResponse,
  type RequestEvent,
  type ResolvedOptions,
  resolveLimits,
  resolveSignal,
} from './options';

/** Timers may fire a little early. The time that is left then is not worth an attempt. */
const TIMER_SLACK_MS = 5;

/** A timer may fire so much early, and nothing is sent before `Retry-After`. */
const EARLY_TIMER_MS = 1;

/** How long queries have connections of their own after one was not answered in time. */
const AVOID_KEPT_MS = 5 * MINUTE_MS;

/**
 * Sends calls to the service. ky builds each request, decides with `#mayRetry` on another attempt, and waits for it.
 * `#exchange` sends the request that ky built within our limits of time and bytes, and `interpret` says what came of it.
 */
export class Transport {
  readonly #options: ResolvedOptions;
  readonly #secrets: Secrets;
  #sender: Sender;
  /**
   * Until when queries have connections of their own, by `performance.now()`. It may take minutes until a kept connection
   * that died in silence is noticed, and over HTTP/2 every query would go over it meanwhile.
   */
  #avoidKeptUntil = 0;

  constructor(options: ResolvedOptions, secrets: Secrets) {
    const { apiKey, apiToken, previous } = options;
    this.#options = options;
    this.#secrets = secrets;
    const instance = ky.create({
      prefix: options.baseUrl,
      headers: {
        accept: 'application/json',
        // A compressed response that is cut off has no uuid that could be found.
        'accept-encoding': 'identity',
        'user-agent': options.userAgent,
        ...headersWith(options),
      },
      // `fetch` would send `x-api-key` and `x-api-token` on to another host.
      redirect: 'manual',
      throwHttpErrors: false,
      // `#exchange` has the time limits, because ky's do not cover the body.
      timeout: false,
    });
    this.#sender = { ky: instance, pair: { apiKey, apiToken }, otherPair: previous };
  }

  async send<T>(message: Message<T>, given: CallOptions): Promise<T> {
    const { operation, documentedFields, mayBeAnything } = message;
    const options = readNamedOptions<CallOptions>(
      mayBeAnything ? 'client.request' : operation.name,
      given,
      documentedFields === undefined ? CALL_OPTIONS : BODY_CALL_OPTIONS,
      '…, ',
    );
    const limits = resolveLimits(options, this.#options.limits);
    const signal = resolveSignal(options.signal);
    const { method } = message.operation;
    const sender = this.#sender;
    const { otherPair } = sender;
    const call: Call<T> = {
      ...message,
      baseUrl: this.#options.baseUrl,
      limits,
      signal,
      deadline: performance.now() + limits.totalTimeoutMs,
      secrets: this.#secrets,
    };
    // What the attempts gave, in order, and how many were begun. Only `fetch` below changes them.
    const attempts: Attempt<T>[] = [];
    let begun = 0;
    // Changes once at most, between two attempts.
    let usesOtherPair = false;
    // Ends ky's waits. ky does not get the caller's signal, because it would tie more signals to it with each call.
    const waiting = signal && new AbortController();
    const stopListening = onAbort(signal, () => waiting?.abort());
    try {
      const attempt: unknown = await sender.ky(message.path, {
        method,
        ...contentOf(message, this.#mayKeep(message) ? {} : CLOSE),
        ...(waiting && { signal: waiting.signal }),
        fetch: async (request) => {
          begun += 1;
          const attempt = await this.#attempt(request as Request, call, attempts);
          attempts.push(attempt);
          if (usesOtherPair && isSuccess(attempt.status)) this.#useOtherPairFirst(sender);
          if (attempt.error !== undefined) throw attempt.error;
          // ky gives its caller whatever `fetch` returned. Only a `Response` has more done to it.
          return attempt as unknown as Response;
        },
        retry: {
          limit: limits.maxRetries + (otherPair ? 1 : 0),
          methods: [method],
          shouldRetry: ({ error }) => {
            const failed = attempts.at(-1);
            // Decided from the error that was just thrown, which may be of something else than an attempt.
            if (failed?.error === undefined || failed.error !== error) return false;
            if (!usesOtherPair && otherPair && failed.mayUseOtherPair) {
              usesOtherPair = this.#mayRetry(call, attempts.length, failed, 0);
              return usesOtherPair;
            }
            const retries = attempts.length - (usesOtherPair ? 2 : 1);
            return retries < limits.maxRetries && this.#mayRetry(call, attempts.length, failed);
          },
          delay: () => (attempts.at(-1)?.retryInMs ?? 0) + EARLY_TIMER_MS,
        },
        ...(otherPair && {
          hooks: {
            beforeRetry: [({ request }) => (usesOtherPair ? setPair(request, otherPair) : undefined)],
          },
        }),
      });
      return (attempt as { readonly result: T }).result;
    } catch (thrown) {
      return resultOrThrow(thrown, call, attempts, begun);
    } finally {
      stopListening();
    }
  }

  /** The service accepted the other pair, so the next calls begin with it. */
  #useOtherPairFirst(sender: Sender): void {
    if (sender.otherPair === undefined) return;
    const { ky, pair, otherPair } = sender;
    this.#sender = { ky: ky.extend({ headers: headersWith(otherPair) }), pair: otherPair, otherPair: pair };
  }

  /** One attempt, from the request to the interpreted response, reported to the observers. */
  async #attempt<T>(request: Request, call: Call<T>, before: readonly Attempt<T>[]): Promise<Attempt<T>> {
    const { onRequest, onResponse } = this.#options;
    const number = before.length + 1;
    throwIfAborted(call, before);
    notify(onRequest, describe(call, number));
    throwIfAborted(call, before);
    const startedAt = performance.now();
    const received = await this.#exchange(request, call);
    if (call.asked !== undefined && wasSilent(received)) {
      this.#avoidKeptUntil = performance.now() + AVOID_KEPT_MS;
    }
    const attempt = await interpret(received, call, before);
    const { status, requestId, error, leftOut: issues = [] } = attempt;
    const durationMs = performance.now() - startedAt;
    const end = { durationMs, status, requestId, errorCode: error?.code, issues };
    notify(onResponse, { ...describe(call, number), ...end });
    return attempt;
  }

  /** A wait beyond the deadline is refused: ky would sleep until then, and lose the response that asked for the wait. */
  #mayRetry<T>(call: Call<T>, number: number, failed: Failure, delayMs = failed.retryInMs): boolean {
    if (delayMs === undefined || delayMs >= call.deadline - performance.now() - TIMER_SLACK_MS) return false;
    const { status, error } = failed;
    notify(this.#options.onRetry, { ...describe(call, number), status, errorCode: error.code, delayMs });
    return true;
  }

  /**
   * Whether a request goes over the platform's kept connections: a query whose answer names its transaction, so that
   * another's is noticed. It leaves its connection to the next request, so only where a POST or PUT is kept apart.
   */
  #mayKeep({ asked }: Message<unknown>): boolean {
    const isOverAnother = this.#options.dispatcher !== undefined || !this.#usesPlatforms();
    return asked !== undefined && !isOverAnother && sendsApart();
  }

  #usesPlatforms(): boolean {
    return this.#options.fetch === undefined && isPlatformFetch();
  }

  /**
   * Sends one request and reads its response to the end, within the limits of time and bytes, even if the service
   * stalls in the middle of the body. Never rejects: whatever arrived before a failure says more than the failure.
   */
  async #exchange(request: Request, { limits, signal, deadline }: Call<unknown>): Promise<Received> {
    const { maxResponseBytes } = this.#options;
    const isPlatforms = this.#usesPlatforms();
    const { timeoutMs: attemptMs } = limits;
    const remainingMs = deadline - performance.now();
    const controller = new AbortController();
    const body = new IncomingBody(maxResponseBytes);
    let head: Pick<Received, 'status' | 'header'> = { header: () => null };
    const receive = async () => {
      const response = await this.#fetch(request, controller.signal, isPlatforms);
      head = { status: statusOf(response), header: headersOf(response) };
      await body.read(response);
    };
    const tooLate = () => (remainingMs < attemptMs ? CALL_TIMED_OUT : ATTEMPT_TIMED_OUT);
    let readError: unknown;
    try {
      readError = await inTimeOrAborted(receive(), Math.min(attemptMs, remainingMs), tooLate, signal);
    } catch (thrown) {
      readError = thrown ?? null;
    }
    if (readError !== undefined) {
      await body.catchUp();
      controller.abort();
      body.stop();
    }
    return { ...head, text: body.text(), readError, isPlatforms };
  }

  /**
   * Sends what ky built, with the caller's `fetch` or the platform's. URL, method, headers and body go by themselves,
   * because a `Request` made from another one pipes the body through one more stream.
   */
  async #fetch(request: Request, signal: AbortSignal, isPlatforms: boolean): Promise<FetchResponse> {
    const { fetch, dispatcher } = this.#options;
    const { url, method, headers, redirect } = request;
    const init: Omit<FetchInit, 'body'> = {
      method,
      headers: Object.fromEntries(headers),
      redirect: redirect as 'manual',
      ...cachingOf(method),
      signal,
    };
    if (fetch === undefined) {
      // Still a stream, because most of what replaces the platform's `fetch` hands the request on to it.
      const sent = request.body === null ? init : { ...init, body: request.body, duplex: 'half' as const };
      if (dispatcher !== undefined) {
        const through: object = { ...sent, dispatcher };
        return globalThis.fetch(url, through);
      }
      const mayKeep = !headers.has('connection') && performance.now() >= this.#avoidKeptUntil;
      return mayKeep || !isPlatforms ? globalThis.fetch(url, sent) : fetchApart(url, sent);
    }
    // A text has its length.
    delete init.headers['content-length'];
    const text = await request.text();
    return fetch(url, text === '' ? init : { ...init, body: text });
  }
}

/** How calls are sent, until the service accepts the other pair. Nothing in it changes. */
interface Sender {
  readonly ky: KyInstance;
  readonly pair: Credentials;
  /** During a rotation. */
  readonly otherPair: Credentials | undefined;
}

function headersWith({ apiKey, apiToken }: Credentials): Record<string, string> {
  return { 'x-api-key': apiKey, 'x-api-token': apiToken };
}

function setPair({ headers }: Request, pair: Credentials): void {
  for (const [name, value] of Object.entries(headersWith(pair))) headers.set(name, value);
}

function isSuccess(status: number | undefined): boolean {
  return status !== undefined && status >= 200 && status <= 299;
}

/** Whether the time was up, or the caller ended the attempt, before anything came. */
function wasSilent({ status, readError }: Received): boolean {
  return (
    status === undefined && [ATTEMPT_TIMED_OUT, CALL_TIMED_OUT, ABORTED].some((end) => end === readError)
  );
}

/**
 * The body as a stream, which can be sent only once: text and bytes are sent again by Node after a 421, and by Bun and
 * Deno after they lost a kept-alive connection, although the service may have acted. So is a request without a body,
 * which gets an empty stream. Its length stands beside it, because some gateways refuse a body that comes in chunks.
 */
function contentOf(
  { operation: { method }, body = '' }: Message<unknown>,
  connection: Readonly<Record<string, string>>,
): object {
  if (method === 'GET' || method === 'HEAD') return { headers: connection };
  const bytes = new TextEncoder().encode(body);
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
  const length = { ...connection, 'content-length': String(bytes.byteLength) };
  const headers = body === '' ? length : { ...length, 'content-type': 'application/json' };
  return { body: stream, headers, duplex: 'half' };
}

/** Asks the connection to end after this request. */
const CLOSE = { connection: 'close' };

/** Next.js 14 answers queries from its cache. workerd throws at the option before its compatibility date 2024-11-11. */
function cachingOf(method: string): Pick<FetchInit, 'cache'> {
  return method === 'GET' && 'cache' in Request.prototype ? { cache: 'no-store' } : {};
}

/** A test double may give anything as the status. 0 is the platform's own for a response that is none. */
function statusOf({ status }: FetchResponse): number {
  return Number.isInteger(status) ? status : 0;
}

function headersOf(response: FetchResponse): Received['header'] {
  return (name) => {
    try {
      const value: unknown = response.headers.get(name);
      return typeof value === 'string' ? value : null;
    } catch {
      return null;
    }
  };
}

/** How the call ends when ky throws. The last attempt's result stands, whatever ky or the platform did after it. */
function resultOrThrow<T>(thrown: unknown, call: Call<T>, attempts: readonly Attempt<T>[], begun: number): T {
  const last = attempts.at(-1);
  if (last !== undefined && last.error === undefined) return last.result;
  if (isCallError(thrown)) throw thrown;
  // The signal ended ky's wait.
  throwIfAborted(call, attempts);
  // ky's own errors hold the request with its credentials, so they are neither passed on nor read.
  if (begun > attempts.length) throw failureWithoutAttempt(call, attempts);
  throw last?.error ?? new ConfigurationError(NO_REQUEST);
}

const NO_REQUEST =
  'No request can be made, because the platform lacks `fetch`, `Request`, `Response` or `Headers`. Node 20.19 and later ' +
  'have them; test environments such as jsdom take them away.';

/** Ends the call before an attempt is sent. */
function throwIfAborted(call: Call<unknown>, before: readonly Attempt<unknown>[]): void {
  if (!call.signal?.aborted) return;
  throw abortedError(call, contextOf(call, before, before.length, 'not-sent'));
}

function describe(
  { operation: { name, method, urlTemplate } }: Call<unknown>,
  attempt: number,
): RequestEvent {
  return { operation: name, method, urlTemplate, attempt };
}
