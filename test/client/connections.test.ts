import diagnostics from 'node:diagnostics_channel';
import http2 from 'node:http2';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { reply, startHttpServer, unusedPort } from '../helpers/http-server';
import { rawAnswer, startRawServer } from '../helpers/raw-server';
import { scaled } from '../helpers/scaled';
import { selfSigned } from './self-signed';
import { changing, clientFor, endOf, failureOf, operations, sendThrough, withoutBackOff } from './support';

// Many more stray answers, on each runtime and over TLS, are in test/runtimes/strays.test.ts.
const [create, query] = operations;
const SLOTS = ['undici.globalDispatcher.1', 'undici.globalDispatcher.2'].map((name) => Symbol.for(name));

beforeEach(withoutBackOff);
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe.each(changing)('$name', ({ call, answer }) => {
  it('asks to close its connection, and leaves none behind', async () => {
    const closed = vi.fn();
    const server = await startRawServer((socket) => {
      socket.once('close', closed);
      socket.write(rawAnswer('200 OK', JSON.stringify(answer()), ['connection: keep-alive']));
    });
    const client = clientFor(server);
    for (let calls = 1; calls <= 3; calls += 1) {
      await call(client);
      expect(server.requests.at(-1)?.toLowerCase()).toContain('\r\nconnection: close\r\n');
      expect(server.connections).toBe(calls);
      await expect.poll(() => closed.mock.calls.length).toBe(calls);
    }
  });

  it.each(['400 Bad Request', '401 Unauthorized', '429 Too Many Requests'])(
    'is not taken for refused by a %s that crosses it on a connection that a query or the merchant’s own fetch left',
    async (status) => {
      const idle = new Set<Socket>();
      const server = await startRawServer((socket, request) => {
        const isHealth = request.startsWith('GET /health');
        const body = isHealth ? {} : request.startsWith('GET') ? query.answer() : answer();
        socket.write(rawAnswer('200 OK', JSON.stringify(body), ['keep-alive: timeout=60']));
        idle.add(socket);
      });
      onSent(({ method }) => {
        if (method === 'GET') return;
        for (const socket of idle) if (socket.writable) socket.write(rawAnswer(status, '{}'));
        idle.clear();
      });
      const client = clientFor(server);
      const ends: string[] = [];
      for (let round = 1; round <= 30; round += 1) {
        await queryInTurn(client);
        await (await fetch(`${server.url}/health`)).text();
        await sleep(1);
        ends.push(await endOf(call(client), answer()));
      }
      expect(ends).toEqual(Array(30).fill('answer'));
      expect(server.requests.filter((request) => !request.startsWith('GET'))).toHaveLength(30);
    },
  );
});

/** Is told of each request as Node's `fetch` sends it, before it can read anything, until the end of the test. */
function onSent(tell: (request: { readonly method: string }) => void): void {
  const listener = (message: unknown) => tell((message as { readonly request: { method: string } }).request);
  diagnostics.subscribe('undici:client:sendHeaders', listener);
  onTestFinished(() => void diagnostics.unsubscribe('undici:client:sendHeaders', listener));
}

/** A query, and the moment that Node takes until its connection can be used again. */
async function queryInTurn(client: Parameters<typeof query.call>[0]) {
  expect(await query.call(client)).toEqual(query.answer());
  await sleep(5);
}

