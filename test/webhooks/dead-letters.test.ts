import { setTimeout as sleep } from 'node:timers/promises';
import { createStore } from 'pix-automatic-sdk/stores';
import {
  ConfigurationError,
  type DeadLetter,
  defineNotification,
  MemoryStore,
  type NotificationDefinition,
  type WebhookHandlerOptions,
} from 'pix-automatic-sdk/webhooks';
import { describe, expect, it } from 'vitest';
import { MemoryRecords } from '../../src/stores/memory-store';
import { type Claim, stepsOf } from '../../src/stores/steps';
import type { FakeTransact } from '../helpers/fake-transact';
import { createBug, fail, gate, hang, throwing } from './faults';
import { payoutPayload, queries, refundPayload, reversalPayload, salePayload } from './payloads';
import {
  authorization,
  codesOf,
  createListener,
  linesOf,
  notificationRequest,
  replayAll,
  schemaOf,
  send,
} from './support';
import { busy, committing, WatchedStore } from './watched-store';

const [sale, refund, reversal] = [salePayload(), refundPayload(), reversalPayload()];
const PAID = 'payment:s-1:PAID';
const BUG = Object.assign(new TypeError('of order 52998224725'), { code: 'E_BUG' });
const none = () => undefined;

/** Options, with what the store does. */
interface Setting extends Partial<Omit<WebhookHandlerOptions, 'store'>> {
  readonly store?: WatchedStore;
  readonly faults?: Partial<WatchedStore['faults']>;
  readonly transact?: FakeTransact<undefined>;
}

/** A listener with dead letters, whose callbacks fail until they are fixed. */
function createKeeping({ faults, transact, ...options }: Setting = {}) {
  const { store = new WatchedStore(new MemoryStore(), transact) } = options;
  Object.assign(store.faults, faults);
  const acted: string[] = [];
  const indices: number[] = [];
  const { fix, breaks } = createBug(BUG);
  const act = breaks(({ key }: { key: string }, { credentialIndex }: { credentialIndex: number }) => {
    acted.push(key);
    indices.push(credentialIndex);
  });
  const on = { payment: act, refund: act, reversal: act, unrecognized: act };
  const listener = createListener({ deadLetters: true, on, ...options, store });
  return { ...listener, acted, indices, store, letters: store.letters, fix };
}

/** The same, with a clock of the test's. */
function createTimed(options: Setting = {}) {
  const clock = { now: 1_000_000 };
  const store = new WatchedStore(new MemoryStore({ clock: () => clock.now }));
  return { ...createKeeping({ ...options, store }), clock };
}

const plain = (body: unknown, url = '/') => ({ method: 'POST', url, headers: { authorization }, body });
const ENTRY = { key: 'k', subject: 's', state: '', body: '{}', url: '', credential: '0a1b2c3d' };
const HOUR_MS = 60 * 60 * 1000;
const MONTH_MS = 30 * 24 * HOUR_MS;
const NO_LETTERS = 'This handler keeps no dead letters: create it with `deadLetters: true`.';

