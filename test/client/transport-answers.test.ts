import { gzipSync } from 'node:zlib';
import { ApiError, ConnectionError, InvalidResponseError } from 'pix-automatic-sdk';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { dropConnection, reply, startHttpServer } from '../helpers/http-server';
import { rawAnswer, startRawServer } from '../helpers/raw-server';
import {
  adviceOf,
  apiKey,
  changing,
  checkoutAnswer,
  clientFor,
  failureOf,
  operations,
  withoutBackOff,
} from './support';

// Every malformed answer for each operation is in test/machines/faults/rows.
const [create, query, cancel] = operations;

beforeEach(withoutBackOff);

const page = 'an HTML page. Does `baseUrl` point at a website, or at a proxy with a login page?';

const head = (...lines: string[]) => ['HTTP/1.1 200 OK', ...lines].join('\r\n').concat('\r\n\r\n');
const tooLong = head('content-type: application/json', 'content-length: 100000');

describe.each(operations)('$name', ({ call, answer, name }) => {
  const text = JSON.stringify(answer());
  const bytes = Buffer.byteLength(text);

  it.each([-1, 999, 1, 0.5, 52998224725, '999', '-1', '52998224725'])(
    'with a body whose status is %j is an ApiError, and the outcome is unknown',
    async (status) => {
      const body = { ...answer(), status, message: 'something' };
      // Only a documented one is known not to quote a value.
      const shown = [-1, 999, '-1', '999'].includes(status) ? `${status}, ` : '';
      const server = await startHttpServer(reply(200, body));
      const thrown = await failureOf(call(clientFor(server)));
      expect(thrown).toBeInstanceOf(ApiError);
      const ofBody = { status: typeof status === 'number' ? status : undefined, serviceMessage: 'something' };
      expect(thrown).toMatchObject({ ...ofBody, operation: name, httpStatus: 200, outcome: 'unknown' });
      expect(thrown['body']).toEqual(body);
      expect(thrown.message).toBe(
        `The service answered ${name} with HTTP 200 and a body whose status is ${shown}not 0. ` +
          adviceOf(thrown).replace(' See', ' Its own message is in `error.serviceMessage`. See'),
      );
      expect(server.requests).toHaveLength(1);
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
    expect(thrown.message).toBe(
      'The response is a success without a usable body. ' +
        `expected a JSON object, got ${got}. ${adviceOf(thrown)}`,
    );
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ['gzip', reply(200, gzipSync(text), { 'content-encoding': 'gzip' })],
    ['another content type', reply(200, text, { 'content-type': 'text/plain; charset=utf-16' })],
    ['a status 201', reply(201, text)],
    ['a status 299', reply(299, text)],
  ])('succeeds with %s', async (_, respond) => {
    const server = await startHttpServer(respond);
    expect(await call(clientFor(server))).toEqual(answer());
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
    expect(thrown.message.startsWith(`The connection was lost during ${name} (${thrown['reason']}). `)).toBe(
      true,
    );
  });

  it.each([
    ['an object', { status: -1, message: 'no', detail: [1] }, -1, 'no'],
    ['fields of other types', { status: 'x', message: { a: 1 } }, undefined, undefined],
    ['an array', [1, 2], undefined, undefined],
    ['HTML', '<h1>Bad Request</h1>', undefined, undefined],
  ])('the ApiError of a 4xx keeps any body as received: %s', async (_, body, status, serviceMessage) => {
    const server = await startHttpServer(reply(400, body));
    const thrown = await failureOf(call(clientFor(server)));
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

  it('keeps fields that the document does not show at run time, at every depth', async () => {
    const body = withNovelFields(answer());
    const server = await startHttpServer(reply(200, body));
    expect(await call(clientFor(server))).toEqual(body);
  });
});

it.each(changing)(
  '$name is retried after a 429, but not after a success that cannot be read',
  async (given) => {
    const unreadable = { ...given.answer(), status: 'x', response: Array(110_000).fill({}) };
    const server = await startHttpServer(reply(429), reply(200, JSON.stringify(unreadable)));
    const thrown = await failureOf(given.call(clientFor(server)));
    expect(thrown).toMatchObject({ code: 'invalid_response', outcome: 'unknown', attempts: 2 });
    expect(server.requests).toHaveLength(2);
  },
);

describe.each([[undefined], [null], ['x7'], ['7x'], [['7']]])('a 2xx whose status is %j', (status) => {
  it.each([query, create])('is a success of $name', async ({ call, answer }) => {
    const server = await startHttpServer(reply(200, { ...answer(), status }));
    expect(await call(clientFor(server))).toBeTypeOf('object');
  });

  it('is an error of a cancellation', async () => {
    const server = await startHttpServer(reply(200, { ...cancel.answer(), status }));
    const thrown = await failureOf(cancel.call(clientFor(server)));
    expect(thrown).toMatchObject({
      code: 'invalid_response',
      outcome: 'unknown',
      issues: [{ path: ['status'] }],
    });
  });
});

it('an empty object is a success of a query', async () => {
  const server = await startHttpServer(reply(200, {}));
  expect(await query.call(clientFor(server))).toEqual({});
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
      const issues = [
        { path: [field], message: expect.stringMatching(/^expected the documented type, got/) },
      ];
      expect(onResponse).toHaveBeenCalledWith(expect.objectContaining({ errorCode: undefined, issues }));
      expect(JSON.stringify(onResponse.mock.calls)).not.toContain('4711');
    },
  );

  it.each(['situation', 'uuid'])('make a query fail in %s', async (field) => {
    const server = await startHttpServer(reply(200, { ...query.answer(), [field]: 7 }));
    const thrown = await failureOf(query.call(clientFor(server)));
    expect(thrown).toMatchObject({ code: 'invalid_response', issues: [{ path: [field] }] });
    expect(thrown.message).toMatch(
      /^The response is a success, but essential fields are missing or invalid\. /,
    );
  });
});

