import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import type { PlainResponse } from 'pix-automatic-sdk/webhooks';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { deliver } from '../helpers/deliver';
import { throwing } from './faults';
import { salePayload } from './payloads';
import { type Before, headLines, open, serve } from './serving';
import { authorization, createListener, type Listener, notificationRequest, send } from './support';

const json = JSON.stringify({ ...salePayload(), referenceCode: 'café 🏠' });
const maxBodyBytes = Buffer.byteLength(json);
const head = { method: 'POST', url: '/', headers: { authorization } };

const handled = async ({ handler }: Pick<Listener, 'handler'>, body: unknown) =>
  (await handler.handle({ ...head, body })).status;

/** What a Request with this stream as its body is answered. */
async function streamed({ handler }: Listener, body: ReadableStream, headers: Record<string, string> = {}) {
  const init = { method: 'POST', headers: { authorization, ...headers }, body, duplex: 'half' };
  return handler(new Request('https://merchant.example/webhooks', init as RequestInit));
}

function streamOf(...chunks: (Uint8Array | string)[]): ReadableStream {
  return new ReadableStream({
    start(to) {
      for (const chunk of chunks) to.enqueue(chunk);
      to.close();
    },
  });
}

describe('the limit on a body’s bytes', () => {
  it('lets in a body of exactly the limit, and refuses one that is a byte longer', async () => {
    const { handler, url, reports } = await serve({ maxBodyBytes });
    expect([(await deliver(url, json)).status, await send(handler, json)]).toEqual([200, 200]);
    expect([(await deliver(url, `${json} `)).status, await send(handler, `${json} `)]).toEqual([413, 413]);
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
    expect(json.length).toBeLessThan(maxBodyBytes);
    for (const body of [json, Buffer.from(json), new TextEncoder().encode(json).buffer]) {
      expect(await handled(createListener({ maxBodyBytes: maxBodyBytes - 1 }), body)).toBe(413);
      expect(await handled(createListener({ maxBodyBytes }), body)).toBe(200);
    }
  });

  it('holds whatever Content-Length says, less than there is or more', async () => {
    const listener = createListener({ maxBodyBytes });
    const less = streamOf(Buffer.from(json), Buffer.from(' '));
    expect((await streamed(listener, less, { 'content-length': '5' })).status).toBe(413);
    const more = { 'content-length': '99999999' };
    expect((await streamed(listener, streamOf(Buffer.from(json)), more)).status).toBe(200);
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
    const cancel = vi.fn();
    let reads = 0;
    const pull = (to: ReadableStreamDefaultController) => to.enqueue(new Uint8Array(reads++ ? 1024 : 1));
    const answer = await streamed(
      createListener({ maxBodyBytes: 10_240 }),
      new ReadableStream({ pull, cancel }),
    );
    expect([answer.status, cancel.mock.calls.length]).toEqual([413, 1]);
    expect(reads).toBeLessThan(20);
  });

  it('stops the reading of a stream from another library that ignores its cancellation', async () => {
    let reads = 0;
    const read = async () => {
      reads += 1;
      await new Promise((resolve) => setImmediate(resolve));
      return { done: false, value: new Uint8Array(1024) };
    };
    const cancel = () => Promise.reject(new Error('cannot be cancelled'));
    const stream = { getReader: () => ({ read, cancel }) };
    expect(await handled(createListener({ maxBodyBytes: 10_240 }), stream)).toBe(413);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(reads).toBe(11);
  });
});

