import { TIMED_OUT, within } from '../../shared/time';

/** The error for a promise that takes too long. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/**
 * Settles as the promise does, or, after `ms` milliseconds, calls `onTimeout` with a `DeadlineExceeded` and rejects
 * with it. The work itself goes on; its late result is discarded.
 */
export async function inTime<T>(
  ms: number,
  promise: Promise<T>,
  onTimeout?: (error: DeadlineExceeded) => void,
): Promise<T> {
  const value = await within(ms, promise);
  if (value !== TIMED_OUT) return value;
  const error = new DeadlineExceeded(`took longer than ${ms} ms`);
  onTimeout?.(error);
  throw error;
}
