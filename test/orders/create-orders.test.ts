import { inspect } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { AbortedError, PaymentsClient } from '../../src';
import { createOrders, type NotifiedOrder, type OrdersOptions, type PaidOrder } from '../../src/orders';
import { orderLinkOf } from '../../src/orders/plan';
import type { Transaction } from '../../src/service/operations/get-transaction';
import { createStore, type RecordStore } from '../../src/stores';
import { MemoryRecords, MemoryStore } from '../../src/stores/memory-store';
import { stepsOf } from '../../src/stores/steps';
import { fixtures, notificationRequest } from '../../src/testing';
import { defineNotification } from '../../src/webhooks';
import { allOf } from '../helpers/all-of';
import { deferred } from '../helpers/deferred';
import { reply, startHttpServer } from '../helpers/http-server';
import { credentials, errors, paid, setUp } from './support';

const UUID = 'uuid-of-order-1';
const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** Orders with a listener that writes down what it books. */
function withListener(options: Partial<OrdersOptions> = {}, answers: Parameters<typeof setUp>[0] = []) {
  const seen: PaidOrder[] = [];
  const reports: string[] = [];
  const callback = vi.fn(async (payment: PaidOrder) => void seen.push(payment));
  const parts = setUp(answers, {
    credentials,
    on: { paid: callback, returned: 'ignore' },
    onReport: ({ code, key }) => reports.push(`${code} ${key ?? ''}`.trim()),
    ...options,
  } as Partial<OrdersOptions>);
  const { orders, client } = parts;
  /** Has the service say this about a journey: that it is paid, if nothing else is said. */
  const tell = (uuid: string, fields: Partial<Transaction> = {}) =>
    client.transactions.set(uuid, paid(uuid, fields));
  const deliver = async (saleToken = UUID, fields: object = {}) => {
    if (!client.transactions.has(saleToken)) tell(saleToken, fields);
    const payload = { saleToken, referenceCode: 'order-1', amount: 59.7, currency: 'BRL', ...fields };
    return (await orders.webhook(notificationRequest('payment', payload, credentials))).status;
  };
  const failOnce = () =>
    callback.mockImplementationOnce(() => Promise.reject(new Error('no database')) as never);
  return { ...parts, seen, reports, callback, tell, deliver, failOnce };
}

/** The same, with an order that is open. */
async function opened(options: Partial<OrdersOptions> = {}) {
  const parts = withListener(options);
  await parts.open();
  return parts;
}

/** The same; `meanwhile` is done by another process, once the letter of a case is written. */
async function openedTwice() {
  const store = new MemoryStore();
  const parts = await opened({ store });
  const steps = stepsOf(store);
  const keepLetter = steps.keepLetter.bind(steps);
  const meanwhile = (act: () => Promise<void>) =>
    vi.spyOn(steps, 'keepLetter').mockImplementationOnce(async (...letter) => {
      await keepLetter(...letter);
      await act();
    });
  const failQuery = () =>
    vi.spyOn(parts.client, 'getTransaction').mockRejectedValueOnce(new Error('the service is down'));
  return { ...parts, failQuery, meanwhile, steps };
}

