import ky from 'ky';
import {
  AbortedError,
  ApiError,
  type CallError,
  type CallName,
  ConfigurationError,
  ConnectionError,
  InvalidResponseError,
  isCallError,
  type Outcome,
  type ServiceError,
  TimeoutError,
  type ValidationIssue,
} from '../errors';
import { advice, type CallContext, serviceErrorsOf } from '../errors/call-errors';
import type { Secrets } from '../service/credentials';
import { findUuid } from '../service/find-uuid';
import type { Operation } from '../service/operations';
import { noteLeftOut, type Validation } from '../service/schema';
import { isObject, ownOptions } from '../shared/objects';
import { readBody, TOO_LARGE } from '../shared/read-body';
import { onAbort, TIMED_OUT, within } from '../shared/time';
import { summarize } from '../shared/validation-issue';
import { isLoopback } from './base-url';
import { describeConnectionFailure, NO_TLS } from './connection-failure';
import {
  type CallOptions,
  type FetchInit,
  type FetchResponse,
  notify,
  type RequestEvent,
  type ResolvedLimits,
  type ResolvedOptions,
  resolveLimits,
  resolveSignal,
} from './options';
import { parseRetryAfter, retryDelayMs } from './retry';

/** What to send, and how to read the response. */
export interface Message<T> {
  readonly operation: Pick<Operation, 'urlTemplate' | 'uuidPaths'> & {
    readonly name: CallName;
    readonly method: string;
  };
  /** With its parameters, and with a query if there is one. */
  readonly path: string;
  readonly body?: string;
  /** Whether a success may be any JSON, or nothing, and not only an object. */
  readonly mayBeAnything?: boolean;
  /** Validates the parsed body of a success. */
  readonly read: (body: unknown) => Validation<T> | Promise<Validation<T>>;
}

/** One call. Nothing in it changes. */
interface Call<T> extends Message<T> {
  readonly url: string;
  readonly request: Pick<FetchInit, 'method' | 'headers' | 'body'>;
  readonly limits: ResolvedLimits;
  readonly signal: AbortSignal | undefined;
  /** When `totalTimeoutMs` is over, by `performance.now()`. */
  readonly deadline: number;
  readonly secrets: Secrets;
}

/** What one attempt gave, for the call and for the observers. An error describes the earlier attempts, too. */
type Attempt<T> = {
  readonly status: number | undefined;
  readonly requestId: string | undefined;
} & (Success<T> | Failure);

interface Success<T> {
  readonly error?: undefined;
  readonly retryInMs?: undefined;
  readonly result: T;
  /** Fields that did not have the documented type and are left out of the result. */
  readonly leftOut: readonly ValidationIssue[];
}

interface Failure {
  readonly error: CallError;
  /** How long to wait before another attempt; `undefined` if there must be none. */
  readonly retryInMs: number | undefined;
}

/** As much of a response as arrived. */
interface Received {
  /** `undefined` if none came. */
  readonly status?: number | undefined;
  readonly header: (name: string) => string | null;
  readonly text: string;
  /** Why the response is incomplete, if it is: one of the symbols below, `TOO_LARGE`, or what was thrown. */
  readonly readError?: unknown;
  /** Whether the platform's own `fetch` sent it. What any other one did before it failed is unknown. */
  readonly isPlatforms: boolean;
}

/** Why the client itself ends an attempt. */
const ATTEMPT_TIMED_OUT = Symbol('timeoutMs');
const CALL_TIMED_OUT = Symbol('totalTimeoutMs');
const ABORTED = Symbol('aborted');

// As they are before something replaces them: instrumentation, a framework, or a test's fake timers.
const { fetch: platformFetch, setImmediate } = globalThis;

/**
 * Sends calls to the service: ky makes the attempts and the waits between them, `#exchange` sends one request within
 * our limits of time and bytes, and `interpret` says what came of it.
 */
export class Transport {
  readonly #options: ResolvedOptions;
  readonly #secrets: Secrets;

  constructor(options: ResolvedOptions, secrets: Secrets) {
    this.#options = options;
    this.#secrets = secrets;
  }

