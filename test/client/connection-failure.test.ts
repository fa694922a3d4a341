import { type AddressInfo, createServer } from 'node:net';
import { ConnectionError } from 'pix-automatic-sdk';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { describeConnectionFailure, isPermanent } from '../../src/client/connection-failure';
import { reply, startHttpServer, startHttpsServer, unusedPort } from '../helpers/http-server';
import { startRawServer } from '../helpers/raw-server';
import { selfSigned } from './self-signed';
import { clientFor, failureOf, operations } from './support';

describe('a certificate that is not trusted', () => {
  it.each(operations)('stops $name before anything is sent, and is not retried', async ({ call }) => {
    const server = await startHttpsServer(selfSigned, reply(200, {}));
    const onRetry = vi.fn();
    const thrown = await failureOf(call(clientFor(server, { onRetry })));
    expect(thrown).toBeInstanceOf(ConnectionError);
    expect(thrown).toMatchObject({
      outcome: 'not-sent',
      reason: 'DEPTH_ZERO_SELF_SIGNED_CERT',
      attempts: 1,
    });
    expect(thrown.message).toContain('certificates');
    expect(onRetry).not.toHaveBeenCalled();
    expect(server.requests).toEqual([]);
  });

  it('ends waitForTransaction at once', async () => {
    const server = await startHttpsServer(selfSigned, reply(200, {}));
    const started = performance.now();
    const thrown = await failureOf(clientFor(server).waitForTransaction('uuid-1', { intervalMs: 5_000 }));
    expect(thrown.code).toBe('connection_failed');
    expect(performance.now() - started).toBeLessThan(4_000);
  });
});

it('an https call to a port that speaks plain HTTP is not retried, and its code proves nothing', async () => {
  const server = await startHttpServer(reply(200, {}));
  const [create] = operations;
  const thrown = await failureOf(create.call(clientFor({ url: `https://127.0.0.1:${server.port}` })));
  expect(thrown).toMatchObject({ code: 'connection_failed', outcome: 'unknown', attempts: 1 });
  expect(thrown.message).toContain(
    '(ERR_SSL_WRONG_VERSION_NUMBER). If it fails every time, that port speaks plain HTTP, not HTTPS. ' +
      'Check the port of `baseUrl`. If it is a sandbox on this machine, write `http://`.',
  );
  expect(server.requests).toEqual([]);
});

it.each(['end', 'destroy'] as const)(
  'a TLS handshake that the server cuts off (%s) is not-sent',
  async (how) => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const server = createServer((socket) => socket.once('data', () => socket[how]()).on('error', () => {}));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const thrown = await failureOf(operations[0].call(clientFor({ url: `https://127.0.0.1:${port}` })));
    expect(thrown).toMatchObject({ code: 'connection_failed', outcome: 'not-sent', attempts: 1 });
  },
);

it('a refused connection to loopback makes the message ask whether the sandbox is running', async () => {
  const url = `http://127.0.0.1:${await unusedPort()}`;
  const thrown = await failureOf(operations[0].call(clientFor({ url }, { maxRetries: 0 })));
  expect(thrown.message).toContain('Is the sandbox running');
});

it('a call to a name with several addresses is not-sent when each address refused', async () => {
  const port = await unusedPort();
  const thrown = await failureOf(operations[0].call(clientFor({ url: `http://localhost:${port}` })));
  expect(thrown).toMatchObject({ outcome: 'not-sent', reason: 'ECONNREFUSED', attempts: 1 });
});

it('a connection reset before the first byte of the response has outcome unknown', async () => {
  const server = await startRawServer((socket) => socket.resetAndDestroy());
  const thrown = await failureOf(operations[0].call(clientFor(server)));
  expect(thrown).toMatchObject({ outcome: 'unknown', attempts: 1 });
});

