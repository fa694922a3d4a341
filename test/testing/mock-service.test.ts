import { http } from 'msw';
import {
  ApiError,
  ConfigurationError,
  ConnectionError,
  InvalidResponseError,
  PaymentsClient,
  TimeoutError,
} from 'pix-automatic-sdk';
import { type FaultKind, SandboxError } from 'pix-automatic-sdk/sandbox';
import { fakeClock, fixtures, mockService } from 'pix-automatic-sdk/testing';
import { createWebhookHandler, MemoryStore } from 'pix-automatic-sdk/webhooks';
import { describe, expect, it, vi } from 'vitest';
import type { DeliverTo } from '../../src/testing/signed-request';
import { unusedPort } from '../helpers/http-server';
import { openListener } from '../sandbox/helpers';
import { credentials, openJourney, openMockService } from './support';

const request = fixtures.recurringCheckoutRequest();

/** A listener that answers with these statuses, and then repeats the last one. */
function answering(...statuses: number[]) {
  const deliverTo = vi.fn<DeliverTo>(
    async () => new Response(null, { status: (statuses.length > 1 ? statuses.shift() : statuses[0]) ?? 200 }),
  );
  return deliverTo;
}

describe('a journey against the mocked service', () => {
  it('is created, paid, queried and cancelled with the real client, and reaches the real handler', async () => {
    const payment = vi.fn();
    const handler = createWebhookHandler({ credentials, on: { payment } });
    const { service, client, clock, response } = await openJourney({ deliverTo: handler });
    expect(await client().getTransaction(response.uuid)).toMatchObject({
      situation: 'PENDING',
      amount: 59.7,
    });

    const [next] = service.pay(response.uuid);
    await service.idle();
    expect(payment).toHaveBeenCalledOnce();
    expect(payment.mock.calls[0]?.[0].payload).toMatchObject({
      saleToken: response.uuid,
      referenceCode: request.referenceCode,
      date: '2027-01-15 12:00:00',
    });
    expect(service.deliveries).toMatchObject([
      { status: 'delivered', attempts: [{ number: 1, httpStatus: 200 }] },
    ]);

    const reason = { reason: 'moved house' };
    await client().cancelScheduledPayment(next?.instructionId ?? '', reason);
    expect(service.scheduledPayments(response.uuid)[0]).toMatchObject({
      status: 'CANCELLED',
      cancellationReason: 'moved house',
    });
    expect(await client().getTransaction(response.uuid)).toMatchObject({ situation: 'PAID' });
    expect(clock.now()).toBe(Date.UTC(2027, 0, 15, 15));
  });

  it('sends a notification of everything that can happen to it', async () => {
    const kinds: string[] = [];
    const names = ['payment', 'saleStatus', 'reversal', 'refund', 'payout', 'unrecognized'] as const;
    const push = ({ kind }: { kind: string }) => void kinds.push(kind);
    const on = Object.fromEntries(names.map((name) => [name, push]));
    const { service, uuid } = await openJourney({
      deliverTo: createWebhookHandler({ credentials, on }),
      inventions: { saleReversalNotification: true },
    });
    service.pay(uuid);
    await service.idle();
    service.refund(uuid, { amount: 5 });
    await service.idle();
    const reversal = service.reverse(uuid);
    await service.idle();
    service.completeReversal(reversal.uuid);
    service.payOut({ amount: 1 });
    await service.idle();
    service.payOut({ amount: 1, fail: 'PE0004' });
    service.notify({ instructionId: 'i-1' }, 'type=recurrence');
    await service.idle();
    expect(kinds.sort()).toEqual(
      ['payment', 'refund', 'reversal', 'saleStatus', 'reversal', 'payout', 'payout', 'unrecognized'].sort(),
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
    const { client } = openMockService();
    await expect(client({ apiToken: 'other' }).getTransaction('x')).rejects.toMatchObject({
      httpStatus: 401,
    });
  });

  it('throws a SandboxError for a move that the sandbox refuses', async () => {
    const { service, uuid } = await openJourney();
    expect(() => service.refund(uuid)).toThrow(SandboxError);
    expect(() => service.pay('nope')).toThrow(SandboxError);
  });
});

describe('faults', () => {
  const cases: [FaultKind, object, object][] = [
    [{ kind: 'status', status: 409 }, ApiError, { httpStatus: 409, outcome: 'refused' }],
    [{ kind: 'status', status: 504 }, ApiError, { httpStatus: 504, outcome: 'unknown' }],
    [{ kind: 'body-status', status: 999 }, ApiError, { status: 999, outcome: 'unknown' }],
    [{ kind: 'reset-before-read' }, ConnectionError, { outcome: 'unknown' }],
    [{ kind: 'reset-after-read' }, ConnectionError, { outcome: 'unknown' }],
    [{ kind: 'stalled-body' }, TimeoutError, { outcome: 'unknown' }],
    [{ kind: 'truncated-body' }, ConnectionError, { outcome: 'unknown' }],
    [{ kind: 'wrong-json' }, InvalidResponseError, { outcome: 'unknown' }],
    [{ kind: 'latency', ms: 10_000 }, TimeoutError, { outcome: 'unknown' }],
  ];

  it.each(cases)('%j reaches the client as the matching error', async (fault, error, details) => {
    const { service, client } = openMockService();
    service.fault('createRecurringCheckout', fault);
    const thrown = await client({ timeoutMs: 300 })
      .createRecurringCheckout(request)
      .catch((e: unknown) => e);
    expect(thrown).toBeInstanceOf(error);
    expect(thrown).toMatchObject(details);
    await expect(client().createRecurringCheckout(request)).resolves.toMatchObject({ status: 0 });
  });
});

describe('deliveries on the fake clock', () => {
  it('begin when the clock advances by 0, so that a test can do something before it', async () => {
    const deliverTo = answering(200);
    const { service, clock, uuid } = await openJourney({ deliverTo });
    service.pay(uuid);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(deliverTo).not.toHaveBeenCalled();
    expect(service.deliveries).toMatchObject([{ status: 'pending', attempts: [] }]);
    await clock.advance(0);
    expect(deliverTo).toHaveBeenCalledOnce();
    expect(service.deliveries).toMatchObject([{ status: 'delivered', attempts: { length: 1 } }]);
  });

  it('that are due are made by idle', async () => {
    const deliverTo = answering(200);
    const { service } = openMockService({ deliverTo });
    service.payOut({ amount: 1 });
    await service.idle();
    expect(deliverTo).toHaveBeenCalledOnce();
  });
});

describe('retries on the fake clock', () => {
  it('are five after the first attempt, a minute apart, before the delivery is given up', async () => {
    const deliverTo = answering(500);
    const { service, clock } = openMockService({ deliverTo });
    const started = clock.now();
    service.payOut({ amount: 1 });
    await clock.advance(0);
    expect(deliverTo).toHaveBeenCalledTimes(1);

    for (const retry of [1, 2, 3, 4, 5]) {
      await clock.advance(59_999);
      expect(deliverTo).toHaveBeenCalledTimes(retry);
      await clock.advance(1);
      expect(deliverTo).toHaveBeenCalledTimes(retry + 1);
      expect(service.deliveries[0]?.status).toBe(retry < 5 ? 'pending' : 'given-up');
    }
    await clock.advance(3_600_000);
    expect(deliverTo).toHaveBeenCalledTimes(6);
    expect(service.deliveries[0]?.attempts).toEqual(
      [1, 2, 3, 4, 5, 6].map((number) => ({
        number,
        manual: false,
        startedAt: new Date(started + (number - 1) * 60_000).toISOString(),
        httpStatus: 500,
        error: undefined,
        durationMs: 0,
      })),
    );
    await service.idle();
  });

  it('are all made when the clock advances far enough', async () => {
    const deliverTo = answering(503);
    const { service, clock } = openMockService({ deliverTo, retryIntervalMs: 1_000 });
    service.payOut({ amount: 1 });
    service.payOut({ amount: 2 });
    await clock.advance(5_000);
    expect(service.deliveries.map(({ status }) => status)).toEqual(['given-up', 'given-up']);
    expect(deliverTo).toHaveBeenCalledTimes(12);
  });

  it('stop at the first 200', async () => {
    const deliverTo = answering(500, 202, 200);
    const { service, clock } = openMockService({ deliverTo });
    service.payOut({ amount: 1 });
    await clock.advance(3_600_000);
    expect(deliverTo).toHaveBeenCalledTimes(3);
    expect(service.deliveries[0]).toMatchObject({ status: 'delivered', attempts: { length: 3 } });
    const urls = deliverTo.mock.calls.map(([{ url }]) => url);
    expect(new Set(urls)).toEqual(new Set(['https://merchant.example/webhooks?payout=true&type=payout']));
  });

  it('reach a handler whose callback fails twice and then acts once', async () => {
    const acted = vi.fn();
    const payout = vi.fn(async () => {
      if (payout.mock.calls.length < 3) throw new Error('database down');
      acted();
    });
    const clock = fakeClock();
    const store = new MemoryStore({ clock: clock.now });
    const handler = createWebhookHandler({ credentials, store, on: { payout }, onReport: () => {} });
    const { service } = openMockService({ clock, deliverTo: handler });
    service.payOut({ amount: 1 });
    await clock.advance(120_000);
    expect(service.deliveries[0]?.attempts.map(({ httpStatus }) => httpStatus)).toEqual([500, 500, 200]);

    await service.redeliver('delivery-1');
    expect(acted).toHaveBeenCalledOnce();
    expect(service.deliveries[0]?.attempts[3]).toMatchObject({ manual: true, httpStatus: 200 });
  });

  it('wait for a slow handler before the clock advances further', async () => {
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

  it('follow an attempt that throws, and one that times out', async () => {
    const statuses = [
      () => Promise.reject(new RangeError('secret')),
      () => Promise.reject(Object.assign(new Error('x'), { code: 'ECONNREFUSED' })),
      () => new Promise<Response>(() => {}),
      async () => new Response(),
    ];
    const { service, clock } = openMockService({
      deliverTo: () => (statuses.shift() ?? (() => Promise.reject()))(),
      inventions: { deliveryTimeoutMs: 50 },
    });
    service.payOut({ amount: 1 });
    await clock.advance(300_000);
    const attempts = service.deliveries[0]?.attempts.map(({ httpStatus, error }) => httpStatus ?? error);
    expect(attempts).toEqual(['RangeError', 'ECONNREFUSED', 'timeout', 200]);
  });

  it('stop when the service is closed', async () => {
    const deliverTo = answering(500);
    const { service, clock } = openMockService({ deliverTo });
    service.payOut({ amount: 1 });
    await clock.advance(0);
    await service.close();
    await clock.advance(3_600_000);
    service.payOut({ amount: 1 });
    await clock.advance(0);
    expect(deliverTo).toHaveBeenCalledOnce();
    await expect(service.redeliver('delivery-1')).rejects.toThrow(SandboxError);
  });

  it('are not made for notifications that are still queued when the service is closed', async () => {
    const deliverTo = vi.fn<DeliverTo>(() => new Promise(() => {}));
    const { service, clock } = openMockService({ deliverTo });
    for (let amount = 1; amount <= 100; amount++) service.payOut({ amount });
    void clock.advance(0);
    await vi.waitFor(() => expect(deliverTo).toHaveBeenCalledTimes(64));
    await service.close();
    expect(deliverTo).toHaveBeenCalledTimes(64);
    expect(service.deliveries[99]?.attempts).toMatchObject([{ httpStatus: undefined, error: 'closed' }]);
  });

  it('also work in real time, without a fake clock', async () => {
    const deliverTo = answering(500, 500, 200);
    const service = mockService({ http, deliverTo, retryIntervalMs: 5 });
    service.payOut({ amount: 1 });
    await service.idle();
    expect(service.deliveries[0]).toMatchObject({ status: 'delivered', attempts: { length: 3 } });
  });
});

describe('notifications', () => {
  it('go over HTTP to a webhookUrl', async () => {
    const listener = await openListener();
    const { service, clock } = openMockService({ webhookUrl: `${listener.url}?tenant=1` });
    service.payOut({ amount: 1 });
    await service.idle();
    expect(listener.received).toMatchObject([
      { method: 'POST', url: '/hooks?tenant=1&payout=true&type=payout' },
    ]);
    expect(listener.received[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from('merchant-api-key:merchant:api-token').toString('base64')}`,
    );

    service.setWebhookUrl(`http://127.0.0.1:${await unusedPort()}/`);
    service.payOut({ amount: 1 });
    await clock.advance(0);
    expect(service.deliveries[1]?.attempts).toMatchObject([{ httpStatus: undefined, error: 'ECONNREFUSED' }]);
  });

  it('follow no redirect', async () => {
    const listener = await openListener((_request, response) =>
      response.writeHead(307, { location: '/' }).end(),
    );
    const { service, clock } = openMockService({ webhookUrl: listener.url });
    service.payOut({ amount: 1 });
    await clock.advance(0);
    expect(service.deliveries[0]?.attempts).toMatchObject([{ httpStatus: 307 }]);
    expect(listener.received).toHaveLength(1);
  });

  it('go nowhere without a listener', async () => {
    const { service } = openMockService();
    service.payOut({ amount: 1 });
    expect(service.deliveries).toEqual([]);
  });
});

describe('the fake clock', () => {
  it('runs timers in order and at their time, including timers that these set', async () => {
    const clock = fakeClock(1_000);
    const log: [string, number][] = [];
    const note = (name: string) => () => void log.push([name, clock.now()]);
    clock.set(note('second'), 20);
    clock.set(() => {
      note('first')();
      clock.set(note('from the first'), 5);
    }, 10);
    clock.set(note('with the second'), 20);
    clock.clear(clock.set(note('cleared'), 1));
    clock.set(note('later'), 31);
    await clock.advance(30);
    expect(log).toEqual([
      ['first', 1_010],
      ['from the first', 1_015],
      ['second', 1_020],
      ['with the second', 1_020],
    ]);
    expect(clock.now()).toBe(1_030);
  });

  it('refuses to advance by a negative or non-finite time', async () => {
    for (const ms of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
      await expect(fakeClock().advance(ms)).rejects.toThrow(ConfigurationError);
    }
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
    expect(service.handlers).toEqual([]);
    const client = new PaymentsClient({
      baseUrl: service.url,
      ...credentials,
      fetch: service.fetch,
      maxRetries: 0,
    });
    const { response } = await client.createRecurringCheckout(request);
    expect(await client.getTransaction(response.uuid)).toMatchObject({ situation: 'PENDING' });
    service.fault('getTransaction', { kind: 'reset-before-read' });
    await expect(client.getTransaction(response.uuid)).rejects.toThrow(ConnectionError);
    service.fault('getTransaction', { kind: 'latency', ms: 60_000 });
    await expect(client.getTransaction(response.uuid, { timeoutMs: 20 })).rejects.toThrow(TimeoutError);
    await expect(service.fetch('https://elsewhere.example/')).rejects.toThrow('mockService answers');
    await service.close();
  });
});
