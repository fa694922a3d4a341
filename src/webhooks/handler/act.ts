import { sleep } from '../../shared/time';
import type { Claim, ClaimResult } from '../../stores/idempotency-store';
import { actInTransaction } from './act-in-transaction';
import { inTime } from './deadline';
import type { ResolvedHandlerOptions } from './resolve-options';
import { BUSY, callbackFailure, DONE, type Ending, startCallback, type Task } from './task';

/** Runs the callback once, as far as the store can ensure that. */
export function act(task: Task, options: ResolvedHandlerOptions): Promise<Ending> {
  const { store } = options;
  if (store.transact === undefined) return actUnderLease(task, options);
  return actInTransaction(task, store.transact.bind(store), options);
}

async function actUnderLease(task: Task, options: ResolvedHandlerOptions): Promise<Ending> {
  const { store, leaseMs, storeTimeoutMs } = options;
  const leaseEnd = performance.now() + leaseMs;
  let claiming: Promise<ClaimResult> | undefined;
  let claim: ClaimResult;
  try {
    claiming = store.claim(task.identity.subject, task.identity.state, leaseMs);
    claim = await inTime(storeTimeoutMs, claiming);
  } catch (error) {
    if (claiming !== undefined) void releaseWhenLate(claiming, options);
    return storeFailed(error);
  }
  if (claim.status === 'done') return DONE;
  if (claim.status === 'busy') return BUSY;
  try {
    await startCallback(task, claim, undefined, options).inTime;
  } catch (error) {
    const failure = callbackFailure(error);
    // After a timeout the callback may still be running, so its lease is left to run out.
    if (failure.code === 'callback_failed') await release(claim, options);
    return failure;
  }
  // The callback's success must be recorded, so keep trying while the lease lasts.
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    try {
      const recorded = await inTime(storeTimeoutMs, store.complete(claim, task.retentionMs));
      return recorded ? DONE : { code: 'lease_lost', status: 503 };
    } catch (error) {
      if (performance.now() + pauseMs >= leaseEnd) return storeFailed(error);
    }
    await sleep(pauseMs);
  }
}

/** Releases a claim that the store answers late. Otherwise its lease would turn away the next delivery. */
async function releaseWhenLate(
  claiming: Promise<ClaimResult>,
  options: ResolvedHandlerOptions,
): Promise<void> {
  try {
    const late = await claiming;
    if (late.status === 'claimed') await release(late, options);
  } catch {
    // The claim failed: there is nothing to release.
  }
}

/** Frees the subject for the next attempt. If that fails, the lease runs out before the next attempt. */
async function release(claim: Claim, { store, storeTimeoutMs }: ResolvedHandlerOptions): Promise<void> {
  try {
    await inTime(storeTimeoutMs, store.release(claim));
  } catch {
    // The report is about the failure that led to the release.
  }
}

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;

function storeFailed(error: unknown): Ending {
  return { code: 'store_failed', status: 503, error };
}
