import type { IdempotencyStore } from 'pix-automatic-sdk/webhooks';
import { recordToText } from '../../../src/stores/record';
import { lease, retain } from '../../../test/stores/limits';

/** What is measured of each store. */
export interface StoreFigures {
  /** Round trips per notification; `undefined` for a store without a server. */
  readonly roundTrips?: number;
  /** Notifications per second, one number per round. */
  readonly store: readonly number[];
  readonly bare: readonly number[];
}

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
