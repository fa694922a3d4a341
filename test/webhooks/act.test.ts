import { MemoryDeadLetters } from 'pix-automatic-sdk/stores';
import { MemoryStore, type WebhookContext, type WebhookReport } from 'pix-automatic-sdk/webhooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  authorization,
  createListener,
  fail,
  hang,
  loseReply,
  notificationRequest,
  reversalPayload,
  salePayload,
  send,
  statusOf,
  throwing,
  WatchedStore,
} from './support';

const deliverPayment = (listener: { handler: (request: Request) => Promise<Response> }) =>
  listener.handler(notificationRequest(salePayload()));

const unhandled: unknown[] = [];
const noteUnhandled = (error: unknown) => void unhandled.push(error);

beforeEach(() => {
  unhandled.length = 0;
  process.on('unhandledRejection', noteUnhandled);
  // Only the tests move time forward.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});

afterEach(async () => {
  vi.useRealTimers();
  await new Promise((resolve) => setTimeout(resolve, 5));
  process.off('unhandledRejection', noteUnhandled);
  expect(unhandled).toEqual([]);
});

/** What a promise gives after so many milliseconds; 'nothing yet' while it is pending. */
async function resultAfter<T>(ms: number, promise: Promise<T>): Promise<T | 'nothing yet'> {
  let result: T | 'nothing yet' = 'nothing yet';
  promise.then((value) => {
    result = value;
  });
  // The body is read by the platform, in real time.
  await settle();
  await vi.advanceTimersByTimeAsync(ms);
  await settle();
  return result;
}

const settle = async () => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

describe('a store', () => {
  it.each([
    ['fails', fail],
    ['throws synchronously', throwing(new Error('injected: store failed, CPF 52998224725'))],
  ])(
    'that %s at claim leads to 503 with Retry-After, no callback, and the error only in onReport',
    async (_, fault) => {
      const store = new WatchedStore();
      store.faults.claim.push(fault);
      const listener = createListener({ store });
      const answer = await deliverPayment(listener);
      expect([answer.status, await answer.text()]).toEqual([503, 'Try again later']);
      expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      expect(listener.acted).toEqual([]);
      expect(listener.reports).toMatchObject([
        { code: 'store_failed', status: 503, error: { message: expect.stringContaining('injected') } },
      ]);
      expect(await statusOf(deliverPayment(listener))).toBe(200);
      expect(listener.acted).toEqual(['payment:s-1:PAID']);
    },
  );

  it('that hangs at claim leads to 503 after storeTimeoutMs, 5 s by default', async () => {
    const store = new WatchedStore();
    store.faults.claim.push(hang);
    const listener = createListener({ store });
    const status = statusOf(deliverPayment(listener));
    expect(await resultAfter(4_999, status)).toBe('nothing yet');
    expect(await resultAfter(1, status)).toBe(503);
    expect(listener.acted).toEqual([]);
    expect(listener.reports).toMatchObject([{ code: 'store_failed', status: 503 }]);
  });

  it('that answers a claim too late no longer makes the callback run', async () => {
    const store = new WatchedStore();
    store.faults.claim.push(async (go) => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      return go();
    });
    const listener = createListener({ store, storeTimeoutMs: 200 });
    const status = statusOf(deliverPayment(listener));
    expect(await resultAfter(250, status)).toBe(503);
    expect(await resultAfter(10_000, status)).toBe(503);
    expect(store.claims).toHaveLength(1);
    expect(listener.acted).toEqual([]);
  });

  it('that rejects a claim too late leaves no rejection unhandled', async () => {
    const store = new WatchedStore();
    store.faults.claim.push(
      () => new Promise((_, reject) => setTimeout(() => reject(new Error('late')), 300)),
    );
    const listener = createListener({ store, storeTimeoutMs: 200 });
    expect(await resultAfter(1_000, statusOf(deliverPayment(listener)))).toBe(503);
  });

  it('that fails at release, in whatever way, leaves the callback’s 500 as the answer and in the report', async () => {
    const faults = [fail, throwing(new Error('at once')), hang];
    for (const fault of faults) {
      const store = new WatchedStore();
      store.faults.release.push(fault);
      const failure = new Error('callback');
      const listener = createListener({
        store,
        on: {
          payment: throwing(failure),
        },
      });
      expect(await resultAfter(5_000, statusOf(deliverPayment(listener)))).toBe(500);
      expect(listener.reports).toMatchObject([{ code: 'callback_failed', error: failure }]);
    }
  });
});

describe('a lease', () => {
  it.each([
    [undefined, 40_000],
    [1, 15_001],
    [40_000, 55_000],
  ])('with callbackTimeoutMs %s is %d ms long: 15 s more than the callback may take', async (ms, lease) => {
    const store = new WatchedStore();
    const listener = createListener({ store, callbackTimeoutMs: ms });
    expect(await statusOf(deliverPayment(listener))).toBe(200);
    expect(store.leases).toEqual([lease]);
  });

  it('is released at once when the callback threw, and only then', async () => {
    const store = new WatchedStore();
    const failures = [new Error('first')];
    const listener = createListener({
      store,
      on: {
        payment() {
          const failure = failures.shift();
          if (failure !== undefined) throw failure;
        },
      },
    });
    expect(await statusOf(deliverPayment(listener))).toBe(500);
    expect(await statusOf(deliverPayment(listener))).toBe(200);
    expect(await statusOf(deliverPayment(listener))).toBe(200);
    expect(store.steps).toEqual(['claim', 'release', 'claim', 'complete', 'claim']);
  });
});

describe('a callback that takes too long', () => {
  it('is answered 500 at callbackTimeoutMs, its signal fires, and nothing is released', async () => {
    const store = new WatchedStore();
    const signals: AbortSignal[] = [];
    const listener = createListener({
      store,
      callbackTimeoutMs: 1_000,
      on: {
        payment: (_, { signal }) => {
          signals.push(signal);
          return hang();
        },
      },
    });
    const status = statusOf(deliverPayment(listener));
    expect(await resultAfter(999, status)).toBe('nothing yet');
    expect(signals[0]?.aborted).toBe(false);
    expect(await resultAfter(1, status)).toBe(500);
    expect(signals[0]?.aborted).toBe(true);
    expect(listener.reports).toMatchObject([
      { code: 'callback_timeout', status: 500, kind: 'payment', key: 'payment:s-1:PAID' },
    ]);
    expect(store.steps).toEqual(['claim']);

    // As far as anybody knows, the callback is still running.
    expect(await resultAfter(14_000, statusOf(deliverPayment(listener)))).toBe(503);
    expect(listener.reports.at(-1)).toMatchObject({ code: 'busy' });
  });

  it('and then rejects has its lease released, and no rejection is unhandled', async () => {
    const store = new WatchedStore();
    const listener = createListener({
      store,
      callbackTimeoutMs: 100,
      on: {
        payment: async () => {
          await new Promise((resolve) => setTimeout(resolve, 200));
          throw new Error('late');
        },
      },
    });
    expect(await resultAfter(1_000, statusOf(deliverPayment(listener)))).toBe(500);
    expect(store.steps).toEqual(['claim', 'release']);
    expect(listener.reports).toHaveLength(1);
  });

  it('and then succeeds within its lease is recorded: the next delivery finds it done', async () => {
    const store = new WatchedStore();
    const deadLetters = new MemoryDeadLetters();
    let runs = 0;
    const listener = createListener({
      store,
      deadLetters,
      callbackTimeoutMs: 1_000,
      on: {
        payment: () => {
          runs += 1;
          return new Promise((resolve) => setTimeout(resolve, 1_100));
        },
      },
    });
    const status = statusOf(deliverPayment(listener));
    expect(await resultAfter(1_000, status)).toBe(500);
    expect(await deadLetters.list()).toMatchObject([{ code: 'callback_timeout' }]);
    await vi.advanceTimersByTimeAsync(100);
    await settle();
    expect([store.steps, await deadLetters.list()]).toEqual([['claim', 'complete'], []]);
    for (let delivery = 2; delivery <= 6; delivery += 1) {
      expect(await resultAfter(60_000, statusOf(deliverPayment(listener)))).toBe(200);
    }
    expect(runs).toBe(1);
  });

  it('and whose late success the store refuses stays a dead letter', async () => {
    const store = new WatchedStore();
    store.faults.complete.push(async () => false);
    const deadLetters = new MemoryDeadLetters();
    const listener = createListener({
      store,
      deadLetters,
      callbackTimeoutMs: 100,
      on: { payment: () => new Promise((resolve) => setTimeout(resolve, 150)) },
    });
    expect(await resultAfter(100, statusOf(deliverPayment(listener)))).toBe(500);
    await vi.advanceTimersByTimeAsync(100);
    await settle();
    expect(await deadLetters.list()).toHaveLength(1);
  });

  it('again is reported with the number of deliveries that failed, counted for a thousand keys only', async () => {
    const listener = createListener({ on: { payment: () => Promise.reject(new Error('bug')) } });
    const deliver = async (saleToken: string) => {
      const body = { ...salePayload(), saleToken };
      await resultAfter(
        1,
        listener.handler.handle({ method: 'POST', url: '/', headers: { authorization }, body }),
      );
      const { delivery, message } = listener.reports.at(-1) as WebhookReport;
      expect(message).toContain(`this process has seen ${delivery} of its deliveries fail`);
      return delivery;
    };
    expect([await deliver('a'), await deliver('b'), await deliver('a')]).toEqual([1, 1, 2]);
    for (let n = 0; n < 1_000; n += 1) await deliver(`s-${n}`);
    expect([await deliver('a'), await deliver('s-999')]).toEqual([1, 2]);
  });

  it('is the only one whose signal fires, and a callback in time leaves no timer behind', async () => {
    const signals: AbortSignal[] = [];
    const listener = createListener({
      callbackTimeoutMs: 100,
      on: { payment: (_, { signal }) => void signals.push(signal) },
    });
    expect(await statusOf(deliverPayment(listener))).toBe(200);
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(signals[0]?.aborted).toBe(false);
  });
});

describe('recording that a callback succeeded', () => {
  it.each([1, 2, 5])('is tried again after %d failures, then answered 200', async (times) => {
    const store = new WatchedStore();
    store.faults.complete.push(...Array.from({ length: times }, () => fail));
    const listener = createListener({ store });
    expect(await resultAfter(30_000, statusOf(deliverPayment(listener)))).toBe(200);
    expect(store.steps).toEqual(['claim', ...Array.from({ length: times + 1 }, () => 'complete')]);
    expect(listener.reports).toEqual([]);
    expect(await statusOf(deliverPayment(listener))).toBe(200);
    expect(listener.acted).toHaveLength(1);
  });

  it.each([
    ['throws', throwing(new Error('at once'))],
    ['hangs', hang],
    ['loses its reply', loseReply],
  ])('is tried again when the store %s, then answered 200', async (_, fault) => {
    const store = new WatchedStore();
    store.faults.complete.push(fault, fault);
    const listener = createListener({ store, storeTimeoutMs: 1_000 });
    expect(await resultAfter(10_000, statusOf(deliverPayment(listener)))).toBe(200);
    expect(store.steps).toEqual(['claim', 'complete', 'complete', 'complete']);
    expect(await statusOf(deliverPayment(listener))).toBe(200);
    expect(listener.acted).toHaveLength(1);
  });

  it('is tried until the lease ends, with pauses, and then answered 503; nothing is released', async () => {
    const store = new WatchedStore();
    store.faults.complete.push(...Array.from({ length: 1_000 }, () => fail));
    const listener = createListener({ store, callbackTimeoutMs: 5_000 });
    const status = statusOf(deliverPayment(listener));
    // The lease lasts 20 s, the longest pause 2 s.
    expect(await resultAfter(17_900, status)).toBe('nothing yet');
    expect(await resultAfter(2_100, status)).toBe(503);
    expect(store.steps.filter((step) => step === 'release')).toEqual([]);
    expect(store.steps.length).toBeGreaterThan(8);
    expect(store.steps.length).toBeLessThan(30);
    expect(listener.reports).toMatchObject([{ code: 'store_failed', status: 503, key: 'payment:s-1:PAID' }]);
  });

  it('is not tried again where the lease would be over by then: another delivery may have the subject', async () => {
    const store = new WatchedStore();
    store.faults.complete.push(...Array.from({ length: 1_000 }, () => fail));
    // The lease lasts 21.1 s. The tries come at 0, 0.1, 0.3, 0.7, 1.5 and 3.1 s and then every 2 s, so one would come
    // at 21.1 s.
    const listener = createListener({ store, callbackTimeoutMs: 6_100 });
    const status = statusOf(deliverPayment(listener));
    expect(await resultAfter(19_099, status)).toBe('nothing yet');
    expect(await resultAfter(1, status)).toBe(503);
    expect(store.steps.filter((step) => step === 'complete')).toHaveLength(14);
  });

  it('is answered 503, never 200, when it comes too late: another delivery may have the subject', async () => {
    const store = new WatchedStore();
    store.faults.complete.push(async () => false);
    const listener = createListener({ store });
    const answer = await deliverPayment(listener);
    expect([answer.status, await answer.text()]).toEqual([503, 'Try again later']);
    expect(listener.reports).toMatchObject([{ code: 'lease_lost', status: 503 }]);
    expect(store.steps).toEqual(['claim', 'complete']);
  });

  it('comes before the answer', async () => {
    const store = new WatchedStore();
    let finish = () => {};
    store.faults.complete.push(async (go) => {
      await new Promise<void>((resolve) => (finish = resolve));
      return go();
    });
    const status = statusOf(deliverPayment(createListener({ store })));
    expect(await resultAfter(1_000, status)).toBe('nothing yet');
    finish();
    expect(await resultAfter(0, status)).toBe(200);
  });
});

describe('retentionMs', () => {
  it('is how long known kinds and own ones are remembered; unrecognized ones stay an hour', async () => {
    const store = new WatchedStore();
    const act = () => undefined;
    const listener = createListener({
      store,
      retentionMs: 90 * 24 * 60 * 60 * 1000,
      on: { payment: act, unrecognized: act },
    });
    expect(await statusOf(deliverPayment(listener))).toBe(200);
    expect(await send(listener.handler, { novel: 1 })).toBe(200);
    expect(store.retentions).toEqual([90 * 24 * 60 * 60 * 1000, 60 * 60 * 1000]);
  });

  it('lets a notification be acted on again once it is over', async () => {
    vi.useRealTimers();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
    const listener = createListener({ store: new MemoryStore(), retentionMs: 3_600_000 });
    expect(await statusOf(deliverPayment(listener))).toBe(200);
    await vi.advanceTimersByTimeAsync(3_599_000);
    expect(await statusOf(deliverPayment(listener))).toBe(200);
    expect(listener.acted).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await statusOf(deliverPayment(listener))).toBe(200);
    expect(listener.acted).toHaveLength(2);
  });
});

describe('the context', () => {
  it('has the key, the fence and no transaction, and the states that were done before', async () => {
    const contexts: WebhookContext[] = [];
    const listener = createListener({
      on: { reversal: (_, context) => void contexts.push(context) },
    });
    for (const status of ['PAID', 'PENDING', 'CANCELLED']) {
      expect(await send(listener.handler, { ...reversalPayload(), status })).toBe(200);
    }
    // A PENDING that comes after PAID was overtaken on its way, and `handledStates` shows it to the merchant.
    expect(contexts.map(({ key, handledStates }) => [key, handledStates])).toEqual([
      ['reversal:v-1:PAID', []],
      ['reversal:v-1:PENDING', ['PAID']],
      ['reversal:v-1:CANCELLED', ['PAID', 'PENDING']],
    ]);
    const fences = contexts.map(({ fence }) => fence);
    expect(fences).toEqual([...fences].sort((a, b) => a - b));
    expect(new Set(fences).size).toBe(3);
    expect(contexts[0]).toMatchObject({ credentialIndex: 0, transaction: undefined });
    expect(contexts[0]?.signal).toBeInstanceOf(AbortSignal);
  });
});
