import { type AddressInfo, createServer } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import nodeFetch from 'node-fetch';
import { type Fetch, VERSION } from 'pix-automatic-sdk';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { dropConnection, reply, startHttpServer, unusedPort } from '../helpers/http-server';
import { rawAnswer, startRawServer } from '../helpers/raw-server';
import {
  adviceOf,
  apiKey,
  apiToken,
  changing,
  clientFor,
  endOf,
  failOnWarnings,
  failureOf,
  operations,
  sendThrough,
  trace,
  withoutBackOff,
} from './support';

const [create, query] = operations;
const { NaN: none, POSITIVE_INFINITY: infinite } = Number;
const elsewhere = { url: 'https://service.example/base' };

beforeEach(withoutBackOff);
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});
failOnWarnings();

function boom(): never {
  throw new Error('boom');
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

/** A `fetch` whose response has only what the client reads. */
const double = (fields: object) => async () => ({
  status: 200,
  headers: { get: () => null },
  body: null,
  text: async () => '',
  ...fields,
});

/** A `fetch` that gives a response whose body a logging wrapper has locked. */
const locked = (status: number) => async () => {
  const response = new Response('{}', { status });
  response.body?.getReader();
  return response;
};

/** Never settles. */
const hang = () => new Promise<never>(() => undefined);

describe.each(operations)('$name, over a fetch of the caller’s,', (operation) => {
  const { name, call, answer, method, path } = operation;
  const text = JSON.stringify(answer());
  const over = (fetch: unknown, options: object = {}) =>
    call(clientFor(elsewhere, { fetch: fetch as Fetch, maxRetries: 0, timeoutMs: 2_000, ...options }));
  const ended = (fetch: unknown, options?: object) => endOf(over(fetch, options), answer());

  it('calls it with a URL string and a plain object, which npm’s undici accepts', async () => {
    const fetch = vi.fn<Fetch>(async () => Response.json(answer()));
    expect(await over(fetch)).toEqual(answer());
    const [url, init] = fetch.mock.calls[0] ?? [];
    expect(fetch).toHaveBeenCalledOnce();
    expect(url).toBe(`https://service.example/base${path}`);
    expect(Object.getPrototypeOf(init)).toBe(Object.prototype);
    expect(Object.getPrototypeOf(init?.headers)).toBe(Object.prototype);
    expect(init?.headers).toEqual({
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': `pix-automatic-sdk/${VERSION}`,
      'x-api-key': apiKey,
      'x-api-token': apiToken,
      connection: 'close',
      ...(method !== 'GET' && { 'content-type': 'application/json' }),
    });
    expect(init).toMatchObject({ method, redirect: 'manual', signal: expect.any(AbortSignal) });
    expect(typeof init?.body).toBe(method === 'GET' ? 'undefined' : 'string');
    expect(Object.keys(init ?? {})).not.toContain('duplex');
    // It ends the request, so it is not for one that has succeeded.
    expect(init?.signal).toMatchObject({ aborted: false });
  });

  it.each([
    ['a Node stream as its body', { body: Readable.from([text]) }],
    ['null as its body', { text: async () => text }],
    ['no body and no `ok`', { body: undefined, text: async () => text }],
    ['headers that throw', { headers: { get: boom }, text: async () => text }],
    ['lists as its headers', { headers: { get: () => ['a'] }, text: async () => text }],
  ])('succeeds with a response that has %s', async (_, fields) => {
    // ky must not need the platform's class.
    vi.stubGlobal('Response', function double() {});
    expect(await ended(double(fields))).toBe('answer');
  });

  it.each([
    ['throws at once', boom],
    ['rejects with text', () => Promise.reject('text')],
    ['rejects with nothing', () => Promise.reject()],
    ['rejects with a throwing cause', () => Promise.reject(throwingGetter(new Error('m'), 'cause'))],
    ['rejects with a throwing code', () => Promise.reject(throwingGetter(new Error('m'), 'code'))],
    ['rejects with a revoked proxy', () => Promise.reject(revoked())],
    ['returns nothing', () => undefined],
    ['resolves with nothing', () => Promise.resolve(undefined)],
    ['gives a status that throws', async () => throwingGetter(new Response('{}'), 'status')],
    ['gives a text that fails', double({ text: () => Promise.reject(new Error('m')) })],
    ['gives a text that fails without a reason', double({ text: () => Promise.reject() })],
    ['gives a stream of objects', double({ body: new ReadableStream({ start: (c) => c.enqueue({}) }) })],
    ['gives a stream that fails', double({ body: new ReadableStream({ start: (c) => c.error() }) })],
    ['gives a body that is locked', locked(200)],
    // Which proves nothing: it may have sent the request before.
    ['only fails to connect', async () => fetch(`http://127.0.0.1:${await unusedPort()}`)],
  ])('has outcome unknown when it %s', async (_, fetch) => {
    expect(await ended(fetch)).toBe('connection_failed: unknown after 1');
  });

  it('has outcome unknown over a globalThis.fetch that something has replaced', async () => {
    const platform = globalThis.fetch;
    vi.stubGlobal('fetch', (url: string, init: object) => platform(url, init));
    const url = `http://127.0.0.1:${await unusedPort()}`;
    const thrown = await failureOf(call(clientFor({ url }, { maxRetries: 0 })));
    expect(thrown).toMatchObject({ outcome: 'unknown', reason: 'ECONNREFUSED' });
  });

  it.each<unknown>([none, 'abc', '200', {}, { valueOf: boom }, undefined, 200.5, 0, infinite])(
    'has outcome unknown when the status is %s',
    async (status) => {
      const called = over(double({ status, text: async () => text }));
      expect(await endOf(called, {})).toMatch(/^api_error 0: unknown after 1/);
      const says = 'HTTP 0, which is no status: the `fetch` in use gave no real response';
      await expect(called).rejects.toThrow(says);
    },
  );

  it('has outcome unknown when something fails unexpectedly after it was sent', async () => {
    const now = vi.spyOn(performance, 'now');
    const thrown = await failureOf(over(() => Promise.reject(now.mockImplementation(boom))));
    expect(thrown).toMatchObject({ code: 'invalid_response', outcome: 'unknown', attempts: 1 });
    expect(thrown.message).toBe(`The response cannot be interpreted. ${adviceOf(thrown)}`);
  });

  it('says that the connection was lost, without a reason where none is known', async () => {
    const thrown = await failureOf(over(() => Promise.reject(new Error('m'))));
    expect(thrown.message).toBe(`The connection was lost during ${name}. ${adviceOf(thrown)}`);
  });

  it.each([
    ['headers that throw', 302, double({ status: 302, headers: { get: boom } })],
    ['headers that throw', 429, double({ status: 429, headers: { get: boom } })],
    ['a status below a success', 199, double({ status: 199 })],
    ['a stream of text', 404, double({ status: 404, body: ReadableStream.from(['{"status":', '-1}']) })],
    ['a body that a logging wrapper has locked', 404, locked(404)],
  ])('has the status of a response with %s: %d', async (_, status, fetch) => {
    expect(await ended(fetch)).toMatch(`api_error ${status}: `);
  });

  it.each([
    ['it', hang],
    ['its text()', double({ text: hang })],
    // biome-ignore lint/suspicious/noThenProperty: some test doubles are thenables.
    ['its thenable', () => ({ then: () => undefined })],
  ])('times out and is aborted when %s ignores the signal and hangs', async (_, hang: () => unknown) => {
    const fetch = vi.fn<(url: string, init: RequestInit) => unknown>(hang);
    expect(await ended(fetch, { timeoutMs: 30 })).toBe('timeout: unknown after 1');
    expect(fetch.mock.calls[0]?.[1].signal?.aborted).toBe(true);
    const controller = new AbortController();
    fetch.mockImplementation(() => {
      setTimeout(() => controller.abort(), 10);
      return hang();
    });
    const client = clientFor(elsewhere, { fetch: fetch as unknown as Fetch });
    const called = call(client, { signal: controller.signal });
    expect(await endOf(called, {})).toBe('aborted: unknown after 1');
    expect(fetch.mock.calls[1]?.[1].signal?.aborted).toBe(true);
  });

  it('discards a response or a failure that comes after the timeout', async () => {
    const late = () => sleep(500).then(() => new Response(new ReadableStream({ pull: boom })));
    const failsLate = () => sleep(500).then(() => Promise.reject(new Error('late')));
    for (const fetch of [late, failsLate]) {
      expect(await ended(fetch, { timeoutMs: 30 })).toBe('timeout: unknown after 1');
    }
    await sleep(500);
  });

  it('succeeds when Object.prototype has an afterResponse that ky would run', async () => {
    Reflect.set(Object.prototype, 'afterResponse', [1]);
    onTestFinished(() => void Reflect.deleteProperty(Object.prototype, 'afterResponse'));
    expect(await trace(operation, [reply(200, answer())])).toBe('answer; 1 request');
  });

  it('returns a success that had come, whatever ky throws afterwards', async () => {
    vi.stubGlobal('Response', Object.defineProperty(class {}, Symbol.hasInstance, { value: boom }));
    expect(await trace(operation, [reply(200, answer())])).toBe('answer; 1 request');
  });

  it('works over node-fetch, whose bodies are async iterables', async () => {
    const server = await startHttpServer(reply(200, answer()));
    const client = clientFor(server, { fetch: (url, init) => nodeFetch(url, init as never) as never });
    for (let calls = 0; calls < 2; calls += 1) expect(await call(client)).toEqual(answer());
  });
});

it.each(['cut', 'stalled'])('node-fetch gives the uuid of an answer that is %s', async (how) => {
  const text = JSON.stringify({ ...create.answer(), picture: 'x'.repeat(5_000) });
  const server = await startRawServer((socket) => {
    socket.write(rawAnswer('200 OK', text).slice(0, -100));
    if (how === 'cut') setTimeout(() => socket.destroy(), 50);
  });
  const fetch: Fetch = (url, init) => nodeFetch(url, init as never) as never;
  const code = how === 'cut' ? 'connection_failed' : 'timeout';
  const called = create.call(clientFor(server, { fetch, timeoutMs: 400 }));
  expect(await endOf(called, {})).toBe(`${code}: unknown after 1 uuid-1`);
});

describe.each(changing)('$name, which changes something,', (operation) => {
  const { call, answer } = operation;

  it('is not sent again when something fails unexpectedly after a 429 and one more try', async () => {
    vi.spyOn(AbortController.prototype, 'abort').mockImplementationOnce(boom);
    const responses = [reply(429), dropConnection, reply(200, answer())];
    expect(await trace(operation, responses)).toBe('invalid_response: unknown after 2; 2 requests');
  });

  it('is not sent again by us over a patched globalThis.fetch that retries by itself', async () => {
    const platform = globalThis.fetch;
    vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
      const body = await new Response(init.body ?? null).text();
      const once = () => platform(url, { ...init, body });
      return once().catch(once);
    });
    const responses = [dropConnection, reply(429), reply(200, answer())];
    expect(await trace(operation, responses)).toBe('api_error 429: refused after 1; 2 requests');
  });

  it('is sent as a stream, which no platform can send twice, with its length', async () => {
    const server = await startHttpServer(reply(200, answer()));
    const fetch = vi.spyOn(globalThis, 'fetch');
    await call(clientFor(server));
    expect(fetch.mock.calls[0]?.[1]?.body).toBeInstanceOf(ReadableStream);
    const [request] = server.requests;
    expect(request?.headers['content-length']).toBe(String(Buffer.byteLength(request?.body ?? '')));
  });
});

