import { createServer } from 'node:http';
import pg from 'pg';
import { PaymentsClient } from 'pix-automatic-sdk';
import { PostgresStore } from 'pix-automatic-sdk/stores';
import { fixtures, notificationRequest } from 'pix-automatic-sdk/testing';
import {
  createWebhookHandler,
  defineNotification,
  MemoryStore,
  type WebhookHandler,
} from 'pix-automatic-sdk/webhooks';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { sections } from './markdown';

// Each incident of docs/going-live.md, played from its beginning to the end that the page promises.

const PAGE = sections('docs/going-live.md');
const credentials = { apiKey: 'your-api-key', apiToken: 'your-api-token' };
const saleToken = '5dbc4bd6-0b8d-4c5c-9f9b-6c9f7f0a1a11';
const KEY = `payment:${saleToken}:PAID`;

const log: string[] = [];
beforeEach(() => {
  log.length = 0;
  vi.spyOn(console, 'error').mockImplementation((line) => void log.push(String(line)));
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** The log names the code that the page's table has for what happened. */
function expectLogOf(what: string, ...more: readonly string[]): void {
  const rows = PAGE.find(({ heading }) => heading === 'When something has failed')?.tables[0] ?? [];
  const codes = rows.find(([happened]) => happened === what)?.[1]?.match(/(?<=`)[^`]+(?=`)/g) ?? [];
  expect(codes.length, what).toBeGreaterThan(0);
  for (const text of [...codes, ...more]) expect(log[0]).toContain(text);
}

const deliver = async (handler: WebhookHandler, changes: object = {}, pair = credentials) =>
  (await handler(notificationRequest('payment', { saleToken, ...changes }, pair))).status;

test('wrong credentials after a rotation', async () => {
  const on = { payment: vi.fn() };
  const fresh = { apiKey: 'new-api-key', apiToken: 'new-api-token' };
  const handler = createWebhookHandler({ credentials: fresh, on });
  expect(await deliver(handler)).toBe(401);
  expect(log).toHaveLength(1);
  expectLogOf('wrong credentials after a rotation', 'During a rotation, pass both pairs.');

  const both = createWebhookHandler({ credentials: [fresh, credentials], on });
  expect(await deliver(both)).toBe(200);
  expect(on.payment).toHaveBeenCalledTimes(1);
});

test('the database is down for four minutes', async () => {
  const pool = new pg.Pool({ host: '127.0.0.1', port: 1 });
  onTestFinished(() => pool.end());
  const payment = vi.fn();
  const listenerOver = (store: PostgresStore | MemoryStore) =>
    createWebhookHandler({ credentials, store, storeTimeoutMs: 1_000, on: { payment } });
  let handler = listenerOver(new PostgresStore(pool));

  // At once, and after one, two and three minutes.
  for (let delivery = 1; delivery <= 4; delivery += 1) expect(await deliver(handler)).toBe(503);
  expect(payment).not.toHaveBeenCalled();
  expectLogOf('the database was down', 'Its database cannot be reached.', 'ECONNREFUSED 127.0.0.1:1');
  handler = listenerOver(new MemoryStore()); // the database is back
  expect(await deliver(handler)).toBe(200);
  expect(payment).toHaveBeenCalledOnce();
});

test('a bug in one callback', async () => {
  vi.useFakeTimers();
  let isFixed = false;
  const booked: unknown[] = [];
  const payment = ({ payload }: { payload: { saleToken: string } }) => {
    const customers: Record<string, { id: string }> = isFixed ? { [payload.saleToken]: { id: 'c-1' } } : {};
    booked.push((customers[payload.saleToken] as { id: string }).id);
  };
  const handler = createWebhookHandler({ credentials, deadLetters: true, on: { payment } });
  for (let delivery = 1; delivery <= 6; delivery += 1) {
    expect(await deliver(handler)).toBe(500);
    await vi.advanceTimersByTimeAsync(60_000);
  }
  expectLogOf('a bug in one callback', `key=${KEY}`, 'TypeError: Cannot read properties of undefined');

  isFixed = true;
  expect(await handler.replay(await handler.deadLetters.list())).toEqual([{ key: KEY, status: 'done' }]);
  expect(booked).toEqual(['c-1']);
  expect(await handler.deadLetters.list()).toEqual([]);
});

test('an unexpected repeat', async () => {
  const booked: unknown[] = [];
  const payment = ({ payload }: { payload: { amount?: number | null | undefined } }) =>
    void booked.push(payload.amount);
  const options = { credentials, store: new MemoryStore(), deadLetters: true };
  const handler = createWebhookHandler({ ...options, on: { payment } });
  expect(await deliver(handler, { amount: 59.7 })).toBe(200);
  expect(await deliver(handler, { amount: 59.7 })).toBe(200); // an ordinary duplicate
  expect(log).toEqual([]);
  expect(await deliver(handler, { amount: 29.9 })).toBe(200);
  expect(booked).toEqual([59.7]);
  expect(log).toHaveLength(1);
  expectLogOf('an unexpected repeat', 'reason=content-differs', 'Fields: amount.');
  expect(JSON.parse((await handler.deadLetters.list())[0]?.body ?? '')).toMatchObject({ amount: 29.9 });

  // It is another event: a kind of its own books it.
  const month = defineNotification({
    kind: 'month',
    match: (body) => body['amount'] === 29.9,
    schema: z.object({ saleToken: z.string(), date: z.string(), amount: z.number() }),
    subject: (payload) => `${payload.saleToken}/${payload.date}`,
  });
  const described = createWebhookHandler({ ...options, kinds: [month], on: { payment, month: payment } });
  expect(await described.replay(await described.deadLetters.list())).toMatchObject([{ status: 'done' }]);
  expect(booked).toEqual([59.7, 29.9]);

  // It is none: a person forgets it.
  expect(await deliver(handler, { amount: 1 })).toBe(200);
  const [letter] = await handler.deadLetters.list();
  await handler.deadLetters.forget(letter?.key ?? '');
  expect(await handler.replay()).toEqual([]);
});

test('the service is down', async () => {
  const server = createServer((_request, response) => response.writeHead(503).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  const client = new PaymentsClient({ ...credentials, baseUrl: `http://127.0.0.1:${port}`, maxRetries: 0 });
  const error = await client
    .createRecurringCheckout(fixtures.recurringCheckoutRequest())
    .catch((reason) => reason);
  expect(error).toMatchObject({ outcome: 'unknown', httpStatus: 503 });

  const payment = vi.fn();
  const handler = createWebhookHandler({ credentials, confirm: client, on: { payment } });
  expect(await deliver(handler)).toBe(500);
  expect(payment).not.toHaveBeenCalled();
  expect(log).toHaveLength(1);
  expectLogOf('the service is down', 'ApiError api_error', 'HTTP 503');
});