describe('a payment', () => {
  it('is booked for its order, which shows no QR code after that', async () => {
    const { orders, open, deliver, seen } = withListener();
    const { uuid } = await open();
    expect(await deliver()).toBe(200);
    expect(await deliver()).toBe(200);
    expect(seen).toEqual([
      { order: 'order-1', sale: UUID, amount: 59.7, minorUnits: 5970, currency: 'BRL', isFirst: true },
    ]);
    const paidOrder = { state: 'paid', uuid, attempt: 1, referenceCode: 'order-1', returns: [] };
    expect(await open()).toEqual(paidOrder);
    const conflict = { code: 'order_conflict', message: expect.stringContaining(': amount differs from') };
    await expect(open('order-1', { amount: 1 })).rejects.toMatchObject(conflict);
    expect(await orders.find({ referenceCode: 'order-1' })).toMatchObject({ state: 'paid' });
  });

  it('that comes before open has recorded its journey is found by its reference, and stays booked', async () => {
    const { orders, open, deliver, seen, client } = withListener();
    const create = client.createRecurringCheckout.bind(client);
    vi.spyOn(client, 'createRecurringCheckout').mockImplementationOnce(async (...call) => {
      const answer = await create(...call);
      expect(await deliver()).toBe(200);
      return answer;
    });
    expect(await open()).toMatchObject({ state: 'paid', uuid: UUID });
    expect(seen).toMatchObject([{ order: 'order-1', isFirst: true }]);
    expect(await orders.find({ uuid: UUID })).toMatchObject({ state: 'paid' });
  });

  it('that the service does not confirm marks nothing, and is kept for a replay', async () => {
    const { orders, deliver, seen, tell, states, reports } = await opened();
    tell(UUID, { amount: 1 });
    expect(await deliver()).toBe(500);
    const report = `not_confirmed payment:${UUID}:PAID`;
    expect([seen, await states(), reports]).toEqual([[], ['order-1 created'], [report]]);
    tell(UUID);
    const letters = await orders.webhook.deadLetters.list();
    expect(await orders.webhook.replay(letters)).toEqual([{ key: `payment:${UUID}:PAID`, status: 'done' }]);
    expect(await states()).toEqual(['order-1 paid']);
  });

  it('reads its order once, and is recorded although another has changed it since', async () => {
    const store = new MemoryStore();
    const steps = stepsOf(store);
    const readRecord = vi.spyOn(steps, 'readRecord');
    const { orders, open, deliver, callback, states } = await opened({ store });
    const reads = () => readRecord.mock.calls.filter(([prefix]) => prefix === 'order:').length;

    const before = reads();
    expect(await deliver()).toBe(200);
    // Once to decide: each change begins with what was read.
    expect(reads() - before).toBe(1);

    await open('order-2');
    callback.mockImplementationOnce((() => orders.close('order-2')) as never);
    expect(await deliver('uuid-of-order-2', { referenceCode: 'order-2' })).toBe(200);
    expect(await states('order-2')).toEqual(['order-2 paid']);
  });

  it('that is booked makes no case of what has failed since, such as a lost reply to its commit', async () => {
    const { orders, client, deliver, store, seen } = await opened();
    expect([await deliver(), await deliver('m2', { amount: 29.9 })]).toEqual([200, 200]);
    const callbacks = { paid: async () => undefined, returned: 'ignore' } as never;
    const hooks = {
      onEvent: async () => undefined,
      onNoCall: () => undefined,
      onAnswer: async () => undefined,
    };
    const link = orderLinkOf(client, callbacks, undefined, [], hooks);
    const details = { order: 'order-1', sale: 'm2', amount: 29.9 };
    const mark = (key: string, reason: string) => link.note(stepsOf(store), { key, reason, details }, false);
    await mark('payment:m2:PAID', 'store_failed');
    expect([seen.length, (await orders.find({ key: 'order-1' })).cases]).toEqual([2, []]);
  });

  it('whose case is being kept is busy for every other delivery, so that nobody decides between the two', async () => {
    const { orders, deliver, failQuery, meanwhile } = await openedTwice();
    const statuses: number[] = [];
    failQuery();
    meanwhile(async () => void statuses.push(await deliver('another')));
    statuses.push(await deliver('another'));
    expect([statuses, await allOf(orders.cases())]).toMatchObject([
      [503, 500],
      [{ reason: 'confirm_failed' }],
    ]);
    expect([await deliver('another'), await allOf(orders.cases())]).toMatchObject([
      200,
      [{ reason: 'other_sale' }],
    ]);
  });

  it('whose case is forgotten as it is kept is none', async () => {
    const { orders, deliver, failQuery, meanwhile, steps } = await openedTwice();
    failQuery();
    meanwhile(() => steps.forgetLetter('payment:another:PAID'));
    expect(await deliver('another')).toBe(500);
    expect([await allOf(orders.cases()), (await orders.find({ key: 'order-1' })).cases]).toEqual([[], []]);
  });

  it('is recorded before it counts as done, so that a done state has its payment', async () => {
    const store = new MemoryStore();
    const steps = stepsOf(store);
    const { deliver } = await opened({ store });
    const changeRecord = vi.spyOn(steps, 'changeRecord');
    const complete = vi.spyOn(steps, 'complete');
    expect(await deliver()).toBe(200);
    const last = changeRecord.mock.calls.findLastIndex(([prefix]) => prefix === 'order:');
    const recorded = changeRecord.mock.invocationCallOrder[last];
    const [completed = Number.NaN] = complete.mock.invocationCallOrder;
    expect(recorded).toBeLessThan(completed);
  });
});

