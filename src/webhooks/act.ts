import type { ValidationIssue } from '../errors';
import { sleep, stopwatch, TIMED_OUT, within } from '../shared/time';
import type { Claim, ClaimResult, Transact } from '../stores/idempotency-store';
import type { PaymentConfirmation } from '../values/confirm-payment';
import type { Identity } from './key';
import type { ResolvedHandlerOptions, WebhookCallback, WebhookContext } from './options';
import type { WebhookReportCode } from './report';

/** A notification to act on, with its callback. */
export interface Task {
  readonly notification: unknown;
  readonly identity: Identity;
  readonly callback: WebhookCallback<unknown, unknown>;
  /** Asks the service whether the notification is true. Missing without the handler's option `confirm`. */
  readonly confirm?: ((signal?: AbortSignal) => Promise<PaymentConfirmation>) | undefined;
  readonly credentialIndex: number;
  readonly retentionMs: number;
}

/** What became of a notification. Anything but `done` is reported. */
export type Result =
  | {
      readonly code: 'done';
      /** It was done before: the callback did not run. */
      readonly isRepeat: boolean;
    }
  | {
      readonly code: WebhookReportCode;
      readonly status: number;
      readonly error?: unknown;
      readonly issues?: readonly ValidationIssue[] | undefined;
      /** Set if the callback took too long: whether its late success was recorded. Never rejects. */
      readonly late?: Promise<boolean>;
    };

type Failure = Exclude<Result, { readonly code: 'done' }>;

const DONE: Result = { code: 'done', isRepeat: false };
const REPEAT: Result = { code: 'done', isRepeat: true };
const BUSY: Failure = { code: 'busy', status: 503 };

/** Runs the callback once, as far as the store can ensure that. */
export function act(task: Task, options: ResolvedHandlerOptions): Promise<Result> {
  const { store } = options;
  if (store.transact === undefined) return actUnderLease(task, options);
  return actInTransaction(task, store.transact.bind(store), options);
}

/**
 * Acts on a dead letter, which today's definitions may read as something else than when it was kept. It is done if
 * either identity is. Two subjects are claimed both, the entry's own first; a subject has one lease, whatever its state.
 */
export async function actAgain(own: Identity, task: Task, options: ResolvedHandlerOptions): Promise<Result> {
  if (own.subject === task.identity.subject) {
    const unlessDone: Task['callback'] = (notification, context) =>
      context.handledStates.includes(own.state) ? undefined : task.callback(notification, context);
    return act({ ...task, callback: unlessDone }, options);
  }
  let result: Result = BUSY;
  const callback = async () => {
    result = await act(task, options);
    if (result.code !== 'done') throw new Error('not done');
  };
  // The outer lease lasts for everything that the inner one does.
  const callbackTimeoutMs = options.leaseMs + 2 * options.storeTimeoutMs;
  const longer = { ...options, callbackTimeoutMs, leaseMs: callbackTimeoutMs + options.leaseMs };
  const outer = await act({ ...task, identity: own, callback, confirm: undefined }, longer);
  return outer.code === 'callback_failed' ? result : outer;
}

async function actUnderLease(task: Task, options: ResolvedHandlerOptions): Promise<Result> {
  const { store, leaseMs, storeTimeoutMs, callbackTimeoutMs } = options;
  const { subject, state } = task.identity;
  const leaseAge = stopwatch();
  let claim: ClaimResult;
  try {
    claim = await inTime(storeTimeoutMs, store.claim(subject, state, { leaseMs, withinMs: storeTimeoutMs }));
  } catch (error) {
    return storeFailed(error);
  }
  if (claim.status === 'done') return REPEAT;
  if (claim.status === 'busy') return BUSY;
  const claimed = claim;

  const callbackAge = stopwatch();
  const confirmed = await confirm(task, options);
  // A process that was suspended would run the callback beside the next owner's.
  const remainingMs = callbackTimeoutMs - callbackAge();
  const isLate = leaseMs - leaseAge() < remainingMs;
  if ('code' in confirmed || isLate) {
    await release(claimed, options);
    return 'code' in confirmed ? confirmed : storeFailed(new DeadlineExceeded(CLAIMED_TOO_LATE));
  }
  const running = startCallback(task, claimed, { transaction: undefined, ...confirmed }, remainingMs);
  const record = () => recordDone(claimed, task.retentionMs, leaseAge, options);
  try {
    await running.inTime;
  } catch (error) {
    if (!running.isTooSlow()) {
      await release(claimed, options);
      return { code: 'callback_failed', status: 500, error };
    }
    const late = running.ended.then(
      async () => (await record()).code === 'done',
      async () => {
        await release(claimed, options);
        return false;
      },
    );
    return { code: 'callback_timeout', status: 500, error, late };
  }
  return record();
}

