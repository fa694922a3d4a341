import type { WebhookContext, WebhookHandlerOptions } from 'pix-automatic-sdk/webhooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fail, hang, loseReply, throwing } from './faults';
import { refundPayload, reversalPayload, salePayload } from './payloads';
import {
  authorization,
  codesOf,
  createListener,
  linesOf,
  notificationRequest,
  schemaOf,
  send,
} from './support';
import { WatchedStore } from './watched-store';

// Only the tests move time forward. A rejection that nothing handles fails the whole run.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] }));
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

interface Setting extends Partial<WebhookHandlerOptions>, Partial<WatchedStore['faults']> {}

/** A listener over a watched store with faults. */
function createWatched({ claim = [], complete = [], release = [], ...options }: Setting = {}) {
  const store = new WatchedStore();
  Object.assign(store.faults, { claim: [...claim], complete: [...complete], release: [...release] });
  const { handler, acted, reports } = createListener({ store, ...options });
  /** What a payment is answered after so many milliseconds. */
  const pay = (ms = 0) => resultAfter(ms, send(handler));
  /** The same, with the steps of the store and the codes of the reports. */
  const trace = async (ms = 0) => {
    const [steps, said] = [store.steps.length, reports.length];
    const status = await pay(ms);
    const line = [status, ...store.steps.slice(steps), ...codesOf(reports.slice(said))].join(' ');
    return line.replace(/complete( complete)+/, (all) => `complete ×${all.split(' ').length}`);
  };
  return { handler, acted, reports, store, pay, trace };
}

const broken = () => Promise.reject(new Error('broken'));
const refused = async () => false;
const late = throwing(new Error('late'));
const bug = { on: { payment: throwing(new Error('bug')) } };
const calling = (payment: (context: WebhookContext) => unknown) => ({
  on: { payment: (_: unknown, context: WebhookContext) => payment(context) },
});
const untilAborted = ({ signal }: WebhookContext) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));

const claimedLate = { claim: [(go: () => unknown) => delay(300).then(go)], storeTimeoutMs: 200 } as Setting;
const refusedLate = { claim: [() => delay(300).then(late)], storeTimeoutMs: 200 };
const recordedLate = { complete: [(go: () => unknown) => delay(1_000).then(go)] } as Setting;
// The lease lasts 21.1 s. The tries come at 0, 0.1, 0.3, 0.7, 1.5 and 3.1 s and then every 2 s. One would come at
// 21.1 s, when another delivery may have the subject.
const neverRecorded = { complete: times(14, broken), callbackTimeoutMs: 6_100 };
// The lease counts from before the callback.
const slow = {
  ...{ complete: times(12, broken), callbackTimeoutMs: 20_000 },
  ...calling(() => delay(19_000)),
};
const hangs = { callbackTimeoutMs: 1_000, on: { payment: hang } };
const rejects = { callbackTimeoutMs: 100, ...calling(() => delay(200).then(late)) };
const aborts = { callbackTimeoutMs: 100, ...calling(untilAborted) };
const succeeds = { callbackTimeoutMs: 1_000, ...calling(() => delay(1_100)) };

