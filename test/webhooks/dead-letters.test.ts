import { setTimeout as sleep } from 'node:timers/promises';
import type { StandardSchemaV1 } from '@standard-schema/spec';
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
import type { Transact } from '../../src/stores/steps';
import {
  authorization,
  createListener,
  fail,
  gate,
  hang,
  noOrders,
  notificationRequest,
  payoutPayload,
  queries,
  refundPayload,
  reversalPayload,
  salePayload,
  send,
  throwing,
  WatchedStore,
} from './support';

/** A listener with dead letters, whose callbacks fail until they are fixed. */
function createKeeping(options: Partial<WebhookHandlerOptions> = {}) {
  const store = (options.store as WatchedStore | undefined) ?? new WatchedStore();
  const deadLetters = store.letters;
  const bug = { error: Object.assign(new TypeError('of order 52998224725'), { code: 'E_BUG' }) as unknown };
  const acted: string[] = [];
  const indices: number[] = [];
  const act = ({ key }: { key: string }, { credentialIndex }: { credentialIndex: number }) => {
    if (bug.error !== undefined) throw bug.error;
    acted.push(key);
    indices.push(credentialIndex);
  };
  const on = { payment: act, refund: act, reversal: act, unrecognized: act };
  const listener = createListener({ deadLetters: true, on, ...options, store });
  const fix = () => {
    bug.error = undefined;
  };
  return { ...listener, acted, indices, store, deadLetters, bug, fix };
}

/** A store's transaction that always commits. */
const committing: Transact<undefined> = async ({ subject, state }, work) => {
  await work(undefined, { subject, state, token: 't', fence: 1, handledStates: [] }, noOrders);
  return { status: 'completed' };
};

const plain = (body: unknown, url = '/') => ({ method: 'POST', url, headers: { authorization }, body });
const anySchema = {
  '~standard': { version: 1 as const, vendor: 'test', validate: (value: unknown) => ({ value }) },
};
const ENTRY = { key: 'k', subject: 's', state: '', body: '{}', url: '' };
const HOUR_MS = 60 * 60 * 1000;
const MONTH_MS = 30 * 24 * 60 * 60 * 1000;

