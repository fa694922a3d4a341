import { Agent, createServer, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import {
  salePayloadSchema,
  type WebhookHandler,
  type WebhookHandlerOptions,
} from 'pix-automatic-sdk/webhooks';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { deliver } from '../helpers/deliver';
import { listen } from '../helpers/listen';
import { gate, throwing } from './faults';
import {
  payoutPayload,
  queries,
  recurrencePayload,
  refundPayload,
  reversalPayload,
  salePayload,
} from './payloads';
import {
  authorization,
  basic,
  codesOf,
  createListener,
  credentials,
  linesOf,
  notificationRequest,
  send,
} from './support';
import { WatchedStore } from './watched-store';

const url = 'https://merchant.example/webhooks';
const KEY = 'payment:s-1:PAID';
const serveHandler = (handler: WebhookHandler) => listen(createServer(handler));
/** A request whose body arrives as its stream does. */
const streaming = (headers: Record<string, string>, body: ReadableStream) =>
  new Request(url, { method: 'POST', headers, body, duplex: 'half' } as RequestInit);

describe('a handler tells a Request from the pair of node:http by the first argument alone', () => {
  const pair = () => ({ headersSent: false, writeHead: vi.fn(), end: vi.fn() });

  it.each<[string, unknown]>([
    ['a server, as Bun does', { requestIP: () => null, upgrade: () => false }],
    ['what Deno knows of the connection', { remoteAddr: { hostname: '127.0.0.1' } }],
    ['an environment and a context, as Workers do', { DB: {} }],
    ['the parameters of a route, as Next.js does', { params: Promise.resolve({}) }],
    ['something that looks like a response of node:http', pair()],
  ])('and returns a Response where the caller also passes %s', async (_, second) => {
    const { handler, acted } = createListener();
    const called = handler as (...given: unknown[]) => Promise<unknown>;
    const answer = await called(notificationRequest(salePayload()), second, {});
    expect(answer).toBeInstanceOf(Response);
    expect([(answer as Response).status, acted]).toEqual([200, [KEY]]);
    if ('end' in Object(second)) expect(second).toMatchObject({ end: expect.toSatisfy(neverCalled) });
  });
  const neverCalled = (spy: ReturnType<typeof vi.fn>) => spy.mock.calls.length === 0;

  it('and answers on the response for anything else, with nothing to return', async () => {
    const { handler, acted } = createListener();
    const response = pair();
    const request = { method: 'POST', url: '/', headers: { authorization }, body: salePayload() };
    expect(await handler({ ...request, readableDidRead: true } as never, response)).toBeUndefined();
    expect([response.writeHead.mock.calls[0]?.[0], acted]).toEqual([200, [KEY]]);
  });

  const unreadable = Object.defineProperty({}, 'headers', { get: throwing(new Error('unreadable')) });
  const head = { method: 'POST', url: '/', headers: { authorization } };
  it.each<[string, ...unknown[]]>([
    ['a plain request', { ...head, body: salePayload() }],
    ['a context of Koa', { ...head, req: {}, res: {}, request: { ...head } }],
    ['an event of a cloud function, without headers', { body: JSON.stringify(salePayload()) }],
    ['nothing', undefined],
    ['null for a second argument', head, null],
    ['something that can only end', head, { end: () => expect.unreachable() }],
    ['something that can only write a head', head, { writeHead: () => expect.unreachable() }],
    ['an object whose headers throw', unreadable],
  ])('and answers 500 to %s, acts on nothing, and its report says what to call', async (_, ...given) => {
    const { handler, acted, reports } = createListener();
    const { status } = await (handler as (...given: unknown[]) => Promise<Response>)(...given);
    expect([status, acted, linesOf(reports)]).toEqual([500, [], ['internal 500']]);
    const says = /neither with a `Request` nor with .*`toLambda\(handler\)`.*handler\.handle\(/;
    expect(reports[0]?.message).toMatch(says);
  });

  const raw = new Request(url, { method: 'POST' });
  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'mount the handler itself, `handler`, and not what `handler()` gives.'],
    ['a request of node:http alone', { ...head, on: () => undefined }, 'call `handler(request, response)`.'],
    ['a context of Hono', { req: { raw }, json: () => undefined }, 'call `handler(c.req.raw)`.'],
    ['a context of Koa', { req: head, res: pair() }, 'call `handler(req, res)`.'],
    ['a request of Fastify', { ...head, raw: {} }, 'call `handler.handle(request)`'],
  ])('and names the call for %s', async (_, given, says) => {
    const { handler, reports } = createListener();
    await (handler as (given: unknown) => Promise<Response>)(given);
    expect(reports[0]?.message).toContain(says);
  });

  const request = { ...head, body: salePayload() };
  it.each<[string, object, unknown, string, string]>([
    ['a response', request, pair(), 'internal 500', 'Call the handler itself: `handler(request, response)`'],
    [
      'a request of node:http that is not read',
      Object.assign(Readable.from([]), head),
      undefined,
      'invalid_body 400',
      'Call the handler itself with both: `handler(request, response)`.',
    ],
    [
      'a promise of the body',
      { ...head, body: Promise.resolve('{}') },
      undefined,
      'body_already_read 500',
      '`await` it, and pass what it resolves with.',
    ],
    [
      'no method',
      { headers: head.headers, body: '{}' },
      undefined,
      'method_not_allowed 405',
      'It has no `method`',
    ],
    ['no body', head, undefined, 'invalid_body 400', 'It is empty: pass what arrived as `body`'],
    [
      'a text of an object',
      { ...head, body: '[object Object]' },
      undefined,
      'invalid_body 400',
      '`JSON.stringify` of it',
    ],
    [
      'JSON twice',
      { ...head, body: '"{}"' },
      undefined,
      'invalid_body 400',
      'something has encoded it twice',
    ],
    [
      'gzip, as the header says',
      { ...head, headers: { ...head.headers, 'content-encoding': 'gzip' }, body: gzipSync('{"a":1}') },
      undefined,
      'invalid_body 400',
      'It is compressed (`content-encoding: gzip`): switch off the compression',
    ],
    [
      'gzip without its header',
      { ...head, body: gzipSync('{"a":1}') },
      undefined,
      'invalid_body 400',
      'It is compressed',
    ],
    [
      'Base64',
      { ...head, body: btoa('{"a":1}') },
      undefined,
      'invalid_body 400',
      'pass `isBase64Encoded: true`',
    ],
  ])('handle says what to pass if it gets %s', async (_, plain, second, line, says) => {
    const { handler, reports } = createListener();
    await (handler.handle as (...given: unknown[]) => Promise<unknown>)(plain, second);
    expect(linesOf(reports)[0]).toBe(line);
    expect(reports[0]?.message).toContain(says);
  });
});

