/** The longest delay of a timer, in milliseconds (about 24.8 days): it has 31 bits, and a longer one fires at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The error for something that takes too long. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/**
 * Settles like the promise. Once the time is up, it settles like `tooLate`, which throws {@link DeadlineExceeded} by
 * default. The work itself goes on: its late result is discarded, unless the caller does something about it.
 *
 * @param ms - in milliseconds
 */
export function inTime<T, Late = never>(
  promise: Promise<T>,
  ms: number,
  tooLate: () => Late = () => {
    throw new DeadlineExceeded(`took longer than ${ms} ms`);
  },
): Promise<T | Late> {
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isSettled = false;
    const stop = () => {
      isSettled = true;
      clearTimeout(timer);
    };
    const giveUp = () => {
      try {
        resolve(tooLate());
      } catch (error) {
        reject(error);
      }
    };
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
    // Arm the timer one microtask later, so promises that are already settled (MemoryStore) never pay for one.
    Promise.resolve().then(() => {
      if (!isSettled) timer = setTimeout(giveUp, Math.max(0, ms));
    });
  });
}

/** What {@link inTimeOrAborted} resolves with instead of a result once the signal has fired. */
export const ABORTED = Symbol('aborted');

/** Settles like {@link inTime}, or resolves with {@link ABORTED} once the signal has fired. */
export async function inTimeOrAborted<T, Late>(
  promise: Promise<T>,
  ms: number,
  tooLate: () => Late,
  signal: AbortSignal | undefined,
): Promise<T | Late | typeof ABORTED> {
  if (signal === undefined) return inTime(promise, ms, tooLate);
  let stopListening: () => void = () => undefined;
  const aborted = new Promise<typeof ABORTED>((resolve) => {
    stopListening = onAbort(signal, () => resolve(ABORTED));
    if (signal.aborted) resolve(ABORTED);
  });
  try {
    return await inTime(Promise.race([aborted, promise]), ms, tooLate);
  } finally {
    stopListening();
  }
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

/** Resolves after the time, in milliseconds. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** The same, or as soon as the signal fires. */
export async function sleepOrAborted(ms: number, signal: AbortSignal): Promise<void> {
  await inTimeOrAborted(new Promise<never>(() => undefined), ms, () => undefined, signal);
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

/** Whether a text is a day that exists, `yyyy-MM-dd`. */
export function isCalendarDate(value: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(value) ?? [];
  if (year === undefined || month === undefined || day === undefined) return false;
  // There is no year 0 in the calendar.
  if (year === '0000') return false;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  // The 30th of February would have become a day of March.
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}
