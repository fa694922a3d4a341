import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startClosingServer } from '../helpers/closing-server';
import { reply, startHttpServer } from '../helpers/http-server';
import { rawAnswer, startRawServer } from '../helpers/raw-server';
import { changing, checkoutAnswer, clientFor, failureOf, operations } from './support';

const [create, query] = operations;

const json = JSON.stringify(checkoutAnswer());
/** Cut in the QR code's picture: the longest part of a response, so the likely place for a cut. */
const cutOff = json.slice(0, json.indexOf('iVBOR') + 4);
const head = (...lines: string[]) => ['HTTP/1.1 200 OK', ...lines].join('\r\n').concat('\r\n\r\n');
const tooLong = head('content-type: application/json', 'content-length: 100000');

describe('the uuid of a journey whose response broke off', () => {
  it('is on the error when the connection was lost', async () => {
    const server = await startRawServer((socket) => socket.end(tooLong + cutOff));
    const thrown = await failureOf(create.call(clientFor(server)));
    expect(thrown).toMatchObject({ code: 'connection_failed', outcome: 'unknown', uuid: 'uuid-1' });
    expect(thrown.message).toContain('The journey exists');
    expect(server.requests).toHaveLength(1);
  });

  it.each(['timeoutMs', 'totalTimeoutMs'])('is on the error when %s ran out', async (limit) => {
    const server = await startRawServer((socket) => socket.write(tooLong + cutOff));
    const thrown = await failureOf(create.call(clientFor(server, { [limit]: 500 })));
    expect(thrown).toMatchObject({ code: 'timeout', outcome: 'unknown', uuid: 'uuid-1' });
  });

  it('is on the error when the signal fired', async () => {
    const controller = new AbortController();
    const server = await startRawServer((socket) => {
      socket.write(tooLong + cutOff);
      setTimeout(() => controller.abort(), 100);
    });
    const thrown = await failureOf(create.call(clientFor(server), { signal: controller.signal }));
    expect(thrown).toMatchObject({ code: 'aborted', outcome: 'unknown', uuid: 'uuid-1' });
  });

  it('is on the error when the response exceeds maxResponseBytes, even if it comes in one chunk', async () => {
    const server = await startHttpServer(reply(200, json));
    const maxResponseBytes = json.length - 200;
    const thrown = await failureOf(create.call(clientFor(server, { maxResponseBytes })));
    expect(thrown).toMatchObject({ code: 'invalid_response', outcome: 'unknown', uuid: 'uuid-1' });
  });

  it.each([-1, 999])('is on the error when the status of the body is %d', async (status) => {
    const server = await startHttpServer(reply(200, { ...checkoutAnswer(), status }));
    const thrown = await failureOf(create.call(clientFor(server)));
    expect(thrown).toMatchObject({ code: 'api_error', outcome: 'unknown', uuid: 'uuid-1' });
  });

  it.each([500, 504])('is on the error of HTTP %d', async (httpStatus) => {
    const server = await startHttpServer(reply(httpStatus, json));
    const thrown = await failureOf(create.call(clientFor(server)));
    expect(thrown).toMatchObject({ httpStatus, outcome: 'unknown', uuid: 'uuid-1' });
  });

  it.each([
    ['the only uuid is the shopper’s', '{"response":{"shopper":{"uuid":"shopper-1"},"id":1'],
    ['it is in a list', '{"response":[{"uuid":"uuid-1"}],"x":"'],
    ['it appears twice with different values', '{"response":{"uuid":"uuid-1","uuid":"uuid-2","x":"'],
    ['it is itself cut off', '{"response":{"uuid":"uuid-'],
    ['it is quoted in a text', '{"message":"{\\"response\\":{\\"uuid\\":\\"uuid-1\\"}}","x":"'],
    ['it is quoted in a text that breaks off', '{"message":"{\\"response\\":{\\"uuid\\":\\"uuid-1\\"'],
    ['it is a number', '{"response":{"uuid":7,"x":"'],
    ['it is empty', '{"response":{"uuid":"","x":"'],
  ])('is not on the error when %s', async (_, text) => {
    const server = await startRawServer((socket) => socket.end(tooLong + text));
    const thrown = await failureOf(create.call(clientFor(server)));
    expect(thrown).toMatchObject({ code: 'connection_failed', outcome: 'unknown', uuid: undefined });
  });

  it('is found after escapes, lists and deeper objects', async () => {
    const text = String.raw`{"message":"a \\\" \\","list":[1,{"uuid":"no"}],"response":{"shopper":{"uuid":"no"},"uuid":"u\u002d1","x":"`;
    const server = await startRawServer((socket) => socket.end(tooLong + text));
    expect(await failureOf(create.call(clientFor(server)))).toMatchObject({ uuid: 'u-1' });
  });
});

