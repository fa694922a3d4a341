/** What can be proven about a connection that failed. */
export interface ConnectionFailure {
  /** The platform's code for it, such as `ECONNREFUSED`. */
  readonly reason: string | undefined;
  /** The request certainly never reached the service. */
  readonly neverSent: boolean;
}

/**
 * Looks through what `fetch` threw. The platform's errors are only read here, never passed on: theirs may hold the
 * request with its headers, or a piece of the answer.
 */
export function describeConnectionFailure(thrown: unknown): ConnectionFailure {
  const failures = causesOf(thrown, 0).map(describeCause);
  return {
    reason: failures.find(({ reason }) => reason !== undefined)?.reason,
    // Several addresses may have been tried: each one of them has to be proven.
    neverSent: failures.every(({ neverSent }) => neverSent),
  };
}

/** The innermost causes: `fetch` wraps, and trying several addresses gives an `AggregateError`. */
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
// Deno's errors have no codes. This one is of the step before the request is sent. No URL, which has no white space,
// can look like it.
const DENO_CONNECT = /^error sending request for url \(\S+\): client error \(Connect\)/;
// OpenSSL's, for a first record that is none: the port speaks plain HTTP.
const NO_TLS = 'ERR_SSL_WRONG_VERSION_NUMBER';
const BAD_CERTIFICATE = 'invalid peer certificate';
// Node gives it the code of any lost connection.
const HANDSHAKE_CUT_OFF = /^Client network socket disconnected before secure TLS connection was established$/;
const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

/**
 * Trying again cannot help: the port is forbidden, does not speak TLS, or has a certificate that is not trusted. All are
 * found before anything is sent. Other failures of TLS may come later: a server that wants a client's certificate says so, in TLS 1.3, when
 * the request is already on its way.
 */
export function isPermanent(reason: string): boolean {
  return (
    reason === BAD_PORT || reason === BAD_CERTIFICATE || reason === NO_TLS || CERTIFICATE_PROBLEM.test(reason)
  );
}

// Node's codes for certificates ("X509 certificate error codes" in the documentation of its `tls`).
const CERTIFICATE_PROBLEM =
  /^(?:CERT_|ERR_TLS_CERT_|UNABLE_TO_(?:GET|VERIFY|DECRYPT|DECODE)_|(?:DEPTH_ZERO_)?SELF_SIGNED_CERT|CRL_|ERROR_IN_C(?:ERT|RL)_|(?:INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH)$)/;