  async send<T>(message: Message<T>, given: CallOptions): Promise<T> {
    const options = ownOptions(given);
    const limits = resolveLimits(options, this.#options.limits);
    const signal = resolveSignal(options.signal);
    const call: Call<T> = {
      ...message,
      url: this.#options.baseUrl + message.path,
      request: this.#request(message),
      limits,
      signal,
      deadline: performance.now() + limits.totalTimeoutMs,
      secrets: this.#secrets,
    };
    // What the attempts gave, in order. Only `fetch` below adds to it.
    const attempts: Attempt<T>[] = [];
    // Ends ky's waits. ky does not get the caller's signal, because it would tie more signals to it with each call.
    const waiting = signal && new AbortController();
    const stopListening = onAbort(signal, () => waiting?.abort());
    try {
      const attempt: unknown = await ky(call.url, {
        ...call.request,
        ...(waiting && { signal: waiting.signal }),
        timeout: false,
        throwHttpErrors: false,
        fetch: async () => {
          const attempt = await this.#attempt(call, attempts);
          attempts.push(attempt);
          if (attempt.error !== undefined) throw attempt.error;
          // ky gives its caller whatever `fetch` returned. Only a `Response` has more done to it.
          return attempt as unknown as Response;
        },
        retry: {
          limit: limits.maxRetries,
          methods: [call.request.method],
          shouldRetry: ({ retryCount }) => this.#mayRetry(call, attempts[retryCount - 1], retryCount),
          delay: (retryCount) => attempts[retryCount - 1]?.retryInMs ?? 0,
        },
      });
      return (attempt as { readonly result: T }).result;
    } catch (thrown) {
      return conclude(thrown, call, attempts);
    } finally {
      stopListening();
    }
  }

  #request({ operation: { method }, body }: Message<unknown>): Call<unknown>['request'] {
    const { apiKey, apiToken, userAgent } = this.#options;
    const headers: Record<string, string> = {
      accept: 'application/json',
      // A compressed response that is cut off has no uuid that could be found.
      'accept-encoding': 'identity',
      'user-agent': userAgent,
      'x-api-key': apiKey,
      'x-api-token': apiToken,
    };
    // The service may close a kept-alive connection just as the next request is sent on it. A query can be repeated.
    if (method !== 'GET') headers['connection'] = 'close';
    if (body === undefined) return { method, headers };
    return { method, headers: { ...headers, 'content-type': 'application/json' }, body };
  }

  /** One attempt, from the request to the interpreted response, reported to the observers. */
  async #attempt<T>(call: Call<T>, before: readonly Attempt<T>[]): Promise<Attempt<T>> {
    const { onRequest, onResponse } = this.#options;
    const number = before.length + 1;
    throwIfAborted(call, before);
    notify(onRequest, describe(call, number));
    if (call.request.method !== 'GET') await turnOfTheEventLoop();
    throwIfAborted(call, before);

