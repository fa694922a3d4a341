import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import nodeFetch from 'node-fetch';
import { type Fetch, isCallError, type PaymentsError } from 'pix-automatic-sdk';
import { Agent, RetryAgent, fetch as undiciFetch } from 'undici';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { dropConnection, reply, startHttpServer, startHttpsServer, unusedPort } from '../helpers/http-server';
import { rawAnswer, startRawServer } from '../helpers/raw-server';
import { selfSigned } from './self-signed';
import { changing, clientFor, failureOf, operations, withoutBackOff } from './support';

const [create, query, cancel] = operations;

beforeEach(withoutBackOff);
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** The platform's `fetch`, and then a failure that looks like a connection that was never made. */
async function sendsAndThenFails(url: string, init: object): Promise<Response> {
  await (await fetch(url, init)).text();
  return fetch(`http://127.0.0.1:${await unusedPort()}`);
}

/** A global `fetch` that tries again by itself, as instrumentation and service meshes do. */
function patchGlobalFetch(): void {
  const platform = globalThis.fetch;
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    const body = init.body === undefined ? undefined : await new Response(init.body).text();
    const once = () => platform(url, { ...init, body: body ?? null });
    return once().catch(once);
  });
}

describe.each(operations)('$name, over a fetch that is not the platform’s,', ({ call, answer }) => {
  it('has outcome unknown when it was sent and a later request of that fetch was refused', async () => {
    const server = await startHttpServer(reply(200, answer()));
    const thrown = await failureOf(call(clientFor(server, { fetch: sendsAndThenFails, maxRetries: 0 })));
    expect(thrown).toMatchObject({ code: 'connection_failed', outcome: 'unknown', attempts: 1 });
    expect(server.requests).toHaveLength(1);
  });

  it('has outcome unknown even when that fetch only failed to connect: it may have sent it before', async () => {
    const fetch = vi.fn((url: string, init: object) => globalThis.fetch(url, init));
    const url = `http://127.0.0.1:${await unusedPort()}`;
    const thrown = await failureOf(call(clientFor({ url }, { fetch, maxRetries: 0 })));
    expect(thrown).toMatchObject({ code: 'connection_failed', outcome: 'unknown', reason: 'ECONNREFUSED' });
  });

  it('has outcome unknown over a patched globalThis.fetch', async () => {
    vi.stubGlobal('fetch', sendsAndThenFails);
    const server = await startHttpServer(reply(200, answer()));
    vi.stubGlobal('fetch', undiciFetch);
    const url = `http://127.0.0.1:${await unusedPort()}`;
    expect(await failureOf(call(clientFor({ url }, { maxRetries: 0 })))).toMatchObject({
      outcome: 'unknown',
    });
    expect(server.requests).toHaveLength(0);
  });

  it('keeps the status when a logging wrapper has locked the body', async () => {
    const server = await startHttpServer(reply(404, { message: 'not there' }));
    const fetch: Fetch = async (url, init) => {
      const response = await globalThis.fetch(url, { ...init });
      response.body?.getReader();
      return response;
    };
    const thrown = await failureOf(call(clientFor(server, { fetch })));
    expect(thrown).toMatchObject({ code: 'api_error', httpStatus: 404, outcome: 'refused', attempts: 1 });
  });

  it('is lost, with outcome unknown, when the wrapper has locked the body of a success', async () => {
    const server = await startHttpServer(reply(200, answer()));
    const fetch: Fetch = async (url, init) => {
      const response = await globalThis.fetch(url, { ...init });
      response.body?.getReader();
      return response;
    };
    const onResponse = vi.fn();
    const thrown = await failureOf(call(clientFor(server, { fetch, onResponse, maxRetries: 0 })));
    expect(thrown).toMatchObject({ code: 'connection_failed', outcome: 'unknown' });
    expect(onResponse).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ status: 200 }));
  });

  it.each([
    ['a throwing getter', () => Object.defineProperty(new Error('m'), 'cause', { get: boom })],
    ['a throwing code', () => Object.defineProperty(new Error('m'), 'code', { get: boom })],
    ['a revoked proxy', revoked],
  ])('has outcome unknown when that fetch rejects with %s', async (_, reason) => {
    const server = await startHttpServer(reply(200, answer()));
    const fetch: Fetch = async (url, init) => {
      await globalThis.fetch(url, { ...init });
      throw reason();
    };
    const thrown = await failureOf(call(clientFor(server, { fetch, maxRetries: 0 })));
    expect(thrown).toMatchObject({ code: 'connection_failed', outcome: 'unknown', attempts: 1 });
    expect(server.requests).toHaveLength(1);
  });

  it('has outcome unknown when reading the status throws', async () => {
    const fetch: Fetch = async () => Object.defineProperty(new Response('{}'), 'status', { get: boom });
    const thrown = await failureOf(call(clientFor({ url: 'https://x.example' }, { fetch, maxRetries: 0 })));
    expect(thrown).toMatchObject({ code: 'connection_failed', outcome: 'unknown', attempts: 1 });
  });

  it('has outcome unknown when the status of a double throws as soon as it is compared', async () => {
    const fetch: Fetch = async () => ({
      status: { valueOf: boom } as never,
      headers: new Map() as never,
      body: null,
      text: async () => JSON.stringify(answer()),
    });
    const thrown = await failureOf(call(clientFor({ url: 'https://x.example' }, { fetch, maxRetries: 0 })));
    expect(thrown).toMatchObject({ code: 'invalid_response', outcome: 'unknown', attempts: 1 });
  });

  it.each([200, 302, 404, 429])('is judged by its status %d when its headers.get throws', async (status) => {
    const fetch: Fetch = async () => ({
      status,
      headers: { get: boom },
      body: null,
      text: async () => JSON.stringify(answer()),
    });
    const client = clientFor({ url: 'https://x.example' }, { fetch, maxRetries: 0 });
    if (status === 200) expect(await call(client)).toEqual(answer());
    else expect(await failureOf(call(client))).toMatchObject({ code: 'api_error', httpStatus: status });
  });

  it('succeeds with a double of a Response that has only what it must have, and no `ok`', async () => {
    const fetch: Fetch = async () => ({
      status: 200,
      headers: { get: () => null },
      body: undefined,
      text: async () => JSON.stringify(answer()),
    });
    const double = vi.fn(function double() {});
    vi.stubGlobal('Response', double);
    expect(await call(clientFor({ url: 'https://x.example' }, { fetch }))).toEqual(answer());
  });

  it('succeeds when onRequest puts a throwing getter on its event', async () => {
    const server = await startHttpServer(reply(200, answer()));
    const observer = (event: object) =>
      Object.defineProperty(event, 'operation', { enumerable: true, get: boom });
    const observers = { onRequest: observer, onResponse: observer, onRetry: observer };
    expect(await call(clientFor(server, observers))).toEqual(answer());
  });

  it('succeeds when Object.prototype has an afterResponse that ky would run', async () => {
    const server = await startHttpServer(reply(200, answer()));
    Reflect.set(Object.prototype, 'afterResponse', [1]);
    try {
      expect(await call(clientFor(server))).toEqual(answer());
    } finally {
      Reflect.deleteProperty(Object.prototype, 'afterResponse');
    }
  });
});

