import { gzipSync } from 'node:zlib';
import { ApiError, ConnectionError, InvalidResponseError } from 'pix-automatic-sdk';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { dropConnection, type Respond, reply, startHttpServer } from '../helpers/http-server';
import { rawAnswer, startRawServer } from '../helpers/raw-server';
import {
  adviceOf,
  apiKey,
  changing,
  checkoutAnswer,
  clientFor,
  endOf,
  failureOf,
  type Operation,
  operations,
  trace,
  withoutBackOff,
} from './support';

// Every malformed answer for each operation is in test/machines/faults/rows.
const [create, query, cancel] = operations;

beforeEach(withoutBackOff);

const page = 'an HTML page. Does `baseUrl` point at a website, or at a proxy with a login page?';

const NO_HTTP =
  'What listens there does not answer in HTTP: it may be another service (a database, SSH), or a port for https that was ' +
  'called with `http://`. Check the scheme and the port of `baseUrl`.';

const head = (...lines: string[]) => ['HTTP/1.1 200 OK', ...lines].join('\r\n').concat('\r\n\r\n');
const tooLong = head('content-type: application/json', 'content-length: 100000');

type Options = Parameters<typeof clientFor>[1];

/** The error of a call that a service answers like this, which must have sent one request. */
async function errorAfter({ call }: Pick<Operation, 'call'>, respond: Respond, options?: Options) {
  const server = await startHttpServer(respond);
  const thrown = await failureOf(call(clientFor(server, options)));
  expect(server.requests).toHaveLength(1);
  return thrown;
}

