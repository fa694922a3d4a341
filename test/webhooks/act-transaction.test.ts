import { createServer } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import {
  type Claim,
  createWebhookHandler,
  type IdempotencyStore,
  MemoryStore,
  type Transact,
  toNodeListener,
  type WebhookContext,
  type WebhookReport,
} from 'pix-automatic-sdk/webhooks';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { TransactRequest } from '../../src/stores/idempotency-store';
import { deliver } from '../helpers/deliver';
import { listen } from '../helpers/listen';
import {
  authorization,
  createListener,
  credentials,
  hang,
  notificationRequest,
  reversalPayload,
  salePayload,
  send,
  statusOf,
  throwing,
  WatchedStore,
} from './support';

interface Transaction {
  write(row: string): void;
}

type Step = 'begin' | 'commit' | 'rollback';

/** A database of rows in memory: a transaction’s rows and its completed state come with its commit, or not at all. */
class TransactionalStore implements IdempotencyStore<Transaction> {
  rows: readonly string[] = [];
  readonly log: string[] = [];
  readonly requests: TransactRequest[] = [];
  readonly faults = new Map<Step, () => Promise<void>>();
  readonly #done = new Map<string, readonly string[]>();
  readonly #locked = new Set<string>();
  #fence = 0;

  claim = () => Promise.reject(new Error('expected transact to be used'));
  complete = () => Promise.reject(new Error('expected transact to be used'));
  release = () => Promise.reject(new Error('expected transact to be used'));