describe('deadLetters', () => {
  it('keeps a notification whose callback threw, with the name of the error and never its message', async () => {
    const { handler, store, deadLetters, reports } = createKeeping();
    const answer = await handler(notificationRequest(refundPayload(), { query: queries.refund }));
    expect([answer.status, await answer.text()]).toEqual([500, 'Internal error']);
    expect(await deadLetters.list()).toEqual([
      {
        key: 'refund:r-1:PAID',
        kind: 'refund',
        subject: 'refund:r-1',
        state: 'PAID',
        body: JSON.stringify(refundPayload()),
        url: queries.refund,
        code: 'callback_failed',
        errorName: 'TypeError',
        firstFailedAt: expect.any(Number),
        lastFailedAt: expect.any(Number),
        attempts: 1,
      },
    ]);
    const message = expect.stringContaining('kept as a dead letter: `handler.replay`');
    expect(reports).toMatchObject([{ code: 'callback_failed', message }]);
    // The lease is released as it is without dead letters.
    expect(store.steps).toEqual(['claim', 'release']);
  });

  it('keeps one whose callback took too long, and one whose lease was over before its success', async () => {
    const slow = createKeeping({ callbackTimeoutMs: 10, on: { payment: hang } });
    expect(await send(slow.handler)).toBe(500);
    expect(await slow.deadLetters.list()).toMatchObject([
      { code: 'callback_timeout', errorName: 'DeadlineExceeded' },
    ]);
    const lost = createKeeping({ on: { payment: () => undefined } });
    lost.store.faults.complete.push(async () => false);
    expect(await send(lost.handler)).toBe(503);
    expect(await lost.deadLetters.list()).toMatchObject([{ key: 'payment:s-1:PAID', code: 'lease_lost' }]);
  });

  it('keeps one that has no callback, one that lacks a field of its kind, and one of no kind', async () => {
    const { handler, deadLetters, store } = createKeeping({ on: { reversal: 'ignore' } });
    expect(await send(handler, payoutPayload(), { query: queries.payout })).toBe(200);
    expect(await send(handler, { ...salePayload(), saleToken: null })).toBe(400);
    expect(await send(handler, { instructionId: 'i-1' })).toBe(200);
    expect(await send(handler, reversalPayload())).toBe(200);
    const entries = await deadLetters.list();
    // In the order of their keys, two of which are hashes.
    expect(entries.map(({ code, kind }) => [code, kind])).toEqual([
      ['unhandled', 'payout'],
      ['unhandled', 'unrecognized'],
      ['invalid_notification', 'unrecognized'],
    ]);
    // Nothing was thrown. What is ignored is neither kept nor forgotten.
    expect(entries[0]).not.toHaveProperty('errorName');
    expect([store.steps, deadLetters.steps]).toEqual([[], ['keep', 'keep', 'keep']]);
  });

  it('keeps nothing that is busy, that the store failed to begin, or that is no notification', async () => {
    const { handler, deadLetters, store } = createKeeping();
    store.faults.claim.push(fail, async () => ({ status: 'busy' }));
    for (const body of [salePayload(), salePayload(), 'no JSON']) await send(handler, body);
    expect(deadLetters.steps).toEqual([]);
  });

  it('keeps a failure of the transaction after its callback began, and none of one that never began', async () => {
    const transact: Transact<undefined> = async ({ subject, state }, work) => {
      if (subject === 'payment:s-1') {
        await work(undefined, { subject, state, token: 't', fence: 1, handledStates: [] }, noOrders);
      }
      throw Object.assign(new Error('current transaction is aborted'), { code: '25P02', name: 'error' });
    };
    const store = Object.assign(new WatchedStore(), { transact });
    const on = { payment: () => undefined, reversal: () => undefined };
    const { handler, deadLetters } = createKeeping({ store, on });
    expect([await send(handler), await send(handler, reversalPayload())]).toEqual([500, 503]);
    expect(await deadLetters.list()).toMatchObject([
      { key: 'payment:s-1:PAID', code: 'store_failed', errorName: 'error' },
    ]);
  });

  it('keeps of a URL only the flags of the documented kinds', async () => {
    const { handler, deadLetters } = createKeeping();
    const query = '?token=s3cret&refund=true&type=charge&type=refund&payout=yes#part';
    await handler.handle(plain(refundPayload(), `/hooks${query}`));
    await handler.handle(plain(salePayload(), 'https://user:s3cret@merchant.example/s3cret?token=s3cret'));
    await handler.handle(plain(reversalPayload(), '/hooks'));
    const urls = (await deadLetters.list()).map(({ key, url }) => [key, url]);
    expect(urls).toEqual([
      ['payment:s-1:PAID', ''],
      ['refund:r-1:PAID', '?refund=true&type=refund'],
      ['reversal:v-1:PENDING', ''],
    ]);
  });

  it.each<[string, unknown, string]>([
    ['text', 'thrown', 'string'],
    ['an endless name', Object.assign(new Error(''), { name: 'x'.repeat(1_000) }), 'x'.repeat(100)],
    ['an error without a name', Object.assign(new Error(''), { name: '' }), 'object'],
  ])('keeps the name of what a callback threw: %s', async (_, thrown, errorName) => {
    const { handler, deadLetters } = createKeeping({ on: { payment: throwing(thrown) } });
    expect(await send(handler)).toBe(500);
    expect(await deadLetters.list()).toMatchObject([{ errorName }]);
  });

  it.each([
    ['text', JSON.stringify(salePayload())],
    ['bytes', new TextEncoder().encode(JSON.stringify(salePayload()))],
    ['an object that a parser has made, with a BigInt', { ...salePayload(), large: 2n ** 64n }],
  ])('keeps a body that came as %s as text that can be read again', async (_, body) => {
    const { handler, deadLetters, fix, acted } = createKeeping();
    await handler.handle(plain(body));
    const entries = await deadLetters.list();
    expect(JSON.parse(entries[0]?.body ?? '')).toMatchObject(salePayload());
    fix();
    expect(await handler.replay(entries)).toEqual([{ key: 'payment:s-1:PAID', status: 'done' }]);
    expect(acted).toEqual(['payment:s-1:PAID']);
  });

  it.each([
    ['succeeds late', undefined, undefined, []],
    ['fails late', 'late', undefined, ['payment:s-1:PAID']],
    ['succeeds late in a transaction', undefined, committing, []],
    ['fails late in a transaction', 'late', committing, ['payment:s-1:PAID']],
  ])('keeps one whose callback %s, unless it is recorded after all', async (_, failure, transact, kept) => {
    const { wait, open } = gate();
    const payment = async () => {
      await wait();
      if (failure !== undefined) throw new Error(failure);
    };
    const store = Object.assign(new WatchedStore(), transact && { transact });
    const { handler, deadLetters } = createKeeping({ store, callbackTimeoutMs: 10, on: { payment } });
    expect([await send(handler), await deadLetters.keys()]).toEqual([500, ['payment:s-1:PAID']]);
    open();
    await sleep(20);
    await expect.poll(() => deadLetters.keys()).toEqual(kept);
  });

  it('keeps one for 30 days after its last failure, or as long as `retentionMs` says', async () => {
    for (const [given, kept] of [
      [true, MONTH_MS],
      [{}, MONTH_MS],
      [{ retentionMs: 5_000 }, 5_000],
    ] as const) {
      let now = 1_000_000;
      const store = new WatchedStore(new MemoryStore({ clock: () => now }));
      const { handler, deadLetters } = createKeeping({ store, deadLetters: given });
      await send(handler);
      now += 1_000;
      await send(handler);
      now += kept - 1;
      expect(await deadLetters.list()).toMatchObject([{ firstFailedAt: 1_000_000, lastFailedAt: 1_001_000 }]);
      now += 1;
      expect(await deadLetters.list()).toEqual([]);
    }
  });

  it('lists a page at a time, and forgets one', async () => {
    const { handler } = createKeeping();
    for (const body of [salePayload(), refundPayload(), reversalPayload()]) await send(handler, body);
    const keysOf = async (page?: Parameters<typeof handler.deadLetters.list>[0]) =>
      (await handler.deadLetters.list(page)).map(({ key }) => key);
    expect(await keysOf({ limit: 2 })).toEqual(['payment:s-1:PAID', 'refund:r-1:PAID']);
    expect(await keysOf({ after: 'refund:r-1:PAID', limit: 2 })).toEqual(['reversal:v-1:PENDING']);
    await handler.deadLetters.forget('refund:r-1:PAID');
    await handler.deadLetters.forget('none');
    expect(await keysOf()).toEqual(['payment:s-1:PAID', 'reversal:v-1:PENDING']);
    await expect(keysOf({ limit: 0 })).rejects.toThrow('`limit`');
  });

  it('are none without the option: each step says so', async () => {
    const { handler, store } = createKeeping({ deadLetters: false });
    expect(await send(handler)).toBe(500);
    expect([store.letters.steps, await store.letters.list()]).toEqual([[], []]);
    const says = 'This handler keeps no dead letters: create it with `deadLetters: true`.';
    await expect(handler.deadLetters.list()).rejects.toThrow(says);
    await expect(handler.deadLetters.forget('k')).rejects.toThrow(says);
  });

  it.each([
    ['within', HOUR_MS - 1, []],
    ['after', HOUR_MS + 1, [expect.stringMatching(/^unrecognized:/)]],
  ])('forgets one without an identity when an equal body succeeds %s its hour', async (_, later, left) => {
    let now = 1_000_000;
    const store = new WatchedStore(new MemoryStore({ clock: () => now }));
    const { handler, deadLetters, fix } = createKeeping({ store });
    const body = { instructionId: 'i-1' };
    expect(await send(handler, body)).toBe(500);
    fix();
    now += later;
    expect([await send(handler, body), await deadLetters.keys()]).toEqual([200, left]);
    // A replay forgets it whenever it is.
    now += HOUR_MS + 1;
    await handler.replay();
    expect(await deadLetters.keys()).toEqual([]);
  });

  it.each(['another namespace', 'another store'])('of a listener in %s are its own', async (which) => {
    const records = new MemoryRecords(100, () => 1_000_000);
    const storeIn = (namespace: string) =>
      createStore(which === 'another store' ? new MemoryRecords(100, () => 1_000_000) : records, {
        namespace,
      });
    const [bug, acted] = [{ isFixed: false }, [] as string[]];
    const listenerOf = (name: string) => {
      const act = () => (bug.isFixed ? void acted.push(name) : Promise.reject(new Error('bug')));
      const on = { payment: act };
      return createListener({ store: storeIn(name), deadLetters: true, on } as never).handler;
    };
    const [a, b] = [listenerOf('a'), listenerOf('b')];
    expect([await send(a), await send(b)]).toEqual([500, 500]);
    bug.isFixed = true;
    // The success of one forgets no letter of the other, whose replay finds it.
    expect([await send(a), acted]).toEqual([200, ['a']]);
    expect([await a.deadLetters.list(), await a.replay()]).toEqual([[], []]);
    expect(await b.deadLetters.list()).toMatchObject([{ key: 'payment:s-1:PAID', attempts: 1 }]);
    expect(await b.replay()).toEqual([{ key: 'payment:s-1:PAID', status: 'done' }]);
    expect(acted).toEqual(['a', 'b']);
  });

  it('forgets the notification when a later delivery succeeds', async () => {
    const { handler, deadLetters, fix } = createKeeping();
    expect([await send(handler), await send(handler)]).toEqual([500, 500]);
    expect(await deadLetters.list()).toMatchObject([{ attempts: 2 }]);
    fix();
    expect([await send(handler), await deadLetters.list()]).toEqual([200, []]);
  });

  it.each([
    ['fails', fail],
    ['hangs', hang],
  ])('changes no answer of 500 or 200 of a callback when it %s, and says so in reports', async (_, fault) => {
    const { handler, deadLetters, reports, bug, fix } = createKeeping({ storeTimeoutMs: 20 });
    deadLetters.faults.keep = fault;
    deadLetters.faults.forget = fault;
    expect(await send(handler)).toBe(500);
    expect(reports).toMatchObject([
      { code: 'dead_letters_failed', status: 500, key: 'payment:s-1:PAID' },
      { code: 'callback_failed', error: bug.error, message: expect.stringContaining('could not be kept') },
    ]);
    fix();
    expect(await send(handler)).toBe(200);
    expect(reports[2]).toMatchObject({ code: 'dead_letters_failed', status: 200, key: 'payment:s-1:PAID' });
  });

  it('answers 503, not 200, when what has no callback cannot be kept', async () => {
    const { handler, deadLetters, reports } = createKeeping({ on: {} });
    deadLetters.faults.keep = fail;
    expect(await send(handler)).toBe(503);
    expect(reports).toMatchObject([
      { code: 'dead_letters_failed', status: 503, error: { message: expect.stringContaining('injected') } },
      { code: 'unhandled', status: 503 },
    ]);
    deadLetters.faults.keep = undefined;
    expect([await send(handler), await deadLetters.keys()]).toEqual([200, ['payment:s-1:PAID']]);
  });

  it('refuses a `retentionMs` that could forget what is done before a dead letter of it', async () => {
    const deadLetters = { retentionMs: MONTH_MS };
    expect(() => createKeeping({ deadLetters, retentionMs: MONTH_MS + HOUR_MS - 1 })).toThrow(
      ConfigurationError,
    );
    const { handler, store, fix } = createKeeping({ deadLetters, retentionMs: MONTH_MS + HOUR_MS });
    fix();
    await send(handler);
    await send(handler, { instructionId: 'i-1' });
    expect(store.retentions).toEqual([MONTH_MS + HOUR_MS, HOUR_MS]);
  });
});