describe('an error of the platform', () => {
  const failure = (fields: object) => Object.assign(new Error('m'), fields);
  const wrapped = (cause: unknown) => new TypeError('fetch failed', { cause });
  const refused = failure({ code: 'ECONNREFUSED', syscall: 'connect' });
  const reset = failure({ code: 'ECONNRESET', syscall: 'read' });

  const deno = 'error sending request for url (http://127.0.0.1:4100/v1): client error (Connect)';
  const handshake = 'Client network socket disconnected before secure TLS connection was established';

  it.each([
    ['a refused connection', wrapped(refused), true, 'ECONNREFUSED'],
    [
      'a timeout of the connection',
      wrapped(failure({ code: 'UND_ERR_CONNECT_TIMEOUT' })),
      true,
      'UND_ERR_CONNECT_TIMEOUT',
    ],
    ['an unknown name', wrapped(failure({ code: 'ENOTFOUND', syscall: 'getaddrinfo' })), true, 'ENOTFOUND'],
    ['an unavailable name service', wrapped(failure({ code: 'EAI_AGAIN' })), true, 'EAI_AGAIN'],
    [
      'no route, on connecting',
      wrapped(failure({ code: 'EHOSTUNREACH', syscall: 'connect' })),
      true,
      'EHOSTUNREACH',
    ],
    [
      'no route, on writing',
      wrapped(failure({ code: 'EHOSTUNREACH', syscall: 'write' })),
      false,
      'EHOSTUNREACH',
    ],
    [
      'a reset on connecting',
      wrapped(failure({ code: 'ECONNRESET', syscall: 'connect' })),
      true,
      'ECONNRESET',
    ],
    ['a reset on reading', wrapped(reset), false, 'ECONNRESET'],
    ['a broken pipe', wrapped(failure({ code: 'EPIPE', syscall: 'write' })), false, 'EPIPE'],
    ['the other side closed', wrapped(failure({ code: 'UND_ERR_SOCKET' })), false, 'UND_ERR_SOCKET'],
    [
      'a timeout of the headers',
      wrapped(failure({ code: 'UND_ERR_HEADERS_TIMEOUT' })),
      false,
      'UND_ERR_HEADERS_TIMEOUT',
    ],
    [
      'a TLS alert',
      wrapped(failure({ code: 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED' })),
      false,
      'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
    ],
    ['all addresses refused', wrapped(new AggregateError([refused, refused])), true, 'ECONNREFUSED'],
    [
      'one address of several was reset',
      wrapped(new AggregateError([refused, reset])),
      false,
      'ECONNREFUSED',
    ],
    ['an empty aggregate', wrapped(new AggregateError([])), false, undefined],
    [
      'an aggregate in an aggregate',
      new AggregateError([wrapped(new AggregateError([refused, reset]))]),
      false,
      'ECONNREFUSED',
    ],
    [
      'a cause deeper than the search goes',
      wrapped(wrapped(wrapped(wrapped(wrapped(wrapped(wrapped(refused))))))),
      false,
      undefined,
    ],
    [
      'a cause as deep as the search goes',
      wrapped(wrapped(wrapped(wrapped(wrapped(wrapped(refused)))))),
      true,
      'ECONNREFUSED',
    ],
    ['a cause that is null', failure({ code: 'ECONNREFUSED', cause: null }), true, 'ECONNREFUSED'],
    ['a refused connection without a syscall', failure({ code: 'ECONNREFUSED' }), true, 'ECONNREFUSED'],
    ['an unknown name without a syscall', failure({ code: 'ENOTFOUND' }), true, 'ENOTFOUND'],
    ['a name service that failed', failure({ code: 'EAI_FAIL', syscall: 'getaddrinfo' }), true, 'EAI_FAIL'],
    [
      'one address of several without a code',
      new AggregateError([failure({}), refused]),
      false,
      'ECONNREFUSED',
    ],
    ['a forbidden port', wrapped(new Error('bad port')), true, 'bad port'],
    ['Deno: a refused connection', new TypeError(`${deno}: tcp connect error`), true, undefined],
    [
      'Deno: a certificate that is not trusted',
      new TypeError(`${deno}: invalid peer certificate: UnknownIssuer`),
      true,
      'invalid peer certificate',
    ],
    ['Deno: its words later in a message', new TypeError(`x ${deno}`), false, undefined],
    ['Deno: a URL with a space', new TypeError(deno.replace('v1', 'v 1')), false, undefined],
    ['Deno: its words in a list', failure({ message: [deno] }), false, undefined],
    ['a handshake cut off', new Error(handshake), true, undefined],
    [
      'a proxy that opened no tunnel',
      wrapped(new Error('Proxy response (403) !== 200 when HTTP Tunneling')),
      true,
      undefined,
    ],
    [
      'a record that is no TLS',
      wrapped(failure({ code: 'ERR_SSL_WRONG_VERSION_NUMBER' })),
      false,
      'ERR_SSL_WRONG_VERSION_NUMBER',
    ],
    ['a handshake cut off, with more before it', new Error(`x ${handshake}`), false, undefined],
    ['a handshake cut off, with more after it', new Error(`${handshake} x`), false, undefined],
    ['a handshake cut off, in a list', failure({ message: [handshake] }), false, undefined],
    ['a plain error', new Error('connect ECONNREFUSED'), false, undefined],
    ['a code with more before it', failure({ code: 'x ECONNREFUSED' }), false, undefined],
    ['a code with more after it', failure({ code: 'ECONNREFUSED x' }), false, undefined],
    ['a code in a list', failure({ code: ['ECONNREFUSED'] }), false, undefined],
    ['text', 'ECONNREFUSED', false, undefined],
    ['a symbol', Symbol('ECONNREFUSED'), false, undefined],
    ['nothing', undefined, false, undefined],
    ['null', null, false, undefined],
    ['a code that is not text', failure({ code: 7 }), false, undefined],
    ['a code that no platform has', failure({ code: 'x-api-key: 123' }), false, undefined],
  ])('shows whether anything was sent, and its reason: %s', (_, thrown, neverSent, reason) => {
    expect(describeConnectionFailure(thrown, true)).toMatchObject({ neverSent, reason });
    expect(describeConnectionFailure(thrown, false)).toMatchObject({ neverSent: false, reason });
  });

  it.each([
    ['a 407', new Error(''), 407],
    ['a 401 after a stream', new Error('expected non-null body source'), 401],
    ['every address refused', new AggregateError([refused], ''), undefined],
    ['an error with a code', failure({ message: '', code: 'ECONNRESET' }), undefined],
    ['another message', new Error('x expected non-null body source'), undefined],
    ['something that is no error', '', undefined],
  ])('hides a status: %s', (_, cause, hiddenStatus) => {
    expect(describeConnectionFailure(wrapped(cause), true)).toMatchObject({ hiddenStatus });
    expect(describeConnectionFailure(wrapped(cause), false).hiddenStatus).toBeUndefined();
    expect(describeConnectionFailure(new Error('x', { cause }), true).hiddenStatus).toBeUndefined();
  });

  it('with a cycle of causes does not loop forever', () => {
    const error = new Error('m');
    error.cause = error;
    expect(describeConnectionFailure(error, true)).toMatchObject({ neverSent: false, reason: undefined });
  });

  it('with a cycle of aggregates does not loop forever', () => {
    const error = new AggregateError([]);
    error.errors.push(error);
    expect(describeConnectionFailure(error, true)).toMatchObject({ neverSent: false, reason: undefined });
  });

  // Node’s list of certificate errors (its TLS documentation, "X509 certificate error codes").
  it.each(
    `UNABLE_TO_GET_ISSUER_CERT UNABLE_TO_GET_CRL UNABLE_TO_DECRYPT_CERT_SIGNATURE UNABLE_TO_DECRYPT_CRL_SIGNATURE
     UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY CERT_SIGNATURE_FAILURE CRL_SIGNATURE_FAILURE CERT_NOT_YET_VALID
     CERT_HAS_EXPIRED CRL_NOT_YET_VALID CRL_HAS_EXPIRED ERROR_IN_CERT_NOT_BEFORE_FIELD ERROR_IN_CERT_NOT_AFTER_FIELD
     ERROR_IN_CRL_LAST_UPDATE_FIELD ERROR_IN_CRL_NEXT_UPDATE_FIELD DEPTH_ZERO_SELF_SIGNED_CERT
     SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_GET_ISSUER_CERT_LOCALLY UNABLE_TO_VERIFY_LEAF_SIGNATURE CERT_CHAIN_TOO_LONG
     CERT_REVOKED INVALID_CA PATH_LENGTH_EXCEEDED INVALID_PURPOSE CERT_UNTRUSTED CERT_REJECTED HOSTNAME_MISMATCH
     ERR_TLS_CERT_ALTNAME_INVALID ERR_TLS_CERT_ALTNAME_FORMAT`.split(/\s+/),
  )('%s is a certificate error: nothing was sent, and a retry cannot help', (code) => {
    expect(isPermanent(code)).toBe(true);
    expect(describeConnectionFailure(wrapped(failure({ code })), true)).toMatchObject({
      neverSent: true,
      reason: code,
    });
  });

  it.each(['bad port', 'invalid peer certificate', 'ERR_SSL_WRONG_VERSION_NUMBER'])(
    '%s is permanent',
    (reason) => expect(isPermanent(reason)).toBe(true),
  );

  it.each(
    'ECONNREFUSED ENOTFOUND EPROTO ERR_TLS_HANDSHAKE_TIMEOUT X_CERT_HAS_EXPIRED INVALID_CA_X X_INVALID_CA'.split(
      ' ',
    ),
  )('%s is not permanent', (code) => expect(isPermanent(code)).toBe(false));
});
