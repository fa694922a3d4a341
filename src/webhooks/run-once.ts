import { StoreError, type ValidationIssue } from '../errors';
import type { PaymentNotification } from '../service/notifications/sale';
import { isGiven } from '../shared/objects';
import { DeadlineExceeded, inTime, sleep, stopwatch } from '../shared/time';
import type { Acted, Claim, ClaimResult, Done, SingleRecords, Transact } from '../stores/steps';
import { confirmPayment, type PaymentConfirmation } from '../values/confirm-payment';
import type { Identity } from './key';
import type { ResolvedHandlerOptions, WebhookCallback } from './options';
import {
  type Booking,
  type CaseDetails,
  type Decided,
  type FoundKey,
  type Notified,
  type NotifiedOrder,
  ORDER_KINDS,
  referenceOf,
} from './order-link';
import type { Recognized } from './recognize';
import type { WebhookReportCode } from './report-texts';
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
  /** Set with `createOrders` where its order decides what runs, in place of `callback`. */
  readonly order?: Notified | undefined;
  /**
   * Keeps its case in the given records, with `createOrders`: before the subject is given back, or in the transaction.
   * Resolves with what became of the letter.
   */
  readonly keep?: ((records: SingleRecords, failure: Failure) => Promise<unknown>) | undefined;
  /** Whether no request waits for it: a replay or a settlement. */
  readonly isReplay?: boolean;
  /** Whether a person has decided that it runs. */
  readonly isByPerson?: boolean;
  /** What a repeat is recognized by; missing for a body without an identity. A replay is not compared itself. */
  readonly comparison?: Comparison | undefined;
}

/** What became of a notification. */
export type RunResult = { readonly code: 'ignored' } | RunDone | Failure;

interface RunDone {
  readonly code: 'done';
  /** It was done before: the callback did not run. */
  readonly isRepeat: boolean;
  /** The dead letters that waited for it. */
  readonly followUps?: readonly string[] | undefined;
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
  /** What its dead letter is kept under, if not under its own identity. */
  readonly letter?: Identity | undefined;
  /** What its case tells. */
  readonly details?: CaseDetails | undefined;
  /** What the callback said to the person who is to decide. */
  readonly note?: string | undefined;
  /** Set if its case was kept, or not, before the subject was given back. */
  readonly kept?: { readonly letter: unknown } | { readonly error: unknown } | undefined;
  /** Set if the callback took too long: whether its late success was recorded. Never rejects. */
  readonly late?: Promise<boolean>;
}

const DONE: RunDone = { code: 'done', isRepeat: false };
const REPEAT: RunDone = { code: 'done', isRepeat: true };