it('a callback that reads of something undefined is told of `transaction`, which plain stores do not give', async () => {
  const { handler, reports } = createListener({
    on: { payment: (_, { transaction }) => (transaction as unknown as { query(): void }).query() },
  });
  expect(await send(handler)).toBe(500);
  expect(reports[0]?.message).toContain('`transaction` is your library’s, if the store joins transactions.');
});

it.each(['GET', 'HEAD', 'PUT', 'OPTIONS'])('a %s is answered 405 with Allow', async (method) => {
  const { handler, reports } = createListener();
  const answer = await handler(new Request(url, { method, headers: { authorization } }));
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
  expect(linesOf(reports)).toEqual(['method_not_allowed 405']);
});

describe('a request with bad credentials', () => {
  it.each([
    ['missing', undefined],
    ['wrong-scheme', 'Bearer x'],
    ['malformed', 'Basic x'],
    ['mismatch', basic({ apiKey: 'other', apiToken: 'token:1' })],
    ['mismatch', basic({ apiKey: 'key-1', apiToken: 'other' })],
  ])('is answered the same, and its endless body is not read: %s', async (reason, header) => {
    const { handler, reports, acted } = createListener();
    let reads = 0;
    const pull = (to: ReadableStreamDefaultController) => to.enqueue(new Uint8Array(++reads));
    const body = new ReadableStream({ pull }, { highWaterMark: 0 });
    const request = streaming({ ...(header && { authorization: header }) }, body);
    const answer = await handler(request);

    expect([answer.status, await answer.text()]).toEqual([401, 'Unauthorized']);
    expect(Object.fromEntries(answer.headers)).toEqual({
      'content-type': 'text/plain; charset=utf-8',
      'content-length': '12',
      'www-authenticate': 'Basic realm="notifications", charset="UTF-8"',
    });
    expect(reports).toMatchObject([{ code: 'unauthorized', status: 401, reason }]);
    expect([acted, reads, request.bodyUsed]).toEqual([[], 0, false]);
  });

  it('reaches neither the store nor the match of an own kind', async () => {
    const store = new WatchedStore();
    let matched = 0;
    const own = { kind: 'own', match: () => ++matched > 0, schema: salePayloadSchema, subject: () => 'x' };
    const { handler } = createListener({ store, kinds: [own] });
    expect(await send(handler, salePayload(), { headers: { authorization: 'Basic x' } })).toBe(401);
    expect([store.steps, matched]).toEqual([[], 0]);
  });
});

