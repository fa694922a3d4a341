import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import express from 'express';
import { ConfigurationError, type PlainResponse, toLambda, toNodeListener } from 'pix-automatic-sdk/webhooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { deliver } from '../helpers/deliver';
import { listen } from '../helpers/listen';
import { authorization, createListener, notificationRequest, salePayload, statusOf } from './support';

const unhandled: unknown[] = [];
const noteUnhandled = (error: unknown) => void unhandled.push(error);
beforeEach(() => {
  unhandled.length = 0;
  process.on('unhandledRejection', noteUnhandled);
});
afterEach(async () => {
  await new Promise((resolve) => setTimeout(resolve, 5));
  process.off('unhandledRejection', noteUnhandled);
  expect(unhandled).toEqual([]);
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

  it('takes the kind from the query of the url that is there', async () => {
    const { handler, reports } = createListener();
    const request = { ...head, url: '/webhooks?refund=true&type=refund', body: salePayload() };
    expect((await handler.handle(request)).status).toBe(400);
    expect(reports).toMatchObject([{ code: 'invalid_notification' }]);
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
      writeHead() {
        throw new Error('broken');
      },
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
  const broken = () => {
    throw failure;
  };

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

  it('finds a handler’s reporter by the name that every copy and version of the package gives it', () => {
    const { handler } = createListener();
    expect(Reflect.get(handler, Symbol.for('pix-automatic-sdk:webhook-reporter'))).toBeTypeOf('function');
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

  it('answers as usual when nothing is broken', async () => {
    const { handler } = createListener();
    const url = await listen(createServer(toNodeListener(handler)));
    expect((await deliver(url, salePayload())).status).toBe(200);
    expect(await statusOf(handler(notificationRequest(salePayload())))).toBe(200);
  });
});

describe('toLambda', () => {
  // `test/hosts` runs it with each gateway's events. Here is what these do not have.
  it('throws for an argument that is not a handler', () => {
    expect(() => toLambda({} as never)).toThrow(ConfigurationError);
  });

  it.each([{}, { requestContext: {}, headers: null, body: null }])(
    'answers 405 to an event that is no HTTP request',
    async (event) => {
      const { handler } = createListener();
      expect(await toLambda(handler)(event)).toMatchObject({ statusCode: 405, headers: { allow: 'POST' } });
    },
  );

  it('reads a body of Base64 as bytes, and checks their size', async () => {
    const { handler, acted } = createListener({ maxBodyBytes: 1_000 });
    const event = { httpMethod: 'POST', headers: { Authorization: authorization }, isBase64Encoded: true };
    const send = (text: string) =>
      toLambda(handler)({ ...event, body: Buffer.from(text).toString('base64') });
    expect((await send(JSON.stringify({ ...salePayload(), referenceCode: 'João' }))).statusCode).toBe(200);
    expect(acted).toHaveLength(1);
    expect((await send(' '.repeat(1_001))).statusCode).toBe(413);
  });

  it('is named in the report of a handler that was exported without it', async () => {
    const { handler, reports } = createListener();
    const event = { version: '2.0', headers: { authorization }, body: '{}' };
    expect((await handler(event as never)).status).toBe(500);
    expect(reports).toMatchObject([
      { code: 'internal', message: expect.stringContaining('toLambda(handler)') },
    ]);
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
