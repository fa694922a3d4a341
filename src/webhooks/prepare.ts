import { StoreError } from '../errors/store-error';
import { isGiven } from '../shared/objects';
import { inTime } from '../shared/time';
import type { ValidationIssue } from '../shared/validation-issue';
import type { SingleRecords } from '../stores/steps';
import type { PaymentConfirmation } from '../values/confirm-payment';
import type { Run } from './callback-for';
import { storeFailed, withDetailsOf } from './failures';
import type { Listener } from './listener';
import { type CaseDetails, type FoundKey, type NotifiedOrder, type Plan, referenceOf } from './order-link';
import type { Failure } from './outcome';

/** What the service and the store know of a notification. */
export interface Prepared {
  readonly confirmation: PaymentConfirmation | undefined;
  /** Missing where there is no order to look for. */
  readonly found: FoundKey | undefined;
}

/** What is known of a notification before its callback runs. */
export interface Ready {
  readonly confirmation: PaymentConfirmation | undefined;
  /** What its order says is to be done. */
  readonly plan: Plan | undefined;
  /** The order of a notification that has a callback of its own. */
  readonly order: NotifiedOrder | undefined;
  /** What a case of it tells. */
  readonly details: CaseDetails | undefined;
}

/**
 * Asks the service about a payment, finds its order, and asks whether it is proven to be that order's. Gives what keeps it
 * from being acted on. Never rejects.
 */
export async function prepare(run: Run, listener: Listener): Promise<Prepared | Failure> {
  const { orders, store, storeTimeoutMs } = listener;
  const { confirm } = run;
  const asked = confirm && (await ask(confirm, differencesOf, run, listener));
  if (asked !== undefined && 'code' in asked) return asked;
  const confirmation = asked?.said;
  if (orders === undefined) return { confirmation, found: undefined };
  let found: FoundKey;
  try {
    // The `order` of an own kind may throw.
    if (!mayHaveOrder(run, listener)) return { confirmation, found: undefined };
    found = await inTime(orders.find(store, run, confirmation), storeTimeoutMs);
  } catch (error) {
    return storeFailed(error);
  }
  if (!run.isOfOrder) return { confirmation, found };
  const proof = (signal: AbortSignal) => orders.missingProof(run, found, confirmation, signal);
  const proven = await ask(proof, (missing) => missing, run, listener);
  return 'code' in proven ? proven : { confirmation, found };
}

/**
 * Asks the service, within the callback's time. Gives what it says, or why the notification is not acted on. Never rejects.
 *
 * @param issuesWith - what in the answer speaks against it
 */
async function ask<Said>(
  question: (signal: AbortSignal) => Promise<Said>,
  issuesWith: (said: Said) => readonly ValidationIssue[] | undefined,
  run: Run,
  listener: Listener,
): Promise<{ readonly said: Said } | Failure> {
  const controller = new AbortController();
  try {
    const said = await inTime(question(controller.signal), listener.callbackTimeoutMs);
    const issues = issuesWith(said);
    if (issues === undefined) return { said };
    return withDetailsOf(run, { code: 'not_confirmed', status: 500, issues }, listener);
  } catch (error) {
    controller.abort(error);
    return withDetailsOf(run, { code: 'confirm_failed', status: 500, error }, listener);
  }
}

function differencesOf(confirmation: PaymentConfirmation): readonly ValidationIssue[] | undefined {
  if (confirmation.confirmed) return undefined;
  return confirmation.differences.map(({ field }) => ({
    path: [field],
    message: 'differs from what the service says, or the service does not say it',
  }));
}

function mayHaveOrder({ isOfOrder, notification }: Run, { kinds }: Listener): boolean {
  return isOfOrder || Object.values(referenceOf(notification, kinds)).some(isGiven);
}

/** What is to be done, as the order is now in the given records: in a transaction, it is locked until the end of that. */
export async function planFrom(
  records: SingleRecords,
  run: Run,
  { confirmation, found }: Prepared,
  { orders, kinds }: Listener,
): Promise<Ready> {
  const { isOfOrder, notification } = run;
  if (orders !== undefined && isOfOrder && found !== undefined) {
    const plan = await orders.plan(records, run, found, confirmation);
    return { confirmation, plan, order: undefined, details: plan.details };
  }
  if (found?.key === undefined) return { ...NO_ORDER, confirmation };
  const { uuid } = referenceOf(notification, kinds);
  return {
    confirmation,
    plan: undefined,
    order: { key: found.key },
    details: { order: found.key, sale: uuid ?? undefined },
  };
}

const NO_ORDER = { plan: undefined, order: undefined, details: undefined };

/** How often it is planned again because others have changed the order. */
const MAX_PLANS = 10;

/** What is to be done under a lease, with what others must see before it runs recorded. Never rejects. */
export async function planUnderLease(
  run: Run,
  prepared: Prepared,
  listener: Listener,
): Promise<Ready | Failure> {
  const { store, storeTimeoutMs } = listener;
  const planned = async (): Promise<Ready> => {
    for (let plans = 1; ; plans += 1) {
      const ready = await planFrom(store, run, prepared, listener);
      const { plan } = ready;
      if (plan?.run === undefined || plan.reason !== undefined) return ready;
      // Written here; if the order has changed meanwhile, it is planned again.
      const isWritten = await plan.before();
      if (isWritten) return ready;
      if (plans === MAX_PLANS) throw new StoreError('Others changed the order each time. Try again.');
    }
  };
  try {
    return await inTime(planned(), storeTimeoutMs);
  } catch (error) {
    return storeFailed(error);
  }
}