  // A method, so that it fails when it is called without its store.
  async transact(...[request, work]: Parameters<Transact<Transaction>>): ReturnType<Transact<Transaction>> {
    this.requests.push(request);
    const { subject, state } = request;
    await this.#step('begin');
    const handledStates = this.#done.get(subject) ?? [];
    if (handledStates.includes(state)) return { status: 'done' };
    if (this.#locked.has(subject)) return { status: 'busy' };
    this.#locked.add(subject);
    try {
      const written: string[] = [];
      const claim: Claim = { subject, state, token: 't', fence: ++this.#fence, handledStates };
      try {
        await work({ write: (row) => void written.push(row) }, claim);
      } catch (error) {
        await this.#step('rollback');
        throw error;
      }
      await this.#step('commit');
      this.rows = [...this.rows, ...written];
      this.#done.set(subject, [...handledStates, state]);
      return { status: 'completed' };
    } finally {
      this.#locked.delete(subject);
    }
  }

  async #step(step: Step): Promise<void> {
    this.log.push(step);
    await this.faults.get(step)?.();
  }
}

function createTransactionalListener(
  callback?: (context: WebhookContext<Transaction>) => void | Promise<void>,
  limits: { storeTimeoutMs?: number; callbackTimeoutMs?: number } = {},
) {
  const store = new TransactionalStore();
  const reports: WebhookReport[] = [];
  const runs: string[] = [];
  const act = ({ key }: { readonly key: string }, context: WebhookContext<Transaction>) => {
    runs.push(key);
    context.transaction.write(key);
    return callback?.(context);
  };
  const handler = createWebhookHandler({
    credentials,
    store,
    storeTimeoutMs: 40,
    ...limits,
    on: { payment: act, reversal: act },
    onReport: (report) => reports.push(report),
  });
  const deliver = (body: object = salePayload()) => handler(notificationRequest(body));
  return { store, reports, runs, deliver, handler };
}

describe('with a store in transactional mode', () => {
  it('the callback writes in the transaction, which is committed before the 200', async () => {
    const { store, deliver, runs } = createTransactionalListener();
    expect(await statusOf(deliver())).toBe(200);
    expect([store.rows, store.log]).toEqual([['payment:s-1:PAID'], ['begin', 'commit']]);
    expect(await statusOf(deliver())).toBe(200);
    expect([store.rows, runs]).toEqual([['payment:s-1:PAID'], ['payment:s-1:PAID']]);
  });

  it('the store is told what to claim, for how long, and to wait longer than the handler does', async () => {
    const { store, deliver } = createTransactionalListener(undefined, { callbackTimeoutMs: 1234 });
    await deliver();
    expect(store.requests).toEqual([
      {
        subject: 'payment:s-1',
        state: 'PAID',
        retentionMs: 30 * 24 * 60 * 60 * 1000,
        timeoutMs: 2234,
        prepare: expect.any(Function),
      },
    ]);
  });

  it('a busy subject is answered 503 at once, and runs nothing', async () => {
    let finish = () => {};
    const { deliver, reports, runs } = createTransactionalListener(
      () => new Promise<void>((resolve) => (finish = resolve)),
      { storeTimeoutMs: 5_000 },
    );
    const running = deliver();
    await expect.poll(() => runs).toHaveLength(1);
    const answer = await deliver();
    expect([answer.status, answer.headers.has('retry-after')]).toEqual([503, true]);
    expect(reports).toMatchObject([{ code: 'busy', status: 503, key: 'payment:s-1:PAID' }]);
    finish();
    expect(await statusOf(running)).toBe(200);
    expect(runs).toHaveLength(1);
  });

  it('a callback that throws is answered 500 and rolled back, and runs again on the next delivery', async () => {
    const failures = [new Error('callback')];
    const { store, deliver, reports } = createTransactionalListener(() => {
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
    });
    expect(await statusOf(deliver())).toBe(500);
    expect(reports).toMatchObject([{ code: 'callback_failed', error: { message: 'callback' } }]);
    expect([store.rows, store.log]).toEqual([[], ['begin', 'rollback']]);
    expect(await statusOf(deliver())).toBe(200);
    expect(store.rows).toEqual(['payment:s-1:PAID']);
  });

  it.each([
    ['resolves, and is committed', () => undefined, 'commit', ['reversal:v-1:PENDING'], 1],
    ['rejects, and is rolled back', () => Promise.reject(new Error('late')), 'rollback', [], 2],
  ])(
    'a callback that takes too long is answered 500, and holds its subject until it %s',
    async (_, end, last, rows, runsAfter) => {
      const signals: AbortSignal[] = [];
      let finish = () => {};
      const { store, deliver, reports, runs } = createTransactionalListener(
        async ({ signal }) => {
          signals.push(signal);
          if (signals.length > 1) return;
          await new Promise<void>((resolve) => (finish = resolve));
          await end();
        },
        { callbackTimeoutMs: 20, storeTimeoutMs: 5_000 },
      );
      expect(await statusOf(deliver(reversalPayload()))).toBe(500);
      expect(signals[0]?.aborted).toBe(true);
      expect(reports).toMatchObject([{ code: 'callback_timeout', status: 500, key: 'reversal:v-1:PENDING' }]);
      expect(store.log).toEqual(['begin']);

      // The callback still runs, so another state of its subject must wait.
      expect(await statusOf(deliver({ ...reversalPayload(), status: 'PAID' }))).toBe(503);
      expect(runs).toHaveLength(1);

      finish();
      await turn();
      expect([store.rows, store.log]).toEqual([rows, ['begin', 'begin', last]]);
      // The next delivery finds a late success done.
      expect(await statusOf(deliver(reversalPayload()))).toBe(200);
      expect([store.rows, runs.length]).toEqual([['reversal:v-1:PENDING'], runsAfter]);
      expect(reports.map(({ code }) => code)).toEqual(['callback_timeout', 'busy']);
    },
  );

  it('a transaction that an ORM rolls back and runs again is answered by its last run, not by its first failure', async () => {
    const { store, deliver, reports, runs } = createTransactionalListener(() => {
      if (runs.length === 1) throw Object.assign(new Error('could not serialize'), { code: '40001' });
      return new Promise((resolve) => setTimeout(resolve, 80));
    });
    const transact = store.transact.bind(store);
    store.transact = (request, work) => transact(request, work).catch(() => transact(request, work));
    expect(await statusOf(deliver())).toBe(200);
    expect([runs.length, store.rows, reports]).toEqual([2, ['payment:s-1:PAID'], []]);
  });

  it('a callback that never ends is answered 500 at callbackTimeoutMs, and drain does not wait for it', async () => {
    const { deliver, handler } = createTransactionalListener(hang, {
      callbackTimeoutMs: 20,
      storeTimeoutMs: 7_500,
    });
    const status = statusOf(deliver());
    await turn();
    const drained = handler.drain();
    expect(await status).toBe(500);
    expect(await drained).toBeUndefined();
    // Less than storeTimeoutMs, because the answer does not wait for the store.
  }, 5_000);

  it('a callback that throws is answered 500 even where the store commits all the same', async () => {
    const store: IdempotencyStore = {
      claim: () => Promise.reject(new Error('expected transact to be used')),
      complete: () => Promise.reject(new Error('expected transact to be used')),
      release: () => Promise.reject(new Error('expected transact to be used')),
      transact: async ({ subject, state }, work) => {
        await work({}, { subject, state, token: 't', fence: 1, handledStates: [] }).catch(() => undefined);
        return { status: 'completed' };
      },
    };
    const handler = createWebhookHandler({
      credentials,
      store,
      on: { payment: () => Promise.reject(new Error('out of stock')) },
      onReport: () => undefined,
    });
    expect(await send(handler)).toBe(500);
  });

  it.each([
    ['fails', () => Promise.reject(new Error('injected: S3CRET'))],
    ['hangs', hang],
  ])('a commit that %s is answered 500, never 200: it may have happened or not', async (_, fault) => {
    const { store, deliver, reports, runs } = createTransactionalListener();
    store.faults.set('commit', fault);
    const answer = await deliver();
    expect([answer.status, await answer.text()]).toEqual([500, 'Internal error']);
    expect(reports).toMatchObject([{ code: 'store_failed', status: 500, key: 'payment:s-1:PAID' }]);
    expect(runs).toHaveLength(1);
  });

  it('a begin that fails is answered 503, and the callback does not run', async () => {
    const { store, deliver, reports, runs } = createTransactionalListener();
    store.faults.set('begin', () => Promise.reject(new Error('injected: no connection')));
    const answer = await deliver();
    expect([answer.status, answer.headers.has('retry-after')]).toEqual([503, true]);
    expect(reports).toMatchObject([{ code: 'store_failed', status: 503 }]);
    expect(runs).toEqual([]);
  });

  it('a begin that hangs is answered 503, and the callback never runs, not even when the begin succeeds later', async () => {
    const { store, deliver, reports, runs } = createTransactionalListener();
    let go = () => {};
    store.faults.set('begin', () => new Promise<void>((resolve) => (go = resolve)));
    expect(await statusOf(deliver())).toBe(503);
    expect(reports).toMatchObject([{ code: 'store_failed', status: 503 }]);
    go();
    await turn();
    await turn();
    expect([runs, store.rows, store.log]).toEqual([[], [], ['begin', 'rollback']]);
  });

  it.each([
    ['fails', () => Promise.reject(new Error('injected'))],
    ['hangs', hang],
  ])('a rollback that %s leaves the answer to the callback as it was', async (_, fault) => {
    const failure = new Error('callback');
    const { store, deliver, reports } = createTransactionalListener(throwing(failure));
    store.faults.set('rollback', fault);
    expect(await statusOf(deliver())).toBe(500);
    expect(reports).toMatchObject([{ code: 'callback_failed', error: failure }]);
  });

  it('a transact that throws at once is a 503 like any other failure of the store', async () => {
    const store = Object.assign(new MemoryStore(), {
      transact: throwing(new Error('injected')),
    });
    const reports: WebhookReport[] = [];
    const handler = createWebhookHandler({
      credentials,
      store,
      on: { payment: () => undefined },
      onReport: (report) => reports.push(report),
    });
    expect(await send(handler)).toBe(503);
    expect(reports).toMatchObject([{ code: 'store_failed' }]);
  });
});

/** A query builder as ORMs have it: it runs when it is awaited, and each time it is. */
class LazyQuery implements PromiseLike<number> {
  constructor(
    readonly rows: string[],
    readonly fails = false,
  ) {}

