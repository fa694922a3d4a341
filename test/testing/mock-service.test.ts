import { http } from 'msw';
import { ConfigurationError, ConnectionError, PaymentsClient, TimeoutError } from 'pix-automatic-sdk';
import { SandboxError } from 'pix-automatic-sdk/sandbox';
import { fakeClock, fixtures, type MockService, mockService } from 'pix-automatic-sdk/testing';
import { createWebhookHandler, MemoryStore } from 'pix-automatic-sdk/webhooks';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { FaultKind } from '../../src/sandbox/faults';
import type { DeliverTo } from '../../src/testing/signed-request';
import { failureOf } from '../client/support';
import { unusedPort } from '../helpers/http-server';
import { openListener } from '../sandbox/helpers';
import { credentials, openJourney, openMockService } from './support';

const request = fixtures.recurringCheckoutRequest();

/** A listener that answers with these statuses, and then repeats the last one. */
function answering(...statuses: number[]) {
  return vi.fn<DeliverTo>(
    async () => new Response(null, { status: (statuses.length > 1 ? statuses.shift() : statuses[0]) ?? 200 }),
  );
}

/** Each attempt of the first delivery, with its second since the first one and its end; and how the delivery stands. */
function trace({ deliveries: [delivery] }: MockService): string {
  const { attempts = [], status } = delivery ?? {};
  const start = Date.parse(attempts[0]?.startedAt ?? '');
  const made = attempts.map(({ startedAt, manual, httpStatus, error }) => {
    return `${manual ? 'by hand ' : ''}${(Date.parse(startedAt) - start) / 1_000} s: ${httpStatus ?? error}`;
  });
  return [...made, status].join(', ');
}

describe('a journey against the mocked service', () => {
  it('is created, paid, queried and cancelled with the real client, and reaches the real handler', async () => {
    const payment = vi.fn();
    const handler = createWebhookHandler({ credentials, on: { payment } });
    const { service, client, clock, response } = await openJourney({ deliverTo: handler });
    const { uuid } = response;
    expect(await client().getTransaction(uuid)).toMatchObject({ situation: 'PENDING', amount: 59.7 });

    const [next] = service.pay(uuid);
    await service.idle();
    expect(payment).toHaveBeenCalledOnce();
    const { referenceCode } = request;
    const notified = { saleToken: uuid, referenceCode, date: '2027-01-15 12:00:00' };
    expect(payment.mock.calls[0]?.[0].payload).toMatchObject(notified);
    expect(trace(service)).toBe('0 s: 200, delivered');

    await client().cancelScheduledPayment(next?.instructionId ?? '', { reason: 'moved house' });
    const cancelled = { status: 'CANCELLED', cancellationReason: 'moved house' };
    expect(service.scheduledPayments(uuid)[0]).toMatchObject(cancelled);
    expect(await client().getTransaction(uuid)).toMatchObject({ situation: 'PAID' });
    expect(clock.now()).toBe(Date.UTC(2027, 0, 15, 15));
  });

  it('sends a notification of everything that can happen to it', async () => {
    const kinds: string[] = [];
    const names = ['payment', 'saleStatus', 'reversal', 'refund', 'payout', 'unrecognized'] as const;
    const push = ({ kind }: { kind: string }) => void kinds.push(kind);
    const on = Object.fromEntries(names.map((name) => [name, push]));
    const deliverTo = createWebhookHandler({ credentials, on });
    const { service, uuid } = await openJourney({
      deliverTo,
      inventions: { saleReversalNotification: true },
    });
    const steps = [
      () => service.pay(uuid),
      () => service.refund(uuid, { amount: 5 }),
      () => service.reverse(uuid),
      () => service.completeReversal(service.transactions[0]?.reversals[0]?.uuid ?? ''),
      () => service.payOut({ amount: 1 }),
      () => service.payOut({ amount: 1, fail: 'PE0004' }),
      () => service.notify({ instructionId: 'i-1' }, 'type=recurrence'),
    ];
    for (const step of steps) {
      step();
      await service.idle();
    }
    expect(kinds.sort().join(' ')).toBe(
      'payment payout payout refund reversal reversal saleStatus unrecognized',
    );
    expect(service.deliveries.every(({ status }) => status === 'delivered')).toBe(true);
  });

  it.each(['https://gateway.example/pay(v1)/', 'http://[::1]:8080'])(
    'works at the baseUrl %s',
    async (baseUrl) => {
      const { service, client, response } = await openJourney({ baseUrl });
      expect(response.instructions.qrCode.url?.startsWith(`${service.url}/sandbox/qr-codes/`)).toBe(true);
      expect(await client().getTransaction(response.uuid)).toMatchObject({ uuid: response.uuid });
    },
  );

  it('is refused with wrong credentials', async () => {
    const call = openMockService().client({ apiToken: 'other' }).getTransaction('x');
    await expect(call).rejects.toMatchObject({ httpStatus: 401 });
  });

  it('throws a SandboxError for a move that the sandbox refuses', async () => {
    const { service, uuid } = await openJourney();
    expect(() => service.refund(uuid)).toThrow(SandboxError);
    expect(() => service.pay('nope')).toThrow(SandboxError);
  });
});

