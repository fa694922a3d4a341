import { notify } from '../shared/notify';
import { letterIdentity, originOf, type Task } from './cause';
import { forget, keepAfter } from './keep';
import type { Listener } from './listener';
import type { OrderLink } from './order-link';
import type { Done, Failure, Kept, Outcome } from './outcome';
import type { WebhookReportDetails } from './report';
import type { WebhookReportCode } from './report-texts';

/** Keeps or forgets the letter, and tells of it. Returns the status to answer with. */
export async function conclude(task: Task, outcome: Outcome, listener: Listener): Promise<number> {
  let status = 200;
  if ('isRepeat' in outcome) await concludeDone(task, outcome, listener);
  if ('status' in outcome) status = await concludeFailure(task, outcome, listener);
  reportLeftOut(task, answeredWith(task) ?? status, listener);
  return status;
}

async function concludeDone(
  task: Task,
  { isRepeat, followUps = [] }: Pick<Done, 'isRepeat' | 'followUps'>,
  listener: Listener,
): Promise<void> {
  const { notification, cause, startedAt } = task;
  const { key } = letterIdentity(task);
  listener.failures.delete(key);
  if (listener.lettersMs !== undefined) await forget(task, listener);
  // Returns that came before their sale was booked: `maintain` runs them if this does not.
  for (const letter of followUps) await listener.runWaiting(letter).catch(() => undefined);
  if (listener.onDone === undefined) return;
  const durationMs = performance.now() - startedAt;
  notify(listener.onDone, { kind: notification.kind, key, isRepeat, durationMs, origin: originOf(cause) });
}

async function concludeFailure(task: Task, failure: Failure, listener: Listener): Promise<number> {
  const { notification, cause } = task;
  const { kind } = notification;
  const { key } = letterIdentity(task);
  const { toKeep: _toKeep, kept: keptBefore, late, ...problem } = failure;
  const delivery = cause.origin === 'delivery' ? countFailure(key, listener) : undefined;
  const kept = keptBefore ?? (await keepAfter(task, failure, listener));
  // An acknowledged notification does not come again, so that one which is not kept must not be acknowledged.
  const status = failure.status === 200 && kept === 'failed' ? 503 : failure.status;
  // Not awaited: the answer goes out now. The entry was kept before, so that it is the last step that counts.
  late?.then((isRecorded) => (isRecorded ? concludeDone(task, { isRepeat: false }, listener) : undefined));
  // What was run again without a delivery has failed as before, which was reported then.
  if (kept === 'unchanged') return status;
  // Whatever this handler answers, the service sees what was sent first.
  const told = { ...problem, status: answeredWith(task) ?? status, kind, key, delivery };
  listener.report(failure.code, {
    ...told,
    fate: fateOf(task, told, kept, listener),
    received: notification,
  });
  // Its sale may have been booked before its order knew of this return, or before this subject was given back.
  if (failure.code === 'early_return' && cause.origin === 'delivery')
    await listener.runWaiting(key).catch(() => undefined);
  return status;
}

/** The status that something else has answered a delivery with. */
function answeredWith({ cause }: Task): number | undefined {
  return cause.origin === 'delivery' ? cause.answeredWith?.() : undefined;
}

const MAX_COUNTED = 1_000;

/** Counts the deliveries of one notification that failed: no single report shows that it is always the same one. */
function countFailure(key: string, { failures }: Listener): number {
  const count = (failures.get(key) ?? 0) + 1;
  failures.delete(key);
  failures.set(key, count);
  const [oldest] = failures.keys();
  if (failures.size > MAX_COUNTED && oldest !== undefined) failures.delete(oldest);
  return count;
}

const FATES = {
  replay: 'It was replayed, and stays a dead letter.',
  settle: 'It was to be settled: do so again.',
} as const;

/** What became of a notification that is not done. */
function fateOf(
  task: Task,
  told: WebhookReportDetails & { readonly code: WebhookReportCode },
  kept: Kept,
  { orders }: Listener,
): string {
  const origin = originOf(task.cause);
  if (origin !== 'delivery') return orders?.fateOf(told.code, origin) ?? FATES[origin];
  return `${nextOf(told, answeredWith(task))} ${fateOfLetter(told.code, kept, orders)}`.trim();
}

/** Whether the service sends it again. */
function nextOf({ status, delivery }: WebhookReportDetails, answered: number | undefined): string {
  const by = answered === undefined ? 'It was acknowledged' : 'Something else has answered 200';
  return status === 200
    ? `${by}, so the service does not send it again.`
    : `The service sends it again after about 60 s, six times in all (this process has seen ${delivery} of its ` +
        'deliveries fail).';
}

function fateOfLetter(code: WebhookReportCode, kept: Kept, orders: OrderLink | undefined): string {
  if (kept === 'none') return '';
  if (kept === 'failed') return `It could not be kept as a ${orders ? 'case' : 'dead letter'}.`;
  if (orders !== undefined) return orders.fateOf(code, 'delivery');
  if (code === 'unexpected_repeat') {
    return 'It is kept as a dead letter: `handler.replay` runs it once it has an identity that is not done.';
  }
  if (code === 'transaction_ended') {
    return 'It is kept as a dead letter until you forget it: `handler.replay` does not run it again.';
  }
  return 'It is kept as a dead letter: `handler.replay` runs it again.';
}

/** Reports known fields of another type than documented, once per kind and field. */
function reportLeftOut(
  { notification: { kind, issues }, identity: { key } }: Task,
  status: number,
  { leftOut, report }: Listener,
): void {
  if (issues === undefined || kind === 'unrecognized') return;
  const fresh = issues.filter(({ path }) => {
    const field = `${kind} ${path.join('.')}`;
    if (leftOut.has(field)) return false;
    leftOut.add(field);
    return true;
  });
  if (fresh.length > 0) report('field_left_out', { status, kind, key, issues: fresh });
}
