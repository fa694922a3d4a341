import diagnostics from 'node:diagnostics_channel';
import http2 from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { reply, startHttpServer } from '../helpers/http-server';
import { rawAnswer, startRawServer } from '../helpers/raw-server';
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
        // A query, or the merchant's own request, may meet what the last round has left there.
        await query.call(client).catch(() => undefined);
        await fetch(`${server.url}/health`).then(
          (response) => response.text(),
          () => undefined,
        );
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
async function queryInTurn(client: Client) {
  expect(await query.call(client)).toEqual(query.answer());
  await sleep(5);
}

describe('a query', () => {
  const whole = rawAnswer('200 OK', JSON.stringify(query.answer()));

  it('goes over a connection that the one before has left', async () => {
    const server = await startRawServer((socket) => socket.write(whole));
    const client = clientFor(server);
    for (let calls = 0; calls < 3; calls += 1) await queryInTurn(client);
    expect(server.requests.filter((request) => /connection: close/i.test(request))).toEqual([]);
    expect(server.connections).toBe(1);
  });

  const another = JSON.stringify({ ...query.answer(), uuid: 'uuid-2' });
  it.each([
    ['a 404', rawAnswer('404 Not Found', '{}'), 'api_error 404: refused after 1'],
    [
      'a 429',
      rawAnswer('429 Too Many Requests', '{}', ['retry-after: 3600']),
      'api_error 429: refused after 1',
    ],
    ['a 503', rawAnswer('503 Busy', '{}'), 'api_error 503: unknown after 1'],
    ['a 200 of another transaction', rawAnswer('200 OK', another), 'invalid_response: unknown after 1'],
  ])('takes %s over a kept connection for what it is, and is sent once', async (_, response, ended) => {
    const server = await startRawServer((socket, _, count) => socket.write(count === 2 ? response : whole));
    const client = clientFor(server, { maxRetries: 0 });
    await queryInTurn(client);
    expect(await endOf(query.call(client), query.answer())).toContain(ended);
    expect(server.requests).toHaveLength(2);
  });

  it('is retried like any other when its kept connection is lost', async () => {
    const server = await startRawServer((socket, _, count) => {
      if (count === 2) socket.destroy();
      else socket.write(whole);
    });
    const client = clientFor(server, { maxRetries: 1 });
    for (let calls = 0; calls < 2; calls += 1) await queryInTurn(client);
    expect(server.requests).toHaveLength(3);
  });

  it('closes its connection with client.request, whose answer names nothing', async () => {
    const server = await startRawServer((socket) => socket.write(whole));
    await clientFor(server).request({ method: 'GET', path: query.path });
    expect(server.requests.join()).toMatch(/connection: close/i);
  });

  /** Of each request, whether it said that its connection would be closed. */
  const closingOf = ({ requests }: { readonly requests: readonly string[] }) =>
    requests.map((request) => /\r\nconnection: close\r\n/i.test(request));

  it.each<[string, (client: Client) => Promise<unknown>]>([
    ['timeoutMs', (client) => query.call(client, { timeoutMs: 100, maxRetries: 0 })],
    ['totalTimeoutMs', (client) => query.call(client, { totalTimeoutMs: 100 })],
    ['its signal', (client) => query.call(client, { signal: AbortSignal.timeout(100) })],
  ])('that got nothing until %s ended it has the next ones avoid kept connections', async (_, silent) => {
    const server = await startRawServer((socket, _, count) => {
      if (count !== 2) socket.write(whole);
    });
    const client = clientFor(server);
    await queryInTurn(client);
    expect(await endOf(silent(client), {})).toMatch(/^(?:timeout|aborted): unknown after 1$/);
    for (let calls = 0; calls < 2; calls += 1) await queryInTurn(client);
    expect(closingOf(server)).toEqual([false, false, true, true]);

    const { now } = performance;
    vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + 5 * 60_000);
    await queryInTurn(client);
    expect(closingOf(server).at(-1)).toBe(false);
  });

  it('that got nothing until timeoutMs is retried over a connection of its own', async () => {
    const server = await startRawServer((socket, _, count) => {
      if (count > 1) socket.write(whole);
    });
    expect(await query.call(clientFor(server, { timeoutMs: 200 }))).toEqual(query.answer());
    expect(closingOf(server)).toEqual([false, true]);
  });

  it('that failed, or whose connection was lost, has the next ones go over kept connections still', async () => {
    const server = await startRawServer((socket, _, count) => {
      if (count === 1) socket.destroy();
      else socket.write(count === 2 ? rawAnswer('503 Busy', '{}') : whole);
    });
    expect(await query.call(clientFor(server))).toEqual(query.answer());
    expect(closingOf(server)).toEqual([false, false, false]);
  });

  it('that goes on after a POST got nothing in time goes over a kept connection still', async () => {
    const server = await startRawServer((socket, request) => {
      if (request.startsWith('GET')) socket.write(whole);
    });
    const client = clientFor(server);
    expect(await endOf(create.call(client, { timeoutMs: 100 }), {})).toBe('timeout: unknown after 1');
    await queryInTurn(client);
    expect(closingOf(server)).toEqual([true, false]);
  });
});

type Client = Parameters<typeof query.call>[0];

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

  it('a connection of ours serves what changes something', async () =>
    expect(await used()).toEqual({ ours: 1, connections: 2 }));

  it('over another instance of Node’s own class, too: queries have its options', async () => {
    await share(({ constructor: Agent }) => new Agent({ keepAliveTimeout: 1 }));
    expect(await used()).toEqual({ ours: 1, connections: 4 });
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

  it('all clients of a process use the same agent', async () => {
    const server = await startRawServer((socket, request) => {
      const { answer } = operations.find(({ method }) => request.startsWith(method)) ?? create;
      socket.write(rawAnswer('200 OK', JSON.stringify(answer())));
    });
    const fetch = vi.spyOn(globalThis, 'fetch');
    vi.resetModules();
    const { PaymentsClient } = await import('pix-automatic-sdk');
    for (let count = 0; count < 3; count += 1) {
      const client = new PaymentsClient({ baseUrl: server.url, apiKey: 'key', apiToken: 'token' });
      for (const { call } of operations) await call(client as never);
    }
    const dispatchers = fetch.mock.calls.map(([, init]) => Reflect.get(init ?? {}, 'dispatcher'));
    expect(dispatchers.filter((dispatcher) => dispatcher === undefined)).toHaveLength(3);
    expect(new Set(dispatchers).size).toBe(2);
  });

  it('it is judged once, and anew when another one takes its place', async () => {
    const server = await startHttpServer(reply(200, { ...query.answer(), ...create.answer() }));
    const client = clientFor(server);
    let judgements = 0;
    /** A dispatcher that counts how often somebody asks for its class. */
    const foreign = (nodes: Shared) => ({
      get constructor() {
        judgements += 1;
        return nodes.constructor;
      },
      dispatch: nodes.dispatch.bind(nodes),
    });
    await share(foreign);
    const slots = SLOTS.filter((slot) => Reflect.get(globalThis, slot) !== undefined).length;
    for (let calls = 0; calls < 5; calls += 1) await create.call(client);
    expect(judgements).toBeGreaterThan(0);
    expect(judgements).toBeLessThanOrEqual(slots);

    const before = judgements;
    await share((own) => foreign(own));
    for (let calls = 0; calls < 5; calls += 1) await create.call(client);
    expect(judgements).toBeGreaterThan(before);
    expect(judgements).toBeLessThanOrEqual(before + 2 * slots);
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
