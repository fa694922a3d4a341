import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import type { Store } from 'pix-automatic-sdk/stores';
import { MemoryStore, type WebhookContext } from 'pix-automatic-sdk/webhooks';
import { describe, expect, it, vi } from 'vitest';
import { type Claim, STEPS, stepsOf, type TransactRequest } from '../../src/stores/steps';
import { type FakeTransact, fakeTransact } from '../helpers/fake-transact';
import { gate, hang, throwing } from './faults';
import { reversalPayload, salePayload } from './payloads';
import { codesOf, createListener, linesOf, notificationRequest, send } from './support';
import { noOrders } from './watched-store';

interface Transaction {
  write(row: string): void;
}

type Step = 'begin' | 'commit' | 'rollback';

/** A database of rows in memory: a transaction’s rows and its completed state come with its commit, or not at all. */
class TransactionalStore implements Store<Transaction> {
  readonly [STEPS] = Object.assign(Object.create(this), {
    transact: fakeTransact<Transaction>((...given) => this.transact(...given)),
  }) as never;
  createTable = () => expect.unreachable();
  createTableSql = () => expect.unreachable();
  deleteExpired = () => expect.unreachable();
  readonly #letters = stepsOf(new MemoryStore());
  keepLetter = this.#letters.keepLetter;
  readLetter = this.#letters.readLetter;
  forgetLetter = this.#letters.forgetLetter;
  letters = () => this.#letters.listLetters({ limit: 100 });
  rows: readonly string[] = [];
  readonly log: string[] = [];
  readonly requests: TransactRequest[] = [];
  readonly faults = new Map<Step, () => Promise<void>>();
  readonly #done = new Map<string, readonly string[]>();
  readonly #locked = new Set<string>();
  #fence = 0;

