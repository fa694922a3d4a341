import { createServer } from 'node:http';
import {
  ConfigurationError,
  defineNotification,
  MemoryStore,
  type ParkedNotification,
  type ParkedQuery,
  type ParkRequest,
  StoreError,
  type Transact,
  toNodeListener,
  type WebhookHandlerOptions,
} from 'pix-automatic-sdk/webhooks';
import { describe, expect, it } from 'vitest';
import type { ParkingStore } from '../../src/webhooks/handler/parking';
import { deliver } from '../helpers/deliver';
import { listen } from '../helpers/listen';
import {
  authorization,
  createListener,
  fail,
  hang,
  notificationRequest,
  queries,
  refundPayload,
  reversalPayload,
  salePayload,
  statusOf,
  WatchedStore,
} from './support';

type Kept = ParkedNotification & { readonly retentionMs: number };

/** Parks what has failed in a map, in the order of the first failures. */
class FakeParking extends WatchedStore implements ParkingStore {
  readonly entries = new Map<string, Kept>();
  readonly parkingSteps: string[] = [];
  readonly parkingFaults: { [Step in 'park' | 'parked' | 'unpark']?: () => Promise<never> } = {};

  async park(entry: ParkRequest, retentionMs: number): Promise<void> {
    await this.#step('park');
    const lastFailedAt = Date.now();
    const { attempts, firstFailedAt } = this.entries.get(entry.key) ?? {
      attempts: 0,
      firstFailedAt: lastFailedAt,
    };
    this.entries.set(entry.key, {
      ...entry,
      firstFailedAt,
      lastFailedAt,
      attempts: attempts + 1,
      retentionMs,
    });
  }

  async parked({ key, limit, since = 0 }: ParkedQuery = {}): Promise<ParkedNotification[]> {
    await this.#step('parked');
    return [...this.entries.values()]
      .filter((entry) => (key === undefined || entry.key === key) && entry.lastFailedAt >= since)
      .slice(0, limit);
  }

  async unpark(key: string): Promise<void> {
    await this.#step('unpark');
    this.entries.delete(key);
  }

  async #step(step: 'park' | 'parked' | 'unpark'): Promise<void> {
    this.parkingSteps.push(step);
    await this.parkingFaults[step]?.();
  }
}

/** A listener that parks, and whose callbacks fail until they are fixed. */
function createParking(options: Partial<WebhookHandlerOptions> = {}, store = new FakeParking()) {
  const bug = { error: Object.assign(new TypeError('of order 52998224725'), { code: 'E_BUG' }) as unknown };
  const acted: string[] = [];
  const indices: number[] = [];
  const act = ({ key }: { key: string }, { credentialIndex }: { credentialIndex: number }) => {
    if (bug.error !== undefined) throw bug.error;
    acted.push(key);
    indices.push(credentialIndex);
  };
  const on = { payment: act, refund: act, reversal: act, unrecognized: act };
  const listener = createListener({ store, park: true, on, ...options });
  return { ...listener, acted, indices, store, bug };
}