it.each<[string, string, Setting, number]>([
  ['a claim that fails', '503 claim store_failed; 200 claim complete', { claim: [broken] }, 0],
  ['a claim that throws', '503 claim store_failed; 200 claim complete', { claim: [late] }, 0],
  ['a claim that hangs', 'nothing yet claim', { claim: [hang] }, 4_999],
  ['a claim that hangs', '503 claim store_failed; 200 claim complete', { claim: [hang] }, 5_000],
  // These no longer make the callback run.
  ['a claim that comes too late', '503 claim store_failed; 200 claim complete', claimedLate, 10_000],
  ['a claim that fails too late', '503 claim store_failed; 200 claim complete', refusedLate, 10_000],
  // The callback's failure stays the answer, and in the report.
  ['a release that fails', '500 claim release callback_failed', { ...bug, release: [broken] }, 0],
  ['a release that throws', '500 claim release callback_failed', { ...bug, release: [late] }, 0],
  ['a release that hangs', '500 claim release callback_failed', { ...bug, release: [hang] }, 5_000],
  // A record must not be lost: it is tried while the lease lasts, and the answer waits for it.
  ['a record that fails once', '200 claim complete ×2; 200 claim', { complete: [broken] }, 30_000],
  ['a record that fails 5 times', '200 claim complete ×6; 200 claim', { complete: times(5, broken) }, 30_000],
  ['a record that throws', '200 claim complete ×3; 200 claim', { complete: [late, late] }, 30_000],
  ['a record that hangs', '200 claim complete ×3; 200 claim', { complete: [hang, hang] }, 30_000],
  ['a record whose reply is lost', '200 claim complete ×2; 200 claim', { complete: [loseReply] }, 30_000],
  ['a record that takes a second', 'nothing yet claim complete', recordedLate, 999],
  ['a record that takes a second', '200 claim complete; 200 claim', recordedLate, 1_000],
  ['no record', 'nothing yet claim complete ×13', neverRecorded, 19_099],
  ['no record', '503 claim complete ×14 store_failed; 200 claim complete', neverRecorded, 19_100],
  ['no record, slowly', 'nothing yet claim complete ×11', slow, 32_900],
  ['no record, slowly', '503 claim complete ×12 store_failed; 200 claim complete', slow, 35_000],
  // Another delivery may have the subject.
  ['a refused record', '503 claim complete lease_lost; 200 claim complete', { complete: [refused] }, 0],
  ['a callback that hangs', 'nothing yet claim', hangs, 999],
  ['a callback that hangs', '500 claim callback_timeout; 500 claim callback_timeout', hangs, 1_000],
  ['a callback that rejects late', '500 claim release callback_timeout', rejects, 1_000],
  ['a callback that ends by its signal', '500 claim release callback_timeout', aborts, 1_000],
  ['a callback that succeeds late', '500 claim complete callback_timeout; 200 claim', succeeds, 1_100],
])('with %s, a delivery and one a minute later lead to: %s', async (_, expected, setting, ms) => {
  const { trace } = createWatched(setting);
  const first = await trace(ms);
  if (!expected.includes('; ')) return expect(first).toBe(expected);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(`${first}; ${await trace(ms)}`).toBe(expected);
});

it.each<[Setting, string]>([
  [{ claim: [fail] }, 'injected: store failed, CPF 52998224725'],
  [{ claim: [hang], storeTimeoutMs: 1 }, 'took longer than 1 ms'],
])(
  'a failed claim is answered 503 with Retry-After, and only onReport gets its error: %o',
  async (...row) => {
    const [setting, message] = row;
    const { handler, acted, reports } = createWatched(setting);
    const answered = handler(notificationRequest(salePayload()));
    const answer = (await resultAfter(1, answered)) as Response;
    expect([answer.status, await answer.text(), acted]).toEqual([503, 'Try again later', []]);
    expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(reports).toMatchObject([{ code: 'store_failed', status: 503, error: { message } }]);
  },
);

describe('a lease', () => {
  it.each([
    [undefined, 40_000],
    [1, 15_001],
    [40_000, 55_000],
  ])('with callbackTimeoutMs %s is %d ms long: 15 s more than the callback may take', async (ms, lease) => {
    const { pay, store } = createWatched({ callbackTimeoutMs: ms });
    expect([await pay(), store.leases]).toEqual([200, [lease]]);
  });

  it('is released at once when the callback threw, and only then', async () => {
    const callbacks = [throwing(new Error('first'))];
    const { trace } = createWatched({ on: { payment: () => callbacks.shift()?.() } });
    expect(await trace()).toBe('500 claim release callback_failed');
    expect([await trace(), await trace()]).toEqual(['200 claim complete', '200 claim']);
  });

  it.each(['performance', 'Date'] as const)(
    'of which too little is left, as %s shows, runs no callback',
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
      expect([await send(handler), acted, store.steps]).toEqual([503, [], ['claim', 'release']]);
      const error = { name: 'DeadlineExceeded', message: expect.stringContaining('probably suspended') };
      expect(reports).toMatchObject([{ code: 'store_failed', status: 503, error }]);
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
    const { pay, store } = createWatched({ on: { payment: () => callback(rows) } });
    expect(await pay()).toBe(status);
    expect(store.steps).toEqual(['claim', status === 200 ? 'complete' : 'release']);
    expect(rows).toEqual(status === 200 ? ['written'] : []);
  });
});

