import { AbortedError, ApiError, TimeoutError, type Transaction } from 'pix-automatic-sdk';
import { afterEach, expect, it, vi } from 'vitest';
import { waitForTransaction } from '../../src/client/wait-for-transaction';
import { failureOf } from './support';

afterEach(() => vi.restoreAllMocks());

const context = { operation: 'getTransaction', attempts: 1, outcome: 'unknown' } as const;
const unavailable = (retryAfterMs?: number) =>
  new ApiError('m', { ...context, httpStatus: 503, body: '', retryAfterMs });

/** A query that ignores its signal, as a test double of the client may do. */
const pending = () => vi.fn(async (): Promise<Transaction> => ({ situation: 'PENDING' }));

it('a signal that fires in a pause ends the wait, even when the query ignores it', async () => {
  const query = pending();
  const controller = new AbortController();
  const wait = waitForTransaction(query, { signal: controller.signal, intervalMs: 60_000 });
  await vi.waitFor(() => expect(query).toHaveBeenCalledOnce());
  controller.abort('why');
  const thrown = await failureOf(wait);
  expect(thrown).toBeInstanceOf(AbortedError);
  expect(thrown).toMatchObject({ outcome: 'unknown', attempts: 1, cause: 'why' });
  expect(thrown.message).toContain('The signal ended the wait for the transaction.');
  expect(query).toHaveBeenCalledOnce();
});

it('the error of a wait counts its queries as attempts', async () => {
  const controller = new AbortController();
  const query = pending();
  query.mockImplementation(async () => {
    if (query.mock.calls.length === 3) controller.abort();
    return {};
  });
  const wait = waitForTransaction(query, { signal: controller.signal, intervalMs: 1 });
  expect(await failureOf(wait)).toMatchObject({ code: 'aborted', attempts: 3 });
});

it('no query is made when exactly timeoutMs has passed', async () => {
  let now = 1_000;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const query = pending();
  query.mockImplementation(async () => {
    now += 50;
    return {};
  });
  const thrown = await failureOf(waitForTransaction(query, { intervalMs: 1, timeoutMs: 50 }));
  expect(thrown).toBeInstanceOf(TimeoutError);
  expect(thrown).toMatchObject({ outcome: 'unknown', attempts: 1 });
  expect(query).toHaveBeenCalledExactlyOnceWith(50, undefined);
});

it.each([
  ['without a Retry-After', undefined, 30],
  ['with a shorter Retry-After', 5, 30],
  ['with a longer Retry-After', 60, 60],
])('the pause after a failure %s (%s ms) is at least %d ms', async (_, retryAfterMs, pauseMs) => {
  const answers = [() => Promise.reject(unavailable(retryAfterMs)), async () => ({ situation: 'PAID' })];
  const started = performance.now();
  await waitForTransaction(async () => answers.shift()?.() ?? {}, { intervalMs: 30 });
  const took = performance.now() - started;
  expect(took).toBeGreaterThanOrEqual(pauseMs - 2);
  expect(took).toBeLessThan(2_000);
});

it.each([
  ['intervalMs', { intervalMs: 0 }],
  ['timeoutMs', { timeoutMs: 0 }],
])('%s of 0 is refused with a message that names it', async (name, options) => {
  const query = pending();
  const thrown = await failureOf(waitForTransaction(query, options));
  expect(thrown).toMatchObject({ code: 'configuration', message: expect.stringContaining(`\`${name}\``) });
  expect(query).not.toHaveBeenCalled();
});
