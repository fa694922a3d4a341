import { createHash } from 'node:crypto';

/**
 * Time that passes only when nothing else can happen. Imported before the library, it takes the place of the timers and
 * clocks of this process, so that months pass in seconds, and the same seed always gives the same run.
 */
interface Timer {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

const turn = globalThis.setImmediate;
const START = Date.UTC(2027, 0, 1);
/** The next one is the last. */
let timers: Timer[] = [];
let order = 0;
let now = 0;
/** How far the wall clock of the merchant's machine is off. */
let wallOffset = 0;

export const time = {
  /** Milliseconds since the run began. */
  get now() {
    return now;
  },
  /** Milliseconds since 1970, by a clock that is right. */
  get date() {
    return START + now;
  },
  reset() {
    timers = [];
    order = 0;
    now = 0;
    wallOffset = 0;
  },
  stepWallClock(ms: number) {
    wallOffset += ms;
  },
  /** Runs everything that is due until then, each once all that it set off has come to rest. */
  async runUntil(end: number): Promise<void> {
    for (;;) {
      for (let quiet = 0; quiet < 4; quiet += 1) await new Promise((resolve) => turn(resolve));
      const next = timers.at(-1);
      if (next === undefined || next.at > end) break;
      timers.pop();
      now = Math.max(now, next.at);
      next.callback();
    }
    now = end;
  },
};

export function after(ms: number, callback: () => void): Timer {
  order += 1;
  const timer = { at: now + Math.max(0, ms), order, callback };
  // Of two that are due at the same time, the one that was set first comes first.
  let low = 0;
  for (let high = timers.length; low < high; ) {
    const middle = (low + high) >>> 1;
    if ((timers[middle] as Timer).at > timer.at) low = middle + 1;
    else high = middle;
  }
  timers.splice(low, 0, timer);
  return timer;
}

export const pause = (ms: number) => new Promise<void>((resolve) => after(ms, resolve));

Object.assign(globalThis, {
  setTimeout: (callback: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
    Object.assign(
      after(ms, () => callback(...args)),
      { unref() {}, ref() {} },
    ),
  clearTimeout: (timer: Timer | undefined) => {
    const index = timer === undefined ? -1 : timers.indexOf(timer);
    if (index >= 0) timers.splice(index, 1);
  },
});
Date.now = () => START + now + wallOffset;
performance.now = () => now;
// The platform's own hashes on a thread, whose time nobody controls.
globalThis.crypto.subtle.digest = async (_algorithm, data) =>
  new Uint8Array(
    createHash('sha256')
      .update(data as Uint8Array)
      .digest(),
  ).buffer;