describe.each(operations)('$name', (operation) => {
  const { call, answer, name } = operation;
  const text = JSON.stringify(answer());
  const bytes = Buffer.byteLength(text);

  it.each([-1, 999, 1, 0.5, 52998224725, '999', '-1', '52998224725'])(
    'with a body whose status is %j is an ApiError, and the outcome is unknown',
    async (status) => {
      // Only a documented one is known not to quote a value.
      const shown = [-1, 999, '-1', '999'].includes(status) ? `${status}, ` : '';
      const body = { ...answer(), status, message: 'something' };
      const thrown = await errorAfter(operation, reply(200, body));
      expect(thrown).toBeInstanceOf(ApiError);
      const ofBody = { status: typeof status === 'number' ? status : undefined, serviceMessage: 'something' };
      expect(thrown).toMatchObject({ ...ofBody, operation: name, httpStatus: 200, outcome: 'unknown' });
      expect(thrown['body']).toEqual(body);
      expect(thrown.message).toBe(
        `The service answered ${name} with HTTP 200 and a body whose status is ${shown}not 0. ` +
          adviceOf(thrown).replace(' See', ' Its own message is in `error.serviceMessage`. See'),
      );
    },
  );

  it.each([
    ['an empty 200', '200 OK', '', 'nothing'],
    ['white space', '200 OK', ' \r\n', 'nothing'],
    ['JSON null', '200 OK', 'null', 'another JSON value'],
    ['a JSON array', '200 OK', '[{"status":0}]', 'a list'],
    ['a JSON number', '200 OK', '0', 'another JSON value'],
    ['JSON text', '200 OK', '"success"', 'another JSON value'],
    ['truncated JSON', '200 OK', text.slice(0, -1), 'text that is not JSON'],
    ['HTML', '200 OK', '<html>login</html>', page],
    ['HTML after an empty line', '200 OK', '\r\n<html>login</html>', page],
    ['HTML with a spaced doctype', '200 OK', '<!DOCTYPE  html><p>login', page],
    ['text that names a tag', '200 OK', 'no <html> here', 'text that is not JSON'],
    ['two documents', '200 OK', '{"status":0}{"status":0}', 'text that is not JSON'],
    ['a 204', '204 No Content', '', 'nothing'],
    ['a 205', '205 Reset Content', '', 'nothing'],
  ])('with %s is an InvalidResponseError, and the outcome is unknown', async (_, status, body, got) => {
    const server = await startRawServer((socket) => socket.write(rawAnswer(status, body)));
    const thrown = await failureOf(call(clientFor(server)));
    expect(thrown).toBeInstanceOf(InvalidResponseError);
    expect(thrown).toMatchObject({ outcome: 'unknown', attempts: 1, issues: [{ path: [] }] });
    const message = `The response is a success without a usable body. expected a JSON object, got ${got}. `;
    expect(thrown.message).toBe(message + adviceOf(thrown));
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ['gzip', reply(200, gzipSync(text), { 'content-encoding': 'gzip' })],
    ['another content type', reply(200, text, { 'content-type': 'text/plain; charset=utf-16' })],
    ['a status 201', reply(201, text)],
    ['a status 299', reply(299, text)],
    ['fields that the document does not show, kept at every depth', reply(200, withNovelFields(answer()))],
  ])('succeeds with %s', async (what, respond) => {
    const server = await startHttpServer(respond);
    const expected = what.startsWith('fields') ? withNovelFields(answer()) : answer();
    expect(await call(clientFor(server))).toEqual(expected);
  });

  it.each([
    ['no last chunk comes', ['transfer-encoding: chunked'], `${bytes.toString(16)}\r\n${text}\r\n`, true],
    ['its content-length is too large', [`content-length: ${bytes + 9}`], text, true],
    ['the connection stays open and no length is given', [], text, false],
    ['a larger content-length stalls', [`content-length: ${bytes + 9}`], text, false],
  ])('succeeds with a whole response, though %s', async (_, lines, body, end) => {
    const server = await startRawServer((socket) => {
      socket.write(head(...lines) + body);
      if (end) socket.end();
    });
    expect(await call(clientFor(server, { timeoutMs: 1_000 }))).toEqual(answer());
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ['a body shorter than its content-length', `${head('content-length: 5000')}{"status":0`],
    ['a status of -1 in a body that may go on', `${head('content-length: 99')}{"status":-1}`],
    ['a bare number, which may have been cut', `${head('content-length: 9')}12`],
    ['no HTTP at all', 'SSH-2.0-OpenSSH_9.6\r\n\r\n'],
    ['nothing', ''],
  ])('with %s is a ConnectionError, and the outcome is unknown', async (_, sent) => {
    const server = await startRawServer((socket) => socket.end(sent));
    const thrown = await failureOf(call(clientFor(server, { maxRetries: 0, timeoutMs: 5_000 })));
    expect(thrown).toBeInstanceOf(ConnectionError);
    expect(thrown).toMatchObject({ outcome: 'unknown', attempts: 1 });
    const lost = `The connection was lost during ${name} (${thrown['reason']}). `;
    const hint = sent.startsWith('SSH') ? `${NO_HTTP} ` : '';
    expect(thrown.message).toBe(lost + hint + adviceOf(thrown));
  });

  it.each([
    ['an object', { status: -1, message: 'no', detail: [1] }, -1, 'no'],
    ['fields of other types', { status: 'x', message: { a: 1 } }, undefined, undefined],
    ['an array', [1, 2], undefined, undefined],
    ['HTML', '<h1>Bad Request</h1>', undefined, undefined],
  ])('the ApiError of a 4xx keeps any body as received: %s', async (_, body, status, serviceMessage) => {
    const thrown = await errorAfter(operation, reply(400, body));
    expect(thrown).toMatchObject({ httpStatus: 400, status, serviceMessage, outcome: 'refused' });
    expect(thrown['body']).toEqual(body);
  });

  it('with a 4xx whose body breaks off, or is too large, is still an ApiError with outcome refused', async () => {
    const cut = 'HTTP/1.1 422 Unprocessable\r\ncontent-length: 100\r\n\r\n{"message":"no"';
    const server = await startRawServer((socket) => socket.end(cut));
    for (const maxResponseBytes of [100, 10]) {
      const thrown = await failureOf(call(clientFor(server, { maxResponseBytes })));
      expect(thrown).toMatchObject({ code: 'api_error', httpStatus: 422, outcome: 'refused' });
      expect(thrown['body']).toBe('{"message":"no"'.slice(0, maxResponseBytes));
    }
  });

  it('reads an endless body up to maxResponseBytes, then closes its connection', async () => {
    let ended = false;
    const server = await startRawServer((socket) => {
      socket.write(head('transfer-encoding: chunked'));
      const timer = setInterval(() => socket.write(`400\r\n${'x'.repeat(1024)}\r\n`), 1);
      socket.on('close', () => {
        clearInterval(timer);
        ended = true;
      });
    });
    const thrown = await failureOf(call(clientFor(server, { maxResponseBytes: 20_000 })));
    expect(thrown).toBeInstanceOf(InvalidResponseError);
    expect(thrown.message).toBe(`The response is larger than \`maxResponseBytes\`. ${adviceOf(thrown)}`);
    expect(String(thrown['body']).length).toBeLessThanOrEqual(20_000);
    await expect.poll(() => ended).toBe(true);
  });

  it('reads a body of exactly maxResponseBytes, and not one byte more', async () => {
    const server = await startHttpServer(reply(200, text));
    expect(await call(clientFor(server, { maxResponseBytes: bytes }))).toEqual(answer());
    const thrown = await failureOf(call(clientFor(server, { maxResponseBytes: bytes - 1 })));
    expect(thrown.code).toBe('invalid_response');
  });
});

