import { setTimeout as sleep } from 'node:timers/promises';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { type DeadLetter, MemoryDeadLetters, type NewDeadLetter } from 'pix-automatic-sdk/stores';
import {
  ConfigurationError,
  defineNotification,
  type NotificationDefinition,
  type Transact,
  type WebhookHandlerOptions,
} from 'pix-automatic-sdk/webhooks';
import { describe, expect, it } from 'vitest';
import {
  authorization,
  createListener,
  fail,
  gate,
  hang,
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

type Step = 'keep' | 'forget';

/** Dead letters in memory that note their steps, and can be made to fail. */
class WatchedDeadLetters extends MemoryDeadLetters {
  readonly steps: Step[] = [];
  readonly faults: { [Name in Step]?: (() => Promise<never>) | undefined } = {};

  override async keep(entry: NewDeadLetter): Promise<void> {
    await this.#step('keep');
    await super.keep(entry);
  }

  override async forget(key: string): Promise<void> {
    await this.#step('forget');
    await super.forget(key);
  }

  async keys(): Promise<readonly string[]> {
    return (await this.list()).map(({ key }) => key);
  }

  async #step(name: Step): Promise<void> {
    this.steps.push(name);
    await this.faults[name]?.();
  }
}

/** A listener with dead letters, whose callbacks fail until they are fixed. */
function createKeeping(options: Partial<WebhookHandlerOptions> = {}) {
  const store = new WatchedStore();
  const deadLetters = new WatchedDeadLetters();
  const bug = { error: Object.assign(new TypeError('of order 52998224725'), { code: 'E_BUG' }) as unknown };
  const acted: string[] = [];
  const indices: number[] = [];
  const act = ({ key }: { key: string }, { credentialIndex }: { credentialIndex: number }) => {
    if (bug.error !== undefined) throw bug.error;
    acted.push(key);
    indices.push(credentialIndex);
  };
  const on = { payment: act, refund: act, reversal: act, unrecognized: act };
  const listener = createListener({ store, deadLetters, on, ...options });
  const fix = () => {
    bug.error = undefined;
  };
  return { ...listener, acted, indices, store, deadLetters, bug, fix };
}

/** A store's transaction that always commits. */
const committing: Transact<undefined> = async ({ subject, state }, work) => {
  await work(undefined, { subject, state, token: 't', fence: 1, handledStates: [] });
  return { status: 'completed' };
};

