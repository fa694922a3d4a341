import { setTimeout as sleep } from 'node:timers/promises';
import { confirmPayment, type Fetch, type ResponseEvent } from 'pix-automatic-sdk';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as http from '../helpers/http-server';
import { startRawServer } from '../helpers/raw-server';
import { scaled } from '../helpers/scaled';
import {
  changing,
  clientFor,
  endOf,
  failOnWarnings,
  failureOf,
  operations,
  trace,
  withoutBackOff,
} from './support';

const { dropConnection, reply, stall, startHttpServer, unusedPort } = http;
const [create, query] = operations;
const elsewhere = { url: 'https://service.example' };

beforeEach(withoutBackOff);
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** A `fetch` that gives these responses, and then repeats the last one. */
function fetchOf(...responses: Array<() => Response>) {
  let count = 0;
  return vi.fn<Fetch>(async () => (responses[count++] ?? responses.at(-1) ?? Response.error)());
}

const answerOf = (value: unknown) => () => Response.json(value);
const status = (code: number, headers: Record<string, string> = {}) => {
  return () => new Response('', { status: code, headers });
};

/** Sends the head and half of the body, and then nothing more. */
const stallInBody =
  (status: number): http.Respond =>
  (response) => {
    response.writeHead(status, { 'content-length': 1000 });
    response.write('{"status":0,');
  };

/** Sends a byte every 10 ms, so that a limit on silence alone would never be reached. */
const trickle: http.Respond = (response) => {
  response.writeHead(200);
  const timer = setInterval(() => response.write(' '), 10);
  response.on('close', () => clearInterval(timer));
};

