import type { IdempotencyStore } from 'pix-automatic-sdk/webhooks';
import { recordToText } from '../../../src/stores/record';
import { lease, retain } from '../../../test/stores/limits';
import { median } from '../../lib/statistics';

/** What is measured of each store. */
export interface StoreFigures {
  /** Round trips per notification; `undefined` for a store without a server. */
  readonly roundTrips?: number;
  /** Notifications per second, one number per round. */
  readonly store: readonly number[];
  readonly bare: readonly number[];
}

/** Throughput and size as the number of keys grows. */
export interface Growth {
  readonly levels: readonly { readonly keys: number; readonly perSecond: number }[];
  readonly bytesAKey: number;
  /** Where the bytes go, in words. */
  readonly sizes: string;
}

const LEVELS = [1_000, 100_000, 1_000_000];
const LEASE_MS = 40_000;
export const RETENTION_MS = 30 * 86_400_000;
const IN_FLIGHT = 32;

/** Handles the subject of a notification: claims and completes it. */
export type Handle = (subject: string) => Promise<void>;

let lastSubject = 0;

/** As long as a real subject. */
export function newSubject(): string {
  lastSubject += 1;
  return `payment:${crypto.randomUUID().slice(0, 24)}${String(lastSubject).padStart(12, '0')}`;
}

export function handleWith(store: IdempotencyStore): Handle {
  return async (subject) => {
    const claim = await store.claim(subject, 'PAID', lease(LEASE_MS));
    if (claim.status !== 'claimed' || !(await store.complete(claim, retain(RETENTION_MS))))
      throw new Error('A new subject could not be claimed and completed.');
  };
}

/** What the store writes for a new subject, for the bare driver to write as well. */
export function bareRecord() {
  const now = Date.now();
  const token = crypto.randomUUID();
  const lease = { token, until: now + LEASE_MS, ms: LEASE_MS };
  const until = now + RETENTION_MS;
  return {
    claimed: recordToText({ lease, done: [] }),
    completed: recordToText({ done: [{ state: 'PAID', token, until }] }),
    version: now,
    expiresAt: until,
    before: Number.MAX_SAFE_INTEGER,
  };
}

/** Returns notifications per second. */
export async function throughput(handle: Handle, count: number): Promise<number> {
  let begun = 0;
  const worker = async () => {
    while (begun < count) {
      begun += 1;
      await handle(newSubject());
    }
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  return count / ((performance.now() - start) / 1000);
}

/** Fills the store to each level in turn, and measures the throughput there. */
export async function grow(
  load: (from: number, to: number) => unknown,
  handle: Handle,
  count: number,
): Promise<Growth['levels']> {
  const levels: { keys: number; perSecond: number }[] = [];
  let loaded = 0;
  for (const keys of LEVELS) {
    await load(loaded, keys);
    loaded = keys;
    const rounds: number[] = [];
    for (let round = 0; round < 3; round += 1) rounds.push(await throughput(handle, count));
    levels.push({ keys, perSecond: median(rounds) });
  }
  return levels;
}
