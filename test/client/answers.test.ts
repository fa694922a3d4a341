import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { ApiError, ConnectionError, InvalidResponseError } from 'pix-automatic-sdk';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { reply, startHttpServer } from '../helpers/http-server';
import { rawAnswer, startRawServer } from '../helpers/raw-server';
import {
  cancellationAnswer,
  changing,
  checkoutAnswer,
  clientFor,
  failureOf,
  operations,
  transactionAnswer,
  withoutBackOff,
} from './support';

const [create, query, cancel] = operations;

beforeEach(withoutBackOff);

describe.each(operations)('$name', ({ call, answer, name }) => {
  it.each([-1, 999, 1, 0.5])(
    'a body whose status is %d is an ApiError, and the outcome is unknown',
    async (status) => {
      const body = { ...answer(), status, message: 'something' };
      const server = await startHttpServer(reply(200, body));
      const thrown = await failureOf(call(clientFor(server)));
      expect(thrown).toBeInstanceOf(ApiError);
      expect(thrown).toMatchObject({
        httpStatus: 200,
        status,
        serviceMessage: 'something',
        outcome: 'unknown',
      });
      expect(thrown['body']).toEqual(body);
      expect(thrown['operation']).toBe(name);
      expect(server.requests).toHaveLength(1);
    },
  );

  it('a status of 999 or -1 as text is an ApiError too', async () => {
    const server = await startHttpServer(
      reply(200, { ...answer(), status: '999' }),
      reply(200, { ...answer(), status: '-1' }),
    );
    for (const status of ['999', '-1']) {
      const thrown = await failureOf(call(clientFor(server)));
      expect(thrown).toMatchObject({ code: 'api_error', outcome: 'unknown', body: { status } });
    }
  });

  it.each([
    ['an empty 200', ''],
    ['JSON null', 'null'],
    ['a JSON array', '[{"status":0}]'],
    ['a JSON number', '0'],
    ['JSON text', '"success"'],
    ['truncated JSON', JSON.stringify(answer()).slice(0, -1)],
    ['HTML', '<html>login</html>'],
    ['two documents', '{"status":0}{"status":0}'],
  ])('%s is an InvalidResponseError, and the outcome is unknown', async (_, body) => {
    const server = await startHttpServer(reply(200, body));
    const thrown = await failureOf(call(clientFor(server)));
    expect(thrown).toBeInstanceOf(InvalidResponseError);
    expect(thrown).toMatchObject({ outcome: 'unknown', attempts: 1 });
    expect(thrown['issues']).toMatchObject([{ path: [] }]);
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ['a 204 without a body', '204 No Content', ''],
    ['a 205', '205 Reset Content', ''],
  ])('%s is an InvalidResponseError', async (_, status, body) => {
    const server = await startRawServer((socket) => socket.write(rawAnswer(status, body)));
    expect(await failureOf(call(clientFor(server)))).toBeInstanceOf(InvalidResponseError);
  });

  it.each([
    ['a byte order mark', { body: `\ufeff${JSON.stringify(answer())}`, headers: {} }],
    ['gzip', { body: gzipSync(JSON.stringify(answer())), headers: { 'content-encoding': 'gzip' } }],
    ['another content type', { body: JSON.stringify(answer()), headers: { 'content-type': 'text/plain' } }],
    ['a status 201', { status: 201, body: JSON.stringify(answer()), headers: {} }],
  ])(
    '%s does not stop a success',
    async (_, {
      status = 200,
      body,
      headers,
    }: { status?: number; body: string | Buffer; headers: Record<string, string> }) => {
      const server = await startHttpServer(reply(status, body, headers));
      expect(await call(clientFor(server))).toEqual(answer());
    },
  );

  it('a body whose chunks split a character is read whole', async () => {
    const body = Buffer.from(JSON.stringify({ ...answer(), novel: 'ação 🏠' }));
    const middle = body.indexOf('🏠') + 2;
    const server = await startHttpServer(async (response) => {
      response.write(body.subarray(0, middle));
      await sleep(30); // Otherwise both parts would arrive in one chunk.
      response.end(body.subarray(middle));
    });
    expect(await call(clientFor(server))).toEqual({ ...answer(), novel: 'ação 🏠' });
  });

  it('an HTML page with status 502 is an ApiError with the page as its body', async () => {
    const server = await startHttpServer(reply(502, '<h1>Bad Gateway</h1>', { 'content-type': 'text/html' }));
    const thrown = await failureOf(call(clientFor(server), { maxRetries: 0 }));
    expect(thrown).toBeInstanceOf(ApiError);
    expect(thrown).toMatchObject({ httpStatus: 502, status: undefined, outcome: 'unknown' });
    expect(thrown['body']).toBe('<h1>Bad Gateway</h1>');
    expect(thrown['serviceMessage']).toBeUndefined();
  });

  it.each([
    ['an object', { status: -1, message: 'no', detail: [1] }, -1, 'no'],
    ['fields of other types', { status: 'x', message: { a: 1 } }, undefined, undefined],
    ['an array', [1, 2], undefined, undefined],
    ['null', 'null', undefined, undefined],
    ['fields that are inherited only', {}, undefined, undefined],
  ])('the ApiError of a 4xx keeps any body as received: %s', async (_, body, status, serviceMessage) => {
    const server = await startHttpServer(reply(400, body));
    const thrown = await failureOf(call(clientFor(server)));
    expect(thrown).toMatchObject({ httpStatus: 400, status, serviceMessage, outcome: 'refused' });
    expect(thrown['body']).toEqual(body === 'null' ? null : body);
  });

  it('a 4xx whose body breaks off is still an ApiError with outcome refused', async () => {
    const server = await startRawServer((socket) => {
      socket.end('HTTP/1.1 422 Unprocessable\r\ncontent-length: 100\r\n\r\n{"message":"no"');
    });
    const thrown = await failureOf(call(clientFor(server)));
    expect(thrown).toMatchObject({ code: 'api_error', httpStatus: 422, outcome: 'refused' });
    expect(thrown['body']).toBe('{"message":"no"');
  });

  it.each([
    ['a body shorter than its content-length', 'content-length: 5000\r\n\r\n{"status":0', true],
    ['a chunk that breaks off', 'transfer-encoding: chunked\r\n\r\nff\r\n{"status":0', true],
    [
      'a chunk size that is not a number',
      'transfer-encoding: chunked\r\n\r\nzz\r\n{"status":0}\r\n0\r\n\r\n',
      false,
    ],
    ['no last chunk, and half an object', 'transfer-encoding: chunked\r\n\r\nb\r\n{"status":0\r\n', true],
    [
      'a body declared as gzip that is not gzip',
      'content-encoding: gzip\r\ncontent-length: 12\r\n\r\n{"status":0}',
      false,
    ],
    [
      'both content-length and chunked encoding',
      'content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      false,
    ],
  ])('%s is a ConnectionError, and the outcome is unknown', async (_, rest, end) => {
    const server = await startRawServer((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${rest}`);
      if (end) socket.end();
    });
    const thrown = await failureOf(call(clientFor(server), { maxRetries: 0, timeoutMs: 5_000 }));
    expect(thrown).toBeInstanceOf(ConnectionError);
    expect(thrown).toMatchObject({ outcome: 'unknown', attempts: 1 });
  });

  it.each([
    ['no HTTP at all', 'SSH-2.0-OpenSSH_9.6\r\n\r\n'],
    ['a header line without a colon', 'HTTP/1.1 200 OK\r\nx\r\n\r\n'],
    ['nothing', ''],
  ])('a server that sends %s causes a connection_failed error', async (_, bytes) => {
    const server = await startRawServer((socket) => socket.end(bytes));
    const thrown = await failureOf(call(clientFor(server), { maxRetries: 0, timeoutMs: 5_000 }));
    expect(thrown).toMatchObject({ code: 'connection_failed', outcome: 'unknown' });
  });

  it('a body longer than its content-length is an error with outcome unknown', async () => {
    const server = await startRawServer((socket) => {
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n{"status":0,"message":"success"}');
    });
    const thrown = await failureOf(call(clientFor(server), { maxRetries: 0 }));
    expect(['invalid_response', 'connection_failed']).toContain(thrown.code);
    expect(thrown.outcome).toBe('unknown');
  });

  it('an endless body is read up to maxResponseBytes, then its connection is closed', async () => {
    let ended = false;
    const server = await startRawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      const chunk = `400\r\n${'x'.repeat(1024)}\r\n`;
      const timer = setInterval(() => socket.write(chunk), 1);
      socket.on('close', () => {
        clearInterval(timer);
        ended = true;
      });
    });
    const thrown = await failureOf(call(clientFor(server, { maxResponseBytes: 20_000 })));
    expect(thrown).toBeInstanceOf(InvalidResponseError);
    expect(thrown.message).toContain('maxResponseBytes');
    expect(String(thrown['body']).length).toBeLessThanOrEqual(20_000);
    await expect.poll(() => ended).toBe(true);
  });

  it('a small body that decompresses beyond maxResponseBytes is an error with outcome unknown', async () => {
    const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024, ' '));
    expect(bomb.byteLength).toBeLessThan(100_000);
    const server = await startHttpServer(reply(200, bomb, { 'content-encoding': 'gzip' }));
    const thrown = await failureOf(call(clientFor(server, { maxRetries: 0 })));
    expect(thrown).toMatchObject({ code: 'invalid_response', outcome: 'unknown' });
  });

  it('a 403 whose body exceeds maxResponseBytes is still an ApiError with outcome refused', async () => {
    const server = await startHttpServer(reply(403, 'x'.repeat(10_000)));
    const thrown = await failureOf(call(clientFor(server, { maxResponseBytes: 1_000 })));
    expect(thrown).toMatchObject({ code: 'api_error', httpStatus: 403, outcome: 'refused' });
  });

  it('a body of exactly maxResponseBytes is read, one byte more is not', async () => {
    const body = JSON.stringify(answer());
    const server = await startHttpServer(reply(200, body));
    const size = Buffer.byteLength(body);
    expect(await call(clientFor(server, { maxResponseBytes: size }))).toEqual(answer());
    const thrown = await failureOf(call(clientFor(server, { maxResponseBytes: size - 1 })));
    expect(thrown.code).toBe('invalid_response');
  });

  it('fields that the document does not show are kept at run time, at every depth', async () => {
    const body = withNovelFields(answer());
    const server = await startHttpServer(reply(200, body));
    expect(await call(clientFor(server))).toEqual(body);
  });

  it('a __proto__ in the body pollutes nothing', async () => {
    const body = JSON.stringify(answer()).replace(
      '{',
      '{"__proto__":{"polluted":1},"constructor":{"polluted":1},',
    );
    const server = await startHttpServer(reply(200, body));
    const result = await call(clientFor(server));
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
    expect(Reflect.get(result, 'polluted')).toBeUndefined();
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
  });

  it('a __proto__ in the body of an error sets neither its status nor its message', async () => {
    const server = await startHttpServer(reply(400, '{"__proto__":{"status":7,"message":"no"}}'));
    const thrown = await failureOf(call(clientFor(server)));
    expect(thrown).toMatchObject({ status: undefined, serviceMessage: undefined });
  });
});

describe('a 2xx without a status', () => {
  it.each([undefined, null])('is a success of a query (status %s)', async (status) => {
    const server = await startHttpServer(reply(200, { ...transactionAnswer(), status }));
    expect(await query.call(clientFor(server))).toMatchObject({ situation: 'PAID' });
  });

  it.each([undefined, null])(
    'is a success of a checkout that has its uuid and QR code (status %s)',
    async (status) => {
      const server = await startHttpServer(reply(200, { ...checkoutAnswer(), status }));
      expect(await create.call(clientFor(server))).toMatchObject({ response: { uuid: 'uuid-1' } });
    },
  );

  it.each([undefined, null])('is an error of a cancellation (status %s)', async (status) => {
    const server = await startHttpServer(reply(200, { ...cancellationAnswer(), status }));
    const thrown = await failureOf(cancel.call(clientFor(server)));
    expect(thrown).toMatchObject({ code: 'invalid_response', outcome: 'unknown' });
    expect(thrown['issues']).toMatchObject([{ path: ['status'] }]);
  });

  it('is a success of a query even when its body is an empty object', async () => {
    const server = await startHttpServer(reply(200, {}));
    expect(await query.call(clientFor(server))).toEqual({});
  });
});

describe('fields of another type than documented', () => {
  it.each([
    ['getTransaction', { track: [] }, query, ['track']],
    ['getTransaction', { id: '4711' }, query, ['id']],
    ['cancelScheduledPayment', { message: 7 }, operations[2], ['message']],
  ] as const)(
    'are left out of the result of %s and reported to onResponse: %j',
    async (_, wrong, operation, path) => {
      const server = await startHttpServer(reply(200, { ...operation.answer(), ...wrong }));
      const onResponse = vi.fn();
      const expected: Record<string, unknown> = { ...operation.answer() };
      delete expected[path[0]];
      expect(await operation.call(clientFor(server, { onResponse }))).toEqual(expected);
      const issues = [{ path, message: expect.stringContaining('expected') }];
      expect(onResponse).toHaveBeenCalledWith(expect.objectContaining({ errorCode: undefined, issues }));
      expect(JSON.stringify(onResponse.mock.calls)).not.toContain('4711');
    },
  );

  it.each(['situation', 'uuid'])('make a query fail in %s', async (field) => {
    const server = await startHttpServer(reply(200, { ...query.answer(), [field]: 7 }));
    const thrown = await failureOf(query.call(clientFor(server)));
    expect(thrown).toMatchObject({ code: 'invalid_response', issues: [{ path: [field] }] });
  });
});

describe('a checkout response', () => {
  const whole = checkoutAnswer();
  // biome-ignore lint/suspicious/noExplicitAny: these responses fit no type on purpose.
  const without = (change: (answer: any) => void) => {
    const answer = structuredClone(whole);
    change(answer);
    return JSON.stringify(answer);
  };

  it.each([
    [
      'no QR code',
      without(({ response }) => {
        response.instructions.qrCode = {};
      }),
    ],
    [
      'an empty QR code',
      without(({ response }) => {
        response.instructions.qrCode = { plain: '', base64: null };
      }),
    ],
    [
      'no instructions',
      without(({ response }) => {
        delete response.instructions;
      }),
    ],
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
    [
      'no uuid',
      without(({ response }) => {
        delete response.uuid;
      }),
    ],
    [
      'an empty uuid',
      without(({ response }) => {
        response.uuid = '';
      }),
    ],
    [
      'a uuid that is not text',
      without(({ response }) => {
        response.uuid = 7;
      }),
    ],
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
    const body = JSON.parse(without(({ response }) => (response.instructions.qrCode = { [form]: 'x' })));
    const server = await startHttpServer(reply(200, body));
    expect(await create.call(clientFor(server))).toEqual(body);
  });
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
      expect(thrown.message).toContain(`http://localhost:${other.port},`);
      expect(thrown.message).not.toContain('steal');
    }
    expect(other.requests).toEqual([]);
    expect(server.requests).toHaveLength(3);
  });

  it('a redirect to the same origin is not followed', async () => {
    const server = await startHttpServer(reply(302, '', { location: '/elsewhere' }), reply(200, {}));
    const thrown = await failureOf(query.call(clientFor(server)));
    expect(thrown).toMatchObject({ httpStatus: 302 });
    expect(server.requests).toHaveLength(1);
  });

  it.each(['', 'http://', 'javascript:alert(1)'])(
    'a 302 with the location %j is an error with httpStatus 302',
    async (location) => {
      const server = await startHttpServer(reply(302, '', { location }));
      expect(await failureOf(query.call(clientFor(server)))).toMatchObject({ httpStatus: 302 });
    },
  );

  it('a 304 is an error with outcome unknown', async () => {
    const server = await startHttpServer((response) => response.writeHead(304).end());
    for (const { call } of changing) {
      expect(await failureOf(call(clientFor(server)))).toMatchObject({ httpStatus: 304, outcome: 'unknown' });
    }
  });
});

/** Adds a field to every object in `value`, at every depth. */
function withNovelFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNovelFields);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([key, field]) => [key, withNovelFields(field)]);
  return { ...Object.fromEntries(fields), novel: { deep: ['field'] } };
}