describe('a checkout response', () => {
  const whole = checkoutAnswer();
  const withJourney = (fields: object) =>
    JSON.stringify({ ...whole, response: { ...whole.response, ...fields } });

  it.each([
    ['no QR code', withJourney({ instructions: { qrCode: {} } })],
    ['an empty QR code', withJourney({ instructions: { qrCode: { plain: '', base64: null } } })],
    ['no instructions', withJourney({ instructions: undefined })],
    ['JSON that breaks off', JSON.stringify(whole).slice(0, 200)],
    ['JSON with white space that breaks off', JSON.stringify(whole, null, 2).slice(0, 300)],
  ])('that cannot be used puts its uuid on the error, because the journey exists: %s', async (_, body) => {
    const server = await startHttpServer(reply(200, body));
    const thrown = await failureOf(create.call(clientFor(server)));
    expect(thrown).toBeInstanceOf(InvalidResponseError);
    expect(thrown).toMatchObject({ uuid: 'uuid-1', outcome: 'unknown' });
    expect(thrown.message).toContain('do not create it again');
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ['no uuid', withJourney({ uuid: undefined })],
    ['an empty uuid', withJourney({ uuid: '' })],
    ['a uuid that is not text', withJourney({ uuid: 7 })],
    ['JSON that breaks off before its uuid', '{"status":0,"response":{"id":1'],
    ['JSON that breaks off inside its uuid', '{"status":0,"response":{"uuid":"uuid-'],
  ])('without a readable uuid causes an error without one: %s', async (_, body) => {
    const server = await startHttpServer(reply(200, body));
    const thrown = await failureOf(create.call(clientFor(server)));
    expect(thrown).toBeInstanceOf(InvalidResponseError);
    expect(thrown['uuid']).toBeUndefined();
    expect(thrown.message).toContain('The journey may exist');
  });

  it.each(['plain', 'base64', 'url'])('with %s as its only QR code is a success', async (form) => {
    const body = withJourney({ instructions: { qrCode: { [form]: 'x' } } });
    const server = await startHttpServer(reply(200, body));
    expect(await create.call(clientFor(server))).toEqual(JSON.parse(body));
  });
});