    const startedAt = performance.now();
    const received = await this.#exchange(call);
    const attempt = await interpret(received, call, before).catch(() =>
      uninterpretable(received, call, before),
    );
    const { status, requestId, error } = attempt;
    const end = { durationMs: performance.now() - startedAt, status, requestId, errorCode: error?.code };
    // A copy, because `confirmPayment` relies on the original, which an observer must not empty.
    const issues =
      error === undefined ? attempt.leftOut.map((issue) => ({ ...issue, path: [...issue.path] })) : [];
    notify(onResponse, { ...describe(call, number), ...end, issues });
    return attempt;
  }

  /**
   * ky asks this after a failed attempt, and for the delay right after it. A wait beyond the deadline is refused: ky
   * would sleep until then, and lose the response that asked for the wait.
   */
  #mayRetry<T>(call: Call<T>, failed: Attempt<T> | undefined, number: number): boolean {
    if (failed?.retryInMs === undefined) return false;
    const { error, status, retryInMs: delayMs } = failed;
    if (delayMs >= call.deadline - performance.now() - TIMER_SLACK_MS) return false;
    notify(this.#options.onRetry, { ...describe(call, number), status, errorCode: error.code, delayMs });
    return true;
  }

  /**
   * Sends one request and reads its response to the end, within the limits of time and bytes, even if the service
   * stalls in the middle of the body. Never rejects: whatever arrived before a failure says more than the failure.
   */
  async #exchange({ url, request, limits, signal, deadline }: Call<unknown>): Promise<Received> {
    const { fetch, maxResponseBytes } = this.#options;
    const isPlatforms = fetch === undefined && globalThis.fetch === platformFetch;
    const controller = new AbortController();
    let interrupt: (reason: symbol) => void = () => undefined;
    const interrupted = new Promise<never>((_, reject) => {
      interrupt = reject;
    });
    interrupted.catch(() => undefined);
    const remainingMs = deadline - performance.now();
    const timer =
      remainingMs < limits.timeoutMs
        ? setTimeout(interrupt, Math.max(0, remainingMs), CALL_TIMED_OUT)
        : setTimeout(interrupt, limits.timeoutMs, ATTEMPT_TIMED_OUT);
    const stopListening = onAbort(signal, () => interrupt(ABORTED));

    let received: Received = { header: () => null, text: '', isPlatforms };
    try {
      const init: FetchInit = {
        ...request,
        ...caching(request),
        redirect: 'manual',
        signal: controller.signal,
      };
      // Some test doubles give plain values or thenables.
      const pending = Promise.resolve(fetch === undefined ? sendOnce(url, init) : fetch(url, init));
      const response = await Promise.race([pending, interrupted]).catch((reason: unknown) => {
        // A custom fetch may ignore the signal: discard whatever it delivers late.
        pending.then(discard).catch(() => undefined);
        throw reason;
      });
      received = { ...received, status: response.status, header: headersOf(response) };
      received = { ...received, ...(await readBody(response, maxResponseBytes, interrupted)) };
    } catch (thrown) {
      received = { ...received, readError: thrown ?? null };
    }
    clearTimeout(timer);
    stopListening();
    if (received.readError !== undefined) controller.abort();
    return received;
  }
}

/** Timers may fire a little early. The time that is left then is not worth an attempt. */
const TIMER_SLACK_MS = 5;

/** How the call ends when ky throws. The last attempt's result stands, whatever ky or the platform did after it. */
function conclude<T>(thrown: unknown, call: Call<T>, attempts: readonly Attempt<T>[]): T {
  const last = attempts.at(-1);
  if (last !== undefined && last.error === undefined) return last.result;
  if (isCallError(thrown)) throw thrown;
  // The signal ended ky's wait.
  throwIfAborted(call, attempts);
  // ky's own errors hold the request with its credentials, so they are neither passed on nor read.
  throw last?.error ?? new ConfigurationError(NO_REQUEST);
}

/** Ends the call before an attempt is sent. */
function throwIfAborted(call: Call<unknown>, before: readonly Attempt<unknown>[]): void {
  if (!call.signal?.aborted) return;
  throw abortedError(call, contextOf(call, before, before.length, 'not-sent'));
}

const NO_REQUEST =
  'No request can be made, because the platform lacks `fetch`, `Request`, `Response` or `Headers`. Node 20.19 and later ' +
  'have them; test environments such as jsdom take them away.';

function describe(
  { operation: { name, method, urlTemplate } }: Call<unknown>,
  attempt: number,
): RequestEvent {
  return { operation: name, method, urlTemplate, attempt };
}

/**
 * Two immediates are a whole turn on Node, in which it notices that the service has closed a kept-alive connection.
 * Otherwise it would send the request on that connection and lose it.
 */
async function turnOfTheEventLoop(): Promise<void> {
  if (setImmediate === undefined) return;
  await new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));
}

/**
 * Sends with `globalThis.fetch`, looked up at each request. The body is a stream, which can be sent only once: text is
 * sent again by Node after a 421, and by Bun (PUT) and Deno (POST too) after they lost a kept-alive connection,
 * although the service may have acted. So is a request without a body, which gets an empty stream.
 */
