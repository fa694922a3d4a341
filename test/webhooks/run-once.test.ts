import { MemoryStore, type WebhookContext, type WebhookHandlerOptions } from 'pix-automatic-sdk/webhooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fail, gate, hang, loseReply, throwing } from './faults';
import { refundPayload, reversalPayload, salePayload } from './payloads';
import { authorization, createListener, notificationRequest, send } from './support';
import { WatchedStore } from './watched-store';

// Only the tests move time forward. A rejection that nothing handles fails the whole run.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

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
const delay = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const times = <Value>(count: number, value: Value) => Array.from({ length: count }, () => value);

/** A listener over a watched store with faults, and what a payment is answered after so many milliseconds. */
function createWatched(
  faults: Partial<WatchedStore['faults']>,
  options: Partial<WebhookHandlerOptions> = {},
) {
  const store = new WatchedStore();
  Object.assign(store.faults, faults);
  const listener = createListener({ store, ...options });
  return { ...listener, store, pay: (ms = 0) => resultAfter(ms, send(listener.handler)) };
}

describe('a store', () => {
  it.each([
    ['fails', fail],
    ['throws synchronously', throwing(new Error('injected: store failed, CPF 52998224725'))],
  ])(
    'that %s at claim leads to 503 with Retry-After, no callback, and the error only in onReport',
    async (_, fault) => {
      const { handler, acted, reports, pay } = createWatched({ claim: [fault] });
      const answer = await handler(notificationRequest(salePayload()));
      expect([answer.status, await answer.text()]).toEqual([503, 'Try again later']);
      expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      expect(acted).toEqual([]);
      expect(reports).toMatchObject([
        { code: 'store_failed', status: 503, error: { message: expect.stringContaining('injected') } },
      ]);
      expect([await pay(), acted]).toEqual([200, ['payment:s-1:PAID']]);
    },
  );

  it('that hangs at claim leads to 503 after storeTimeoutMs, 5 s by default', async () => {
    const { handler, acted, reports } = createWatched({ claim: [hang] });
    const status = send(handler);
    expect(await resultAfter(4_999, status)).toBe('nothing yet');
    expect(await resultAfter(1, status)).toBe(503);
    expect(acted).toEqual([]);
    expect(reports).toMatchObject([
      { code: 'store_failed', status: 503, error: { message: 'took longer than 5000 ms' } },
    ]);
  });

  it.each<[string, (go: () => Promise<unknown>) => Promise<unknown>]>([
    ['answers a claim', (go) => delay(300).then(go)],
    ['rejects a claim', () => delay(300).then(throwing(new Error('late')))],
  ])('that %s too late no longer makes the callback run', async (_, fault) => {
    const { handler, acted } = createWatched({ claim: [fault] }, { storeTimeoutMs: 200 });
    const status = send(handler);
    expect(await resultAfter(250, status)).toBe(503);
    await resultAfter(10_000, status);
    expect(acted).toEqual([]);
  });

  it.each([fail, throwing(new Error('at once')), hang])(
    'that fails at release leaves the callback’s 500 as the answer and in the report: %s',
    async (fault) => {
      const error = new Error('callback');
      const { pay, reports } = createWatched({ release: [fault] }, { on: { payment: throwing(error) } });
      expect(await pay(5_000)).toBe(500);
      expect(reports).toMatchObject([{ code: 'callback_failed', error }]);
    },
  );
});

