import { newToken } from '../shared/bytes';
import type { SingleRecords } from '../stores/steps';
import { CLOCK_TOLERANCE_MS } from './attempt';
import type { CaseCounts } from './cases';
import { KEPT_MS } from './order-records';
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
  /** How many cases were tried again, by what became of them; missing if that failed. */
  readonly replayed?: CaseCounts | undefined;
  /** How many expired records were deleted; missing if that failed. */
  readonly deleted?: number | undefined;
  /** What `reconcile` found; missing if it failed. */
  readonly reconciled?: ReconcileCounts | undefined;
  /** How many returns were run whose own notification has not come; missing if that failed. */
  readonly returned?: number | undefined;
  /** What the parts that failed have thrown, in their order. Each was reported, too. */
  readonly errors: readonly unknown[];
}

/** The record that keeps where `reconcile` is, and which process is at it. */
interface MaintainRecord {
  readonly cursor?: Cursor | undefined;
  readonly owner?: string | undefined;
  readonly leaseUntil?: number | undefined;
}

/** How long a process that died keeps the others away. */
const LEASE_MS = 30_000;
const RENEW_MS = 10_000;

/** Where the last `reconcile` ended. */
export async function readCursor(records: SingleRecords): Promise<Cursor | undefined> {
  const { value } = await records.readRecord<MaintainRecord>('maintain', '');
  return value?.cursor;
}

export async function saveCursor(records: SingleRecords, cursor: Cursor | undefined): Promise<void> {
  await change(records, (record) => ({ ...record, cursor }));
}

/** Runs the work while no other process does. */
export async function alone<Result>(
  records: SingleRecords,
  work: () => Promise<Result>,
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
  try {
    return await work();
  } finally {
    clearInterval(timer);
    const end = ({ owner: by, cursor }: MaintainRecord) => (by === owner ? { cursor } : undefined);
    await change(records, end).catch(() => undefined);
  }
}

/** Changes the record. Resolves with `undefined` if there is nothing to change. */
function change(
  records: SingleRecords,
  next: (record: MaintainRecord, now: number) => MaintainRecord | undefined,
): Promise<MaintainRecord | undefined> {
  return records.changeRecord<MaintainRecord>('maintain', '', ({ value: before = {}, now }) => {
    const value = next(before, now);
    return value && { value, until: now + KEPT_MS };
  });
}
