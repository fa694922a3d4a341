import { StoreError, type ValidationIssue } from '../errors';
import type { PaymentNotification } from '../service/notifications/sale';
import { isGiven } from '../shared/objects';
import { DeadlineExceeded, inTime, sleep, stopwatch } from '../shared/time';
import type {
  Acted,
  Claim,
  ClaimResult,
  Dismissed,
  Done as DoneBefore,
  SingleRecords,
  Transact,
} from '../stores/steps';
import { confirmPayment, type PaymentConfirmation } from '../values/confirm-payment';
import type { Cause, Task } from './cause';
import { forget, keep, keepIn } from './keep';
import type { Listener } from './listener';
import type { WebhookCallback } from './options';
import {
  type CaseDetails,
  type FoundKey,
  type NotifiedOrder,
  ORDER_KINDS,
  type OrderLink,
  type Plan,
  referenceOf,
} from './order-link';
import type { Done, Failure, Ignored, Outcome } from './outcome';
import type { Meant } from './recognize';
import type { WebhookReportCode } from './report-texts';
import {
  bodyHashOf,
  type Comparison,
  comparisonOf,
  isFirstDelivery,
  isSameText,
  isStray,
  settled,
  strayIdentity,
  unexpectedRepeat,
} from './unexpected-repeat';

/** A notification with the callback to run for it. */
export interface Run extends Task {
  readonly callback: WebhookCallback<unknown, unknown, unknown>;
  /** Asks the service whether the notification is true. Missing without the handler's option `confirm`. */
  readonly confirm?: ((signal?: AbortSignal) => Promise<PaymentConfirmation>) | undefined;
  readonly retentionMs: number;
  /** Whether its order decides what runs, in place of `callback`. */
  readonly isOfOrder: boolean;
  /** What a repeat is recognized by; missing for a body without an identity. */
  readonly comparison?: Comparison | undefined;
}

/**
 * Finds what runs for a notification, and runs it once.
 *
 * @param body - as it was received; missing for what was not delivered
 */
export async function run(
  task: Task,
  { issues, failure }: Pick<Meant, 'issues' | 'failure'>,
  body: unknown,
  listener: Listener,
): Promise<Outcome> {
  const found = failure ?? callbackFor(task, issues, listener);
  if ('code' in found && found.code !== 'ignored' && (await isDismissed(task, listener))) return REPEAT;
  if (!('code' in found)) {
    const compared = comparisonOf(task.notification, listener.kinds, body);
    const comparison = task.cause.origin === 'settlement' ? settled(compared) : compared;
    return runOnce({ ...found, comparison }, listener);
  }
  return found.code === 'unhandled' ? withDetails(task, found, listener) : found;
}

const DONE: Done = { code: 'done', isRepeat: false };
const REPEAT: Done = { code: 'done', isRepeat: true };

/** Whether a person has ended what nothing runs for. Never rejects. */
async function isDismissed(
  { identity }: Task,
  { orders, store, storeTimeoutMs }: Listener,
): Promise<boolean> {
  if (orders === undefined) return false;
  const look = inTime(store.look(identity.subject, identity.state), storeTimeoutMs);
  return look.then(
    (status) => status === 'done',
    () => false,
  );
}

/** What became of a notification whose state is done: a delivery is compared with what was acted on. Never rejects. */
async function repeated(run: Run, done: DoneBefore, listener: Listener): Promise<Done | Failure> {
  const { identity, comparison, cause } = run;
  const isTold = cause.origin === 'delivery' || cause.origin === 'settlement';
  if (!isTold || comparison === undefined) return REPEAT;
  const { orders } = listener;
  const isSame = isSameText(comparison.content, done.content);
  const stray = orders && (await strayed(run, comparison, isSame, orders, listener));
  if (stray !== undefined) return stray;
  if (cause.origin !== 'delivery') return REPEAT;
  const repeat = unexpectedRepeat(comparison, done);
  if (repeat !== undefined) {
    const { fields, reason, bodyHash } = repeat;
    const issues = fields.map((field) => ({ path: [field], message: 'differs from what was acted on' }));
    const toKeep = { bodyHash };
    return withDetails(run, { code: 'unexpected_repeat', status: 200, reason, issues, toKeep }, listener);
  }
  if (!isFirstDelivery(done.content)) return REPEAT;
  const { store, storeTimeoutMs } = listener;
  const { subject, state } = identity;
  try {
    // The next delivery is compared with this one.
    await inTime(store.recordDelivery(subject, state, comparison.content), storeTimeoutMs);
    return REPEAT;
  } catch (error) {
    return storeFailed(error);
  }
}

