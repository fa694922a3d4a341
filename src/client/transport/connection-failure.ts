/** What can be proven about a connection that failed. */
export interface ConnectionFailure {
  /** The platform's code for it, such as `ECONNREFUSED`. */
  readonly reason: string | undefined;
  /** The request certainly never reached the service. */
  readonly neverSent: boolean;
}

/**
 * Looks for the cause in what `fetch` threw. The platform's errors are only read, never passed on: they may hold the
 * request with its headers, or a part of the response.
 */
export function describeConnectionFailure(thrown: unknown): ConnectionFailure {
  const failures = causesOf(thrown, 0).map(describeCause);
  return {
    reason: failures.find(({ reason }) => reason !== undefined)?.reason,
    // Several addresses may have been tried: proof is needed for each of them.
    neverSent: failures.every(({ neverSent }) => neverSent),
  };
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

function describeCause(cause: unknown): ConnectionFailure {
  const { code, syscall, message } = Object(cause) as Record<string, unknown>;
  // The fetch standard forbids some ports (mail, IRC, …); the platform's error for it has no code.
  if (message === BAD_PORT) return { reason: BAD_PORT, neverSent: true };
  if (typeof message === 'string' && DENO_CONNECT.test(message)) {
    const untrusted = message.includes(BAD_CERTIFICATE);
    return { reason: untrusted ? BAD_CERTIFICATE : undefined, neverSent: true };
  }
  const reason = typeof code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(code) ? code : undefined;
  const neverSent =
    syscall === 'connect' ||
    syscall === 'getaddrinfo' ||
    (typeof message === 'string' && HANDSHAKE_CUT_OFF.test(message)) ||
    (reason !== undefined && (NEVER_SENT.has(reason) || isPermanent(reason)));
  return { reason, neverSent };
}

const BAD_PORT = 'bad port';
// Deno's errors have no codes. This message means that connecting failed, before the request was sent. A URL has no
// white space, so it cannot imitate the message.
const DENO_CONNECT = /^error sending request for url \(\S+\): client error \(Connect\)/;
/** OpenSSL's code when the first record is not TLS: the port speaks plain HTTP. */
export const NO_TLS = 'ERR_SSL_WRONG_VERSION_NUMBER';
const BAD_CERTIFICATE = 'invalid peer certificate';
// Node's message for a lost handshake, whose code is the same as for any lost connection.
const HANDSHAKE_CUT_OFF = /^Client network socket disconnected before secure TLS connection was established$/;
const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

/**
 * Whether retrying cannot help: the port is forbidden, does not speak TLS, or has an untrusted certificate. All of
 * these are found before anything is sent. Other TLS failures may come later: in TLS 1.3, a server that requires a
 * client certificate says so when the request is already on its way.
 */
export function isPermanent(reason: string): boolean {
  return (
    reason === BAD_PORT || reason === BAD_CERTIFICATE || reason === NO_TLS || CERTIFICATE_PROBLEM.test(reason)
  );
}

// Node's codes for certificates ("X509 certificate error codes" in the documentation of its `tls`).
const CERTIFICATE_PROBLEM =
  /^(?:CERT_|ERR_TLS_CERT_|UNABLE_TO_(?:GET|VERIFY|DECRYPT|DECODE)_|(?:DEPTH_ZERO_)?SELF_SIGNED_CERT|CRL_|ERROR_IN_C(?:ERT|RL)_|(?:INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH)$)/;