describe('a query', () => {
  const whole = rawAnswer('200 OK', JSON.stringify(query.answer()));

  /** A service whose first response over a kept connection is this one, and what it got: `kept own`. */
  async function startService(...overKept: string[]) {
    const server = await startRawServer((socket, request) => {
      const isOwn = /\r\nconnection: close\r\n/i.test(request);
      socket.write((isOwn ? undefined : overKept.shift()) ?? whole);
    });
    const kindOf = (request: string) => (/\r\nconnection: close\r\n/i.test(request) ? 'own' : 'kept');
    return { server, seen: () => server.requests.map(kindOf).join(' ') };
  }

  it('goes over a connection that the one before has left', async () => {
    const { server, seen } = await startService();
    const client = clientFor(server);
    for (let calls = 0; calls < 3; calls += 1) await queryInTurn(client);
    expect(seen()).toBe('kept kept kept');
    expect(server.connections).toBe(1);
  });

  it('does not go over a connection of the merchant’s own fetch, nor leaves it one', async () => {
    const { server } = await startService();
    await (await fetch(server.url)).text();
    await query.call(clientFor(server));
    await (await fetch(server.url)).text();
    expect(server.connections).toBe(2);
  });

  it('leaves its connection open for 4 s, whatever the service offers', async () => {
    const closed = vi.fn();
    const server = await startRawServer((socket) => {
      socket.once('close', closed);
      socket.write(rawAnswer('200 OK', JSON.stringify(query.answer()), ['keep-alive: timeout=600']));
    });
    await query.call(clientFor(server));
    const at = performance.now();
    await expect.poll(() => closed.mock.calls.length).toBe(1);
    expect(performance.now() - at).toBeGreaterThan(2_000);
    expect(performance.now() - at).toBeLessThan(scaled(8_000));
  });

  const another = JSON.stringify({ ...query.answer(), uuid: 'uuid-2' });
  it.each([
    ['a 400', rawAnswer('400 Bad Request', '{}')],
    ['a 401', rawAnswer('401 Unauthorized', '{}')],
    ['a 404 that names it', rawAnswer('404 Not Found', '{"uuid":"uuid-1"}')],
    ['a 408', rawAnswer('408 Request Timeout', '')],
    ['a 429', rawAnswer('429 Too Many Requests', '{}', ['retry-after: 3600'])],
    ['a 200 of another transaction', rawAnswer('200 OK', another)],
    ['a 200 of none', rawAnswer('200 OK', '{}')],
    ['a 200 of two', rawAnswer('200 OK', '{"uuid":"uuid-1","uuid":"uuid-2"}')],
    ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n\r\n'],
  ])(
    'is asked again over a connection of its own after %s over a kept one, as one attempt',
    async (_, stray) => {
      const { server, seen } = await startService(whole, stray);
      const events: string[] = [];
      const client = clientFor(server, {
        onRequest: ({ attempt }) => events.push(`request ${attempt}`),
        onResponse: ({ attempt, status }) => events.push(`${status} ${attempt}`),
        onRetry: () => events.push('retry'),
        maxRetries: 0,
      });
      for (let calls = 0; calls < 3; calls += 1) await queryInTurn(client);
      expect(seen()).toBe('kept kept own kept');
      expect(events.join(', ')).toBe('request 1, 200 1, request 1, 200 1, request 1, 200 1');
      // What is kept is out of step: the response to the second query may still come.
      expect(server.connections).toBe(3);
    },
  );

  it('is asked again when its kept connection is lost, or the answer breaks off', async () => {
    const half = whole.slice(0, -20);
    const server = await startRawServer((socket, _, count) => {
      if (count === 2) socket.destroy();
      else if (count === 5) socket.end(half);
      else socket.write(whole);
    });
    const client = clientFor(server, { maxRetries: 0 });
    for (let calls = 0; calls < 4; calls += 1) expect(await query.call(client)).toEqual(query.answer());
    expect(server.requests).toHaveLength(6);
  });

  it.each([401, 403, 404, 429, 503])(
    'that gets a %d over both makes the next ones skip the kept ones, until one succeeds',
    async (status) => {
      let fails = true;
      const server = await startRawServer((socket) =>
        socket.write(fails ? rawAnswer(`${status} No`, '{}') : whole),
      );
      const client = clientFor(server, { maxRetries: 0 });
      const ended = () => endOf(query.call(client), query.answer());
      for (let calls = 1; calls <= 3; calls += 1) {
        expect(await ended()).toMatch(`api_error ${status}: `);
        expect(server.requests).toHaveLength(calls + 1);
      }
      fails = false;
      for (let calls = 5; calls <= 7; calls += 1) {
        expect(await ended()).toBe('answer');
        expect(server.requests).toHaveLength(calls);
      }
      expect(server.requests.slice(-2).join()).not.toMatch(/connection: close/i);
    },
  );

  it('that was sent over a kept connection is not `not-sent` when its own is refused', async () => {
    const server = createServer((socket) => {
      server.close();
      socket.once('data', () => socket.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const client = clientFor({ url: `http://127.0.0.1:${port}` }, { maxRetries: 0 });
    expect(await endOf(query.call(client), {})).toBe('connection_failed: unknown after 1');
    const nobody = clientFor({ url: `http://127.0.0.1:${await unusedPort()}` }, { maxRetries: 0 });
    expect(await endOf(query.call(nobody), {})).toBe('connection_failed: not-sent after 1');
  });

  it('has one timeoutMs for both requests', async () => {
    const server = await startRawServer((socket, _, count) => {
      if (count === 1) setTimeout(() => socket.write(rawAnswer('503 Busy', '')), scaled(500));
    });
    const startedAt = performance.now();
    const client = clientFor(server, { maxRetries: 0, timeoutMs: scaled(1_000) });
    expect(await endOf(query.call(client), {})).toBe('timeout: unknown after 1');
    expect(performance.now() - startedAt).toBeLessThan(scaled(1_450));
    expect(server.requests).toHaveLength(2);
  });

  it.each([1, 2])('that the caller ends during request %d is not sent again', async (number) => {
    const controller = new AbortController();
    const server = await startRawServer((socket, _, count) => {
      if (count === number) controller.abort();
      else socket.write(rawAnswer('503 Busy', ''));
    });
    const called = query.call(clientFor(server), { signal: controller.signal });
    expect(await endOf(called, {})).toBe('aborted: unknown after 1');
    await sleep(30);
    expect(server.requests).toHaveLength(number);
  });

  it('goes over one of its own with client.request, and as a later attempt', async () => {
    const { server, seen } = await startService();
    const client = clientFor(server);
    await client.request({ method: 'GET', path: query.path });
    expect(seen()).toBe('own');
    const failing = await startRawServer((socket, _, count) => {
      socket.write(count < 3 ? rawAnswer('503 Busy', '') : whole);
    });
    await query.call(clientFor(failing));
    const closing = failing.requests.map((request) => /connection: close/i.test(request));
    expect(closing).toEqual([false, true, true]);
  });
});

describe('as long as the shared dispatcher is Node’s own', () => {
  /** Puts a dispatcher in each slot that Node's `fetch` may read, until the end of the test. */
  async function share(make: (nodes: Shared) => unknown) {
    await fetch('data:,');
    for (const slot of SLOTS) {
      const before: unknown = Reflect.get(globalThis, slot);
      if (before === undefined) continue;
      onTestFinished(() => void Reflect.set(globalThis, slot, before));
      Reflect.set(globalThis, slot, make(before as Shared));
    }
  }

  interface Shared {
    readonly constructor: new (options?: object) => Shared;
    dispatch(options: object, handler: object): boolean;
    compose(interceptor: (dispatch: Shared['dispatch']) => Shared['dispatch']): Shared;
  }

  /** Whether three queries went over connections of ours, and whether a POST did. */
  async function used() {
    const server = await startRawServer((socket, request) => {
      const body = request.startsWith('GET') ? query.answer() : create.answer();
      socket.write(rawAnswer('200 OK', JSON.stringify(body)));
    });
    const fetch = vi.spyOn(globalThis, 'fetch');
    vi.resetModules();
    const { PaymentsClient } = await import('pix-automatic-sdk');
    const client = new PaymentsClient({ baseUrl: server.url, apiKey: 'key', apiToken: 'token' });
    for (let calls = 0; calls < 3; calls += 1) await queryInTurn(client as never);
    await create.call(client as never);
    const withDispatcher = fetch.mock.calls.filter(([, init]) => Reflect.get(init ?? {}, 'dispatcher'));
    return { ours: withDispatcher.length, connections: server.connections };
  }

  it('connections are ours', async () => expect(await used()).toEqual({ ours: 4, connections: 2 }));

  it('they are another instance’s of Node’s own class, too: its options are passed by', async () => {
    await share(({ constructor: Agent }) => new Agent({ keepAliveTimeout: 1 }));
    expect(await used()).toEqual({ ours: 4, connections: 2 });
  });

  it.each<[string, (nodes: Shared) => unknown]>([
    ['a composed one', (nodes) => nodes.compose((dispatch) => (options, to) => dispatch(options, to))],
    [
      'an instance with a dispatch of its own',
      (nodes) => Object.assign(new nodes.constructor(), { dispatch: nodes.dispatch.bind(nodes) }),
    ],
    [
      'a class of the same name that extends it',
      ({ constructor: Base }) => new ({ Agent: class extends Base {} }).Agent(),
    ],
    [
      'one that only names its class',
      (nodes) => ({ constructor: nodes.constructor, dispatch: nodes.dispatch.bind(nodes) }),
    ],
  ])('they are as before over %s, so that it is not passed by', async (_, make) => {
    await share(make);
    expect(await used()).toEqual({ ours: 0, connections: 4 });
  });

  it('they are as before over a dispatcher of npm’s undici', async () => {
    await sendThrough(({ Agent }) => new Agent());
    expect(await used()).toEqual({ ours: 0, connections: 4 });
  });

  it.each(['before', 'after'])(
    'a MockAgent that was set %s the library was loaded answers all calls, and nothing real is sent',
    async (when) => {
      const server = await startHttpServer(reply(500));
      const mock = () =>
        sendThrough(({ MockAgent }) => {
          const agent = new MockAgent();
          agent.disableNetConnect();
          for (const { path, method, answer } of operations) {
            agent.get(server.url).intercept({ path, method }).reply(200, JSON.stringify(answer()));
          }
          // A MockAgent has no `destroy`.
          return Object.assign(agent, { destroy: () => agent.close() });
        });
      if (when === 'before') await mock();
      vi.resetModules();
      const { PaymentsClient } = await import('pix-automatic-sdk');
      const client = new PaymentsClient({ baseUrl: server.url, apiKey: 'key', apiToken: 'token' });
      if (when === 'after') await mock();
      for (const { call, answer } of operations) expect(await call(client)).toEqual(answer());
      expect(server.requests).toEqual([]);
    },
  );

  it('they are as before where the stack of an error does not tell', async () => {
    const { stackTraceLimit } = Error;
    onTestFinished(() => void Object.assign(Error, { stackTraceLimit }));
    for (const limit of [0, 1]) {
      Object.assign(Error, { stackTraceLimit: limit });
      expect(await used()).toEqual({ ours: 0, connections: 4 });
    }
  });

  it('it is looked at again for each request', async () => {
    const server = await startHttpServer(reply(200, query.answer()));
    const client = clientFor(server);
    await query.call(client);
    const passed = vi.fn();
    await share((nodes) =>
      nodes.compose((dispatch) => (options, handler) => {
        passed();
        return dispatch(options, handler);
      }),
    );
    await query.call(client);
    await create.call(client).catch(() => undefined);
    expect(passed).toHaveBeenCalledTimes(2);
  });
});

it.each(operations)(
  'the options with which Bun and Deno keep a request off kept connections are $name’s if it changes something',
  async ({ call, answer, method }) => {
    const server = await startHttpServer(reply(200, answer()));
    const close = vi.fn();
    const createHttpClient = vi.fn(() => ({ close }));
    const platform = globalThis.fetch;
    const fetch = vi.fn((url: string, init: RequestInit) => platform(url, init));
    vi.stubGlobal('Deno', { createHttpClient });
    vi.stubGlobal('fetch', fetch);
    vi.resetModules();
    const { PaymentsClient } = await import('pix-automatic-sdk');
    await call(new PaymentsClient({ baseUrl: server.url, apiKey: 'key', apiToken: 'token' }));
    const init = fetch.mock.calls[0]?.[1];
    if (method === 'GET') {
      expect(init).not.toHaveProperty('keepalive');
      expect(createHttpClient).not.toHaveBeenCalled();
    } else {
      expect(createHttpClient).toHaveBeenCalledExactlyOnceWith({ poolMaxIdlePerHost: 0 });
      expect(init).toMatchObject({ keepalive: false, client: { close } });
      expect(close).toHaveBeenCalledOnce();
    }
  },
);

it('over HTTP/2, where calls share a connection, an answer belongs to the call of its stream', async () => {
  const { key, cert } = selfSigned;
  const bodies: string[] = [];
  const sessions = new Set<unknown>();
  const server = http2.createSecureServer({ key, cert });
  server.on('session', (session) => sessions.add(session));
  server.on('stream', async (stream, { ':method': method }) => {
    const isQuery = method === 'GET';
    bodies.push(await text(stream));
    // The answers come in the other order than the requests.
    if (!isQuery) await sleep(50);
    stream.respond({ ':status': isQuery ? 429 : 200 });
    stream.end(JSON.stringify(isQuery ? {} : create.answer()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  await sendThrough(
    ({ Agent }) => new Agent({ allowH2: true, connections: 1, connect: { rejectUnauthorized: false } }),
  );
  const { port } = server.address() as AddressInfo;
  const client = clientFor({ url: `https://127.0.0.1:${port}` }, { maxRetries: 0 });
  for (let round = 1; round <= 5; round += 1) {
    const [created, refused] = await Promise.all([create.call(client), failureOf(query.call(client))]);
    expect(created).toEqual(create.answer());
    expect(refused).toMatchObject({ httpStatus: 429, outcome: 'refused' });
    expect(bodies).toHaveLength(2 * round);
  }
  expect(sessions.size).toBe(1);
});