/** What becomes of a payment that was done as money of no order, and that its event leads to one of ours. Never rejects. */
async function strayed(
  run: Run,
  { raw }: Comparison,
  isSame: boolean,
  orders: OrderLink,
  listener: Listener,
): Promise<Done | Failure | undefined> {
  const { store, storeTimeoutMs } = listener;
  if (isStray(run.identity)) return undefined;
  let stray: 'again' | 'foreign' | undefined;
  try {
    stray = await inTime(orders.strayOf(store, run, isSame), storeTimeoutMs);
  } catch (error) {
    return storeFailed(error);
  }
  if (stray === undefined) return undefined;
  if (stray === 'foreign') {
    const issues = [
      { path: ['externalId'], message: 'leads to an order, and it was done as money of no order' },
    ];
    const toKeep = { bodyHash: bodyHashOf(raw) };
    return withDetails(
      run,
      { code: 'unexpected_repeat', status: 200, reason: 'foreign', issues, toKeep },
      listener,
    );
  }
  const identity = strayIdentity(run.identity);
  const own = { ...run, identity };
  const outcome = await runOnce(own, listener);
  if (!('isRepeat' in outcome)) return { ...outcome, toKeep: { ...outcome.toKeep, as: identity } };
  // Its case, from when its order did not expect it yet.
  await forget(own, listener);
  return outcome;
}

const TOO_MANY_STATES: Failure = { code: 'too_many_states', status: 200 };

/** With what its case tells of its order and its money. Never rejects. */
async function withDetails(
  task: Task,
  failure: Failure,
  { orders, store, storeTimeoutMs }: Listener,
): Promise<Failure> {
  if (orders === undefined) return failure;
  try {
    return keeping(failure, await inTime(orders.about(store, task), storeTimeoutMs));
  } catch (error) {
    // What would be acknowledged must come again: its case would never be found by its order.
    return failure.status === 200 ? storeFailed(error) : failure;
  }
}

function keeping(failure: Failure, about: CaseDetails | undefined): Failure {
  return { ...failure, toKeep: { ...failure.toKeep, about } };
}

const BUSY: Failure = { code: 'busy', status: 503 };

/** Finds the callback for a notification, or says what becomes of one without a callback. */
export function callbackFor(
  task: Task,
  issues: readonly ValidationIssue[] | undefined,
  listener: Listener,
): Run | Ignored | Failure {
  const { notification, cause } = task;
  const { callbacks, orders, unrecognizedRetentionMs, retentionMs } = listener;
  const { kind } = notification;
  const isOfOrder = orders !== undefined && ORDER_KINDS.has(kind);
  const callback = isOfOrder ? decidedByItsOrder : callbacks[kind];
  if (callback === undefined || callback === 'ignore') {
    // Even if `unrecognized` is ignored: this body seems to be of a known kind, and may be a payment.
    if (issues !== undefined) return { code: 'invalid_notification', status: 400, issues };
    return callback === 'ignore' ? { code: 'ignored' } : { code: 'unhandled', status: 200 };
  }
  const run = { ...task, callback, isOfOrder };
  if (kind === 'unrecognized') return { ...run, retentionMs: unrecognizedRetentionMs };
  const source = kind === 'payment' ? sourceFor(cause, listener) : undefined;
  if (source?.client === undefined) return { ...run, retentionMs };
  const { client, acceptRefunded } = source;
  const payment = asConfirmed(task);
  return {
    ...run,
    retentionMs,
    confirm: (signal) => confirmPayment(client, payment, { acceptRefunded, signal }),
  };
}

/** Who confirms a payment; nobody without the handler's option `confirm`. */
function sourceFor(cause: Cause, { confirm, orders }: Listener) {
  if (cause.origin === 'settlement') return { client: cause.said, acceptRefunded: true };
  // A person's decision is confirmed even where nothing else is.
  return cause.origin === 'decision' ? { client: orders?.client, acceptRefunded: true } : confirm;
}

type ConfirmedPayment = Parameters<typeof confirmPayment>[1];