it('kinds of your own are told of their order, and mark nothing', async () => {
  const seen: string[] = [];
  const charge = defineNotification({
    kind: 'charge',
    match: (body) => 'yourSale' in body,
    schema: z.looseObject({ yourSale: z.string() }),
    subject: ({ yourSale }) => yourSale,
    order: ({ yourSale }) => ({ uuid: yourSale }),
  });
  const note = (_: unknown, { order }: { order: NotifiedOrder | undefined }) =>
    void seen.push(`${order?.key}`);
  const on = { paid: async () => undefined, returned: 'ignore', charge: note };
  const { orders, open, states } = setUp([], { credentials, kinds: [charge], on } as never);
  await open();
  for (const yourSale of [UUID, 'another']) {
    const sent = notificationRequest('custom', { yourSale }, credentials);
    expect((await orders.webhook(sent)).status).toBe(200);
  }
  expect([seen, await states()]).toEqual([['order-1', 'undefined'], ['order-1 created']]);
});

it('a kind of your own whose `order` throws comes again, and runs once that is fixed', async () => {
  const order = vi.fn(({ yourSale }: { yourSale: string }) => ({ uuid: yourSale }));
  const charge = defineNotification({
    kind: 'charge',
    match: (body) => 'yourSale' in body,
    schema: z.looseObject({ yourSale: z.string() }),
    subject: ({ yourSale }) => yourSale,
    order,
  });
  const callback = vi.fn(async () => undefined);
  const on = { paid: async () => undefined, returned: 'ignore', charge: callback };
  const reports: string[] = [];
  const onReport = ({ code }: { code: string }) => reports.push(code);
  const { orders } = setUp([], { credentials, kinds: [charge], on, onReport } as never);
  const send = async () => {
    const sent = notificationRequest('custom', { yourSale: 'one' }, credentials);
    return (await orders.webhook(sent)).status;
  };
  order.mockImplementationOnce(() => {
    throw new TypeError('no such field');
  });
  // The claim is given back, so that the next delivery is not kept away by it.
  expect([await send(), await send()]).toEqual([503, 200]);
  expect([callback.mock.calls.length, reports]).toEqual([1, ['store_failed']]);
});

