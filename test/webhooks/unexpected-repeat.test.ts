import { fixtures } from 'pix-automatic-sdk/testing';
import {
  defineNotification,
  MemoryStore,
  type NotificationDefinition,
  type WebhookDone,
  type WebhookReport,
} from 'pix-automatic-sdk/webhooks';
import { describe, expect, it } from 'vitest';
import { stepsOf } from '../../src/stores/steps';
import type { FakeTransact } from '../helpers/fake-transact';
import { createBug, fail, throwing } from './faults';
import { payoutPayload, refundPayload, reversalPayload, salePayload } from './payloads';
import { authorization, codesOf, createListener, linesOf, replayAll, schemaOf, send } from './support';
import { noOrders, WatchedStore } from './watched-store';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const START = Date.parse('2026-01-05T12:00:00Z');

/** A transaction that is no more than its claim and its completion. */
function transactOn(memory: MemoryStore): FakeTransact<undefined> {
  const steps = stepsOf(memory);
  return async ({ subject, state, retentionMs, content }, work) => {
    const claim = await steps.claim(subject, state, { leaseMs: 60_000, withinMs: 1_000 });
    if (claim.status !== 'claimed') return claim;
    try {
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
function createTimed(options: object = {}, mode: Mode = 'under a lease') {
  const clock = { now: START };
  const memory = new MemoryStore({ clock: () => clock.now });
  const store = new WatchedStore(memory, mode === 'in a transaction' ? transactOn(memory) : undefined);
  const told: WebhookDone[] = [];
  const onDone = (done: WebhookDone) => void told.push(done);
  const create = (more: object = {}) =>
    createListener({ store, deadLetters: true, onDone, ...options, ...more });
  return { ...create(), create, clock, store, letters: store.letters, told };
}

/** The reports, each as a line: `unexpected_repeat content-differs amount`. */
const seen = (reports: readonly WebhookReport[]) =>
  reports.map(({ code, reason, issues = [] }) =>
    [code, reason, ...issues.map(({ path }) => path.join('.'))].join(' '),
  );
const LATE = 'unexpected_repeat late';
const DIFFERS = 'unexpected_repeat content-differs';

const charge = (more: Partial<NotificationDefinition<'charge', never>> = {}) =>
  defineNotification({
    kind: 'charge',
    match: (body) => 'chargeId' in body,
    schema: schemaOf<never>(),
    subject: ({ chargeId }) => chargeId,
    ...more,
  });
/** The sales of a subscription, told apart by their months. */
const monthly = charge({
  match: (body) => 'period' in body,
  subject: ({ saleToken }) => saleToken,
  state: ({ period }) => period,
});
const january = { ...salePayload(), period: '2026-01' };
const february = { ...salePayload(), period: '2026-02' };
const otherAmount = { ...salePayload(), amount: 1 };
/** Without a date-time, an equal body may be next month's. */
const undated = { ...salePayload(), date: undefined };

/** What a reconciliation finds. */
const paid = (uuid: string, more: object = {}) => {
  const { amount, currency, referenceCode } = salePayload();
  const money = { amount, currency, referenceCode };
  return { uuid, transaction: fixtures.transaction({ uuid, refunds: undefined, ...money, ...more }) };
};

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

  it('three months of a subscription under one saleToken are booked once, two are reported, and the newest is kept', async () => {
    const { handler, acted, reports, clock, letters, told } = createTimed({}, mode);
    for (const month of [1, 2, 3]) {
      clock.now = Date.parse(`2026-0${month}-05T12:00:00Z`);
      expect(await send(handler, { ...salePayload(), date: `2026-0${month}-05 12:00:00` })).toBe(200);
    }
    expect([acted, seen(reports)]).toEqual([['payment:s-1:PAID'], [LATE, LATE]]);
    expect(linesOf(reports)[0]).toBe('unexpected_repeat 200 payment:s-1:PAID');
    expect(reports[0]?.message).toContain('more than an hour after that');
    expect(reports[0]?.message).toContain('once it has an identity that is not done');
    const [kept, ...others] = await letters.list();
    expect(others).toEqual([]);
    const subject = 'payment:s-1';
    expect(kept).toMatchObject({ key: `${subject}~repeat`, subject, code: 'unexpected_repeat', repeats: 2 });
    expect(kept?.state).toMatch(/^PAID~[\da-f]{16}~2026-03-05$/);
    expect([kept?.body, kept?.firstFailedAt]).toEqual([expect.stringContaining('2026-03-05'), clock.now]);
    // `onDone` tells of what was acknowledged as done, and of nothing that may be another event.
    expect(told).toHaveLength(1);
  });

  it('one a millisecond after the hour is late, counted from what was acted on', async () => {
    const { handler, clock, reports } = createTimed({}, mode);
    await send(handler, undated);
    clock.now += HOUR_MS;
    await send(handler, undated);
    expect(reports).toEqual([]);
    clock.now += 1;
    await send(handler, undated);
    expect(seen(reports)).toEqual([LATE]);
  });

  it.each([
    ['payment', salePayload],
    ['refund', refundPayload],
    ['payout', payoutPayload],
  ])(
    'a %s that is equal in the whole, with a date-time in it, is an ordinary one at any age',
    async (_, payload) => {
      const { handler, clock, reports, letters, told, acted } = createTimed({}, mode);
      expect(JSON.stringify(payload())).toMatch(/\d\d:\d\d:\d\d/);
      for (const days of [0, 1, 31, 367]) {
        clock.now = START + days * 24 * HOUR_MS;
        expect(await send(handler, payload())).toBe(200);
      }
      expect([reports, await letters.list(), told.length, acted.length]).toEqual([[], [], 4, 1]);
      // Not the same text: another date, or only another order of its fields.
      await send(handler, { ...payload(), date: '2026-02-05 12:00:00', creation: '2026-02-05 12:00:00' });
      expect(seen(reports)).toEqual([LATE]);
    },
  );

  it.each([
    ['bytes', (body: object) => new TextEncoder().encode(JSON.stringify(body))],
    ['an object that a parser has made', (body: object) => body],
  ])('it is recognized as %s, too', async (_, as) => {
    const { handler, clock, reports } = createTimed({}, mode);
    const deliver = () =>
      handler.handle({ method: 'POST', url: '/', headers: { authorization }, body: as(salePayload()) });
    await deliver();
    clock.now += 40 * 24 * HOUR_MS;
    expect((await deliver()).status).toBe(200);
    expect(reports).toEqual([]);
  });

  const allOther = { amount: 1, currency: 'USD', referenceCode: 'x' };
  it.each<[string, () => object, string, object]>([
    ['payment', salePayload, 'amount currency referenceCode', allOther],
    ['payment', salePayload, 'amount', { amount: 12345 }],
    ['refund', refundPayload, 'originalAmount reversedAmount', { originalAmount: 1.5, reversedAmount: 2.5 }],
    ['refund', refundPayload, 'amountRefunded', { amountRefunded: 1.5 }],
    ['refund', refundPayload, 'refund.amount', { refund: { uuid: 'r-1', amount: 77 } }],
    ['reversal', reversalPayload, 'originalAmount', { originalAmount: 77 }],
    ['reversal', reversalPayload, 'reversedAmount', { reversedAmount: 77 }],
    ['payout', payoutPayload, 'amount referenceCode', { amount: 77, referenceCode: 'x' }],
  ])('a %s with other content is kept, and reported with its fields', async (kind, payload, fields, more) => {
    const { handler, acted, reports, letters } = createTimed({}, mode);
    await send(handler, payload());
    expect(await send(handler, { ...payload(), ...more })).toBe(200);
    expect([acted.length, seen(reports)]).toEqual([1, [`${DIFFERS} ${fields}`]]);
    expect(reports[0]?.message).toContain(`Fields: ${fields.replaceAll(' ', ', ')}.`);
    expect(JSON.stringify(reports)).not.toContain('12345');
    expect(await letters.list()).toMatchObject([{ kind, code: 'unexpected_repeat', attempts: 1 }]);
    // The service sends it once more. Another content is counted, and takes its place.
    await send(handler, { ...payload(), ...more });
    expect(await letters.list()).toMatchObject([{ attempts: 2, repeats: 1 }]);
    await send(handler, { ...payload(), ...more, message: 'other' });
    const body = expect.stringContaining('"other"');
    expect(await letters.list()).toMatchObject([{ attempts: 3, repeats: 2, body }]);
  });

  it('a field that only one of them has, or that has another type than documented, is not compared', async () => {
    const { handler, reports } = createTimed({}, mode);
    await send(handler);
    for (const amount of [undefined, null, 'ten']) await send(handler, { ...salePayload(), amount });
    expect(codesOf(reports)).toEqual(['field_left_out']);
  });

  it('one that cannot be kept is answered 503', async () => {
    const { handler, letters, reports } = createTimed({}, mode);
    await send(handler);
    letters.faults.keep = fail;
    expect(await send(handler, otherAmount)).toBe(503);
    const lines = linesOf(reports).map((line) => line.split(' payment')[0]);
    expect(lines).toEqual(['dead_letters_failed 503', 'unexpected_repeat 503']);
    letters.faults.keep = undefined;
    expect([await send(handler, otherAmount), (await letters.list()).length]).toEqual([200, 1]);
  });

  it('without dead letters is answered 200 and reported', async () => {
    const { handler, reports, letters } = createTimed({ deadLetters: false }, mode);
    await send(handler);
    expect(await send(handler, otherAmount)).toBe(200);
    expect([codesOf(reports), letters.steps]).toEqual([['unexpected_repeat'], []]);
  });

  /** A subscription's second month, which the documented kind takes for a repeat. */
  async function createRepeated() {
    const timed = createTimed({}, mode);
    await send(timed.handler, january);
    timed.clock.now += 31 * 24 * HOUR_MS;
    await send(timed.handler, february);
    const [key] = await timed.letters.keys();
    const charged: string[] = [];
    const { fix, breaks } = createBug();
    const on = { charge: breaks((notification: { key: string }) => charged.push(notification.key)) };
    const described = timed.create({ kinds: [monthly], on }).handler;
    return { ...timed, key, charged, fix, described };
  }

  it('is run by a replay under an identity of its own, and under none that is done', async () => {
    const { handler, described, fix, charged, acted, letters, reports, key } = await createRepeated();
    const repeated = [{ key, status: 'failed', code: 'unexpected_repeat' }];
    expect(await replayAll(handler)).toEqual(repeated);
    // It has failed as before, which is not told again.
    expect(codesOf(reports)).toEqual(['unexpected_repeat']);
    expect([acted.length, await letters.keys()]).toEqual([1, [key]]);

    // Its definition tells the months apart, and its callback fails first: that makes it no other letter.
    expect(await replayAll(described)).toEqual([{ key, status: 'failed', code: 'callback_failed' }]);
    expect(await replayAll(handler)).toEqual(repeated);
    fix();
    expect(await replayAll(described)).toEqual([{ key, status: 'done' }]);
    expect([charged, await letters.list()]).toEqual([['charge:s-1:2026-02'], []]);
  });

  it('stays where today’s definitions give it an identity that is done, too', async () => {
    const { described, fix, charged, letters, key } = await createRepeated();
    fix();
    expect(await send(described, february)).toBe(200);
    expect(await replayAll(described)).toEqual([{ key, status: 'failed', code: 'unexpected_repeat' }]);
    expect([charged, await letters.keys()]).toEqual([['charge:s-1:2026-02'], [key]]);
  });

  it('is kept for 30 days, whatever becomes of its replays, and told of once before it is dropped', async () => {
    const { handler, clock, acted, letters, reports } = createTimed({}, mode);
    await send(handler, undated);
    clock.now += 2 * HOUR_MS;
    const keptAt = clock.now;
    await send(handler, undated);
    let replays = 0;
    for (let days = 1; days <= 420; days += 1) {
      clock.now = keptAt + days * 24 * HOUR_MS - 1;
      replays += (await handler.replay()).length;
    }
    expect([replays, await letters.list(), acted]).toEqual([30, [], ['payment:s-1:PAID']]);
    expect(codesOf(reports)).toEqual(['unexpected_repeat', 'dead_letter_dropped']);
  });

  it('is reported each time, and has one letter a subject, which counts its bodies', async () => {
    const { handler, clock, letters, reports } = createTimed({}, mode);
    await send(handler);
    for (let repeat = 0; repeat < 300; repeat += 1) {
      clock.now += HOUR_MS;
      expect(await send(handler, { ...salePayload(), amount: 1_000 + (repeat % 25) })).toBe(200);
    }
    expect(await letters.list()).toMatchObject([{ attempts: 300, repeats: 300 }]);
    expect(reports).toHaveLength(300);
    // Another subject has its own.
    await send(handler, { ...salePayload(), saleToken: 's-2' });
    await send(handler, { ...otherAmount, saleToken: 's-2' });
    expect(await letters.list()).toHaveLength(2);
  });

  it('begins its 30 days anew with each body, and is not forgotten for an older one', async () => {
    const { handler, described, fix, letters, charged, clock, key } = await createRepeated();
    fix();
    clock.now += 29 * 24 * HOUR_MS;
    const march = { ...february, period: '2026-03' };
    const fault = letters.faults;
    // March comes while February is booked from the letter.
    fault.forget = async () => {
      fault.forget = undefined;
      await send(handler, march);
    };
    expect(await replayAll(described)).toMatchObject([{ key, status: 'done' }]);
    expect([charged, (await letters.list()).map(({ body }) => JSON.parse(body).period)]).toEqual([
      ['charge:s-1:2026-02'],
      ['2026-03'],
    ]);
    clock.now += 29 * 24 * HOUR_MS;
    expect(await replayAll(described)).toMatchObject([{ key, status: 'done' }]);
    expect([charged.length, await letters.list()]).toEqual([2, []]);
  });

  it('is not looked for in a replay or a settlement itself', async () => {
    const { fix, breaks } = createBug();
    const timed = createTimed({ on: { payment: breaks() } }, mode);
    const { handler, settle, reports, clock, letters } = timed;
    await send(handler);
    fix();
    expect(await replayAll(handler)).toMatchObject([{ status: 'done' }]);
    await send(handler, { ...salePayload(), saleToken: 's-3' });
    clock.now += 2 * HOUR_MS;
    expect(await settle(paid('s-3', { amount: 1 }))).toMatchObject({ code: 'done', isRepeat: true });
    expect([codesOf(reports), await letters.list()]).toEqual([['callback_failed'], []]);
  });

  it('is looked for after a replay, which leaves what it was of', async () => {
    const { fix, breaks } = createBug();
    const { handler, reports, clock } = createTimed({ on: { payment: breaks() } }, mode);
    await send(handler);
    fix();
    await replayAll(handler);
    clock.now += 2 * HOUR_MS;
    // The same text again.
    expect(await send(handler)).toBe(200);
    await send(handler, otherAmount);
    expect(seen(reports)).toEqual(['callback_failed ', `${DIFFERS} amount`]);
  });

  it('with another amount within the hour of a settlement is one', async () => {
    const { handler, settle, reports, acted, letters } = createTimed({}, mode);
    expect(await settle(paid('s-1'))).toMatchObject({ code: 'done', isRepeat: false });
    await send(handler, otherAmount);
    expect([seen(reports), acted.length]).toEqual([[`${DIFFERS} amount`], 1]);
    expect(await letters.list()).toHaveLength(1);
  });

  it('is not the first delivery after a settlement, whenever that comes, but the second', async () => {
    const { handler, settle, reports, clock } = createTimed({}, mode);
    await settle(paid('s-1'));
    clock.now += 20 * 24 * HOUR_MS;
    for (let delivery = 0; delivery < 3; delivery += 1) expect(await send(handler, undated)).toBe(200);
    expect(reports).toEqual([]);
    clock.now += 30 * 24 * HOUR_MS;
    await send(handler, undated);
    expect(seen(reports)).toEqual([LATE]);
  });

  it('the first delivery after a settlement that cannot be recorded is answered 503', async () => {
    const { handler, settle, reports, store } = createTimed({}, mode);
    await settle(paid('s-1'));
    store.letters.faults.deliver = fail;
    expect(await send(handler)).toBe(503);
    store.letters.faults.deliver = undefined;
    expect([await send(handler), codesOf(reports)]).toEqual([200, ['store_failed']]);
  });

  const at = (minute: number) => ({
    sent: `2026-01-05 12:0${minute}:00`,
    attempt: { at: `2026-01-05T12:0${minute}:00${minute === 0 ? '.5Z' : '-03:00'}` },
  });
  it.each<[string, object, object[], object[], string]>([
    ['body without date-times', {}, [at(1)], [{ n: 2 }, { due: '2026-02-05' }], 'body'],
    ['`content`', { content: ({ n }: { n: number }) => [n] }, [{ other: 1 }], [{ n: 2 }], 'content'],
  ])('of a kind of your own is compared by its %s', async (_, more, same, other, field) => {
    const kinds = [charge(more)];
    const { handler, reports } = createTimed({ kinds, on: { charge: () => undefined } }, mode);
    const body = { chargeId: 'c-1', ...at(0), n: 1 };
    for (const changes of [{}, ...same]) await send(handler, { ...body, ...changes });
    expect(reports).toEqual([]);
    for (const changes of other) await send(handler, { ...body, ...changes });
    expect(seen(reports)).toEqual(other.map(() => `${DIFFERS} ${field}`));
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
  const content = throwing(new Error('bug'));
  const on = { charge: () => expect.unreachable() };
  const { handler, reports, store } = createTimed({ kinds: [charge({ content })], on });
  expect(await send(handler, { chargeId: 'c-1' })).toBe(500);
  expect([codesOf(reports), store.steps]).toEqual([['internal'], []]);
});
