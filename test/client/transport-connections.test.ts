import http2 from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { reply, startHttpServer } from '../helpers/http-server';
import { rawAnswer, startRawServer } from '../helpers/raw-server';
import { selfSigned } from './self-signed';
import { changing, clientFor, failureOf, operations, sendThrough, withoutBackOff } from './support';

const [create, query] = operations;

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe.each(operations)('$name', ({ call, answer }) => {
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
});

describe.each(changing)('$name after a query', ({ call, answer }) => {
  it.each(['400 Bad Request', '429 Too Many Requests'])(
    'is not taken for refused by a %s that nobody asked for, on the connection of the query',
    async (status) => {
      withoutBackOff();
      const sockets: Socket[] = [];
      const server = await startRawServer((socket, request) => {
        sockets.push(socket);
        const response = request.startsWith('GET') ? query.answer() : answer();
        socket.write(rawAnswer('200 OK', JSON.stringify(response), ['keep-alive: timeout=60']));
      });
      const client = clientFor(server);
      for (let round = 0; round < 10; round += 1) {
        await query.call(client);
        const calling = call(client);
        for (const socket of sockets.splice(0)) if (socket.writable) socket.write(rawAnswer(status, '{}'));
        expect(await calling).toEqual(answer());
        expect(server.requests).toHaveLength(2 * (round + 1));
      }
    },
  );
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
