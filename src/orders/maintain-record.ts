import { newToken } from '../shared/bytes';
import { DAY_MS, HOUR_MS, stopwatch } from '../shared/time';
import type { SingleRecords, Store, StoreSteps } from '../stores/steps';
import type { TransactionSource } from '../values/confirm-payment';
import type { ListenerParts } from '../webhooks/handler';
import { CLOCK_TOLERANCE_MS } from './attempt';
import { changeMaintain } from './order-records';

// What the parts of `maintain` work with, and what the processes that run it tell each other: which one is at it, how far it
// came, and when one ended last.

/** What the parts of `maintain` work with. */
export interface MaintainContext {
  readonly client: TransactionSource;
  readonly store: Pick<Store, 'deleteExpired'>;
  readonly records: StoreSteps;
  /** The listener that acts on what they find. */
  readonly parts: ListenerParts;
  /** Whether lost events of recurrences are searched: `true` from the start, `false` never, else once an event has come. */
  readonly recurrences: boolean | undefined;
  /** The service does not have a call of its public pages. */
  readonly onNoCall: (error: unknown) => void;
}

/** Another process is at it. */
export interface SkippedMaintain {
  /** This process did nothing. */
  readonly skipped: true;
  /** Until when at most, in milliseconds since 1970, by the database's clock, if that process has died. */
  readonly until: number;
}

/** Where a reconciliation is: the last order that is behind it. */
export interface Cursor {
  readonly key: string;
  /** Where in the order of the list that is. */
  readonly place: string;
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
      record.owner !== owner && leaseUntil > now && leaseUntil - now <= LEASE_MS + CLOCK_TOLERANCE_MS;
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