describe('deadLetters', () => {
  it('keeps a notification whose callback threw, with the name of the error and never its message', async () => {
    const { handler, store, letters, reports } = createKeeping();
    const answer = await handler(notificationRequest(refund, { query: queries.refund }));
    expect([answer.status, await answer.text()]).toEqual([500, 'Internal error']);
    const identity = { key: 'refund:r-1:PAID', kind: 'refund', subject: 'refund:r-1', state: 'PAID' };
    const failed = { code: 'callback_failed', errorName: 'TypeError', attempts: 1 };
    expect(await letters.list()).toEqual([
      {
        ...identity,
        ...failed,
        body: JSON.stringify(refund),
        url: queries.refund,
        credential: expect.stringMatching(/^[\da-f]{8}$/),
        firstFailedAt: expect.any(Number),
        lastFailedAt: expect.any(Number),
      },
    ]);
    const message = expect.stringContaining('kept as a dead letter: `handler.replay`');
    expect(reports).toMatchObject([{ code: 'callback_failed', message }]);
    // The lease is released as it is without dead letters.
    expect(store.steps).toEqual(['claim', 'release']);
  });

  const slow = { callbackTimeoutMs: 10, on: { payment: hang } };
  const lost = { on: { payment: none }, faults: { complete: [async () => false] } };
  const error = Object.assign(new Error('current transaction is aborted'), { code: '25P02', name: 'error' });
  const aborting: FakeTransact<undefined> = (...given) => committing(...given).then(throwing(error));
  const aborted = { on: { payment: none }, transact: aborting };
  const neverBegun = { transact: () => Promise.reject(error) };
  const thrown = (what: unknown) => ({ on: { payment: throwing(what) } });
  const longName = Object.assign(new Error(''), { name: 'x'.repeat(1_000) });
  const noName = Object.assign(new Error(''), { name: '' });

  it.each<[string, string, Setting, unknown]>([
    ['a callback that took too long', '500 keep payment callback_timeout DeadlineExceeded', slow, sale],
    ['a lease that was over before its success', '503 keep payment lease_lost', lost, sale],
    ['no callback', '200 keep payout unhandled', { on: {} }, payoutPayload()],
    ['no kind and no callback', '200 keep unrecognized unhandled', { on: {} }, { instructionId: 'i-1' }],
    ['no identity', '400 keep unrecognized invalid_notification', { on: {} }, { newStatus: 'PAID' }],
    ['a transaction that fails after its begin', '500 keep payment store_failed error', aborted, sale],
    ['a transaction that never begins', '503', neverBegun, sale],
    ['a kind that is ignored', '200', { on: { payment: 'ignore' } }, sale],
    ['a subject that is busy', '503', { faults: { claim: [busy] } }, sale],
    ['a store that failed to begin', '503', { faults: { claim: [fail] } }, sale],
    ['a body that is no notification', '400', {}, 'no JSON'],
    ['a text that was thrown', '500 keep payment callback_failed string', thrown('text'), sale],
    ['an endless name', `500 keep payment callback_failed ${'x'.repeat(100)}`, thrown(longName), sale],
    ['an error without a name', '500 keep payment callback_failed object', thrown(noName), sale],
  ])('keeps what may be lost otherwise, and only that: %s gives %s', async (_, expected, setting, body) => {
    const { handler, letters } = createKeeping(setting);
    const status = await send(handler, body);
    const kept = (await letters.list()).flatMap(({ kind, code, errorName = '' }) => [kind, code, errorName]);
    expect([status, ...letters.steps, ...kept].join(' ').trim()).toBe(expected);
  });

  it.each([
    ['/hooks?token=s&refund=true&type=charge&type=refund&payout=1#part', refund, '?refund=true&type=refund'],
    ['https://user:s3cret@merchant.example/s3cret?token=s3cret', sale, ''],
    ['/hooks', reversal, ''],
  ])('keeps of the URL %s only the flags of the documented kinds', async (url, body, kept) => {
    const { handler, letters } = createKeeping();
    await handler.handle(plain(body, url));
    expect(await letters.list()).toMatchObject([{ url: kept }]);
  });

  it.each([
    ['text', JSON.stringify(sale)],
    ['bytes', new TextEncoder().encode(JSON.stringify(sale))],
    ['an object that a parser has made, with a BigInt', { ...sale, large: 2n ** 64n }],
  ])('keeps a body that came as %s as text that can be read again', async (_, body) => {
    const { handler, letters, fix, acted } = createKeeping();
    await handler.handle(plain(body));
    const entries = await letters.list();
    expect(JSON.parse(entries[0]?.body ?? '')).toMatchObject(sale);
    fix();
    expect(await handler.replay(entries)).toEqual([{ key: PAID, status: 'done' }]);
    expect(acted).toEqual([PAID]);
  });

  it.each<[string, Setting, () => unknown, number]>([
    ['succeeds late', {}, none, 0],
    ['fails late', {}, throwing(BUG), 1],
    ['succeeds late in a transaction', { transact: committing }, none, 0],
    ['fails late in a transaction', { transact: committing }, throwing(BUG), 1],
  ])('keeps one whose callback %s, unless it is recorded after all', async (_, setting, end, kept) => {
    const { wait, open } = gate();
    const on = { payment: () => wait().then(end) };
    const { handler, letters } = createKeeping({ ...setting, callbackTimeoutMs: 10, on });
    expect([await send(handler), await letters.keys()]).toEqual([500, [PAID]]);
    open();
    await sleep(20);
    await expect.poll(() => letters.keys()).toHaveLength(kept);
  });

  it.each([
    [true, MONTH_MS],
    [{}, MONTH_MS],
    [{ retentionMs: 5_000 }, 5_000],
  ])('with %j keeps one for so long after its first failure: %d ms', async (deadLetters, kept) => {
    const { handler, letters, clock } = createTimed({ deadLetters });
    await send(handler);
    clock.now += 1_000;
    await send(handler);
    clock.now += kept - 1_001;
    expect(await letters.list()).toMatchObject([{ firstFailedAt: 1_000_000, lastFailedAt: 1_001_000 }]);
    clock.now += 1;
    expect(await letters.list()).toEqual([]);
  });

  it('lists a page at a time, and forgets one', async () => {
    const { handler } = createKeeping();
    for (const body of [sale, refund, reversal]) await send(handler, body);
    const keysOf = async (page?: Parameters<typeof handler.deadLetters.list>[0]) =>
      (await handler.deadLetters.list(page)).map(({ key }) => key);
    expect(await keysOf({ limit: 2 })).toEqual([PAID, 'refund:r-1:PAID']);
    expect(await keysOf({ after: 'refund:r-1:PAID', limit: 2 })).toEqual(['reversal:v-1:PENDING']);
    await handler.deadLetters.forget('refund:r-1:PAID');
    await handler.deadLetters.forget('none');
    expect(await keysOf()).toEqual([PAID, 'reversal:v-1:PENDING']);
    await expect(keysOf({ limit: 0 })).rejects.toThrow('`limit`');
  });

  it('are none without the option: each step says so', async () => {
    const { handler, letters } = createKeeping({ deadLetters: false });
    expect([await send(handler), letters.steps, await letters.list()]).toEqual([500, [], []]);
    await expect(handler.deadLetters.list()).rejects.toThrow(NO_LETTERS);
    await expect(handler.deadLetters.forget('k')).rejects.toThrow(NO_LETTERS);
    await expect(handler.replay([])).rejects.toThrow(NO_LETTERS);
  });

  it.each([
    ['within', HOUR_MS - 1, []],
    ['after', HOUR_MS + 1, [expect.stringMatching(/^unrecognized:/)]],
  ])('forgets one without an identity when an equal body succeeds %s its hour', async (_, later, left) => {
    const { handler, letters, fix, clock } = createTimed();
    const body = { instructionId: 'i-1' };
    expect(await send(handler, body)).toBe(500);
    fix();
    clock.now += later;
    expect([await send(handler, body), await letters.keys()]).toEqual([200, left]);
    // A replay forgets it whenever it is.
    clock.now += HOUR_MS + 1;
    await handler.replay();
    expect(await letters.keys()).toEqual([]);
  });

  it.each(['another namespace', 'another store'])('of a listener in %s are its own', async (which) => {
    const newRecords = () => new MemoryRecords(100, () => 1_000_000);
    const shared = newRecords();
    const acted: string[] = [];
    const { fix, breaks } = createBug();
    const listenerIn = (namespace: string) => {
      const store = createStore(which === 'another store' ? newRecords() : shared, { namespace });
      const payment = breaks(() => acted.push(namespace));
      return createListener({ store, deadLetters: true, on: { payment } });
    };
    const [a, b] = [listenerIn('a'), listenerIn('b')];
    expect([await send(a.handler), await send(b.handler)]).toEqual([500, 500]);
    fix();
    // The success of one forgets its own letter, and none of the other, whose replay finds it.
    expect([await send(a.handler), acted]).toEqual([200, ['a']]);
    expect([await a.handler.deadLetters.list(), await replayAll(a.handler)]).toEqual([[], []]);
    expect(await b.handler.deadLetters.list()).toMatchObject([{ key: PAID, attempts: 1 }]);
    expect(await replayAll(b.handler)).toEqual([{ key: PAID, status: 'done' }]);
    expect(acted).toEqual(['a', 'b']);
  });

  it.each([
    ['fails', fail],
    ['hangs', hang],
  ])('changes no answer of 500 or 200 of a callback when it %s, and says so in reports', async (_, fault) => {
    const { handler, letters, reports, fix } = createKeeping({ storeTimeoutMs: 200 });
    Object.assign(letters.faults, { keep: fault, read: fault });
    expect(await send(handler)).toBe(500);
    expect(reports[1]).toMatchObject({ error: BUG, message: expect.stringContaining('could not be kept') });
    fix();
    expect(await send(handler)).toBe(200);
    const [kept, forgotten] = [`dead_letters_failed 500 ${PAID}`, `dead_letters_failed 200 ${PAID}`];
    expect(linesOf(reports)).toEqual([kept, `callback_failed 500 ${PAID}`, forgotten]);
  });

  it('answers 503, not 200, when what has no callback cannot be kept', async () => {
    const { handler, letters, reports } = createKeeping({ on: {} });
    letters.faults.keep = fail;
    expect(await send(handler)).toBe(503);
    expect(linesOf(reports)).toEqual([`dead_letters_failed 503 ${PAID}`, `unhandled 503 ${PAID}`]);
    expect(reports[0]).toMatchObject({ error: { message: expect.stringContaining('injected') } });
    letters.faults.keep = undefined;
    expect([await send(handler), await letters.keys()]).toEqual([200, [PAID]]);
  });

  it('refuses a `retentionMs` that could forget what is done before a dead letter of it', async () => {
    const keepingFor = (retentionMs: number) =>
      createKeeping({ deadLetters: { retentionMs: MONTH_MS }, retentionMs });
    expect(() => keepingFor(MONTH_MS + HOUR_MS - 1)).toThrow(ConfigurationError);
    const { handler, store, fix } = keepingFor(MONTH_MS + HOUR_MS);
    fix();
    await send(handler);
    await send(handler, { instructionId: 'i-1' });
    expect(store.retentions).toEqual([MONTH_MS + HOUR_MS, HOUR_MS]);
  });
});

