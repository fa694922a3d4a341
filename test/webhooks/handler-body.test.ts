import { EventEmitter } from 'node:events';
import { Agent, createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { toNodeListener, type WebhookHandlerOptions } from 'pix-automatic-sdk/webhooks';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { deliver } from '../helpers/deliver';
import { listen } from '../helpers/listen';
import {
  authorization,
  createListener,
  type Listener,
  notificationRequest,
  refundPayload,
  salePayload,
  statusOf,
} from './support';

const url = 'https://merchant.example/webhooks';
const json = JSON.stringify({ ...salePayload(), referenceCode: 'café 🏠' });

type Before = (request: IncomingMessage & { body?: unknown }) => unknown;

/** The handler on a real server; `before` is what a framework does with a request first. */
async function serve(
  options: Partial<WebhookHandlerOptions> = {},
  before: Before = () => undefined,
): Promise<Listener & { readonly url: string }> {
  const listener = createListener(options);
  const answer = toNodeListener(listener.handler);
  const server = createServer(async (request, response) => {
    await before(request);
    answer(request, response);
  });
  return { ...listener, url: await listen(server) };
}

/** A connection that sends exactly these bytes. */
function open(to: string, ...lines: string[]): { readonly socket: Socket; readonly answer: Promise<string> } {
  const socket = connect(Number(new URL(to).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let received = '';
  const answer = new Promise<string>((resolve) => {
    socket.on('data', (chunk) => {
      received += chunk.toString();
      if (received.includes('\r\n\r\n')) resolve(received);
    });
    socket.on('error', () => resolve(received));
    socket.on('close', () => resolve(received));
  });
  socket.write(lines.join('\r\n'));
  return { socket, answer };
}

const head = (...headers: string[]) => [
  'POST /webhooks HTTP/1.1',
  'host: merchant.example',
  `authorization: ${authorization}`,
  ...headers,
  '',
  '',
];

function streamOf(...chunks: (Uint8Array | string)[]): ReadableStream {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

function streamedRequest(body: ReadableStream, headers: Record<string, string> = {}): Request {
  const init = { method: 'POST', headers: { authorization, ...headers }, body, duplex: 'half' };
  return new Request(url, init as RequestInit);
}

describe('the limit on a body’s bytes', () => {
  const maxBodyBytes = Buffer.byteLength(json);

  it('lets in a body of exactly the limit, and refuses one that is a byte longer', async () => {
    const { handler, url, reports } = await serve({ maxBodyBytes });
    expect((await deliver(url, json)).status).toBe(200);
    expect(await statusOf(handler(notificationRequest(json)))).toBe(200);
    expect((await deliver(url, `${json} `)).status).toBe(413);
    expect(await statusOf(handler(notificationRequest(`${json} `)))).toBe(413);
    expect(reports).toMatchObject([
      { code: 'body_too_large', status: 413 },
      { code: 'body_too_large', status: 413 },
    ]);
  });

  it('is 1 MiB by default', async () => {
    const { handler } = createListener();
    const filled = (bytes: number) => json + ' '.repeat(bytes - maxBodyBytes);
    expect(await statusOf(handler(notificationRequest(filled(1024 * 1024))))).toBe(200);
    expect(await statusOf(handler(notificationRequest(filled(1024 * 1024 + 1))))).toBe(413);
  });

  it('counts bytes, not characters, of text that something else has read', async () => {
    const { handler } = createListener({ maxBodyBytes: maxBodyBytes - 1 });
    const plain = { method: 'POST', url: '/', headers: { authorization } };
    expect(json.length).toBeLessThan(maxBodyBytes);
    const { handler: larger } = createListener({ maxBodyBytes });
    for (const body of [json, Buffer.from(json), new TextEncoder().encode(json).buffer]) {
      expect((await handler.handle({ ...plain, body })).status).toBe(413);
      expect((await larger.handle({ ...plain, body })).status).toBe(200);
    }
  });

  it('holds whatever Content-Length says, less than there is or more', async () => {
    const { handler } = createListener({ maxBodyBytes });
    const bytes = Buffer.from(json);
    const less = streamedRequest(streamOf(bytes, Buffer.from(' ')), { 'content-length': '5' });
    expect(await statusOf(handler(less))).toBe(413);
    const more = streamedRequest(streamOf(bytes), { 'content-length': '99999999' });
    expect(await statusOf(handler(more))).toBe(200);
  });

  it('holds for chunked bodies over HTTP', async () => {
    const { url, acted } = await serve({ maxBodyBytes });
    const chunked = { headers: { 'transfer-encoding': 'chunked' } };
    expect((await deliver(url, json, chunked)).status).toBe(200);
    expect((await deliver(url, `${json} `, chunked)).status).toBe(413);
    expect(acted).toHaveLength(1);
  });

  it('cuts off a body that never ends, and its connection', async () => {
    const { url, reports } = await serve({ maxBodyBytes: 100_000 });
    const { socket, answer } = open(url, ...head('transfer-encoding: chunked'));
    const chunk = `4000\r\n${' '.repeat(0x4000)}\r\n`;
    const timer = setInterval(() => socket.writable && socket.write(chunk), 1);
    onTestFinished(() => clearInterval(timer));
    expect(await answer).toMatch(/^HTTP\/1.1 413 /);
    expect(await answer).toMatch(/^connection: close\r$/im);
    await new Promise((resolve) => (socket.destroyed ? resolve(0) : socket.on('close', resolve)));
    expect(reports).toMatchObject([{ code: 'body_too_large' }]);
  });

  it('stops the reading of a web stream that never ends', async () => {
    let cancelled = false;
    let reads = 0;
    const endless = new ReadableStream({
      pull(controller) {
        reads += 1;
        controller.enqueue(new Uint8Array(1024));
      },
      cancel: () => {
        cancelled = true;
      },
    });
    const { handler } = createListener({ maxBodyBytes: 10 * 1024 });
    expect(await statusOf(handler(streamedRequest(endless)))).toBe(413);
    expect(cancelled).toBe(true);
    expect(reads).toBeLessThan(20);
  });
});

describe('a web stream from another library', () => {
  it('is not read any further after a 413, even where it ignores its cancellation', async () => {
    let reads = 0;
    const stream = {
      getReader: () => ({
        read: async () => {
          reads += 1;
          await new Promise((resolve) => setImmediate(resolve));
          return { done: false, value: new Uint8Array(1024) };
        },
        cancel: () => Promise.reject(new Error('cannot be cancelled')),
      }),
    };
    const { handler } = createListener({ maxBodyBytes: 10 * 1024 });
    const plain = { method: 'POST', url: '/', headers: { authorization } };
    expect((await handler.handle({ ...plain, body: stream })).status).toBe(413);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(reads).toBe(11);
  });
});

describe('the time limit on a body', () => {
  it('answers 408 when a body stalls after its beginning, over HTTP', async () => {
    const { url, reports, acted } = await serve({ bodyTimeoutMs: 50 });
    const { answer } = open(url, ...head('content-length: 500'), '{"saleToken":');
    expect(await answer).toMatch(/^HTTP\/1.1 408 /);
    expect(reports).toMatchObject([{ code: 'body_timeout', status: 408 }]);
    expect(acted).toEqual([]);
  });

  it('answers 408 when a body drips, because it limits the whole body and not each wait', async () => {
    const { url, reports } = await serve({ bodyTimeoutMs: 100 });
    const { socket, answer } = open(url, ...head('content-length: 500'));
    const timer = setInterval(() => socket.writable && socket.write(' '), 5);
    onTestFinished(() => clearInterval(timer));
    expect(await answer).toMatch(/^HTTP\/1.1 408 /);
    expect(reports).toMatchObject([{ code: 'body_timeout' }]);
  });

  it('answers 408 for a web stream, and stops reading it', async () => {
    let cancelled = false;
    const stalled = new ReadableStream({
      cancel: () => {
        cancelled = true;
      },
    });
    const { handler } = createListener({ bodyTimeoutMs: 30 });
    expect(await statusOf(handler(streamedRequest(stalled)))).toBe(408);
    expect(cancelled).toBe(true);
  });

  it('leaves no timer running once the body is there', async () => {
    const { handler } = createListener({ bodyTimeoutMs: 12_345 });
    const before = process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
    expect(await statusOf(handler(streamedRequest(streamOf(json))))).toBe(200);
    const after = process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
    expect(after).toBe(before);
  });

  it('holds on a runtime without setImmediate, such as a worker', async () => {
    vi.stubGlobal('setImmediate', undefined);
    onTestFinished(() => void vi.unstubAllGlobals());
    const { handler } = createListener({ bodyTimeoutMs: 30 });
    expect(await statusOf(handler(streamedRequest(new ReadableStream())))).toBe(408);
  });

  it('does not limit the callback', async () => {
    const { url } = await serve({
      bodyTimeoutMs: 30,
      on: { payment: () => new Promise((resolve) => setTimeout(resolve, 100)) },
    });
    expect((await deliver(url, json)).status).toBe(200);
  });
});

describe('a body that breaks off', () => {
  it('because the client goes away is reported, not acted on, and harms nothing', async () => {
    const { url, reports, acted } = await serve();
    const { socket } = open(url, ...head('content-length: 500'), '{"saleToken":"s-1","newStatus":"PAID"}');
    await new Promise((resolve) => setTimeout(resolve, 30));
    socket.destroy();
    await expect.poll(() => reports).toMatchObject([{ code: 'body_interrupted', status: 400 }]);
    expect(acted).toEqual([]);
    expect((await deliver(url, json)).status).toBe(200);
  });

  it('in a web stream that fails is answered 400 without the error’s text', async () => {
    const failure = new Error('S3CRET');
    const failing = new ReadableStream({ start: (controller) => controller.error(failure) });
    const { handler, reports } = createListener();
    const answer = await handler(streamedRequest(failing));
    expect([answer.status, await answer.text()]).toEqual([400, 'Bad request']);
    expect(reports).toMatchObject([{ code: 'body_interrupted', error: failure }]);
  });
});

describe('a Node stream that is no request', () => {
  const takes = (listener: Listener, body: Readable) =>
    listener.handler.handle({ method: 'POST', url: '/', headers: { authorization }, body });

  it.each([
    ['without an error', undefined],
    ['with an error', new Error('S3CRET')],
  ])('that is destroyed %s is answered 400', async (_, failure) => {
    const listener = createListener();
    const stream = new Readable({ read: () => undefined });
    stream.push('{"saleToken":');
    const answer = takes(listener, stream);
    setTimeout(() => stream.destroy(failure), 10);
    expect(await answer).toMatchObject({ status: 400, body: 'Bad request' });
    expect(listener.reports).toMatchObject([{ code: 'body_interrupted', status: 400 }]);
    expect(listener.reports[0]?.error).toBe(failure);
  });

  it.each(['readableDidRead', 'readableEnded', 'destroyed'])(
    'is noticed at once when nothing can read it any more: %s',
    async (property) => {
      const listener = createListener();
      const stream = Object.assign(new EventEmitter(), { resume: () => undefined, [property]: true });
      expect((await takes(listener, stream as never)).status).toBe(500);
      expect(listener.reports).toMatchObject([{ code: 'body_already_read' }]);
    },
  );

  it('is let go of at a 408 but kept flowing, so that the rest of it holds no connection', async () => {
    const stream = new Readable({ read: () => undefined });
    expect((await takes(createListener({ bodyTimeoutMs: 10 }), stream)).status).toBe(408);
    const listening = ['data', 'end', 'close', 'error'].map((event) => stream.listenerCount(event));
    expect(listening).toEqual([0, 0, 0, 1]);
    expect(stream.readableFlowing).toBe(true);
    stream.destroy();
  });

  it('is left alone once its body is whole, whatever happens to it then', async () => {
    const listener = createListener();
    const stream = Object.assign(new EventEmitter(), { resume: vi.fn(), off: vi.fn() });
    const answer = takes(listener, stream as never);
    stream.emit('data', json);
    stream.emit('end');
    stream.emit('close');
    stream.emit('error', new Error('late'));
    expect((await answer).status).toBe(200);
    expect([stream.resume.mock.calls.length, stream.off.mock.calls.length]).toEqual([1, 0]);
    expect(listener.reports).toEqual([]);
  });

  it.each([
    ['on', 'off'],
    ['on', 'resume'],
    ['off', 'resume'],
  ])(
    'needs more than %s and %s to be taken for a stream: a parser may have made such a body',
    async (...names) => {
      const functions = Object.fromEntries(names.map((name) => [name, () => expect.unreachable()]));
      const listener = createListener();
      expect((await takes(listener, { ...salePayload(), ...functions } as never)).status).toBe(200);
      expect(listener.acted).toEqual(['payment:s-1:PAID']);
    },
  );

  it('harms nothing when it fails after its answer', async () => {
    const listener = createListener({ bodyTimeoutMs: 10 });
    const stream = new Readable({ read: () => undefined });
    expect((await takes(listener, stream)).status).toBe(408);
    // Without a listener, this would be an uncaught exception and fail the whole run.
    stream.destroy(new Error('late'));
    await new Promise((resolve) => stream.on('close', resolve));
    expect(listener.reports).toHaveLength(1);
  });
});

describe('a body in pieces', () => {
  const bytes = Buffer.from(json);
  const single = [...bytes].map((byte) => Uint8Array.of(byte));

  it('is put together, even where a piece ends in the middle of a character', async () => {
    const given: unknown[] = [];
    const { handler } = createListener({ on: { payment: ({ raw }) => void given.push(raw) } });
    expect(await statusOf(handler(streamedRequest(streamOf(...single))))).toBe(200);
    expect(given).toEqual([JSON.parse(json)]);
  });

  it.each([
    ['a Node stream of bytes', () => Readable.from(single)],
    ['a Node stream of text', () => Readable.from(['{"saleToken":"s-1",', '"newStatus":"PAID"}'])],
    ['a web stream of text', () => streamOf('{"saleToken":"s-1",', '"newStatus":"PAID"}')],
    ['text', () => json],
    ['bytes', () => bytes],
    ['an object', () => salePayload()],
  ])('is taken by handle as %s', async (_, body) => {
    const { handler, acted } = createListener();
    const answer = await handler.handle({
      method: 'POST',
      url: '/',
      headers: { authorization },
      body: body(),
    });
    expect(answer.status).toBe(200);
    expect(acted).toEqual(['payment:s-1:PAID']);
  });

  it('is counted like any other when it is text in a web stream', async () => {
    const { handler } = createListener({ maxBodyBytes: 10 });
    const body = streamOf('{"a":"', 'é'.repeat(10), '"}');
    expect(
      (await handler.handle({ method: 'POST', url: '/', headers: { authorization }, body })).status,
    ).toBe(413);
  });

  it('is taken by handle with headers as Headers or as a record, with repeated ones as a list', async () => {
    const { handler } = createListener();
    const plain = { method: 'POST', url: '/', body: json };
    for (const headers of [
      new Headers({ authorization }),
      { authorization },
      { authorization: [authorization] },
    ]) {
      expect((await handler.handle({ ...plain, headers })).status).toBe(200);
    }
    const twice = { authorization: [authorization, authorization] };
    expect((await handler.handle({ ...plain, headers: twice })).status).toBe(401);
    const inherited = Object.create({ authorization });
    expect((await handler.handle({ ...plain, headers: inherited })).status).toBe(401);
  });
});

describe('a body that something else had first', () => {
  const helpful =
    /Something else has read the body, probably a body parser\. Pass what it made of it: `handler\.handle\(.*before the parser\.$/;

  const readAll: Before = async (request) => {
    for await (const _ of request);
  };

  it('is noticed at once when it was read from a web Request, and the report says what to pass instead', async () => {
    const { handler, reports } = createListener();
    const request = notificationRequest(json);
    await request.text();
    expect(await statusOf(handler(request))).toBe(500);
    expect(reports).toMatchObject([
      { code: 'body_already_read', status: 500, message: expect.stringMatching(helpful) },
    ]);
  });

  it('is noticed while a reader still holds the stream of a web Request', async () => {
    const { handler, reports } = createListener();
    const request = notificationRequest(json);
    request.body?.getReader();
    expect(await statusOf(handler(request))).toBe(500);
    expect(reports).toMatchObject([{ code: 'body_already_read' }]);
  });

  it('is noticed when a reader took a part of a web Request and released its stream', async () => {
    const { handler, reports, acted } = createListener();
    const request = streamedRequest(streamOf('{"a":1}', json).pipeThrough(new TextEncoderStream()));
    const reader = request.body?.getReader();
    await reader?.read();
    reader?.releaseLock();
    expect(await statusOf(handler(request))).toBe(500);
    expect(reports).toMatchObject([{ code: 'body_already_read' }]);
    expect(acted).toEqual([]);
  });

  it('is noticed at once when it was read from a Node stream and left nowhere', async () => {
    const { url, reports } = await serve({ bodyTimeoutMs: 10_000 }, readAll);
    const start = performance.now();
    const answer = await deliver(url, json);
    expect([answer.status, answer.body]).toEqual([500, 'Internal error']);
    expect(performance.now() - start).toBeLessThan(5_000);
    expect(reports).toMatchObject([{ code: 'body_already_read', message: expect.stringMatching(helpful) }]);
  });

  it('is not taken for the whole when a part was read from a Node stream', async () => {
    const { url, reports, acted } = await serve({}, async (request) => {
      request.once('data', () => request.pause());
      await new Promise((resolve) => request.once('pause', resolve));
    });
    const answer = await deliver(url, json);
    expect(answer.status).toBe(500);
    expect(reports).toMatchObject([{ code: 'body_already_read' }]);
    expect(acted).toEqual([]);
  });

  it.each<[string, (bytes: Buffer) => unknown]>([
    ['an object', (bytes) => JSON.parse(bytes.toString())],
    ['text', (bytes) => bytes.toString()],
    ['bytes', (bytes) => bytes],
  ])('is acted on when a parser left it as %s in request.body', async (_, parse) => {
    const { url, acted } = await serve({}, async (request) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      request.body = parse(Buffer.concat(chunks));
    });
    expect((await deliver(url, json)).status).toBe(200);
    expect(acted).toEqual(['payment:s-1:PAID']);
  });

  it.each([undefined, {}, null, ''])('is read when a parser left %j without reading it', async (left) => {
    const { url, acted } = await serve({}, (request) => {
      request.body = left;
    });
    expect((await deliver(url, json)).status).toBe(200);
    expect(acted).toEqual(['payment:s-1:PAID']);
  });

  it('is answered 400 and not acted on when a parser left null for it', async () => {
    const { url, reports } = await serve({}, async (request) => {
      await readAll(request);
      request.body = null;
    });
    expect((await deliver(url, json)).status).toBe(400);
    expect(reports).toMatchObject([{ code: 'invalid_body' }]);
  });

  it.each<[string, Before]>([
    ['set an encoding', (request) => request.setEncoding('utf8')],
    ['paused it', (request) => request.pause()],
    ['came back to it later', () => new Promise((resolve) => setTimeout(resolve, 30))],
    ['listened for its end', (request) => request.on('end', () => undefined)],
  ])('is read when the other only %s', async (_, before) => {
    const given: unknown[] = [];
    const { url } = await serve(
      { bodyTimeoutMs: 500, on: { payment: ({ raw }) => void given.push(raw) } },
      before,
    );
    expect((await deliver(url, json)).status).toBe(200);
    expect(given).toEqual([JSON.parse(json)]);
  });
});

describe('the connection after an answer', () => {
  function keptAlive(): Agent {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    return agent;
  }

  it('is kept for the next notification', async () => {
    const { url } = await serve();
    const agent = keptAlive();
    const ports: (number | undefined)[] = [];
    for (const body of [salePayload(), salePayload(), refundPayload()]) {
      const answer = await deliver(url, body, { agent });
      expect(answer.status).toBe(200);
      expect(answer.headers.connection).toBe('keep-alive');
      ports.push(agent.freeSockets[Object.keys(agent.freeSockets)[0] as string]?.[0]?.localPort);
    }
    expect(new Set(ports).size).toBe(1);
  });

  it.each([10, 5_000, 20_000, 60_000, 300_000])(
    'serves the client’s next request after a 401, a 413 and a 405, with bodies of %d bytes',
    async (bytes) => {
      const { url } = await serve({ maxBodyBytes: Buffer.byteLength(json) });
      const agent = keptAlive();
      const body = 'x'.repeat(bytes);
      const refused = { headers: { authorization: 'Basic x' } };
      const send = (delivery: object, given: string) =>
        deliver(url, given, { ...delivery, agent, timeoutMs: 5_000 }).then(({ status }) => status);
      expect(await send(refused, body)).toBe(401);
      expect(await send({}, json)).toBe(200);
      expect(await send({}, body)).toBe(bytes > 300 ? 413 : 400);
      expect(await send({}, json)).toBe(200);
      expect(await send({ method: 'PUT' }, body)).toBe(405);
      expect(await send({}, json)).toBe(200);
    },
  );

  it('is closed when the rest of the body was not read, because that rest may have no end', async () => {
    const { url, reports } = await serve();
    const { socket, answer } = open(
      url,
      'POST /webhooks HTTP/1.1',
      'host: merchant.example',
      'content-length: 1000000000',
      '',
      'x',
    );
    expect(await answer).toMatch(/^HTTP\/1.1 401 /);
    expect(await answer).toMatch(/^connection: close\r$/im);
    await new Promise((resolve) => (socket.destroyed ? resolve(0) : socket.on('close', resolve)));
    expect(reports).toMatchObject([{ code: 'unauthorized' }]);
  });
});

describe('toNodeListener', () => {
  it('writes nothing when something else has answered already', async () => {
    const { handler, acted, reports } = createListener();
    const answer = toNodeListener(handler);
    const server = createServer((request, response) => {
      answer(request, response);
      response.writeHead(202).end('first');
    });
    const answered = await deliver(await listen(server), json);
    expect([answered.status, answered.body]).toEqual([202, 'first']);
    await expect.poll(() => acted).toEqual(['payment:s-1:PAID']);
    // Gives the answer time to come out.
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(reports).toEqual([]);
  });

  it('works for a client that sends its body after 100-continue', async () => {
    const { url } = await serve();
    const status = await new Promise((resolve, reject) => {
      const sent = httpRequest(url, { method: 'POST', headers: { authorization, expect: '100-continue' } });
      sent.on('continue', () => sent.end(json));
      sent.on('response', (response) => resolve(response.resume().statusCode));
      sent.on('error', reject);
      sent.flushHeaders();
    });
    expect(status).toBe(200);
  });
});