/** What became of a notification whose state is done. Never rejects. */
async function repeated(
  run: CallbackRun,
  done: Done,
  options: ResolvedHandlerOptions,
): Promise<RunDone | Failure> {
  const { identity, comparison, isReplay = false } = run;
  const { store, storeTimeoutMs } = options;
  if (isReplay || comparison === undefined) return REPEAT;
  const repeat = unexpectedRepeat(comparison, done);
  if (repeat !== undefined) {
    const { fields, ...details } = repeat;
    const issues = fields.map((field) => ({ path: [field], message: 'differs from what was acted on' }));
    return withDetails(run, { code: 'unexpected_repeat', status: 200, ...details, issues }, options);
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

/** With what its case tells of its order and its money. Never rejects. */
export async function withDetails(
  { notification, identity, order }: Pick<CallbackRun, 'notification' | 'identity' | 'order'>,
  failure: Failure,
  { orders, store, storeTimeoutMs }: ResolvedHandlerOptions,
): Promise<Failure> {
  if (orders === undefined) return failure;
  const notified = order ?? { notification: notification as Notified['notification'], identity };
  try {
    return { ...failure, details: await inTime(orders.about(store, notified), storeTimeoutMs) };
  } catch (error) {
    // What would be acknowledged must come again: its case would never be found by its order.
    return failure.status === 200 ? storeFailed(error) : failure;
  }
}

const BUSY: Failure = { code: 'busy', status: 503 };

/** Finds the callback for a notification, or says what becomes of one without a callback. */
export function callbackFor(
  { notification, identity, issues }: Recognized<{ readonly kind: string }>,
  credentialIndex: number,
  options: ResolvedHandlerOptions,
  more: {
    readonly since?: number;
    readonly known?: CaseDetails;
    readonly booking?: Booking | undefined;
    readonly isAgain?: boolean;
  } = {},
): CallbackRun | { readonly code: 'ignored' } | Failure {
  const { callbacks, confirm, orders, unrecognizedRetentionMs, retentionMs } = options;
  const { kind } = notification;
  const isOrders = orders !== undefined && ORDER_KINDS.has(kind);
  const callback = isOrders ? decidedByItsOrder : callbacks[kind];
  if (callback === undefined || callback === 'ignore') {
    // Even if `unrecognized` is ignored: this body seems to be of a known kind, and may be a payment.
    if (issues !== undefined) return { code: 'invalid_notification', status: 400, issues };
    return callback === 'ignore' ? { code: 'ignored' } : { code: 'unhandled', status: 200 };
  }
  const order = isOrders
    ? { notification: notification as Notified['notification'], identity, ...more }
    : undefined;
  const run = { notification, identity, callback, credentialIndex, order };
  if (kind === 'unrecognized') return { ...run, retentionMs: unrecognizedRetentionMs };
  // A person's decision is confirmed even where nothing else is.
  const asked = more.booking === undefined ? confirm : { client: orders?.client, acceptRefunded: true };
  if (asked?.client === undefined || kind !== 'payment') return { ...run, retentionMs };
  const { client, acceptRefunded } = asked;
  const payment = more.isAgain ? withoutAmount(notification) : (notification as ConfirmedPayment);
  return {
    ...run,
    retentionMs,
    confirm: (signal) => confirmPayment(client, payment, { acceptRefunded, signal }),
  };
}

type ConfirmedPayment = Parameters<typeof confirmPayment>[1];

/** The service knows the amount of the first payment of a sale only. */
function withoutAmount(notification: object): ConfirmedPayment {
  const { payload } = notification as ConfirmedPayment;
  return { kind: 'payment', payload: { ...payload, amount: undefined } };
}

/** Stands for a callback where the order of the notification decides what runs. */
const decidedByItsOrder = () => undefined;

/** Runs a callback once, as far as the store can ensure that. */
export function runOnce(run: CallbackRun, options: ResolvedHandlerOptions): Promise<RunDone | Failure> {
  const { store } = options;
  if (store.transact === undefined) return runUnderLease(run, options);
  return runInTransaction(run, store.transact.bind(store), options);
}

async function runUnderLease(run: CallbackRun, options: ResolvedHandlerOptions): Promise<RunDone | Failure> {
  const { store, leaseMs, storeTimeoutMs, callbackTimeoutMs } = options;
  const { subject, state } = run.identity;
  const leaseAge = stopwatch();
  let claim: ClaimResult;
  try {
    const { retentionMs, isByPerson } = run;
    const limits = { leaseMs, withinMs: storeTimeoutMs, retentionMs, isByPerson };
    claim = await inTime(store.claim(subject, state, limits), storeTimeoutMs);
  } catch (error) {
    return storeFailed(error);
  }
  if (claim.status === 'done') return repeated(run, claim, options);
  if (claim.status === 'busy') return BUSY;
  if (claim.status === 'full') return withDetails(run, TOO_MANY_STATES, options);
  const claimed = claim;

  const callbackAge = stopwatch();
  const ready = await askAndDecide(run, options);
  // A process that was suspended would run the callback beside the next owner's.
  const remainingMs = callbackTimeoutMs - callbackAge();
  const isLate = leaseMs - leaseAge() < remainingMs;
  if ('code' in ready || isLate) {
    await release(claimed, options);
    return 'code' in ready ? ready : storeFailed(new DeadlineExceeded(CLAIMED_TOO_LATE));
  }
  const { decided, details } = ready;
  const leave = async (failure: Failure) => {
    const kept = await keepCase(run, { ...failure, details }, options);
    await release(claimed, options);
    return kept;
  };
  if (decided?.reason !== undefined) return leave(caseOf(decided, decided.reason));
  const record = () => recordDone(run, claimed, decided, leaseAge, options);
  if (decided !== undefined && decided.run === undefined) return record();
  const running = startCallback(run, claimed, ready, remainingMs);
  try {
    await running.inTime;
  } catch (error) {
    if (!running.isTooSlow()) {
      return leave(needsPerson(running.person) ?? { code: 'callback_failed', status: 500, error });
    }
    const late = running.ended.then(
      async () => needsPerson(running.person) === undefined && (await record()).code === 'done',
      async () => {
        await release(claimed, options);
        return false;
      },
    );
    return keepCase(run, { code: 'callback_timeout', status: 500, error, late, details }, options);
  }
  const asked = needsPerson(running.person);
  return asked === undefined ? record() : leave(asked);
}

const CLAIMED_TOO_LATE =
  'the claim came so late that too little of its lease was left; the process was probably suspended';

/** What is known of a notification before its callback runs. */
interface Ready extends Confirmed {
  /** What its order says is to be done. */
  readonly decided: Decided | undefined;
  /** The order of a notification that has a callback of its own. */
  readonly order: NotifiedOrder | undefined;
  /** What a case of it tells. */
  readonly details: CaseDetails | undefined;
}

/** How often it is decided again because others have changed the order. */
const MAX_DECISIONS = 10;

/** Asks the service about a payment, finds the order, and decides by it. Never rejects. */
async function askAndDecide(run: CallbackRun, options: ResolvedHandlerOptions): Promise<Ready | Failure> {
  const { store, storeTimeoutMs } = options;
  const confirmed = await askService(run, options);
  if ('code' in confirmed) return confirmed;
  const ready = async (): Promise<Ready> => {
    const found = await findOrder(run, confirmed, options);
    for (let decisions = 1; ; decisions += 1) {
      const decided = await decide(run, found, confirmed, store, options);
      const isRun = decided?.run !== undefined && decided.reason === undefined;
      if (!isRun || (await decided.before())) return { ...confirmed, ...known(run, found, decided, options) };
      if (decisions === MAX_DECISIONS) throw new StoreError('Others changed the order each time. Try again.');
    }
  };
  try {
    return await inTime(ready(), storeTimeoutMs);
  } catch (error) {
    return storeFailed(error);
  }
}

/** Finds the order that a notification is about. */
async function findOrder(
  { notification, identity, order }: CallbackRun,
  { confirmation }: Confirmed,
  { orders, store, kinds }: ResolvedHandlerOptions,
): Promise<FoundKey | undefined> {
  const given = notification as Notified['notification'];
  const isAsked = order !== undefined || Object.values(referenceOf(given, kinds)).some(isGiven);
  return isAsked ? orders?.find(store, order ?? { notification: given, identity }, confirmation) : undefined;
}

/** What is known of the order; a callback that its order decides gets it by itself. */
function known(
  { notification, order }: CallbackRun,
  found: FoundKey | undefined,
  decided: Decided | undefined,
  { kinds }: ResolvedHandlerOptions,
): Pick<Ready, 'decided' | 'order' | 'details'> {
  if (order !== undefined || found?.key === undefined) {
    return { decided, order: undefined, details: decided?.details };
  }
  const { uuid } = referenceOf(notification as Notified['notification'], kinds);
  return { decided, order: { key: found.key }, details: { order: found.key, sale: uuid ?? undefined } };
}

async function decide(
  { order }: CallbackRun,
  found: FoundKey | undefined,
  { confirmation }: Confirmed,
  records: SingleRecords,
  { orders }: ResolvedHandlerOptions,
): Promise<Decided | undefined> {
  return order && found && orders?.decide(records, order, found, confirmation);
}

/** What is not expected is left undone, so that a person's decision can still run it. */
function caseOf({ details, letter }: Decided, code: WebhookReportCode): Failure {
  return { code, status: 200, details, letter };
}

/** Keeps a case, and its mark in the order, before the subject is given back. Never rejects. */
async function keepCase(
  run: CallbackRun,
  failure: Failure,
  options: ResolvedHandlerOptions,
): Promise<Failure> {
  if (run.keep === undefined) return failure;
  try {
    return await inTime(keepCaseIn(options.store, run, failure, options), options.storeTimeoutMs);
  } catch (error) {
    return { ...failure, kept: { error } };
  }
}

/** Keeps a case, and then its mark in the order, in the given records. */
async function keepCaseIn(
  records: SingleRecords,
  run: CallbackRun,
  failure: Failure,
  { orders }: ResolvedHandlerOptions,
): Promise<Failure> {
  const letter = await run.keep?.(records, failure);
  const { code: reason, details, letter: own = run.identity, late } = failure;
  if (details !== undefined && !run.isByPerson)
    await orders?.mark(records, { id: own.key, reason, details }, late !== undefined);
  return { ...failure, kept: { letter } };
}

/** Records a success. It must not be lost, so this keeps trying while the lease lasts. */
async function recordDone(
  run: CallbackRun,
  claim: Claim,
  decided: Decided | undefined,
  leaseAge: () => number,
  options: ResolvedHandlerOptions,
): Promise<RunDone | Failure> {
  const { store, storeTimeoutMs, leaseMs } = options;
  const { retentionMs, comparison } = run;
  const completion = { retentionMs, content: comparison?.content, withinMs: storeTimeoutMs };
  for (let pauseMs = 100; ; pauseMs = Math.min(pauseMs * 2, 2_000)) {
    try {
      // Before the completion, so that a done state without its payment is never left.
      if (decided !== undefined) await inTime(decided.record(), storeTimeoutMs);
      const isRecorded = await inTime(store.complete(claim, completion), storeTimeoutMs);
      return isRecorded ? doneWith(decided) : { code: 'lease_lost', status: 503 };
    } catch (error) {
      if (leaseAge() + pauseMs >= leaseMs) return storeFailed(error);
    }
    await sleep(pauseMs);
  }
}

function doneWith(decided: Decided | undefined): RunDone {
  return decided === undefined ? DONE : { ...DONE, followUps: decided.followUps() };
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
  readonly found: FoundKey | undefined;
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
): Promise<RunDone | Failure> {
  const { storeTimeoutMs, callbackTimeoutMs: timeoutMs } = options;
  const { retentionMs, comparison, isReplay, isByPerson } = run;
  const { subject, state } = run.identity;
  const content = comparison?.content;
  let details: CaseDetails | undefined;
  const prepare = async (): Promise<Prepared> => {
    const confirmed = await askService(run, options);
    if ('code' in confirmed) throw new Refused(confirmed);
    return { ...confirmed, found: await inTime(findOrder(run, confirmed, options), storeTimeoutMs) };
  };
  const limits = { retentionMs, timeoutMs, storeTimeoutMs };
  const request = { subject, state, ...limits, content, isReplay, isByPerson, prepare };

  const result = await transact(request, async ({ transaction, claim, records, act }, prepared) => {
    const { confirmation, found } = prepared;
    // Locked after the subject, so that the second of two payments of an order sees what the first one has written.
    const decided = await decide(run, found, prepared, records, options);
    const ready = { confirmation, ...known(run, found, decided, options) };
    details = ready.details;
    if (decided?.reason !== undefined) {
      return keepCaseIn(records, run, caseOf(decided, decided.reason), options);
    }
    // Before the callback: if it commits by itself, this is committed with what it wrote.
    await decided?.record();
    const person = new Person();
    const acted = await act(async (signal) => {
      let acted: Acted = 'undone';
      try {
        const result = await call(run, claim, { ...ready, transaction, signal, person });
        acted = isOfMoney(run) && result !== NOTHING ? 'written' : 'done';
      } catch (error) {
        if (person.note === undefined) throw error;
      }
      return person.note === undefined ? acted : 'undone';
    });
    const asked = needsPerson(person);
    if (acted === 'undone' && asked !== undefined)
      return keepCaseIn(records, run, { ...asked, details }, options);
    return doneWith(decided);
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
      return withDetails(run, TOO_MANY_STATES, options);
    case 'late': {
      const late = result.ended.then(({ status }) => status === 'completed' || status === 'done');
      return { code: 'callback_timeout', status: 500, error: new DeadlineExceeded(), late };
    }
    case 'failed': {
      const { during, error } = result;
      if (error instanceof Refused) return error.failure;
      if (during === 'own commit') return { code: 'transaction_ended', status: 200, error };
      if (during === 'callback') return { code: 'callback_failed', status: 500, error, details };
      if (during === 'nothing written') return { code: 'nothing_written', status: 500, error, details };
      // After the callback has started, a failure leaves open whether it was committed. The next delivery finds out.
      return during === 'begin'
        ? { code: 'store_failed', status: 503, error }
        : { code: 'store_failed', status: 500, error, details };
    }
  }
}

interface Confirmed {
  readonly confirmation: PaymentConfirmation | undefined;
}

/** Asks the service about a payment, within the callback's time. Never rejects. */
async function askService(run: CallbackRun, options: ResolvedHandlerOptions): Promise<Confirmed | Failure> {
  const { confirm } = run;
  const { callbackTimeoutMs } = options;
  if (confirm === undefined) return { confirmation: undefined };
  const controller = new AbortController();
  try {
    const confirmation = await inTime(confirm(controller.signal), callbackTimeoutMs);
    if (confirmation.confirmed) return { confirmation };
    const issues = confirmation.differences.map(({ field }) => ({
      path: [field],
      message: 'differs from what the service says, or the service does not say it',
    }));
    return withDetails(run, { code: 'not_confirmed', status: 500, issues }, options);
  } catch (error) {
    controller.abort(error);
    return withDetails(run, { code: 'confirm_failed', status: 500, error }, options);
  }
}

/** What a callback of money resolves with that has nothing to write on purpose. */
const NOTHING = 'nothing';

const MONEY_KINDS: ReadonlySet<string> = new Set(['payment', 'refund', 'reversal']);

function isOfMoney({ notification }: CallbackRun): boolean {
  return MONEY_KINDS.has((notification as { readonly kind: string }).kind);
}

/** Calls the callback, or what runs in its place, and resolves with what it gives. */
async function call(
  { notification, identity, callback, credentialIndex, keep }: CallbackRun,
  { fence, handledStates }: Claim,
  {
    decided,
    person,
    ...more
  }: Ready & { readonly transaction: unknown; readonly signal: AbortSignal; readonly person: Person },
): Promise<unknown> {
  const { key } = identity;
  const context = {
    key,
    handledStates,
    credentialIndex,
    fence,
    ...more,
    ...(keep && { needsPerson: person.ask }),
  };
  const given = more.confirmation === undefined ? notification : withMoney(notification, more.confirmation);
  // Awaiting also runs a lazy query, such as one of Prisma, Drizzle or Knex, and only once.
  if (decided === undefined) return callback(given, context);
  return decided.run === undefined ? NOTHING : decided.run(context);
}

/** The person to whom a callback may hand its notification. Remembered, whatever the callback does after that. */
class Person {
  note: string | undefined;

  readonly ask = (why: string): never => {
    this.note ??= String(why ?? 'The callback gave no reason.').slice(0, MAX_NOTE_LENGTH);
    throw new Error(
      '`needsPerson` was called. Let this error pass: what the callback does after it is undone.',
    );
  };
}

const MAX_NOTE_LENGTH = 200;

function needsPerson({ note }: Person): Failure | undefined {
  return note === undefined ? undefined : { code: 'needs_person', status: 200, note };
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
  readonly inTime: Promise<unknown>;
  /** Settles as the callback does, however long it takes. */
  readonly ended: Promise<unknown>;
  /** Whether its time was over before it had ended. */
  readonly isTooSlow: () => boolean;
  readonly person: Person;
}

/** Starts the callback, and fires its signal when its time is over. */
function startCallback(run: CallbackRun, claim: Claim, ready: Ready, timeoutMs: number): StartedCallback {
  const controller = new AbortController();
  const { signal } = controller;
  const person = new Person();
  const ended = call(run, claim, { ...ready, transaction: undefined, signal, person });
  const timed = inTime(ended, timeoutMs, () => {
    controller.abort(new DeadlineExceeded(`took longer than ${timeoutMs} ms`));
    throw signal.reason;
  });
  return { ended, inTime: timed, isTooSlow: () => signal.aborted, person };
}

function storeFailed(error: unknown): Failure {
  return { code: 'store_failed', status: 503, error };
}
