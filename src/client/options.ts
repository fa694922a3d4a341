import { ConfigurationError } from '../errors';
import type { Credentials } from '../service/credentials';
import { ownOptions } from '../shared/objects';

import { assertCredentials } from '../values/credentials';
import { checkFunction, checkPositive } from '../values/option-checks';
import { VERSION } from '../version';
import { parseBaseUrl } from './base-url';
import type { Fetch } from './fetch';
import type { Observers } from './observers';

/** How to reach the service, and how hard to try. */
export interface PaymentsClientOptions extends Credentials, CallLimits, Observers {
  /**
   * Where the service is, e.g. `https://api.example.com`. https only, except for loopback hosts. A path prefix is
   * kept, with or without a trailing slash.
   */
  readonly baseUrl: string;

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
   * Fields that the service accepts and this library does not know yet, merged deep into the body. They override fields
   * of the request, and `undefined` removes a field. The merged body is what is checked and sent.
   */
  readonly extraFields?: Readonly<Record<string, unknown>> | undefined;
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
  readonly limits: ResolvedLimits;
  readonly maxResponseBytes: number;
  /** The caller's own. */
  readonly fetch: Fetch | undefined;
  readonly userAgent: string;
}

const DEFAULT_LIMITS: ResolvedLimits = { timeoutMs: 30_000, totalTimeoutMs: 90_000, maxRetries: 2 };

/** @throws `ConfigurationError` for the first option that cannot work */
export function resolveOptions(given: PaymentsClientOptions): ResolvedOptions {
  if (typeof given !== 'object' || given === null) {
    throw new ConfigurationError(
      'Expected `new PaymentsClient({ baseUrl, apiKey, apiToken })`, or `PaymentsClient.fromEnv()`, which reads them ' +
        'from the environment.',
    );
  }
  const options = ownOptions(given);
  const baseUrl = parseBaseUrl(options.baseUrl, options.allowInsecureHttp === true);
  const { apiKey, apiToken } = options;
  assertCredentials({ apiKey, apiToken });
  const userAgent = options.userAgent ?? `pix-automatic-sdk/${VERSION}`;
  if (!/^[\x20-\x7e]+$/.test(userAgent)) {
    throw new ConfigurationError(
      'Expected `userAgent` to have only printable ASCII characters, as a header must.',
    );
  }
  const maxResponseBytes = checkPositive(
    'maxResponseBytes',
    options.maxResponseBytes ?? 1024 * 1024,
    Number.MAX_SAFE_INTEGER,
  );
  const { fetch } = options;
  if (fetch !== undefined) checkFunction('fetch', fetch, '(url, init) => Promise<Response>');
  for (const name of ['onRequest', 'onResponse', 'onRetry'] as const) {
    const observer = options[name] ?? undefined;
    if (observer !== undefined) checkFunction(name, observer, '(event) => void');
  }
  return {
    baseUrl,
    apiKey,
    apiToken,
    limits: resolveLimits(options, DEFAULT_LIMITS),
    maxResponseBytes,
    fetch,
    userAgent,
    onRequest: options.onRequest,
    onResponse: options.onResponse,
    onRetry: options.onRetry,
  };
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
  const { aborted, addEventListener, removeEventListener } = signal;
  const isSignal = typeof addEventListener === 'function' && typeof removeEventListener === 'function';
  if (typeof aborted !== 'boolean' || !isSignal) {
    throw new ConfigurationError('Expected `signal` to be an AbortSignal, such as `controller.signal`.');
  }
  return signal;
}