/** What of a payment the service is to confirm. */
function asConfirmed({ notification, cause, isMeant }: Task): ConfirmedPayment {
  const payment = notification as ConfirmedPayment;
  const decision = cause.origin === 'decision' ? cause : undefined;
  // The service knows the amount of the first payment of a sale only.
  const isAgain = decision?.isAgain && { amount: undefined };
  // Its reference has found the order, or a person has named that: it proves nothing.
  const isRouted = (isMeant || decision?.booking.order !== undefined) && { referenceCode: undefined };
  const payload = { ...payment.payload, ...isAgain, ...isRouted };
  return isAgain ? { kind: 'payment', payload } : { ...payment, payload };
}

/** Stands for a callback where the order of the notification decides what runs. */
const decidedByItsOrder = () => undefined;

/** Runs a callback once, as far as the store can ensure that. */
export function runOnce(run: Run, listener: Listener): Promise<Done | Failure> {
  const { store } = listener;
  if (store.transact === undefined) return runUnderLease(run, listener);
  return runInTransaction(run, store.transact.bind(store), listener);
}

async function runUnderLease(run: Run, listener: Listener): Promise<Done | Failure> {
  const { store, leaseMs, storeTimeoutMs, callbackTimeoutMs } = listener;
  const { retentionMs, cause } = run;
  const { subject, state } = run.identity;
  const isByPerson = cause.origin === 'decision';
  const leaseAge = stopwatch();
  let claim: ClaimResult;
  try {
    const limits = { leaseMs, withinMs: storeTimeoutMs, retentionMs, isByPerson, over: dismissalsOver(run) };
    claim = await inTime(store.claim(subject, state, limits), storeTimeoutMs);
  } catch (error) {
    return storeFailed(error);
  }
  if (claim.status === 'done') return repeated(run, claim, listener);
  if (claim.status === 'busy') return BUSY;
  if (claim.status === 'full') return withDetails(run, TOO_MANY_STATES, listener);
  const claimed = claim;
  // Kept before the subject is given back, so that nobody acts on it between the two.
  const leave = async (failure: Failure) => {
    const kept = await keep(run, failure, listener);
    await release(claimed, listener);
    return { ...failure, kept };
  };

  const callbackAge = stopwatch();
  const ready = await askAndPlan(run, listener);
  if ('code' in ready && claimed.dismissed !== undefined && isStillDenied(run, ready)) {
    await release(claimed, listener);
    return repeated(run, claimed.dismissed, listener);
  }
  if ('code' in ready) return leave(ready);
  // A process that was suspended would run the callback beside the next owner's.
  const remainingMs = callbackTimeoutMs - callbackAge();
  if (leaseMs - leaseAge() < remainingMs) return leave(storeFailed(new DeadlineExceeded(CLAIMED_TOO_LATE)));
  const { plan, details } = ready;
  if (plan?.reason !== undefined) return leave(caseOf(plan, plan.reason));
  const record = () => recordDone(run, claimed, plan, leaseAge, listener);
  if (plan !== undefined && plan.run === undefined) return record();

  const running = startCallback(run, claimed, ready, remainingMs, listener);
  try {
    await running.inTime;
  } catch (error) {
    if (!running.isTooSlow()) {
      const failed = { code: 'callback_failed', status: 500, error } as const;
      return leave(keeping(needsPerson(running.person) ?? failed, details));
    }
    const late = running.ended.then(
      async () => needsPerson(running.person) === undefined && (await record()).code === 'done',
      async () => {
        await release(claimed, listener);
        return false;
      },
    );
    const slow = keeping({ code: 'callback_timeout', status: 500, error, late }, details);
    return { ...slow, kept: await keep(run, slow, listener) };
  }
  const asked = needsPerson(running.person);
  return asked === undefined ? record() : leave(keeping(asked, details));
}

const CLAIMED_TOO_LATE =
  'the claim came so late that too little of its lease was left; the process was probably suspended';

/**
 * Which dismissals a run is over. A person revokes that of a payment by booking it; what was dismissed unconfirmed is asked
 * about again, whoever comes with it.
 */
function dismissalsOver({ notification, cause, confirm }: Run): readonly Dismissed[] {
  if (notification.kind !== 'payment' || confirm === undefined) return [];
  return cause.origin === 'decision' ? ['final', 'unconfirmed'] : ['unconfirmed'];
}

