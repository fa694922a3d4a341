import { MemoryStore } from 'pix-automatic-sdk/webhooks';
import { describe, expect, it } from 'vitest';
import type { Transact } from '../../src/stores/steps';
import { createBug, fail, throwing } from './faults';
import { codesOf, createListener, linesOf, replayAll, send } from './support';
import { WatchedStore } from './watched-store';

const START = Date.parse('2026-01-05T12:00:00Z');
const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const MONTH_MS = 30 * DAY_MS;
const PAID = 'payment:s-1:PAID';
const failing = { payment: throwing(new Error('bug')) };

/** A listener with dead letters whose payment callback throws until it is fixed, and a clock of the test's. */
function createTimed(options: object = {}) {
  const clock = { now: START };
  const memory = new MemoryStore({ clock: () => clock.now });
  const store = new WatchedStore(memory);
  const { fix, breaks } = createBug();
  const ran: string[] = [];
  const on = { payment: breaks(({ key }: { key: string }) => ran.push(key)) };
  const create = (more: object = {}) => createListener({ store, deadLetters: true, on, ...options, ...more });
  return { ...create(), create, clock, store, memory, letters: store.letters, fix, ran };
}

describe('the drop of a dead letter', () => {
  it('is told within its last day, and not again after its end or where it fails once more', async () => {
    const { handler, clock, reports } = createTimed();
    await send(handler);
    clock.now += MONTH_MS - DAY_MS - 1;
    await handler.replay();
    expect(codesOf(reports)).toEqual(['callback_failed']);
    clock.now += 1;
    await handler.replay();
    expect(reports[1]?.message).toContain('It is kept until 2026-02-04T12:00:00.000Z.');
    await send(handler);
    await handler.replay();
    clock.now += DAY_MS;
    await handler.replay();
    expect(codesOf(reports)).toEqual(['callback_failed', 'dead_letter_dropped', 'callback_failed']);
  });

  it.each<[string, (timed: ReturnType<typeof createTimed>) => unknown]>([
    ['a delivery has done it', ({ handler, fix }) => [fix(), send(handler)][1]],
    ['a replay has done it', ({ handler, fix }) => [fix(), replayAll(handler)][1]],
    ['a person has forgotten it', ({ handler }) => handler.deadLetters.forget(PAID)],
  ])('is not told where %s', async (_, end) => {
    const timed = createTimed();
    await send(timed.handler);
    await end(timed);
    timed.clock.now += MONTH_MS + 1;
    await timed.handler.replay();
    expect(codesOf(timed.reports)).toEqual(['callback_failed']);
  });

  it('that cannot be noted is told by the next replay', async () => {
    const { handler, clock, reports, store } = createTimed();
    await send(handler);
    clock.now += MONTH_MS - 1;
    store.letters.faults.note = fail;
    await handler.replay();
    store.letters.faults.note = undefined;
    await handler.replay();
    expect(codesOf(reports)).toEqual(['callback_failed', 'dead_letters_failed', 'dead_letter_dropped']);
  });
});

describe('a dead letter that came with a pair of credentials', () => {
  const other = { apiKey: 'key-2', apiToken: 'token:2' };

  it('that is not valid any more is not due by itself, which is reported once; given, it is run', async () => {
    const { handler, create, fix, clock, ran, letters } = createTimed();
    await send(handler);
    fix();
    const rotated = create({ credentials: other });
    for (let day = 1; day <= 3; day += 1) {
      clock.now += DAY_MS;
      expect(await rotated.handler.replay()).toEqual([]);
    }
    expect([ran, await letters.keys()]).toEqual([[], [PAID]]);
    expect(linesOf(rotated.reports)).toEqual([`dead_letter_credential 500 ${PAID}`]);
    expect(rotated.reports[0]?.message).toContain('It is kept until 2026-02-04T12:00:00.000Z.');
    expect(await replayAll(rotated.handler)).toEqual([{ key: PAID, status: 'done' }]);
    expect(ran).toEqual([PAID]);
  });

  it('that is one of several is due', async () => {
    const { handler, create, fix, clock, ran } = createTimed();
    await send(handler);
    fix();
    clock.now += HOUR_MS;
    const pair = { apiKey: 'key-1', apiToken: 'token:1' };
    const rotated = create({ credentials: [other, pair] });
    expect(await rotated.handler.replay()).toEqual([{ key: PAID, status: 'done' }]);
    expect([ran, rotated.reports]).toEqual([[PAID], []]);
  });
});