describe('reconcile', () => {
  it('books what is paid, closes what is cancelled, and reports the rest once', async () => {
    const answers = [undefined, undefined, undefined, errors.unknownWithUuid()];
    const { orders, open, tell, seen, states, reports } = withListener({}, answers);
    for (const key of ['order-1', 'order-2', 'order-3']) await open(key);
    await expect(open('order-4')).rejects.toThrow();
    tell(UUID);
    tell('uuid-of-order-2', { situation: 'CANCELLED', referenceCode: 'order-2' });
    tell('uuid-of-order-3', { type: 'REFUND', referenceCode: 'order-3' });
    tell('seen-uuid', { situation: 'PENDING', referenceCode: 'order-4' });
    const counts = { asked: 4, paid: 1, closed: 1, review: 0, unknown: 0, failed: 1, isComplete: true };
    expect(await orders.reconcile()).toEqual(counts);
    expect(seen).toMatchObject([{ order: 'order-1', isFirst: true }]);
    // A payment that is not confirmed keeps nobody from paying.
    expect(reports).toEqual(['not_confirmed payment:uuid-of-order-3:PAID']);
    const after = await Promise.all(['order-1', 'order-2', 'order-3'].map(states));
    expect(after.flat()).toEqual(['order-1 paid', 'order-2 closed', 'order-3 created']);
    expect(await open('order-3')).toMatchObject({ state: 'open' });
    // What is cancelled is asked about no more; what a payer may still pay is.
    expect(await orders.reconcile()).toMatchObject({ asked: 2, paid: 0, closed: 0, failed: 1 });
    expect(reports).toHaveLength(1);
    await orders.close('order-3');
    expect(await orders.reconcile()).toMatchObject({ asked: 2 });
    expect(await open('order-3')).toMatchObject({ state: 'open', attempt: 2 });
  });

  it('closes no order for a response that says that another transaction is cancelled', async () => {
    const other = fixtures.transaction({ uuid: 'someone-elses', situation: 'CANCELLED' });
    const created = fixtures.recurringCheckout({ response: { uuid: UUID } });
    const server = await startHttpServer((response, request) =>
      reply(200, request.method === 'GET' ? other : created)(response, request),
    );
    const client = new PaymentsClient({ baseUrl: server.url, ...credentials, maxRetries: 0 });
    const { orders, open, states } = withListener({ client });
    await open();
    expect(await orders.reconcile()).toMatchObject({ asked: 1, closed: 0, failed: 1 });
    expect(await states()).toEqual(['order-1 created']);
  });

  it('counts a query that fails, goes on, and leaves it for the next run', async () => {
    const { orders, open, client, tell } = await opened();
    await open('order-2');
    tell('uuid-of-order-2', { referenceCode: 'order-2' });
    vi.spyOn(client, 'getTransaction').mockRejectedValueOnce(errors.unknown());
    expect(await orders.reconcile()).toMatchObject({ asked: 2, paid: 1, failed: 1, isComplete: true });
    tell(UUID);
    expect(await orders.reconcile()).toMatchObject({ asked: 1, paid: 1, failed: 0 });
  });

  it('throws what has ended it, also an abort that is not of its own signal', async () => {
    const { orders, client, reports } = await opened();
    const context = { operation: 'getTransaction', attempts: 1, outcome: 'unknown', cause: 0 } as const;
    vi.spyOn(client, 'getTransaction').mockImplementation(async () => {
      throw new AbortedError('a signal of the client ended it', context);
    });
    const limits = { stopAfterFailures: 1 };
    await expect(orders.reconcile(limits)).rejects.toMatchObject({ code: 'aborted' });
    expect(await orders.maintain(limits)).toMatchObject({ errors: [{ code: 'aborted' }] });
    expect(reports).toContain('maintain_failed');
  });

  it('asks about nothing that changed longer ago than maxAgeMs, which is 40 days', async () => {
    const { orders, clock, tell } = await opened();
    tell(UUID, { situation: 'PENDING' });
    clock.now += 40 * DAY_MS;
    expect(await orders.reconcile()).toMatchObject({ asked: 1 });
    clock.now += 1;
    expect(await orders.reconcile()).toMatchObject({ asked: 0, isComplete: true });
  });

  it('goes on after the order where the last run ended, and comes round', async () => {
    const { orders, open, client, tell, seen, reports } = withListener({ waitMs: 60_000 });
    const keys = Array.from({ length: 250 }, (_, index) => `order-${1000 + index}`);
    for (const key of keys) {
      await open(key);
      tell(`uuid-of-${key}`, { referenceCode: key, situation: 'PENDING' });
    }
    const ask = client.getTransaction.bind(client);
    const asked: string[] = [];
    vi.spyOn(client, 'getTransaction').mockImplementation(async (uuid) => {
      if (asked.push(uuid) === 150) throw errors.limited();
      return ask(uuid);
    });
    const first = await orders.reconcile({ concurrency: 1 });
    expect(first).toMatchObject({ isComplete: false, failed: 1 });
    expect(reports).toEqual(['reconcile_ended']);
    const before = asked.length;
    expect(await orders.reconcile({ concurrency: 1 })).toMatchObject({ asked: 250, isComplete: true });
    expect(new Set(asked.slice(before)).size).toBe(250);
    // It begins with the first that has no answer.
    expect(asked[before]).toBe('uuid-of-order-1149');
    expect(seen).toEqual([]);
  });

  it('reads each of 150 abandoned orders once after their 40 days, and then none, whatever else is past', async () => {
    const clock = { now: Date.parse('2027-01-15T12:00:00Z') };
    const memory = new MemoryRecords(10_000, () => clock.now);
    const steps: string[] = [];
    const counted = (step: string, key: string) => {
      steps.push(`${step} ${/\/\w+/.exec(key)?.[0]}`);
      return memory;
    };
    const records: RecordStore = {
      read: (key) => counted('read', key).read(key),
      write: (key, change) => counted('write', key).write(key, change),
      list: (prefix, page) => counted('list', prefix).list(prefix, page),
      deleteExpired: (limit) => memory.deleteExpired(limit),
    };
    const on = { paid: async () => undefined, returned: 'ignore' } as const;
    const { orders, open, client } = setUp([], { store: createStore(records), credentials, on });
    for (let i = 0; i < 150; i += 1) {
      await open(`order-${i}`);
      client.transactions.set(`uuid-of-order-${i}`, paid(`uuid-of-order-${i}`, { situation: 'PENDING' }));
    }
    const maintained = async () => {
      steps.length = 0;
      expect(await orders.maintain()).toMatchObject({ errors: [] });
      return [steps.filter((step) => step === 'read /order').length, steps.length];
    };
    expect(await maintained()).toEqual([150, expect.any(Number)]);
    clock.now += 41 * DAY_MS;
    expect((await maintained())[0]).toBe(150);
    clock.now += HOUR_MS;
    // The lease of the run, its cursor, and one page each of what is open and of the cases.
    expect(await maintained()).toEqual([0, 9]);
    expect(steps.filter((step) => step.startsWith('list'))).toEqual(['list /open', 'list /letter']);
  });

  it('forgets an order that need not be asked about, but not while it may be on its way', async () => {
    const { orders, clock, deliver, store } = await opened();
    await deliver();
    const pointers = async () => (await stepsOf(store).listRecords('open:', { limit: 10 })).length;
    await orders.reconcile();
    expect(await pointers()).toBe(1);
    clock.now += 11 * 60 * 1000;
    await orders.reconcile();
    clock.now += 1;
    expect(await pointers()).toBe(0);
  });
});

