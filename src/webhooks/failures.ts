import { inTime } from '../shared/time';
import type { Task } from './cause';
import type { Listener } from './listener';
import type { CaseDetails } from './order-link';
import type { Failure } from './outcome';

// The failures that more than one step comes to, and what a case of one tells.

export const BUSY: Failure = { code: 'busy', status: 503 };
export const TOO_MANY_STATES: Failure = { code: 'too_many_states', status: 200 };

/** The store failed before anything was begun: the next delivery tries again. */
export function storeFailed(error: unknown): Failure {
  return { code: 'store_failed', status: 503, error };
}

/** With what its case tells of its order and its money. Never rejects. */
export async function withDetailsOf(
  task: Task,
  failure: Failure,
  { orders, store, storeTimeoutMs }: Listener,
): Promise<Failure> {
  if (orders === undefined) return failure;
  try {
    return withDetails(failure, await inTime(orders.about(store, task), storeTimeoutMs));
  } catch (error) {
    // What would be acknowledged must come again: its case would never be found by its order.
    return failure.status === 200 ? storeFailed(error) : failure;
  }
}

/** With what its case tells, which is known already. */
export function withDetails(failure: Failure, about: CaseDetails | undefined): Failure {
  return { ...failure, toKeep: { ...failure.toKeep, about } };
}