describe.each(operations)('$name, over the platform’s fetch,', ({ call, answer, method }) => {
  it('is refused by a 407, which Node’s fetch hides in an error without a message', async () => {
    const thrown = await failureOf(call(clientFor(await startHttpServer(reply(407)))));
    expect(thrown).toMatchObject({ code: 'api_error', httpStatus: 407, outcome: 'refused', attempts: 1 });
    expect(thrown['body']).toBe('');
  });

  it('is not-sent when a proxy refuses CONNECT', async () => {
    const proxy = createServer((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n'));
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void proxy.close());
    const { port } = proxy.address() as AddressInfo;
    await sendThrough(({ ProxyAgent }) => new ProxyAgent(`http://127.0.0.1:${port}`));
    const called = call(clientFor(elsewhere, { maxRetries: 0 }));
    expect(await endOf(called, {})).toBe('connection_failed: not-sent after 1');
  });

  it(`is sent ${method === 'GET' ? 'with' : 'without'} cache: no-store, because Next.js 14 caches queries`, async () => {
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
    onTestFinished(() => void Object.defineProperty(Request.prototype, 'cache', cache));
    await call(clientFor(server));
    expect(Object.keys(fetch.mock.calls[0]?.[1] ?? {})).not.toContain('cache');
  });
});

it('globalThis.fetch is looked up at each request, so that instrumentation can replace it', async () => {
  const server = await startHttpServer(reply(200, {}));
  const client = clientFor(server);
  const replaced = vi.spyOn(globalThis, 'fetch');
  await query.call(client);
  expect(replaced).toHaveBeenCalledOnce();
  expect(server.requests).toHaveLength(1);
});

it('a call succeeds under fake timers', async () => {
  const server = await startHttpServer(reply(200, create.answer()));
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  expect(await create.call(clientFor(server))).toEqual(create.answer());
});

function throwingGetter(target: object, name: string): object {
  return Object.defineProperty(target, name, { get: boom });
}
