import { ConfigurationError } from '../errors';
import type { Timers } from '../sandbox/delivery/delivery-log';

/** A clock that stands still until it is advanced. Make one with {@link fakeClock}. */
export interface FakeClock extends Timers {
  /** Milliseconds since 1970. Can be passed on by itself: `new MemoryStore({ clock: clock.now })`. */
  now(): number;
  /**
   * Advances by that many milliseconds. Everything that falls due on the way happens in order and at its time, what
   * falls due at one time side by side; the promise resolves once all of it has finished, and so has everything that
   * was already under way. `advance(0)` does the same for what is due now.
   *
   * @throws `ConfigurationError` for a time that is not milliseconds, 0 or more
   */
  advance(ms: number): Promise<void>;
  /** Adds something that the clock must wait for before it advances. */
  join(settled: () => Promise<void>): void;
}

/** 15 January 2027, noon in Brazil. */
const DEFAULT_START = Date.UTC(2027, 0, 15, 15);

/**
 * A clock for `mockService`, so that a test of the service's retries takes no time.
 *
 * @param start - milliseconds since 1970; the same fixed date each time by default
 *
 * @example
 * const clock = fakeClock();
 * const service = mockService({ http, clock, deliverTo: handler });
 * service.pay(uuid);
 * await clock.advance(0); // the first attempt has been answered
 * await clock.advance(60_000); // and so has the first retry
 */
export function fakeClock(start: number = DEFAULT_START): FakeClock {
  const timers = new Set<Timer>();
  const participants: (() => Promise<void>)[] = [];
  let time = start;
  let lastAdvance = Promise.resolve();

  const settle = () => Promise.all(participants.map((settled) => settled()));

  const goOnTo = async (end: number) => {
    await settle();
    for (let due = earliest(timers, end); due.length > 0; due = earliest(timers, end)) {
      for (const timer of due) {
        // One before it may have cleared it.
        if (!timers.delete(timer)) continue;
        time = timer.at;
        timer.callback();
      }
      await settle();
    }
    time = end;
  };

  return {
    now: () => time,
    set(callback, ms) {
      const timer = { callback, at: time + ms };
      timers.add(timer);
      return timer;
    },
    clear: (timer) => timers.delete(timer as Timer),
    join: (settled) => participants.push(settled),
    async advance(ms) {
      if (!(ms >= 0 && ms < Number.POSITIVE_INFINITY)) {
        throw new ConfigurationError('Expected the clock to advance by milliseconds, 0 or more.');
      }
      // One after the other, so that two calls at the same time advance by the sum of both.
      lastAdvance = lastAdvance.then(() => goOnTo(time + ms));
      await lastAdvance;
    },
  };
}

interface Timer {
  readonly callback: () => void;
  readonly at: number;
}

/** The timers that fall due first, all at one time, in the order in which they were set. */
function earliest(timers: ReadonlySet<Timer>, end: number): Timer[] {
  const first = Math.min(...[...timers].map(({ at }) => at));
  return first <= end ? [...timers].filter(({ at }) => at === first) : [];
}