/** Whether the service still does not confirm, or know, what a person has dismissed for that. */
function isStillDenied({ cause }: Run, { code, error }: Failure): boolean {
  const isUnknown = (error as { readonly httpStatus?: unknown } | undefined)?.httpStatus === 404;
  return (
    (code === 'not_confirmed' || (code === 'confirm_failed' && isUnknown)) && cause.origin !== 'decision'
  );
}

/** What is known of a notification before its callback runs. */
interface Ready extends Confirmed {
  /** What its order says is to be done. */
  readonly plan: Plan | undefined;
  /** The order of a notification that has a callback of its own. */
  readonly order: NotifiedOrder | undefined;
  /** What a case of it tells. */
  readonly details: CaseDetails | undefined;
}

/** What is known where there are no orders. */
const NO_ORDER = { plan: undefined, order: undefined, details: undefined };

/** How often it is planned again because others have changed the order. */
const MAX_PLANS = 10;

/** Asks the service about a payment, finds the order, and plans by it. Never rejects. */
async function askAndPlan(run: Run, listener: Listener): Promise<Ready | Failure> {
  const { store, storeTimeoutMs } = listener;
  const confirmed = await askService(run, listener);
  if ('code' in confirmed) return confirmed;
  if (listener.orders === undefined) return { ...confirmed, ...NO_ORDER };
  const ready = async (found: FoundKey | undefined): Promise<Ready> => {
    for (let plans = 1; ; plans += 1) {
      const plan = await planOf(run, found, confirmed, store, listener);
      const isRun = plan?.run !== undefined && plan.reason === undefined;
      if (!isRun || (await plan.before())) return { ...confirmed, ...withPlan(run, found, plan, listener) };
      if (plans === MAX_PLANS) throw new StoreError('Others changed the order each time. Try again.');
    }
  };
  try {
    const found = await inTime(findOrder(run, confirmed, listener), storeTimeoutMs);
    const unproven = await prove(run, found, confirmed, listener);
    return unproven ?? (await inTime(ready(found), storeTimeoutMs));
  } catch (error) {
    return storeFailed(error);
  }
}

/** Finds the order that a notification is about. */
async function findOrder(
  run: Run,
  { confirmation }: Confirmed,
  { orders, store, kinds }: Listener,
): Promise<FoundKey | undefined> {
  const isAsked = run.isOfOrder || Object.values(referenceOf(run.notification, kinds)).some(isGiven);
  return isAsked ? orders?.find(store, run, confirmation) : undefined;
}

/** What is known of the order; a callback that its order decides gets it by itself. */
function withPlan(
  { notification, isOfOrder }: Run,
  found: FoundKey | undefined,
  plan: Plan | undefined,
  { kinds }: Listener,
): Pick<Ready, 'plan' | 'order' | 'details'> {
  if (isOfOrder || found?.key === undefined) {
    return { plan, order: undefined, details: plan?.details };
  }
  const { uuid } = referenceOf(notification, kinds);
  return { plan, order: { key: found.key }, details: { order: found.key, sale: uuid ?? undefined } };
}

async function planOf(
  run: Run,
  found: FoundKey | undefined,
  { confirmation }: Confirmed,
  records: SingleRecords,
  { orders }: Listener,
): Promise<Plan | undefined> {
  return run.isOfOrder && found ? orders?.plan(records, run, found, confirmation) : undefined;
}

/** What is not expected is left undone, so that a person's decision can still run it. */
function caseOf({ details, letter }: Plan, code: WebhookReportCode): Failure {
  // Its return is being acted on under another notification.
  if (code === 'busy') return BUSY;
  return { code, status: 200, toKeep: { about: details, as: letter } };
}

/** Records a success. It must not be lost, so this keeps trying while the lease lasts. */
async function recordDone(
  run: Run,
  claim: Claim,
  plan: Plan | undefined,
  leaseAge: () => number,
  listener: Listener,
): Promise<Done | Failure> {
  const { store, storeTimeoutMs, leaseMs } = listener;
  const { retentionMs, comparison } = run;
  const completion = { retentionMs, content: comparison?.content, withinMs: storeTimeoutMs };
  for (let pauseMs = 100; ; pauseMs = Math.min(pauseMs * 2, 2_000)) {
    try {
      // Before the completion, so that a done state without its payment is never left.
      if (plan !== undefined) await inTime(plan.record(), storeTimeoutMs);
      const isRecorded = await inTime(store.complete(claim, completion), storeTimeoutMs);
      return isRecorded ? doneWith(plan) : { code: 'lease_lost', status: 503 };
    } catch (error) {
      if (leaseAge() + pauseMs >= leaseMs) return storeFailed(error);
    }
    await sleep(pauseMs);
  }
}

