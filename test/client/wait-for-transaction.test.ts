import { getEventListeners } from 'node:events';
import { inspect } from 'node:util';
import { AbortedError, ApiError, InvalidRequestError, TimeoutError } from 'pix-automatic-sdk';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { waitForTransaction } from '../../src/client/wait-for-transaction';
import { dropConnection, reply, stall, startHttpServer } from '../helpers/http-server';
import { clientFor, failureOf, withoutBackOff } from './support';

beforeEach(withoutBackOff);
afterEach(() => vi.restoreAllMocks());

const polluted = Object.prototype as unknown as Record<string, unknown>;
afterEach(() => {
  for (const name of ['until', 'intervalMs', 'timeoutMs', 'signal']) delete polluted[name];
});

const pending = reply(200, { situation: 'PENDING' });
const paid = reply(200, { situation: 'PAID' });

it.each(['PAID', 'CANCELLED'])('waitForTransaction waits until the transaction is %s', async (situation) => {
  const server = await startHttpServer(pending, reply(200, {}), pending, reply(200, { situation }));
  const transaction = await clientFor(server).waitForTransaction('a/b', { intervalMs: 5 });
  expect(transaction).toEqual({ situation });
  expect(server.requests.map(({ url }) => url)).toEqual(Array(4).fill('/v1.1/transactions/a%2Fb'));
});

it('waitForTransaction waits until `until` returns true', async () => {
  const server = await startHttpServer(paid, reply(200, { situation: 'PAID', refunds: { quantity: 1 } }));
  const until = vi.fn(({ refunds }: { refunds?: unknown }) => refunds !== undefined);
  const transaction = await clientFor(server).waitForTransaction('uuid-1', { until, intervalMs: 5 });
  expect(transaction.refunds).toEqual({ quantity: 1 });
  expect(until).toHaveBeenCalledTimes(2);
});

it('waitForTransaction pauses for intervalMs between two queries', async () => {
  const server = await startHttpServer(pending, paid);
  await clientFor(server).waitForTransaction('uuid-1', { intervalMs: 150 });
  const [first, second] = server.requests;
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(140);
});

it('waitForTransaction keeps polling through temporary failures', async () => {
  // Three of each, because a query itself makes three attempts.
  const failures = [reply(503), reply(429), reply(408), dropConnection, stall];
  const responses = failures.flatMap((failure) => [failure, failure, failure]);
  const server = await startHttpServer(...responses, paid);
  const client = clientFor(server, { timeoutMs: 80 });
  expect(await client.waitForTransaction('uuid-1', { intervalMs: 5 })).toEqual({ situation: 'PAID' });
  expect(server.requests).toHaveLength(16);
});

it.each([400, 401, 403, 404, 422])(
  'waitForTransaction rejects at once on %d, which is not temporary',
  async (status) => {
    const server = await startHttpServer(pending, reply(status), paid);
    const thrown = await failureOf(clientFor(server).waitForTransaction('uuid-1', { intervalMs: 5 }));
    expect(thrown).toBeInstanceOf(ApiError);
    expect(thrown).toMatchObject({ httpStatus: status });
    expect(server.requests).toHaveLength(2);
  },
);

it.each([
  ['a body status other than 0', reply(200, { status: 999, situation: 'PAID' }), 'api_error'],
  ['a response that cannot be used', reply(200, 'no JSON'), 'invalid_response'],
])('waitForTransaction rejects at once on %s', async (_, respond, code) => {
  const server = await startHttpServer(respond, paid);
  const thrown = await failureOf(clientFor(server).waitForTransaction('uuid-1', { intervalMs: 5 }));
  expect(thrown.code).toBe(code);
  expect(server.requests).toHaveLength(1);
});

it('waitForTransaction rejects at once with what `until` throws', async () => {
  const server = await startHttpServer(pending);
  const bug = new Error('a bug of the merchant');
  const until = () => {
    throw bug;
  };
  await expect(clientFor(server).waitForTransaction('uuid-1', { until })).rejects.toBe(bug);
});

it('waitForTransaction ends with a TimeoutError after timeoutMs', async () => {
  const server = await startHttpServer(pending);
  const started = performance.now();
  const wait = clientFor(server).waitForTransaction('uuid-1', { intervalMs: 20, timeoutMs: 1_000 });
  const thrown = await failureOf(wait);
  expect(thrown).toBeInstanceOf(TimeoutError);
  expect(thrown.message).toContain('`timeoutMs` (1000 ms)');
  expect(performance.now() - started).toBeGreaterThanOrEqual(990);
  expect(performance.now() - started).toBeLessThan(3_000);
  expect(server.requests.length).toBeGreaterThan(2);
});