describe('the uuid of a journey whose response broke off', () => {
  const json = JSON.stringify(checkoutAnswer());
  /** Cut in the QR code's picture: the longest part of a response, so the likely place for a cut. */
  const cutOff = json.slice(0, json.indexOf('iVBOR') + 4);
  const controller = new AbortController();

  it.each([
    ['the connection was lost', {}, 'connection_failed'],
    ['timeoutMs ran out', { timeoutMs: 500 }, 'timeout'],
    ['totalTimeoutMs ran out', { totalTimeoutMs: 500 }, 'timeout'],
    ['the signal fired', { signal: controller.signal }, 'aborted'],
  ])('is on the error when %s', async (_, options, code) => {
    const server = await startRawServer((socket) => {
      socket.write(tooLong + cutOff);
      if (code === 'connection_failed') socket.end();
      if (code === 'aborted') setTimeout(() => controller.abort(), 100);
    });
    const thrown = await failureOf(create.call(clientFor(server), options));
    expect(thrown).toMatchObject({ code, outcome: 'unknown', attempts: 1, uuid: 'uuid-1' });
    expect(thrown.message).toContain('The journey exists');
  });

  it.each([
    ['the response exceeds maxResponseBytes', reply(200, json), 'invalid_response'],
    ['the status of the body is -1', reply(200, { ...checkoutAnswer(), status: -1 }), 'api_error'],
    ['the HTTP status is 500', reply(500, json), 'api_error'],
  ])('is on the error when %s', async (_, respond, code) => {
    const server = await startHttpServer(respond);
    const maxResponseBytes = code === 'invalid_response' ? json.length - 200 : 1024 * 1024;
    const thrown = await failureOf(create.call(clientFor(server, { maxResponseBytes })));
    expect(thrown).toMatchObject({ code, outcome: 'unknown', uuid: 'uuid-1' });
  });

  it.each([
    ['the only uuid is the shopper’s', '{"response":{"shopper":{"uuid":"shopper-1"},"id":1', undefined],
    ['there are two of them', '{"response":{"uuid":"uuid-1","uuid":"uuid-2","x":"', undefined],
    ['it is itself cut off', '{"response":{"uuid":"uuid-', undefined],
    ['another one is beside it', `{"uuid":"request-1",${cutOff.slice(1)}`, 'uuid-1'],
  ])('is found only where it is clear: %s', async (_, text, uuid) => {
    const server = await startRawServer((socket) => socket.end(tooLong + text));
    const thrown = await failureOf(create.call(clientFor(server)));
    expect(thrown).toMatchObject({ code: 'connection_failed', outcome: 'unknown', uuid });
  });
});

describe('a uuid that is not the journey’s does not make an error say that the journey exists', () => {
  it.each([500, 408])('when the body of a %d has one of the gateway’s own', async (status) => {
    const server = await startHttpServer(reply(status, { message: 'upstream', uuid: 'trace-1' }));
    const thrown = await failureOf(create.call(clientFor(server)));
    expect(thrown).toMatchObject({ outcome: 'unknown', uuid: undefined });
    expect(thrown.message).toContain('The journey may exist');
  });

  it('when a 429 had one and the next attempt lost its connection', async () => {
    const turnedAway = reply(429, { response: { uuid: 'not-created' } });
    const server = await startHttpServer(turnedAway, dropConnection);
    const thrown = await failureOf(create.call(clientFor(server)));
    expect(thrown).toMatchObject({ outcome: 'unknown', attempts: 2, uuid: undefined });
    expect(thrown.message).toContain('The journey may exist');
  });

  it('when a cancellation gets one, because its documented response has none', async () => {
    const server = await startHttpServer(reply(504, { uuid: 'trace-1' }));
    expect(await failureOf(cancel.call(clientFor(server)))).toMatchObject({ uuid: undefined });
  });
});

it('the uuid from a failed attempt of a query is kept when the next attempt brings none', async () => {
  const server = await startHttpServer(reply(503, { uuid: 'uuid-1' }), dropConnection);
  const thrown = await failureOf(query.call(clientFor(server), { maxRetries: 1 }));
  expect(thrown).toMatchObject({ outcome: 'unknown', attempts: 2, uuid: 'uuid-1' });
});

describe('redirects', () => {
  it.each([301, 302, 303, 307, 308])('a %d to another origin sends nothing there', async (status) => {
    const other = await startHttpServer(reply(200, {}));
    const location = `http://localhost:${other.port}/steal?a=1`;
    const server = await startHttpServer(reply(status, '', { location }));
    for (const { call } of operations) {
      const thrown = await failureOf(call(clientFor(server)));
      expect(thrown).toBeInstanceOf(ApiError);
      expect(thrown).toMatchObject({ httpStatus: status, outcome: 'unknown', attempts: 1 });
      expect(thrown.message).toContain(
        'a redirect to another host (see `error.location`), which is never followed',
      );
      expect(thrown.message).not.toMatch(/localhost|steal/);
      expect(thrown['location']).toBe(location);
    }
    expect(other.requests).toEqual([]);
    expect(server.requests).toHaveLength(3);
  });

  it('to the host of baseUrl is named with its origin', async () => {
    const server = await startHttpServer(reply(301, '', { location: 'https://127.0.0.1/marked' }));
    const { message } = await failureOf(query.call(clientFor(server)));
    expect(message).toContain('HTTP 301, a redirect to https://127.0.0.1, which is never followed');
  });

  it.each(['/elsewhere', '', 'http://', 'javascript:alert(1)', 'urn:https:x'])(
    'a 302 with the location %j is not followed',
    async (location) => {
      const server = await startHttpServer(reply(302, '', { location }), reply(200, {}));
      const thrown = await failureOf(query.call(clientFor(server)));
      expect(thrown).toMatchObject({ httpStatus: 302 });
      expect(thrown.message).toContain('HTTP 302, a redirect, which is never followed');
      expect(server.requests).toHaveLength(1);
    },
  );

  it.each(operations)('a 304 to $name has outcome unknown', async ({ call }) => {
    const server = await startHttpServer((response) => response.writeHead(304).end());
    const thrown = await failureOf(call(clientFor(server)));
    expect(thrown).toMatchObject({ httpStatus: 304, outcome: 'unknown', attempts: 1 });
  });
});

