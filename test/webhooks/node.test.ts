import { once } from 'node:events';
import { Agent, createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import express from 'express';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { deliver } from '../helpers/deliver';
import { listen } from '../helpers/listen';
import { throwing } from './faults';
import { refundPayload, salePayload } from './payloads';
import { open, serve } from './serving';
import { authorization, codesOf, createListener, linesOf } from './support';
import { WatchedStore } from './watched-store';

const head = { method: 'POST', url: '/', headers: { authorization } };
const json = JSON.stringify({ ...salePayload(), referenceCode: 'café 🏠' });

describe('a handler called with a request and a response of node:http', () => {
  const failure = new Error('injected: the response failed');
  const broken = throwing(failure);

  it.each([
    ['writeHead throws', { writeHead: broken }],
    ['end throws', { end: broken }],
    ['writeHead and destroy throw', { writeHead: broken, destroy: vi.fn(broken) }],
  ])('reports a response whose %s, and breaks the connection off', async (_, faults) => {
    const { handler, acted, reports } = createListener();
    const response = { headersSent: false, writeHead: vi.fn(), end: vi.fn(), destroy: vi.fn(), ...faults };
    const request = { ...head, body: salePayload(), readableDidRead: true };
    expect(await handler(request, response)).toBeUndefined();
    const message = expect.stringContaining('could not be sent');
    expect(reports).toMatchObject([{ code: 'internal', status: 500, error: failure, message }]);
    expect([acted, response.destroy.mock.calls.length]).toEqual([['payment:s-1:PAID'], 1]);
  });

  it('lets the service see a failed delivery, over real HTTP, when a response throws', async () => {
    const { handler } = createListener();
    const server = createServer((request, response) =>
      handler(request, Object.assign(response, { writeHead: broken })),
    );
    await expect(deliver(await listen(server), salePayload())).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('never rejects, reports what the request throws, and answers 500', async () => {
    for (const field of ['method', 'url', 'headers']) {
      const { handler, reports } = createListener();
      const response = { headersSent: false, writeHead: vi.fn(), end: vi.fn() };
      const request = Object.defineProperty({ ...head }, field, { get: broken });
      expect(await handler(request, response)).toBeUndefined();
      expect(reports).toMatchObject([{ code: 'internal', status: 500, error: failure }]);
      expect(response.writeHead.mock.calls).toMatchObject([[500, {}]]);
    }
  });

  it('looks at no body before it has checked the credentials', async () => {
    const { handler, reports } = createListener();
    const response = { headersSent: false, writeHead: vi.fn(), end: vi.fn() };
    const body = vi.fn();
    const request = { method: 'POST', url: '/', headers: {}, complete: true, readableDidRead: true };
    await handler(Object.defineProperty(request, 'body', { get: body }) as never, response);
    expect([response.writeHead.mock.calls[0]?.[0], codesOf(reports)]).toEqual([401, ['unauthorized']]);
    expect(body).not.toHaveBeenCalled();
  });

  it.each([{}, undefined, null])('answers 405 to a request without a method: %j', async (request) => {
    const { handler, reports } = createListener();
    const response = { headersSent: false, writeHead: vi.fn(), end: vi.fn() };
    await handler(request as never, response);
    expect([response.writeHead.mock.calls[0]?.[0], codesOf(reports)]).toEqual([405, ['method_not_allowed']]);
  });

  it('takes the bytes that a body parser has kept as rawBody, and checks their size', async () => {
    const { handler } = createListener({ maxBodyBytes: 1_000 });
    const app = express();
    const keep = (request: IncomingMessage, _: unknown, rawBody: Buffer) =>
      Object.assign(request, { rawBody });
    app.use(express.json({ limit: '10mb', verify: keep }));
    app.post('/webhooks', handler);
    const url = `${await listen(createServer(app))}/webhooks`;
    expect((await deliver(url, salePayload())).status).toBe(200);
    expect((await deliver(url, { ...salePayload(), filler: 'x'.repeat(1_000) })).status).toBe(413);
  });

  it('returns a promise of the answer sent, for frameworks that await it', async () => {
    const { handler } = createListener();
    let answered: unknown;
    const server = createServer(async (request, response) => {
      await handler(request, response);
      answered = response.writableEnded;
    });
    await deliver(await listen(server), salePayload());
    expect(answered).toBe(true);
  });

  it('works for a client that sends its body after 100-continue', async () => {
    const { url } = await serve();
    const headers = { authorization, expect: '100-continue' };
    const sent = httpRequest(url, { method: 'POST', headers });
    sent.on('continue', () => sent.end(json));
    sent.flushHeaders();
    const [{ statusCode: status }] = (await once(sent, 'response')) as [IncomingMessage];
    expect(status).toBe(200);
  });
});

describe('a request that something else has answered before the handler', () => {
  const key = 'payment:s-1:PAID';
  const failure = new Error('bug');
  const failing = throwing(failure);

  /** A listener whose callback, or what wraps it, answers first. Returns what the client and `onReport` got. */
  async function answeredFirst(sent: number, act: () => unknown = () => undefined, options: object = {}) {
    let answerFirst: () => void = () => undefined;
    const payment = async () => {
      answerFirst();
      await act();
    };
    const { handler, reports } = createListener({ ...options, on: { payment } });
    const server = createServer(async (request, response) => {
      answerFirst = () => void response.writeHead(sent).end('first');
      await handler(request, response);
    });
    const answer = await deliver(await listen(server), json);
    await expect.poll(() => codesOf(reports)).toContain('answered_elsewhere');
    expect(answer).toMatchObject({ status: sent, body: 'first' });
    return { reports, handler, about: reports.find(({ code }) => code === 'answered_elsewhere') };
  }

  it.each([
    [200, undefined, /sent 200, and the handler would have sent 200\. The service does not send it again\./],
    [202, undefined, /sent 202, and the handler would have sent 200\. The service sends it again/],
    [500, failing, /sent 500, and the handler would have sent 500\. The service sends it again/],
    [
      200,
      failing,
      /sent 200, and the handler would have sent 500\. The service does not send it again, although/,
    ],
  ])(
    'with %d has a report of its own, with the key and what the service does then',
    async (sent, act, says) => {
      const { about } = await answeredFirst(sent, act);
      expect(about).toMatchObject({
        status: sent,
        kind: 'payment',
        key,
        message: expect.stringMatching(says),
      });
      expect(about?.message).toMatch(/^Something else has answered .*`res\.send`/);
    },
  );

  it('with 200 promises no repeat of a callback that failed', async () => {
    const { reports } = await answeredFirst(200, failing);
    expect(codesOf(reports)).toEqual(['callback_failed', 'answered_elsewhere']);
    const [failed] = reports;
    expect(failed).toMatchObject({ code: 'callback_failed', status: 200, error: failure });
    expect(failed?.message).toContain(
      'Something else has answered 200, so the service does not send it again.',
    );
    expect(failed?.message).not.toContain('sends it again after');
  });

  it('with 503 still promises a repeat of a callback that failed', async () => {
    const { reports } = await answeredFirst(503, failing);
    expect(reports[0]).toMatchObject({ code: 'callback_failed', status: 503 });
    expect(reports[0]?.message).toContain('The service sends it again after about 60 s');
  });

  it('with 200 says that a failed notification is kept as a dead letter, where it is', async () => {
    const { reports, handler } = await answeredFirst(200, failing, { deadLetters: true });
    expect(reports[0]?.message).toMatch(/does not send it again\. It is kept as a dead letter/);
    expect(await handler.deadLetters.list()).toMatchObject([{ code: 'callback_failed' }]);
  });

  it('with 200 does not promise one after a letter that could not be kept either', async () => {
    const store = new WatchedStore();
    store.letters.faults.keep = failing;
    const { reports } = await answeredFirst(200, failing, { deadLetters: true, store });
    const failed = reports.find(({ code }) => code === 'callback_failed');
    expect(failed?.message).toMatch(/does not send it again\. It could not be kept as a dead letter\./);
  });

  it('is told of a refusal too, which has no key', async () => {
    const { handler, reports } = createListener();
    const response = { headersSent: true, statusCode: 401, writeHead: vi.fn(), end: vi.fn() };
    await handler({ method: 'POST', headers: {} }, response);
    expect(linesOf(reports)).toEqual(['unauthorized 401', 'answered_elsewhere 401']);
    expect(response.writeHead).not.toHaveBeenCalled();
  });

  it('in Express, by a callback that has the response, leaves the process alone', async () => {
    const { handler, acted, reports } = createListener();
    const app = express();
    app.post('/webhooks', (request, response) => {
      const done = handler(request, response);
      response.send('stray');
      return done;
    });
    const answer = await deliver(`${await listen(createServer(app))}/webhooks`, salePayload());
    expect([answer.status, answer.body]).toEqual([200, 'stray']);
    await expect.poll(() => codesOf(reports)).toEqual(['answered_elsewhere']);
    expect(acted).toEqual([key]);
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
    const ports = new Set<number | undefined>();
    for (const body of [salePayload(), salePayload(), refundPayload()]) {
      const { status, headers } = await deliver(url, body, { agent });
      expect([status, headers.connection]).toEqual([200, 'keep-alive']);
      ports.add(Object.values(agent.freeSockets)[0]?.[0]?.localPort);
    }
    expect(ports.size).toBe(1);
  });

  it.each([10, 20_000, 300_000])('serves the next request after a refusal of %d bytes', async (bytes) => {
    const { url } = await serve({ maxBodyBytes: Buffer.byteLength(json) });
    const kept = { agent: keptAlive(), timeoutMs: 5_000 };
    const statuses: number[] = [];
    for (const init of [{ headers: { authorization: 'Basic x' } }, {}, { method: 'PUT' }]) {
      statuses.push((await deliver(url, 'x'.repeat(bytes), { ...init, ...kept })).status);
      expect((await deliver(url, json, kept)).status).toBe(200);
    }
    expect(statuses).toEqual([401, bytes > 300 ? 413 : 400, 405]);
  });

  it('is closed when the rest of the body was not read, because that rest may have no end', async () => {
    const { url, reports } = await serve();
    const lines = ['POST /webhooks HTTP/1.1', 'host: merchant.example', 'content-length: 1000000000'];
    const { answer, closed } = open(url, ...lines, '', 'x');
    expect(await answer).toMatch(/^HTTP\/1.1 401 /);
    expect(await answer).toMatch(/^connection: close\r$/im);
    await closed;
    expect(codesOf(reports)).toEqual(['unauthorized']);
  });

  it('over HTTP/2, which has no such header, is not closed before the end of the body', async () => {
    const warnings: string[] = [];
    const note = (warning: Error) => void warnings.push(warning.message);
    process.on('warning', note);
    onTestFinished(() => void process.off('warning', note));
    const server = http2.createServer(createListener({ maxBodyBytes: 5 }).handler).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const session = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    onTestFinished(() => {
      session.destroy();
      server.close();
    });
    const stream = session.request({ ':method': 'POST', ':path': '/', authorization });
    stream.write('x'.repeat(100));
    const [headers] = await once(stream, 'response');
    expect([headers[':status'], headers['connection']]).toEqual([413, undefined]);
    await sleep(10);
    expect(warnings).toEqual([]);
  });
});
