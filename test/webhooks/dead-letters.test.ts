import { createServer } from 'node:http';
import {
  type DeadLetter,
  type DeadLetterQuery,
  MemoryDeadLetters,
  type NewDeadLetter,
} from 'pix-automatic-sdk/stores';
import {
  ConfigurationError,
  defineNotification,
  type Transact,
  toNodeListener,
  type WebhookHandlerOptions,
} from 'pix-automatic-sdk/webhooks';
import { describe, expect, it } from 'vitest';
import { deliver } from '../helpers/deliver';
import { listen } from '../helpers/listen';
import {
  authorization,
  createListener,
  fail,
  hang,
  notificationRequest,
  payoutPayload,
  queries,
  refundPayload,
  reversalPayload,
  salePayload,
  statusOf,
  WatchedStore,
} from './support';

type Step = 'keep' | 'list' | 'forget';

/** Dead letters in memory that note their steps, and can be made to fail. */
class WatchedDeadLetters extends MemoryDeadLetters {
  readonly steps: Step[] = [];
  readonly faults: { [Name in Step]?: () => Promise<never> } = {};

  override async keep(entry: NewDeadLetter): Promise<void> {
    await this.#step('keep');
    await super.keep(entry);
  }

  override async list(query?: DeadLetterQuery): Promise<DeadLetter[]> {
    await this.#step('list');
    return super.list(query);
  }

  override async forget(key: string): Promise<void> {
    await this.#step('forget');
    await super.forget(key);
  }

  async entries(): Promise<readonly DeadLetter[]> {
    return super.list();
  }