it('getAuthorization reads the header of a gateway, in any case, from a Request and over node:http', async () => {
  const getAuthorization: WebhookHandlerOptions['getAuthorization'] = ({ headers }) =>
    headers.get('X-Original-Authorization');
  const { handler, acted } = createListener({ getAuthorization });
  const headers = { authorization: 'Bearer gateway', 'x-original-authorization': authorization };
  expect(await send(handler, salePayload(), { headers })).toBe(200);
  expect((await deliver(await serveHandler(handler), refundPayload(), { headers })).status).toBe(200);
  expect(acted).toHaveLength(2);
  // The usual header lets nobody in then.
  expect(await send(handler)).toBe(401);
});

it('each of several credentials is accepted, and the callback learns which pair was used', async () => {
  const former = { apiKey: 'key-0', apiToken: 'token-0' };
  const indices: number[] = [];
  const note = (_: unknown, { credentialIndex }: { credentialIndex: number }) =>
    void indices.push(credentialIndex);
  const on = { payment: note, refund: note };
  const { handler } = createListener({ credentials: [credentials, former], on });
  expect(await send(handler)).toBe(200);
  expect(await send(handler, refundPayload(), { headers: { authorization: basic(former) } })).toBe(200);
  expect(indices).toEqual([0, 1]);
});

describe('a body that is no notification', () => {
  const noObjects = ['', 'no JSON', '[]', 'null', '{"saleToken":'];
  it.each(noObjects)('is answered 400 and reported: %j', async (body) => {
    const { handler, reports } = createListener();
    const answer = await handler(notificationRequest(body));
    expect([answer.status, await answer.text()]).toEqual([400, 'Bad request']);
    const issues = [{ message: 'expected a JSON object' }];
    expect(reports).toMatchObject([{ code: 'invalid_body', status: 400, issues }]);
    expect(new TextDecoder().decode((reports[0]?.received ?? new Uint8Array()) as Uint8Array)).toBe(body);
  });

  const unrecognizedBy = [undefined, 'ignore', () => undefined] as const;
  it.each(unrecognizedBy)(
    'is answered 400 and reported when too deep to hash (unrecognized: %s)',
    async (unrecognized) => {
      // Deep enough to overflow the stack, even that of a worker thread, which is four times as large.
      const levels = 100_000;
      const { handler, reports } = createListener({ on: unrecognized === undefined ? {} : { unrecognized } });
      expect(await send(handler, `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`)).toBe(400);
      const issues = [{ message: 'expected a body that is not nested as deeply' }];
      expect(reports).toMatchObject([{ code: 'invalid_body', issues }]);
      expect(reports[0]?.received).toHaveProperty('a.a.a');
    },
  );

  const contradicts = [{ path: [], message: expect.stringContaining('expected the body of a refund') }];
  const received = { raw: salePayload() };

  const noCallback = [{}, { unrecognized: 'ignore' as const }];
  it.each(noCallback)('is answered 400 and reported when contradictory or incomplete (%j)', async (on) => {
    const { handler, reports } = createListener({ on });
    expect(await send(handler, salePayload(), { query: queries.refund })).toBe(400);
    expect(await send(handler, { newStatus: 'PAID' })).toBe(400);
    expect(reports).toMatchObject([
      { code: 'invalid_notification', status: 400, kind: 'unrecognized', issues: contradicts, received },
      { code: 'invalid_notification', issues: [{ path: ['saleToken'], message: 'required, a string' }] },
    ]);
  });

  it('goes to the unrecognized callback, with its issues, when it is contradictory or incomplete', async () => {
    const given: unknown[] = [];
    const unrecognized = (notification: unknown) => void given.push(notification);
    const on = { payment: () => expect.unreachable(), unrecognized };
    const { handler, reports } = createListener({ on });
    expect(await send(handler, salePayload(), { query: queries.refund })).toBe(200);
    const key = expect.stringMatching(/^unrecognized:/);
    expect(given).toEqual([{ kind: 'unrecognized', raw: salePayload(), key, issues: contradicts }]);
    expect(reports).toEqual([]);
  });
});