describe('maintain', () => {
  it('reconciles, replays and deletes, and gives the counts of each', async () => {
    const { orders, tell, deliver, failOnce, clock } = await opened();
    failOnce();
    await deliver();
    tell(UUID, { situation: 'PENDING' });
    // A letter is due an hour after its first failure.
    expect(await orders.maintain()).toMatchObject({ replayed: { done: 0, failed: 0 } });
    clock.now += HOUR_MS;
    expect(await orders.maintain()).toMatchObject({
      skipped: false,
      // It is a case of its own money, which is tried again, and not asked about.
      reconciled: { asked: 0, paid: 0, isComplete: true },
      replayed: { done: 0, failed: 1 },
      deleted: expect.any(Number),
      errors: [],
    });
  });

  it('runs each part even if another fails, which it reports, and leaves no timer that keeps a process running', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { orders, client, reports } = await opened();
    const refused = errors.unauthorized();
    vi.spyOn(client, 'getTransaction').mockRejectedValue(refused);
    expect(await orders.maintain()).toMatchObject({
      skipped: false,
      reconciled: { asked: 0, isComplete: false },
      replayed: { done: 0 },
      deleted: 0,
      returned: 0,
      errors: [refused],
    });
    expect(reports).toEqual(['reconcile_ended', 'maintain_failed']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is done by one process at a time, and by another one once the first has died', async () => {
    const { orders, open, client, store, clock } = withListener();
    const other = withListener({ store }).orders;
    await open();
    const answer = deferred<Transaction>();
    const pending = paid(UUID, { situation: 'PENDING' });
    vi.spyOn(client, 'getTransaction').mockReturnValue(answer.promise);
    const running = orders.maintain();
    await expect.poll(() => client.getTransaction).toHaveBeenCalled();
    expect(await other.maintain()).toEqual({ skipped: true, until: clock.now + 30_000 });
    clock.now += 30_001;
    vi.spyOn(client, 'getTransaction').mockResolvedValue(pending);
    expect(await other.maintain()).toMatchObject({ skipped: false });
    answer.resolve(pending);
    expect(await running).toMatchObject({ skipped: false });
    expect(await other.maintain()).toMatchObject({ skipped: false });
  });
});