describe('park: true', () => {
  it('keeps a notification whose callback threw and was answered 500, with the error’s name and code and never its message', async () => {
    const { handler, store, reports } = createParking();
    const answer = await handler(notificationRequest(refundPayload(), { query: queries.refund }));
    expect([answer.status, await answer.text()]).toEqual([500, 'Internal error']);
    expect([...store.entries.values()]).toEqual([
      {
        key: 'refund:r-1:PAID',
        kind: 'refund',
        subject: 'refund:r-1',
        state: 'PAID',
        body: JSON.stringify(refundPayload()),
        url: `https://merchant.example/webhooks${queries.refund}`,
        errorName: 'TypeError',
        errorCode: 'E_BUG',
        firstFailedAt: expect.any(Number),
        lastFailedAt: expect.any(Number),
        attempts: 1,
        retentionMs: 30 * 24 * 60 * 60 * 1000,
      },
    ]);
    expect(reports).toMatchObject([
      {
        code: 'callback_failed',
        message: expect.stringMatching(/The callback threw\. It is parked: `handler\.replay`/),
      },
    ]);
    // The lease is released as it is without `park`.
    expect(store.steps).toEqual(['claim', 'release']);
  });

  it('keeps a notification whose callback took too long', async () => {
    const { handler, store, reports } = createParking({ callbackTimeoutMs: 10, on: { payment: hang } });
    expect(await statusOf(handler(notificationRequest(salePayload())))).toBe(500);
    expect(store.entries.get('payment:s-1:PAID')).toMatchObject({ errorName: 'DeadlineExceeded' });
    expect(reports).toMatchObject([{ code: 'callback_timeout', message: expect.stringContaining('parked') }]);
  });

  it.each<[string, unknown, { errorName: string; errorCode?: string }]>([
    ['text', 'thrown', { errorName: 'string' }],
    ['nothing', undefined, { errorName: 'undefined' }],
    [
      'an error with a number for its code',
      Object.assign(new Error(''), { code: 23505 }),
      { errorName: 'Error', errorCode: '23505' },
    ],
    [
      'an endless name',
      Object.assign(new Error(''), { name: 'x'.repeat(1_000) }),
      { errorName: 'x'.repeat(100) },
    ],
    ['an error without a name', Object.assign(new Error(''), { name: '' }), { errorName: 'object' }],
    [
      'an error with a list for its code',
      Object.assign(new Error(''), { code: [1] }),
      { errorName: 'Error' },
    ],
  ])('keeps a notification over which a callback threw %s', async (_, thrown, expected) => {
    const { handler, store } = createParking({ on: { payment: () => Promise.reject(thrown) } });
    expect(await statusOf(handler(notificationRequest(salePayload())))).toBe(500);
    const { errorName, errorCode } = store.entries.get('payment:s-1:PAID') as Kept;
    expect({ errorName, errorCode }).toEqual(expected);
  });

  it.each([
    ['text', JSON.stringify(salePayload())],
    ['bytes', new TextEncoder().encode(JSON.stringify(salePayload()))],
    ['an object that a parser has made', salePayload()],
    ['an object with a BigInt', { ...salePayload(), large: 2n ** 64n }],
  ])('keeps a body that came as %s as text that can be read again', async (_, body) => {
    const { handler, store, bug, acted } = createParking();
    await handler.handle({ method: 'POST', url: '/', headers: { authorization }, body });
    expect(JSON.parse(store.entries.get('payment:s-1:PAID')?.body ?? '')).toMatchObject(salePayload());
    bug.error = undefined;
    expect(await handler.replay('payment:s-1:PAID')).toEqual([{ key: 'payment:s-1:PAID', status: 'done' }]);
    expect(acted).toEqual(['payment:s-1:PAID']);
  });

  it('forgets the notification when a later delivery succeeds, over real HTTP', async () => {
    const { handler, store, bug } = createParking();
    const url = await listen(createServer(toNodeListener(handler)));
    expect((await deliver(url, salePayload())).status).toBe(500);
    expect((await deliver(url, salePayload())).status).toBe(500);
    expect(store.entries.get('payment:s-1:PAID')?.attempts).toBe(2);
    bug.error = undefined;
    expect((await deliver(url, salePayload())).status).toBe(200);
    expect(store.entries.size).toBe(0);
  });

  it('keeps nothing of a delivery that ended otherwise: busy, with a failed store, with an answer of 400', async () => {
    const { handler, store } = createParking();
    store.faults.claim.push(fail, async () => ({ status: 'busy' }));
    for (const body of [salePayload(), salePayload(), 'no JSON', { newStatus: 7 }]) {
      await handler(notificationRequest(body));
    }
    expect([...store.entries.keys()]).toEqual([expect.stringMatching(/^unrecognized:/)]);
  });

  it.each([
    ['fails', fail],
    ['hangs', hang],
  ])(
    'changes no answer when the store %s at parking, and the report says that nothing is kept',
    async (_, fault) => {
      const { handler, store, reports, bug } = createParking({ storeTimeoutMs: 20 });
      store.parkingFaults.park = fault;
      store.parkingFaults.unpark = fault;
      expect(await statusOf(handler(notificationRequest(salePayload())))).toBe(500);
      expect(reports).toMatchObject([
        {
          code: 'callback_failed',
          error: bug.error,
          message: expect.stringContaining('could not be parked'),
        },
      ]);
      bug.error = undefined;
      expect(await statusOf(handler(notificationRequest(salePayload())))).toBe(200);
    },
  );

  it.each([
    ['that is ignored', { payment: 'ignore' }],
    ['without a callback', {}],
  ] as const)('makes no call of the store for a kind %s', async (_, on) => {
    const { handler, store } = createParking({ on });
    expect(await statusOf(handler(notificationRequest(salePayload())))).toBe(200);
    expect([store.steps, store.parkingSteps]).toEqual([[], []]);
  });

  it('is off by default: nothing is parked, and replay is refused', async () => {
    const store = new FakeParking();
    const { handler, bug } = createParking({ park: undefined }, store);
    expect(await statusOf(handler(notificationRequest(salePayload())))).toBe(500);
    bug.error = undefined;
    expect(await statusOf(handler(notificationRequest(salePayload())))).toBe(200);
    expect(store.parkingSteps).toEqual([]);
    const replayed = handler.replay('payment:s-1:PAID');
    await expect(replayed).rejects.toBeInstanceOf(ConfigurationError);
    await expect(replayed).rejects.toThrow('to have `park: true`: without it, nothing is parked');
  });

  it.each([
    ['with a store that cannot park', { park: true, store: new WatchedStore() }, '`store` with `park`'],
    [
      'with a store whose park is undefined',
      { park: true, store: Object.assign(new MemoryStore(), { park: undefined }) },
      '`store` with `park`',
    ],
    ['when it is given as text', { park: 'true', store: new FakeParking() }, '`park` to be true or false'],
  ])('is refused %s', (_, options, message) => {
    let thrown: unknown;
    try {
      createListener(options as never);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(ConfigurationError);
    expect((thrown as Error).message).toContain(message);
  });
});

describe('handler.replay', () => {
  const bodies = [salePayload(), refundPayload(), reversalPayload()];
  const keys = ['payment:s-1:PAID', 'refund:r-1:PAID', 'reversal:v-1:PENDING'];

  async function createFailed(options: Partial<WebhookHandlerOptions> = {}) {
    const parking = createParking(options);
    for (const body of bodies) await parking.handler(notificationRequest(body));
    return parking;
  }

  it('runs what is parked again, the oldest first and each once, and forgets it', async () => {
    const { handler, store, bug, acted, indices } = await createFailed();
    bug.error = undefined;
    store.parkingSteps.length = 0;
    expect(await handler.replay({})).toEqual(keys.map((key) => ({ key, status: 'done' })));
    expect([acted, indices, store.entries.size]).toEqual([keys, [-1, -1, -1], 0]);
    expect(store.parkingSteps).toEqual(['parked', 'unpark', 'unpark', 'unpark']);
    expect(await handler.replay({})).toEqual([]);
    // A replay is recorded like a delivery.
    for (const body of bodies) expect(await statusOf(handler(notificationRequest(body)))).toBe(200);
    expect(acted).toEqual(keys);
  });

  it('runs one by its key, and several up to a limit', async () => {
    const { handler, bug, acted } = await createFailed();
    bug.error = undefined;
    expect(await handler.replay('refund:r-1:PAID')).toHaveLength(1);
    expect(await handler.replay({ since: new Date(0), limit: 1 })).toHaveLength(1);
    expect(acted).toEqual(['refund:r-1:PAID', 'payment:s-1:PAID']);
    expect(await handler.replay('payment:unknown:PAID')).toEqual([]);
  });

  it.each([
    ['a Date', (ms: number) => new Date(ms)],
    ['milliseconds since 1970', (ms: number) => ms],
  ])('runs what failed since a time that is given as %s', async (_, timeOf) => {
    const { handler, store, bug, acted } = await createFailed();
    bug.error = undefined;
    const last = keys[2] as string;
    const lastFailedAt = Date.now() + 60_000;
    store.entries.set(last, { ...(store.entries.get(last) as Kept), lastFailedAt });
    expect(await handler.replay({ since: timeOf(lastFailedAt + 1) })).toEqual([]);
    expect(await handler.replay({ since: timeOf(lastFailedAt) })).toEqual([{ key: last, status: 'done' }]);
    expect(acted).toEqual([last]);
  });

  it.each([
    ['an invalid time', { since: new Date('yesterday') }],
    ['a limit of 0', { limit: 0 }],
    ['an empty key, which would match any', ''],
    ['no selection', undefined],
    ['null', null],
    ['a number', 7],
    ['a list of keys, which would select all', ['payment:s-1:PAID']],
  ])('refuses %s before it asks the store', async (_, which) => {
    const { handler, store } = await createFailed();
    store.parkingSteps.length = 0;
    await expect(handler.replay(which as never)).rejects.toBeInstanceOf(ConfigurationError);
    expect(store.parkingSteps).toEqual([]);
  });

  it('does not run again what a delivery has done meanwhile, and forgets it', async () => {
    const { handler, store, bug, acted } = await createFailed();
    bug.error = undefined;
    const other = createListener({ store });
    expect(await statusOf(other.handler(notificationRequest(salePayload())))).toBe(200);
    expect(await handler.replay(keys[0] as string)).toEqual([{ key: keys[0], status: 'done' }]);
    expect([acted, store.entries.has(keys[0] as string)]).toEqual([[], false]);
  });

  it('leaves parked, and reports, what is busy and what fails again', async () => {
    const { handler, store, reports } = await createFailed();
    store.faults.claim.push(async () => ({ status: 'busy' }), fail);
    expect(await handler.replay({})).toEqual([
      { key: keys[0], status: 'busy', code: 'busy' },
      { key: keys[1], status: 'failed', code: 'store_failed' },
      { key: keys[2], status: 'failed', code: 'callback_failed' },
    ]);
    expect(reports.slice(3).map(({ code, key }) => [code, key])).toEqual([
      ['busy', keys[0]],
      ['store_failed', keys[1]],
      ['callback_failed', keys[2]],
    ]);
    expect([...store.entries.values()].map(({ key, attempts }) => [key, attempts])).toEqual([
      [keys[0], 1],
      [keys[1], 1],
      [keys[2], 2],
    ]);
  });

  it('decides the kind again from the query flags, so that a body that contradicts them is no payment', async () => {
    const { handler, bug, store, acted } = createParking();
    await handler(notificationRequest(salePayload(), { query: queries.refund }));
    const [key] = store.entries.keys();
    bug.error = undefined;
    expect(await handler.replay({})).toEqual([{ key, status: 'done' }]);
    expect(acted).toEqual([key]);
    expect(key).toMatch(/^unrecognized:/);
  });

  describe('of a notification that was unrecognized and whose kind has been defined since,', () => {
    async function createDescribed(charge: () => unknown) {
      const store = new FakeParking();
      await createParking({}, store).handler(notificationRequest({ instructionId: 'i-1' }));
      const [key] = store.entries.keys();
      const own = defineNotification({
        kind: 'charge',
        match: (body) => 'instructionId' in body,
        schema: {
          '~standard': { version: 1 as const, vendor: 'test', validate: (value: unknown) => ({ value }) },
        },
        subject: () => 'i-1',
      });
      const acted: string[] = [];
      const on = {
        charge: (notification: { key: string }) => {
          acted.push(notification.key);
          return charge();
        },
      };
      return { ...createListener({ store, park: true, kinds: [own], on } as never), store, key, acted };
    }

    it('runs it as that kind, and forgets both keys', async () => {
      const { handler, store, key, acted } = await createDescribed(() => undefined);
      expect(await handler.replay({})).toEqual([{ key, status: 'done' }]);
      expect([acted, store.entries.size]).toEqual([['charge:i-1'], 0]);
    });

    it('leaves it parked under its former key while another has its subject, so that it is not lost', async () => {
      const { handler, store, key, acted } = await createDescribed(() => undefined);
      store.faults.claim.push(async () => ({ status: 'busy' }));
      expect(await handler.replay({})).toEqual([{ key, status: 'busy', code: 'busy' }]);
      expect([acted, [...store.entries.keys()]]).toEqual([[], [key]]);
    });

    it('leaves it parked under both keys when it fails again', async () => {
      const { handler, store, key } = await createDescribed(() => Promise.reject(new Error('again')));
      expect(await handler.replay({})).toEqual([{ key, status: 'failed', code: 'callback_failed' }]);
      expect([...store.entries.keys()]).toEqual([key, 'charge:i-1']);
    });
  });

  it('goes on after a notification that could not be run, reports it, and leaves it parked', async () => {
    const { store } = await createFailed();
    const failure = new Error('match failed');
    const own = {
      kind: 'own',
      match: (body: object) => {
        if ('newStatus' in body) throw failure;
        return false;
      },
      schema: {
        '~standard': { version: 1 as const, vendor: 'test', validate: (value: unknown) => ({ value }) },
      },
      subject: () => 'x',
    };
    const ok = () => undefined;
    const { handler, reports } = createListener({
      store,
      park: true,
      kinds: [own],
      on: { refund: ok, reversal: ok },
    } as never);
    expect(await handler.replay({})).toEqual([
      { key: keys[0], status: 'failed', code: 'internal' },
      { key: keys[1], status: 'done' },
      { key: keys[2], status: 'done' },
    ]);
    expect(reports).toMatchObject([{ code: 'internal', status: 500, key: keys[0], error: failure }]);
    expect([...store.entries.keys()]).toEqual([keys[0]]);
  });

  it('says why it could not run one that has no callback, or one that cannot be read', async () => {
    const { store } = await createFailed();
    const entry = store.entries.get(keys[0] as string) as Kept;
    store.entries.set('broken', { ...entry, key: 'broken', body: 'no JSON' });
    const { handler, reports } = createListener({ store, park: true, on: {} });
    expect((await handler.replay({})).map(({ code }) => code)).toEqual([
      'unhandled',
      'unhandled',
      'unhandled',
      'invalid_body',
    ]);
    expect(reports.at(-1)).toMatchObject({ code: 'invalid_body', key: 'broken' });
    expect(store.entries.size).toBe(4);
  });

  it('runs in a transaction with a store that has transactions', async () => {
    const transacted: string[] = [];
    const transact: Transact<undefined> = async ({ subject, state }, work) => {
      transacted.push(subject);
      await work(undefined, { subject, state, token: 't', fence: 1, handledStates: [] });
      return { status: 'completed' };
    };
    const store = Object.assign(new FakeParking(), { transact });
    const { handler, bug, acted } = createParking({ store });
    expect(await statusOf(handler(notificationRequest(salePayload())))).toBe(500);
    bug.error = undefined;
    expect(await handler.replay(keys[0] as string)).toEqual([{ key: keys[0], status: 'done' }]);
    expect([transacted, acted, store.steps]).toEqual([['payment:s-1', 'payment:s-1'], [keys[0]], []]);
  });

  it('is waited for by drain, and begins nothing more after that', async () => {
    const { handler, bug, acted, store } = await createFailed();
    bug.error = undefined;
    let finish = () => {};
    store.faults.claim.push(async (go) => {
      await new Promise<void>((resolve) => (finish = resolve));
      return go();
    });
    const replayed = handler.replay({});
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

  it('rejects with the store’s error when listing fails, or with a StoreError when it takes too long', async () => {
    const { handler, store } = await createFailed({ storeTimeoutMs: 20 });
    store.parkingFaults.parked = fail;
    await expect(handler.replay({})).rejects.toMatchObject({ message: expect.stringContaining('injected') });
    store.parkingFaults.parked = hang;
    await expect(handler.replay({})).rejects.toThrow(StoreError);
    await expect(handler.replay({})).rejects.toThrow(
      'did not list the parked notifications within 20 ms. Try again.',
    );
  });
});
