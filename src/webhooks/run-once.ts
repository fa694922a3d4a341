import type { ValidationIssue } from '../errors';
import type { PaymentNotification } from '../service/notifications/sale';
import { isGiven } from '../shared/objects';
import { DeadlineExceeded, inTime, sleep, stopwatch } from '../shared/time';
import type { Claim, ClaimResult, Done as DoneState, SingleRecords, Transact } from '../stores/steps';
import { confirmPayment, type PaymentConfirmation } from '../values/confirm-payment';
import type { Identity } from './key';
import type { ResolvedHandlerOptions, WebhookCallback } from './options';
import { type OrderQuestion, orderQuestion, type ReadOrder } from './order-link';
import type { Recognized } from './recognize';
import type { WebhookReportCode } from './report';
import { type Comparison, isFirstDelivery, type RepeatReason, unexpectedRepeat } from './unexpected-repeat';

/** A callback to run for a notification. */
export interface CallbackRun {
  readonly notification: unknown;
  readonly identity: Identity;
  readonly callback: WebhookCallback<unknown, unknown, unknown>;
  /** Asks the service whether the notification is true. Missing without the handler's option `confirm`. */
  readonly confirm?: ((signal?: AbortSignal) => Promise<PaymentConfirmation>) | undefined;
  readonly credentialIndex: number;
  readonly retentionMs: number;
  /** Which order it is about; missing without `createOrders`. */
  readonly order?: OrderQuestion | undefined;
  /** Whether no request waits for it: a replay or a settlement. */
  readonly isReplay?: boolean;
  /** What a repeat is recognized by; missing for a body without an identity. A replay is not compared itself. */
  readonly comparison?: Comparison | undefined;
}

/** What became of a notification. */
export type RunResult = { readonly code: 'ignored' } | Done | Failure;

interface Done {
  readonly code: 'done';
  /** It was done before: the callback did not run. */
  readonly isRepeat: boolean;
  /** Whether the callback in a transaction ended before the database could have answered anything. */
  readonly awaitedNothing?: boolean;
}

/** It is not done, which is reported. */
export interface Failure {
  readonly code: WebhookReportCode;
  readonly status: number;
  readonly error?: unknown;
  readonly issues?: readonly ValidationIssue[] | undefined;
  /** Why it is an unexpected repeat. */
  readonly reason?: RepeatReason;
  /** A hash of the body of an unexpected repeat, whose dead letter is not kept under its own identity. */
  readonly bodyHash?: string;
  /** Set if the callback took too long: whether its late success was recorded. Never rejects. */
  readonly late?: Promise<boolean>;
}

const DONE: Done = { code: 'done', isRepeat: false };
const REPEAT: Done = { code: 'done', isRepeat: true };

/** What became of a notification whose state is done. Never rejects. */
async function repeated(
  { identity, comparison, isReplay = false }: CallbackRun,
  done: DoneState,
  { store, storeTimeoutMs }: ResolvedHandlerOptions,
): Promise<Done | Failure> {
  if (isReplay || comparison === undefined) return REPEAT;
  const repeat = unexpectedRepeat(comparison, done);
  if (repeat !== undefined) {
    const { fields, ...details } = repeat;
    const issues = fields.map((field) => ({ path: [field], message: 'differs from what was acted on' }));
    return { code: 'unexpected_repeat', status: 200, ...details, issues };
  }
  if (!isFirstDelivery(done.content)) return REPEAT;
  const { subject, state } = identity;
  try {
    // The next delivery is compared with this one.
    await inTime(store.recordDelivery(subject, state, comparison.content), storeTimeoutMs);
    return REPEAT;
  } catch (error) {
    return storeFailed(error);
  }
}

const TOO_MANY_STATES: Failure = { code: 'too_many_states', status: 200 };

const BUSY: Failure = { code: 'busy', status: 503 };

/** Finds the callback for a notification, or says what becomes of one without a callback. */
export function callbackFor(
  { notification, identity, issues }: Recognized<{ readonly kind: string }>,
  credentialIndex: number,
  options: ResolvedHandlerOptions,
): CallbackRun | { readonly code: 'ignored' } | Failure {
  const { callbacks, confirm, kinds, orders, unrecognizedRetentionMs, retentionMs } = options;
  const { kind } = notification;
  const callback = callbacks[kind];
  if (callback === undefined || callback === 'ignore') {
    // Even if `unrecognized` is ignored: this body seems to be of a known kind, and may be a payment.
    if (issues !== undefined) return { code: 'invalid_notification', status: 400, issues };
    return callback === 'ignore' ? { code: 'ignored' } : { code: 'unhandled', status: 200 };
  }
  const order = orders && orderQuestion(notification, kinds);
  const run = { notification, identity, callback, credentialIndex, order };
  if (kind === 'unrecognized') return { ...run, retentionMs: unrecognizedRetentionMs };
  if (confirm === undefined || kind !== 'payment') return { ...run, retentionMs };
  const { client, acceptRefunded } = confirm;
  const payment = notification as Parameters<typeof confirmPayment>[1];
  return {
    ...run,
    retentionMs,
    confirm: (signal) => confirmPayment(client, payment, { acceptRefunded, signal }),
  };
}

