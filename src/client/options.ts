import { ConfigurationError } from '../errors/configuration-error';
import type { PaymentsErrorCode } from '../errors/payments-error';
import type { Credentials } from '../service/credentials';
import type { CallName } from '../service/operations';
import type { ValidationIssue } from '../shared/validation-issue';
import { assertCredentials } from '../values/credentials';
import {
  checkFunction,
  checkPositive,
  type OptionNames,
  readNamedOptions,
  readOptions,
} from '../values/option-checks';
import { VERSION } from '../version';
import { parseBaseUrl } from './base-url';

/** How to reach the service, and how hard to try. */
export interface PaymentsClientOptions extends Credentials, CallLimits, Observers {
  /**
   * Where the service is, e.g. `https://api.example.com`. https only, except for loopback hosts. A path prefix is
   * kept, with or without a trailing slash.
   */
  readonly baseUrl: string;

  /**
   * The other pair during a rotation, of which nobody knows when the service switches. A 401 or 403 is answered by one
   * more attempt with the other pair, beside `maxRetries` and within `totalTimeoutMs`; a POST or PUT only over the platform's
   * `fetch`. The pair that got a 2xx is used first from then on. Remove the option when the rotation is over.
   *
   * @defaultValue no other pair
   */
  readonly previous?: Credentials | null | undefined;

  /**
   * The largest response to read, in bytes after decompression. A larger one causes an `InvalidResponseError`, which
   * still has the `uuid` if it came within the limit.
   *
   * @defaultValue 1 MiB
   */
  readonly maxResponseBytes?: number | undefined;

  /**
   * The function that sends the requests, for proxies and special agents. It is called as `fetch(url, init)` with a
   * string and a plain object, so the `fetch` of npm's undici fits.
   *
   * It must send each request once and never retry by itself: a POST sent twice can create two journeys, and the
   * library cannot see it. With your own `fetch`, POST and PUT are never retried, and no error is `'not-sent'` once it
   * was called: what it reports says nothing about earlier tries. Queries are retried as usual.
   *
   * @defaultValue `globalThis.fetch`, looked up at each request. If something has replaced it after this library was
   *   loaded, it counts as your own.
   */
  readonly fetch?: Fetch | undefined;

  /**
   * A dispatcher of npm's undici, for the platform's `fetch` on Node: a `ProxyAgent`, an `Agent` with your authority or a
   * client certificate, a `MockAgent`. undici 7 fits every version of Node.
   *
   * It must send each request once, as undici's do, except `RetryAgent` and the `retry` interceptor: a POST sent twice can
   * create two journeys. Errors and retries are then as without it. Every request closes its connection after it: leave
   * `allowH2` false, because over HTTP/2 requests share one.
   *
   * @defaultValue what all of the process share: Node's own, or that of undici's `setGlobalDispatcher`
   */
  readonly dispatcher?: Dispatcher | undefined;

  /**
   * Allows `http://` for hosts other than loopback. The credentials are then readable by everyone on the way.
   *
   * @defaultValue false
   */
  readonly allowInsecureHttp?: boolean | undefined;

  /**
   * The `user-agent` header.
   *
   * @defaultValue `pix-automatic-sdk/VERSION`
   */
  readonly userAgent?: string | undefined;
}

/** The limits of a call: defaults of the client, which each call may override. */
export interface CallLimits {
  /**
   * Maximum duration of one attempt, in milliseconds, from connecting to the last byte of the body. A call with retries
   * can take longer.
   *
   * @defaultValue 30_000
   */
  readonly timeoutMs?: number | undefined;

  /**
   * Maximum duration of the whole call, in milliseconds, including all attempts and the waits between them. If the
   * service asks for a longer wait with `Retry-After`, the call fails immediately.
   *
   * @defaultValue 90_000
   */
  readonly totalTimeoutMs?: number | undefined;

  /**
   * How many times a call may be retried. Queries are retried after transient failures; calls that change something
   * only on 429, and only over the platform's `fetch`. 0 switches retries off.
   *
   * @defaultValue 2
   */
  readonly maxRetries?: number | undefined;
}

