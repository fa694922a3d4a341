import { once } from 'node:events';
import {
  Agent,
  createServer,
  get,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { ConfigurationError, toNodeListener } from 'pix-automatic-sdk/webhooks';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { deliver } from '../helpers/deliver';
import { listen } from '../helpers/listen';
import {
  authorization,
  createListener,
  open,
  refundPayload,
  salePayload,
  serve,
  statusOf,
  throwing,
} from './support';

const head = { method: 'POST', url: '/', headers: { authorization } };

describe('a handler that is mounted without toNodeListener', () => {
  it('answers 500 as Express middleware, and its report names toNodeListener', async () => {
    const { handler, reports, acted } = createListener();
    const app = express();
    app.post('/webhooks', handler as never);
    const answer = await deliver(`${await listen(createServer(app))}/webhooks`, salePayload());
    expect([answer.status, answer.body]).toEqual([500, 'Internal error']);
    expect(reports).toMatchObject([
      { code: 'internal', status: 500, message: expect.stringContaining('toNodeListener(handler)') },
    ]);
    expect(acted).toEqual([]);
  });

  it('answers 500 as a listener of node:http, without and with a Content-Length', async () => {
    const { handler, reports } = createListener();
    const url = await listen(createServer(handler as never));
    expect((await deliver(url, salePayload())).status).toBe(500);
    const status = await new Promise((resolve) => get(url, (response) => resolve(response.statusCode)));
    expect(status).toBe(500);
    expect(reports.map(({ message }) => message.includes('toNodeListener'))).toEqual([true, true]);
  });

  it.each([
    ['a plain request', { ...head, body: salePayload() }],
    ['a context of Koa', { ...head, req: {}, res: {}, request: { ...head } }],
    ['an event of a cloud function, without headers', { body: JSON.stringify(salePayload()) }],
    ['nothing', undefined],
  ])('resolves with a 500 when given %s, and its report says what to call', async (_, request) => {
    const { handler, reports } = createListener();
    expect(await statusOf(handler(request as never))).toBe(500);
    expect(reports).toMatchObject([
      {
        code: 'internal',
        message: expect.stringMatching(
          /called with something that is not a `Request`.*`toNodeListener.*handler\.handle\(/,
        ),
      },
    ]);
  });

  it.each([
    [{ complete: true }, undefined],
    [{ complete: false }, 'close'],
    [{}, 'close'],
  ])(
    'keeps the connection of a node:http response only where the body has arrived: %j',
    async (given, connection) => {
      const { handler } = createListener();
      const response = { headersSent: false, writeHead: vi.fn(), end: vi.fn() };
      await (handler as (...given: unknown[]) => Promise<unknown>)({ ...head, ...given }, response);
      expect(response.writeHead.mock.calls).toEqual([
        [500, expect.objectContaining({ 'content-length': '14' })],
      ]);
      expect(response.writeHead.mock.calls[0]?.[1].connection).toBe(connection);
      expect(response.end).toHaveBeenCalledWith('Internal error');
    },
  );

  it.each([
    ['null', null],
    ['a text', 'text'],
    ['an environment, as Workers pass', { env: 1 }],
    ['an object that can only end', { end: () => expect.unreachable() }],
    ['an object that can only write a head', { writeHead: () => expect.unreachable() }],
  ])('writes nothing to a second argument that is no response: %s', async (_, second) => {
    const { handler, reports } = createListener();
    const mounted = handler as (...given: unknown[]) => Promise<Response>;
    expect(await statusOf(mounted(head, second))).toBe(500);
    expect(reports).toMatchObject([{ message: expect.stringContaining('toNodeListener') }]);
    expect(reports).toHaveLength(1);
  });

  it('rejects nothing and reports both errors when its response throws too', async () => {
    const { handler, reports } = createListener();
    const response = {
      headersSent: false,
      writeHead: throwing(new Error('broken')),
      end: () => undefined,
    };
    const mounted = handler as (...given: unknown[]) => Promise<unknown>;
    await mounted(head, response, () => undefined);
    expect(reports).toMatchObject([
      { message: expect.stringContaining('toNodeListener') },
      { code: 'internal', error: { message: 'broken' } },
    ]);
  });
});

describe('toNodeListener', () => {
  /** A listener over a response of which one function throws, as something that wraps the response could. */
  async function answerOver(broken: Partial<Record<'writeHead' | 'end' | 'destroy', () => unknown>>) {
    const listener = createListener();
    const destroy = vi.fn();
    const response = { headersSent: false, writeHead: vi.fn(), end: vi.fn(), destroy, ...broken };
    toNodeListener(listener.handler)(
      { ...head, body: salePayload(), readableDidRead: true } as never,
      response,
    );
    await expect.poll(() => listener.reports).toHaveLength(1);
    return { ...listener, response, destroy };
  }
  const failure = new Error('injected: the response failed');
  const broken = throwing(failure);

  it.each(['writeHead', 'end'])(
    'reports a response whose %s throws, and breaks the connection off',
    async (name) => {
      const { acted, reports, destroy } = await answerOver({ [name]: broken });
      expect(acted).toEqual(['payment:s-1:PAID']);
      expect(reports).toMatchObject([
        {
          code: 'internal',
          status: 500,
          error: failure,
          message: expect.stringContaining('could not be sent'),
        },
      ]);
      expect(destroy).toHaveBeenCalledTimes(1);
    },
  );

  it('reports a response that throws also when the connection cannot be broken off', async () => {
    const { reports } = await answerOver({ writeHead: broken, destroy: broken });
    expect(reports).toMatchObject([{ error: failure }]);
  });

  it('lets the service see a failed delivery, over real HTTP, when a response throws', async () => {
    const { handler, reports } = createListener();
    const answer = toNodeListener(handler);
    const url = await listen(
      createServer((request: IncomingMessage, response: ServerResponse) => {
        response.writeHead = broken;
        answer(request, response);
      }),
    );
    await expect(deliver(url, salePayload())).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(reports).toMatchObject([{ code: 'internal', error: failure }]);
  });

  it('answers 500 when a handler that is not from this library rejects or throws', async () => {
    for (const handle of [() => Promise.reject(failure), broken]) {
      const own = Object.assign(() => Promise.reject(failure), {
        handle,
        drain: () => Promise.resolve(),
        replay: () => Promise.resolve([]),
        settle: () => Promise.reject(failure),
      });
      const url = await listen(createServer(toNodeListener(own)));
      expect((await deliver(url, salePayload())).status).toBe(500);
    }
  });

  it('takes a missing method and URL of a request as empty', async () => {
    const handle = vi.fn(() => new Promise<never>(() => undefined));
    const request = { headers: {} };
    toNodeListener({ handle } as never)(request, {} as never);
    expect(handle.mock.calls).toEqual([[{ method: '', url: '', headers: {}, body: request }]]);
  });

  it.each([undefined, null, () => undefined, {}])('refuses %s, which is no handler', (value) => {
    let thrown: unknown;
    try {
      toNodeListener(value as never);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(ConfigurationError);
    expect((thrown as Error).message).toContain('createWebhookHandler');
  });
});

describe('toNodeListener', () => {
  it('takes the bytes that a body parser has kept as rawBody, and checks their size', async () => {
    const { handler } = createListener({ maxBodyBytes: 1_000 });
    const app = express();
    const keep = (request: IncomingMessage, _: unknown, rawBody: Buffer) =>
      Object.assign(request, { rawBody });
    app.use(express.json({ limit: '10mb', verify: keep }));
    app.post('/webhooks', toNodeListener(handler));
    const url = `${await listen(createServer(app))}/webhooks`;
    expect((await deliver(url, salePayload())).status).toBe(200);
    expect((await deliver(url, { ...salePayload(), filler: 'x'.repeat(1_000) })).status).toBe(413);
  });

  it('returns a promise of the answer sent, for frameworks that await it', async () => {
    const { handler } = createListener();
    let answered: unknown;
    const url = await listen(
      createServer(async (request, response) => {
        await toNodeListener(handler)(request, response);
        answered = response.writableEnded;
      }),
    );
    await deliver(url, salePayload());
    expect(answered).toBe(true);
  });
});

const json = JSON.stringify({ ...salePayload(), referenceCode: 'café 🏠' });

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

describe('over HTTP/2', () => {
  it('an answer before the end of the body has no connection header, which HTTP/2 does not know', async () => {
    const warnings: string[] = [];
    const note = (warning: Error) => void warnings.push(warning.message);
    process.on('warning', note);
    onTestFinished(() => void process.off('warning', note));
    const { handler } = createListener({ maxBodyBytes: 5 });
    const listener = toNodeListener(handler);
    const server = http2
      .createServer((request, response) => listener(request, response))
      .listen(0, '127.0.0.1');
    await once(server, 'listening');
    const session = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    onTestFinished(() => {
      session.destroy();
      server.close();
    });
    const stream = session.request({ ':method': 'POST', ':path': '/', authorization });
    stream.write('x'.repeat(100));
    const [headers] = await once(stream, 'response');
    expect(headers[':status']).toBe(413);
    expect(headers['connection']).toBeUndefined();
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(warnings).toEqual([]);
  });
});