  // A method, so that it fails when it is called without its store.
  async transact(
    ...[request, work]: Parameters<FakeTransact<Transaction>>
  ): ReturnType<FakeTransact<Transaction>> {
    this.requests.push(request);
    const { subject, state } = request;
    await this.#step('begin');
    const handledStates = this.#done.get(subject) ?? [];
    if (handledStates.includes(state)) return { status: 'done', at: 1, now: 1 };
    if (this.#locked.has(subject)) return { status: 'busy' };
    this.#locked.add(subject);
    try {
      const written: string[] = [];
      const claim: Claim = { subject, state, token: 't', fence: ++this.#fence, handledStates };
      try {
        await work({ write: (row) => void written.push(row) }, claim, noOrders);
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

function createTransactional(
  callback?: (context: WebhookContext<Transaction>) => unknown,
  limits: { storeTimeoutMs?: number; callbackTimeoutMs?: number; deadLetters?: boolean } = {},
) {
  const store = new TransactionalStore();
  const runs: string[] = [];
  const act = ({ key }: { readonly key: string }, context: WebhookContext<Transaction>) => {
    runs.push(key);
    context.transaction.write(key);
    return callback?.(context);
  };
  const options = { store, storeTimeoutMs: 40, ...limits, on: { payment: act, reversal: act } };
  const { handler, reports } = createListener(options as never);
  const deliver = (body: object = salePayload()) => send(handler, body);
  return { store, reports, runs, deliver, handler };
}

describe('with a store in transactional mode', () => {
  it('the callback writes in the transaction, which is committed before the 200', async () => {
    const { store, deliver, runs } = createTransactional();
    expect(await deliver()).toBe(200);
    expect([store.rows, store.log]).toEqual([['payment:s-1:PAID'], ['begin', 'commit']]);
    expect(await deliver()).toBe(200);
    expect([store.rows, runs]).toEqual([['payment:s-1:PAID'], ['payment:s-1:PAID']]);
  });

  it('the store is told what to claim, and for how long', async () => {
    const { store, deliver } = createTransactional(undefined, { callbackTimeoutMs: 1234 });
    await deliver();
    const retentionMs = 400 * 24 * 60 * 60 * 1000;
    const prepare = expect.any(Function);
    const hash = expect.stringMatching(/^[\da-f]{16}$/);
    const content = { fields: { amount: hash, currency: hash, referenceCode: hash }, text: hash };
    expect(store.requests).toEqual([
      {
        subject: 'payment:s-1',
        state: 'PAID',
        retentionMs,
        content,
        timeoutMs: 1234,
        storeTimeoutMs: 40,
        isReplay: false,
        isByPerson: false,
        over: [],
        prepare,
      },
    ]);
  });

  it('the context has the fence and the states done before', async () => {
    const seen: string[] = [];
    const { deliver } = createTransactional(({ fence, handledStates }) =>
      seen.push(`${fence} ${handledStates}`),
    );
    await deliver({ ...reversalPayload(), status: 'PAID' });
    await deliver(reversalPayload());
    expect(seen).toEqual(['1 ', '2 PAID']);
  });

  it('a busy subject is answered 503 at once, and runs nothing', async () => {
    const { wait, open } = gate();
    const { deliver, handler, reports, runs } = createTransactional(wait, { storeTimeoutMs: 5_000 });
    const running = deliver();
    await expect.poll(() => runs).toHaveLength(1);
    const answer = await handler(notificationRequest(salePayload()));
    expect([answer.status, answer.headers.has('retry-after')]).toEqual([503, true]);
    expect(reports).toMatchObject([{ code: 'busy', status: 503, key: 'payment:s-1:PAID' }]);
    open();
    expect([await running, runs.length]).toEqual([200, 1]);
  });

  it.each([
    ['resolves, and is committed', () => undefined, 'commit', ['reversal:v-1:PENDING'], 1],
    ['rejects, and is rolled back', throwing(new Error('late')), 'rollback', [], 2],
  ])('a callback that takes too long is answered 500, and holds its subject until it %s', async (...row) => {
    const [, end, last, rows, runsAfter] = row;
    const signals: AbortSignal[] = [];
    const { wait, open } = gate();
    const callback = ({ signal }: WebhookContext<Transaction>) =>
      signals.push(signal) === 1 ? wait().then(end) : undefined;
    const limits = { callbackTimeoutMs: 20, storeTimeoutMs: 5_000, deadLetters: true };
    const { store, deliver, reports, runs } = createTransactional(callback, limits);
    expect(await deliver(reversalPayload())).toBe(500);
    expect(signals[0]?.aborted).toBe(true);
    expect(linesOf(reports)).toEqual(['callback_timeout 500 reversal:v-1:PENDING']);
    expect(store.log).toEqual(['begin']);

    // The callback still runs, so another state of its subject must wait.
    expect(await deliver({ ...reversalPayload(), status: 'PAID' })).toBe(503);
    expect(runs).toHaveLength(1);

    open();
    await turn();
    expect([store.rows, store.log]).toEqual([rows, ['begin', 'begin', last]]);
    // A late success is no dead letter.
    await expect.poll(() => store.letters()).toHaveLength(runsAfter - 1);
    // The next delivery finds a late success done.
    expect(await deliver(reversalPayload())).toBe(200);
    expect([store.rows, runs.length]).toEqual([['reversal:v-1:PENDING'], runsAfter]);
    expect(codesOf(reports)).toEqual(['callback_timeout', 'busy']);
  });

  it('a transaction that an ORM rolls back and runs again is answered by its last run', async () => {
    const { store, deliver, reports, runs } = createTransactional(() => {
      if (runs.length === 1) throw Object.assign(new Error('could not serialize'), { code: '40001' });
      // Longer than a step of the store may take.
      return sleep(80);
    });
    const transact = store.transact.bind(store);
    store.transact = (request, work) => transact(request, work).catch(() => transact(request, work));
    expect(await deliver()).toBe(200);
    expect([runs.length, store.rows, reports]).toEqual([2, ['payment:s-1:PAID'], []]);
  });

  it('a callback that never ends is answered 500 at callbackTimeoutMs, and drain does not wait for it', async () => {
    // Less than storeTimeoutMs, because the answer does not wait for the store.
    const { deliver, handler } = createTransactional(hang, { callbackTimeoutMs: 20, storeTimeoutMs: 7_500 });
    const status = deliver();
    await turn();
    const drained = handler.drain();
    expect([await status, await drained]).toEqual([500, undefined]);
  }, 5_000);

  it('a late success that the store then finds busy stays a dead letter', async () => {
    const { wait, open } = gate();
    const { store, deliver } = createTransactional(wait, { callbackTimeoutMs: 20, deadLetters: true });
    const transact = store.transact.bind(store);
    // As an ORM does that runs a transaction again, which then meets another owner of the subject.
    store.transact = async (request, work) => {
      await transact(request, work);
      return { status: 'busy' };
    };
    expect(await deliver()).toBe(500);
    open();
    await sleep(20);
    expect(await store.letters()).toHaveLength(1);
  });

  const failing = () => Promise.reject(new Error('injected: S3CRET'));
  const at = (step: Step, fault: () => Promise<never>) => (store: TransactionalStore) =>
    store.faults.set(step, fault);
  const commitAlways = (store: TransactionalStore) => {
    const transact = store.transact.bind(store);
    store.transact = (request, work) =>
      transact(request, (...given) => work(...given).catch(() => undefined));
  };
  const replaced = (fault: () => never) => (store: TransactionalStore) =>
    Object.assign(store, { transact: fault });
  const bug = throwing(new Error('bug'));
  const late = 'the commit took longer than 40 ms';
  const none = () => undefined;

  // A failed commit may have happened or not. A rollback leaves the answer to the callback as it was.
  it.each<[string, string, () => unknown, (store: TransactionalStore) => unknown]>([
    ['a callback that throws', '500 begin rollback: callback_failed bug', bug, none],
    ['one where the store commits all the same', '500 begin commit: callback_failed bug', bug, commitAlways],
    ['a rollback that fails', '500 begin rollback: callback_failed bug', bug, at('rollback', failing)],
    ['a rollback that hangs', '500 begin rollback: callback_failed bug', bug, at('rollback', hang)],
    ['a commit that fails', '500 begin commit: store_failed injected: S3CRET', none, at('commit', failing)],
    ['a commit that hangs', `500 begin commit: store_failed ${late}`, none, at('commit', hang)],
    ['a begin that fails', '503 begin: store_failed injected: S3CRET', none, at('begin', failing)],
    ['a begin that throws at once', '503: store_failed bug', none, replaced(bug)],
  ])('%s leads to: %s', async (_, expected, callback, setUp) => {
    const { store, handler, reports, runs } = createTransactional(callback);
    setUp(store);
    const answer = await handler(notificationRequest(salePayload()));
    expect(await answer.text()).toBe(answer.status === 500 ? 'Internal error' : 'Try again later');
    const said = reports.map(({ code, error }) => `: ${code} ${(error as Error).message}`);
    expect([answer.status, ...store.log].join(' ') + said).toBe(expected);
    expect(runs).toHaveLength(answer.status === 500 ? 1 : 0);
  });

  it('a callback that threw runs again on the next delivery', async () => {
    const failures = [bug];
    const { store, deliver } = createTransactional(() => failures.shift()?.());
    expect([await deliver(), store.rows]).toEqual([500, []]);
    expect([await deliver(), store.rows]).toEqual([200, ['payment:s-1:PAID']]);
  });

  it('a begin that hangs is answered 503, and the callback never runs, not even when it succeeds later', async () => {
    const { store, deliver, reports, runs } = createTransactional();
    const { wait, open } = gate();
    store.faults.set('begin', wait);
    const transact = vi.spyOn(store, 'transact');
    expect([await deliver(), codesOf(reports)]).toEqual([503, ['store_failed']]);
    open();
    await expect(transact.mock.results[0]?.value).rejects.toThrow('The transaction took too long');
    expect([runs, store.rows, store.log]).toEqual([[], [], ['begin', 'rollback']]);
  });
});