  // biome-ignore lint/suspicious/noThenProperty: query builders of ORMs are thenables
  readonly then: PromiseLike<number>['then'] = (resolve, reject) => {
    const run = async () => {
      if (this.fails) throw new Error('injected: SQL failed');
      return this.rows.push('written');
    };
    return run().then(resolve, reject);
  };
}

describe('a callback', () => {
  const writing = async (callback: (rows: string[]) => unknown) => {
    const rows: string[] = [];
    const store = new WatchedStore();
    const { handler, reports } = createListener({ store, on: { payment: () => callback(rows) } });
    const url = await listen(createServer(toNodeListener(handler)));
    const { status } = await deliver(url, salePayload());
    return { status, rows, steps: store.steps, codes: reports.map(({ code }) => code) };
  };

  it.each<[string, (rows: string[]) => unknown]>([
    ['returns a lazy query', (rows) => new LazyQuery(rows)],
    ['returns a lazy query from an async function', async (rows) => new LazyQuery(rows)],
    ['awaits a lazy query', async (rows) => void (await new LazyQuery(rows))],
  ])('that %s has it run, and once', async (_, callback) => {
    expect(await writing(callback)).toEqual({
      status: 200,
      rows: ['written'],
      steps: ['claim', 'complete'],
      codes: [],
    });
  });

  it('that returns a lazy query which fails is answered 500', async () => {
    const written = await writing((rows) => new LazyQuery(rows, true));
    expect(written).toEqual({
      status: 500,
      rows: [],
      steps: ['claim', 'release'],
      codes: ['callback_failed'],
    });
  });

  it('does not begin once too little of its lease is left, whichever clock shows it', async () => {
    for (const clock of ['performance', 'Date'] as const) {
      let jump = 0;
      const now = performance.now.bind(performance);
      const wall = Date.now.bind(Date);
      const spy =
        clock === 'Date'
          ? vi.spyOn(Date, 'now').mockImplementation(() => wall() + jump)
          : vi.spyOn(performance, 'now').mockImplementation(() => now() + jump);
      onTestFinished(() => spy.mockRestore());
      const store = new WatchedStore();
      // The process is suspended after the claim was sent: timers do not see it.
      store.faults.claim.push(async (go) => {
        const claimed = await go();
        jump = 15_100;
        return claimed;
      });
      const { handler, acted, reports } = createListener({ store });
      const request = { method: 'POST', url: '/', headers: { authorization }, body: salePayload() };
      expect((await handler.handle(request)).status).toBe(503);
      expect([acted, store.steps]).toEqual([[], ['claim', 'release']]);
      expect(reports).toMatchObject([
        { code: 'store_failed', status: 503, error: { name: 'DeadlineExceeded' } },
      ]);
      expect((await handler.handle(request)).status).toBe(200);
      spy.mockRestore();
    }
  });
});
