import { MINUTE_MS, stopwatch } from '../shared/time';
import type { SingleRecords } from '../stores/steps';
import { identify } from '../webhooks/key';
import { isRepeated } from '../webhooks/outcome';
import { replayDue } from '../webhooks/replay';
import { type CaseCounts, countStatuses } from './cases';
import { decidedBefore, statesOf } from './decide';
import { findLostEvents, type LostEventCounts } from './lost-events';
import { alone, type MaintainContext, type SkippedMaintain, saveProgress } from './maintain-record';
import { changeOrder, readOrder } from './order-records';
import {
  type MaintainOptions,
  type ReconcileCounts,
  type Reconciled,
  readMaintainOptions,
  reconcileOrders,
} from './reconcile';
import { asTold } from './returns';
import { settleReturn } from './settle';

/** What `orders.maintain` did. */
export type MaintainResult = SkippedMaintain | DoneMaintain;

/** This process did it. */
export interface DoneMaintain {
  /** This process did it. */
  readonly skipped: false;
  /** How many expired records were deleted; missing if that failed. */
  readonly deleted?: number | undefined;
  /** What `reconcile` found; missing if it failed. */
  readonly reconciled?: ReconcileCounts | undefined;
  /** How many cases were tried again, by what became of them; missing if that failed. */
  readonly replayed?: CaseCounts | undefined;
  /** How many returns were run whose own notification has not come; missing if that failed. */
  readonly returned?: number | undefined;
  /**
   * What the search for lost events of recurrences has found; missing if it was not time for it, if no event has ever come, or
   * if it failed.
   */
  readonly recurrences?: LostEventCounts | undefined;
  /** Whether each part came to its end; not if `withinMs` is over, or the signal has fired. The next run goes on from there. */
  readonly isComplete: boolean;
  /** What the parts that failed have thrown, in their order. Each was reported, too. */
  readonly errors: readonly unknown[];
}

/** Runs each part of a maintenance, unless another process is at it. */
export function maintain(context: MaintainContext, options: MaintainOptions): Promise<MaintainResult> {
  const { withinMs, ...limits } = readMaintainOptions(options);
  const { store, records, parts } = context;
  const { report } = parts.listener;
  return alone(records, async ({ cursor, lastCase }): Promise<DoneMaintain> => {
    const leftOf = shareTime(withinMs);
    const isAborted = () => limits.signal?.aborted === true;
    const isTimeUp = (part: Part) => () => isAborted() || leftOf(part) <= 0;
    const errors: unknown[] = [];
    const failed = (error: unknown) => {
      report('maintain_failed', { status: 500, error });
      errors.push(error);
    };
    const part = async <Result>(work: () => Promise<Result>): Promise<Result | undefined> => {
      if (isAborted()) return undefined;
      try {
        return await work();
      } catch (error) {
        failed(error);
        return undefined;
      }
    };
    const deleted = await part(() => store.deleteExpired());
    const found = await part(() => reconcileOrders(context, limits, cursor, leftOf('reconcile')));
    if (found?.error !== undefined && !isAborted()) failed(found.error);
    const cases = await part(() => replayCases(context, lastCase, isTimeUp('cases')));
    const told = await part(() => tellReturns(context, found?.untold ?? [], isTimeUp('returns')));
    const recurrences = await part(() => findLostEvents(context, limits, leftOf('recurrences')));
    const isSearched = recurrences?.isComplete ?? true;
    return {
      skipped: false,
      deleted,
      reconciled: found?.counts,
      replayed: cases?.counts,
      returned: told?.count,
      recurrences,
      isComplete: Boolean(found?.counts.isComplete && cases?.isComplete && told?.isComplete && isSearched),
      errors,
    };
  });
}

/** How long a run may take. */
const WITHIN_MS = 10 * MINUTE_MS;

/**
 * How much of that may be over when each part ends, in their order: the ones after it have what is left. Asking the service
 * comes first, because a payer waits for it; a service that hangs must not keep the cases waiting, nor these the returns.
 */
const ENDS = { reconcile: 0.5, cases: 0.8, returns: 0.9, recurrences: 1 } as const;

type Part = keyof typeof ENDS;

/** Gives what tells how many milliseconds a part has left. */
function shareTime(withinMs: number = WITHIN_MS): (part: Part) => number {
  const elapsed = stopwatch();
  return (part) => withinMs * ENDS[part] - elapsed();
}

/** Tries again the cases that are due, beginning after the one where the last run has stopped. */
async function replayCases(
  { records, parts }: MaintainContext,
  lastCase: string | undefined,
  isTimeUp: () => boolean,
) {
  const run = { after: lastCase, isTimeUp };
  const { results, stoppedAfter } = await replayDue(parts.listener, parts.unlessDraining, run);
  if (stoppedAfter !== lastCase) await saveProgress(records, { lastCase: stoppedAfter });
  return { counts: countStatuses(results), isComplete: stoppedAfter === undefined };
}

/** Runs `returned` for what the service has told of beside its payment. */
async function tellReturns(context: MaintainContext, untold: Reconciled['untold'], isTimeUp: () => boolean) {
  let count = 0;
  for (const each of untold) {
    if (isTimeUp()) return { count, isComplete: false };
    if (await tell(context, each)) count += 1;
  }
  return { count, isComplete: true };
}

/** Runs `returned` for one of them. */
async function tell(
  { records, parts }: MaintainContext,
  { key, returned }: Reconciled['untold'][number],
): Promise<boolean> {
  const { id, sale } = returned;
  const { order } = await readOrder(records, key);
  const currency = order.payments.find((each) => each.sale === sale)?.currency;
  // Not if the payment is not booked: its case has told of it.
  if (currency === undefined) return false;
  const hands = await personOf(records, id);
  if (hands === 'undecided') return false;
  const outcome = hands === 'none' ? await settleReturn(returned, currency, parts) : undefined;
  // It is done without having run now, so that nothing has recorded that.
  if (outcome === undefined || isRepeated(outcome)) {
    await changeOrder(records, key, (latest) => asTold(latest, id));
    return false;
  }
  return outcome.code === 'done';
}

/** Whether the notification of a return, a refund's or a reversal's, is in a person's hands, or was dismissed by one. */
async function personOf(records: SingleRecords, id: string): Promise<'undecided' | 'dismissed' | 'none'> {
  for (const kind of ['refund', 'reversal']) {
    const identity = identify(kind, id, ['PAID']);
    if ((await records.readLetter(identity.key))?.code === 'needs_person') return 'undecided';
    if ((await decidedBefore(statesOf(identity), records)) === 'dismissed') return 'dismissed';
  }
  return 'none';
}