const plain = (body: unknown, url = '/') => ({ method: 'POST', url, headers: { authorization }, body });
const anySchema = {
  '~standard': { version: 1 as const, vendor: 'test', validate: (value: unknown) => ({ value }) },
};
const ENTRY = { key: 'k', subject: 's', state: '', body: '{}', url: '' };
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
        url: `https://merchant.example/webhooks${queries.refund}`,
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
    expect(entries.map(({ code, kind }) => [code, kind])).toEqual([
      ['unhandled', 'payout'],
      ['invalid_notification', 'unrecognized'],
      ['unhandled', 'unrecognized'],
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
        await work(undefined, { subject, state, token: 't', fence: 1, handledStates: [] });
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

  it('keeps of the query of a URL only the flags of the documented kinds', async () => {
    const { handler, deadLetters } = createKeeping();
    const query = '?token=s3cret&refund=true&type=charge&type=refund&payout=yes#part';
    await handler.handle(plain(refundPayload(), `/hooks${query}`));
    await handler.handle(plain(salePayload(), '/hooks?token=s3cret'));
    await handler.handle(plain(reversalPayload(), '/hooks'));
    const urls = (await deadLetters.list()).map(({ url }) => url);
    expect(urls).toEqual(['/hooks?refund=true&type=refund', '/hooks', '/hooks']);
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

  it('makes the store remember what is done for as long as a dead letter of it is kept', async () => {
    const { handler, store, fix } = createKeeping({ retentionMs: 1 });
    fix();
    await send(handler);
    await send(handler, { instructionId: 'i-1' });
    expect(store.retentions).toHaveLength(2);
    expect(Math.min(...store.retentions)).toBeGreaterThan(MONTH_MS);
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
    ['nothing', undefined],
    ['an entry without its body', [ENTRY, { ...ENTRY, body: undefined }]],
    ['no entry', [null]],
  ])('refuses %s instead of entries, and is refused without the option', async (_, which) => {
    const { handler, store } = createKeeping();
    const refusal = new ConfigurationError(
      'Expected a list of dead letters: `handler.replay(await deadLetters.list({ limit: 10 }))`.',
    );
    await expect(handler.replay(which as never)).rejects.toThrow(refusal);
    expect(store.steps).toEqual([]);
    const without = createListener().handler.replay([]);
    await expect(without).rejects.toThrow('Expected the handler to have `deadLetters`');
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
      const { handler } = createListener({ store, deadLetters, on });
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
    const fixed = createListener({ store, deadLetters, on });
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
      const { handler } = createListener({ store, deadLetters, kinds: [charge], on } as never);
      const key = entries[0]?.key;
      return { former, handler, entries, deadLetters, acted, store, done: [{ key, status: 'done' }], key };
    }

    it('claims both identities, its own first, and records both', async () => {
      const { former, handler, entries, deadLetters, acted, store, done } = await createDefined();
      expect(await handler.replay(entries)).toEqual(done);
      expect(acted).toEqual(['charge:i-1']);
      const subjects = store.claims.slice(-2).map(({ subject }) => subject);
      expect(subjects).toEqual([entries[0]?.subject, 'charge:i-1']);
      expect(await deadLetters.list()).toEqual([]);
      // Neither today's listener nor one with the former definitions does it again.
      expect([await send(handler, body), await send(former, body)]).toEqual([200, 200]);
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

    it('has a lease that lasts for everything that the inner one does', async () => {
      const { handler, entries, store } = await createDefined();
      store.leases.length = 0;
      await handler.replay(entries);
      // The inner lease and two steps of the store are the outer callback's time; then comes the margin of a lease.
      expect(store.leases).toEqual([40_000 + 2 * 5_000 + 40_000, 40_000]);
    });

    it('has both transactions with a store that has transactions', async () => {
      const log: string[] = [];
      const transact: Transact<undefined> = async (request, work) => {
        const [kind] = request.subject.split(':');
        log.push(`begin ${kind}`);
        const result = await committing(request, work);
        log.push(`commit ${kind}`);
        return result;
      };
      const { handler, entries, acted } = await createDefined(
        Object.assign(new WatchedStore(), { transact }),
      );
      log.length = 0;
      expect(await handler.replay(entries)).toMatchObject([{ status: 'done' }]);
      expect(log).toEqual(['begin unrecognized', 'begin charge', 'commit charge', 'commit unrecognized']);
      expect(acted).toEqual(['charge:i-1']);
    });

    it('is found by its kind where the definition needs a query parameter that was not kept', async () => {
      const deadLetters = new WatchedDeadLetters();
      let isFixed = false;
      const on = { charge: () => (isFixed ? undefined : Promise.reject(new Error('bug'))) };
      const { handler } = createListener({ deadLetters, kinds: [charge], on } as never);
      await send(handler, { other: 1 }, { query: '?charge=1' });
      const entries = await deadLetters.list();
      expect(entries).toMatchObject([{ kind: 'charge', url: 'https://merchant.example/webhooks' }]);
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

    async function createChanged(more: Parameters<typeof chargeWith>[0]) {
      const [store, deadLetters] = [new WatchedStore(), new WatchedDeadLetters()];
      let isFixed = false;
      const acted: string[] = [];
      const charged = ({ key }: { key: string }) =>
        isFixed ? void acted.push(key) : Promise.reject(new Error('bug'));
      const create = (definition: ReturnType<typeof chargeWith>) => {
        const options = {
          store,
          deadLetters,
          kinds: [definition],
          on: { charge: charged, payment: charged },
        };
        return createListener(options as never);
      };
      const former = create(chargeWith({})).handler;
      await send(former, body);
      const entries = await deadLetters.list();
      expect(entries).toMatchObject([{ key: 'charge:i-1' }]);
      isFixed = true;
      return { ...create(chargeWith(more)), former, entries, deadLetters, charged: acted, store };
    }

    it('runs it under the state that it has today', async () => {
      const { handler, entries, deadLetters, charged, store } = await createChanged({
        state: ({ status }) => status,
      });
      expect(await handler.replay(entries)).toEqual([{ key: 'charge:i-1', status: 'done' }]);
      expect([charged, await deadLetters.list()]).toEqual([['charge:i-1:PAID'], []]);
      expect(await send(handler, body)).toBe(200);
      expect([charged.length, store.claims.length]).toEqual([1, 2]);
    });

    it('does not run what was done meanwhile under the state that it had', async () => {
      const { handler, former, entries, deadLetters, charged } = await createChanged({
        state: ({ status }) => status,
      });
      expect(await send(former, body)).toBe(200);
      expect(await handler.replay(entries)).toEqual([{ key: 'charge:i-1', status: 'done' }]);
      expect([charged, await deadLetters.list()]).toEqual([['charge:i-1'], []]);
    });

    it('takes a body that is of another kind today as that kind', async () => {
      const { handler, entries, charged } = await createChanged({ match: () => false });
      const asPayment = { ...(entries[0] as DeadLetter), body: JSON.stringify(salePayload()) };
      expect(await handler.replay([asPayment])).toMatchObject([{ status: 'done' }]);
      expect(charged).toEqual(['payment:s-1:PAID']);
    });

    it('leaves a body that contradicts the flags', async () => {
      const { handler, entries, charged } = await createChanged({ match: () => false });
      const contradicting = {
        ...(entries[0] as DeadLetter),
        body: JSON.stringify(salePayload()),
        url: `/${queries.refund}`,
      };
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
    const { handler, reports } = createListener({ store, deadLetters, kinds: [own], on } as never);
    const broken = { ...(entries[1] as DeadLetter), key: 'broken', body: 'no JSON' };
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
    expect(await deadLetters.keys()).toEqual([keys[0]]);
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