it('waitForTransaction ends after its timeoutMs even when a query stalls', async () => {
  const server = await startHttpServer(stall);
  const started = performance.now();
  const thrown = await failureOf(clientFor(server).waitForTransaction('uuid-1', { timeoutMs: 150 }));
  expect(thrown).toBeInstanceOf(TimeoutError);
  expect(performance.now() - started).toBeLessThan(3_000);
});

it('waitForTransaction waits for a Retry-After that is longer than intervalMs', async () => {
  const server = await startHttpServer(reply(429, '', { 'retry-after': '1' }), paid);
  const client = clientFor(server, { maxRetries: 0 });
  await client.waitForTransaction('uuid-1', { intervalMs: 5 });
  const [first, second] = server.requests;
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(990);
});

it.each([
  ['during a query', stall],
  ['during a pause', pending],
])('a signal that fires %s ends the wait at once', async (_, respond) => {
  const server = await startHttpServer(respond);
  const controller = new AbortController();
  const reason = new Error('enough');
  const wait = clientFor(server).waitForTransaction('uuid-1', {
    signal: controller.signal,
    intervalMs: 60_000,
  });
  const failure = failureOf(wait);
  await expect.poll(() => server.requests.length).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 50));
  const aborted = performance.now();
  controller.abort(reason);
  const thrown = await failure;
  expect(performance.now() - aborted).toBeLessThan(1_000);
  expect(thrown).toBeInstanceOf(AbortedError);
  expect(thrown.cause).toBe(reason);
  expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
});

it('a signal that has already fired prevents every query', async () => {
  const server = await startHttpServer(paid);
  const thrown = await failureOf(
    clientFor(server).waitForTransaction('uuid-1', { signal: AbortSignal.abort() }),
  );
  expect(thrown).toMatchObject({ name: 'AbortError', outcome: 'not-sent' });
  expect(server.requests).toEqual([]);
});