describe('a callback that takes too long', () => {
  it('is told by its signal, and its subject is busy while it may be running', async () => {
    const signals: AbortSignal[] = [];
    const payment = ({ signal }: WebhookContext) => signals.push(signal) && hang();
    const { pay, reports } = createWatched({ callbackTimeoutMs: 1_000, ...calling(payment) });
    expect([await pay(999), signals[0]?.aborted]).toEqual(['nothing yet', false]);
    await vi.advanceTimersByTimeAsync(1);
    expect([signals[0]?.aborted, signals[0]?.reason.name]).toEqual([true, 'DeadlineExceeded']);
    expect(await pay(14_000)).toBe(503);
    const key = 'payment:s-1:PAID';
    expect(linesOf(reports)).toEqual([`callback_timeout 500 ${key}`, `busy 503 ${key}`]);
  });

  it('and then succeeds within its lease is recorded: the next delivery finds it done', async () => {
    let runs = 0;
    const payment = () => delay(++runs * 1_100);
    const options = { deadLetters: true, callbackTimeoutMs: 1_000, on: { payment } };
    const { pay, store } = createWatched(options);
    expect(await pay(1_000)).toBe(500);
    expect(await store.letters.list()).toMatchObject([{ code: 'callback_timeout' }]);
    await vi.advanceTimersByTimeAsync(100);
    await settle();
    expect([store.steps, await store.letters.list()]).toEqual([['claim', 'complete'], []]);
    for (let delivery = 2; delivery <= 6; delivery += 1) expect(await pay(60_000)).toBe(200);
    expect(runs).toBe(1);
  });

  it('and whose late success the store refuses stays a dead letter', async () => {
    const slow = { callbackTimeoutMs: 100, on: { payment: () => delay(150) } };
    const { pay, store } = createWatched({ complete: [refused], deadLetters: true, ...slow });
    expect([await pay(200), (await store.letters.list()).length]).toEqual([500, 1]);
  });

  it('is the only one whose signal fires, and a callback in time leaves no timer behind', async () => {
    const signals: AbortSignal[] = [];
    const payment = ({ signal }: WebhookContext) => void signals.push(signal);
    const { pay } = createWatched({ callbackTimeoutMs: 100, ...calling(payment) });
    expect([await pay(), vi.getTimerCount()]).toEqual([200, 0]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(signals[0]?.aborted).toBe(false);
  });
});

it('a report has the number of deliveries that failed, counted for a thousand keys only', async () => {
  vi.useRealTimers();
  const { handler, reports } = createListener(bug);
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

describe('how long a notification is remembered', () => {
  const DAY_MS = 24 * 60 * 60 * 1000;
  const own = { kind: 'own', match: (body: object) => 'own' in body, schema: schemaOf(), subject: () => 'x' };

  it.each([
    [undefined, 400 * DAY_MS],
    [90 * DAY_MS, 90 * DAY_MS],
  ])('with retentionMs %s is %d ms for known kinds, an hour for others', async (retentionMs, known) => {
    const act = () => undefined;
    const store = new WatchedStore();
    const on = { payment: act, refund: act, unrecognized: act, own: act };
    const { handler } = createListener({ store, retentionMs, kinds: [own], on });
    for (const body of [salePayload(), refundPayload(), { own: 1 }, { novel: 1 }, { newStatus: 7 }]) {
      expect(await send(handler, body)).toBe(200);
    }
    expect(store.retentions).toEqual([known, known, known, DAY_MS / 24, DAY_MS / 24]);
  });

  it('lets a notification be acted on again once it is over', async () => {
    vi.useRealTimers();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
    const { handler, acted } = createListener({ retentionMs: 3_600_000 });
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
  const lines = contexts.map(({ key, handledStates }) => `${key} after ${handledStates}`);
  const [paid, pending] = ['reversal:v-1:PAID after ', 'reversal:v-1:PENDING after PAID'];
  expect(lines).toEqual([paid, pending, 'reversal:v-1:CANCELLED after PAID,PENDING']);
  const [first = 0, second = 0, third = 0] = contexts.map(({ fence }) => fence);
  expect([first < second, second < third]).toEqual([true, true]);
  expect(contexts[0]).toMatchObject({ credentialIndex: 0, transaction: undefined });
  const names = ['confirmation', 'credentialIndex', 'fence', 'handledStates', 'key', 'order', 'signal'];
  expect(Object.keys(contexts[0] ?? {}).sort()).toEqual([...names, 'transaction']);
});