describe.each(operations)('$name', ({ call, answer }) => {
  const text = JSON.stringify(answer());
  const bytes = Buffer.byteLength(text);

  it.each([
    [
      'its last chunk is missing',
      `${head('transfer-encoding: chunked')}${bytes.toString(16)}\r\n${text}\r\n`,
      true,
    ],
    ['its content-length is too large', `${head(`content-length: ${bytes + 9}`)}${text}`, true],
    ['the connection stays open and no length is given', `${head()}${text}`, false],
    ['a larger content-length stalls', `${head(`content-length: ${bytes + 9}`)}${text}`, false],
  ])('succeeds with a whole response, though %s', async (_, response, end) => {
    const server = await startRawServer((socket) => {
      socket.write(response);
      if (end) socket.end();
    });
    expect(await call(clientFor(server, { timeoutMs: 1_000 }))).toEqual(answer());
    expect(server.requests).toHaveLength(1);
  });

  it('is not a success with a bare number, which may have been cut', async () => {
    const server = await startRawServer((socket) => socket.end(`${head('content-length: 9')}12`));
    const thrown = await failureOf(call(clientFor(server), { maxRetries: 0 }));
    expect(thrown).toMatchObject({ code: 'connection_failed', outcome: 'unknown' });
  });
});

describe.each(changing)('$name', ({ call, answer }) => {
  it('is sent once when reading the body of a 200 fails with ECONNREFUSED', async () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED'), {
      code: 'ECONNREFUSED',
      syscall: 'connect',
    });
    const body = () => new ReadableStream({ pull: (controller) => controller.error(refused) });
    const fetch = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response(body()));
    const thrown = await failureOf(call(clientFor({ url: 'http://127.0.0.1:1' })));
    expect(thrown).toMatchObject({ outcome: 'unknown', attempts: 1 });
    expect(fetch).toHaveBeenCalledTimes(1);
    fetch.mockRestore();
  });

  it('is retried after a 429, but not after a success that cannot be read', async () => {
    const issues = JSON.stringify({ ...answer(), status: 'x', response: Array(110_000).fill({}) });
    const server = await startHttpServer(reply(429), reply(200, issues));
    const thrown = await failureOf(call(clientFor(server)));
    expect(thrown).toMatchObject({ code: 'invalid_response', outcome: 'unknown', attempts: 2 });
    expect(server.requests).toHaveLength(2);
  });

  it('is sent once on 421, although the platform’s fetch may send a request again on 421', async () => {
    const server = await startHttpServer(reply(421));
    const thrown = await failureOf(call(clientFor(server)));
    expect(thrown).toMatchObject({ httpStatus: 421, attempts: 1 });
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.headers).toMatchObject({ 'content-length': expect.stringMatching(/^\d+$/) });
    expect(server.requests[0]?.headers['transfer-encoding']).toBeUndefined();
  });

  it('does not use a kept connection that the service closed while the process was busy', async () => {
    const server = await startClosingServer(rawAnswer('200 OK', JSON.stringify(answer())));
    onTestFinished(server.close);
    const client = clientFor({ url: `http://127.0.0.1:${server.port}` });
    for (let round = 1; round <= 10; round += 1) {
      expect(await call(client)).toEqual(answer());
      await server.beBusyWhileItCloses();
      expect(server.requests()).toBe(round);
    }
  });
});

it('a response is at most 1 MiB by default', async () => {
  const server = await startHttpServer(reply(200, { ...query.answer(), padding: 'x'.repeat(2 ** 20) }));
  expect(await failureOf(query.call(clientFor(server)))).toMatchObject({ code: 'invalid_response' });
});

it('the message about an unreadable 200 says that it is an HTML page', async () => {
  const server = await startHttpServer(reply(200, '<!DOCTYPE html><html><body>Log in</body></html>'));
  expect((await failureOf(query.call(clientFor(server)))).message).toContain('an HTML page');
});

it('the message of a 400 points to error.serviceMessage, and that of a 404 names the path’s template, because an identifier may be personal data', async () => {
  const server = await startHttpServer(reply(400, { message: 'no' }), reply(404));
  const client = clientFor(server);
  expect((await failureOf(create.call(client))).message).toContain('`error.serviceMessage`');
  const { message } = await failureOf(client.getTransaction('529.982.247-25'));
  expect(message).toContain(' for /v1.1/transactions/{transactionUUID}. Check the identifier');
  expect(message).not.toContain('529');
});

it('a call succeeds under fake timers', async () => {
  const server = await startHttpServer(reply(200, checkoutAnswer()));
  vi.useFakeTimers();
  try {
    expect(await create.call(clientFor(server))).toEqual(checkoutAnswer());
  } finally {
    vi.useRealTimers();
  }
});
