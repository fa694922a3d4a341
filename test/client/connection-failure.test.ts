import assert from 'node:assert/strict';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { describeConnectionFailure, isPermanent } from '../../src/client/connection-failure';
import { reply, startHttpServer, startHttpsServer, unusedPort } from '../helpers/http-server';
import { startRawServer } from '../helpers/raw-server';
import { selfSigned } from './self-signed';
import { clientFor, endOf, failureOf, operations } from './support';

const [create] = operations;
vi.spyOn(Math, 'random').mockReturnValue(0);

it.each(operations)(
  'a certificate that is not trusted stops $name before anything is sent, and is not retried',
  async ({ call }) => {
    const server = await startHttpsServer(selfSigned, reply(200, {}));
    const called = call(clientFor(server));
    expect(await endOf(called, {})).toBe('connection_failed: not-sent after 1');
    await expect(called).rejects.toMatchObject({ reason: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    const says = '(DEPTH_ZERO_SELF_SIGNED_CERT). Check `baseUrl`, the name service';
    await expect(called).rejects.toThrow(`could not connect to the service ${says}`);
    expect(server.requests).toEqual([]);
  },
);

it('an https call to a port that speaks plain HTTP is not retried, and its code proves nothing', async () => {
  const server = await startHttpServer(reply(200, {}));
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
    const server = createServer((socket) => socket.once('data', () => socket[how]()).on('error', () => {}));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const called = create.call(clientFor({ url: `https://127.0.0.1:${port}` }));
    expect(await endOf(called, {})).toBe('connection_failed: not-sent after 1');
  },
);

// A name may have several addresses, and each of them refused.
it.each(['127.0.0.1', 'localhost'])(
  'a refused connection to %s asks whether the sandbox runs',
  async (host) => {
    const thrown = await failureOf(create.call(clientFor({ url: `http://${host}:${await unusedPort()}` })));
    expect(thrown).toMatchObject({ outcome: 'not-sent', reason: 'ECONNREFUSED', attempts: 1 });
    const says = 'could not connect to the service (ECONNREFUSED). Nothing listens there. Is the';
    expect(thrown.message).toContain(says);
  },
);

it('a connection reset before the first byte of the response has outcome unknown', async () => {
  const server = await startRawServer((socket) => socket.resetAndDestroy());
  const ended = await endOf(create.call(clientFor(server)), {});
  expect(ended).toBe('connection_failed: unknown after 1');
});

describe('an error of the platform', () => {
  const failure = (fields: object) => Object.assign(new Error('m'), fields);
  const wrapped = (cause: unknown) => new TypeError('fetch failed', { cause });
  const refused = failure({ code: 'ECONNREFUSED', syscall: 'connect' });
  const reset = failure({ code: 'ECONNRESET', syscall: 'read' });

  const deno = 'error sending request for url (http://127.0.0.1:4100/v1): client error (Connect)';
  const handshake = 'Client network socket disconnected before secure TLS connection was established';

  const by = (code: unknown, syscall?: string) => wrapped(failure({ code, syscall }));
  const deep = (levels: number): unknown => (levels === 0 ? refused : wrapped(deep(levels - 1)));
  const several = (...errors: unknown[]) => new AggregateError(errors);
  const invalid = 'invalid peer certificate';
  const cycle = failure({});
  cycle.cause = cycle;
  const cyclic = several();
  cyclic.errors.push(cyclic);
  const throwing = Object.defineProperty(failure({}), 'code', { get: () => assert.fail('a getter') });
  const tunnel = 'Proxy response (403) !== 200 when HTTP Tunneling';

  it.each([
    ['a refused connection', wrapped(refused), true, 'ECONNREFUSED'],
    ['a refused connection without a syscall', by('ECONNREFUSED'), true, 'ECONNREFUSED'],
    ['a timeout of the connection', by('UND_ERR_CONNECT_TIMEOUT'), true, 'UND_ERR_CONNECT_TIMEOUT'],
    ['an unknown name', by('ENOTFOUND', 'getaddrinfo'), true, 'ENOTFOUND'],
    ['an unknown name without a syscall', by('ENOTFOUND'), true, 'ENOTFOUND'],
    ['an unavailable name service', by('EAI_AGAIN'), true, 'EAI_AGAIN'],
    ['a name service that failed', by('EAI_FAIL', 'getaddrinfo'), true, 'EAI_FAIL'],
    ['no route, on connecting', by('EHOSTUNREACH', 'connect'), true, 'EHOSTUNREACH'],
    ['no route, on writing', by('EHOSTUNREACH', 'write'), false, 'EHOSTUNREACH'],
    ['a reset on connecting', by('ECONNRESET', 'connect'), true, 'ECONNRESET'],
    ['a reset on reading', wrapped(reset), false, 'ECONNRESET'],
    ['a broken pipe', by('EPIPE', 'write'), false, 'EPIPE'],
    ['the other side closed', by('UND_ERR_SOCKET'), false, 'UND_ERR_SOCKET'],
    ['a timeout of the headers', by('UND_ERR_HEADERS_TIMEOUT'), false, 'UND_ERR_HEADERS_TIMEOUT'],
    ['a TLS alert', by('ERR_SSL_TLSV13_ALERT_X'), false, 'ERR_SSL_TLSV13_ALERT_X'],
    ['a record that is no TLS', by('ERR_SSL_WRONG_VERSION_NUMBER'), false, 'ERR_SSL_WRONG_VERSION_NUMBER'],
    ['all addresses refused', wrapped(several(refused, refused)), true, 'ECONNREFUSED'],
    ['one address of several was reset', wrapped(several(refused, reset)), false, 'ECONNREFUSED'],
    ['one address of several without a code', several(failure({}), refused), false, 'ECONNREFUSED'],
    ['text beside a refused address', several('text', refused), false, 'ECONNREFUSED'],
    ['nothing beside a refused address', several(null, refused), false, 'ECONNREFUSED'],
    ['an empty aggregate', wrapped(several()), false, undefined],
    ['an aggregate in an aggregate', several(wrapped(several(refused, reset))), false, 'ECONNREFUSED'],
    ['a cause deeper than the search goes', deep(7), false, undefined],
    ['a cause as deep as the search goes', deep(6), true, 'ECONNREFUSED'],
    ['a cause that is null', failure({ code: 'ECONNREFUSED', cause: null }), true, 'ECONNREFUSED'],
    ['a forbidden port', wrapped(new Error('bad port')), true, 'bad port'],
    ['Deno: a refused connection', new TypeError(`${deno}: tcp connect error`), true, undefined],
    ['Deno: a bad certificate', new TypeError(`${deno}: invalid peer certificate: U`), true, invalid],
    ['Deno: its words later in a message', new TypeError(`x ${deno}`), false, undefined],
    ['Deno: a URL with a space', new TypeError(deno.replace('v1', 'v 1')), false, undefined],
    ['Deno: its words in a list', failure({ message: [deno] }), false, undefined],
    ['a handshake cut off', new Error(handshake), true, undefined],
    ['a proxy that opened no tunnel', wrapped(new Error(tunnel)), true, undefined],
    ['a handshake cut off, with more before it', new Error(`x ${handshake}`), false, undefined],
    ['a handshake cut off, with more after it', new Error(`${handshake} x`), false, undefined],
    ['a handshake cut off, in a list', failure({ message: [handshake] }), false, undefined],
    ['a plain error', new Error('connect ECONNREFUSED'), false, undefined],
    ['a code with more before it', by('x ECONNREFUSED'), false, undefined],
    ['a code with more after it', by('ECONNREFUSED x'), false, undefined],
    ['a code in a list', by(['ECONNREFUSED']), false, undefined],
    ['a code that is not text', by(7), false, undefined],
    ['a code that no platform has', by('x-api-key: 123'), false, undefined],
    ['a cycle of causes', cycle, false, undefined],
    ['a cycle of aggregates', cyclic, false, undefined],
    ['a getter that throws, which proves nothing', throwing, false, undefined],
    ['text', 'ECONNREFUSED', false, undefined],
    ['a symbol', Symbol('ECONNREFUSED'), false, undefined],
    ['nothing', undefined, false, undefined],
    ['null', null, false, undefined],
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
    ['a getter that throws', throwing, undefined],
  ])('hides a status: %s', (_, cause, hiddenStatus) => {
    expect(describeConnectionFailure(wrapped(cause), true)).toMatchObject({ hiddenStatus });
    expect(describeConnectionFailure(wrapped(cause), false).hiddenStatus).toBeUndefined();
    expect(describeConnectionFailure(new Error('x', { cause }), true).hiddenStatus).toBeUndefined();
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
    expect(describeConnectionFailure(by(code), true)).toMatchObject({ neverSent: true, reason: code });
  });

  it.each([
    [true, 'bad port|invalid peer certificate|ERR_SSL_WRONG_VERSION_NUMBER'],
    [false, 'ECONNREFUSED|ENOTFOUND|EPROTO|ERR_TLS_HANDSHAKE_TIMEOUT|INVALID_CA_X|X_CERT_HAS_EXPIRED'],
  ])('is permanent (%s): %s', (permanent, reasons) => {
    for (const reason of reasons.split('|')) expect(isPermanent(reason), reason).toBe(permanent);
  });
});
