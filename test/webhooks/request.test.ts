import { EventEmitter, once } from 'node:events';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PlainResponse } from 'pix-automatic-sdk/webhooks';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { deliver } from '../helpers/deliver';
import { throwing } from './faults';
import { salePayload } from './payloads';
import { type Before, headLines, open, serve } from './serving';
import {
  authorization,
  codesOf,
  createListener,
  type Listener,
  linesOf,
  notificationRequest,
  send,
} from './support';

const json = JSON.stringify({ ...salePayload(), referenceCode: 'café 🏠' });
const maxBodyBytes = Buffer.byteLength(json);
const head = { method: 'POST', url: '/', headers: { authorization } };

const handled = async ({ handler }: Pick<Listener, 'handler'>, body: unknown) =>
  (await handler.handle({ ...head, body })).status;

/** What a Request with this stream as its body is answered. */
async function streamed({ handler }: Listener, body: ReadableStream, headers: Record<string, string> = {}) {
  const init = { method: 'POST', headers: { authorization, ...headers }, body, duplex: 'half' };
  return (await handler(new Request('https://merchant.example/webhooks', init as RequestInit))).status;
}

const streamOf = (...chunks: (Uint8Array | string)[]): ReadableStream => ReadableStream.from(chunks);

/** What a body leads to: `200 whole` if its callback got all of it, or `413 body_too_large`. */
async function traceOf(body: unknown, options: object = {}) {
  const { on, given } = createNoting();
  const { handler, reports } = createListener({ ...options, on });
  return [await handled({ handler }, body), ...codesOf(reports), ...given].join(' ');
}
function createNoting() {
  const given: string[] = [];
  const payment = ({ raw }: { raw: unknown }) =>
    void given.push(JSON.stringify(raw) === json ? 'whole' : 'changed');
  return { on: { payment }, given };
}

const bytes = Buffer.from(json);
// A piece may end in the middle of a character.
const pieces = [...bytes].map((byte) => Uint8Array.of(byte));
const halves = [json.slice(0, 20), json.slice(20)];
const readBefore = (property: string) =>
  Object.assign(new EventEmitter(), { resume: () => undefined, [property]: true });
const withFunctions = (...names: string[]) => ({
  ...JSON.parse(json),
  ...Object.fromEntries(names.map((name) => [name, () => expect.unreachable()])),
});
const [enough, tooFew] = [{ maxBodyBytes }, { maxBodyBytes: maxBodyBytes - 1 }];
it.each<[string, string, () => unknown, object]>([
  ['a web stream of bytes', '200 whole', () => streamOf(...pieces), enough],
  ['a web stream of text', '200 whole', () => streamOf(...halves), enough],
  ['a Node stream of bytes', '200 whole', () => Readable.from(pieces), enough],
  ['a Node stream of text', '200 whole', () => Readable.from(halves), enough],
  ['text', '200 whole', () => json, enough],
  ['bytes', '200 whole', () => bytes, enough],
  ['an ArrayBuffer', '200 whole', () => new TextEncoder().encode(json).buffer, enough],
  ['an object', '200 whole', () => JSON.parse(json), enough],
  // As characters they would not be too many.
  ['text of a byte too much', '413 body_too_large', () => json, tooFew],
  ['bytes of which one is too much', '413 body_too_large', () => bytes, tooFew],
  ['an ArrayBuffer too large', '413 body_too_large', () => new TextEncoder().encode(json).buffer, tooFew],
  ['an object whose JSON text is too large', '413 body_too_large', () => JSON.parse(json), tooFew],
  ['a Node stream that was read', '500 body_already_read', () => readBefore('readableDidRead'), {}],
  ['a Node stream that has ended', '500 body_already_read', () => readBefore('readableEnded'), {}],
  ['a Node stream that is destroyed', '500 body_already_read', () => readBefore('destroyed'), {}],
  // A parser leaves it for a body that it skips. As text it is what was sent.
  ['an empty object', '500 body_already_read', () => ({}), {}],
  ['the text of an empty object', '200 unhandled', () => '{}', {}],
  // A parser may have made such a body, so a stream has all three.
  ['an object with on and off', '200 whole', () => withFunctions('on', 'off'), {}],
  ['an object with on and resume', '200 whole', () => withFunctions('on', 'resume'), {}],
  ['an object with off and resume', '200 whole', () => withFunctions('off', 'resume'), {}],
])('handle, with %s for a body, leads to %s', async (_, expected, body, options) => {
  expect(await traceOf(body(), options)).toBe(expected);
});

