import { setTimeout as sleep } from 'node:timers/promises';
import { confirmPayment, type ResponseEvent } from 'pix-automatic-sdk';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { reply, startHttpServer, unusedPort } from '../helpers/http-server';
import { clientFor, failureOf, operations, withoutBackOff } from './support';

const [create, query] = operations;

beforeEach(withoutBackOff);
afterEach(() => vi.restoreAllMocks());

/** Observers that record their events. */
function recorder() {
  const events: unknown[] = [];
  const record = (name: string) => (event: object) => void events.push({ ...event, name });
  return {
    events,
    observers: { onRequest: record('request'), onResponse: record('response'), onRetry: record('retry') },
  };
}

describe.each(operations)('$name', ({ call, answer, name: operation, method, urlTemplate }) => {
  it('is reported attempt by attempt, in order, with the URL template instead of the URL', async () => {
    const server = await startHttpServer(reply(429), reply(200, answer()));
    const { events, observers } = recorder();
    await call(clientFor(server, observers));
    const call1 = { operation, method, urlTemplate, attempt: 1 };
    const durationMs = expect.any(Number);
    expect(events).toEqual([
      { name: 'request', ...call1 },
      { name: 'response', ...call1, status: 429, durationMs, errorCode: 'api_error', issues: [] },
      { name: 'retry', ...call1, status: 429, delayMs: 0, errorCode: 'api_error' },
      { name: 'request', ...call1, attempt: 2 },
      { name: 'response', ...call1, attempt: 2, status: 200, durationMs, errorCode: undefined, issues: [] },
    ]);
  });

  it('is reported without a status when the connection failed', async () => {
    const url = `http://127.0.0.1:${await unusedPort()}`;
    const { events, observers } = recorder();
    await failureOf(call(clientFor({ url }, { ...observers, maxRetries: 1 })));
    const failed = { status: undefined, errorCode: 'connection_failed' };
    const again = [
      { name: 'retry', attempt: 1, ...failed },
      { name: 'request', attempt: 2 },
      { name: 'response', attempt: 2, ...failed },
    ];
    expect(events).toMatchObject([
      { name: 'request', attempt: 1 },
      { name: 'response', attempt: 1, ...failed },
      ...(method === 'GET' ? again : []),
    ]);
  });

  it('is reported with the status of a success that cannot be used', async () => {
    const server = await startHttpServer(reply(200, 'no JSON'));
    const { events, observers } = recorder();
    await failureOf(call(clientFor(server, observers)));
    expect(events).toMatchObject([{}, { name: 'response', status: 200, errorCode: 'invalid_response' }]);
  });
});

it('durationMs includes the time to read the body', async () => {
  const server = await startHttpServer(async (response) => {
    response.write('{"status":0');
    await sleep(120);
    response.end('}');
  });
  const { events, observers } = recorder();
  await query.call(clientFor(server, observers));
  expect(events).toMatchObject([
    {},
    { durationMs: expect.toSatisfy((ms: number) => ms >= 100 && ms < 5_000) },
  ]);
});

it('observers are not called for a request that is refused before it is sent', async () => {
  const { events, observers } = recorder();
  await failureOf(clientFor({ url: 'https://service.example' }, observers).getTransaction(''));
  expect(events).toEqual([]);
});

describe.each([
  [
    'throws',
    () => {
      throw new Error('a full disk');
    },
  ],
  [
    'throws undefined',
    () => {
      throw undefined;
    },
  ],
  ['rejects', () => Promise.reject(new Error('a full disk'))],
  [
    'returns a thenable that throws',
    () => ({
      // biome-ignore lint/suspicious/noThenProperty: this row tests a thenable.
      get then(): never {
        throw new Error('a full disk');
      },
    }),
  ],
  ['never resolves', () => new Promise(() => undefined)],
] as Array<[string, () => void]>)('an observer that %s', (_, observer) => {
  const unhandled = vi.fn();
  beforeEach(() => void process.on('unhandledRejection', unhandled));
  afterEach(() => void process.off('unhandledRejection', unhandled));

  it('does not change the result of a call', async () => {
    const observers = { onRequest: observer, onResponse: observer, onRetry: observer };
    const server = await startHttpServer(reply(429), reply(200, create.answer()), reply(400));
    const client = clientFor(server, observers);
    expect(await create.call(client)).toEqual(create.answer());
    expect(await failureOf(create.call(client))).toMatchObject({ httpStatus: 400, outcome: 'refused' });
    await sleep(20);
    expect(unhandled).not.toHaveBeenCalled();
  });
});

it('each observer gets an event of its own, so that none of them changes what another one is told', async () => {
  const server = await startHttpServer(reply(429), reply(200, query.answer()));
  const seen: object[] = [];
  const spoil = (event: object) => {
    seen.push({ ...event });
    for (const name of Object.keys(event)) Reflect.set(event, name, 'spoilt');
  };
  await query.call(clientFor(server, { onRequest: spoil, onResponse: spoil, onRetry: spoil }));
  expect(seen).toHaveLength(5);
  expect(JSON.stringify(seen)).not.toContain('spoilt');
});

it('an observer that empties the issues of its event does not make a doubtful payment look confirmed', async () => {
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
