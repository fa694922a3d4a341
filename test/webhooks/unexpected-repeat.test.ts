import type { StandardSchemaV1 } from '@standard-schema/spec';
import { fixtures } from 'pix-automatic-sdk/testing';
import {
  defineNotification,
  MemoryStore,
  type NotificationDefinition,
  type WebhookDone,
  type WebhookHandlerOptions,
} from 'pix-automatic-sdk/webhooks';
import { describe, expect, it } from 'vitest';
import { stepsOf, type Transact } from '../../src/stores/steps';
import { fail } from './faults';
import { payoutPayload, refundPayload, reversalPayload, salePayload } from './payloads';
import { createListener, send } from './support';
import { noOrders, WatchedStore } from './watched-store';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const START = Date.parse('2026-01-05T12:00:00Z');

/** A transaction that is no more than its claim and its completion. */
function transactOn(memory: MemoryStore): Transact<undefined> {
  const steps = stepsOf(memory);
  return async ({ subject, state, retentionMs, content, prepare }, work) => {
    const claim = await steps.claim(subject, state, { leaseMs: 60_000, withinMs: 1_000 });
    if (claim.status !== 'claimed') return claim;
    try {
      await prepare?.();
      await work(undefined, claim, noOrders);
    } catch (error) {
      await steps.release(claim);
      throw error;
    }
    await steps.complete(claim, { retentionMs, content, withinMs: 1_000 });
    return { status: 'completed' };
  };
}

type Mode = 'under a lease' | 'in a transaction';

/** A listener whose store has a clock of the test's. */
function createTimed(options: Partial<WebhookHandlerOptions> | object = {}, mode: Mode = 'under a lease') {
  const clock = { now: START };
  const memory = new MemoryStore({ clock: () => clock.now });
  const store = Object.assign(
    new WatchedStore(memory),
    mode === 'in a transaction' && { transact: transactOn(memory) },
  );
  const told: WebhookDone[] = [];
  const onDone = (done: WebhookDone) => void told.push(done);
  const create = (more: object = {}) =>
    createListener({ store, deadLetters: true, onDone, ...options, ...more } as never);
  const seen = (reports: readonly { code: string; reason: unknown; issues?: unknown }[]) =>
    reports.map(({ code, reason, issues }) => [
      code,
      reason,
      (issues as { path: string[] }[]).map(({ path }) => path.join('.')),
    ]);
  return { ...create(), create, clock, store, letters: store.letters, told, seen };
}

const anySchema: StandardSchemaV1<unknown, never> = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: value as never }) },
};

const charge = (more: Partial<NotificationDefinition<'charge', never>> = {}) =>
  defineNotification({
    kind: 'charge',
    match: (body) => 'chargeId' in body,
    schema: anySchema,
    subject: ({ chargeId }) => chargeId,
    ...more,
  });