it.each(changing)(
  '$name is retried after a 429, but not after a success that cannot be read',
  async (given) => {
    const unreadable = { ...given.answer(), status: 'x', response: Array(110_000).fill({}) };
    const ended = await trace(given, [reply(429), reply(200, unreadable)]);
    expect(ended).toBe('invalid_response: unknown after 2; 2 requests');
  },
);

describe.each([[undefined], [null], ['x7'], ['7x'], [['7']]])('a 2xx whose status is %j', (status) => {
  it.each([query, create])('is a success of $name', async ({ call, answer }) => {
    const server = await startHttpServer(reply(200, { ...answer(), status }));
    expect(await call(clientFor(server))).toBeTypeOf('object');
  });

  it('is an error of a cancellation', async () => {
    const thrown = await errorAfter(cancel, reply(200, { ...cancel.answer(), status }));
    const issues = [{ path: ['status'] }];
    expect(thrown).toMatchObject({ code: 'invalid_response', outcome: 'unknown', issues });
  });
});

describe('a query', () => {
  it.each(['uuid-2', 'uuid-10', 'someone-elses'])(
    'that gets an answer about another transaction is an InvalidResponseError: %s',
    async (uuid) => {
      const thrown = await errorAfter(query, reply(200, { ...query.answer(), uuid }));
      expect(thrown).toBeInstanceOf(InvalidResponseError);
      expect(thrown).toMatchObject({ outcome: 'unknown', attempts: 1, uuid: undefined, body: { uuid } });
      const says = 'The response is about another transaction than the one that was asked for. ';
      expect(thrown.message).toBe(says + adviceOf(thrown));
    },
  );

  const bodies = ['UUID-1', 'uuid-1', '', null].map((uuid) => ({ ...query.answer(), uuid }));
  it.each([{}, ...bodies])('succeeds with its own uuid, or with none: %j', async (body) => {
    const server = await startHttpServer(reply(200, body));
    expect(await query.call(clientFor(server))).toEqual(body);
  });

  it('whose answer about another transaction breaks off is asked again', async () => {
    const other = JSON.stringify({ ...query.answer(), uuid: 'uuid-2' });
    const server = await startRawServer((socket, _, count) => {
      if (count === 1) socket.end(head(`content-length: ${other.length + 9}`) + other);
      else socket.write(rawAnswer('200 OK', JSON.stringify(query.answer())));
    });
    expect(await query.call(clientFor(server))).toEqual(query.answer());
  });

  it('that fails has no uuid of another transaction', async () => {
    const server = await startHttpServer(reply(404, { uuid: 'uuid-2' }), reply(404, { uuid: 'Uuid-1' }));
    const client = clientFor(server);
    expect(await failureOf(query.call(client))).toMatchObject({ httpStatus: 404, uuid: undefined });
    expect(await failureOf(query.call(client))).toMatchObject({ httpStatus: 404, uuid: 'Uuid-1' });
    // A query creates nothing, so a refusal that names its transaction is one.
    expect(await endOf(query.call(client), {})).toBe('api_error 404: refused after 1 Uuid-1');
  });
});