describe('options', () => {
  const on = { paid: async () => undefined, returned: 'ignore' };

  it.each([
    ['payment', '`on.paid`'],
    ['refund', '`on.returned`'],
    ['reversal', '`on.returned`'],
    ['saleStatus', '`orders.cases()`'],
  ])('says what to use in place of on.%s: %s', (kind, instead) => {
    const refused = { code: 'configuration', message: expect.stringContaining(instead) };
    const given = { credentials, on: { ...on, [kind]: 'ignore' } };
    expect(() => setUp([], given as never)).toThrow(expect.objectContaining(refused));
  });

  it('takes the credentials of a PaymentsClient, both pairs during a rotation', async () => {
    const pairs = [credentials, { apiKey: 'old', apiToken: 'older' }] as const;
    const client = new PaymentsClient({ baseUrl: 'https://api.example', ...pairs[0], previous: pairs[1] });
    const options = { client, store: new MemoryStore(), on: on as never, onReport: () => undefined };
    const { webhook } = createOrders(options);
    const answers = [...pairs, { apiKey: 'x', apiToken: 'y' }].map(async (pair) => {
      return (await webhook(notificationRequest('payout', {}, pair))).status;
    });
    expect(await Promise.all(answers)).toEqual([200, 200, 401]);
    expect(Object.keys(client)).toEqual([]);
    expect(inspect(client, { showHidden: true, depth: 9 })).not.toMatch(/token|older/);
  });

  it.each([
    ['a client without credentials, and none beside it', { on }],
    ['what is paid and ignored', { credentials, on: { ...on, paid: 'ignore' } }],
    ['no paid', { credentials, on: { returned: 'ignore' } }],
    ['no returned', { credentials, on: { paid: on.paid } }],
    ['a foreign that is no function', { credentials, on: { ...on, foreign: true } }],
    ['a client for confirm', { credentials, on, confirm: {} }],
    ['an asPayment that is no function', { credentials, on, asPayment: {} }],
    ['dead letters, which are always kept', { credentials, on, deadLetters: true }],
    ['a store of another kind', { store: {} }],
    ['no client', { client: undefined }],
  ])('refuses %s', (_, options) => {
    expect(() => setUp([], options as never)).toThrow(expect.objectContaining({ code: 'configuration' }));
  });

  it('without a listener, opens orders and says so to everything else', async () => {
    const { orders, open } = setUp();
    await open();
    const refused = { code: 'configuration' };
    expect(() => orders.webhook).toThrow(expect.objectContaining(refused));
    await expect(orders.reconcile()).rejects.toMatchObject(refused);
    await expect(orders.maintain()).rejects.toMatchObject(refused);
    await expect(orders.decide('id', 'book')).rejects.toMatchObject(refused);
    // What is wrong with the call itself is told first.
    const noKey = orders.decide('id', 'book', { order: ' ' });
    await expect(noKey).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

describe('the warning that orders are in memory', () => {
  const warn = vi.spyOn(console, 'warn');
  const warningsIn = (environment: string, store?: object) => {
    warn.mockReset().mockImplementation(() => undefined);
    vi.stubEnv('NODE_ENV', environment);
    onTestFinished(() => void vi.unstubAllEnvs());
    withListener({ store } as never);
    return warn.mock.calls;
  };

  it('comes once in production', () => {
    const expected = /createOrders keeps its orders in a `MemoryStore`.*pix-automatic-sdk\/stores/;
    expect(warningsIn('production')).toEqual([[expect.stringMatching(expected)]]);
  });

  it('does not come with another store, nor outside production', () => {
    const store = createStore(new MemoryRecords(1_000, Date.now));
    expect(warningsIn('production', store)).toEqual([]);
    expect(warningsIn('development')).toEqual([]);
  });
});
