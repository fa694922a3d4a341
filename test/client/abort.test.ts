import { getEventListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { AbortedError, type PaymentsClient } from 'pix-automatic-sdk';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Respond, reply, stall, startHttpServer } from '../helpers/http-server';
import { clientFor, failureOf, operations } from './support';

const [create, query] = operations;

const stallInBody: Respond = (response) => {
  response.writeHead(200, { 'content-length': 1000 });
  response.write('{"status":0,');
};

afterEach(() => vi.restoreAllMocks());

const reason = new Error('the shopper left');

/** Aborts 50 ms after `isTime` becomes true, and returns the time of the abort. */
async function abortOnce(isTime: () => boolean, controller: AbortController): Promise<number> {
  await expect.poll(isTime, { interval: 5 }).toBe(true);
  await sleep(50); // Give what the server sent time to arrive.
  controller.abort(reason);
  return performance.now();
}

describe.each(operations)('$name', ({ call, answer, name }) => {
  it('is not sent when its signal has already fired', async () => {
    const server = await startHttpServer(reply(200, answer()));
    const thrown = await failureOf(call(clientFor(server), { signal: AbortSignal.abort(reason) }));
    expect(thrown).toBeInstanceOf(AbortedError);
    expect(thrown).toMatchObject({ name: 'AbortError', code: 'aborted', outcome: 'not-sent', attempts: 0 });
    expect(thrown.cause).toBe(reason);
    expect(thrown['operation']).toBe(name);
    expect(server.requests).toEqual([]);
  });

  it.each([
    ['before the headers', stall],
    ['in the middle of the body', stallInBody],
  ])(
    'ends at once when the signal fires %s, is not retried, and its outcome is unknown',
    async (_, respond) => {
      const server = await startHttpServer(respond);
      const controller = new AbortController();
      const failure = failureOf(call(clientFor(server), { signal: controller.signal }));
      const aborted = await abortOnce(() => server.requests.length === 1, controller);
      const thrown = await failure;
      expect(performance.now() - aborted).toBeLessThan(1_000);
      expect(thrown).toBeInstanceOf(AbortedError);
      expect(thrown).toMatchObject({ name: 'AbortError', code: 'aborted', outcome: 'unknown', attempts: 1 });
      expect(thrown.cause).toBe(reason);
      expect(server.requests).toHaveLength(1);
    },
  );

  it('ends with outcome refused when the signal fires in the middle of the body of a 4xx', async () => {
    const server = await startHttpServer((response) => {
      response.writeHead(400, { 'content-length': 1000 });
      response.write('{');
    });
    const controller = new AbortController();
    const failure = failureOf(call(clientFor(server), { signal: controller.signal }));
    await abortOnce(() => server.requests.length === 1, controller);
    expect(await failure).toMatchObject({ code: 'aborted', outcome: 'refused' });
  });

  it('ends at once when the signal fires during back-off, with the outcome so far', async () => {
    const server = await startHttpServer(reply(429, '', { 'retry-after': '60' }));
    const controller = new AbortController();
    const onRetry = vi.fn();
    const failure = failureOf(call(clientFor(server, { onRetry }), { signal: controller.signal }));
    const aborted = await abortOnce(() => onRetry.mock.calls.length === 1, controller);
    const thrown = await failure;
    expect(performance.now() - aborted).toBeLessThan(1_000);
    expect(thrown).toBeInstanceOf(AbortedError);
    expect(thrown).toMatchObject({ outcome: 'refused', attempts: 1 });
    expect(thrown.cause).toBe(reason);
    expect(server.requests).toHaveLength(1);
  });

  it('is not sent when the signal fires while the call is prepared', async () => {
    const server = await startHttpServer(reply(200, answer()));
    const controller = new AbortController();
    const failure = failureOf(call(clientFor(server), { signal: controller.signal }));
    controller.abort(reason);
    expect(await failure).toMatchObject({ code: 'aborted', outcome: 'not-sent' });
    expect(server.requests).toEqual([]);
  });

  it('is not sent when an observer makes the signal fire', async () => {
    const server = await startHttpServer(reply(200, answer()));
    const controller = new AbortController();
    const client = clientFor(server, { onRequest: () => controller.abort(reason) });
    const thrown = await failureOf(call(client, { signal: controller.signal }));
    expect(thrown).toMatchObject({ code: 'aborted', outcome: 'not-sent' });
    await sleep(50);
    expect(server.requests).toEqual([]);
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
  const server = await startHttpServer(reply(503));
  const controller = new AbortController();
  const failure = failureOf(query.call(clientFor(server), { signal: controller.signal }));
  await abortOnce(() => server.requests.length === 1, controller);
  expect(await failure).toMatchObject({ code: 'aborted', outcome: 'unknown', attempts: 1 });
});

it('an abort closes the connection of the request', async () => {
  let closed = false;
  const server = await startHttpServer((response) => response.on('close', () => (closed = true)));
  const controller = new AbortController();
  const failure = failureOf(create.call(clientFor(server), { signal: controller.signal }));
  await abortOnce(() => server.requests.length === 1, controller);
  await failure;
  await expect.poll(() => closed).toBe(true);
});

describe('a call that has ended', () => {
  const unhandled = vi.fn();
  const warned = vi.fn();
  beforeEach(() => {
    unhandled.mockClear();
    warned.mockClear();
    process.on('unhandledRejection', unhandled);
    process.on('warning', warned);
  });
  afterEach(async () => {
    await sleep(20);
    process.off('unhandledRejection', unhandled);
    process.off('warning', warned);
    expect(unhandled).not.toHaveBeenCalled();
    expect(warned).not.toHaveBeenCalled();
  });

  const endings: Array<[what: string, respond: Respond, call: (client: PaymentsClient) => Promise<unknown>]> =
    [
      ['a success', reply(200, query.answer()), (client) => client.getTransaction('uuid-1')],
      ['a refusal', reply(404), (client) => client.getTransaction('uuid-1')],
      ['a timeout', stall, (client) => client.getTransaction('uuid-1', { timeoutMs: 30, maxRetries: 0 })],
      [
        'a stalled body',
        stallInBody,
        (client) => client.getTransaction('uuid-1', { timeoutMs: 30, maxRetries: 0 }),
      ],
      ['an abort', stall, (client) => client.getTransaction('uuid-1', { signal: AbortSignal.timeout(30) })],
      [
        'an abort in back-off',
        reply(429, '', { 'retry-after': '60' }),
        (client) => client.getTransaction('uuid-1', { signal: AbortSignal.timeout(60) }),
      ],
    ];

  it.each(endings)('leaves no timer behind: %s', async (_, respond, call) => {
    const server = await startHttpServer(respond);
    const set = vi.spyOn(globalThis, 'setTimeout');
    const clear = vi.spyOn(globalThis, 'clearTimeout');
    await call(clientFor(server)).catch(() => undefined);
    // A long timer is either a time limit of the client or the wait that Retry-After asks for.
    const long = set.mock.results.filter((_, index) => Number(set.mock.calls[index]?.[1]) >= 20_000);
    const cleared = clear.mock.calls.map(([timer]) => timer);
    expect(long.filter(({ value }) => !cleared.includes(value))).toEqual([]);
  });

  it('leaves no listener on a signal that outlives many calls', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const server = await startHttpServer(
      ...[200, 404, 429, 200, 503, 200].map((status) => reply(status, query.answer())),
    );
    const { signal } = new AbortController();
    const client = clientFor(server);
    for (let i = 0; i < 20; i += 1) await query.call(client, { signal }).catch(() => undefined);
    await failureOf(client.getTransaction('..', { signal }));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('causes no leak warning when many calls share a signal', async () => {
    const server = await startHttpServer(reply(200, query.answer()));
    const { signal } = new AbortController();
    const client = clientFor(server);
    await Promise.all(Array.from({ length: 30 }, () => query.call(client, { signal })));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('leaves no listener on the signal after a timeout', async () => {
    const server = await startHttpServer(stall);
    const { signal } = new AbortController();
    const client = clientFor(server, { timeoutMs: 20, maxRetries: 0 });
    for (let i = 0; i < 15; i += 1) await failureOf(create.call(client, { signal }));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