describe.each(operations)('$name', (operation) => {
  const { call, answer, method } = operation;
  const isQuery = method === 'GET';
  const ok = reply(200, answer());

  it.each([
    ['408 500 502 503 504', 'unknown', isQuery ? 3 : 1],
    // A gateway sends 499 while the service may still be working.
    ['304 499 501 505', 'unknown', 1],
    ['400 401 403 404 409 410 422 425', 'refused', 1],
    ['429', 'refused', 3],
  ])('on %s has the outcome %s after %d attempts', async (statuses, outcome, attempts) => {
    const requests = `${attempts} request${attempts === 1 ? '' : 's'}`;
    for (const status of statuses.split(' ')) {
      const ended = await trace(operation, [reply(Number(status), { status: -1 })]);
      expect(ended).toBe(`api_error ${status}: ${outcome} after ${attempts}; ${requests}`);
    }
  });

  it.each([
    ['a dropped connection', dropConnection, 'connection_failed'],
    ['a timeout', stall, 'timeout'],
  ])(`on %s has the outcome unknown, and is ${isQuery ? '' : 'not '}retried`, async (_, respond, code) => {
    // Long enough for the first call, which also loads the platform’s fetch.
    const ended = await trace(operation, [respond, respond, ok], { timeoutMs: 500 });
    expect(ended).toBe(isQuery ? 'answer; 3 requests' : `${code}: unknown after 1; 1 request`);
  });

  it('is retried on 429, which means that the service did not process it, with the same body', async () => {
    const server = await startHttpServer(reply(429), reply(429), ok);
    expect(await call(clientFor(server))).toEqual(answer());
    expect(server.requests).toHaveLength(3);
    expect(new Set(server.requests.map(({ body }) => body)).size).toBe(1);
  });

  it.each([0, 1, 4])('is retried %d times when maxRetries says so', async (maxRetries) => {
    for (const options of [{ maxRetries }, {}]) {
      const ended = await trace(operation, [reply(429)], { maxRetries }, options);
      expect(ended).toMatch(`api_error 429: refused after ${maxRetries + 1}; ${maxRetries + 1} request`);
    }
  });

  // Only a query, because a dispatcher below the platform's fetch may have sent the request before it was refused.
  it.each([
    ['the connection is refused', async () => `http://127.0.0.1:${await unusedPort()}`, isQuery ? 3 : 1],
    ['the name does not resolve', async () => 'https://no-such-host.invalid', isQuery ? 3 : 1],
    ['fetch forbids the port', async () => 'http://127.0.0.1:6667', 1],
  ])('is not-sent when %s', async (_, url, attempts) => {
    const called = call(clientFor({ url: await url() }));
    expect(await endOf(called, {})).toBe(`connection_failed: not-sent after ${attempts}`);
    expect((await failureOf(called))['reason']).toMatch(/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|bad port)$/);
  });

  it.each([
    ['timeoutMs', 'before the headers', stall],
    ['timeoutMs', 'in the middle of the body', stallInBody(200)],
    ['timeoutMs', 'with a body that trickles', trickle],
    ['totalTimeoutMs', 'before the headers', stall],
    ['totalTimeoutMs', 'in the middle of the body', stallInBody(200)],
    ['totalTimeoutMs', 'with a body that trickles', trickle],
  ])('ends after %s when the service stalls %s', async (limit, _, respond) => {
    const server = await startHttpServer(respond);
    const started = performance.now();
    const called = call(clientFor(server, { maxRetries: 0 }), { [limit]: 150 });
    expect(await endOf(called, {})).toBe('timeout: unknown after 1');
    await expect(called).rejects.toThrow(`\`${limit}\` (150 ms)`);
    expect(performance.now() - started).toBeGreaterThanOrEqual(140);
    expect(performance.now() - started).toBeLessThan(scaled(3_000));
  });

  it('throws the ApiError of a 409 after timeoutMs when its body stalls', async () => {
    const ended = await trace(operation, [stallInBody(409)], { timeoutMs: 150 });
    expect(ended).toBe('api_error 409: refused after 1; 1 request');
  });

  it('throws the error of its last attempt when the platform fails between two attempts', async () => {
    const fetch = fetchOf(() => {
      vi.spyOn(Request.prototype, 'clone').mockImplementation(() => {
        throw new Error('a fault of the platform');
      });
      return status(429)();
    });
    const { signal } = new AbortController();
    const called = call(clientFor(elsewhere, { fetch }), { signal });
    expect(await endOf(called, {})).toBe('api_error 429: refused after 1');
  });

  it.each([undefined, new AbortController().signal])(
    'sends nothing on a platform without Request, and says so (signal: %s)',
    async (signal) => {
      const fetch = fetchOf(answerOf(answer()));
      vi.stubGlobal('Request', undefined);
      const thrown = await failureOf(call(clientFor(elsewhere, { fetch }), { signal }));
      expect(thrown.code).toBe('configuration');
      expect(thrown.message).toMatch(/lacks `fetch`, `Request`.+ test environments such as jsdom/);
      expect(fetch).not.toHaveBeenCalled();
    },
  );
});

describe('the outcome of several attempts is the worst one', () => {
  it.each(changing)('refused, when the connection of $name is refused after a 429', async ({ call }) => {
    const server = await startHttpServer(async (response) => {
      response.writeHead(429, { connection: 'close' }).end();
      await server.close();
    });
    expect(await endOf(call(clientFor(server)), {})).toBe('connection_failed: refused after 2');
  });

  it('unknown, when the later attempts of a query are refused connections', async () => {
    const server = await startHttpServer(async (response) => {
      response.socket?.destroy();
      await server.close();
    });
    expect(await endOf(query.call(clientFor(server)), {})).toBe('connection_failed: unknown after 3');
  });

  it('unknown, when a 404 follows a 503', async () => {
    const ended = await trace(query, [reply(503), reply(404)]);
    expect(ended).toBe('api_error 404: unknown after 2; 2 requests');
  });
});

