/** The longest delay of a timer, in milliseconds (about 24.8 days): it has 31 bits, and a longer one fires at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** What {@link race} resolves with instead of a result once the time is up. */
export const TIMED_OUT = Symbol('timed out');
/** What {@link race} resolves with instead of a result once the signal has fired. */
export const ABORTED = Symbol('aborted');

/**
 * Settles like the promise, or resolves with {@link TIMED_OUT} once the time is up, or with {@link ABORTED} once the
 * signal has fired. The work itself goes on; the caller decides what happens to a late result.
 *
 * @param ms - in milliseconds
 */
export function race<T>(
  promise: Promise<T>,
  ms: number,
  signal?: AbortSignal,
): Promise<T | typeof TIMED_OUT | typeof ABORTED> {
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const stop = () => {
      isOver = true;
      clearTimeout(timer);
      stopListening();
    };
    const giveUp = (why: typeof TIMED_OUT | typeof ABORTED) => {
      stop();
      resolve(why);
    };
    const stopListening = onAbort(signal, () => giveUp(ABORTED));
    // Some test doubles return plain values.
    Promise.resolve(promise).then(
      (value) => {
        stop();
        resolve(value);
      },
      (error: unknown) => {
        stop();
        reject(error);
      },
    );
    if (signal?.aborted) giveUp(ABORTED);
    // Arm the timer one microtask later, so promises that are already settled (MemoryStore) never pay for one.
    Promise.resolve().then(() => {
      if (!isOver) timer = setTimeout(giveUp, Math.max(0, ms), TIMED_OUT);
    });
  });
}

/** {@link race} in its older form: {@link TIMED_OUT} for the signal too. */
export async function within<T>(
  ms: number,
  promise: Promise<T>,
  signal?: AbortSignal,
): Promise<T | typeof TIMED_OUT> {
  const result = await race(promise, ms, signal);
  return result === ABORTED ? TIMED_OUT : result;
}

/**
 * Starts to measure, in whole milliseconds. The monotonic clock may stop while a machine is suspended, and the other one
 * can be set, so the larger of both counts.
 */
export function stopwatch(): () => number {
  const steady = performance.now();
  const wall = Date.now();
  return () => Math.ceil(Math.max(performance.now() - steady, Date.now() - wall, 0));
}

/** Resolves after the time, in milliseconds, or as soon as the signal fires. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await race(new Promise<never>(() => undefined), ms, signal);
}

/** The callbacks that wait for a signal, and the one listener that calls them. */
interface Subscription {
  readonly callbacks: Set<() => void>;
  readonly listener: () => void;
}

const subscriptions = new WeakMap<AbortSignal, Subscription>();

/**
 * Calls back when the signal fires, until the returned function is called.
 *
 * All calls that share a signal share one listener: at the eleventh, Node warns of a leak. Nothing stays attached to a
 * signal that outlives its calls, which `AbortSignal.any` does not promise.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal === undefined) return () => undefined;
  const { callbacks, listener } = subscriptionTo(signal);
  signal.addEventListener('abort', listener);
  callbacks.add(callback);
  return () => {
    callbacks.delete(callback);
    try {
      if (callbacks.size === 0) signal.removeEventListener('abort', listener);
    } catch {
      // A test double of a signal may throw here. The listener that stays does nothing, so the call's result counts.
    }
  };
}

function subscriptionTo(signal: AbortSignal): Subscription {
  const known = subscriptions.get(signal);
  if (known !== undefined) return known;
  const callbacks = new Set<() => void>();
  const subscription = {
    callbacks,
    listener: () => {
      for (const callback of [...callbacks]) callback();
    },
  };
  subscriptions.set(signal, subscription);
  return subscription;
}