describe.each(['under a lease', 'in a transaction'] as const)('a repeat of what is done, %s:', (mode) => {
  it.each([
    ['payment', salePayload],
    ['refund', refundPayload],
    ['reversal', reversalPayload],
    ['payout', payoutPayload],
  ])('six deliveries of a %s within six minutes say nothing, nor does another date', async (_, payload) => {
    const { handler, acted, reports, clock, letters, told } = createTimed({}, mode);
    for (let delivery = 0; delivery < 6; delivery += 1) {
      const date = `2026-01-05 12:0${delivery}:00`;
      expect(await send(handler, { ...payload(), date, creation: date })).toBe(200);
      clock.now += MINUTE_MS;
    }
    clock.now = START + HOUR_MS;
    expect(await send(handler, payload())).toBe(200);
    expect([acted.length, reports, await letters.list()]).toEqual([1, [], []]);
    expect(told.map(({ isRepeat }) => isRepeat)).toEqual([false, ...Array(6).fill(true)]);
  });

  it('three months of a subscription under one saleToken are booked once, and two are kept and reported', async () => {
    const { handler, acted, reports, clock, letters, seen, told } = createTimed({}, mode);
    const statuses = [];
    for (const month of [1, 2, 3]) {
      clock.now = Date.parse(`2026-0${month}-05T12:00:00Z`);
      statuses.push(await send(handler, { ...salePayload(), date: `2026-0${month}-05 12:00:00` }));
    }
    expect([statuses, acted]).toEqual([[200, 200, 200], ['payment:s-1:PAID']]);
    expect(seen(reports)).toEqual([
      ['unexpected_repeat', 'late', []],
      ['unexpected_repeat', 'late', []],
    ]);
    expect(reports).toMatchObject([
      { status: 200, kind: 'payment', key: 'payment:s-1:PAID' },
      { status: 200 },
    ]);
    expect(reports[0]?.message).toContain('more than an hour after that');
    expect(reports[0]?.message).toContain('once it has an identity that is not done');
    const kept = await letters.list();
    expect(kept).toHaveLength(2);
    for (const { key, state, subject, code } of kept) {
      expect(key).toMatch(/^payment:s-1:PAID~[\da-f]{16}~2026-0[23]-05$/);
      expect(key).toBe(`payment:s-1:${state}`);
      expect([subject, code]).toEqual(['payment:s-1', 'unexpected_repeat']);
    }
    // `onDone` tells of what was acknowledged as done, and of nothing that may be another event.
    expect(told).toHaveLength(1);
  });

  it('one a millisecond after the hour is late, counted from what was acted on', async () => {
    const { handler, clock, reports, seen } = createTimed({}, mode);
    await send(handler);
    clock.now += HOUR_MS;
    await send(handler);
    expect(reports).toEqual([]);
    clock.now += 1;
    await send(handler);
    expect(seen(reports)).toEqual([['unexpected_repeat', 'late', []]]);
  });

  it.each<[string, () => object, object, string[]]>([
    [
      'payment',
      salePayload,
      { amount: 1, currency: 'USD', referenceCode: 'x' },
      ['amount', 'currency', 'referenceCode'],
    ],
    ['payment', salePayload, { amount: 12345 }, ['amount']],
    [
      'refund',
      refundPayload,
      { originalAmount: 1.5, reversedAmount: 2.5 },
      ['originalAmount', 'reversedAmount'],
    ],
    ['refund', refundPayload, { amountRefunded: 1.5 }, ['amountRefunded']],
    ['refund', refundPayload, { refund: { uuid: 'r-1', amount: 77 } }, ['refund.amount']],
    ['reversal', reversalPayload, { originalAmount: 77 }, ['originalAmount']],
    ['reversal', reversalPayload, { reversedAmount: 77 }, ['reversedAmount']],
    ['payout', payoutPayload, { amount: 77, referenceCode: 'x' }, ['amount', 'referenceCode']],
  ])(
    'a %s with other content is kept and reported with the names of the fields',
    async (kind, payload, more, fields) => {
      const { handler, acted, reports, seen, letters } = createTimed({}, mode);
      await send(handler, payload());
      expect(await send(handler, { ...payload(), ...more })).toBe(200);
      expect([acted.length, seen(reports)]).toEqual([1, [['unexpected_repeat', 'content-differs', fields]]]);
      expect(reports[0]?.message).toContain(`Fields: ${fields.join(', ')}.`);
      expect(JSON.stringify(reports)).not.toContain('12345');
      expect(await letters.list()).toMatchObject([{ kind, code: 'unexpected_repeat', attempts: 1 }]);
      // The service sends it once more: the same letter. Another content is another one.
      await send(handler, { ...payload(), ...more });
      expect(await letters.list()).toMatchObject([{ attempts: 2 }]);
      await send(handler, { ...payload(), ...more, message: 'other' });
      expect(await letters.list()).toHaveLength(2);
    },
  );

  it('a field that only one of them has, or that has another type than documented, is not compared', async () => {
    const { handler, reports } = createTimed({}, mode);
    await send(handler);
    for (const amount of [undefined, null, 'ten']) await send(handler, { ...salePayload(), amount });
    expect(reports.map(({ code }) => code)).toEqual(['field_left_out']);
  });

  it('one that cannot be kept is answered 503', async () => {
    const { handler, letters, reports } = createTimed({}, mode);
    await send(handler);
    letters.faults.keep = fail;
    expect(await send(handler, { ...salePayload(), amount: 1 })).toBe(503);
    expect(reports.map(({ code, status }) => [code, status])).toEqual([
      ['dead_letters_failed', 503],
      ['unexpected_repeat', 503],
    ]);
    letters.faults.keep = undefined;
    expect(await send(handler, { ...salePayload(), amount: 1 })).toBe(200);
    expect(await letters.list()).toHaveLength(1);
  });

  it('without dead letters is answered 200 and reported', async () => {
    const { handler, reports, letters } = createTimed({ deadLetters: false }, mode);
    await send(handler);
    expect(await send(handler, { ...salePayload(), amount: 1 })).toBe(200);
    expect([reports.map(({ code }) => code), letters.steps]).toEqual([['unexpected_repeat'], []]);
  });

  it('is run by a replay under an identity of its own, and under none that is done', async () => {
    const { handler, create, acted, clock, letters, reports } = createTimed({}, mode);
    await send(handler, { ...salePayload(), period: '2026-01' });
    clock.now += 31 * 24 * HOUR_MS;
    await send(handler, { ...salePayload(), period: '2026-02' });
    const [letter] = await letters.list();
    const key = letter?.key;
    expect(await handler.replay()).toEqual([{ key, status: 'failed', code: 'unexpected_repeat' }]);
    expect(reports.at(-1)).toMatchObject({ code: 'unexpected_repeat', key });
    expect([acted.length, await letters.keys()]).toEqual([1, [key]]);

    // Its definition tells the months apart, and its callback fails first: that makes it no other letter.
    let isFixed = false;
    const charged: string[] = [];
    const own = charge({
      match: (body) => 'period' in body,
      subject: ({ saleToken }) => saleToken,
      state: ({ period }) => period,
    });
    const act = (notification: { key: string }) =>
      isFixed ? void charged.push(notification.key) : Promise.reject(new Error('bug'));
    const described = create({ kinds: [own], on: { charge: act } }).handler;
    expect(await described.replay()).toEqual([{ key, status: 'failed', code: 'callback_failed' }]);
    expect(await handler.replay()).toEqual([{ key, status: 'failed', code: 'unexpected_repeat' }]);
    isFixed = true;
    expect(await described.replay()).toEqual([{ key, status: 'done' }]);
    expect([charged, await letters.list()]).toEqual([['charge:s-1:2026-02'], []]);
  });

  it('stays where today’s definitions give it an identity that is done, too', async () => {
    const { handler, create, clock, letters } = createTimed({}, mode);
    const february = { ...salePayload(), period: '2026-02' };
    await send(handler, { ...salePayload(), period: '2026-01' });
    clock.now += 31 * 24 * HOUR_MS;
    await send(handler, february);
    const [key] = await letters.keys();
    const charged: string[] = [];
    const own = charge({
      match: (body) => 'period' in body,
      subject: ({ saleToken }) => saleToken,
      state: ({ period }) => period,
    });
    const act = (notification: { key: string }) => void charged.push(notification.key);
    const described = create({ kinds: [own], on: { charge: act } }).handler;
    expect(await send(described, february)).toBe(200);
    expect(await described.replay()).toEqual([{ key, status: 'failed', code: 'unexpected_repeat' }]);
    expect([charged, await letters.keys()]).toEqual([['charge:s-1:2026-02'], [key]]);
  });

  it('is not run by replays that go on after the record of what was done has expired', async () => {
    const { handler, clock, acted } = createTimed({}, mode);
    await send(handler, salePayload());
    clock.now += 2 * HOUR_MS;
    await send(handler, salePayload());
    // Each replay keeps the letter again, for another 30 days.
    for (let days = 0; days < 420; days += 20) {
      clock.now += 20 * 24 * HOUR_MS;
      expect(await handler.replay()).toMatchObject([{ status: 'failed', code: 'unexpected_repeat' }]);
    }
    expect(acted).toEqual(['payment:s-1:PAID']);
  });

  it('is not looked for in a replay or a settlement, which leave nothing to compare', async () => {
    let isFixed = false;
    const payment = () => (isFixed ? undefined : Promise.reject(new Error('bug')));
    const { handler, reports, clock, letters } = createTimed({ on: { payment } }, mode);
    await send(handler);
    isFixed = true;
    expect(await handler.replay()).toMatchObject([{ status: 'done' }]);
    await send(handler, { ...salePayload(), amount: 1 });
    const transaction = fixtures.transaction({ uuid: 's-2', refunds: undefined });
    expect(await handler.settle({ uuid: 's-2', transaction })).toMatchObject({ status: 'done' });
    await send(handler, { ...salePayload(), saleToken: 's-2', amount: 1 });
    await send(handler, { ...salePayload(), saleToken: 's-3' });
    clock.now += 2 * HOUR_MS;
    const later = { ...transaction, uuid: 's-3', amount: 1 };
    expect(await handler.settle({ uuid: 's-3', transaction: later })).toMatchObject({
      status: 'already-done',
    });
    expect([reports.map(({ code }) => code), await letters.list()]).toEqual([['callback_failed'], []]);
  });

  it('of a kind of your own is compared by its body without date-times, or by its `content`', async () => {
    const on = { charge: () => undefined };
    const body = {
      chargeId: 'c-1',
      sent: '2026-01-05 12:00:00',
      attempt: { at: '2026-01-05T12:00:00.5Z' },
      n: 1,
    };
    const whole = createTimed({ kinds: [charge()], on }, mode);
    await send(whole.handler, body);
    await send(whole.handler, {
      ...body,
      sent: '2026-01-05 12:01:00',
      attempt: { at: '2026-01-05T12:01:00-03:00' },
    });
    expect(whole.reports).toEqual([]);
    await send(whole.handler, { ...body, n: 2 });
    await send(whole.handler, { ...body, due: '2026-02-05' });
    const differs = ['unexpected_repeat', 'content-differs'];
    expect(whole.seen(whole.reports)).toEqual([
      [...differs, ['body']],
      [...differs, ['body']],
    ]);

    const part = createTimed({ kinds: [charge({ content: ({ n }) => [n] })], on }, mode);
    await send(part.handler, body);
    await send(part.handler, { ...body, other: 1 });
    expect(part.reports).toEqual([]);
    await send(part.handler, { ...body, n: 2 });
    expect(part.seen(part.reports)).toEqual([[...differs, ['content']]]);
  });

  it('of a body without an identity is none: the same one may come again on purpose', async () => {
    const ran: string[] = [];
    const on = { unrecognized: ({ key }: { key: string }) => void ran.push(key) };
    const { handler, reports, clock } = createTimed({ on }, mode);
    for (let hours = 0; hours < 3; hours += 1) {
      for (let delivery = 0; delivery < 6; delivery += 1) await send(handler, { event: 'x' });
      clock.now += HOUR_MS + 1;
    }
    expect([ran.length, reports]).toEqual([3, []]);
  });
});

it('a `content` that is no function is refused, and one that throws is reported before anything runs', async () => {
  expect(() => charge({ content: 'amount' as never })).toThrow('`content`');
  const content = () => {
    throw new Error('bug');
  };
  const on = { charge: () => expect.unreachable() };
  const { handler, reports, store } = createTimed({ kinds: [charge({ content })], on });
  expect(await send(handler, { chargeId: 'c-1' })).toBe(500);
  expect([reports.map(({ code }) => code), store.steps]).toEqual([['internal'], []]);
});
