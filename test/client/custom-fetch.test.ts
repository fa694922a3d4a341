import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fetch } from 'pix-automatic-sdk';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { reply, startHttpServer } from '../helpers/http-server';
import { clientFor, failureOf, operations, withoutBackOff } from './support';

const elsewhere = { url: 'https://service.example/base' };
const unhandled = vi.fn();

beforeEach(() => {
  withoutBackOff();
  unhandled.mockClear();
  process.on('unhandledRejection', unhandled);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await sleep(10);
  process.off('unhandledRejection', unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});

describe.each(operations)('$name', ({ call, answer, method, path }) => {
  it('calls a custom fetch with a URL string and a plain object, which npm’s undici accepts', async () => {
    const fetch = vi.fn<Fetch>(async () => Response.json(answer()));
    expect(await call(clientFor(elsewhere, { fetch }))).toEqual(answer());
    const [url, init] = fetch.mock.calls[0] ?? [];
    expect(fetch).toHaveBeenCalledOnce();
    expect(url).toBe(`https://service.example/base${path}`);
    expect(Object.getPrototypeOf(init)).toBe(Object.prototype);
    expect(Object.getPrototypeOf(init?.headers)).toBe(Object.prototype);
    expect(init).toMatchObject({ method, redirect: 'manual', signal: expect.any(AbortSignal) });
    expect(typeof init?.body).toBe(method === 'GET' ? 'undefined' : 'string');
    expect(Object.keys(init ?? {})).not.toContain('duplex');
  });

  it.each([
    ['a Node stream', () => Readable.from([JSON.stringify(answer())])],
    ['null', () => null],
    ['absent', () => undefined],
  ])('reads the text of a custom fetch’s response whose body is %s', async (_, body) => {
    const fetch: Fetch = async () => ({
      status: 200,
      headers: new Map() as never,
      body: body(),
      text: async () => JSON.stringify(answer()),
    });
    expect(await call(clientFor(elsewhere, { fetch }))).toEqual(answer());
  });

  it.each([
    ['a stream', new ReadableStream({ start: (controller) => controller.error() })],
    ['text', null],
  ])('reports connection_failed when the body fails without a reason, as %s', async (_, body) => {
    const fetch: Fetch = async () => ({
      status: 200,
      headers: { get: () => null },
      body,
      text: () => Promise.reject(),
    });
    const thrown = await failureOf(call(clientFor(elsewhere, { fetch, maxRetries: 0 })));
    expect(thrown).toMatchObject({ code: 'connection_failed', outcome: 'unknown' });
  });

  it('reports the status of a 4xx even when its stream yields text instead of bytes', async () => {
    const body = new ReadableStream({
      start: (controller) => {
        controller.enqueue('{"status":');
        controller.enqueue('-1}');
        controller.close();
      },
    });
    const fetch: Fetch = async () => ({ status: 404, headers: new Headers(), body, text: async () => '' });
    const thrown = await failureOf(call(clientFor(elsewhere, { fetch, maxRetries: 0 })));
    expect(thrown).toMatchObject({ code: 'api_error', outcome: 'refused', httpStatus: 404 });
  });

  it('reads a character whose bytes come in different chunks', async () => {
    const bytes = Buffer.from(JSON.stringify({ ...answer(), note: '€€' }));
    const within = bytes.indexOf('€') + 1;
    const body = new ReadableStream({
      start: (controller) => {
        controller.enqueue(new Uint8Array(bytes.subarray(0, within)));
        controller.enqueue(new Uint8Array(bytes.subarray(within)));
        controller.close();
      },
    });
    const fetch: Fetch = async () => new Response(body);
    expect(await call(clientFor(elsewhere, { fetch }))).toMatchObject({ note: '€€' });
  });

  it.each([
    ['characters', 'x', -1],
    ['bytes, for characters of three bytes', '€', 0],
  ])('applies maxResponseBytes to a body that only text() gives, in %s', async (_, character, beyond) => {
    const text = JSON.stringify({ ...answer(), padding: character.repeat(1_000) });
    const fetch: Fetch = async () => ({
      status: 200,
      headers: { get: () => null },
      body: null,
      text: async () => text,
    });
    const limit = text.length + beyond;
    const thrown = await failureOf(call(clientFor(elsewhere, { fetch, maxResponseBytes: limit })));
    expect(thrown).toMatchObject({ code: 'invalid_response', outcome: 'unknown' });
    const bytes = Buffer.byteLength(text);
    expect(await call(clientFor(elsewhere, { fetch, maxResponseBytes: bytes }))).toMatchObject(answer());
  });

  it('times out when a custom fetch ignores the signal and hangs', async () => {
    const fetch: Fetch = () => new Promise(() => undefined);
    const thrown = await failureOf(call(clientFor(elsewhere, { fetch, timeoutMs: 50, maxRetries: 0 })));
    expect(thrown).toMatchObject({ code: 'timeout', outcome: 'unknown' });
  });

  it('is aborted when a custom fetch, or its text(), ignores the signal and hangs', async () => {
    const hanging: Fetch[] = [
      () => new Promise(() => undefined),
      async () => ({
        status: 200,
        headers: new Headers(),
        body: null,
        text: () => new Promise(() => undefined),
      }),
    ];
    for (const hang of hanging) {
      const controller = new AbortController();
      const fetch: Fetch = (url, init) => {
        setTimeout(() => controller.abort(), 10);
        return hang(url, init);
      };
      const { signal } = controller;
      const thrown = await failureOf(call(clientFor(elsewhere, { fetch }), { signal }));
      expect(thrown).toMatchObject({ code: 'aborted', outcome: 'unknown' });
    }
  });

  it('times out and is aborted when a custom fetch gives a thenable that never settles', async () => {
    // biome-ignore lint/suspicious/noThenProperty: some test doubles are thenables.
    const fetch = () => ({ then: () => undefined }) as never;
    const client = clientFor(elsewhere, { fetch, timeoutMs: 30, maxRetries: 0 });
    expect(await failureOf(call(client))).toMatchObject({ code: 'timeout', outcome: 'unknown' });
    const controller = new AbortController();
    const aborting = () => {
      setTimeout(() => controller.abort());
      return fetch();
    };
    const aborted = call(clientFor(elsewhere, { fetch: aborting }), { signal: controller.signal });
    expect(await failureOf(aborted)).toMatchObject({ code: 'aborted', outcome: 'unknown' });
  });

  it('cancels the body of a response that comes after the timeout', async () => {
    const cancelled = vi.fn();
    const fetch: Fetch = async () => {
      await sleep(80);
      return new Response(new ReadableStream({ cancel: cancelled }));
    };
    await failureOf(call(clientFor(elsewhere, { fetch, timeoutMs: 30, maxRetries: 0 })));
    await expect.poll(() => cancelled.mock.calls.length).toBe(1);
  });

  it('discards a failure that comes after the timeout', async () => {
    const fetch: Fetch = () => sleep(60).then(() => Promise.reject(new Error('late')));
    const thrown = await failureOf(call(clientFor(elsewhere, { fetch, timeoutMs: 30, maxRetries: 0 })));
    expect(thrown.code).toBe('timeout');
    await sleep(60);
  });

  it.each([
    [
      'throws at once',
      () => {
        throw new TypeError('synchronous');
      },
    ],
    [
      'throws text',
      () => {
        throw 'text';
      },
    ],
    ['rejects with nothing', () => Promise.reject()],
    ['returns nothing', () => undefined],
    ['resolves with nothing', () => Promise.resolve(undefined)],
    [
      'returns a body that fails',
      async () => ({
        status: 200,
        headers: new Headers(),
        body: null,
        text: () => Promise.reject(new Error('m')),
      }),
    ],
    [
      'returns a stream of objects instead of bytes',
      async () => ({
        status: 200,
        headers: new Headers(),
        body: new ReadableStream({ start: (c) => c.enqueue({}) }),
        text: async () => '',
      }),
    ],
    [
      'returns a stream that is locked',
      async () => {
        const response = new Response('{}');
        response.body?.getReader();
        return response;
      },
    ],
  ] as Array<[string, () => never]>)(
    'reports connection_failed with outcome unknown for a custom fetch that %s',
    async (_, fetch) => {
      const thrown = await failureOf(call(clientFor(elsewhere, { fetch, maxRetries: 0, timeoutMs: 2_000 })));
      expect(thrown).toMatchObject({ code: 'connection_failed', outcome: 'unknown', attempts: 1 });
    },
  );
});

it('without a custom fetch, globalThis.fetch is looked up at each request, so that instrumentation can replace it', async () => {
  const server = await startHttpServer(reply(200, {}));
  const client = clientFor(server);
  const replaced = vi.spyOn(globalThis, 'fetch');
  await client.getTransaction('uuid-1');
  expect(replaced).toHaveBeenCalledOnce();
  expect(server.requests).toHaveLength(1);
});