describe('a lease', () => {
  it.each([
    [undefined, 40_000],
    [1, 15_001],
    [40_000, 55_000],
  ])('with callbackTimeoutMs %s is %d ms long: 15 s more than the callback may take', async (ms, lease) => {
    const { pay, store } = createWatched({}, { callbackTimeoutMs: ms });
    expect([await pay(), store.leases]).toEqual([200, [lease]]);
  });

  it('is released at once when the callback threw, and only then', async () => {
    const callbacks = [throwing(new Error('first'))];
    const { pay, store } = createWatched({}, { on: { payment: () => callbacks.shift()?.() } });
    expect([await pay(), await pay(), await pay()]).toEqual([500, 200, 200]);
    expect(store.steps).toEqual(['claim', 'release', 'claim', 'complete', 'claim']);
  });

  it.each(['performance', 'Date'] as const)(
    'of which too little is left runs no callback, whichever clock shows it: %s',
    async (clock) => {
      vi.useRealTimers();
      let jump = 0;
      const [now, wall] = [performance.now.bind(performance), Date.now.bind(Date)];
      if (clock === 'Date') vi.spyOn(Date, 'now').mockImplementation(() => wall() + jump);
      else vi.spyOn(performance, 'now').mockImplementation(() => now() + jump);
      // The process is suspended after the claim was sent: timers do not see it.
      const suspend = async (go: () => Promise<unknown>) => {
        const claimed = await go();
        jump = 15_100;
        return claimed;
      };
      const { handler, acted, store, reports } = createWatched({ claim: [suspend] });
      const first = await send(handler);
      expect([first, acted, store.steps]).toEqual([503, [], ['claim', 'release']]);
      expect(reports).toMatchObject([
        {
          code: 'store_failed',
          status: 503,
          error: { name: 'DeadlineExceeded', message: expect.stringContaining('probably suspended') },
        },
      ]);
      expect(await send(handler)).toBe(200);
      vi.restoreAllMocks();
    },
  );
});

describe('a callback', () => {
  /** A query builder as ORMs have it: it runs when it is awaited, and each time it is. */
  const lazyQuery = (rows: string[], fails = false) => {
    const run = async () => (fails ? throwing(new Error('injected: SQL failed'))() : rows.push('written'));
    const then: PromiseLike<number>['then'] = (resolve, reject) => run().then(resolve, reject);
    return { ['then' as string]: then } as unknown as PromiseLike<number>;
  };

  it.each<[string, (rows: string[]) => unknown, number]>([
    ['returns a lazy query', (rows) => lazyQuery(rows), 200],
    ['returns a lazy query from an async function', async (rows) => lazyQuery(rows), 200],
    ['awaits a lazy query', async (rows) => void (await lazyQuery(rows)), 200],
    ['returns a lazy query which fails', (rows) => lazyQuery(rows, true), 500],
    ['returns any value', (rows) => rows.push('written') > 7, 200],
  ])('that %s has it run, and once', async (_, callback, status) => {
    const rows: string[] = [];
    const { pay, store } = createWatched({}, { on: { payment: () => callback(rows) } });
    expect(await pay()).toBe(status);
    expect(store.steps).toEqual(['claim', status === 200 ? 'complete' : 'release']);
    expect(rows).toEqual(status === 200 ? ['written'] : []);
  });
});