describe('a Retry-After', () => {
  it.each([
    [26, 2],
    [25, 1],
    [24, 1],
    [16, 1],
  ])(
    'of 20 ms within a totalTimeoutMs of %d allows %d attempts: a timer may fire up to 5 ms early',
    async (totalTimeoutMs, attempts) => {
      // The clock stands still, so that the whole total time is left when the attempt has failed.
      vi.spyOn(performance, 'now').mockReturnValue(1_000);
      const fetch = fetchOf(status(429, { 'retry-after': '0.02' }), answerOf(query.answer()));
      await query.call(clientFor(elsewhere, { fetch, totalTimeoutMs })).catch(() => undefined);
      expect(fetch).toHaveBeenCalledTimes(attempts);
    },
  );

  it.each(operations)('is reported to onRetry by $name, and waited for', async ({ call, answer }) => {
    const onRetry = vi.fn();
    const server = await startHttpServer(reply(429, '', { 'retry-after': '0.05' }), reply(200, answer()));
    const set = vi.spyOn(globalThis, 'setTimeout');
    await call(clientFor(server, { onRetry }));
    const [first, second] = server.requests.map(({ at }) => at) as [number, number];
    expect(second - first).toBeGreaterThanOrEqual(50);
    // A timer may fire up to a millisecond early.
    expect(set.mock.calls.map(([, ms]) => ms)).toContain(51);
    expect(onRetry).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ delayMs: 50 }));
  });

  it.each(operations)('beyond the deadline ends $name without a wait', async ({ call }) => {
    const server = await startHttpServer(reply(429, '', { 'retry-after': '120' }));
    const expected = { httpStatus: 429, outcome: 'refused', retryAfterMs: 120_000, attempts: 1 };
    expect(await failureOf(call(clientFor(server)))).toMatchObject(expected);
    expect(server.requests).toHaveLength(1);
  });
});

describe('the time limits', () => {
  it('each attempt gets the full timeoutMs', async () => {
    const responses = [stall, stallInBody(200), reply(200, query.answer())];
    // Long enough for the third response on a busy machine; the first two always use all of it.
    expect(await trace(query, responses, { timeoutMs: 1_000 })).toBe('answer; 3 requests');
  });

  it('an attempt gets only the time that earlier attempts left of totalTimeoutMs', async () => {
    let now = 1_000;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    const answers = [status(503)];
    const fetch = async () => {
      now += 990;
      return answers.shift()?.() ?? new Promise<never>(() => undefined);
    };
    const limits = { timeoutMs: 200, totalTimeoutMs: 1_000 };
    const thrown = await failureOf(query.call(clientFor(elsewhere, { fetch, ...limits })));
    expect(thrown).toMatchObject({ code: 'timeout', attempts: 2 });
    expect(thrown.message).toContain('`totalTimeoutMs` (1000 ms)');
  });

  it('the message names timeoutMs where it ends together with totalTimeoutMs', async () => {
    vi.spyOn(performance, 'now').mockReturnValue(1_000);
    const fetch = () => new Promise<never>(() => undefined);
    const limits = { timeoutMs: 30, totalTimeoutMs: 30, maxRetries: 0 };
    const thrown = await failureOf(query.call(clientFor(elsewhere, { fetch, ...limits })));
    expect(thrown.message).toContain('did not end within `timeoutMs` (30 ms)');
  });

  it('the timeoutMs of a call replaces that of the client, and its connection is closed', async () => {
    let ended = false;
    const server = await startRawServer((socket) => socket.on('close', () => (ended = true)));
    const client = clientFor(server, { timeoutMs: 60_000, maxRetries: 0 });
    expect(await failureOf(create.call(client, { timeoutMs: 100 }))).toMatchObject({ code: 'timeout' });
    await expect.poll(() => ended).toBe(true);
  });
});

