/** What a failure of `fetch` proves about the request. */
export interface ConnectionFailure {
  /** The platform's code for it, such as `ECONNREFUSED`. */
  readonly reason: string | undefined;
  /** The request certainly never reached the service. */
  readonly neverSent: boolean;
  /** The status of a response that the platform's `fetch` hides behind a failure. */
  readonly hiddenStatus: number | undefined;
}

/**
 * Looks for the cause in what `fetch` threw. The platform's errors are only read, never passed on: they may hold the
 * request with its headers, or a part of the response.
 *
 * @param isPlatforms - whether the platform's own `fetch` threw it. Any other may have sent the request before it
 *   failed, so its failure proves nothing.
 */
export function describeConnectionFailure(thrown: unknown, isPlatforms: boolean): ConnectionFailure {
  try {
    const causes = causesOf(thrown, 0).map(describeCause);
    return {
      reason: causes.find(({ reason }) => reason !== undefined)?.reason,
      // Several addresses may have been tried: proof is needed for each of them.
      neverSent: isPlatforms && causes.every(({ neverSent }) => neverSent),
      hiddenStatus: isPlatforms ? hiddenStatusOf(thrown) : undefined,
    };
  } catch {
    // A getter of the error threw.
    return { reason: undefined, neverSent: false, hiddenStatus: undefined };
  }
}

/** The innermost causes: `fetch` wraps errors, and trying several addresses gives an `AggregateError`. */
function causesOf(thrown: unknown, depth: number): unknown[] {
  if (typeof thrown !== 'object' || thrown === null || depth > MAX_DEPTH) return [thrown];
  const members: unknown = Reflect.get(thrown, 'errors');
  if (Array.isArray(members) && members.length > 0)
    return members.flatMap((member) => causesOf(member, depth + 1));
  const cause: unknown = Reflect.get(thrown, 'cause');
  return cause === undefined || cause === null ? [thrown] : causesOf(cause, depth + 1);
}

const MAX_DEPTH = 5;

function describeCause(cause: unknown): Omit<ConnectionFailure, 'hiddenStatus'> {
  const { code, syscall, message } = Object(cause) as Record<string, unknown>;
  // The fetch standard forbids some ports (mail, IRC, …); the platform's error for it has no code.
  if (message === BAD_PORT) return { reason: BAD_PORT, neverSent: true };
  const text = typeof message === 'string' ? message : '';
  if (DENO_CONNECT.test(text)) {
    return { reason: text.includes(BAD_CERTIFICATE) ? BAD_CERTIFICATE : undefined, neverSent: true };
  }
  const reason = typeof code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(code) ? code : undefined;
  const neverSent =
    syscall === 'connect' ||
    syscall === 'getaddrinfo' ||
    BEFORE_SENDING.test(text) ||
    (reason !== undefined && (NEVER_SENT.has(reason) || CERTIFICATE_PROBLEM.test(reason)));
  return { reason, neverSent };
}

const BAD_PORT = 'bad port';
// Deno's errors have no codes. This message means that connecting failed, before the request was sent. A URL has no
// white space, so it cannot imitate the message.
const DENO_CONNECT = /^error sending request for url \(\S+\): client error \(Connect\)/;
const BAD_CERTIFICATE = 'invalid peer certificate';
// Node's messages for a handshake that was cut off, for a proxy that opened no tunnel, and for a dispatcher of another
// undici. Their codes say less.
const BEFORE_SENDING =
  /^(?:Client network socket disconnected before secure TLS connection was established|Proxy response \(\d+\) !== 200 when HTTP Tunneling|invalid on\w+ method)$/;
const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);
/**
 * OpenSSL's code for a record that is not TLS. Usually the port speaks plain HTTP, but the record may also come after
 * the request was sent, so it proves nothing.
 */
export const NO_TLS = 'ERR_SSL_WRONG_VERSION_NUMBER';

/** undici's code for a dispatcher that is of another version than the `fetch` that was to send with it. */
export const UNFIT = 'UND_ERR_INVALID_ARG';

/**
 * Whether retrying cannot help: the port is forbidden, does not speak TLS, or has an untrusted certificate, or the
 * dispatcher does not fit.
 */
export function isPermanent(reason: string): boolean {
  return [BAD_PORT, BAD_CERTIFICATE, NO_TLS, UNFIT].includes(reason) || CERTIFICATE_PROBLEM.test(reason);
}

// Node's codes for certificates ("X509 certificate error codes" in the documentation of its `tls`).
const CERTIFICATE_PROBLEM =
  /^(?:CERT_|ERR_TLS_CERT_|UNABLE_TO_(?:GET|VERIFY|DECRYPT|DECODE)_|(?:DEPTH_ZERO_)?SELF_SIGNED_CERT|CRL_|ERROR_IN_C(?:ERT|RL)_|(?:INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH)$)/;

/**
 * The fetch standard hides two statuses from programs without a user to ask: 407, and 401 after a request whose body is
 * a stream. Node throws for every 407, with an empty message, and versions with undici 7.20 to 7.24 for such a 401.
 */
function hiddenStatusOf(thrown: unknown): number | undefined {
  const { message, cause } = Object(thrown) as Record<string, unknown>;
  if (message !== 'fetch failed' || !(cause instanceof Error)) return undefined;
  if ('code' in cause || 'errors' in cause) return undefined;
  return cause.message === '' ? 407 : cause.message === 'expected non-null body source' ? 401 : undefined;
}
