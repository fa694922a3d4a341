import { createSecureServer } from 'node:http2';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Fetch } from 'pix-automatic-sdk';
import { Agent, ProxyAgent, fetch as undiciFetch } from 'undici';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { reply, startHttpServer } from '../helpers/http-server';
import { startRawServer } from '../helpers/raw-server';
import { selfSigned } from './self-signed';
import { changing, clientFor, failureOf, operations, withoutBackOff } from './support';

const [create, query] = operations;

beforeEach(withoutBackOff);
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe.each(operations)('$name', ({ call, answer, method }) => {
  it('asks for an answer that is not compressed, because a cut one would have no uuid to find', async () => {
    const server = await startHttpServer(reply(200, answer()));
    await call(clientFor(server));
    expect(server.requests[0]?.headers['accept-encoding']).toBe('identity');
  });

  it('is refused by a 407, which Node’s fetch hides in an error without a message', async () => {
    const server = await startHttpServer(reply(407));
    const thrown = await failureOf(call(clientFor(server)));
    expect(thrown).toMatchObject({ code: 'api_error', httpStatus: 407, outcome: 'refused', attempts: 1 });
    expect(thrown.message).toContain('proxy');
  });

  it('is not-sent when a proxy refuses CONNECT', async () => {
    const proxy = createServer((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n'));
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void proxy.close());
    const { port } = proxy.address() as AddressInfo;
    const dispatcher = new ProxyAgent(`http://127.0.0.1:${port}`);
    const thrown = await overDispatcher(dispatcher, () =>
      failureOf(call(clientFor({ url: 'https://service.example' }, { maxRetries: 0 }))),
    );
    expect(thrown).toMatchObject({ code: 'connection_failed', outcome: 'not-sent' });
  });

  it('is sent over HTTP/2 by a dispatcher that allows it', async () => {
    const versions: string[] = [];
    const server = createSecureServer({ ...selfSigned, allowHTTP1: true }, (request, response) => {
      versions.push(request.httpVersion);
      request.resume().on('end', () => response.end(JSON.stringify(answer())));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const dispatcher = new Agent({ allowH2: true, connect: { ca: selfSigned.cert } });
    onTestFinished(async () => {
      await dispatcher.destroy();
      server.close();
    });
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const fetch: Fetch = (target, init) => undiciFetch(target, { ...init, dispatcher } as never) as never;
    for (let calls = 0; calls < 3; calls += 1)
      expect(await call(clientFor({ url }, { fetch }))).toEqual(answer());
    expect(versions).toEqual(['2.0', '2.0', '2.0']);
  });

  it(`is sent ${method === 'GET' ? 'on a kept connection' : 'with connection: close'}`, async () => {
    const server = await startHttpServer(reply(200, answer()));
    await call(clientFor(server));
    const expected = method === 'GET' ? 'keep-alive' : 'close';
    expect(server.requests[0]?.headers.connection).toBe(expected);
  });

  it(`is sent ${method === 'GET' ? 'with' : 'without'} cache: no-store, for Next.js 14 caches queries`, async () => {
    const server = await startHttpServer(reply(200, answer()));
    const fetch = vi.spyOn(globalThis, 'fetch');
    await call(clientFor(server));
    const [, init] = fetch.mock.calls[0] ?? [];
    expect(Reflect.get(init ?? {}, 'cache')).toBe(method === 'GET' ? 'no-store' : undefined);
  });

  it('does not name `cache` on a platform that does not know it, as workerd before November 2024', async () => {
    const server = await startHttpServer(reply(200, answer()));
    const fetch = vi.spyOn(globalThis, 'fetch');
    const cache = Object.getOwnPropertyDescriptor(Request.prototype, 'cache') as PropertyDescriptor;
    Reflect.deleteProperty(Request.prototype, 'cache');
    try {
      await call(clientFor(server));
    } finally {
      Object.defineProperty(Request.prototype, 'cache', cache);
    }
    expect(Object.keys(fetch.mock.calls[0]?.[1] ?? {})).not.toContain('cache');
  });
});

describe.each(changing)('$name', ({ call, answer }) => {
  it('is aborted before it is sent, in the turn of the event loop that it waits for: not-sent', async () => {
    const server = await startHttpServer(reply(200, answer()));
    const controller = new AbortController();
    const client = clientFor(server, { onRequest: () => void setImmediate(() => controller.abort()) });
    const thrown = await failureOf(call(client, { signal: controller.signal }));
    expect(thrown).toMatchObject({ code: 'aborted', outcome: 'not-sent', attempts: 0 });
    await sleep(20);
    expect(server.requests).toHaveLength(0);
  });

  it('is sent as a stream, which no platform can send twice, with its length', async () => {
    const server = await startHttpServer(reply(200, answer()));
    const fetch = vi.spyOn(globalThis, 'fetch');
    await call(clientFor(server));
    expect(fetch.mock.calls[0]?.[1]?.body).toBeInstanceOf(ReadableStream);
    const [request] = server.requests;
    expect(request?.headers['content-length']).toBe(String(Buffer.byteLength(request?.body ?? '')));
  });

  // The answer to each call is followed by the end of its connection, at a moment when the client may send again.
  it.each([0, 1, 2, 3])(
    'is never lost after another one to a server that closes %d ms after its answer',
    async (afterMs) => {
      const text = JSON.stringify(answer());
      const server = await startRawServer((socket) => {
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
        setTimeout(() => socket.destroy(), afterMs);
      });
      const client = clientFor(server);
      for (let calls = 0; calls < 25; calls += 1) {
        expect(await call(client)).toEqual(answer());
        await sleep(afterMs);
      }
      expect(server.requests).toHaveLength(25);
    },
  );
});

it('an abort before anything was sent has attempts 0', async () => {
  const server = await startHttpServer(reply(200, query.answer()));
  const controller = new AbortController();
  const client = clientFor(server, { onRequest: () => controller.abort() });
  const thrown = await failureOf(query.call(client, { signal: controller.signal }));
  expect(thrown).toMatchObject({ code: 'aborted', outcome: 'not-sent', attempts: 0 });
});

it.each([
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
])(
  'an answer that is compressed with %s nevertheless, and cut, has the uuid if it can be read',
  async (name, compress) => {
    const text = JSON.stringify(create.answer());
    const packed = compress(Buffer.from(text));
    const server = await startRawServer((socket, request) => {
      const accepts = /^accept-encoding: (.*)$/im.exec(request)?.[1] ?? '';
      const body = accepts.includes(name) ? packed : Buffer.from(text);
      const encoding = accepts.includes(name) ? `content-encoding: ${name}\r\n` : '';
      socket.write(`HTTP/1.1 200 OK\r\n${encoding}content-length: ${body.length}\r\n\r\n`);
      socket.end(body.subarray(0, -40));
    });
    const thrown = await failureOf(create.call(clientFor(server)));
    expect(thrown).toMatchObject({ code: 'connection_failed', outcome: 'unknown', uuid: 'uuid-1' });
  },
);

it.each(['utf-16le', 'iso-8859-1', 'no-such-charset'])(
  'JSON is UTF-8, whatever charset the service names: %s',
  async (charset) => {
    const answer = { ...query.answer(), referenceCode: 'pedido-é-€' };
    const server = await startHttpServer(
      reply(200, JSON.stringify(answer), { 'content-type': `application/json; charset=${charset}` }),
    );
    expect(await query.call(clientFor(server))).toEqual(answer);
  },
);

it('on Node 25.9, whose fetch hides a 401 to a POST, the call is refused with 401', async () => {
  const server = await startHttpServer(reply(401));
  // What Node 25.9 (undici 7.20 to 7.24) throws: a body that is a stream has no source.
  const hiding = new Error('expected non-null body source');
  const load = async () => {
    vi.resetModules();
    vi.stubGlobal('fetch', async () => {
      throw new TypeError('fetch failed', { cause: hiding });
    });
    return import('pix-automatic-sdk');
  };
  const { PaymentsClient } = await load();
  const client = new PaymentsClient({ baseUrl: server.url, apiKey: 'k', apiToken: 't' });
  const thrown = await create.call(client as never).catch((error: unknown) => error);
  expect(thrown).toMatchObject({ code: 'api_error', httpStatus: 401, outcome: 'refused', attempts: 1 });
});

async function overDispatcher<T>(dispatcher: object, run: () => Promise<T>): Promise<T> {
  const key = Symbol.for('undici.globalDispatcher.1');
  await fetch('data:,');
  const platform: unknown = Reflect.get(globalThis, key);
  Reflect.set(globalThis, key, dispatcher);
  try {
    return await run();
  } finally {
    Reflect.set(globalThis, key, platform);
  }
}