describe('handler.replay', () => {
  const bodies = [sale, refund, reversal];
  const keys = [PAID, 'refund:r-1:PAID', 'reversal:v-1:PENDING'];
  const done = (entries: readonly { readonly key: string }[]) =>
    entries.map(({ key }) => ({ key, status: 'done' }));

  /** Three letters, kept by a listener whose callbacks work now unless `isFixed` says otherwise. */
  async function createFailed({ isFixed = true } = {}) {
    const keeping = createKeeping();
    for (const body of bodies) await send(keeping.handler, body);
    const entries = await keeping.letters.list();
    for (const { steps } of [keeping.letters, keeping.store]) steps.length = 0;
    if (isFixed) keeping.fix();
    return { ...keeping, entries, first: entries.slice(0, 1) };
  }

  it('runs entries again, in their order and each once, and forgets them', async () => {
    const { handler, letters, acted, indices, entries } = await createFailed();
    expect(await handler.replay(entries)).toEqual(keys.map((key) => ({ key, status: 'done' })));
    expect([acted, indices, await letters.list()]).toEqual([keys, [-1, -1, -1], []]);
    expect(letters.steps.filter((step) => step === 'forget')).toHaveLength(3);
    // A replay is recorded like a delivery, and a second one repeats nothing.
    for (const body of bodies) expect(await send(handler, body)).toBe(200);
    expect(await handler.replay(entries)).toEqual(done(entries));
    expect(acted).toEqual(keys);
  });

  it.each([
    ['a key', PAID],
    ['a list of keys', [PAID]],
    ['an entry without its body', [ENTRY, { ...ENTRY, body: undefined }]],
    ['no entry', [null]],
  ])('refuses %s instead of entries', async (_, which) => {
    const { handler, store } = createKeeping();
    const replayed = handler.replay(which as never);
    await expect(replayed).rejects.toBeInstanceOf(ConfigurationError);
    await expect(replayed).rejects.toThrow(
      /^Expected a list of dead letters: `handler\.replay.*`, or nothing for all\. /,
    );
    expect(store.steps).toEqual([]);
  });

  it('runs nothing for an entry that is gone, because it was done or forgotten since it was listed', async () => {
    const { handler, letters, store, acted, first } = await createFailed();
    await handler.deadLetters.forget(PAID);
    expect(await handler.replay(first)).toEqual(done(first));
    expect([acted, store.steps, await letters.keys()]).toEqual([[], [], keys.slice(1)]);
  });

  it('runs all that are due without a list, a page at a time, whatever stays', async () => {
    const { handler, letters, fix, acted, clock } = createTimed();
    for (let at = 0; at < 205; at += 1) await send(handler, { ...sale, saleToken: `s-${at}` });
    const credential = (await letters.list())[0]?.credential ?? '';
    const broken = { ...ENTRY, key: 'payment:s-1x', kind: 'payment', code: 'x', body: 'no JSON', credential };
    await letters.put(broken, MONTH_MS);
    fix();
    clock.now += HOUR_MS - 1;
    expect([await handler.replay(), acted]).toEqual([[], []]);
    clock.now += 1;
    const results = await handler.replay();
    expect(results.filter(({ status }) => status === 'failed')).toMatchObject([{ key: 'payment:s-1x' }]);
    expect([results.length, new Set(acted).size, acted.length]).toEqual([206, 205, 205]);
    expect(await letters.keys()).toEqual(['payment:s-1x']);
    expect(await handler.replay()).toMatchObject([{ key: 'payment:s-1x', status: 'failed' }]);
  });

  it('does not run again what a delivery has done meanwhile, and forgets it', async () => {
    const { handler, store, letters, acted, first } = await createFailed();
    expect(await send(createListener({ store }).handler)).toBe(200);
    expect(await handler.replay(first)).toEqual(done(first));
    expect([acted, await letters.keys()]).toEqual([[], keys.slice(1)]);
  });

  it('leaves, and reports, what is busy and what fails again', async () => {
    const { handler, store, letters, reports, entries } = await createFailed({ isFixed: false });
    store.faults.claim.push(busy, fail);
    expect(await handler.replay(entries)).toEqual([
      { key: keys[0], status: 'busy', code: 'busy' },
      { key: keys[1], status: 'failed', code: 'store_failed' },
      { key: keys[2], status: 'failed', code: 'callback_failed' },
    ]);
    // What fails as it did before is not reported again.
    expect(codesOf(reports.slice(3))).toEqual(['busy', 'store_failed']);
    expect(reports.at(-1)?.message).toContain('It was replayed, and stays a dead letter.');
    expect((await letters.list()).map(({ attempts }) => attempts)).toEqual([1, 1, 2]);
  });

  it.each([{ payment: 'ignore' }, {}])('leaves what nobody acts on in this service: %j', async (on) => {
    const { store, letters, entries, first } = await createFailed();
    const { handler } = createListener({ store, deadLetters: true, on });
    expect(await handler.replay(first)).toEqual([{ key: PAID, status: 'unhandled', code: 'unhandled' }]);
    expect(await letters.list()).toEqual(entries);
  });

  it('leaves an incomplete one until there is a callback for it', async () => {
    const { handler, store, letters } = createKeeping({ on: {} });
    await send(handler, { ...sale, saleToken: null });
    const entries = await letters.list();
    const refused = [{ status: 'unhandled', code: 'invalid_notification' }];
    expect(await handler.replay(entries)).toMatchObject(refused);
    const failed = { attempts: 2, lastFailedAt: expect.any(Number) };
    expect(await letters.list()).toMatchObject([{ ...entries[0], ...failed }]);
    const seen: unknown[] = [];
    const on = { unrecognized: ({ issues }: { issues?: unknown }) => void seen.push(issues) };
    const fixed = createListener({ store, deadLetters: true, on });
    expect(await fixed.handler.replay(entries)).toEqual(done(entries));
    expect([seen, await letters.list()]).toMatchObject([[[{ path: ['saleToken'] }]], []]);
  });

  it('decides the kind again from the query flags, so that a body that contradicts them is no payment', async () => {
    const { handler, fix, letters, acted } = createKeeping();
    await send(handler, sale, { query: queries.refund });
    const entries = await letters.list();
    fix();
    expect(await handler.replay(entries)).toEqual(done(entries));
    expect(acted).toEqual([expect.stringMatching(/^unrecognized:/)]);
  });

  describe('of a kind whose definition has changed since, or that was defined since,', () => {
    const body = { id: 'i-1', status: 'PAID' };
    type Charge = NotificationDefinition<'charge', typeof body>;
    const chargeWith = (more: Partial<Charge> = {}): Charge =>
      defineNotification({
        kind: 'charge',
        match: (given) => 'status' in given,
        schema: schemaOf<typeof body>(),
        subject: ({ id }) => id,
        ...more,
      });
    const charge = chargeWith();
    const byStatus = chargeWith({ state: ({ status }) => status });
    // Each letter is six characters in the key, so the store keeps a hash of it.
    const longState = chargeWith({ state: () => 'ç'.repeat(100) });
    const byQuery = chargeWith({ match: (_, query) => query.has('charge') });

    /** The letter of a listener with the former kinds, and one with today's. Its callbacks work now. */
    async function createChanged(former: Charge[], today: Charge[], { transact, query }: Sent = {}) {
      const store = new WatchedStore(new MemoryStore(), transact);
      const acted: string[] = [];
      const { fix, breaks } = createBug();
      const act = breaks(({ key }: { key: string }) => acted.push(key));
      const create = (kinds: Charge[], deadLetters: boolean) => {
        const on = { payment: act, [kinds.length > 0 ? 'charge' : 'unrecognized']: act };
        return createListener({ store, deadLetters, kinds, on }).handler;
      };
      await send(create(former, true), body, { query: query ?? '' });
      const entries = await store.letters.list();
      fix();
      store.steps.length = 0;
      const sendTo = (kinds: Charge[]) => send(create(kinds, false), body);
      return { handler: create(today, true), entries, letters: store.letters, acted, store, sendTo };
    }
    interface Sent extends Pick<Setting, 'transact'> {
      readonly query?: string;
    }

    it.each([
      ['another kind', [], charge, 'charge:i-1'],
      ['another state', [charge], byStatus, 'charge:i-1:PAID'],
    ])(
      'is looked up under its own identity, and acted on under today’s, which alone is claimed: %s',
      async (...row) => {
        const [, former, today, key] = row;
        const { handler, entries, letters, acted, store } = await createChanged(former, [today]);
        expect(await handler.replay(entries)).toEqual(done(entries));
        expect(store.steps).toEqual(['claim', 'complete']);
        expect(store.claims.at(-1)?.subject).toBe('charge:i-1');
        expect(await letters.list()).toEqual([]);
        expect(await send(handler, body)).toBe(200);
        expect(await handler.replay(entries)).toEqual(done(entries));
        expect(acted).toEqual([key]);
      },
    );

    it.each<[string, Charge[], Charge[], Charge[]]>([
      ['as a body of no kind', [], [charge], []],
      ['as the kind of today', [], [charge], [charge]],
      ['under the state that it had', [charge], [byStatus], [charge]],
      ['under a state so long that the store keeps its hash', [longState], [charge], [longState]],
    ])('does not run what was done meanwhile %s', async (_, former, today, elsewhere) => {
      const { handler, entries, letters, acted, sendTo } = await createChanged(former, today);
      expect([await sendTo(elsewhere), acted.length]).toEqual([200, 1]);
      expect(await handler.replay(entries)).toEqual(done(entries));
      expect([acted.length, await letters.list()]).toEqual([1, []]);
    });

    it.each(['its own', 'today’s'])('stays while somebody has the lease of %s identity', async (whose) => {
      const { handler, entries, letters, acted, store } = await createChanged([], [charge]);
      const [{ key, subject, state }] = entries as [DeadLetter];
      const steps = stepsOf(store);
      const lease = { leaseMs: 60_000, withinMs: 1_000 };
      // There is nothing in the record but the lease.
      const isOwn = whose === 'its own';
      const held = await steps.claim(isOwn ? subject : 'charge:i-1', isOwn ? state : '', lease);
      expect(await handler.replay(entries)).toEqual([{ key, status: 'busy', code: 'busy' }]);
      expect([held.status, acted, await letters.keys()]).toEqual(['claimed', [], [key]]);
      await steps.release(held as Claim);
      expect(await handler.replay(entries)).toEqual(done(entries));
    });

    it('is looked up without a transaction, with a store that has transactions', async () => {
      const log: string[] = [];
      const transact: FakeTransact<undefined> = async (request, work) => {
        const of = `${request.subject.split(':')[0]}${request.isReplay ? ' of a replay' : ''}`;
        log.push(`begin ${of}`);
        const transacted = committing(request, work);
        await transacted.catch(() => log.push(`roll back ${of}`));
        return transacted;
      };
      const { handler, entries, acted } = await createChanged([], [charge], { transact });
      log.length = 0;
      expect(await handler.replay(entries)).toEqual(done(entries));
      // As it is a replay, the store leaves a slot to deliveries.
      expect(log).toEqual(['begin charge of a replay']);
      expect(acted).toEqual(['charge:i-1']);
    });

    it('is found by its kind where the definition needs a query parameter that was not kept', async () => {
      const { handler, entries } = await createChanged([byQuery], [byQuery], { query: '?charge=1' });
      expect(entries).toMatchObject([{ kind: 'charge', url: '' }]);
      expect(await handler.replay(entries)).toEqual([{ key: 'charge:i-1', status: 'done' }]);
    });

    it.each([
      ['is taken as that', '', { status: 'done' }, [PAID]],
      ['stays where it contradicts the flags', queries.refund, { code: 'invalid_notification' }, []],
    ])('with the body of a payment, today, %s', async (_, url, result, runs) => {
      const { handler, entries, acted, letters } = await createChanged([charge], [byQuery]);
      const asPayment = { ...(entries[0] as DeadLetter), body: JSON.stringify(sale), url };
      await letters.put(asPayment);
      expect(await handler.replay([asPayment])).toMatchObject([result]);
      expect(acted).toEqual(runs);
    });
  });

  it('goes on after an entry that could not be run, reports it, and leaves it', async () => {
    const { store, letters, entries } = await createFailed();
    const match = (body: object) => 'newStatus' in body && throwing(BUG)();
    const own = defineNotification({ kind: 'own', match, schema: schemaOf(), subject: () => 'x' });
    const on = { refund: none, reversal: none };
    const { handler, reports } = createListener({ store, deadLetters: true, kinds: [own], on });
    const broken = { ...(entries[1] as DeadLetter), key: 'broken', body: 'no JSON' };
    await letters.put(broken);
    expect(await handler.replay([...entries, broken])).toEqual([
      { key: PAID, status: 'failed', code: 'internal' },
      ...done(entries.slice(1)),
      { key: 'broken', status: 'failed', code: 'invalid_body' },
    ]);
    expect(linesOf(reports)).toEqual([`internal 500 ${PAID}`, 'invalid_body 500 broken']);
    expect(reports[0]?.error).toBe(BUG);
    expect(await letters.keys()).toEqual(['broken', PAID]);
  });

  it('is waited for by drain, and begins nothing more after that', async () => {
    const { handler, acted, store, entries } = await createFailed();
    const { wait, open } = gate();
    store.faults.claim.push((go) => wait().then(go));
    const replayed = handler.replay(entries);
    await expect.poll(() => store.steps).toEqual(['claim']);
    const drained = handler.drain().then(() => 'drained');
    expect(await Promise.race([drained, sleep(20)])).toBeUndefined();
    open();
    await drained;
    expect(codesOf(await replayed)).toEqual([undefined, 'draining', 'draining']);
    expect(acted).toEqual([PAID]);
  });
});
