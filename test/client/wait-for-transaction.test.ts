import { getEventListeners } from 'node:events';
import { AbortedError, ApiError, TimeoutError, type Transaction } from 'pix-automatic-sdk';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { waitForTransaction } from '../../src/client/wait-for-transaction';
import { dropConnection, reply, stall, startHttpServer } from '../helpers/http-server';
import { clientFor, failureOf, withoutBackOff } from './support';

beforeEach(withoutBackOff);
afterEach(() => {
  vi.restoreAllMocks();
  for (const name of ['until', 'intervalMs', 'timeoutMs', 'signal'])
    Reflect.deleteProperty(Object.prototype, name);
});

const pending = reply(200, { situation: 'PENDING' });
const paid = reply(200, { situation: 'PAID' });

const context = { operation: 'getTransaction', attempts: 1, outcome: 'unknown' } as const;
const unavailable = (retryAfterMs?: number) =>
  new ApiError('m', { ...context, httpStatus: 503, body: '', retryAfterMs });

/** A query that gives these, and then repeats the last one. It ignores its signal, as a test double may do. */
function queryOf(...given: Array<Transaction | Error>) {
  return vi.fn(async (_remainingMs: number, _signal?: AbortSignal): Promise<Transaction> => {
    const next = given.length > 1 ? given.shift() : given[0];
    if (next instanceof Error) throw next;
    return next ?? {};
  });
}
const pendingQuery = () => queryOf({ situation: 'PENDING' });