const CLAIMED_TOO_LATE =
  'the claim came so late that too little of its lease was left; the process was probably suspended';

/** Records a success. It must not be lost, so this keeps trying while the lease lasts. */
async function recordDone(
  claim: Claim,
  retentionMs: number,
  leaseAge: () => number,
  { store, storeTimeoutMs, leaseMs }: ResolvedHandlerOptions,
): Promise<Result> {
  for (let pauseMs = 100; ; pauseMs = Math.min(pauseMs * 2, 2_000)) {
    try {
      const isRecorded = await inTime(
        storeTimeoutMs,
        store.complete(claim, { retentionMs, withinMs: storeTimeoutMs }),
      );
      return isRecorded ? DONE : { code: 'lease_lost', status: 503 };
    } catch (error) {
      if (leaseAge() + pauseMs >= leaseMs) return storeFailed(error);
    }
    await sleep(pauseMs);
  }
}

/** Frees the subject for the next delivery. If that fails, the lease runs out before it comes. */
async function release(claim: Claim, { store, storeTimeoutMs }: ResolvedHandlerOptions): Promise<void> {
  try {
    await inTime(storeTimeoutMs, store.release(claim));
  } catch {
    // The report is about the failure that led to the release.
  }
}

/** By how much the store's limit for the callback exceeds the handler's, so that the handler's is the one reported. */
const STORE_LIMIT_MARGIN_MS = 1_000;

/** How long a transaction may wait to begin after its first read: it may wait for a free slot of the store's. */
const BEGIN_MS = 30_000;

async function actInTransaction(
  task: Task,
  transact: Transact<unknown>,
  options: ResolvedHandlerOptions,
): Promise<Result> {
  const { storeTimeoutMs, callbackTimeoutMs } = options;
  const { subject, state } = task.identity;
  let isAbandoned = false;
  let confirmed: Confirmed | Failure | undefined;
  /** The last run of the callback: an ORM may roll back and run it again. */
  let running: Running | undefined;
  let failure: Failure | undefined;
  const read = new OneTimeEvent();
  const begun = new OneTimeEvent();

  const prepare = async () => {
    read.fire();
    confirmed = await confirm(task, options);
    if ('code' in confirmed) throw new NotConfirmed();
  };
  const work = async (transaction: unknown, claim: Claim) => {
    // A store that does not know `prepare` must not skip the confirmation.
    if (confirmed === undefined) await prepare();
    // The service was already answered 503, so the callback must not run.
    if (isAbandoned) throw new DeadlineExceeded('the transaction began too late');
    failure = undefined;
    running = startCallback(task, claim, { transaction, ...(confirmed as Confirmed) }, callbackTimeoutMs);
    begun.fire();
    try {
      await running.inTime;
    } catch (error) {
      if (!running.isTooSlow()) {
        failure = { code: 'callback_failed', status: 500, error };
        throw error;
      }
      // The answer goes out now. The store holds the subject until this function ends, so that no other callback runs
      // beside this one. If it still succeeds, its transaction is committed.
      await running.ended;
    }
  };

  try {
    const timeoutMs = callbackTimeoutMs + STORE_LIMIT_MARGIN_MS;
    const request = { subject, state, retentionMs: task.retentionMs, timeoutMs, prepare };
    const transacted = transact(request, work);
    const late = transacted.then(
      ({ status }) => status !== 'busy',
      () => false,
    );
    await inTime(storeTimeoutMs, Promise.race([read.fired, begun.fired, transacted]));
    await inTime(BEGIN_MS + callbackTimeoutMs, Promise.race([begun.fired, transacted]));
    for (let run = running; ; run = running) {
      await Promise.race([run?.inTime.catch(() => undefined), transacted]);
      if (run?.isTooSlow()) {
        return { code: 'callback_timeout', status: 500, error: new DeadlineExceeded(), late };
      }
      const ending = await within(storeTimeoutMs, transacted);
      if (ending !== TIMED_OUT)
        return failure ?? { done: REPEAT, busy: BUSY, completed: DONE }[ending.status];
      if (run === running) throw new DeadlineExceeded(`the commit took longer than ${storeTimeoutMs} ms`);
    }
  } catch (error) {
    isAbandoned = true;
    if (confirmed !== undefined && 'code' in confirmed) return confirmed;
    // After the callback has started, a failure leaves open whether it was committed. The next delivery finds out.
    return failure ?? { code: 'store_failed', status: begun.hasFired ? 500 : 503, error };
  }
}