function sendOnce(url: string, { body = '', ...init }: FetchInit): Promise<FetchResponse> {
  if (init.method === 'GET' || init.method === 'HEAD') return globalThis.fetch(url, init);
  const bytes = new TextEncoder().encode(body);
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
  // A stream without a known length is sent in chunks, which some gateways refuse.
  const headers = { ...init.headers, 'content-length': String(bytes.byteLength) };
  // `fetch` requires `duplex` for a stream, and TypeScript's types do not know it.
  const streamed: RequestInit & { duplex: 'half' } = { ...init, headers, body: stream, duplex: 'half' };
  return globalThis.fetch(url, streamed);
}

/** Next.js 14 answers queries from its cache. workerd throws at the option before its compatibility date 2024-11-11. */
function caching({ method }: Call<unknown>['request']): Pick<FetchInit, 'cache'> {
  return method === 'GET' && 'cache' in Request.prototype ? { cache: 'no-store' } : {};
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

function discard({ body }: FetchResponse): void {
  if (body instanceof ReadableStream) body.cancel().catch(() => undefined);
}

/**
 * Says what a response means, or its absence. A body that is complete JSON and fits the schema is a success, even if
 * its framing announced more.
 */
async function interpret<T>(
  received: Received,
  call: Call<T>,
  before: readonly Attempt<T>[],
): Promise<Attempt<T>> {
  const { text, readError } = received;
  const connection = describeConnectionFailure(readError, received.isPlatforms);
  const status = received.status ?? connection.hiddenStatus;
  const requestId = requestIdOf(received.header, call.secrets);
  const failed = (error: CallError) => {
    const retryInMs = retryDelayMs(call.request.method, error, received.isPlatforms);
    return { status, requestId, error, retryInMs };
  };
  const context = () => {
    const outcome =
      status === undefined ? (connection.neverSent ? 'not-sent' : 'unknown') : outcomeOf(status);
    return contextOf(call, before, before.length + 1, outcome, uuidOf(text, call));
  };
  const interrupted = () => interruption(readError, connection.reason, call, context());

  if (readError === ABORTED) return failed(abortedError(call, context()));
  if (status === undefined) return failed(interrupted());
  // A failure status says all that matters, and a body that breaks off must not hide it.
  if (status < 200 || status > 299) return failed(httpError(status, requestId, received, call, context()));
  if (readError === TOO_LARGE) {
    return failed(unusable('The response is larger than `maxResponseBytes`.', [], text, context()));
  }
  const body = call.mayBeAnything && text === '' ? undefined : parseBody(text);
  // Before the schema, which an error's body need not fit. -1 and 999 have no stated meaning (section 7.2).
  if (isObject(body) && isOtherThanZero(body['status'])) {
    return failed(
      readError === undefined ? statusError(status, requestId, body, call, context()) : interrupted(),
    );
  }
  const isUsable = isObject(body) || (call.mayBeAnything && readError === undefined && body !== text);
  const validation = isUsable ? await readSafely(call, body) : { issues: [notUsable(text)] };
  if (validation === TIMED_OUT) {
    if (call.signal?.aborted) return failed(abortedError(call, context()));
    return failed(interruption(CALL_TIMED_OUT, undefined, call, context()));
  }
  if (validation.issues === undefined) {
    noteLeftOut(validation.value, validation.leftOut);
    return { status, requestId, leftOut: validation.leftOut, result: validation.value };
  }
  if (readError !== undefined) return failed(interrupted());
  const summary = isUsable
    ? 'The response is a success, but essential fields are missing or invalid.'
    : 'The response is a success without a usable body.';
  return failed(unusable(summary, validation.issues, body, context()));
}

/** An unexpected failure, such as a test double whose `status` throws, must not look like a call that was not sent. */
function uninterpretable<T>({ text }: Received, call: Call<T>, before: readonly Attempt<T>[]): Attempt<T> {
  const context = contextOf(call, before, before.length + 1, 'unknown', uuidOf(text, call));
  const error = unusable('The response cannot be interpreted.', [], text, context);
  return { status: undefined, requestId: undefined, error, retryInMs: undefined };
}

function uuidOf(text: string, { operation, secrets }: Call<unknown>): string | undefined {
  const [uuid, ...others] = new Set(operation.uuidPaths.flatMap((path) => findUuid(text, path) ?? []));
  return uuid !== undefined && others.length === 0 ? secrets.dropIfSecret(uuid) : undefined;
}

/**
 * A schema that throws must not make a success look like a call that can be made again. The caller's own schema may be
 * asynchronous: it gets the time that the call has left.
 */
async function readSafely<T>(call: Call<T>, body: unknown): Promise<Validation<T> | typeof TIMED_OUT> {
  try {
    const reading = call.read(body);
    if (!(reading instanceof Promise)) return reading;
    return await within(call.deadline - performance.now(), reading, call.signal);
  } catch {
    return { issues: [{ path: [], message: 'expected a value that the schema can read' }] };
  }
}

/** 4xx is a refusal, except 408 and 499, which gateways send while the service may still be working. */
function outcomeOf(httpStatus: number): Outcome {
  const mayBeAtWork = httpStatus === 408 || httpStatus === 499;
  return httpStatus >= 400 && httpStatus < 500 && !mayBeAtWork ? 'refused' : 'unknown';
}

/** What an error reports about the whole call: the worst outcome of all attempts. */
function contextOf(
  { operation }: Call<unknown>,
  before: readonly Attempt<unknown>[],
  attempts: number,
  outcome: Outcome,
  uuid?: string,
): CallContext {
  const last = before.at(-1)?.error;
  return {
    operation: operation.name,
    attempts,
    outcome: last !== undefined && SEVERITY[last.outcome] > SEVERITY[outcome] ? last.outcome : outcome,
    // An earlier uuid counts only if its attempt may have acted: a refusal may quote one that the call did not create.
    uuid: uuid ?? (last?.outcome === 'unknown' ? last.uuid : undefined),
  };
}

const SEVERITY: Record<Outcome, number> = { 'not-sent': 0, refused: 1, unknown: 2 };

function abortedError({ operation, signal }: Call<unknown>, context: CallContext): AbortedError {
  const message = `The signal given to ${operation.name} ended it. ${advice(context)}`;
  return new AbortedError(message, { ...context, cause: signal?.reason });
}

/** A time limit ended the attempt, or the connection failed. */
function interruption(
  readError: unknown,
  reason: string | undefined,
  { operation, limits, url }: Call<unknown>,
  context: CallContext,
): CallError {
  if (readError === ATTEMPT_TIMED_OUT || readError === CALL_TIMED_OUT) {
    const limit = readError === ATTEMPT_TIMED_OUT ? 'timeoutMs' : 'totalTimeoutMs';
    const message = `${operation.name} did not end within \`${limit}\` (${limits[limit]} ms). ${advice(context)}`;
    return new TimeoutError(message, context);
  }
  const cause = reason === undefined ? '' : ` (${reason})`;
  const what =
    context.outcome === 'not-sent'
      ? `${operation.name} could not connect to the service${cause}.`
      : `The connection was lost during ${operation.name}${cause}.`;
  const message = [what, hintFor(reason, url, context.outcome), advice(context)].filter(Boolean).join(' ');
  return new ConnectionError(message, { ...context, reason });
}

function hintFor(reason: string | undefined, url: string, outcome: Outcome): string {
  if (reason === NO_TLS) {
    return (
      'If it fails every time, that port speaks plain HTTP, not HTTPS. Check the port of `baseUrl`. If it is a sandbox on ' +
      'this machine, write `http://`.'
    );
  }
  if (reason === 'ECONNREFUSED' && isLoopback(new URL(url).hostname)) {
    return 'Nothing listens there. Is the sandbox running (`npx pix-automatic-sdk sandbox`), and on this port?';
  }
  return outcome === 'not-sent' ? 'Check `baseUrl`, the name service, certificates and proxies.' : '';
}

function httpError(
  httpStatus: number,
  requestId: string | undefined,
  { header, text }: Received,
  call: Call<unknown>,
  context: CallContext,
): ApiError {
  const body = parseBody(text);
  const cause =
    httpStatus >= 300 && httpStatus < 400 ? redirect(header, call) : (LIKELY_CAUSES[httpStatus] ?? '');
  const where = httpStatus === 404 ? ` for ${call.operation.urlTemplate}` : '';
  const explanation = where + cause + namesOf(serviceErrorsOf(body), call.secrets);
  const message = `The service answered ${call.operation.name} with HTTP ${httpStatus}${explanation}. ${advice(context)}`;
  const retryAfterMs = parseRetryAfter(header('retry-after'));
  return new ApiError(message, { ...context, httpStatus, requestId, body, retryAfterMs });
}

/** The likely cause and the way out, if the status tells. */
const LIKELY_CAUSES: Readonly<Record<number, string>> = {
  400: '. The reason is in `error.serviceMessage` or in `error.body`',
  401: '. Check that `apiKey` and `apiToken` belong to this `baseUrl`',
  403: '. Check that `apiKey` and `apiToken` belong to this `baseUrl`',
  404: '. Check the identifier, and the path prefix of `baseUrl`',
  407: ': a proxy on the way wants to know who asks',
  422: '. The reason is in `error.serviceMessage` or in `error.body`',
  429: ': too many requests',
};

function redirect(header: Received['header'], { secrets }: Call<unknown>): string {
  const location = header('location') ?? '';
  const isUrl = /^https?:/i.test(location) && URL.canParse(location);
  const origin = isUrl ? ` to ${secrets.redact(new URL(location).origin)}` : '';
  return `, a redirect${origin}, which is never followed because the credentials would go with it. Check \`baseUrl\``;
}

/** The fields that the service names, without its messages, which may quote their values. */
function namesOf(errors: readonly ServiceError[], secrets: Secrets): string {
  const names = errors.flatMap(({ field }) =>
    field !== undefined && /^[A-Za-z_][\w.[\]-]{0,79}$/.test(field) ? [field] : [],
  );
  return names.length === 0
    ? ''
    : `. It names these fields: ${secrets.redact(names.join(', '))}, see \`error.serviceErrors\``;
}

/** The service's own id of the request, under the names that services use. */
function requestIdOf(header: Received['header'], secrets: Secrets): string | undefined {
  const id = header('x-request-id') ?? header('request-id') ?? header('x-correlation-id');
  return id === null || !/^[\x21-\x7e]{1,200}$/.test(id) ? undefined : secrets.redact(id);
}

function statusError(
  httpStatus: number,
  requestId: string | undefined,
  body: Readonly<Record<string, unknown>>,
  { operation }: Call<unknown>,
  context: CallContext,
): ApiError {
  const message =
    `The service answered ${operation.name} with HTTP ${httpStatus} and a body whose status is ${body['status']}, not 0. ` +
    `${advice(context)} Its own message is in \`error.serviceMessage\`.`;
  return new ApiError(message, { ...context, httpStatus, requestId, body });
}

/** Accepts a number, or a number as text. Other text does not have the documented type: the schema leaves it out. */
function isOtherThanZero(status: unknown): boolean {
  const isNumber = typeof status === 'number' || (typeof status === 'string' && /^-?\d+$/.test(status));
  return isNumber && Number(status) !== 0;
}

function unusable(
  summary: string,
  issues: readonly ValidationIssue[],
  body: unknown,
  context: CallContext,
): InvalidResponseError {
  const details = issues.length === 0 ? '' : `${summarize(issues)}. `;
  return new InvalidResponseError(`${summary} ${details}${advice(context)}`, { ...context, issues, body });
}

/** The text parsed as JSON, or the text itself if it is not JSON. */
function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function notUsable(text: string): ValidationIssue {
  const body = parseBody(text);
  const isHtml = /^\s*<(?:!doctype\s+html|html|head|body)\b/i.test(text);
  const got =
    text.trim() === ''
      ? 'nothing'
      : isHtml
        ? 'an HTML page. Does `baseUrl` point at a website, or at a proxy with a login page?'
        : Array.isArray(body)
          ? 'a list'
          : body === text
            ? 'text that is not JSON'
            : 'another JSON value';
  return { path: [], message: `expected a JSON object, got ${got}` };
}