describe.each(changing)('$name', ({ call, answer }) => {
  it('is not sent again on 429 over a custom fetch, which may have sent it before', async () => {
    const server = await startHttpServer(reply(429), reply(200, answer()));
    const fetch = vi.fn((url: string, init: object) => globalThis.fetch(url, init));
    const thrown = await failureOf(call(clientFor(server, { fetch })));
    expect(thrown).toMatchObject({ httpStatus: 429, attempts: 1 });
    expect(fetch).toHaveBeenCalledOnce();
  });

  it('is not sent again by us over a patched globalThis.fetch that retries by itself', async () => {
    const server = await startHttpServer(dropConnection, reply(429), reply(200, answer()));
    patchGlobalFetch();
    const thrown = await failureOf(call(clientFor(server)));
    expect(thrown).toMatchObject({ httpStatus: 429, attempts: 1 });
    expect(server.requests).toHaveLength(2);
  });

  it('is not sent again after a refused connection', async () => {
    const url = `http://127.0.0.1:${await unusedPort()}`;
    const thrown = await failureOf(call(clientFor({ url })));
    expect(thrown).toMatchObject({ outcome: 'not-sent', attempts: 1 });
  });
});

it('undici’s RetryAgent as fetch: a cancellation that it sent and could not repeat has outcome unknown', async () => {
  const server = await startHttpServer(async (response) => {
    response.socket?.destroy();
    await server.close();
  });
  const agent = new RetryAgent(new Agent(), { minTimeout: 1, maxTimeout: 1, maxRetries: 2 });
  const fetch: Fetch = (url, init) => undiciFetch(url, { ...init, dispatcher: agent } as never) as never;
  const thrown = await failureOf(cancel.call(clientFor(server, { fetch })));
  expect(thrown).toMatchObject({ code: 'connection_failed', outcome: 'unknown', attempts: 1 });
  expect(server.requests).toHaveLength(1);
  await agent.close();
});