/** Ends a transaction before it begins: the confirmation itself says why. */
class NotConfirmed extends Error {}

interface Confirmed {
  readonly confirmation: PaymentConfirmation | undefined;
}

/** Asks the service about a payment, within the callback's time. Never rejects. */
async function confirm(
  task: Task,
  { callbackTimeoutMs }: ResolvedHandlerOptions,
): Promise<Confirmed | Failure> {
  if (task.confirm === undefined) return { confirmation: undefined };
  const controller = new AbortController();
  try {
    const confirmation = await inTime(callbackTimeoutMs, task.confirm(controller.signal));
    if (confirmation.confirmed) return { confirmation };
    const issues = confirmation.differences.map(({ field }) => ({
      path: [field],
      message: 'differs from what the service says, or the service does not say it',
    }));
    return { code: 'not_confirmed', status: 500, issues };
  } catch (error) {
    controller.abort(error);
    return { code: 'confirm_failed', status: 500, error };
  }
}

/** A running callback. */
interface Running {
  /** Settles as the callback does, or rejects when its time is over. */
  readonly inTime: Promise<void>;
  /** Settles as the callback does, however long it takes. */
  readonly ended: Promise<void>;
  /** Whether its time was over before it had ended. */
  readonly isTooSlow: () => boolean;
}

/** Starts the callback, and fires its signal when its time is over. */
function startCallback(
  { notification, identity, callback, credentialIndex }: Task,
  { fence, handledStates }: Claim,
  more: Pick<WebhookContext<unknown>, 'transaction' | 'confirmation'>,
  timeoutMs: number,
): Running {
  const controller = new AbortController();
  const { signal } = controller;
  const context = { key: identity.key, handledStates, credentialIndex, signal, fence, ...more };
  // Awaiting also runs a lazy query, such as one of Prisma, Drizzle or Knex, and only once.
  const run = async () => {
    await callback(notification, context);
  };
  const ended = run();
  const timed = async () => {
    if ((await within(timeoutMs, ended)) !== TIMED_OUT) return;
    controller.abort(new DeadlineExceeded(`took longer than ${timeoutMs} ms`));
    throw signal.reason;
  };
  return { ended, inTime: timed(), isTooSlow: () => signal.aborted };
}

/** An event that happens once. */
class OneTimeEvent {
  hasFired = false;
  fire: () => void = () => undefined;
  readonly fired = new Promise<void>((resolve) => {
    this.fire = () => {
      this.hasFired = true;
      resolve();
    };
  });
}

/** The error for something that takes too long. */
class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/** Settles as the promise does, or rejects with `DeadlineExceeded`. The work itself goes on; its result is discarded. */
export async function inTime<T>(ms: number, promise: Promise<T>): Promise<T> {
  const value = await within(ms, promise);
  if (value === TIMED_OUT) throw new DeadlineExceeded(`took longer than ${ms} ms`);
  return value;
}

function storeFailed(error: unknown): Failure {
  return { code: 'store_failed', status: 503, error };
}