describe('the time limit on a body', () => {
  it.each([
    ['stalls', () => undefined],
    // It limits the whole body, and not each wait.
    ['drips', (write: () => void) => setInterval(write, 5)],
  ])('answers 408 when a body %s after its beginning, over HTTP', async (_, goOn) => {
    const { url, reports, acted } = await serve({ bodyTimeoutMs: 100 });
    const { socket, answer } = open(url, ...headLines('content-length: 500'), '{"saleToken":');
    const timer = goOn(() => socket.writable && socket.write(' '));
    onTestFinished(() => clearInterval(timer));
    expect(await answer).toMatch(/^HTTP\/1.1 408 /);
    expect(reports).toMatchObject([{ code: 'body_timeout', status: 408 }]);
    expect(acted).toEqual([]);
  });

  it('answers 408 for a web stream, and stops reading it', async () => {
    const cancel = vi.fn();
    const answer = await streamed(createListener({ bodyTimeoutMs: 30 }), new ReadableStream({ cancel }));
    expect([answer.status, cancel.mock.calls.length]).toEqual([408, 1]);
  });

  it('leaves no timer running once the body is there', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
    const before = timers();
    expect((await streamed(createListener({ bodyTimeoutMs: 12_345 }), streamOf(json))).status).toBe(200);
    expect(timers()).toBe(before);
  });
});

describe('a body that breaks off', () => {
  it('because the client goes away is reported, not acted on, and harms nothing', async () => {
    const { url, reports, acted } = await serve();
    const body = '{"saleToken":"s-1","newStatus":"PAID"}';
    const { socket } = open(url, ...headLines('content-length: 500'), body);
    await new Promise((resolve) => setTimeout(resolve, 30));
    socket.destroy();
    await expect.poll(() => reports).toMatchObject([{ code: 'body_interrupted', status: 400 }]);
    expect(acted).toEqual([]);
    expect((await deliver(url, json)).status).toBe(200);
  });

  it('in a web stream that fails is answered 400 without the error’s text', async () => {
    const failure = new Error('S3CRET');
    const listener = createListener();
    const answer = await streamed(listener, new ReadableStream({ start: (to) => to.error(failure) }));
    expect([answer.status, await answer.text()]).toEqual([400, 'Bad request']);
    expect(listener.reports).toMatchObject([{ code: 'body_interrupted', error: failure }]);
  });
});

describe('a Node stream that is no request', () => {
  it.each([
    ['without an error', undefined],
    ['with an error', new Error('S3CRET')],
  ])('that is destroyed %s is answered 400', async (_, failure) => {
    const listener = createListener();
    const body = new Readable({ read: () => undefined });
    body.push('{"saleToken":');
    const answer = listener.handler.handle({ ...head, body });
    setTimeout(() => body.destroy(failure), 10);
    expect(await answer).toMatchObject({ status: 400, body: 'Bad request' });
    expect(listener.reports).toMatchObject([{ code: 'body_interrupted', status: 400 }]);
    expect(listener.reports[0]?.error).toBe(failure);
  });

  it.each(['readableDidRead', 'readableEnded', 'destroyed'])(
    'is noticed at once when nothing can read it any more: %s',
    async (property) => {
      const listener = createListener();
      const stream = Object.assign(new EventEmitter(), { resume: () => undefined, [property]: true });
      expect(await handled(listener, stream)).toBe(500);
      expect(listener.reports).toMatchObject([{ code: 'body_already_read' }]);
    },
  );

  it('is let go of at a 408 but kept flowing, so that the rest of it holds no connection', async () => {
    const stream = new Readable({ read: () => undefined });
    expect(await handled(createListener({ bodyTimeoutMs: 10 }), stream)).toBe(408);
    const listening = ['data', 'end', 'close', 'error'].map((event) => stream.listenerCount(event));
    expect([listening, stream.readableFlowing]).toEqual([[0, 0, 0, 1], true]);
    // Without a listener, this would be an uncaught exception and fail the whole run.
    stream.destroy(new Error('late'));
    await new Promise((resolve) => stream.on('close', resolve));
  });

  it('is left alone once its body is whole, whatever happens to it then', async () => {
    const listener = createListener();
    const stream = Object.assign(new EventEmitter(), { resume: vi.fn(), off: vi.fn() });
    const status = handled(listener, stream);
    stream.emit('data', json);
    stream.emit('end');
    stream.emit('close');
    stream.emit('error', new Error('late'));
    expect(await status).toBe(200);
    expect([stream.resume.mock.calls.length, stream.off.mock.calls.length]).toEqual([1, 0]);
    expect(listener.reports).toEqual([]);
  });

  it.each([
    ['on', 'off'],
    ['on', 'resume'],
    ['off', 'resume'],
  ])('needs more than %s and %s to be one: a parser may have made such a body', async (...names) => {
    const functions = Object.fromEntries(names.map((name) => [name, () => expect.unreachable()]));
    const listener = createListener();
    expect(await handled(listener, { ...salePayload(), ...functions })).toBe(200);
    expect(listener.acted).toEqual(['payment:s-1:PAID']);
  });
});