describe('a notification', () => {
  it.each([
    { success: true },
    { success: true, uuid: 'p-1', status: 'PAID' },
    { refund: {} },
    { sale: { uuid: 's-1' }, reversedAmount: 1 },
  ])('of a paid sale is acted on, although it also has %j', async (more) => {
    const { handler, acted, reports } = createListener();
    expect(await send(handler, { ...salePayload(), ...more })).toBe(200);
    expect([acted, reports]).toEqual([[KEY], []]);
  });

  it.each([
    ['payment', salePayload(), queries.sale],
    ['saleStatus', { ...salePayload(), newStatus: 'REVERSAL' }, queries.sale],
    ['reversal', reversalPayload(), queries.reversal],
    ['refund', refundPayload(), queries.refund],
    ['payout', payoutPayload(), queries.payout],
    ['recurrence', recurrencePayload(), ''],
    ['unrecognized', { instructionId: 'i-1' }, ''],
  ] as const)('of kind %s reaches its callback alone, once, over HTTP', async (kind, body, query) => {
    const given: unknown[] = [];
    const note = (notification: { kind: string }) => void given.push(notification.kind);
    const kinds = ['payment', 'saleStatus', 'reversal', 'refund', 'payout', 'recurrence', 'unrecognized'];
    const callbacks = kinds.map((each) => [each, each === kind ? note : () => expect.unreachable()]);
    const { handler, reports } = createListener({ on: Object.fromEntries(callbacks) });
    const at = await serveHandler(handler);
    for (const _ of ['first', 'again']) {
      expect(await deliver(`${at}/webhooks${query}`, body)).toMatchObject({ status: 200, body: 'OK' });
    }
    expect([given, reports]).toEqual([[kind], []]);
  });

  it('of a kind with no callback is answered 200, reported as unhandled, and not stored', async () => {
    const store = new WatchedStore();
    const before = createListener({ store, on: {} });
    expect(await send(before.handler)).toBe(200);
    expect(linesOf(before.reports)).toEqual([`unhandled 200 ${KEY}`]);
    expect(before.reports[0]).toMatchObject({ kind: 'payment', received: { kind: 'payment' } });
    expect(store.steps).toEqual([]);
    const after = createListener({ store });
    expect([await send(after.handler), after.acted]).toEqual([200, [KEY]]);
  });

  it('of an ignored kind is answered 200, and neither reported nor stored', async () => {
    const store = new WatchedStore();
    const { handler, reports } = createListener({ store, on: { payment: 'ignore', unrecognized: 'ignore' } });
    expect([await send(handler), await send(handler, { instructionId: 'i-1' })]).toEqual([200, 200]);
    expect([reports, store.steps]).toEqual([[], []]);
  });

  it('whose callback throws, at once or later, is answered 500 without the error’s text, and runs again', async () => {
    const failure = new Error('S3CRET');
    const callbacks = [throwing(failure), () => Promise.reject(failure), () => undefined];
    let runs = 0;
    const { handler, reports } = createListener({ on: { payment: () => callbacks[runs++]?.() } });
    for (const _ of ['at once', 'later']) {
      const answer = await handler(notificationRequest(salePayload()));
      expect([answer.status, await answer.text()]).toEqual([500, 'Internal error']);
      expect(JSON.stringify([...answer.headers])).not.toContain('S3CRET');
      expect(linesOf(reports).at(-1)).toBe(`callback_failed 500 ${KEY}`);
      expect(reports.at(-1)?.error).toBe(failure);
      expect(reports.at(-1)?.message).toMatch(/^The callback threw\. The service sends it again/);
    }
    expect([await send(handler), await send(handler), runs]).toEqual([200, 200, 3]);
  });

  it.each(['PENDING', 'PAID'])('of a busy subject is answered 503 with Retry-After: %s', async (status) => {
    const { wait, open } = gate();
    const { handler, reports } = createListener({ on: { reversal: wait } });
    const running = send(handler, reversalPayload());
    // Lets the first delivery reach its callback.
    await sleep(20);
    const answer = await handler(notificationRequest({ ...reversalPayload(), status }));
    expect([answer.status, await answer.text()]).toEqual([503, 'Try again later']);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(linesOf(reports)).toEqual([`busy 503 reversal:v-1:${status}`]);
    open();
    expect(await running).toBe(200);
  });

  const COUNT = 100;
  it(`delivered ${COUNT} times at once runs once, the others get 503 at once, and later all get 200`, async () => {
    const { wait, open } = gate();
    let runs = 0;
    const { handler, reports } = createListener({ on: { refund: () => wait(++runs) } });
    const at = `${await serveHandler(handler)}/${queries.refund}`;
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const statuses: number[] = [];
    const deliverAll = () =>
      Array.from({ length: COUNT }, async () => {
        const answer = await deliver(at, refundPayload(), { agent });
        expect(answer.status === 503).toBe(answer.headers['retry-after'] !== undefined);
        statuses.push(answer.status);
      });
    const first = deliverAll();
    // All but one are answered while the callback runs: no delivery waits for another.
    await expect.poll(() => statuses.length, { timeout: 10_000 }).toBe(COUNT - 1);
    expect([new Set(statuses), runs]).toEqual([new Set([503]), 1]);
    open();
    await Promise.all(first);
    expect(statuses.at(-1)).toBe(200);
    expect([reports.length, new Set(codesOf(reports))]).toEqual([COUNT - 1, new Set(['busy'])]);

    statuses.length = 0;
    await Promise.all(deliverAll());
    expect([new Set(statuses), runs]).toEqual([new Set([200]), 1]);
  });

  it('does not wait for those about other subjects', async () => {
    const { wait, open } = gate();
    let running = 0;
    const { handler } = createListener({ on: { reversal: () => wait(++running) } });
    const statuses = Array.from({ length: 20 }, (_, n) =>
      send(handler, { ...reversalPayload(), uuid: `v-${n}` }),
    );
    await expect.poll(() => running).toBe(20);
    open();
    expect(new Set(await Promise.all(statuses))).toEqual(new Set([200]));
  });
});