describe('the message of an error', () => {
  const documented = [
    'amount',
    'shopper.document.number',
    'recurrence.calendar[0].initialDate',
    'shopper[document]',
  ];
  const other = [
    'cpf_123',
    'maria.silva',
    'shopper.maria',
    'amount.52998224725',
    '12',
    '[0]',
    'a b',
    '',
    'reason',
  ];

  it('names the documented fields that the service names, and no other name', async () => {
    const errors = [{ message: 'no' }, ...[...documented, ...other].map((field) => ({ field }))];
    const server = await startHttpServer(reply(400, { errors }));
    const thrown = await failureOf(create.call(clientFor(server)));
    expect(thrown.message).toContain(
      `It names fields: ${documented.join(', ')}, see \`error.serviceErrors\`. The service refused the call`,
    );
    expect(thrown['serviceErrors']).toHaveLength(14);
  });

  it('names no field where the document lists none', async () => {
    const server = await startHttpServer(reply(400, { errors: [{ field: 'amount' }] }));
    for (const call of [
      query.call(clientFor(server)),
      clientFor(server).request({ method: 'POST', path: '/x', body: {} }),
    ]) {
      expect((await failureOf(call)).message).toContain('. It names fields, see `error.serviceErrors`. ');
    }
  });
});

it('a response is at most 1 MiB by default', async () => {
  const server = await startHttpServer(reply(200, { ...query.answer(), padding: 'x'.repeat(2 ** 20) }));
  expect(await failureOf(query.call(clientFor(server)))).toMatchObject({ code: 'invalid_response' });
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
  [404, ' for /v1.1/transactions/{transactionUUID}. Check the identifier, and the path prefix of `baseUrl`'],
  [407, ': a proxy on the way wants to know who asks'],
  [409, ''],
  [422, reason],
  [429, ': too many requests'],
  [500, ''],
])('the message of an ApiError with HTTP %d says its likely cause', async (status, cause) => {
  const client = clientFor(
    { url: 'https://service.example' },
    { fetch: async () => new Response('', { status }) },
  );
  const thrown = await failureOf(query.call(client, { maxRetries: 0 }));
  expect(thrown.message).toBe(
    `The service answered getTransaction with HTTP ${status}${cause}. ${adviceOf(thrown)}`,
  );
});

describe('the message of', () => {
  it.each([
    ['a login page', reply(200, '<!DOCTYPE html><html><body>Log in</body></html>'), 'an HTML page'],
    ['a 400', reply(400, { message: 'no' }), '`error.serviceMessage`'],
    ['a 401', reply(401), 'belong to this `baseUrl`'],
    [
      'a 422',
      reply(422, { errors: [{ field: 'a.b[0]' }, { field: '529' }] }),
      'It names fields, see `error.serviceErrors`',
    ],
    // An identifier may be personal data.
    ['a 404', reply(404), ' for /v1.1/transactions/{transactionUUID}. Check the identifier'],
  ])('%s says what to look at', async (_, respond, says) => {
    const server = await startHttpServer(respond);
    const { message } = await failureOf(clientFor(server).getTransaction('529.982.247-25'));
    expect(message).toContain(says);
    expect(message).not.toContain('529');
  });
});

/** Adds a field to every object in `value`, at every depth. */
function withNovelFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNovelFields);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([key, field]) => [key, withNovelFields(field)]);
  return { ...Object.fromEntries(fields), novel: { deep: ['field'] } };
}