/** Runs a callback once, as far as the store can ensure that. */
export function runOnce(run: CallbackRun, options: ResolvedHandlerOptions): Promise<Done | Failure> {
  const { store } = options;
  if (store.transact === undefined) return runUnderLease(run, options);
  return runInTransaction(run, store.transact.bind(store), options);
}

async function runUnderLease(run: CallbackRun, options: ResolvedHandlerOptions): Promise<Done | Failure> {
  const { store, leaseMs, storeTimeoutMs, callbackTimeoutMs } = options;
  const { subject, state } = run.identity;
  const leaseAge = stopwatch();
  let claim: ClaimResult;
  try {
    claim = await inTime(store.claim(subject, state, { leaseMs, withinMs: storeTimeoutMs }), storeTimeoutMs);
  } catch (error) {
    return storeFailed(error);
  }
  if (claim.status === 'done') return repeated(run, claim, options);
  if (claim.status === 'busy') return BUSY;
  if (claim.status === 'full') return TOO_MANY_STATES;
  const claimed = claim;

  const callbackAge = stopwatch();
  const ready = await askAndFind(run, options);
  // A process that was suspended would run the callback beside the next owner's.
  const remainingMs = callbackTimeoutMs - callbackAge();
  const isLate = leaseMs - leaseAge() < remainingMs;
  if ('code' in ready || isLate) {
    await release(claimed, options);
    return 'code' in ready ? ready : storeFailed(new DeadlineExceeded(CLAIMED_TOO_LATE));
  }
  if (ready.order?.leaveUndone !== undefined) {
    const left = await inTime(ready.order.leaveUndone(), storeTimeoutMs).catch(storeFailed);
    await release(claimed, options);
    return left;
  }
  const running = startCallback(run, claimed, ready, remainingMs);
  const record = () => recordDone(run, claimed, ready.order, leaseAge, options);
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

/** Asks the service about a payment, and finds the order of a notification. Never rejects. */
async function askAndFind(
  run: CallbackRun,
  options: ResolvedHandlerOptions,
): Promise<(Confirmed & { readonly order: ReadOrder | undefined }) | Failure> {
  const { store, storeTimeoutMs } = options;
  const confirmed = await askService(run, options);
  if ('code' in confirmed) return confirmed;
  if (run.order === undefined) return { ...confirmed, order: undefined };
  try {
    const find = async () => readOrder(run, await findOrder(run, options), store, options);
    return { ...confirmed, order: await inTime(find(), storeTimeoutMs) };
  } catch (error) {
    return storeFailed(error);
  }
}

/** The key of the order that a notification is about. */
async function findOrder({ order }: CallbackRun, { orders, store }: ResolvedHandlerOptions) {
  return order && (await orders?.find(store, order.reference));
}

async function readOrder(
  { order }: CallbackRun,
  key: string | undefined,
  records: SingleRecords,
  { orders }: ResolvedHandlerOptions,
): Promise<ReadOrder | undefined> {
  return order && key !== undefined ? orders?.read(records, key, order.reference) : undefined;
}

/** Records that a payment was acted on. */
async function markPaid(run: CallbackRun, order: ReadOrder | undefined): Promise<void> {
  const uuid = run.order?.paidUuid;
  if (uuid !== undefined) await order?.markPaid(uuid);
}

/** Records that a payment was acted on before, where that is not recorded yet. */
export async function markRepeat(run: CallbackRun, options: ResolvedHandlerOptions): Promise<void> {
  const { store } = options;
  await markPaid(run, await readOrder(run, await findOrder(run, options), store, options));
}

/** Records a success. It must not be lost, so this keeps trying while the lease lasts. */
async function recordDone(
  run: CallbackRun,
  claim: Claim,
  order: ReadOrder | undefined,
  leaseAge: () => number,
  options: ResolvedHandlerOptions,
): Promise<Done | Failure> {
  const { store, storeTimeoutMs, leaseMs } = options;
  const { retentionMs, comparison } = run;
  const completion = { retentionMs, content: comparison?.content, withinMs: storeTimeoutMs };
  for (let pauseMs = 100; ; pauseMs = Math.min(pauseMs * 2, 2_000)) {
    try {
      // Before the completion, so that a lost mark is never a done state.
      if (order !== undefined) await inTime(markPaid(run, order), storeTimeoutMs);
      const isRecorded = await inTime(store.complete(claim, completion), storeTimeoutMs);
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
    await inTime(store.release(claim), storeTimeoutMs);
  } catch {
    // The report is about the failure that led to the release.
  }
}

/** What is known of a notification before its transaction begins. */
interface Prepared extends Confirmed {
  readonly orderKey: string | undefined;
}

/** Ends a transaction before it begins. */
class Refused extends Error {
  constructor(readonly failure: Failure) {
    super();
  }
}

async function runInTransaction(
  run: CallbackRun,
  transact: Transact<unknown>,
  options: ResolvedHandlerOptions,
): Promise<Done | Failure> {
  const { storeTimeoutMs, callbackTimeoutMs: timeoutMs } = options;
  const { retentionMs, comparison, isReplay } = run;
  const { subject, state } = run.identity;
  const content = comparison?.content;
  const prepare = async (): Promise<Prepared> => {
    const confirmed = await askService(run, options);
    if ('code' in confirmed) throw new Refused(confirmed);
    return { ...confirmed, orderKey: await inTime(findOrder(run, options), storeTimeoutMs) };
  };
  const request = { subject, state, retentionMs, content, timeoutMs, storeTimeoutMs, isReplay, prepare };

  const result = await transact(request, async ({ transaction, claim, records, act }, prepared) => {
    const { confirmation, orderKey } = prepared;
    // Locked after the subject, so that the second of two payments of an order sees what the first one has written.
    const order = await readOrder(run, orderKey, records, options);
    if (order?.leaveUndone !== undefined) return order.leaveUndone();
    // Before the callback: if it commits by itself, this is committed with what it wrote.
    await markPaid(run, order);
    const { awaitedNothing } = await act(async (signal) => {
      await call(run, claim, { transaction, order, confirmation, signal });
      return 'done';
    });
    return { ...DONE, awaitedNothing };
  });
  switch (result.status) {
    case 'completed':
    case 'undone':
      return result.value;
    case 'done':
      return repeated(run, result, options);
    case 'busy':
      return BUSY;
    case 'full':
      return TOO_MANY_STATES;
    case 'late': {
      const late = result.ended.then(({ status }) => status === 'completed' || status === 'done');
      return { code: 'callback_timeout', status: 500, error: new DeadlineExceeded(), late };
    }
    case 'failed': {
      const { during, error } = result;
      if (error instanceof Refused) return error.failure;
      if (during === 'own commit') return { code: 'transaction_ended', status: 200, error };
      if (during === 'callback') return { code: 'callback_failed', status: 500, error };
      // After the callback has started, a failure leaves open whether it was committed. The next delivery finds out.
      return { code: 'store_failed', status: during === 'begin' ? 503 : 500, error };
    }
  }
}

interface Confirmed {
  readonly confirmation: PaymentConfirmation | undefined;
}

/** Asks the service about a payment, within the callback's time. Never rejects. */
async function askService(
  { confirm }: CallbackRun,
  { callbackTimeoutMs }: ResolvedHandlerOptions,
): Promise<Confirmed | Failure> {
  if (confirm === undefined) return { confirmation: undefined };
  const controller = new AbortController();
  try {
    const confirmation = await inTime(confirm(controller.signal), callbackTimeoutMs);
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

/** Calls the callback. */
async function call(
  { notification, identity, callback, credentialIndex }: CallbackRun,
  { fence, handledStates }: Claim,
  {
    order,
    ...more
  }: Confirmed & {
    readonly transaction: unknown;
    readonly order: ReadOrder | undefined;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { key } = identity;
  const given = more.confirmation === undefined ? notification : withMoney(notification, more.confirmation);
  // Awaiting also runs a lazy query, such as one of Prisma, Drizzle or Knex, and only once.
  await callback(given, { key, handledStates, credentialIndex, fence, ...more, order: order?.order });
}

/** A confirmed payment with the service's amount and currency: the notification may have none. */
function withMoney(
  notification: unknown,
  { transaction: { amount, currency } }: PaymentConfirmation,
): object {
  const payment = notification as PaymentNotification;
  const said = { ...(isGiven(amount) && { amount }), ...(isGiven(currency) && { currency }) };
  return { ...payment, payload: { ...payment.payload, ...said } };
}

/** A callback under a lease that was started. */
interface StartedCallback {
  /** Settles as the callback does, or rejects when its time is over. */
  readonly inTime: Promise<void>;
  /** Settles as the callback does, however long it takes. */
  readonly ended: Promise<void>;
  /** Whether its time was over before it had ended. */
  readonly isTooSlow: () => boolean;
}

/** Starts the callback, and fires its signal when its time is over. */
function startCallback(
  run: CallbackRun,
  claim: Claim,
  ready: Confirmed & { readonly order: ReadOrder | undefined },
  timeoutMs: number,
): StartedCallback {
  const controller = new AbortController();
  const { signal } = controller;
  const ended = call(run, claim, { ...ready, transaction: undefined, signal });
  const timed = inTime(ended, timeoutMs, () => {
    controller.abort(new DeadlineExceeded(`took longer than ${timeoutMs} ms`));
    throw signal.reason;
  });
  return { ended, inTime: timed, isTooSlow: () => signal.aborted };
}

function storeFailed(error: unknown): Failure {
  return { code: 'store_failed', status: 503, error };
}
