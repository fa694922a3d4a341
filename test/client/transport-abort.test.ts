import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { getEventListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { AbortedError, type Fetch } from 'pix-automatic-sdk';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Respond, reply, stall, startHttpServer } from '../helpers/http-server';
import { clientFor, endOf, failOnWarnings, failureOf, operations, trace, withoutBackOff } from './support';

const [create, query] = operations;
const elsewhere = { url: 'https://service.example' };
const reason = new Error('the shopper left');

beforeEach(withoutBackOff);
afterEach(() => void vi.restoreAllMocks());
failOnWarnings();

const stallInBodyOf =
  (status: number): Respond =>
  (response) => {
    response.writeHead(status, { 'content-length': 1000 });
    response.write('{"status":0,');
  };

describe.each(operations)('$name', (operation) => {
  const { call, answer, name } = operation;

  it('is not sent when its signal has already fired', async () => {
    const fetch = vi.fn<Fetch>();
    const signal = AbortSignal.abort(reason);
    const thrown = await failureOf(call(clientFor(elsewhere, { fetch }), { signal }));
    expect(thrown).toBeInstanceOf(AbortedError);
    expect(thrown).toMatchObject({ name: 'AbortError', code: 'aborted', outcome: 'not-sent', attempts: 0 });
    expect(thrown).toMatchObject({ operation: name, cause: reason });
    expect(fetch).not.toHaveBeenCalled();
  });

  it.each(['while the call is prepared', 'in onRequest'])(
    'is not sent when the signal fires %s',
    async (when) => {
      const server = await startHttpServer(reply(200, answer()));
      const controller = new AbortController();
      const abort = () => controller.abort(reason);
      const client = clientFor(server, when === 'in onRequest' ? { onRequest: abort } : {});
      const called = endOf(call(client, { signal: controller.signal }), {});
      if (when !== 'in onRequest') abort();
      expect(await called).toBe('aborted: not-sent after 0');
      await sleep(50);
      expect(server.requests).toEqual([]);
    },
  );

  it.each([
    ['before the headers', stall, 'unknown'],
    ['in the middle of the body', stallInBodyOf(200), 'unknown'],
    ['in the middle of the body of a 4xx', stallInBodyOf(400), 'refused'],
    ['during back-off', reply(429, '', { 'retry-after': '60' }), 'refused'],
  ])('ends at once when the signal fires %s, and is not retried', async (when, respond, outcome) => {
    const server = await startHttpServer(respond);
    const controller = new AbortController();
    const onRetry = vi.fn();
    const onHeaders = vi.fn();
    subscribe('undici:request:headers', onHeaders);
    onTestFinished(() => void unsubscribe('undici:request:headers', onHeaders));
    const failure = failureOf(call(clientFor(server, { onRetry }), { signal: controller.signal }));
    const point = when === 'during back-off' ? onRetry : onHeaders;
    await expect.poll(() => server.requests.length, { interval: 5 }).toBe(1);
    if (respond !== stall) await expect.poll(() => point, { interval: 20 }).toHaveBeenCalledOnce();
    controller.abort(reason);
    const expected = { name: 'AbortError', code: 'aborted', attempts: 1, cause: reason };
    expect(await failure).toMatchObject({ ...expected, outcome });
    expect(server.requests).toHaveLength(1);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  it.each([
    ['onResponse of a 429', 'onResponse', 429, 'aborted: refused after 1; 1 request'],
    ['onRetry of a 429', 'onRetry', 429, 'aborted: refused after 1; 1 request'],
    [
      'onResponse of a 404, whose error it throws',
      'onResponse',
      404,
      'api_error 404: refused after 1; 1 request',
    ],
  ])('is not sent again after a signal fires in %s', async (_, observer, status, ended) => {
    const controller = new AbortController();
    const { signal } = controller;
    const responses = [reply(status), reply(200, answer())];
    expect(await trace(operation, responses, { [observer]: () => controller.abort() }, { signal })).toBe(
      ended,
    );
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('returns a success that has come whole when a signal fires while it is looked at', async () => {
    const controller = new AbortController();
    const get = () => {
      controller.abort();
      return null;
    };
    const text = async () => JSON.stringify(answer());
    const fetch: Fetch = async () => ({ status: 200, headers: { get }, body: null, text });
    expect(await call(clientFor(elsewhere, { fetch }), { signal: controller.signal })).toEqual(answer());
    expect(controller.signal.aborted).toBe(true);
  });

  it('throws an AbortedError with outcome unknown when AbortSignal.timeout fires', async () => {
    const server = await startHttpServer(stall);
    const thrown = await failureOf(call(clientFor(server), { signal: AbortSignal.timeout(100) }));
    expect(thrown).toMatchObject({ name: 'AbortError', outcome: 'unknown' });
    expect(thrown.cause).toMatchObject({ name: 'TimeoutError' });
  });
});

it('a signal that fires during the back-off after a GET’s 503 leaves the outcome unknown', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(1);
  const ended = await trace(query, [reply(503)], {}, { signal: AbortSignal.timeout(200) });
  expect(ended).toBe('aborted: unknown after 1; 1 request');
});

it('an abort closes the connection of the request', async () => {
  let closed = false;
  const controller = new AbortController();
  const server = await startHttpServer((response) => {
    response.on('close', () => (closed = true));
    controller.abort();
  });
  await failureOf(create.call(clientFor(server), { signal: controller.signal }));
  await expect.poll(() => closed).toBe(true);
});

describe('a call that has ended', () => {
  const briefly = { timeoutMs: 30, maxRetries: 0 };

  it.each([
    ['a success', reply(200, query.answer()), () => ({})],
    ['a refusal', reply(404), () => ({})],
    ['a timeout', stall, () => briefly],
    ['a stalled body', stallInBodyOf(200), () => briefly],
    ['an abort', stall, () => ({ signal: AbortSignal.timeout(30) })],
    ['back-off', reply(429, '', { 'retry-after': '60' }), () => ({ signal: AbortSignal.timeout(60) })],
  ])('leaves no timer behind: %s', async (_, respond, options) => {
    const server = await startHttpServer(respond);
    const set = vi.spyOn(globalThis, 'setTimeout');
    const clear = vi.spyOn(globalThis, 'clearTimeout');
    await query.call(clientFor(server), options()).catch(() => undefined);
    // A long timer is either a time limit of the client or the wait that Retry-After asks for.
    const long = set.mock.results.filter((_, index) => Number(set.mock.calls[index]?.[1]) >= 20_000);
    const cleared = clear.mock.calls.map(([timer]) => timer);
    expect(long.filter(({ value }) => !cleared.includes(value))).toEqual([]);
  });

  it('leaves no listener on a signal that outlives many calls, also side by side', async () => {
    const responses = [200, 404, 429, 200, 503, 200].map((status) => reply(status, query.answer()));
    const server = await startHttpServer(...responses);
    const { signal } = new AbortController();
    const client = clientFor(server);
    for (let i = 0; i < 20; i += 1) await query.call(client, { signal }).catch(() => undefined);
    await failureOf(client.getTransaction('..', { signal }));
    await Promise.all(Array.from({ length: 30 }, () => query.call(client, { signal })));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
