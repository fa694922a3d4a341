import { TIMED_OUT, within } from '../../shared/time';

/** What a promise that takes too long is rejected with. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/**
 * The promise's result, or a rejection with `DeadlineExceeded` when it takes longer, which `onTimeout` gets first. The
 * work itself goes on; its late result is discarded.
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
 * Calls back after some time, unless the function that it returns is called first. The timer is armed at the end of the
 * turn of the event loop, so a body that has already arrived never pays for one. Workers have no `setImmediate`, and
 * arm it right away.
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