describe('fields of another type than documented', () => {
  it.each([
    [{ track: [] }, query, 'track'],
    [{ id: '4711' }, query, 'id'],
    [{ message: 7 }, cancel, 'message'],
  ] as const)(
    'are left out of a result, and reported to onResponse without their values: %j',
    async (wrong, operation, field) => {
      const server = await startHttpServer(reply(200, { ...operation.answer(), ...wrong }));
      const onResponse = vi.fn();
      const { [field]: _, ...expected } = operation.answer() as Record<string, unknown>;
      expect(await operation.call(clientFor(server, { onResponse }))).toEqual(expected);
      const message = expect.stringMatching(/^expected the documented type, got/);
      const event = { errorCode: undefined, issues: [{ path: [field], message }] };
      expect(onResponse).toHaveBeenCalledWith(expect.objectContaining(event));
      expect(JSON.stringify(onResponse.mock.calls)).not.toContain('4711');
    },
  );

  it.each(['situation', 'uuid'])('make a query fail in %s', async (field) => {
    const thrown = await errorAfter(query, reply(200, { ...query.answer(), [field]: 7 }));
    expect(thrown).toMatchObject({ code: 'invalid_response', issues: [{ path: [field] }] });
    expect(thrown.message).toMatch(
      /^The response is a success, but essential fields are missing or invalid\. /,
    );
  });
});

describe('a checkout response', () => {
  const whole = checkoutAnswer();
  const withJourney = (fields: object) =>
    reply(200, { ...whole, response: { ...whole.response, ...fields } });
  const emptyCodes = { qrCode: { plain: '', base64: null } };
  const gateways = { message: 'upstream', uuid: 'trace-1' };

  it.each([
    ['no QR code', [withJourney({ instructions: { qrCode: {} } })], 'uuid-1'],
    ['an empty QR code', [withJourney({ instructions: emptyCodes })], 'uuid-1'],
    ['no instructions', [withJourney({ instructions: undefined })], 'uuid-1'],
    ['JSON that breaks off', [reply(200, JSON.stringify(whole).slice(0, 200))], 'uuid-1'],
    ['spaced JSON that breaks off', [reply(200, JSON.stringify(whole, null, 2).slice(0, 300))], 'uuid-1'],
    ['no uuid', [withJourney({ uuid: undefined })], undefined],
    ['an empty uuid', [withJourney({ uuid: '' })], undefined],
    ['a uuid that is not text', [withJourney({ uuid: 7 })], undefined],
    ['JSON that breaks off before its uuid', [reply(200, '{"response":{"id":1')], undefined],
    ['JSON that breaks off inside its uuid', [reply(200, '{"response":{"uuid":"uuid-')], undefined],
    ['a 500 and a uuid of the gateway', [reply(500, gateways)], undefined],
    ['a 408 and a uuid of the gateway', [reply(408, gateways)], undefined],
    ['a 429 that had none, before a lost connection', [reply(429), dropConnection], undefined],
    ['a 400', [reply(400, whole)], 'uuid-1'],
    ['a 401', [reply(401, whole)], 'uuid-1'],
    ['a 429', [reply(429, whole)], 'uuid-1'],
    ['a 429 that breaks off', [reply(429, JSON.stringify(whole).slice(0, 200))], 'uuid-1'],
    ['a 429 with two', [reply(429, '{"response":{"uuid":"a","uuid":"b"}}')], undefined],
  ])('that cannot be used says with its uuid that the journey exists: %s', async (_, responses, uuid) => {
    const server = await startHttpServer(...responses);
    const thrown = await failureOf(create.call(clientFor(server)));
    expect(thrown).toMatchObject({ uuid, outcome: 'unknown', attempts: responses.length });
    expect(thrown.message).toContain(uuid ? 'do not create it again' : 'The journey may exist');
  });

  it.each(['plain', 'base64', 'url'])('with %s as its only QR code is a success', async (form) => {
    const { response } = whole;
    const body = { ...whole, response: { ...response, instructions: { qrCode: { [form]: 'x' } } } };
    const server = await startHttpServer(reply(200, body));
    expect(await create.call(clientFor(server))).toEqual(body);
  });
});