const bytes = Buffer.from(json);
// A piece may end in the middle of a character.
const single = [...bytes].map((byte) => Uint8Array.of(byte));
it.each([
  ['a web stream of bytes', () => streamOf(...single)],
  ['a web stream of text', () => streamOf(json.slice(0, 20), json.slice(20))],
  ['a Node stream of bytes', () => Readable.from(single)],
  ['a Node stream of text', () => Readable.from([json.slice(0, 20), json.slice(20)])],
  ['text', () => json],
  ['bytes', () => bytes],
  ['an object', () => JSON.parse(json)],
])('handle takes a body as %s', async (_, body) => {
  const given: unknown[] = [];
  const listener = createListener({ on: { payment: ({ raw }) => void given.push(raw) } });
  expect(await handled(listener, body())).toBe(200);
  expect(given).toEqual([JSON.parse(json)]);
});

describe('a body that something else had first', () => {
  const helpful =
    /Something else has read the body, probably a body parser\. Pass what it made of it: `handler\.handle\(.*before the parser\.$/;
  const noticed = [{ code: 'body_already_read', status: 500, message: expect.stringMatching(helpful) }];

  it.each<[string, (request: Request) => unknown]>([
    ['was read from it', (request) => request.text()],
    ['is still being read by another', (request) => request.body?.getReader()],
    [
      'was read in part, and its stream released',
      async (request) => {
        const reader = request.body?.getReader();
        await reader?.read();
        reader?.releaseLock();
      },
    ],
  ])('is noticed at once when the body of a web Request %s', async (_, read) => {
    const { handler, reports, acted } = createListener();
    const request = notificationRequest(json);
    await read(request);
    expect([(await handler(request)).status, acted]).toEqual([500, []]);
    expect(reports).toMatchObject(noticed);
  });

  it.each<[string, Before]>([
    [
      'was read and left nowhere',
      async (request) => {
        for await (const _ of request);
      },
    ],
    [
      'was read in part',
      async (request) => {
        request.once('data', () => request.pause());
        await new Promise((resolve) => request.once('pause', resolve));
      },
    ],
  ])('is noticed at once when a Node stream %s', async (_, before) => {
    const { url, reports, acted } = await serve({ bodyTimeoutMs: 10_000 }, before);
    const start = performance.now();
    const answer = await deliver(url, json);
    expect([answer.status, answer.body, acted]).toEqual([500, 'Internal error', []]);
    expect(performance.now() - start).toBeLessThan(5_000);
    expect(reports).toMatchObject(noticed);
  });

  it.each<[string, number, (bytes: Buffer) => unknown]>([
    ['an object', 200, (given) => JSON.parse(given.toString())],
    ['text', 200, (given) => given.toString()],
    ['bytes', 200, (given) => given],
    ['null', 400, () => null],
  ])('is taken from request.body when a parser left it there as %s: %d', async (_, status, parse) => {
    const { url, acted } = await serve({}, async (request) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      request.body = parse(Buffer.concat(chunks));
    });
    expect((await deliver(url, json)).status).toBe(status);
    expect(acted).toHaveLength(status === 200 ? 1 : 0);
  });

  const leave =
    (left: unknown): Before =>
    (request) =>
      void Object.assign(request, { body: left });
  it.each<[string, Before]>([
    ['set an encoding', (request) => request.setEncoding('utf8')],
    ['paused it', (request) => request.pause()],
    ['came back to it later', () => new Promise((resolve) => setTimeout(resolve, 30))],
    ['listened for its end', (request) => request.on('end', () => undefined)],
    ...[undefined, {}, null, ''].map((left): [string, Before] => [`left ${left} for it`, leave(left)]),
  ])('is read when the other only %s', async (_, before) => {
    const given: unknown[] = [];
    const on = { payment: ({ raw }: { raw: unknown }) => void given.push(raw) };
    const { url } = await serve({ bodyTimeoutMs: 500, on }, before);
    expect((await deliver(url, json)).status).toBe(200);
    expect(given).toEqual([JSON.parse(json)]);
  });
});

describe('an answer', () => {
  it.each([
    [200, 'OK', () => ({ ...head, body: salePayload() })],
    [400, 'Bad request', () => ({ ...head, body: 'no JSON' })],
    [401, 'Unauthorized', () => ({ ...head, headers: {}, body: '' })],
    [405, 'Method not allowed', () => ({ ...head, method: 'GET', body: '' })],
    [408, 'Request timeout', () => ({ ...head, body: new ReadableStream() })],
    [413, 'Content too large', () => ({ ...head, body: 'x'.repeat(2_000) })],
  ] as const)(
    'with status %s is frozen: no other request shares a change of it',
    async (status, body, request) => {
      const { handler } = createListener({ maxBodyBytes: 1_000, bodyTimeoutMs: 20 });
      const first: PlainResponse = await handler.handle(request());
      expect(first).toMatchObject({ status, body, headers: { 'content-length': String(body.length) } });
      expect([Object.isFrozen(first), Object.isFrozen(first.headers)]).toEqual([true, true]);
    },
  );
});

describe('handle() of a misshapen request', () => {
  const body = salePayload();
  it.each<[string, unknown, number]>([
    ['with its headers as Headers', { ...head, headers: new Headers({ authorization }), body }, 200],
    ['with a list of headers', { ...head, headers: { authorization: [authorization] }, body }, 200],
    ['with a header in another case', { ...head, headers: { Authorization: authorization }, body }, 200],
    ['with two headers', { ...head, headers: { authorization: [authorization, authorization] }, body }, 401],
    ['with an inherited header', { ...head, headers: Object.create({ authorization }), body }, 401],
    ['without headers', { method: 'POST', url: '/', body }, 401],
    ['with null for its headers', { ...head, headers: null, body }, 401],
    ['with text for its headers', { ...head, headers: 'authorization: Basic x', body }, 401],
    ['with a number as the header', { ...head, headers: { authorization: 7 }, body }, 401],
    ['without a url', { method: 'POST', headers: head.headers, body }, 200],
    ['with null for its url', { ...head, url: null, body }, 200],
    ['without a body', head, 400],
    ['without a method', { headers: head.headers, body }, 405],
    ['undefined', undefined, 405],
    ['null', null, 405],
    ['a text', 'POST /', 405],
  ])('answers and never rejects: %s', async (_, request, status) => {
    expect((await createListener().handler.handle(request as never)).status).toBe(status);
  });

  it('reads a missing url as empty, drops headers that are no text, and joins repeated ones', async () => {
    const seen: unknown[] = [];
    const { handler } = createListener({
      getAuthorization: ({ url, headers }) => {
        seen.push(url, ...['x-list', 'x-number', 'x-none'].map((name) => headers.get(name)));
        return authorization;
      },
    });
    await handler.handle({ method: 'POST', headers: { 'x-list': ['a', 'b'], 'x-number': 7 }, body } as never);
    expect(seen).toEqual(['', 'a, b', null, null]);
  });

  it('answers 500 and reports it when reading the request throws', async () => {
    const { handler, reports } = createListener();
    const error = new Error('unreadable');
    const request = Object.defineProperty({}, 'method', { get: throwing(error) });
    expect((await handler.handle(request as never)).status).toBe(500);
    expect(reports).toMatchObject([{ code: 'internal', status: 500, error }]);
  });
});
