import { inTime } from '../shared/time';
import type { Done as DoneBefore } from '../stores/steps';
import { callbackFor, type Run } from './callback-for';
import type { Task } from './cause';
import { storeFailed, withDetailsOf } from './failures';
import { forget } from './keep';
import type { Listener } from './listener';
import type { OrderLink } from './order-link';
import type { Done, Failure, Outcome } from './outcome';
import type { Meant } from './recognize';
import { runOnce } from './run-once';
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

/**
 * Finds what runs for a notification that was delivered or settled, and runs it once.
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
  if (!('code' in found)) {
    const compared = comparisonOf(task.notification, listener.kinds, body);
    const comparison = task.cause.origin === 'settlement' ? settled(compared) : compared;
    const toRun = { ...found, comparison };
    const outcome = await runOnce(toRun, listener);
    return 'before' in outcome ? repeated(toRun, outcome.before, listener) : outcome;
  }
  if (found.code !== 'ignored' && (await isDismissed(task, listener))) return REPEAT;
  return found.code === 'unhandled' ? withDetailsOf(task, found, listener) : found;
}

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
  if (comparison === undefined) return REPEAT;
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
    return withDetailsOf(run, { code: 'unexpected_repeat', status: 200, reason, issues, toKeep }, listener);
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
    return withDetailsOf(
      run,
      { code: 'unexpected_repeat', status: 200, reason: 'foreign', issues, toKeep },
      listener,
    );
  }
  const identity = strayIdentity(run.identity);
  const own = { ...run, identity };
  const once = await runOnce(own, listener);
  const outcome = 'before' in once ? await repeated(own, once.before, listener) : once;
  if (!('isRepeat' in outcome)) return { ...outcome, toKeep: { ...outcome.toKeep, as: identity } };
  // Its case, from when its order did not expect it yet.
  await forget(own, listener);
  return outcome;
}