describe('the uuid of a journey', () => {
  const json = JSON.stringify(checkoutAnswer());
  /** Cut in the QR code's picture: the longest part of a response, so the likely place for a cut. */
  const cutOff = tooLong + json.slice(0, json.indexOf('iVBOR') + 4);
  const refused = JSON.stringify({ ...checkoutAnswer(), status: -1 });

  // Each way in which a response can break off, at each place, is in transport-mutated.test.ts.
  it.each([
    ['the connection was lost', cutOff, {}, 'connection_failed'],
    ['timeoutMs ran out', cutOff, { timeoutMs: 500 }, 'timeout'],
    ['totalTimeoutMs ran out', cutOff, { totalTimeoutMs: 500 }, 'timeout'],
    [
      'it is too large',
      rawAnswer('200 OK', json),
      { maxResponseBytes: json.length - 200 },
      'invalid_response',
    ],
    ['the status of the body is -1', rawAnswer('200 OK', refused), {}, 'api_error 200'],
    ['the HTTP status is 500', rawAnswer('500 x', json), {}, 'api_error 500'],
  ])('is on the error of a response that is not whole when %s', async (_, sent, options, code) => {
    const server = await startRawServer((socket) =>
      code === 'timeout' ? socket.write(sent) : socket.end(sent),
    );
    const called = create.call(clientFor(server, options));
    expect(await endOf(called, {})).toBe(`${code}: unknown after 1 uuid-1`);
    await expect(called).rejects.toThrow('The journey exists');
  });

  it('is not on the error of a cancellation, because its documented response has none', async () => {
    const end = 'api_error 504: unknown after 1; 1 request';
    expect(await trace(cancel, [reply(504, { uuid: 'trace-1' })])).toBe(end);
  });

  it('that a failed attempt of a query gave is kept when the next attempt brings none', async () => {
    const responses = [reply(503, { uuid: 'uuid-1' }), dropConnection];
    const end = 'connection_failed: unknown after 2 uuid-1; 2 requests';
    expect(await trace(query, responses, { maxRetries: 1 })).toBe(end);
  });
});

describe('redirects', () => {
  it.each([301, 302, 303, 307, 308])('a %d to another origin sends nothing there', async (status) => {
    const other = await startHttpServer(reply(200, {}));
    const location = `http://localhost:${other.port}/steal?a=1`;
    for (const operation of operations) {
      const thrown = await errorAfter(operation, reply(status, '', { location }));
      expect(thrown).toBeInstanceOf(ApiError);
      expect(thrown).toMatchObject({ httpStatus: status, outcome: 'unknown', attempts: 1, location });
      expect(thrown.message).toContain(
        `a redirect to http://localhost:${other.port}, which is never followed`,
      );
      expect(thrown.message).not.toContain('steal');
    }
    expect(other.requests).toEqual([]);
  });

  it.each([
    ['https://127.0.0.1/marked', ' to https://127.0.0.1'],
    ['https://marked:marked@other.example:8443/marked?marked#marked', ' to https://other.example:8443'],
    ['/elsewhere', ''],
    ['', ''],
    ['http://', ''],
    ['javascript:alert(1)', ''],
    ['urn:https:x', ''],
  ])('a 302 with the location %j is not followed, and names only its origin', async (location, to) => {
    const thrown = await errorAfter(query, reply(302, '', { location }));
    expect(thrown).toMatchObject({ httpStatus: 302 });
    expect(thrown.message).toContain(`HTTP 302, a redirect${to}, which is never followed`);
  });
});

describe('the message of an error', () => {
  const documented = 'amount|shopper.document.number|recurrence.calendar[0].initialDate|shopper[document]';
  const other = 'cpf_123|maria.silva|shopper.maria|amount.52998224725|12|[0]|a b||reason';

  it('names the documented fields that the service names, and no other name', async () => {
    const fields = `${documented}|${other}`.split('|').map((field) => ({ field }));
    const thrown = await errorAfter(create, reply(400, { errors: [{ message: 'no' }, ...fields] }));
    const names = `It names fields: ${documented.replaceAll('|', ', ')}, see \`error.serviceErrors\`. `;
    expect(thrown.message).toContain(`${names}The service refused`);
    expect(thrown['serviceErrors']).toHaveLength(14);
  });

  it('does not say that it names fields where the document lists none, or none of these', async () => {
    const server = await startHttpServer(reply(400, { errors: [{ field: 'cpf' }] }));
    const client = clientFor(server);
    for (const call of [create.call(client), client.request({ method: 'POST', path: '/x', body: {} })]) {
      const { message, ...thrown } = await failureOf(call);
      expect(message).not.toContain('names fields');
      expect(thrown).toMatchObject({ httpStatus: 400 });
    }
  });

  it('of a 404 shows the path that was sent: its prefix, and no query', async () => {
    const { url } = await startHttpServer(reply(404));
    const client = clientFor({ url: `${url}/prefix/v1.1/more` });
    const { message } = await failureOf(client.getTransaction('a/b'));
    expect(message).toContain('with HTTP 404 for /prefix/v1.1/more/v1.1/transactions/a%2Fb. Check the');
    const asked = client.request({ method: 'GET', path: `/x/${apiKey}`, query: { cpf: '52998224725' } });
    expect((await failureOf(asked)).message).toContain(' for /prefix/v1.1/more/x/[redacted]. ');
  });
});

