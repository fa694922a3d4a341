import { describe, expect, it, vi } from 'vitest';
import { exchange } from '../../../src/client/transport/exchange';
import type { Attempt } from '../../../src/client/transport/failed-attempt';
import type { Fetch } from '../../../src/client/transport/fetch';
import { ATTEMPT_TIMED_OUT, CALL_TIMED_OUT } from '../../../src/client/transport/interruption';
import { operations as descriptions } from '../../../src/service/operations';
import { clientFor, failureOf, operations } from '../support';

const request = { url: 'https://service.example/x', method: 'GET', headers: {}, body: undefined };

function attemptWith(timeoutMs: number, remainingMs: number): Attempt {
  return {
    operation: descriptions.getTransaction,
    url: request.url,
    limits: { timeoutMs, totalTimeoutMs: 1_000, maxRetries: 0 },
    signal: undefined,
    number: 1,
    remainingMs,
    before: undefined,
  };
}

/** The result of one exchange of at most four bytes, and the `init` that its `fetch` received. */
async function exchanged(response: () => Response) {
  const fetch = vi.fn<Fetch>(async () => response());
  const received = await exchange(attemptWith(1_000, 1_000), request, fetch, 4);
  const [, init] = fetch.mock.calls[0] ?? [];
  return { received, init };
}

it.each(operations)('$name is aborted when the signal fires just as the response comes', async ({ call }) => {
  const controller = new AbortController();
  const fetch = async () => {
    // The first pull happens after `fetch` resolves and before the response is read.
    const body = new ReadableStream<Uint8Array>({ pull: () => controller.abort() });
    return new Response(body);
  };
  const client = clientFor({ url: 'https://service.example' }, { fetch });
  const thrown = await failureOf(call(client, { signal: controller.signal }));
  expect(thrown).toMatchObject({ code: 'aborted', outcome: 'unknown' });
});

it('a whole response is returned with its headers, and its request is not aborted', async () => {
  const { received, init } = await exchanged(() => new Response('{}', { headers: { 'retry-after': '7' } }));
  expect(received).toMatchObject({ httpStatus: 200, text: '{}' });
  expect(received.header('Retry-After')).toBe('7');
  expect(received.header('x-other')).toBeNull();
  expect(init?.signal.aborted).toBe(false);
});

it.each([
  ['is larger than allowed', () => new Response('12345')],
  ['fails', () => new Response(new ReadableStream({ pull: (c) => c.error(new Error('lost')) }))],
])('a request whose response %s is aborted, so that its connection closes', async (_, response) => {
  const { received, init } = await exchanged(response);
  expect(received.brokenOff).toBeDefined();
  expect(init?.signal.aborted).toBe(true);
});

it('a request without a body is passed to fetch without a body field', async () => {
  const { init } = await exchanged(() => new Response('{}'));
  expect(Object.keys(init ?? {}).sort()).toEqual(['headers', 'method', 'redirect', 'signal']);
});

describe('an exchange that hangs throws the limit that ends first', () => {
  const hanging: Fetch = () => new Promise(() => undefined);
  it.each([
    ['timeoutMs', 20, 21, ATTEMPT_TIMED_OUT],
    ['timeoutMs, when both are equal', 20, 20, ATTEMPT_TIMED_OUT],
    ['the remaining time of the call', 21, 20, CALL_TIMED_OUT],
    ['the remaining time of the call, which is already over', 20, -1, CALL_TIMED_OUT],
  ])('%s, with one timer of that length', async (_, timeoutMs, remainingMs, symbol) => {
    const set = vi.spyOn(globalThis, 'setTimeout');
    const failure = exchange(attemptWith(timeoutMs, remainingMs), request, hanging, 4);
    const delays = set.mock.calls.map(([, ms]) => ms);
    set.mockRestore();
    expect(delays).toEqual([Math.max(0, Math.min(timeoutMs, remainingMs))]);
    expect(await failure.catch((thrown: unknown) => thrown)).toBe(symbol);
  });
});