describe('drain', () => {
  it('answers new notifications 503 with Retry-After over HTTP, and neither runs nor stores them', async () => {
    const { handler, acted, reports } = createListener();
    expect(await handler.drain()).toBeUndefined();
    const answer = await deliver(await serveHandler(handler), salePayload());
    expect([answer.status, answer.body]).toEqual([503, 'Try again later']);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect([await send(handler), acted]).toEqual([503, []]);
    expect(codesOf(reports)).toEqual(['draining', 'draining']);
  });

  it('resolves when every running callback has been answered, and leaves those answers as they were', async () => {
    const [payment, refund] = [gate(), gate()];
    let running = 0;
    const on = {
      payment: () => payment.wait(++running),
      refund: () => refund.wait(++running).then(throwing(new Error('late'))),
    };
    const { handler } = createListener({ on });
    const order: unknown[] = [];
    const note = async (promise: Promise<unknown>) => void order.push((await promise) ?? 'drained');
    const answers = [salePayload(), refundPayload()].map((body) => note(send(handler, body)));
    await expect.poll(() => running).toBe(2);

    const drained = [handler.drain(), handler.drain()].map(note);
    expect(await send(handler, { ...salePayload(), saleToken: 's-2' })).toBe(503);
    payment.open();
    await answers[0];
    // Longer than drain gives the runtime to send an answer.
    await sleep(20);
    expect(order).toEqual([200]);
    refund.open();
    await Promise.all([...answers, ...drained]);
    expect(order).toEqual([200, 500, 'drained', 'drained']);
  });

  it('waits for a body that is still arriving, and its notification is acted on', async () => {
    const { handler, acted } = createListener();
    const { wait, open } = gate();
    const body = (async function* () {
      await wait();
      yield new TextEncoder().encode(JSON.stringify(salePayload()));
    })();
    const answer = handler(streaming({ authorization }, ReadableStream.from(body)));
    const drained = handler.drain().then(() => 'drained');
    expect(await Promise.race([drained, sleep(20)])).toBeUndefined();
    open();
    expect([(await answer).status, acted]).toEqual([200, [KEY]]);
    await drained;
  });

  it('resolves once the answers are handed over, so that the process may end then', async () => {
    const { wait, open } = gate();
    const { handler } = createListener({ on: { payment: wait } });
    const responses: ServerResponse[] = [];
    const server = createServer((request, response) => {
      responses.push(response);
      handler(request, response);
    });
    const delivery = deliver(await listen(server), salePayload());
    await expect.poll(() => responses).toHaveLength(1);
    await sleep(20);
    const drained = handler.drain();
    open();
    await drained;
    expect(responses.map(({ writableEnded }) => writableEnded)).toEqual([true]);
    expect((await delivery).status).toBe(200);
  });
});