describe('over HTTP', () => {
  it.each(['PAID', 'CANCELLED'])('waits until the transaction is %s', async (situation) => {
    const server = await startHttpServer(pending, reply(200, {}), pending, reply(200, { situation }));
    const transaction = await clientFor(server).waitForTransaction('a/b', { intervalMs: 5 });
    expect(transaction).toEqual({ situation });
    expect(server.requests.map(({ url }) => url)).toEqual(Array(4).fill('/v1.1/transactions/a%2Fb'));
  });

  it('keeps polling through temporary failures', async () => {
    // Three of each, because a query itself makes three attempts.
    const failures = [reply(503), reply(429), reply(408), dropConnection, stall];
    const server = await startHttpServer(...failures.flatMap((failure) => [failure, failure, failure]), paid);
    const client = clientFor(server, { timeoutMs: 80 });
    expect(await client.waitForTransaction('uuid-1', { intervalMs: 5 })).toEqual({ situation: 'PAID' });
    expect(server.requests).toHaveLength(16);
  });

  it.each([
    ['a 404', reply(404), 'api_error'],
    ['a 401', reply(401), 'api_error'],
    ['a body status other than 0', reply(200, { status: 999, situation: 'PAID' }), 'api_error'],
    ['a response that cannot be used', reply(200, 'no JSON'), 'invalid_response'],
  ])('rejects at once on %s, which is not temporary', async (_, respond, code) => {
    const server = await startHttpServer(pending, respond, paid);
    const thrown = await failureOf(clientFor(server).waitForTransaction('uuid-1', { intervalMs: 5 }));
    expect(thrown.code).toBe(code);
    expect(server.requests).toHaveLength(2);
  });

  it('ends after its timeoutMs even when a query stalls', async () => {
    const server = await startHttpServer(stall);
    const started = performance.now();
    const thrown = await failureOf(clientFor(server).waitForTransaction('uuid-1', { timeoutMs: 150 }));
    expect(thrown).toBeInstanceOf(TimeoutError);
    expect(thrown.message).toContain(
      'The transaction did not get into the wanted state within `timeoutMs` (150 ms). It still may. ' +
        'Its last known state is in `transaction`, if a query succeeded.',
    );
    expect(performance.now() - started).toBeLessThan(3_000);
  });

  it.each([
    ['during a query', stall],
    ['during a pause', pending],
  ])('ends at once when the signal fires %s', async (_, respond) => {
    const server = await startHttpServer(respond);
    const signal = AbortSignal.timeout(150);
    const started = performance.now();
    const thrown = await failureOf(
      clientFor(server).waitForTransaction('uuid-1', { signal, intervalMs: 60_000 }),
    );
    expect(performance.now() - started).toBeLessThan(2_000);
    expect(thrown).toBeInstanceOf(AbortedError);
    expect(thrown.cause).toBe(signal.reason);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it.each([
    [{ intervalMs: 0 }, 'intervalMs'],
    [{ intervalMs: Number.NaN }, 'intervalMs'],
    [{ timeoutMs: -1 }, 'timeoutMs'],
    [{ timeoutMs: 2 ** 31 }, 'timeoutMs'],
    ...[true, 'PAID', {}, null].map((until) => [{ until }, 'until']),
  ] as Array<[object, string]>)('refuses %j, and sends nothing', async (options, name) => {
    const server = await startHttpServer(paid);
    const thrown = await failureOf(clientFor(server).waitForTransaction('uuid-1', options));
    expect(thrown).toMatchObject({ code: 'configuration', message: expect.stringContaining(`\`${name}\``) });
    expect(server.requests).toEqual([]);
  });

  it('sends nothing for an invalid identifier, or a signal that has fired', async () => {
    const server = await startHttpServer(paid);
    const client = clientFor(server);
    expect(await failureOf(client.waitForTransaction('..'))).toMatchObject({ code: 'invalid_request' });
    const thrown = await failureOf(client.waitForTransaction('uuid-1', { signal: AbortSignal.abort() }));
    expect(thrown).toMatchObject({ name: 'AbortError', outcome: 'not-sent' });
    expect(server.requests).toEqual([]);
  });
});

describe('until', () => {
  it.each([
    ['true', (situation: unknown) => situation === 'PAID'],
    ['a promise of it', async (situation: unknown) => situation === 'PAID'],
  ])('ends the wait when it gives %s', async (_, isWanted) => {
    const until = vi.fn(({ situation }: Transaction) => isWanted(situation));
    const query = queryOf({ situation: 'PENDING' }, { situation: 'PAID' });
    expect(await waitForTransaction(query, { until, intervalMs: 5 })).toEqual({ situation: 'PAID' });
    expect(until).toHaveBeenCalledTimes(2);
  });

  it.each([new Error('the database is away'), unavailable()])(
    'that throws or rejects ends the wait with that error, although a query may fail so: %s',
    async (failure) => {
      const throws = () => {
        throw failure;
      };
      for (const until of [throws, () => Promise.reject(failure)]) {
        const query = pendingQuery();
        await expect(waitForTransaction(query, { until, intervalMs: 5, timeoutMs: 500 })).rejects.toBe(
          failure,
        );
        expect(query).toHaveBeenCalledOnce();
      }
    },
  );

  it('that never settles is ended by timeoutMs and by the signal', async () => {
    const until = () => new Promise<boolean>(() => undefined);
    const timedOut = await failureOf(waitForTransaction(pendingQuery(), { until, timeoutMs: 150 }));
    expect(timedOut).toMatchObject({ code: 'timeout', transaction: { situation: 'PENDING' } });
    const signal = AbortSignal.timeout(50);
    expect(await failureOf(waitForTransaction(pendingQuery(), { until, signal }))).toBeInstanceOf(
      AbortedError,
    );
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('that settles leaves no timer behind that would keep the process alive', async () => {
    const clear = vi.spyOn(globalThis, 'clearTimeout');
    const set = vi.spyOn(globalThis, 'setTimeout');
    const until = () => new Promise<boolean>((resolve) => setImmediate(resolve, true));
    await waitForTransaction(queryOf({}), { until, timeoutMs: 123_456 });
    const ours = set.mock.results.filter((_, index) => (set.mock.calls[index]?.[1] ?? 0) > 100_000);
    expect(ours.length).toBeGreaterThan(0);
    for (const { value } of ours) expect(clear).toHaveBeenCalledWith(value);
  });
});

it('a signal that fires in a pause ends the wait, even when the query ignores it', async () => {
  const query = pendingQuery();
  const controller = new AbortController();
  const wait = waitForTransaction(query, { signal: controller.signal, intervalMs: 60_000 });
  await vi.waitFor(() => expect(query).toHaveBeenCalledOnce());
  controller.abort('why');
  const thrown = await failureOf(wait);
  expect(thrown).toMatchObject({ code: 'aborted', outcome: 'unknown', attempts: 1, cause: 'why' });
  expect(thrown.message).toContain('The signal ended the wait for the transaction.');
  expect(query).toHaveBeenCalledOnce();
});

it('the error of a wait counts its queries as attempts', async () => {
  const controller = new AbortController();
  const query = pendingQuery();
  const until = () => {
    if (query.mock.calls.length === 3) controller.abort();
    return false;
  };
  const wait = waitForTransaction(query, { until, signal: controller.signal, intervalMs: 1 });
  expect(await failureOf(wait)).toMatchObject({ code: 'aborted', attempts: 3 });
});

it('no query is made when exactly timeoutMs has passed', async () => {
  let now = 1_000;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const query = vi.fn(async () => {
    now += 50;
    return {};
  });
  const thrown = await failureOf(waitForTransaction(query, { intervalMs: 1, timeoutMs: 50 }));
  expect(thrown).toMatchObject({ code: 'timeout', outcome: 'unknown', attempts: 1 });
  expect(thrown.message).toContain('`timeoutMs` (50 ms)');
  expect(query).toHaveBeenCalledExactlyOnceWith(50, undefined);
});

it.each([
  ['a success', { situation: 'PENDING' }, 30],
  ['a failure without a Retry-After', unavailable(), 30],
  ['a failure with a shorter Retry-After', unavailable(5), 30],
  ['a failure with a longer Retry-After', unavailable(60), 60],
])('the pause after %s is at least as long as intervalMs', async (_, first, pauseMs) => {
  const started = performance.now();
  await waitForTransaction(queryOf(first, { situation: 'PAID' }), { intervalMs: 30 });
  const took = performance.now() - started;
  expect(took).toBeGreaterThanOrEqual(pauseMs - 2);
  expect(took).toBeLessThan(2_000);
});

// That it prints nothing of it is in test/errors.
it.each([
  ['the last transaction that was seen', [{ amount: 1 }, { amount: 2 }], { amount: 2 }],
  ['the last one even when later queries failed', [{ amount: 1 }, unavailable()], { amount: 1 }],
  ['none when no query succeeded', [unavailable()], undefined],
])('the TimeoutError has %s', async (_, given, transaction) => {
  const wait = waitForTransaction(queryOf(...given), { intervalMs: 20, timeoutMs: 100 });
  const thrown = await failureOf(wait);
  expect(thrown.code).toBe('timeout');
  expect(thrown['transaction']).toEqual(transaction);
});

it('a polluted prototype adds no options', async () => {
  const polluted = { until: () => true, intervalMs: 100_000, timeoutMs: 1, signal: AbortSignal.abort() };
  Object.assign(Object.prototype, polluted);
  const query = queryOf({ situation: 'PENDING' }, { situation: 'PAID' });
  expect(await waitForTransaction(query, { intervalMs: 5 })).toEqual({ situation: 'PAID' });
  expect(query.mock.calls[0]?.[0]).toBeGreaterThan(200_000);
  expect(query.mock.calls[0]?.[1]).toBeUndefined();
});

it.each([null, undefined])('a signal of %s counts as no signal', async (signal) => {
  const query = queryOf({ situation: 'PENDING' }, { situation: 'PAID' });
  expect(await waitForTransaction(query, { signal, intervalMs: 5 })).toEqual({ situation: 'PAID' });
});