describe('a callback that takes too long', () => {
  it('is answered 500 at callbackTimeoutMs, its signal fires, and nothing is released', async () => {
    const signals: AbortSignal[] = [];
    const payment = (_: unknown, { signal }: WebhookContext) => signals.push(signal) && hang();
    const { handler, pay, store, reports } = createWatched({}, { callbackTimeoutMs: 1_000, on: { payment } });
    const status = send(handler);
    expect(await resultAfter(999, status)).toBe('nothing yet');
    expect(signals[0]?.aborted).toBe(false);
    expect(await resultAfter(1, status)).toBe(500);
    expect([signals[0]?.aborted, signals[0]?.reason.name]).toEqual([true, 'DeadlineExceeded']);
    expect(reports).toMatchObject([
      { code: 'callback_timeout', status: 500, kind: 'payment', key: 'payment:s-1:PAID' },
    ]);
    expect(store.steps).toEqual(['claim']);

    // As far as anybody knows, the callback is still running.
    expect(await pay(14_000)).toBe(503);
    expect(reports.at(-1)).toMatchObject({ code: 'busy' });
  });

  it.each<[string, (context: WebhookContext) => Promise<unknown>]>([
    ['then rejects', () => delay(200).then(throwing(new Error('late')))],
    [
      'ends because of its signal',
      ({ signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    ],
  ])('and %s has its lease released', async (_, callback) => {
    const payment = (_: unknown, context: WebhookContext) => callback(context);
    const { pay, store, reports } = createWatched({}, { callbackTimeoutMs: 100, on: { payment } });
    expect(await pay(1_000)).toBe(500);
    expect(store.steps).toEqual(['claim', 'release']);
    expect(reports).toMatchObject([{ code: 'callback_timeout' }]);
  });

  it('and then succeeds within its lease is recorded: the next delivery finds it done', async () => {
    let runs = 0;
    const payment = () => delay(++runs * 1_100);
    const { pay, store } = createWatched(
      {},
      { deadLetters: true, callbackTimeoutMs: 1_000, on: { payment } },
    );
    expect(await pay(1_000)).toBe(500);
    expect(await store.letters.list()).toMatchObject([{ code: 'callback_timeout' }]);
    await vi.advanceTimersByTimeAsync(100);
    await settle();
    expect([store.steps, await store.letters.list()]).toEqual([['claim', 'complete'], []]);
    for (let delivery = 2; delivery <= 6; delivery += 1) expect(await pay(60_000)).toBe(200);
    expect(runs).toBe(1);
  });

  it('and whose late success the store refuses stays a dead letter', async () => {
    const options = { deadLetters: true, callbackTimeoutMs: 100, on: { payment: () => delay(150) } };
    const { pay, store } = createWatched({ complete: [async () => false] }, options);
    expect(await pay(200)).toBe(500);
    expect(await store.letters.list()).toHaveLength(1);
  });

  it('is the only one whose signal fires, and a callback in time leaves no timer behind', async () => {
    const signals: AbortSignal[] = [];
    const on = { payment: (_: unknown, { signal }: WebhookContext) => void signals.push(signal) };
    const { pay } = createWatched({}, { callbackTimeoutMs: 100, on });
    expect([await pay(), vi.getTimerCount()]).toEqual([200, 0]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(signals[0]?.aborted).toBe(false);
  });
});

it('a report has the number of deliveries that failed, counted for a thousand keys only', async () => {
  vi.useRealTimers();
  const { handler, reports } = createListener({ on: { payment: throwing(new Error('bug')) } });
  const deliver = async (saleToken: string) => {
    const body = { ...salePayload(), saleToken };
    await handler.handle({ method: 'POST', url: '/', headers: { authorization }, body });
    const report = reports.at(-1);
    expect(report?.message).toContain(`this process has seen ${report?.delivery} of its deliveries fail`);
    return report?.delivery;
  };
  expect([await deliver('a'), await deliver('b'), await deliver('a')]).toEqual([1, 1, 2]);
  for (let n = 0; n < 998; n += 1) await deliver(`s-${n}`);
  expect([await deliver('a'), await deliver('b')]).toEqual([3, 2]);
  for (let n = 998; n < 1_998; n += 1) await deliver(`s-${n}`);
  expect([await deliver('a'), await deliver('s-1997')]).toEqual([1, 2]);
});

describe('recording that a callback succeeded', () => {
  it.each<[string, (() => unknown)[]]>([
    ['fails once', [fail]],
    ['fails five times', times(5, fail)],
    ['throws', times(2, throwing(new Error('at once')))],
    ['hangs', times(2, hang)],
    ['loses its reply', [loseReply as () => unknown, loseReply as () => unknown]],
  ])('is tried again when the store %s, then answered 200', async (_, faults) => {
    const count = faults.length;
    const { pay, store, acted, reports } = createWatched({ complete: faults }, { storeTimeoutMs: 1_000 });
    expect(await pay(30_000)).toBe(200);
    expect(store.steps).toEqual(['claim', ...times(count + 1, 'complete')]);
    expect([reports, await pay(), acted.length]).toEqual([[], 200, 1]);
  });

  it('is tried until the lease ends, with pauses, and then answered 503; nothing is released', async () => {
    // The lease lasts 21.1 s. The tries come at 0, 0.1, 0.3, 0.7, 1.5 and 3.1 s and then every 2 s. One would come at
    // 21.1 s, when another delivery may have the subject.
    const { handler, store, reports } = createWatched(
      { complete: times(99, fail) },
      { callbackTimeoutMs: 6_100 },
    );
    const status = send(handler);
    expect(await resultAfter(19_099, status)).toBe('nothing yet');
    expect(await resultAfter(1, status)).toBe(503);
    expect(store.steps).toEqual(['claim', ...times(14, 'complete')]);
    expect(reports).toMatchObject([{ code: 'store_failed', status: 503, key: 'payment:s-1:PAID' }]);
  });

  it('counts the lease from before the callback', async () => {
    const options = { callbackTimeoutMs: 20_000, on: { payment: () => delay(19_000) } };
    const { handler } = createWatched({ complete: times(99, fail) }, options);
    const status = send(handler);
    expect(await resultAfter(32_900, status)).toBe('nothing yet');
    expect(await resultAfter(2_100, status)).toBe(503);
  });

  it('is answered 503, never 200, when it comes too late: another delivery may have the subject', async () => {
    const { handler, store, reports } = createWatched({ complete: [async () => false] });
    const answer = await handler(notificationRequest(salePayload()));
    expect([answer.status, await answer.text()]).toEqual([503, 'Try again later']);
    expect(reports).toMatchObject([{ code: 'lease_lost', status: 503 }]);
    expect(store.steps).toEqual(['claim', 'complete']);
  });

  it('comes before the answer', async () => {
    const { wait, open } = gate();
    const { handler } = createWatched({ complete: [(go) => wait().then(go)] });
    const status = send(handler);
    expect(await resultAfter(1_000, status)).toBe('nothing yet');
    open();
    expect(await resultAfter(0, status)).toBe(200);
  });
});

describe('how long a notification is remembered', () => {
  const DAY_MS = 24 * 60 * 60 * 1000;
  const validate = (value: unknown) => ({ value });
  const schema = { '~standard': { version: 1, vendor: 'test', validate } };
  const own = { kind: 'own', match: (body: object) => 'own' in body, schema, subject: () => 'x' };

  it.each([
    [undefined, 400 * DAY_MS],
    [90 * DAY_MS, 90 * DAY_MS],
  ])(
    'with retentionMs %s is %d ms for known and own kinds, and one hour for others',
    async (given, known) => {
      const act = () => undefined;
      const on = { payment: act, refund: act, unrecognized: act, own: act };
      const { handler, store } = createWatched({}, { retentionMs: given, kinds: [own], on } as never);
      for (const body of [salePayload(), refundPayload(), { own: 1 }, { novel: 1 }, { newStatus: 7 }]) {
        expect(await send(handler, body)).toBe(200);
      }
      expect(store.retentions).toEqual([known, known, known, DAY_MS / 24, DAY_MS / 24]);
    },
  );

  it('lets a notification be acted on again once it is over', async () => {
    vi.useRealTimers();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
    const { handler, acted } = createListener({ store: new MemoryStore(), retentionMs: 3_600_000 });
    for (const [ms, runs] of [
      [0, 1],
      [3_599_000, 1],
      [2_000, 2],
    ] as const) {
      await vi.advanceTimersByTimeAsync(ms);
      expect([await send(handler), acted.length]).toEqual([200, runs]);
    }
  });
});

it('the context has the key, the fence and no transaction, and the states that were done before', async () => {
  const contexts: WebhookContext[] = [];
  const on = { reversal: (_: unknown, context: WebhookContext) => void contexts.push(context) };
  const { handler } = createListener({ on });
  for (const status of ['PAID', 'PENDING', 'CANCELLED']) {
    expect(await send(handler, { ...reversalPayload(), status })).toBe(200);
  }
  // A PENDING that comes after PAID was overtaken on its way, and `handledStates` shows it to the merchant.
  expect(contexts.map(({ key, handledStates }) => [key, handledStates])).toEqual([
    ['reversal:v-1:PAID', []],
    ['reversal:v-1:PENDING', ['PAID']],
    ['reversal:v-1:CANCELLED', ['PAID', 'PENDING']],
  ]);
  const [first = 0, second = 0, third = 0] = contexts.map(({ fence }) => fence);
  expect([first < second, second < third]).toEqual([true, true]);
  expect(contexts[0]).toMatchObject({ credentialIndex: 0, transaction: undefined });
});