describe('over a global dispatcher that retries by itself', () => {
  const key = Symbol.for('undici.globalDispatcher.1');

  it('a cancellation that was taken is not sent again by us', async () => {
    await fetch('data:,');
    const platform: unknown = Reflect.get(globalThis, key);
    const agent = new RetryAgent(new Agent(), { minTimeout: 1, maxTimeout: 1, maxRetries: 1 });
    const server = await startHttpServer(async (response) => {
      response.socket?.destroy();
      await server.close();
    });
    Reflect.set(globalThis, key, agent);
    try {
      const thrown = await failureOf(cancel.call(clientFor(server)));
      expect(thrown).toMatchObject({ attempts: 1 });
      expect(server.requests).toHaveLength(1);
    } finally {
      Reflect.set(globalThis, key, platform);
    }
  });
});

describe('node-fetch', () => {
  const fetch: Fetch = (url, init) => nodeFetch(url, init as never) as never;

  it('over TLS: a record that is no TLS, after the request, proves nothing', async () => {
    const server = await startHttpsServer(selfSigned, (response) => {
      const socket = response.socket as unknown as { _parent?: { write(text: string): void } };
      const raw = Reflect.get(response.socket as object, '_parent') ?? socket._parent;
      raw.write('HTTP/1.1 400 Bad Request\r\n\r\n');
    });
    const agent = new https.Agent({ ca: selfSigned.cert });
    const overTls: Fetch = (url, init) => nodeFetch(url, { ...init, agent } as never) as never;
    const thrown = await failureOf(create.call(clientFor(server, { fetch: overTls })));
    expect(thrown).toMatchObject({ code: 'connection_failed', outcome: 'unknown', attempts: 1 });
    expect(server.requests).toHaveLength(1);
  });

  it.each(['cut', 'stalled', 'chunked and cut'])(
    'gives the uuid of an answer that is %s: its body is an async iterable',
    async (how) => {
      const text = JSON.stringify({ ...create.answer(), picture: 'x'.repeat(5_000) });
      const server = await startRawServer((socket) => {
        const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
        const part = text.slice(0, -100);
        if (how === 'chunked and cut') {
          socket.write(
            `${head}transfer-encoding: chunked\r\n\r\n${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`,
          );
        } else socket.write(`${head}content-length: ${Buffer.byteLength(text)}\r\n\r\n${part}`);
        if (how !== 'stalled') setTimeout(() => socket.destroy(), 50);
      });
      const thrown = await failureOf(create.call(clientFor(server, { fetch, timeoutMs: 400 })));
      expect(thrown).toMatchObject({
        code: how === 'stalled' ? 'timeout' : 'connection_failed',
        outcome: 'unknown',
        uuid: 'uuid-1',
      });
    },
  );

  it.each(operations)('sends $name, and reads its answer', async ({ call, answer }) => {
    const server = await startHttpServer(reply(200, answer()));
    expect(await call(clientFor(server, { fetch }))).toEqual(answer());
    expect(await call(clientFor(server, { fetch }))).toEqual(answer());
  });

  it('stops reading a body that is larger than maxResponseBytes, and gives its uuid', async () => {
    const server = await startHttpServer(reply(200, { ...create.answer(), picture: 'x'.repeat(50_000) }));
    const thrown = await failureOf(create.call(clientFor(server, { fetch, maxResponseBytes: 10_000 })));
    expect(thrown).toMatchObject({ code: 'invalid_response', uuid: 'uuid-1' });
  });
});

it('a success that had come is returned whatever ky does with it afterwards', async () => {
  const server = await startHttpServer(reply(200, query.answer()));
  Reflect.set(Object.prototype, 'onDownloadProgress', 'not a function');
  try {
    expect(await query.call(clientFor(server))).toEqual(query.answer());
  } finally {
    Reflect.deleteProperty(Object.prototype, 'onDownloadProgress');
  }
});

it('an answer that breaks off after its uuid gives it, whatever else fails', async () => {
  const text = JSON.stringify({ ...create.answer(), picture: 'x'.repeat(500) });
  const server = await startRawServer((socket) => socket.end(rawAnswer('200 OK', text).slice(0, -50)));
  const error: PaymentsError = await failureOf(create.call(clientFor(server, { onResponse: boom })));
  expect(isCallError(error)).toBe(true);
  expect(error).toMatchObject({ uuid: 'uuid-1', outcome: 'unknown' });
  await sleep(1);
});

function boom(): never {
  throw new Error('boom');
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
