import { getEventListeners } from 'node:events';
import { AbortedError, ApiError, ConfigurationError, type Fetch, VERSION } from 'pix-automatic-sdk';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { reply, startHttpServer } from '../helpers/http-server';
import { apiKey, apiToken, clientFor, failureOf, operations, withoutBackOff } from './support';

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
  return vi.fn<Fetch>(async () => {
    const response = responses[Math.min(count, responses.length - 1)];
    count += 1;
    if (response === undefined) throw new Error('Expected a response to give');
    return response();
  });
}

const answerOf = (value: unknown) => () => Response.json(value);
const status = (code: number, headers: Record<string, string> = {}) => {
  return () => new Response('', { status: code, headers });
};

describe.each(operations)('$name', ({ call, answer, method, path }) => {
  it('sends one request, with exactly these headers', async () => {
    const fetch = fetchOf(answerOf(answer()));
    expect(await call(clientFor(elsewhere, { fetch }))).toEqual(answer());
    expect(fetch).toHaveBeenCalledOnce();
    const [url, init] = fetch.mock.calls[0] ?? [];
    expect([init?.method, url]).toEqual([method, `https://service.example${path}`]);
    expect(init?.headers).toEqual({
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': `pix-automatic-sdk/${VERSION}`,
      'x-api-key': apiKey,
      'x-api-token': apiToken,
      ...(method === 'GET' ? {} : { connection: 'close', 'content-type': 'application/json' }),
    });
  });

  it.each([0, 1, 3])('is retried %d times on 429 when maxRetries says so', async (maxRetries) => {
    const server = await startHttpServer(reply(429));
    const thrown = await failureOf(call(clientFor(server, { maxRetries })));
    expect(thrown).toMatchObject({ httpStatus: 429, outcome: 'refused', attempts: maxRetries + 1 });
    expect(server.requests).toHaveLength(maxRetries + 1);
  });

  it('is not sent again after a signal fires in onResponse or onRetry', async () => {
    for (const observer of ['onResponse', 'onRetry']) {
      const controller = new AbortController();
      const server = await startHttpServer(reply(429), reply(200, answer()));
      const client = clientFor(server, { [observer]: () => controller.abort('why') });
      const thrown = await failureOf(call(client, { signal: controller.signal }));
      expect(thrown).toBeInstanceOf(AbortedError);
      expect(thrown).toMatchObject({ outcome: 'refused', attempts: 1, cause: 'why' });
      expect(server.requests).toHaveLength(1);
      expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    }
  });

  it('throws the ApiError of the response when a signal fires after it', async () => {
    const controller = new AbortController();
    const client = clientFor(elsewhere, {
      fetch: fetchOf(status(404)),
      onResponse: () => controller.abort(),
    });
    const thrown = await failureOf(call(client, { signal: controller.signal }));
    expect(thrown).toMatchObject({ code: 'api_error', httpStatus: 404, outcome: 'refused' });
  });

  it('throws the error of its last attempt when the platform fails between two attempts', async () => {
    const fetch = fetchOf(() => {
      vi.spyOn(Request.prototype, 'clone').mockImplementation(() => {
        throw new Error('a fault of the platform');
      });
      return status(429)();
    });
    const signal = new AbortController().signal;
    const thrown = await failureOf(call(clientFor(elsewhere, { fetch }), { signal }));
    expect(thrown).toBeInstanceOf(ApiError);
    expect(thrown).toMatchObject({ httpStatus: 429, outcome: 'refused' });
  });

  it.each([undefined, new AbortController().signal])(
    'sends nothing on a platform without Request, and says so (signal: %s)',
    async (signal) => {
      const fetch = fetchOf(answerOf(answer()));
      vi.stubGlobal('Request', undefined);
      const thrown = await failureOf(call(clientFor(elsewhere, { fetch }), { signal }));
      expect(thrown).toBeInstanceOf(ConfigurationError);
      expect(thrown.message).toMatch(
        /the platform lacks `fetch`, `Request`.+ test environments such as jsdom/,
      );
      expect(fetch).not.toHaveBeenCalled();
    },
  );
});

describe('a Retry-After', () => {
  /** The clock stands still, so that the whole total time is left when the attempt has failed. */
  async function attemptsWithin(totalTimeoutMs: number): Promise<number> {
    vi.spyOn(performance, 'now').mockReturnValue(1_000);
    const fetch = fetchOf(status(429, { 'retry-after': '0.02' }), answerOf(query.answer()));
    const client = clientFor(elsewhere, { fetch, totalTimeoutMs });
    await query.call(client).catch(() => undefined);
    return fetch.mock.calls.length;
  }

  it.each([
    [26, 2],
    [25, 1],
    [24, 1],
    [16, 1],
  ])(
    'of 20 ms within a totalTimeoutMs of %d allows %d attempts: a timer may fire up to 5 ms early',
    async (total, attempts) => {
      expect(await attemptsWithin(total)).toBe(attempts);
    },
  );

  it('is reported to onRetry, and waited for', async () => {
    const onRetry = vi.fn();
    const server = await startHttpServer(
      reply(429, '', { 'retry-after': '0.05' }),
      reply(200, create.answer()),
    );
    const started = performance.now();
    await create.call(clientFor(server, { onRetry }));
    expect(performance.now() - started).toBeGreaterThanOrEqual(45);
    expect(onRetry).toHaveBeenCalledExactlyOnceWith({
      operation: create.name,
      method: 'POST',
      urlTemplate: create.urlTemplate,
      attempt: 1,
      status: 429,
      errorCode: 'api_error',
      delayMs: 50,
    });
  });
});

it('onResponse gets the duration of an attempt, whether it succeeded or failed', async () => {
  let now = 1_000;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const answers = [status(503), answerOf(query.answer())];
  const fetch = async () => {
    now += 7;
    return answers.shift()?.() ?? new Response();
  };
  const onResponse = vi.fn();
  await query.call(clientFor(elsewhere, { fetch, onResponse }));
  expect(onResponse.mock.calls.map(([{ durationMs }]) => durationMs)).toEqual([7, 7]);
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

it('onResponse gets the issues of fields left out of a result, without their values', async () => {
  const onResponse = vi.fn();
  const fetch = fetchOf(answerOf({ ...query.answer(), referenceCode: ['a secret'] }));
  await query.call(clientFor(elsewhere, { fetch, onResponse }));
  expect(onResponse.mock.calls[0]?.[0].issues).toEqual([
    { path: ['referenceCode'], message: 'expected the documented type, got an array' },
  ]);
});
