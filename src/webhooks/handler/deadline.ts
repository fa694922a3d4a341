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

/**
 * Calls `action` after `ms` milliseconds, unless the returned function is called first. The timer is armed at the end
 * of this turn of the event loop, so a body that has already arrived never pays for one. Where there is no
 * `setImmediate`, as in Workers, it is armed right away.
 */
export function startTimer(ms: number, action: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isCancelled = false;
  const arm = () => {
    if (!isCancelled) timer = setTimeout(action, ms);
  };
  if (typeof setImmediate === 'function') setImmediate(arm);
  else arm();
  return () => {
    isCancelled = true;
    clearTimeout(timer);
  };
}