describe('observers', () => {
  failOnWarnings();

  /** Observers that record their events. */
  function recorder() {
    const events: unknown[] = [];
    const record = (name: string) => (event: object) => void events.push({ ...event, name });
    const [onRequest, onResponse, onRetry] = [record('request'), record('response'), record('retry')];
    return { events, observers: { onRequest, onResponse, onRetry } };
  }

  it.each(operations)('see $name attempt by attempt, in order, with its URL template', async (given) => {
    const { answer, name: operation, method, urlTemplate } = given;
    const { events, observers } = recorder();
    await trace(given, [reply(429), reply(200, answer(), { 'x-request-id': 'request-7' })], observers);
    const first = { operation, method, urlTemplate, attempt: 1 };
    const second = { ...first, attempt: 2 };
    const end = { durationMs: expect.any(Number), requestId: undefined, issues: [] };
    expect(events).toEqual([
      { name: 'request', ...first },
      { name: 'response', ...first, ...end, status: 429, errorCode: 'api_error' },
      { name: 'retry', ...first, status: 429, delayMs: 0, errorCode: 'api_error' },
      { name: 'request', ...second },
      { name: 'response', ...second, ...end, status: 200, errorCode: undefined, requestId: 'request-7' },
    ]);
  });

  it.each([
    ['a connection that failed', dropConnection, undefined, 'connection_failed'],
    ['a success that cannot be used', reply(200, 'no JSON'), 200, 'invalid_response'],
  ])('see the status and the code of %s', async (_, respond, status, errorCode) => {
    const { events, observers } = recorder();
    await trace(create, [respond], observers);
    expect(events).toMatchObject([{ name: 'request' }, { name: 'response', status, errorCode }]);
  });

  it('see how long an attempt took with its body, whether it succeeded or failed', async () => {
    const server = await startHttpServer(reply(503), async (response) => {
      response.write('{"status":0');
      await sleep(120);
      response.end('}');
    });
    const onResponse = vi.fn();
    await query.call(clientFor(server, { onResponse }));
    const [failed, succeeded] = onResponse.mock.calls.map(([{ durationMs }]) => durationMs);
    expect(failed).toBeGreaterThan(0);
    expect(succeeded).toBeGreaterThanOrEqual(100);
    expect(succeeded).toBeLessThan(scaled(5_000));
  });

  it('see nothing of a request that is refused before it is sent', async () => {
    const { events, observers } = recorder();
    await failureOf(clientFor(elsewhere, observers).getTransaction(''));
    expect(events).toEqual([]);
  });

  const observers: Array<[string, (event: object) => unknown]> = [
    ['throws', boom],
    ['rejects', () => Promise.reject(new Error('a full disk'))],
    ['returns a thenable that throws', () => Object.defineProperty({}, 'then', { get: boom })],
    ['never resolves', () => new Promise(() => undefined)],
    ['puts a throwing getter on it', (event) => Object.defineProperty(event, 'operation', { get: boom })],
    ['spoils its event', (event) => Object.keys(event).map((name) => Reflect.set(event, name, 'spoilt'))],
  ];
  it.each(observers)('change nothing: one that %s', async (_, observer) => {
    const seen: object[] = [];
    const observe = (event: object) => {
      seen.push({ ...event });
      return observer(event) as undefined;
    };
    const server = await startHttpServer(reply(429), reply(200, create.answer()), reply(400));
    const client = clientFor(server, { onRequest: observe, onResponse: observe, onRetry: observe });
    expect(await create.call(client)).toEqual(create.answer());
    expect(await failureOf(create.call(client))).toMatchObject({ httpStatus: 400, outcome: 'refused' });
    // Each event is an object of its own.
    expect(seen).toHaveLength(7);
    expect(JSON.stringify(seen)).not.toContain('spoilt');
  });

  it('that empty the issues of an event do not make a doubtful payment look confirmed', async () => {
    const paid = { uuid: 'uuid-1', situation: 'PAID', refunds: 'some', track: [] };
    const server = await startHttpServer(reply(200, paid));
    const onResponse = ({ issues }: ResponseEvent) => {
      for (const { path } of issues) (path as PropertyKey[]).length = 0;
      (issues as unknown[]).length = 0;
    };
    const payment = { kind: 'payment', payload: { saleToken: 'uuid-1', newStatus: 'PAID' } } as const;
    const { confirmed, differences } = await confirmPayment(clientFor(server, { onResponse }), payment);
    expect(confirmed).toBe(false);
    expect(differences).toMatchObject([{ field: 'refunds' }]);
  });
});

function boom(): never {
  throw new Error('boom');
}
