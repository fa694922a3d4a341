import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import type { PlainResponse } from 'pix-automatic-sdk/webhooks';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { deliver } from '../helpers/deliver';
import {
  authorization,
  type Before,
  createListener,
  headLines,
  type Listener,
  notificationRequest,
  open,
  salePayload,
  send,
  serve,
  statusOf,
} from './support';

const url = 'https://merchant.example/webhooks';
const json = JSON.stringify({ ...salePayload(), referenceCode: 'café 🏠' });

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
    expect(await send(handler, json)).toBe(200);
    expect((await deliver(url, `${json} `)).status).toBe(413);
    expect(await send(handler, `${json} `)).toBe(413);
    expect(reports).toMatchObject([
      { code: 'body_too_large', status: 413 },
      { code: 'body_too_large', status: 413 },
    ]);
  });

  it('is 1 MiB by default', async () => {
    const { handler } = createListener();
    const filled = (bytes: number) => json + ' '.repeat(bytes - maxBodyBytes);
    expect(await send(handler, filled(1024 * 1024))).toBe(200);
    expect(await send(handler, filled(1024 * 1024 + 1))).toBe(413);
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

  it('cuts off a body that never ends, and its connection', async () => {
    const { url, reports } = await serve({ maxBodyBytes: 100_000 });
    const { socket, answer } = open(url, ...headLines('transfer-encoding: chunked'));
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
    const { answer } = open(url, ...headLines('content-length: 500'), '{"saleToken":');
    expect(await answer).toMatch(/^HTTP\/1.1 408 /);
    expect(reports).toMatchObject([{ code: 'body_timeout', status: 408 }]);
    expect(acted).toEqual([]);
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
});

describe('a body that breaks off', () => {
  it('because the client goes away is reported, not acted on, and harms nothing', async () => {
    const { url, reports, acted } = await serve();
    const { socket } = open(
      url,
      ...headLines('content-length: 500'),
      '{"saleToken":"s-1","newStatus":"PAID"}',
    );
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

const head = { method: 'POST', url: '/', headers: { authorization } };

describe('an answer', () => {
  const answers = {
    200: () => ({ ...head, body: salePayload() }),
    400: () => ({ ...head, body: 'no JSON' }),
    401: () => ({ ...head, headers: {}, body: '' }),
    405: () => ({ ...head, method: 'GET', body: '' }),
    408: () => ({ ...head, body: new ReadableStream() }),
    413: () => ({ ...head, body: 'x'.repeat(2_000) }),
  };
  const texts: Readonly<Record<string, string>> = {
    200: 'OK',
    400: 'Bad request',
    401: 'Unauthorized',
    405: 'Method not allowed',
    408: 'Request timeout',
    413: 'Content too large',
  };
  const limits = { maxBodyBytes: 1_000, bodyTimeoutMs: 20 };

  it.each(Object.entries(answers))(
    'with status %s leaves the next answer as it was when somebody changes it',
    async (status, request) => {
      const { handler } = createListener(limits);
      const first = await handler.handle(request());
      const before = structuredClone(first);
      const change = (action: () => void) => {
        try {
          action();
        } catch (error) {
          expect(error).toBeInstanceOf(TypeError);
        }
      };
      change(() => Object.assign(first, { status: 299, body: 'changed' }));
      change(() => Object.assign(first.headers, { 'set-cookie': 'session=1' }));
      change(() => Reflect.deleteProperty(first.headers, 'content-type'));

      const next: PlainResponse = await createListener(limits).handler.handle(request());
      expect(next).toEqual(before);
      expect([next.status, next.body]).toEqual([Number(status), texts[status]]);
      expect(await handler.handle(request())).toEqual(before);
      expect(Object.isFrozen(next) && Object.isFrozen(next.headers)).toBe(true);
    },
  );
});

describe('handle() of a misshapen request', () => {
  const misshapen: readonly [string, unknown, number][] = [
    ['without headers', { method: 'POST', url: '/', body: salePayload() }, 401],
    ['with null for its headers', { ...head, headers: null, body: salePayload() }, 401],
    ['with text for its headers', { ...head, headers: 'authorization: Basic x', body: salePayload() }, 401],
    ['with a number as the header', { ...head, headers: { authorization: 7 }, body: salePayload() }, 401],
    ['without a url', { method: 'POST', headers: head.headers, body: salePayload() }, 200],
    ['with null for its url', { ...head, url: null, body: salePayload() }, 200],
    ['without a body', head, 400],
    ['without a method', { headers: head.headers, body: salePayload() }, 405],
    ['undefined', undefined, 405],
    ['null', null, 405],
    ['a text', 'POST /', 405],
  ];
  it.each(misshapen)('answers and never rejects: %s', async (_, request, status) => {
    const { handler } = createListener();
    expect((await handler.handle(request as never)).status).toBe(status);
  });

  it('reads a missing url as empty, drops headers that are no text, and joins repeated ones', async () => {
    const seen: unknown[] = [];
    const { handler } = createListener({
      getAuthorization: ({ url, headers }) => {
        seen.push(url, ...['x-list', 'x-number', 'x-none'].map((name) => headers.get(name)));
        return authorization;
      },
    });
    const headers = { 'x-list': ['a', 'b'], 'x-number': 7 };
    await handler.handle({ method: 'POST', headers, body: salePayload() } as never);
    expect(seen).toEqual(['', 'a, b', null, null]);
  });

  it.each(['Authorization', 'AUTHORIZATION'])('finds the header under the name %s', async (name) => {
    const { handler } = createListener();
    const request = { ...head, headers: { [name]: authorization }, body: salePayload() };
    expect((await handler.handle(request)).status).toBe(200);
  });

  it('answers 500 and reports it when reading the request throws', async () => {
    const { handler, reports } = createListener();
    const failure = new Error('unreadable');
    const request = {
      get method(): string {
        throw failure;
      },
    };
    expect((await handler.handle(request as never)).status).toBe(500);
    expect(reports).toMatchObject([{ code: 'internal', status: 500, error: failure }]);
  });
});