describe('a fault reaches the client', () => {
  it.each<[as: string, fault: FaultKind]>([
    ['ApiError 409 refused', { kind: 'status', status: 409 }],
    ['ApiError 504 unknown', { kind: 'status', status: 504 }],
    ['ApiError 200 unknown', { kind: 'body-status', status: 999 }],
    ['ConnectionError unknown', { kind: 'reset-before-read' }],
    ['ConnectionError unknown', { kind: 'reset-after-read' }],
    ['TimeoutError unknown', { kind: 'stalled-body' }],
    ['ConnectionError unknown', { kind: 'truncated-body' }],
    ['InvalidResponseError unknown', { kind: 'wrong-json' }],
    ['TimeoutError unknown', { kind: 'latency', ms: 10_000 }],
  ])('as %s: %j', async (as, fault) => {
    const { service, client } = openMockService();
    service.fault('createRecurringCheckout', fault);
    const call = client({ timeoutMs: 300 }).createRecurringCheckout(request);
    const { name, httpStatus, outcome } = await failureOf(call);
    expect([name, ...(name === 'ApiError' ? [httpStatus] : []), outcome].join(' ')).toBe(as);
    await expect(client().createRecurringCheckout(request)).resolves.toMatchObject({ status: 0 });
  });
});

describe('deliveries on the fake clock', () => {
  it('begin when the clock advances by 0, so that a test can do something before it', async () => {
    const { service, clock, uuid } = await openJourney({ deliverTo: answering(200) });
    service.pay(uuid);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(trace(service)).toBe('pending');
    await clock.advance(0);
    expect(trace(service)).toBe('0 s: 200, delivered');
  });

  it.each<[claim: string, deliverTo: DeliverTo, expected: string]>([
    [
      'are made six times, a minute apart, before they are given up',
      answering(500),
      '0 s: 500, 60 s: 500, 120 s: 500, 180 s: 500, 240 s: 500, 300 s: 500, given-up',
    ],
    ['stop at the first 200', answering(500, 202, 200), '0 s: 500, 60 s: 202, 120 s: 200, delivered'],
    [
      'go on after an attempt that throws, and one that times out',
      vi
        .fn<DeliverTo>(async () => new Response())
        .mockRejectedValueOnce(new RangeError('secret'))
        .mockRejectedValueOnce(Object.assign(new Error('x'), { code: 'ECONNREFUSED' }))
        .mockReturnValueOnce(new Promise(() => {})),
      '0 s: RangeError, 60 s: ECONNREFUSED, 120 s: timeout, 180 s: 200, delivered',
    ],
  ])('%s', async (_claim, deliverTo, expected) => {
    const { service, clock } = openMockService({ deliverTo, inventions: { deliveryTimeoutMs: 50 } });
    service.payOut({ amount: 1 });
    await clock.advance(3_600_000);
    expect(trace(service)).toBe(expected);
    expect(service.deliveries[0]?.attempts[0]).toMatchObject({ number: 1, durationMs: 0 });
    await service.idle();
  });

  it('wait for the last millisecond, and for each other', async () => {
    const deliverTo = answering(503);
    const { service, clock } = openMockService({ deliverTo, retryIntervalMs: 1_000 });
    service.payOut({ amount: 1 });
    service.payOut({ amount: 2 });
    await clock.advance(999);
    expect(deliverTo).toHaveBeenCalledTimes(2);
    await clock.advance(4_001);
    expect(deliverTo).toHaveBeenCalledTimes(12);
    expect(service.deliveries.map(({ status }) => status)).toEqual(['given-up', 'given-up']);
    const urls = new Set(deliverTo.mock.calls.map(([{ url }]) => url));
    expect([...urls]).toEqual(['https://merchant.example/webhooks?payout=true&type=payout']);
  });

  it('reach a handler whose callback fails twice and then acts once', async () => {
    const payout = vi.fn().mockRejectedValueOnce(new Error('down')).mockRejectedValueOnce(new Error('down'));
    const clock = fakeClock();
    const store = new MemoryStore({ clock: clock.now });
    const handler = createWebhookHandler({ credentials, store, on: { payout }, onReport: () => {} });
    const { service } = openMockService({ clock, deliverTo: handler });
    service.payOut({ amount: 1 });
    await clock.advance(120_000);
    await service.redeliver('delivery-1');
    expect(trace(service)).toBe('0 s: 500, 60 s: 500, 120 s: 200, by hand 120 s: 200, delivered');
    expect(payout).toHaveBeenCalledTimes(3);
  });

  it('hold the clock until a slow handler has answered', async () => {
    const times: number[] = [];
    const clock = fakeClock(0);
    const deliverTo = async () => {
      times.push(clock.now());
      await new Promise((resolve) => setTimeout(resolve, 20));
      times.push(clock.now());
      return new Response(null, { status: 500 });
    };
    const { service } = openMockService({ clock, deliverTo });
    service.payOut({ amount: 1 });
    await Promise.all([clock.advance(60_000), clock.advance(60_000)]);
    expect(times).toEqual([0, 0, 60_000, 60_000, 120_000, 120_000]);
  });

  it('stop when the service is closed', async () => {
    const deliverTo = answering(500);
    const { service, clock } = openMockService({ deliverTo });
    service.payOut({ amount: 1 });
    await clock.advance(0);
    await service.close();
    service.payOut({ amount: 1 });
    await clock.advance(3_600_000);
    expect(deliverTo).toHaveBeenCalledOnce();
    await expect(service.redeliver('delivery-1')).rejects.toThrow(SandboxError);
  });

  it('are not made for notifications that are still queued when the service is closed', async () => {
    const deliverTo = vi.fn<DeliverTo>(() => new Promise(() => {}));
    const { service, clock } = openMockService({ deliverTo });
    for (let amount = 1; amount <= 100; amount++) service.payOut({ amount });
    void clock.advance(0);
    await expect.poll(() => deliverTo).toHaveBeenCalledTimes(64);
    await service.close();
    expect(deliverTo).toHaveBeenCalledTimes(64);
    expect(service.deliveries[99]?.attempts).toMatchObject([{ httpStatus: undefined, error: 'closed' }]);
  });

  it('are made in real time without a fake clock', async () => {
    const service = mockService({ http, deliverTo: answering(500, 500, 200), retryIntervalMs: 5 });
    service.payOut({ amount: 1 });
    await service.idle();
    expect(service.deliveries[0]).toMatchObject({ status: 'delivered', attempts: { length: 3 } });
  });
});