describe('the limit on a body’s bytes', () => {
  it('lets in a body of exactly the limit, and refuses one that is a byte longer', async () => {
    const { handler, url, reports } = await serve({ maxBodyBytes });
    expect([(await deliver(url, json)).status, await send(handler, json)]).toEqual([200, 200]);
    expect([(await deliver(url, `${json} `)).status, await send(handler, `${json} `)]).toEqual([413, 413]);
    expect(linesOf(reports)).toEqual(['body_too_large 413', 'body_too_large 413']);
  });

  it('is 1 MiB by default', async () => {
    const { handler } = createListener();
    const filled = (bytes: number) => json + ' '.repeat(bytes - maxBodyBytes);
    expect(await send(handler, filled(1024 * 1024))).toBe(200);
    expect(await send(handler, filled(1024 * 1024 + 1))).toBe(413);
  });

  it('holds whatever Content-Length says, less than there is or more', async () => {
    const listener = createListener({ maxBodyBytes });
    const less = { 'content-length': '5' };
    expect(await streamed(listener, streamOf(Buffer.from(`${json} `)), less)).toBe(413);
    const more = { 'content-length': '99999999' };
    expect(await streamed(listener, streamOf(Buffer.from(json)), more)).toBe(200);
  });

  it('cuts off a body that never ends, and its connection', async () => {
    const { url, reports } = await serve({ maxBodyBytes: 100_000 });
    const { socket, answer, closed } = open(url, ...headLines('transfer-encoding: chunked'));
    const chunk = `4000\r\n${' '.repeat(0x4000)}\r\n`;
    const timer = setInterval(() => socket.writable && socket.write(chunk), 1);
    onTestFinished(() => clearInterval(timer));
    expect(await answer).toMatch(/^HTTP\/1.1 413 /);
    expect(await answer).toMatch(/^connection: close\r$/im);
    await closed;
    expect(codesOf(reports)).toEqual(['body_too_large']);
  });

  it('stops the reading of a web stream that never ends', async () => {
    const cancel = vi.fn();
    let reads = 0;
    const pull = (to: ReadableStreamDefaultController) => to.enqueue(new Uint8Array(reads++ ? 1024 : 1));
    const endless = new ReadableStream({ pull, cancel });
    expect(await streamed(createListener({ maxBodyBytes: 10_240 }), endless)).toBe(413);
    expect(cancel).toHaveBeenCalledOnce();
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
    await sleep(20);
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
    expect([linesOf(reports), acted]).toEqual([['body_timeout 408'], []]);
  });

  it('answers 408 for a web stream, and stops reading it', async () => {
    const cancel = vi.fn();
    expect(await streamed(createListener({ bodyTimeoutMs: 30 }), new ReadableStream({ cancel }))).toBe(408);
    expect(cancel).toHaveBeenCalledOnce();
  });

  it('leaves no timer running once the body is there', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
    const before = timers();
    expect(await streamed(createListener({ bodyTimeoutMs: 12_345 }), streamOf(json))).toBe(200);
    expect(timers()).toBe(before);
  });
});

const failingStream = (failure?: Error) => new ReadableStream({ start: (to) => to.error(failure) });
function destroyedSoon(failure?: Error): Readable {
  const stream = new Readable({ read: () => undefined });
  stream.push('{"saleToken":');
  setTimeout(() => stream.destroy(failure), 10);
  return stream;
}

describe('a body that breaks off', () => {
  it('because the client goes away is reported, not acted on, and harms nothing', async () => {
    const { url, reports, acted } = await serve();
    const body = '{"saleToken":"s-1","newStatus":"PAID"}';
    const { socket } = open(url, ...headLines('content-length: 500'), body);
    await sleep(30);
    socket.destroy();
    await expect.poll(() => linesOf(reports)).toEqual(['body_interrupted 400']);
    expect(acted).toEqual([]);
    expect((await deliver(url, json)).status).toBe(200);
  });

  it.each<[string, Error | undefined, (failure?: Error) => unknown]>([
    ['a web stream fails', new Error('S3CRET'), failingStream],
    ['a Node stream is destroyed', undefined, destroyedSoon],
    ['a Node stream is destroyed with an error', new Error('S3CRET'), destroyedSoon],
  ])('because %s is answered 400 without the error’s text', async (_, failure, broken) => {
    const { handler, reports } = createListener();
    const answer = await handler.handle({ ...head, body: broken(failure) });
    expect(answer).toMatchObject({ status: 400, body: 'Bad request' });
    expect([linesOf(reports), reports[0]?.error]).toEqual([['body_interrupted 400'], failure]);
  });
});

describe('a Node stream that is no request', () => {
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
    for (const event of ['end', 'close']) stream.emit(event);
    stream.emit('error', new Error('late'));
    expect([await status, listener.reports]).toEqual([200, []]);
    expect([stream.resume.mock.calls.length, stream.off.mock.calls.length]).toEqual([1, 0]);
  });
});

