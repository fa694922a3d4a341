/** What a promise that takes too long is rejected with. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/**
 * The promise, or a rejection with `DeadlineExceeded` when it takes longer, which `onTimeout` gets first. The work itself
 * goes on; what it still gives or throws is nobody's.
 */
export function within<T>(
  ms: number,
  promise: Promise<T>,
  onTimeout?: (error: DeadlineExceeded) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    promise.then(
      (value) => {
        cancel();
        resolve(value);
      },
      (error: unknown) => {
        cancel();
        reject(error);
      },
    );
    // A microtask after what is settled already has said so, as what comes from a store in memory is.
    const cancel = startTimer(ms, expire, inMicrotask);
    function expire() {
      const error = new DeadlineExceeded(`took longer than ${ms} ms`);
      onTimeout?.(error);
      reject(error);
    }
  });
}

/**
 * Calls back after some time, unless it is cancelled, by the function that it gives. To set a timer takes longer than
 * most of what the handler does, so it is set a little later, and not at all for what is over by then.
 */
export function startTimer(ms: number, action: () => void, later: (set: () => void) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let cancelled = false;
  later(() => {
    if (!cancelled) timer = setTimeout(action, ms);
  });
  return () => {
    cancelled = true;
    clearTimeout(timer);
  };
}

const settled = Promise.resolve();

/** `queueMicrotask` takes ten times as long on Node. */
function inMicrotask(action: () => void): void {
  settled.then(action);
}

/** After what has arrived already has been read. Workers have no `setImmediate`, and do without the delay. */
export function atEndOfTurn(action: () => void): void {
  if (typeof setImmediate === 'function') setImmediate(action);
  else action();
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