it('waitForTransaction leaves no listener on the signal', async () => {
  const server = await startHttpServer(pending, pending, paid);
  const { signal } = new AbortController();
  await clientFor(server).waitForTransaction('uuid-1', { signal, intervalMs: 5 });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

it.each([{ intervalMs: 0 }, { intervalMs: Number.NaN }, { timeoutMs: -1 }, { timeoutMs: 2 ** 31 }])(
  'waitForTransaction refuses %j',
  async (options) => {
    const server = await startHttpServer(paid);
    const thrown = await failureOf(clientFor(server).waitForTransaction('uuid-1', options));
    expect(thrown.code).toBe('configuration');
    expect(server.requests).toEqual([]);
  },
);

it('an invalid identifier is refused at once', async () => {
  const server = await startHttpServer(paid);
  expect(await failureOf(clientFor(server).waitForTransaction('..'))).toBeInstanceOf(InvalidRequestError);
});

describe('until', () => {
  it('that returns a promise is awaited', async () => {
    const server = await startHttpServer(pending, paid);
    const until = vi.fn(async ({ situation }: { situation?: unknown }) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return situation === 'PAID';
    });
    const transaction = await clientFor(server).waitForTransaction('uuid-1', { until, intervalMs: 5 });
    expect(transaction).toEqual({ situation: 'PAID' });
    expect(until).toHaveBeenCalledTimes(2);
  });

  it('that rejects ends the wait with the same error', async () => {
    const server = await startHttpServer(pending);
    const bug = new Error('the database is away');
    const wait = clientFor(server).waitForTransaction('uuid-1', { until: () => Promise.reject(bug) });
    expect(await wait.catch((error) => error)).toBe(bug);
    expect(server.requests).toHaveLength(1);
  });

  it('that throws an ApiError of 503 ends the wait, although a query may fail with 503', async () => {
    const server = await startHttpServer(pending);
    const context = { operation: 'getTransaction', outcome: 'unknown', attempts: 1 } as const;
    const failure = new ApiError('m', { ...context, httpStatus: 503, body: undefined });
    for (const until of [
      () => Promise.reject(failure),
      () => {
        throw failure;
      },
    ]) {
      const wait = clientFor(server).waitForTransaction('uuid-1', { until, intervalMs: 5, timeoutMs: 500 });
      expect(await wait.catch((error) => error)).toBe(failure);
    }
  });

  it('that never settles is ended by timeoutMs', async () => {
    const server = await startHttpServer(pending);
    const started = performance.now();
    const until = () => new Promise<boolean>(() => undefined);
    const wait = clientFor(server).waitForTransaction('uuid-1', { until, timeoutMs: 150 });
    expect(await failureOf(wait)).toMatchObject({ code: 'timeout', transaction: { situation: 'PENDING' } });
    expect(performance.now() - started).toBeLessThan(3_000);
  });

  it('that never settles is ended by the signal', async () => {
    const server = await startHttpServer(pending);
    const controller = new AbortController();
    const until = vi.fn(() => new Promise<boolean>(() => undefined));
    const wait = clientFor(server).waitForTransaction('uuid-1', { until, signal: controller.signal });
    const failure = failureOf(wait);
    await expect.poll(() => until.mock.calls.length).toBe(1);
    controller.abort();
    expect(await failure).toBeInstanceOf(AbortedError);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  it('that settles leaves no timer behind that would keep the process alive', async () => {
    const server = await startHttpServer(paid);
    const clear = vi.spyOn(globalThis, 'clearTimeout');
    const set = vi.spyOn(globalThis, 'setTimeout');
    const until = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return true;
    };
    await clientFor(server).waitForTransaction('uuid-1', { until, timeoutMs: 123_456 });
    const ours = set.mock.results.filter((_, index) => (set.mock.calls[index]?.[1] ?? 0) > 100_000);
    expect(ours.length).toBeGreaterThan(0);
    for (const { value } of ours) expect(clear).toHaveBeenCalledWith(value);
  });

  it.each([true, 'PAID', {}, null])('that is %j is refused, and nothing is sent', async (until) => {
    const server = await startHttpServer(paid);
    const thrown = await failureOf(clientFor(server).waitForTransaction('uuid-1', { until: until as never }));
    expect(thrown.code).toBe('configuration');
    expect(thrown.message).toContain('`until`');
    expect(server.requests).toEqual([]);
  });
});

describe('the TimeoutError', () => {
  const personal = { situation: 'PENDING', shopper: { email: 'marked-personal-data@example.com' } };

  it('has the last transaction that was seen', async () => {
    const last = { ...personal, amount: 2 };
    const server = await startHttpServer(reply(200, { ...personal, amount: 1 }), reply(200, last));
    const thrown = await failureOf(
      clientFor(server).waitForTransaction('uuid-1', { intervalMs: 20, timeoutMs: 200 }),
    );
    expect(thrown).toMatchObject({ code: 'timeout', transaction: last });
  });

  it('has the last transaction even when the queries after it failed', async () => {
    const server = await startHttpServer(reply(200, personal), reply(503));
    const thrown = await failureOf(
      clientFor(server, { maxRetries: 0 }).waitForTransaction('uuid-1', { intervalMs: 20, timeoutMs: 200 }),
    );
    expect(server.requests.length).toBeGreaterThan(1);
    expect(thrown).toMatchObject({ code: 'timeout', transaction: personal });
  });

  it('has no transaction when no query succeeded', async () => {
    const server = await startHttpServer(reply(503));
    const thrown = await failureOf(
      clientFor(server, { maxRetries: 0 }).waitForTransaction('uuid-1', { intervalMs: 20, timeoutMs: 100 }),
    );
    expect(thrown.code).toBe('timeout');
    expect(thrown['transaction']).toBeUndefined();
  });

  it('prints nothing of its transaction', async () => {
    const server = await startHttpServer(reply(200, personal));
    const thrown = await failureOf(
      clientFor(server).waitForTransaction('uuid-1', { intervalMs: 20, timeoutMs: 100 }),
    );
    const written: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => written.push(String(chunk)) > 0);
    console.log(thrown);
    console.log(JSON.stringify(thrown));
    const printed = [
      inspect(thrown, { depth: 9, showHidden: true }),
      JSON.stringify(thrown),
      ...written,
    ].join();
    vi.restoreAllMocks();
    expect(thrown).toHaveProperty('transaction.shopper.email', personal.shopper.email);
    expect(printed).not.toContain('marked-personal-data');
  });
});

it('a polluted prototype adds no options', async () => {
  const answers = [{ situation: 'PENDING' }, { situation: 'PAID' }];
  const query = vi.fn(
    async (_remainingMs: number, _signal: AbortSignal | undefined) => answers.shift() ?? {},
  );
  Object.assign(polluted, {
    until: () => true,
    intervalMs: 100_000,
    timeoutMs: 1,
    signal: AbortSignal.abort(),
  });
  expect(await waitForTransaction(query, { intervalMs: 5 })).toEqual({ situation: 'PAID' });
  expect(query).toHaveBeenCalledTimes(2);
  expect(query.mock.calls[0]?.[0]).toBeGreaterThan(200_000);
  expect(query.mock.calls[0]?.[1]).toBeUndefined();
});

it.each([null, undefined])('a signal of %s counts as no signal', async (signal) => {
  const server = await startHttpServer(pending, paid);
  const wait = clientFor(server).waitForTransaction('uuid-1', { signal, intervalMs: 5 });
  expect(await wait).toEqual({ situation: 'PAID' });
});
