import type { Timers } from './delivery-log';

/** The time of this machine. */
export const realTimers: Timers = {
  now: () => Date.now(),
  set: (callback, ms) => setTimeout(callback, ms),
  clear: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};