describe('notifications', () => {
  it('go over HTTP to a webhookUrl', async () => {
    const listener = await openListener();
    const { service } = openMockService({ webhookUrl: `${listener.url}?tenant=1` });
    service.payOut({ amount: 1 });
    await service.idle();
    const authorization = `Basic ${btoa('merchant-api-key:merchant:api-token')}`;
    const url = '/hooks?tenant=1&payout=true&type=payout';
    expect(listener.received).toMatchObject([{ method: 'POST', url, headers: { authorization } }]);
  });

  it.each([
    ['a redirect', '307'],
    ['a port on which nothing listens', 'ECONNREFUSED'],
  ])('fail at %s', async (_what, ending) => {
    const listener = await openListener((response) => response.writeHead(307, { location: '/' }).end());
    const webhookUrl = ending === '307' ? listener.url : `http://127.0.0.1:${await unusedPort()}/`;
    const { service, clock } = openMockService({ webhookUrl });
    service.payOut({ amount: 1 });
    await clock.advance(0);
    expect(trace(service)).toBe(`0 s: ${ending}, pending`);
  });

  it('wait without a listener, until one is there and they are sent by hand', async () => {
    const { service } = openMockService();
    service.payOut({ amount: 1 });
    expect(service.deliveries).toMatchObject([{ status: 'not-sent', url: '', attempts: [] }]);
    const listener = await openListener((response) => response.end());
    service.setWebhookUrl(listener.url);
    await service.redeliver('delivery-1');
    expect(service.deliveries).toMatchObject([{ status: 'delivered', attempts: [{ number: 1 }] }]);
  });
});