describe('a body that something else had first', () => {
  const helpful =
    /Something else has read the body, probably a body parser\. Pass what it made of it: `handler\.handle\(.*before the parser\.$/;
  const noticed = [{ code: 'body_already_read', status: 500, message: expect.stringMatching(helpful) }];

  const readPart = async (request: Request) => {
    const reader = request.body?.getReader();
    await reader?.read();
    reader?.releaseLock();
  };
  it.each<[string, (request: Request) => unknown]>([
    ['was read from it', (request) => request.text()],
    ['is still being read by another', (request) => request.body?.getReader()],
    ['was read in part, and its stream released', readPart],
  ])('is noticed at once when the body of a web Request %s', async (_, read) => {
    const { handler, reports, acted } = createListener();
    const request = notificationRequest(json);
    await read(request);
    expect([(await handler(request)).status, acted]).toEqual([500, []]);
    expect(reports).toMatchObject(noticed);
  });

  const readOnce: Before = async (request) => {
    request.once('data', () => request.pause());
    await once(request, 'pause');
  };
  const leave =
    (parse: (text: string) => unknown): Before =>
    async (request) =>
      void Object.assign(request, { body: parse((await buffer(request)).toString()) });
  // Vercel parses the body when something first reads the property.
  const leaveThrowing: Before = async (request) => {
    await buffer(request);
    Object.defineProperty(request, 'body', { get: throwing(new Error('Invalid JSON')) });
  };
  const set = (body: unknown) => (request: object) => void Object.assign(request, { body });
  it.each<[string, string, Before]>([
    ['read it and left nothing', '500 body_already_read', (request) => buffer(request)],
    ['read a part of it', '500 body_already_read', readOnce],
    ['left an object in request.body', '200 whole', leave(JSON.parse)],
    ['left text in request.body', '200 whole', leave(String)],
    ['left bytes in request.body', '200 whole', leave(Buffer.from)],
    [
      'left {} in request.body, as a parser does for a type that it skips',
      '500 body_already_read',
      leave(() => ({})),
    ],
    ['left null in request.body', '400 invalid_body', leave(() => null)],
    ['left a request.body that throws', '400 invalid_body', leaveThrowing],
    ['only set an encoding', '200 whole', (request) => request.setEncoding('utf8')],
    ['only paused it', '200 whole', (request) => request.pause()],
    ['only came back to it later', '200 whole', () => sleep(30)],
    ['only listened for its end', '200 whole', (request) => request.on('end', () => undefined)],
    ['set request.body to undefined, and read nothing', '200 whole', set(undefined)],
    ['set request.body to {}, and read nothing', '200 whole', set({})],
    ['set request.body to null, and read nothing', '200 whole', set(null)],
    ['set request.body to an empty text, and read nothing', '200 whole', set('')],
  ])('over HTTP, if something %s, leads to %s', async (_, expected, before) => {
    const { on, given } = createNoting();
    // The delivery would fail before that.
    const { url, reports } = await serve({ bodyTimeoutMs: 10_000, on }, before);
    const { status } = await deliver(url, json, { timeoutMs: 5_000 });
    expect([status, ...codesOf(reports), ...given].join(' ')).toBe(expected);
  });
});

it('an empty object that a parser left is told as such, with what to do', async () => {
  const { handler, reports } = createListener({ on: { unrecognized: 'ignore' } });
  expect(await handled({ handler }, {})).toBe(500);
  expect(reports[0]?.message).toMatch(/left an empty object.*`application\/json`.*before it/);
});

describe('a body whose property throws, as on Vercel for what is no JSON', () => {
  const error = new Error('Invalid JSON');
  const get = vi.fn(throwing(error));

  it('is told as what it is, without the words of the error, and answered 400', async () => {
    const { handler, reports } = createListener();
    const request = Object.defineProperty({ ...head } as never, 'body', { get });
    expect((await handler.handle(request)).status).toBe(400);
    expect(reports).toMatchObject([{ code: 'invalid_body', status: 400, error }]);
    expect(reports[0]?.message).toMatch(/^Reading `body` of the request threw/);
    expect(reports[0]?.message).not.toContain('Invalid JSON');
  });

  it('is not read before the credentials are checked', async () => {
    get.mockClear();
    const { handler, reports } = createListener();
    const response = { headersSent: false, writeHead: vi.fn(), end: vi.fn() };
    const request = { ...head, headers: {}, readableDidRead: true };
    await handler(Object.defineProperty(request, 'body', { get }), response);
    expect([linesOf(reports), get.mock.calls.length]).toEqual([['unauthorized 401'], 0]);
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
  ] as const)('with status %s is frozen: others do not share its changes', async (status, body, request) => {
    const { handler } = createListener({ maxBodyBytes: 1_000, bodyTimeoutMs: 20 });
    const first: PlainResponse = await handler.handle(request());
    expect(first).toMatchObject({ status, body, headers: { 'content-length': String(body.length) } });
    expect([Object.isFrozen(first), Object.isFrozen(first.headers)]).toEqual([true, true]);
  });
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