describe('handler.replay', () => {
  const bodies = [salePayload(), refundPayload(), reversalPayload()];
  const keys = ['payment:s-1:PAID', 'refund:r-1:PAID', 'reversal:v-1:PENDING'];

  async function createFailed(options: Partial<WebhookHandlerOptions> = {}) {
    const keeping = createKeeping(options);
    for (const body of bodies) await send(keeping.handler, body);
    const entries = await keeping.deadLetters.list();
    keeping.deadLetters.steps.length = 0;
    return { ...keeping, entries };
  }

  it('runs entries again, in their order and each once, and forgets them', async () => {
    const { handler, deadLetters, fix, acted, indices, entries } = await createFailed();
    fix();
    const done = keys.map((key) => ({ key, status: 'done' }));
    expect(await handler.replay(entries)).toEqual(done);
    expect([acted, indices, await deadLetters.list()]).toEqual([keys, [-1, -1, -1], []]);
    expect(deadLetters.steps).toEqual(['forget', 'forget', 'forget']);
    // A replay is recorded like a delivery, and a second one repeats nothing.
    for (const body of bodies) expect(await send(handler, body)).toBe(200);
    expect(await handler.replay(entries)).toEqual(done);
    expect(acted).toEqual(keys);
  });

  it.each([
    ['a key', 'payment:s-1:PAID'],
    ['a list of keys', ['payment:s-1:PAID']],
    ['an entry without its body', [ENTRY, { ...ENTRY, body: undefined }]],
    ['no entry', [null]],
  ])('refuses %s instead of entries, and is refused without the option', async (_, which) => {
    const { handler, store } = createKeeping();
    const refusal = new ConfigurationError(
      'Expected a list of dead letters: `handler.replay(await handler.deadLetters.list({ limit: 10 }))`, or nothing for all.',
    );
    await expect(handler.replay(which as never)).rejects.toThrow(refusal);
    expect(store.steps).toEqual([]);
    const without = createListener().handler;
    await expect(without.replay([])).rejects.toThrow(
      'This handler keeps no dead letters: create it with `deadLetters: true`.',
    );
  });

  it('runs nothing for an entry that is gone, because it was done or forgotten since it was listed', async () => {
    const { handler, deadLetters, store, fix, acted, entries } = await createFailed();
    fix();
    await handler.deadLetters.forget(keys[0] as string);
    store.steps.length = 0;
    expect(await handler.replay(entries.slice(0, 1))).toEqual([{ key: keys[0], status: 'done' }]);
    expect([acted, store.steps, await deadLetters.keys()]).toEqual([[], [], keys.slice(1)]);
  });

  it('runs all entries without a list, a page at a time, whatever stays', async () => {
    const { handler, deadLetters, fix, acted } = createKeeping();
    const bodies = Array.from({ length: 205 }, (_, at) => ({ ...salePayload(), saleToken: `s-${at}` }));
    for (const body of bodies) await send(handler, body);
    await deadLetters.put({ ...ENTRY, key: 'payment:s-1x', kind: 'payment', code: 'x', body: 'no JSON' });
    fix();
    const results = await handler.replay();
    expect(results.filter(({ status }) => status === 'failed')).toMatchObject([{ key: 'payment:s-1x' }]);
    expect([results.length, new Set(acted).size, acted.length]).toEqual([206, 205, 205]);
    expect(await deadLetters.keys()).toEqual(['payment:s-1x']);
    expect(await handler.replay()).toMatchObject([{ key: 'payment:s-1x', status: 'failed' }]);
  });

  it('does not run again what a delivery has done meanwhile, and forgets it', async () => {
    const { handler, store, deadLetters, fix, acted, entries } = await createFailed();
    fix();
    expect(await send(createListener({ store }).handler)).toBe(200);
    expect(await handler.replay(entries.slice(0, 1))).toEqual([{ key: keys[0], status: 'done' }]);
    expect([acted, await deadLetters.keys()]).toEqual([[], keys.slice(1)]);
  });

  it('leaves, and reports, what is busy and what fails again', async () => {
    const { handler, store, deadLetters, reports, entries } = await createFailed();
    store.faults.claim.push(async () => ({ status: 'busy' }), fail);
    expect(await handler.replay(entries)).toEqual([
      { key: keys[0], status: 'busy', code: 'busy' },
      { key: keys[1], status: 'failed', code: 'store_failed' },
      { key: keys[2], status: 'failed', code: 'callback_failed' },
    ]);
    expect(reports.slice(3).map(({ code }) => code)).toEqual(['busy', 'store_failed', 'callback_failed']);
    expect(reports.at(-1)).toMatchObject({
      delivery: undefined,
      message: 'The callback threw. It was replayed, and stays a dead letter.',
    });
    const counted = (await deadLetters.list()).map(({ key, attempts }) => [key, attempts]);
    expect(counted).toEqual(keys.map((key, at) => [key, at === 2 ? 2 : 1]));
  });

  it.each([{ payment: 'ignore' }, {}] as const)(
    'leaves what nobody acts on in this service: %j',
    async (on) => {
      const { store, deadLetters, entries } = await createFailed();
      const { handler } = createListener({ store, deadLetters: true, on });
      expect(await handler.replay(entries.slice(0, 1))).toEqual([
        { key: keys[0], status: 'unhandled', code: 'unhandled' },
      ]);
      expect(await deadLetters.list()).toEqual(entries);
    },
  );

  it('leaves an incomplete one until there is a callback for it', async () => {
    const { handler, store, deadLetters } = createKeeping({ on: {} });
    await send(handler, { ...salePayload(), saleToken: null });
    const entries = await deadLetters.list();
    const refused = [{ status: 'unhandled', code: 'invalid_notification' }];
    expect(await handler.replay(entries)).toMatchObject(refused);
    expect(await deadLetters.list()).toEqual(entries);
    const seen: unknown[] = [];
    const on = { unrecognized: ({ issues }: { issues?: unknown }) => void seen.push(issues) };
    const fixed = createListener({ store, deadLetters: true, on });
    expect(await fixed.handler.replay(entries)).toMatchObject([{ status: 'done' }]);
    expect(seen).toMatchObject([[{ path: ['saleToken'] }]]);
    expect(await deadLetters.list()).toEqual([]);
  });

  it('decides the kind again from the query flags, so that a body that contradicts them is no payment', async () => {
    const { handler, fix, deadLetters, acted } = createKeeping();
    await send(handler, salePayload(), { query: queries.refund });
    const entries = await deadLetters.list();
    fix();
    expect(await handler.replay(entries)).toEqual([{ key: entries[0]?.key, status: 'done' }]);
    expect(acted).toEqual([expect.stringMatching(/^unrecognized:/)]);
  });

  describe('of a body that was unrecognized and whose kind was defined since', () => {
    const charge = defineNotification({
      kind: 'charge',
      match: (body, query) => 'instructionId' in body || query.has('charge'),
      schema: anySchema,
      subject: () => 'i-1',
    });
    const body = { instructionId: 'i-1' };

    async function createDefined(store = new WatchedStore()) {
      const { handler: former, deadLetters, fix } = createKeeping({ store });
      await send(former, body);
      const entries = await deadLetters.list();
      fix();
      const acted: string[] = [];
      const on = { charge: ({ key }: { key: string }) => void acted.push(key) };
      const { handler } = createListener({ store, deadLetters: true, kinds: [charge], on } as never);
      const key = entries[0]?.key;
      return { former, handler, entries, deadLetters, acted, store, done: [{ key, status: 'done' }], key };
    }

    it('is looked up under its own identity, and acted on under today’s, never with both claimed', async () => {
      const { handler, entries, deadLetters, acted, store, done } = await createDefined();
      store.steps.length = 0;
      expect(await handler.replay(entries)).toEqual(done);
      expect(acted).toEqual(['charge:i-1']);
      const subjects = store.claims.slice(-2).map(({ subject }) => subject);
      expect(subjects).toEqual([entries[0]?.subject, 'charge:i-1']);
      expect(store.steps).toEqual(['claim', 'release', 'claim', 'complete']);
      expect(await deadLetters.list()).toEqual([]);
      expect(await send(handler, body)).toBe(200);
      expect(await handler.replay(entries)).toEqual(done);
      expect(acted).toEqual(['charge:i-1']);
    });

    it.each(['the former', 'today’s'])('runs nothing that is done under %s identity', async (which) => {
      const { former, handler, entries, deadLetters, acted, store, done } = await createDefined();
      const today = createListener({ store, kinds: [charge], on: { charge() {} } } as never).handler;
      expect(await send(which === 'the former' ? former : today, body)).toBe(200);
      expect(await handler.replay(entries)).toEqual(done);
      expect([acted, await deadLetters.list()]).toEqual([[], []]);
    });

    it.each([1, 2])('stays while claim %i of the two is busy', async (which) => {
      const { handler, entries, deadLetters, acted, store, done, key } = await createDefined();
      if (which === 2) store.faults.claim.push((go) => go());
      store.faults.claim.push(async () => ({ status: 'busy' }));
      expect(await handler.replay(entries)).toEqual([{ key, status: 'busy', code: 'busy' }]);
      expect([acted, (await deadLetters.list()).length]).toEqual([[], 1]);
      expect(await handler.replay(entries)).toEqual(done);
    });

    it('is looked up in a transaction of its own, with a store that has transactions', async () => {
      const log: string[] = [];
      const isReplay: unknown[] = [];
      const transact: Transact<undefined> = async (request, work) => {
        const [kind] = request.subject.split(':');
        log.push(`begin ${kind}`);
        isReplay.push(request.isReplay);
        try {
          const result = await committing(request, work);
          log.push(`commit ${kind}`);
          return result;
        } catch (error) {
          log.push(`roll back ${kind}`);
          throw error;
        }
      };
      const { handler, entries, acted } = await createDefined(
        Object.assign(new WatchedStore(), { transact }),
      );
      log.length = 0;
      expect(await handler.replay(entries)).toMatchObject([{ status: 'done' }]);
      expect(log).toEqual(['begin unrecognized', 'roll back unrecognized', 'begin charge', 'commit charge']);
      expect(acted).toEqual(['charge:i-1']);
      // So the store leaves a slot to deliveries.
      expect(isReplay.slice(-2)).toEqual([true, true]);
    });

    it('is found by its kind where the definition needs a query parameter that was not kept', async () => {
      const store = new WatchedStore();
      const deadLetters = store.letters;
      let isFixed = false;
      const on = { charge: () => (isFixed ? undefined : Promise.reject(new Error('bug'))) };
      const { handler } = createListener({ store, deadLetters: true, kinds: [charge], on } as never);
      await send(handler, { other: 1 }, { query: '?charge=1' });
      const entries = await deadLetters.list();
      expect(entries).toMatchObject([{ kind: 'charge', url: '' }]);
      isFixed = true;
      expect(await handler.replay(entries)).toEqual([{ key: 'charge:i-1', status: 'done' }]);
    });
  });

  describe('of a kind whose definition has changed since', () => {
    const chargeWith = (more: Partial<NotificationDefinition<'charge', { id: string; status: string }>>) =>
      defineNotification({
        kind: 'charge',
        match: (body) => 'status' in body,
        schema: anySchema as StandardSchemaV1<unknown, { id: string; status: string }>,
        subject: ({ id }) => id,
        ...more,
      });
    const body = { id: 'i-1', status: 'PAID' };

    /** Listeners of one merchant, each with another definition, whose callbacks fail until they are fixed. */
    function createVersions() {
      const store = new WatchedStore();
      const deadLetters = store.letters;
      let isFixed = false;
      const acted: string[] = [];
      const charged = ({ key }: { key: string }) =>
        isFixed ? void acted.push(key) : Promise.reject(new Error('bug'));
      const on = { charge: charged, payment: charged };
      const create = (definition: ReturnType<typeof chargeWith>) =>
        createListener({ store, deadLetters: true, kinds: [definition], on } as never);
      const fix = () => {
        isFixed = true;
      };
      return { create, fix, store, deadLetters, acted };
    }

    async function createChanged(more: Parameters<typeof chargeWith>[0]) {
      const { create, fix, store, deadLetters, acted } = createVersions();
      const former = create(chargeWith({})).handler;
      await send(former, body);
      const entries = await deadLetters.list();
      expect(entries).toMatchObject([{ key: 'charge:i-1' }]);
      fix();
      return { ...create(chargeWith(more)), former, entries, deadLetters, charged: acted, store };
    }

    it('runs it under the state that it has today', async () => {
      const { handler, entries, deadLetters, charged, store } = await createChanged({
        state: ({ status }) => status,
      });
      expect(await handler.replay(entries)).toEqual([{ key: 'charge:i-1', status: 'done' }]);
      expect([charged, await deadLetters.list()]).toEqual([['charge:i-1:PAID'], []]);
      expect(await send(handler, body)).toBe(200);
      // The failed delivery, the look-up, and the replay.
      expect([charged.length, store.claims.length]).toEqual([1, 3]);
    });

    it('does not run what was done meanwhile under the state that it had', async () => {
      const { handler, former, entries, deadLetters, charged } = await createChanged({
        state: ({ status }) => status,
      });
      expect(await send(former, body)).toBe(200);
      expect(await handler.replay(entries)).toEqual([{ key: 'charge:i-1', status: 'done' }]);
      expect([charged, await deadLetters.list()]).toEqual([['charge:i-1'], []]);
    });

    it('does not run what was done meanwhile under a state so long that the store keeps its hash', async () => {
      // Each letter is six characters in the key.
      const state = 'ç'.repeat(100);
      const { create, deadLetters, store, acted, fix } = createVersions();
      const former = create(chargeWith({ state: () => state })).handler;
      await send(former, body);
      const entries = await deadLetters.list();
      expect(entries[0]?.state.length).toBeGreaterThan(512);
      fix();
      expect(await send(former, body)).toBe(200);
      const { handler } = create(chargeWith({}));
      expect(await handler.replay(entries)).toMatchObject([{ status: 'done' }]);
      expect([acted.length, store.claims.length]).toEqual([1, 2]);
    });

    it('takes a body that is of another kind today as that kind', async () => {
      const { handler, entries, charged, deadLetters } = await createChanged({ match: () => false });
      const asPayment = { ...(entries[0] as DeadLetter), body: JSON.stringify(salePayload()) };
      await deadLetters.put(asPayment);
      expect(await handler.replay([asPayment])).toMatchObject([{ status: 'done' }]);
      expect(charged).toEqual(['payment:s-1:PAID']);
    });

    it('leaves a body that contradicts the flags', async () => {
      const { handler, entries, charged, deadLetters } = await createChanged({ match: () => false });
      const contradicting = {
        ...(entries[0] as DeadLetter),
        body: JSON.stringify(salePayload()),
        url: `/${queries.refund}`,
      };
      await deadLetters.put(contradicting);
      expect(await handler.replay([contradicting])).toMatchObject([{ code: 'invalid_notification' }]);
      expect(charged).toEqual([]);
    });
  });

  it('goes on after an entry that could not be run, reports it, and leaves it', async () => {
    const { store, deadLetters, entries } = await createFailed();
    const failure = new Error('match failed');
    const match = (body: object) => 'newStatus' in body && throwing(failure)();
    const own = defineNotification({ kind: 'own', match, schema: anySchema, subject: () => 'x' });
    const on = { refund: () => undefined, reversal: () => undefined };
    const { handler, reports } = createListener({ store, deadLetters: true, kinds: [own], on } as never);
    const broken = { ...(entries[1] as DeadLetter), key: 'broken', body: 'no JSON' };
    await deadLetters.put(broken);
    expect(await handler.replay([...entries, broken])).toEqual([
      { key: keys[0], status: 'failed', code: 'internal' },
      { key: keys[1], status: 'done' },
      { key: keys[2], status: 'done' },
      { key: 'broken', status: 'failed', code: 'invalid_body' },
    ]);
    expect(reports).toMatchObject([
      { code: 'internal', status: 500, key: keys[0], error: failure },
      { code: 'invalid_body', key: 'broken' },
    ]);
    expect(await deadLetters.keys()).toEqual(['broken', keys[0]]);
  });

  it('is waited for by drain, and begins nothing more after that', async () => {
    const { handler, fix, acted, store, entries } = await createFailed();
    fix();
    const { wait, open } = gate();
    store.faults.claim.push((go) => wait().then(go));
    const replayed = handler.replay(entries);
    await expect.poll(() => store.steps.filter((step) => step === 'claim')).toHaveLength(4);
    let drained = false;
    const drain = handler.drain().then(() => {
      drained = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(drained).toBe(false);
    open();
    await drain;
    expect((await replayed).map(({ code }) => code)).toEqual([undefined, 'draining', 'draining']);
    expect(acted).toEqual([keys[0]]);
  });
});