function doneWith(plan: Plan | undefined): Done {
  return plan === undefined ? DONE : { ...DONE, followUps: plan.followUps() };
}

/** Frees the subject for the next delivery. If that fails, the lease runs out before it comes. */
async function release(claim: Claim, { store, storeTimeoutMs }: Listener): Promise<void> {
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
  constructor(readonly outcome: Done | Failure) {
    super();
  }
}

async function runInTransaction(
  run: Run,
  transact: Transact<unknown>,
  listener: Listener,
): Promise<Done | Failure> {
  const { storeTimeoutMs, callbackTimeoutMs: timeoutMs } = listener;
  const { retentionMs, comparison, cause } = run;
  const { subject, state } = run.identity;
  const content = comparison?.content;
  let details: CaseDetails | undefined;
  const prepare = async (dismissed: DoneBefore | undefined): Promise<Prepared> => {
    const confirmed = await askService(run, listener);
    if ('code' in confirmed) {
      const isRepeat = dismissed !== undefined && isStillDenied(run, confirmed);
      throw new Refused(isRepeat ? await repeated(run, dismissed, listener) : confirmed);
    }
    const found = await inTime(findOrder(run, confirmed, listener), storeTimeoutMs);
    const unproven = await prove(run, found, confirmed, listener);
    if (unproven !== undefined) throw new Refused(unproven);
    return { ...confirmed, found };
  };
  const limits = { retentionMs, timeoutMs, storeTimeoutMs };
  const isReplay = cause.origin !== 'delivery';
  const isByPerson = cause.origin === 'decision';
  const over = dismissalsOver(run);
  const request = { subject, state, ...limits, content, isReplay, isByPerson, over, prepare };

  const result = await transact(request, async ({ transaction, claim, records, act }, prepared) => {
    const { confirmation, found } = prepared;
    // Locked after the subject, so that the second of two payments of an order sees what the first one has written.
    const plan = await planOf(run, found, prepared, records, listener);
    const ready = { confirmation, ...withPlan(run, found, plan, listener) };
    details = ready.details;
    const leave = async (failure: Failure) => ({
      ...failure,
      kept: await keepIn(records, run, failure, listener),
    });
    if (plan?.reason !== undefined) return leave(caseOf(plan, plan.reason));
    // Before the callback: if it commits by itself, this is committed with what it wrote.
    await plan?.record();
    const person = new Person();
    const acted = await act(async (signal) => {
      let acted: Acted = 'undone';
      try {
        const result = await call(run, claim, { ...ready, transaction, signal, person }, listener);
        acted = isOfMoney(run) && result !== NOTHING ? 'written' : 'done';
      } catch (error) {
        if (person.note === undefined) throw error;
      }
      return person.note === undefined ? acted : 'undone';
    });
    const asked = needsPerson(person);
    if (acted === 'undone' && asked !== undefined) return leave(keeping(asked, details));
    return doneWith(plan);
  });
  switch (result.status) {
    case 'completed':
    case 'undone':
      return result.value;
    case 'done':
      return repeated(run, result, listener);
    case 'busy':
      return BUSY;
    case 'full':
      return withDetails(run, TOO_MANY_STATES, listener);
    case 'late': {
      const late = result.ended.then(({ status }) => status === 'completed' || status === 'done');
      return keeping({ code: 'callback_timeout', status: 500, error: new DeadlineExceeded(), late }, details);
    }
    case 'failed': {
      const { during, error } = result;
      if (error instanceof Refused) return error.outcome;
      if (during === 'own commit') return keeping({ code: 'transaction_ended', status: 200, error }, details);
      // Rolled back: its case is written once the transaction is over, by `conclude`.
      if (during === 'callback') return keeping({ code: 'callback_failed', status: 500, error }, details);
      if (during === 'nothing written') {
        return keeping({ code: 'nothing_written', status: 500, error }, details);
      }
      // After the callback has started, a failure leaves open whether it was committed. The next delivery finds out.
      return during === 'begin'
        ? { code: 'store_failed', status: 503, error }
        : keeping({ code: 'store_failed', status: 500, error }, details);
    }
  }
}

