import { newToken } from '../shared/bytes';
import { DAY_MS, HOUR_MS, MINUTE_MS, stopwatch } from '../shared/time';
import type { SingleRecords } from '../stores/steps';
import { CLOCK_TOLERANCE_MS } from './attempt';
import type { CaseCounts } from './cases';
import type { LostEventCounts } from './lost-events';
import { changeMaintain } from './order-records';
import type { Cursor, ReconcileCounts } from './reconcile';

/** What `orders.maintain` did. */
export type MaintainResult = SkippedMaintain | DoneMaintain;

/** Another process is at it. */
export interface SkippedMaintain {
  /** This process did nothing. */
  readonly skipped: true;
  /** Until when at most, in milliseconds since 1970, by the database's clock, if that process has died. */
  readonly until: number;
}

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

/** The record that keeps where `maintain` is, and which process is at it. */
interface MaintainRecord {
  /** Where the last `reconcile` ended; missing if it came round. */
  readonly cursor?: Cursor | undefined;
  /** The last case that was looked at; missing if all were. */
  readonly lastCase?: string | undefined;
  /** When the last run ended; before the first, when the listener looked first. By the database's clock. */
  readonly endedAt?: number | undefined;
  readonly owner?: string | undefined;
  readonly leaseUntil?: number | undefined;
}

/** How long a run may take. */
const WITHIN_MS = 10 * MINUTE_MS;

/**
 * How much of that may be over when each part ends, in their order: the ones after it have what is left. Asking the service
 * comes first, because a payer waits for it; a service that hangs must not keep the cases waiting, nor these the returns.
 */
const ENDS = { reconcile: 0.5, cases: 0.8, returns: 0.9, recurrences: 1 } as const;

/** Gives what the time of each part is measured by: how many milliseconds it has left. */
export function shareTime(withinMs: number = WITHIN_MS): (part: keyof typeof ENDS) => () => number {
  const elapsed = stopwatch();
  return (part) => () => withinMs * ENDS[part] - elapsed();
}

/** How long a process that died keeps the others away. */
const LEASE_MS = 30_000;
const RENEW_MS = 10_000;

/** Where the last run has stopped. */
export type Progress = Pick<MaintainRecord, 'cursor' | 'lastCase'>;

export async function readProgress(records: SingleRecords): Promise<Progress> {
  return (await records.readRecord<MaintainRecord>('maintain', '')).value ?? {};
}

export async function saveProgress(records: SingleRecords, progress: Progress): Promise<void> {
  await change(records, (record) => ({ ...record, ...progress }));
}

/** Runs the work while no other process does. */
export async function alone<Result>(
  records: SingleRecords,
  work: (progress: Progress) => Promise<Result>,
): Promise<Result | SkippedMaintain> {
  const owner = newToken();
  let until = 0;
  const claimed = await change(records, (record, now) => {
    const { leaseUntil = 0 } = record;
    const isTaken =
      record.owner !== undefined &&
      record.owner !== owner &&
      leaseUntil > now &&
      leaseUntil - now <= LEASE_MS + CLOCK_TOLERANCE_MS;
    until = leaseUntil;
    return isTaken ? undefined : { ...record, owner, leaseUntil: now + LEASE_MS };
  });
  if (claimed === undefined) return { skipped: true, until };
  const renew = () =>
    change(records, (record, now) => {
      return record.owner === owner ? { ...record, leaseUntil: now + LEASE_MS } : undefined;
    });
  // If it fails, another process may begin beside this one, which repeats questions and does no harm.
  const timer = setInterval(() => void renew().catch(() => undefined), RENEW_MS);
  let hasEnded = false;
  try {
    const result = await work(claimed);
    hasEnded = true;
    return result;
  } finally {
    clearInterval(timer);
    const end = ({ owner: by, leaseUntil: _, ...kept }: MaintainRecord, now: number) => {
      if (by !== owner) return undefined;
      return hasEnded ? { ...kept, endedAt: now } : kept;
    };
    await change(records, end).catch(() => undefined);
  }
}

/** A little more than a day: whoever runs it once a day is not told. */
const NOT_MAINTAINED_MS = 25 * HOUR_MS;

/**
 * Gives what is called with each answer. It looks at most once an hour whether a run has ended within 25 hours, and says so at
 * most once a day if none has. Before the first run, these count from the first look.
 */
export function watchRuns(records: SingleRecords, onNone: () => void): () => Promise<void> {
  let sinceLook: (() => number) | undefined;
  let sinceTold: (() => number) | undefined;
  return async () => {
    if (sinceLook !== undefined && sinceLook() < HOUR_MS) return;
    sinceLook = stopwatch();
    try {
      const { value, now } = await records.readRecord<MaintainRecord>('maintain', '');
      if (value?.endedAt === undefined) {
        await change(records, (record, at) =>
          record.endedAt === undefined ? { ...record, endedAt: at } : undefined,
        );
        return;
      }
      const isTold = sinceTold !== undefined && sinceTold() < DAY_MS;
      if (now - value.endedAt < NOT_MAINTAINED_MS || isTold) return;
    } catch {
      // The next look is in an hour.
      return;
    }
    sinceTold = stopwatch();
    onNone();
  };
}

function change(
  records: SingleRecords,
  next: (record: MaintainRecord, now: number) => MaintainRecord | undefined,
): Promise<MaintainRecord | undefined> {
  return changeMaintain(records, '', next);
}