describe('the fake clock', () => {
  it('runs timers in order and at their time, including timers that these set', async () => {
    const clock = fakeClock(1_000);
    const log: string[] = [];
    const note = (name: string) => () => void log.push(`${name} at ${clock.now()}`);
    clock.set(note('second'), 20);
    clock.set(() => {
      note('first')();
      clock.set(note('from the first'), 5);
    }, 10);
    clock.set(note('with the second'), 20);
    clock.clear(clock.set(note('cleared'), 1));
    clock.set(note('later'), 31);
    await clock.advance(30);
    expect(log.join(', ')).toBe(
      'first at 1010, from the first at 1015, second at 1020, with the second at 1020',
    );
    expect(clock.now()).toBe(1_030);
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('refuses to advance by %d', async (ms) => {
    await expect(fakeClock().advance(ms)).rejects.toThrow(ConfigurationError);
  });
});

describe('options', () => {
  it.each([
    { baseUrl: 'service.example' },
    { baseUrl: 'ftp://service.example' },
    { baseUrl: 'https://service.example/?a=1' },
    { retryIntervalMs: -1 },
    { webhookUrl: '/hooks' },
    { credentials: { apiKey: 'a:b', apiToken: 'token' } },
  ])('that are invalid are refused: %j', (options) => {
    expect(() => mockService({ http, ...options })).toThrow(ConfigurationError);
  });

  it('all have defaults', () => {
    const service = mockService({ http });
    expect(service).toMatchObject({ url: 'https://service.example', handlers: { length: 1 } });
    expect(service.credentials.apiKey).toMatch(/sandbox/);
  });
});

describe('the fetch of a mocked service, in place of msw', () => {
  it('answers as msw does, faults included, and nothing but its own URL', async () => {
    const service = mockService({ credentials, clock: fakeClock() });
    const { url: baseUrl, fetch } = service;
    expect(service.handlers).toEqual([]);
    const client = new PaymentsClient({ baseUrl, ...credentials, fetch, maxRetries: 0 });
    const { uuid } = (await client.createRecurringCheckout(request)).response;
    expect(await client.getTransaction(uuid)).toMatchObject({ situation: 'PENDING' });
    service.fault('getTransaction', { kind: 'reset-before-read' });
    await expect(client.getTransaction(uuid)).rejects.toThrow(ConnectionError);
    service.fault('getTransaction', { kind: 'latency', ms: 60_000 });
    await expect(client.getTransaction(uuid, { timeoutMs: 20 })).rejects.toThrow(TimeoutError);
    await expect(fetch('https://elsewhere.example/')).rejects.toThrow('mockService answers');
    await service.close();
  });
});

describe('a `deliverTo` that cannot work', () => {
  it('is refused if it is a URL', () => {
    const url = 'http://127.0.0.1:3000/webhooks';
    expect(() => mockService({ deliverTo: url as never })).toThrow(
      'Expected `deliverTo` to be a function: `(request) => handler(request)`.',
    );
  });

  it('is named in the attempt if it returns nothing', async () => {
    const { service, clock, uuid } = await openJourney({ deliverTo: (() => {}) as never });
    service.pay(uuid);
    await clock.advance(0);
    expect(trace(service)).toBe(
      '0 s: `deliverTo` gave undefined, and not a Response: is a `return` missing?, pending',
    );
  });
});

it('a client without its `fetch` says what to pass', async () => {
  const { url, credentials } = mockService();
  const client = new PaymentsClient({ baseUrl: url, ...credentials, maxRetries: 0 });
  vi.stubGlobal('fetch', () => {
    const cause = Object.assign(new Error('no such host'), { code: 'ENOTFOUND', syscall: 'getaddrinfo' });
    return Promise.reject(new TypeError('fetch failed', { cause }));
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  const thrown = await failureOf(client.getTransaction('5b0f2c1e-8d3a-4c57-9e21-7f6a0d4b9c10'));
  expect(thrown).toBeInstanceOf(ConnectionError);
  expect(thrown.message).toContain('There is no such host. For `mockService`, pass `fetch: service.fetch`.');
});