/** Options of a single call. */
export interface CallOptions extends CallLimits {
  /** Ends the call at once with an `AbortedError`, whose `outcome` tells you whether it may have gone through. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of a call with a body. */
export interface BodyCallOptions extends CallOptions {
  /**
   * Top-level fields that the service accepts and this library does not know yet, sent beside those of the request. A
   * documented field, or one that the request has, is refused: put it into the request.
   */
  readonly extraFields?: Readonly<Record<string, unknown>> | undefined;
}

/** Connects, sends and receives for Node's `fetch`. Those of undici 6, 7 and 8 fit. */
export interface Dispatcher {
  /** Sends one request, as undici defines it. */
  dispatch(options: never, handler: never): boolean;
}

/** Sends the requests. The platform's `fetch` fits, and so do those of npm's undici and node-fetch. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

/** A request, in the plain form that every implementation of `fetch` takes. */
export interface FetchInit {
  /** `GET`, `POST` or `PUT`, or the method that you passed to `client.request`. */
  readonly method: string;
  /** The headers, including the credentials: keep them out of your log. */
  readonly headers: Record<string, string>;
  /** The JSON; missing for a query. */
  readonly body?: string;
  /** Redirects are never followed: `fetch` would send `x-api-key` and `x-api-token` on to the other host. */
  readonly redirect: 'manual';
  /** Set for queries, because a framework may cache them (Next.js 14 does). */
  readonly cache?: 'no-store';
  /** Fires when the time is up, or when the caller ends the call. */
  readonly signal: AbortSignal;
}

/** The part of a response that the client reads. */
export interface FetchResponse {
  /** The HTTP status. */
  readonly status: number;
  /** The headers. */
  readonly headers: {
    /** The value of a header, by its name in any case. */
    get(name: string): string | null;
  };
  /** The body. The bytes of a stream or an async iterable are counted as they arrive; else `text` is called. */
  readonly body: unknown;
  /** The whole body as text. */
  text(): Promise<string>;
}

/**
 * Callbacks for logs, metrics and traces. They receive no credential, no body and no identifier (but the path of a
 * `client.request`). An observer that throws or rejects changes nothing.
 */
export interface Observers {
  /** Called before each attempt. */
  readonly onRequest?: ((event: RequestEvent) => void) | undefined;
  /** Called at the end of each attempt, whether a response came or not. */
  readonly onResponse?: ((event: ResponseEvent) => void) | undefined;
  /** Called when a retry has been decided on, before the wait for it. */
  readonly onRetry?: ((event: RetryEvent) => void) | undefined;
}

/** An attempt is about to be made. */
export interface RequestEvent {
  /** The operation, by the name of the client's method; for `client.request`, the method and the path. */
  readonly operation: CallName;
  /** The HTTP method. */
  readonly method: string;
  /** The path with the names of its parameters, e.g. `/v1.1/transactions/{transactionUUID}`. For `client.request`, the path. */
  readonly urlTemplate: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
}

/** An attempt has ended. */
export interface ResponseEvent extends RequestEvent {
  /** The HTTP status; `undefined` when none came. */
  readonly status: number | undefined;
  /**
   * Fields of a successful response that did not have the documented type and are left out of the result: where, and
   * what was expected, never the values. Usually empty.
   */
  readonly issues: readonly ValidationIssue[];
  /** The service's own id of the request, from `x-request-id`, `request-id` or `x-correlation-id`, if one came. */
  readonly requestId: string | undefined;
  /** How long the attempt took, in milliseconds, including the body. */
  readonly durationMs: number;
  /** The `code` of the attempt's error; `undefined` when it succeeded. */
  readonly errorCode: PaymentsErrorCode | undefined;
}

/** Another attempt will be made after a failure. */
export interface RetryEvent extends RequestEvent {
  /** The HTTP status of the attempt that failed; `undefined` when no response came. */
  readonly status: number | undefined;
  /** How long the wait will be, in milliseconds. */
  readonly delayMs: number;
  /** The `code` of the error of the attempt that failed. */
  readonly errorCode: PaymentsErrorCode;
}

/** The limits of one call, with all defaults filled in. */
export interface ResolvedLimits {
  readonly timeoutMs: number;
  readonly totalTimeoutMs: number;
  readonly maxRetries: number;
}

/** The client's options, checked and with all defaults filled in. */
export interface ResolvedOptions extends Credentials, Observers {
  readonly baseUrl: string;
  /** The other pair during a rotation. */
  readonly previous: Credentials | undefined;
  readonly limits: ResolvedLimits;
  readonly maxResponseBytes: number;
  /** The caller's own; `undefined` for the platform's. */
  readonly fetch: Fetch | undefined;
  readonly dispatcher: Dispatcher | undefined;
  readonly userAgent: string;
}

const DEFAULT_LIMITS: ResolvedLimits = { timeoutMs: 30_000, totalTimeoutMs: 90_000, maxRetries: 2 };

/** The options of `PaymentsClient.fromEnv`: what the environment does not give. */
export const FROM_ENV_OPTIONS: OptionNames<Omit<PaymentsClientOptions, 'baseUrl' | 'apiKey' | 'apiToken'>> = {
  previous: true,
  timeoutMs: true,
  totalTimeoutMs: true,
  maxRetries: true,
  maxResponseBytes: true,
  fetch: true,
  dispatcher: true,
  allowInsecureHttp: true,
  userAgent: true,
  onRequest: true,
  onResponse: true,
  onRetry: true,
};

export const CALL_OPTIONS: OptionNames<CallOptions> = {
  timeoutMs: true,
  totalTimeoutMs: true,
  maxRetries: true,
  signal: true,
};

export const BODY_CALL_OPTIONS: OptionNames<BodyCallOptions> = { ...CALL_OPTIONS, extraFields: true };

const NAMES: OptionNames<PaymentsClientOptions> = {
  ...FROM_ENV_OPTIONS,
  baseUrl: true,
  apiKey: true,
  apiToken: true,
};

/** @throws `ConfigurationError` for options in place of the environment, whose variables have other names */
export function checkEnvironment(env: object | undefined): void {
  const option = Object.keys(env ?? {}).find((name) => Object.hasOwn(NAMES, name));
  if (option === undefined || env === globalThis.process?.env) return;
  const isFree = Object.hasOwn(FROM_ENV_OPTIONS, option);
  throw new ConfigurationError(
    `The first argument of \`fromEnv\` is the environment, and \`${option}\` is an option: ` +
      (isFree
        ? `\`PaymentsClient.fromEnv(process.env, { ${option} })\`.`
        : 'pass all of them to `new PaymentsClient({ baseUrl, apiKey, apiToken })`.'),
  );
}

/** @throws `ConfigurationError` for the first option that cannot work */
export function resolveOptions(given: PaymentsClientOptions): ResolvedOptions {
  if (typeof given !== 'object' || given === null) {
    throw new ConfigurationError(
      'Expected `new PaymentsClient({ baseUrl, apiKey, apiToken })`, or `PaymentsClient.fromEnv()`, which reads them ' +
        'from the environment.',
    );
  }
  const options = readNamedOptions('PaymentsClient', given, NAMES);
  const baseUrl = parseBaseUrl(options.baseUrl, options.allowInsecureHttp === true);
  const { apiKey, apiToken } = options;
  assertCredentials({ apiKey, apiToken });
  const previous = resolvePrevious(options.previous, { apiKey, apiToken });
  const userAgent = options.userAgent ?? `pix-automatic-sdk/${VERSION}`;
  if (typeof userAgent !== 'string' || !/^[\x20-\x7e]+$/.test(userAgent)) {
    throw new ConfigurationError(
      'Expected `userAgent` to have only printable ASCII characters, as a header must.',
    );
  }
  const maxResponseBytes = checkPositive(
    'maxResponseBytes',
    options.maxResponseBytes ?? 1024 * 1024,
    Number.MAX_SAFE_INTEGER,
  );
  const { fetch, dispatcher } = options;
  if (fetch !== undefined) checkFunction('fetch', fetch, '(url, init) => Promise<Response>');
  if (dispatcher !== undefined) checkDispatcher(dispatcher, fetch);
  for (const name of ['onRequest', 'onResponse', 'onRetry'] as const) {
    const observer = options[name] ?? undefined;
    if (observer !== undefined) checkFunction(name, observer, '(event) => void');
  }
  return {
    baseUrl,
    apiKey,
    apiToken,
    previous,
    limits: resolveLimits(options, DEFAULT_LIMITS),
    maxResponseBytes,
    fetch,
    dispatcher,
    userAgent,
    onRequest: options.onRequest,
    onResponse: options.onResponse,
    onRetry: options.onRetry,
  };
}

/** @throws `ConfigurationError` for a dispatcher that nothing would use: what goes past a proxy or a mock is real */
function checkDispatcher(dispatcher: Dispatcher, fetch: Fetch | undefined): void {
  if (typeof Object(dispatcher).dispatch !== 'function') {
    throw new ConfigurationError(
      "Expected `dispatcher` to be one of undici's, such as `new ProxyAgent('http://proxy.example:3128')`.",
    );
  }
  if (fetch !== undefined) {
    throw new ConfigurationError(
      'Expected `dispatcher` or `fetch`, not both: your own `fetch` would not get the `dispatcher`. Leave `fetch` out, or ' +
        'pass the dispatcher in it: `fetch: (url, init) => undiciFetch(url, { ...init, dispatcher })`.',
    );
  }
  if (globalThis.process?.versions?.['undici'] === undefined) {
    throw new ConfigurationError(
      "Only Node's `fetch` takes a `dispatcher`, and this runtime's would ignore it. Use this runtime's own way to a proxy " +
        'or a certificate, or pass a `fetch` that has it.',
    );
  }
}

/** The other pair, if it is another one. */
function resolvePrevious(
  given: Credentials | null | undefined,
  current: Credentials,
): Credentials | undefined {
  if (given === null || given === undefined) return undefined;
  const { apiKey, apiToken } = readOptions('previous: { apiKey, apiToken }', given);
  assertCredentials({ apiKey, apiToken }, 'previous');
  const isOther = apiKey !== current.apiKey || apiToken !== current.apiToken;
  return isOther ? { apiKey, apiToken } : undefined;
}

/** @throws `ConfigurationError` for the first limit that cannot work */
export function resolveLimits(limits: CallLimits, defaults: ResolvedLimits): ResolvedLimits {
  const timeoutMs = checkPositive('timeoutMs', limits.timeoutMs ?? defaults.timeoutMs);
  const totalTimeoutMs = checkPositive('totalTimeoutMs', limits.totalTimeoutMs ?? defaults.totalTimeoutMs);
  const maxRetries = limits.maxRetries ?? defaults.maxRetries;
  if (!Number.isInteger(maxRetries) || maxRetries < 0) {
    throw new ConfigurationError('Expected `maxRetries` to be a whole number, 0 or more.');
  }
  return { timeoutMs, totalTimeoutMs, maxRetries };
}

/** @throws `ConfigurationError` for anything that is not an `AbortSignal` */
export function resolveSignal(signal: AbortSignal | null | undefined): AbortSignal | undefined {
  if (signal === null || signal === undefined) return undefined;
  if (!isSignal(signal)) {
    throw new ConfigurationError('Expected `signal` to be an AbortSignal, such as `controller.signal`.');
  }
  return signal;
}

function isSignal(value: AbortSignal): boolean {
  try {
    const { aborted, addEventListener, removeEventListener } = value;
    const isTarget = typeof addEventListener === 'function' && typeof removeEventListener === 'function';
    return typeof aborted === 'boolean' && isTarget;
  } catch {
    return false;
  }
}