interface Confirmed {
  readonly confirmation: PaymentConfirmation | undefined;
}

/** Asks the service about a payment, within the callback's time. Never rejects. */
async function askService(run: Run, listener: Listener): Promise<Confirmed | Failure> {
  const { confirm } = run;
  const { callbackTimeoutMs } = listener;
  if (confirm === undefined) return { confirmation: undefined };
  const controller = new AbortController();
  try {
    const confirmation = await inTime(confirm(controller.signal), callbackTimeoutMs);
    if (confirmation.confirmed) return { confirmation };
    const issues = confirmation.differences.map(({ field }) => ({
      path: [field],
      message: 'differs from what the service says, or the service does not say it',
    }));
    return withDetails(run, { code: 'not_confirmed', status: 500, issues }, listener);
  } catch (error) {
    controller.abort(error);
    return withDetails(run, { code: 'confirm_failed', status: 500, error }, listener);
  }
}

/** Asks whether a confirmed payment is proven to be its order's. Gives what keeps it from being acted on. Never rejects. */
async function prove(
  run: Run,
  found: FoundKey | undefined,
  { confirmation }: Confirmed,
  listener: Listener,
): Promise<Failure | undefined> {
  const { orders, callbackTimeoutMs } = listener;
  if (orders === undefined || found === undefined || !run.isOfOrder) return undefined;
  const controller = new AbortController();
  const limits = { timeoutMs: PROOF_TIMEOUT_MS, signal: controller.signal };
  try {
    const isProven = orders.isProven(run, found, confirmation, limits);
    if (await inTime(isProven, callbackTimeoutMs)) return undefined;
    return withDetails(run, { code: 'not_confirmed', status: 500, issues: UNPROVEN }, listener);
  } catch (error) {
    controller.abort(error);
    return withDetails(run, { code: 'confirm_failed', status: 500, error }, listener);
  }
}

/** As long as the query for its transaction may take. */
const PROOF_TIMEOUT_MS = 5_000;

const UNPROVEN: readonly ValidationIssue[] = [
  {
    path: ['saleToken'],
    message:
      'is none of the charges of this recurrence, as the service says, and its transaction has not the reference of the journey',
  },
];

/** A replay and a settlement answer no request, so no credentials came with them. */
const NO_CREDENTIALS = -1;

/** What a callback of money resolves with that has nothing to write on purpose. */
const NOTHING = 'nothing';

const MONEY_KINDS: ReadonlySet<string> = new Set(['payment', 'refund', 'reversal']);

function isOfMoney({ notification }: Run): boolean {
  return MONEY_KINDS.has(notification.kind);
}

/** Calls the callback, or what runs in its place, and resolves with what it gives. */
async function call(
  { notification, identity, callback, cause }: Run,
  { fence, handledStates }: Claim,
  {
    plan,
    person,
    details: _details,
    ...more
  }: Ready & { readonly transaction: unknown; readonly signal: AbortSignal; readonly person: Person },
  { orders }: Listener,
): Promise<unknown> {
  const { key } = identity;
  const context = {
    key,
    handledStates,
    credentialIndex: cause.origin === 'delivery' ? cause.credentialIndex : NO_CREDENTIALS,
    fence,
    ...more,
    ...(orders && { needsPerson: person.ask }),
  };
  const given = more.confirmation === undefined ? notification : withMoney(notification, more.confirmation);
  // Awaiting also runs a lazy query, such as one of Prisma, Drizzle or Knex, and only once.
  if (plan === undefined) return callback(given, context);
  return plan.run === undefined ? NOTHING : plan.run(context);
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
  return note === undefined ? undefined : { code: 'needs_person', status: 200, toKeep: { note } };
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
function startCallback(
  run: Run,
  claim: Claim,
  ready: Ready,
  timeoutMs: number,
  listener: Listener,
): StartedCallback {
  const controller = new AbortController();
  const { signal } = controller;
  const person = new Person();
  const ended = call(run, claim, { ...ready, transaction: undefined, signal, person }, listener);
  const timed = inTime(ended, timeoutMs, () => {
    controller.abort(new DeadlineExceeded(`took longer than ${timeoutMs} ms`));
    throw signal.reason;
  });
  return { ended, inTime: timed, isTooSlow: () => signal.aborted, person };
}

function storeFailed(error: unknown): Failure {
  return { code: 'store_failed', status: 503, error };
}