it('a dead letter of a callback that has committed by itself stays through deliveries and replays', async () => {
  const timed = createTimed({ on: { payment: () => undefined } });
  const error = new Error('COMMIT of its own');
  const ended: Transact<undefined> = async () => ({ status: 'failed', during: 'own commit', error });
  const done: Transact<undefined> = async () => ({ status: 'done', at: START, now: timed.clock.now });
  Object.assign(timed.store, { transact: ended });
  const { handler, reports } = timed.create();
  expect(await send(handler)).toBe(200);
  // Its record was committed with what it wrote, so it is done whoever asks.
  Object.assign(timed.store, { transact: done });
  const after = timed.create();
  expect(await send(after.handler)).toBe(200);
  for (let day = 1; day < 30; day += 1) {
    timed.clock.now += DAY_MS;
    expect(await after.handler.replay()).toEqual([]);
  }
  const stays = [{ key: PAID, status: 'failed', code: 'transaction_ended' }];
  expect(await replayAll(after.handler)).toEqual(stays);
  expect(await timed.letters.list()).toMatchObject([{ code: 'transaction_ended', attempts: 1 }]);
  expect([codesOf(reports), codesOf(after.reports)]).toEqual([
    ['transaction_ended'],
    ['dead_letter_dropped'],
  ]);
});

it.each<[string, object, object, object | undefined]>([
  ['a callback that throws', failing, failing, undefined],
  ['no callback', {}, {}, undefined],
  ['no callback and no identity', {}, {}, { newStatus: 'PAID' }],
  ['no callback at first, and one that is ignored now', {}, { payment: 'ignore' }, undefined],
])('a dead letter of %s is due by the same steps', async (_, former, today, body) => {
  const { handler: first, create, clock, letters } = createTimed({ on: former });
  await send(first, body);
  const { handler, reports } = create({ on: today });
  const due: number[] = [];
  for (let hour = 1; hour <= 60; hour += 1) {
    clock.now += HOUR_MS;
    if ((await handler.replay()).length > 0) due.push(hour);
  }
  expect(due).toEqual([1, 3, 7, 15, 31, 55]);
  expect(await letters.list()).toMatchObject([{ attempts: 7, firstFailedAt: START }]);
  // Nothing has changed.
  expect(reports).toEqual([]);
});

it('a dead letter whose callback is in another service is no try of this one', async () => {
  const { handler, create, clock, letters, fix, ran } = createTimed();
  await send(handler);
  const elsewhere = create({ on: { refund: () => undefined } });
  clock.now += HOUR_MS;
  expect(await elsewhere.handler.replay()).toEqual([{ key: PAID, status: 'unhandled', code: 'unhandled' }]);
  expect(await letters.list()).toMatchObject([{ code: 'callback_failed', attempts: 1 }]);
  fix();
  expect(await handler.replay()).toEqual([{ key: PAID, status: 'done' }]);
  expect([ran, elsewhere.reports]).toEqual([[PAID], []]);
});

describe('a state beyond 64 that the document does not name', () => {
  const sale = (newStatus: string) => ({ saleToken: 's-1', newStatus });

  it('is answered 200, kept and reported; those that it names still have their place', async () => {
    const { handler, acted, reports, letters, store } = createFlooded();
    await flood(handler);
    expect(await send(handler, sale('X-64'))).toBe(200);
    expect([acted.length, linesOf(reports)]).toEqual([65, ['too_many_states 200 payment:s-1:X-64']]);
    expect(reports[0]?.message).toContain('It is kept as a dead letter');
    expect(await letters.list()).toMatchObject([{ code: 'too_many_states', state: 'X-64', attempts: 1 }]);
    // Nothing of it is left that would keep the subject.
    expect(await send(handler, sale('REVERSAL'))).toBe(200);
    expect(await send(handler, sale('PAID'))).toBe(200);
    expect(acted.slice(-1)).toEqual(['payment:s-1:REVERSAL']);
    expect(new Set(acted).size).toBe(acted.length);
    expect(await replayAll(handler)).toEqual([
      { key: 'payment:s-1:X-64', status: 'failed', code: 'too_many_states' },
    ]);
    expect(await letters.list()).toMatchObject([{ attempts: 2 }]);
    expect(store.steps.at(-1)).toBe('claim');
  });

  it('is answered 503 while it cannot be kept', async () => {
    const { handler, reports, letters, acted } = createFlooded();
    await flood(handler);
    letters.faults.keep = fail;
    expect(await send(handler, sale('X-64'))).toBe(503);
    expect(codesOf(reports)).toEqual(['dead_letters_failed', 'too_many_states']);
    letters.faults.keep = undefined;
    expect([await send(handler, sale('X-64')), acted.length]).toEqual([200, 65]);
  });

  it('is reported where there are no dead letters, and another subject has states of its own', async () => {
    const { handler, reports, acted } = createFlooded({ deadLetters: false });
    await flood(handler);
    expect(await send(handler, sale('X-64'))).toBe(200);
    expect(await send(handler, { saleToken: 's-2', newStatus: 'X-64' })).toBe(200);
    expect([codesOf(reports), acted.length]).toEqual([['too_many_states'], 66]);
    expect(reports[0]?.message).toContain('the service does not send it again');
  });

  function createFlooded(options: object = {}) {
    const store = new WatchedStore();
    return { ...createListener({ store, deadLetters: true, ...options }), store, letters: store.letters };
  }

  /** A payment, and 64 states that somebody has made up. */
  async function flood(handler: ReturnType<typeof createListener>['handler']) {
    for (const state of ['PAID', ...Array.from({ length: 64 }, (_, at) => `X-${at}`)]) {
      expect(await send(handler, sale(state))).toBe(200);
    }
  }
});