  async keys(): Promise<readonly string[]> {
    return (await this.entries()).map(({ key }) => key);
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
  return { ...listener, acted, indices, store, deadLetters, bug };
}

const MONTH_MS = 30 * 24 * 60 * 60 * 1000;

describe('deadLetters', () => {
  it('keeps a notification whose callback threw and was answered 500, with the error’s name and never its message', async () => {
    const { handler, store, deadLetters, reports } = createKeeping();
    const answer = await handler(notificationRequest(refundPayload(), { query: queries.refund }));
    expect([answer.status, await answer.text()]).toEqual([500, 'Internal error']);
    expect(await deadLetters.entries()).toEqual([
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
    expect(reports).toMatchObject([
      {
        code: 'callback_failed',
        message: expect.stringContaining('kept as a dead letter: `handler.replay`'),
      },
    ]);
    // The lease is released as it is without dead letters.
    expect(store.steps).toEqual(['claim', 'release']);
  });

  it('keeps one whose lease was over before its success was recorded', async () => {
    const { handler, deadLetters, store, bug } = createKeeping();
    bug.error = undefined;
    store.faults.complete.push(async () => false);
    expect(await statusOf(handler(notificationRequest(salePayload())))).toBe(503);
    expect(await deadLetters.entries()).toMatchObject([{ key: 'payment:s-1:PAID', code: 'lease_lost' }]);
  });

  it('keeps one that has no callback, one that lacks a field of its kind, and one of no kind', async () => {
    const { handler, deadLetters, store } = createKeeping({ on: { reversal: 'ignore' } });
    const incomplete = { ...salePayload(), saleToken: null };
    expect(await statusOf(handler(notificationRequest(payoutPayload(), { query: queries.payout })))).toBe(
      200,
    );
    expect(await statusOf(handler(notificationRequest(incomplete)))).toBe(400);
    expect(await statusOf(handler(notificationRequest({ instructionId: 'i-1' })))).toBe(200);
    expect(await statusOf(handler(notificationRequest(reversalPayload())))).toBe(200);
    expect((await deadLetters.entries()).map(({ code, kind }) => [code, kind])).toEqual([
      ['unhandled', 'payout'],
      ['invalid_notification', 'unrecognized'],
      ['unhandled', 'unrecognized'],
    ]);
    expect(store.steps).toEqual([]);
  });

  it('keeps nothing that is busy, that the store failed to begin, or that is no notification', async () => {
    const { handler, deadLetters, store } = createKeeping();
    store.faults.claim.push(fail, async () => ({ status: 'busy' }));
    for (const body of [salePayload(), salePayload(), 'no JSON']) await handler(notificationRequest(body));
    expect(deadLetters.steps).toEqual([]);
  });

  it('keeps a failure of the transaction after its callback began, and none of one that never began', async () => {
    const transact: Transact<undefined> = async ({ subject, state }, work) => {
      if (subject === 'payment:s-1') {
        await work(undefined, { subject, state, token: 't', fence: 1, handledStates: [] });
      }
      throw Object.assign(new Error('current transaction is aborted'), { code: '25P02', name: 'error' });
    };
    const { handler, deadLetters } = createKeeping({
      store: Object.assign(new WatchedStore(), { transact }),
      on: { payment: () => undefined, reversal: () => undefined },
    });
    expect(await statusOf(handler(notificationRequest(salePayload())))).toBe(500);
    expect(await statusOf(handler(notificationRequest(reversalPayload())))).toBe(503);
    expect(await deadLetters.entries()).toMatchObject([
      { key: 'payment:s-1:PAID', code: 'store_failed', errorName: 'error' },
    ]);
  });

  it('keeps of the URL’s query only the flags of the documented kinds', async () => {
    const { handler, deadLetters } = createKeeping();
    const query = '?token=s3cret&refund=true&type=charge&type=refund&payout=yes#part';
    await handler.handle({
      method: 'POST',
      url: `/hooks${query}`,
      headers: { authorization },
      body: refundPayload(),
    });
    await handler.handle({
      method: 'POST',
      url: '/hooks?token=s3cret',
      headers: { authorization },
      body: salePayload(),
    });
    expect((await deadLetters.entries()).map(({ url }) => url)).toEqual([
      '/hooks?refund=true&type=refund',
      '/hooks',
    ]);
  });

  it.each<[string, unknown, string]>([
    ['text', 'thrown', 'string'],
    ['an endless name', Object.assign(new Error(''), { name: 'x'.repeat(1_000) }), 'x'.repeat(100)],
    ['an error without a name', Object.assign(new Error(''), { name: '' }), 'object'],
  ])('keeps the name of what a callback threw: %s', async (_, thrown, errorName) => {
    const { handler, deadLetters } = createKeeping({ on: { payment: () => Promise.reject(thrown) } });
    expect(await statusOf(handler(notificationRequest(salePayload())))).toBe(500);
    expect(await deadLetters.entries()).toMatchObject([{ errorName }]);
  });

  it.each([
    ['text', JSON.stringify(salePayload())],
    ['bytes', new TextEncoder().encode(JSON.stringify(salePayload()))],
    ['an object that a parser has made', salePayload()],
    ['an object with a BigInt', { ...salePayload(), large: 2n ** 64n }],
  ])('keeps a body that came as %s as text that can be read again', async (_, body) => {
    const { handler, deadLetters, bug, acted } = createKeeping();
    await handler.handle({ method: 'POST', url: '/', headers: { authorization }, body });
    const entries = await deadLetters.entries();
    expect(JSON.parse(entries[0]?.body ?? '')).toMatchObject(salePayload());
    bug.error = undefined;
    expect(await handler.replay(entries)).toEqual([{ key: 'payment:s-1:PAID', status: 'done' }]);
    expect(acted).toEqual(['payment:s-1:PAID']);
  });

  it('forgets the notification when a later delivery succeeds, over real HTTP', async () => {
    const { handler, deadLetters, bug } = createKeeping();
    const url = await listen(createServer(toNodeListener(handler)));
    expect((await deliver(url, salePayload())).status).toBe(500);
    expect((await deliver(url, salePayload())).status).toBe(500);
    expect(await deadLetters.entries()).toMatchObject([{ attempts: 2 }]);
    bug.error = undefined;
    expect((await deliver(url, salePayload())).status).toBe(200);
    expect(await deadLetters.entries()).toEqual([]);
  });

  it.each([
    ['fails', fail],
    ['hangs', hang],
  ])('changes no answer of 500 or 200 of a callback when it %s, and says so in reports', async (_, fault) => {
    const { handler, deadLetters, reports, bug } = createKeeping({ storeTimeoutMs: 20 });
    deadLetters.faults.keep = fault;
    deadLetters.faults.forget = fault;
    expect(await statusOf(handler(notificationRequest(salePayload())))).toBe(500);
    expect(reports).toMatchObject([
      { code: 'dead_letters_failed', status: 500, key: 'payment:s-1:PAID' },
      { code: 'callback_failed', error: bug.error, message: expect.stringContaining('could not be kept') },
    ]);
    bug.error = undefined;
    expect(await statusOf(handler(notificationRequest(salePayload())))).toBe(200);
    expect(reports[2]).toMatchObject({ code: 'dead_letters_failed', status: 200, key: 'payment:s-1:PAID' });
  });

  it('answers 503, not 200, when what has no callback cannot be kept', async () => {
    const { handler, deadLetters, reports } = createKeeping({ on: {} });
    deadLetters.faults.keep = fail;
    expect(await statusOf(handler(notificationRequest(salePayload())))).toBe(503);
    expect(reports).toMatchObject([
      { code: 'dead_letters_failed', status: 503, error: { message: expect.stringContaining('injected') } },
      { code: 'unhandled', status: 503 },
    ]);
    deadLetters.faults.keep = undefined as never;
    expect(await statusOf(handler(notificationRequest(salePayload())))).toBe(200);
    expect(await deadLetters.keys()).toEqual(['payment:s-1:PAID']);
  });

  it('makes the store remember what is done for as long as a dead letter of it is kept', async () => {
    const { handler, store, bug } = createKeeping({ retentionMs: 1 });
    bug.error = undefined;
    await handler(notificationRequest(salePayload()));
    await handler(notificationRequest({ instructionId: 'i-1' }));
    expect(store.retentions).toHaveLength(2);
    expect(Math.min(...store.retentions)).toBeGreaterThan(MONTH_MS);
  });

  it.each([
    [
      'an object without its methods',
      { deadLetters: { keep: () => undefined } },
      '`deadLetters` with `forget`',
    ],
  ])('refuses %s', (_, options, message) => {
    expect(() => createListener(options as never)).toThrow(ConfigurationError);
    expect(() => createListener(options as never)).toThrow(message);
  });
});

describe('handler.replay', () => {
  const bodies = [salePayload(), refundPayload(), reversalPayload()];
  const keys = ['payment:s-1:PAID', 'refund:r-1:PAID', 'reversal:v-1:PENDING'];

  async function createFailed(options: Partial<WebhookHandlerOptions> = {}) {
    const keeping = createKeeping(options);
    for (const body of bodies) await keeping.handler(notificationRequest(body));
    const entries = await keeping.deadLetters.entries();
    keeping.deadLetters.steps.length = 0;
    return { ...keeping, entries };
  }

  it('runs entries again, in their order and each once, and forgets them', async () => {
    const { handler, deadLetters, bug, acted, indices, entries } = await createFailed();
    bug.error = undefined;
    expect(await handler.replay(entries)).toEqual(keys.map((key) => ({ key, status: 'done' })));
    expect([acted, indices, await deadLetters.entries()]).toEqual([keys, [-1, -1, -1], []]);
    expect(deadLetters.steps).toEqual(['forget', 'forget', 'forget']);
    // A replay is recorded like a delivery, and a second one repeats nothing.
    for (const body of bodies) expect(await statusOf(handler(notificationRequest(body)))).toBe(200);
    expect(await handler.replay(entries)).toEqual(keys.map((key) => ({ key, status: 'done' })));
    expect(acted).toEqual(keys);
  });

  it.each([
    ['a key', 'payment:s-1:PAID'],
    ['a selection', { since: 0 }],
    ['a list of keys', ['payment:s-1:PAID']],
    ['nothing', undefined],
    ['an entry without its body', [{ key: 'k', subject: 's', state: '', url: '' }]],
  ])('refuses %s instead of entries', async (_, which) => {
    const { handler, bug, acted } = await createFailed();
    bug.error = undefined;
    await expect(handler.replay(which as never)).rejects.toBeInstanceOf(ConfigurationError);
    expect(acted).toEqual([]);
  });

  it('is refused without the option', async () => {
    const { handler } = createListener();
    await expect(handler.replay([])).rejects.toThrow('Expected the handler to have `deadLetters`');
  });

  it('does not run again what a delivery has done meanwhile, and forgets it', async () => {
    const { handler, store, deadLetters, bug, acted, entries } = await createFailed();
    bug.error = undefined;
    const other = createListener({ store });
    expect(await statusOf(other.handler(notificationRequest(salePayload())))).toBe(200);
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
    expect(reports.slice(3).map(({ code, key }) => [code, key])).toEqual([
      ['busy', keys[0]],
      ['store_failed', keys[1]],
      ['callback_failed', keys[2]],
    ]);
    expect((await deadLetters.entries()).map(({ key, attempts }) => [key, attempts])).toEqual([
      [keys[0], 1],
      [keys[1], 1],
      [keys[2], 2],
    ]);
  });

  it.each([
    ['is ignored', { payment: 'ignore' }],
    ['has no callback', {}],
  ] as const)('leaves what %s in this service: nobody has acted on it', async (_, on) => {
    const { store, deadLetters, entries } = await createFailed();
    const { handler } = createListener({ store, deadLetters, on });
    expect(await handler.replay(entries.slice(0, 1))).toEqual([
      { key: keys[0], status: 'unhandled', code: 'unhandled' },
    ]);
    expect(await deadLetters.entries()).toEqual(entries);
  });

  it('leaves an incomplete one until there is a callback for it', async () => {
    const { handler, store, deadLetters } = createKeeping({ on: {} });
    await handler(notificationRequest({ ...salePayload(), saleToken: null }));
    const entries = await deadLetters.entries();
    expect(await handler.replay(entries)).toMatchObject([
      { status: 'unhandled', code: 'invalid_notification' },
    ]);
    expect(await deadLetters.entries()).toEqual(entries);
    const seen: unknown[] = [];
    const fixed = createListener({
      store,
      deadLetters,
      on: { unrecognized: ({ issues }) => void seen.push(issues) },
    });
    expect(await fixed.handler.replay(entries)).toMatchObject([{ status: 'done' }]);
    expect([seen, await deadLetters.entries()]).toEqual([
      [[expect.objectContaining({ path: ['saleToken'] })]],
      [],
    ]);
  });

  describe('of a body that was unrecognized and whose kind was defined since', () => {
    const charge = defineNotification({
      kind: 'charge',
      match: (body, query) => 'instructionId' in body || query.has('charge'),
      schema: {
        '~standard': { version: 1 as const, vendor: 'test', validate: (value: unknown) => ({ value }) },
      },
      subject: () => 'i-1',
    });
    const body = { instructionId: 'i-1' };

    async function createDefined(store: WatchedStore) {
      const { handler, deadLetters, bug } = createKeeping({ store });
      await handler(notificationRequest(body));
      const entries = await deadLetters.entries();
      bug.error = undefined;
      const acted: string[] = [];
      const on = { charge: ({ key }: { key: string }) => void acted.push(key) };
      const defined = createListener({ store, deadLetters, kinds: [charge], on } as never);
      store.steps.length = 0;
      return { before: handler, defined, entries, deadLetters, acted, key: entries[0]?.key };
    }

    it('claims both identities, the entry’s own first, and records both', async () => {
      const store = new WatchedStore();
      const { defined, entries, deadLetters, acted, key, before } = await createDefined(store);
      expect(await defined.handler.replay(entries)).toEqual([{ key, status: 'done' }]);
      expect(acted).toEqual(['charge:i-1']);
      expect(store.claims.slice(-2).map(({ subject }) => subject)).toEqual([
        entries[0]?.subject,
        'charge:i-1',
      ]);
      expect(await deadLetters.entries()).toEqual([]);
      // Neither today's listener nor one with the former definitions does it again.
      expect(await statusOf(defined.handler(notificationRequest(body)))).toBe(200);
      expect(await statusOf(before(notificationRequest(body)))).toBe(200);
      expect(await defined.handler.replay(entries)).toEqual([{ key, status: 'done' }]);
      expect(acted).toEqual(['charge:i-1']);
    });

    it.each(['the former', 'today’s'])('runs nothing that is done under %s identity', async (which) => {
      const store = new WatchedStore();
      const { defined, entries, deadLetters, acted, key, before } = await createDefined(store);
      const today = createListener({ store, kinds: [charge], on: { charge() {} } } as never).handler;
      const done = which === 'the former' ? before : today;
      expect(await statusOf(done(notificationRequest(body)))).toBe(200);
      expect(await defined.handler.replay(entries)).toEqual([{ key, status: 'done' }]);
      expect([acted, await deadLetters.entries()]).toEqual([[], []]);
    });

    it.each([1, 2])('stays while claim %i of the two is busy', async (which) => {
      const store = new WatchedStore();
      const { defined, entries, deadLetters, acted, key } = await createDefined(store);
      if (which === 2) store.faults.claim.push((go) => go());
      store.faults.claim.push(async () => ({ status: 'busy' }));
      expect(await defined.handler.replay(entries)).toEqual([{ key, status: 'busy', code: 'busy' }]);
      expect([acted, (await deadLetters.entries()).length]).toEqual([[], 1]);
      expect(await defined.handler.replay(entries)).toEqual([{ key, status: 'done' }]);
    });

    it('is found by its kind where the definition needs a query parameter that was not kept', async () => {
      const deadLetters = new WatchedDeadLetters();
      let isFixed = false;
      const acted: string[] = [];
      const on = {
        charge: ({ key }: { key: string }) => {
          if (!isFixed) throw new Error('bug');
          acted.push(key);
        },
      };
      const { handler } = createListener({ deadLetters, kinds: [charge], on } as never);
      await handler(notificationRequest({ other: 1 }, { query: '?charge=1' }));
      const entries = await deadLetters.entries();
      expect(entries).toMatchObject([{ kind: 'charge', url: 'https://merchant.example/webhooks' }]);
      isFixed = true;
      expect(await handler.replay(entries)).toMatchObject([{ status: 'done' }]);
      expect(acted).toEqual(['charge:i-1']);
    });
  });

  it('goes on after an entry that could not be run, reports it, and leaves it', async () => {
    const { store, deadLetters, entries } = await createFailed();
    const failure = new Error('match failed');
    const own = defineNotification({
      kind: 'own',
      match: (body: object) => {
        if ('newStatus' in body) throw failure;
        return false;
      },
      schema: {
        '~standard': { version: 1 as const, vendor: 'test', validate: (value: unknown) => ({ value }) },
      },
      subject: () => 'x',
    });
    const ok = () => undefined;
    const on = { refund: ok, reversal: ok };
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
    const { handler, bug, acted, store, entries } = await createFailed();
    bug.error = undefined;
    let finish = () => {};
    store.faults.claim.push(async (go) => {
      await new Promise<void>((resolve) => (finish = resolve));
      return go();
    });
    const replayed = handler.replay(entries);
    await expect.poll(() => store.steps.filter((step) => step === 'claim')).toHaveLength(4);
    let drained = false;
    const drain = handler.drain().then(() => {
      drained = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(drained).toBe(false);
    finish();
    await drain;
    expect((await replayed).map(({ code }) => code)).toEqual([undefined, 'draining', 'draining']);
    expect(acted).toEqual([keys[0]]);
  });
});