it.each([
  [{ 'x-request-id': 'a1', 'request-id': 'b', 'x-correlation-id': 'c' }, 'a1'],
  [{ 'request-id': 'b1', 'x-correlation-id': 'c' }, 'b1'],
  [{ 'x-correlation-id': 'c1' }, 'c1'],
  [{ 'x-request-id': `id-${apiKey}` }, 'id-[redacted]'],
  [{ 'x-request-id': 'x'.repeat(201) }, undefined],
  [{}, undefined],
])('the request id is on an ApiError and in onResponse, from the headers %j', async (headers, requestId) => {
  const server = await startHttpServer(reply(500, '', headers), reply(200, { status: -1 }, headers));
  const onResponse = vi.fn();
  const client = clientFor(server, { onResponse });
  for (const httpStatus of [500, 200]) {
    expect(await failureOf(create.call(client))).toMatchObject({ httpStatus, requestId });
  }
  expect(onResponse.mock.calls.map(([event]) => event.requestId)).toEqual([requestId, requestId]);
});

const reason = '. The reason is in `error.serviceMessage` or in `error.body`';
const wrongCredentials = '. Check that `apiKey` and `apiToken` belong to this `baseUrl`';

it.each([
  [400, reason],
  [401, wrongCredentials],
  [403, wrongCredentials],
  [
    404,
    ' for /v1.1/transactions/uuid-1. Check the identifier (for an order key, `orders.find({ key })`), and the path prefix of `baseUrl`',
  ],
  [407, ': a proxy on the way requires authentication'],
  [409, ''],
  [422, reason],
  [429, ': too many requests'],
  [500, ''],
])('the message of an ApiError with HTTP %d says its likely cause', async (status, cause) => {
  const thrown = await errorAfter(query, reply(status), { maxRetries: 0 });
  const answered = `The service answered getTransaction with HTTP ${status}${cause}. `;
  expect(thrown.message).toBe(answered + adviceOf(thrown));
});

/** Adds a field to every object in `value`, at every depth. */
function withNovelFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNovelFields);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([key, field]) => [key, withNovelFields(field)]);
  return { ...Object.fromEntries(fields), novel: { deep: ['field'] } };
}

describe('what listens there is not the service', () => {
  it.each([403, 404, 405, 500])('an HTML page with HTTP %d is named, with its host', async (status) => {
    const text = '<!doctype html><p>shop</p>';
    const start = `HTTP/1.1 ${status} Status\r\ncontent-type: text/html\r\ncontent-length: ${text.length}\r\n\r\n`;
    const server = await startRawServer((socket) => socket.end(start + text));
    const thrown = await failureOf(create.call(clientFor(server)));
    const { host } = new URL(server.url);
    const says = `. It came with an HTML page: check that ${host} is the service, and no website, gateway or firewall. `;
    expect(thrown.message).toContain(says);
    expect(thrown.message).not.toContain('shop');
  });

  it.each([
    ['answers in another protocol', 'SSH-2.0-x\r\n'],
    ['answers in TLS', '\x15\x03\x01\x00\x02\x02F'],
  ])('a port that %s gets a hint', async (_, bytes) => {
    const server = await startRawServer((socket) => socket.end(bytes, 'latin1'));
    const thrown = await failureOf(create.call(clientFor(server)));
    expect(thrown).toBeInstanceOf(ConnectionError);
    expect(thrown.message).toContain(NO_HTTP);
    expect(thrown['outcome']).toBe('unknown');
  });
});
