import { setTimeout as sleep } from 'node:timers/promises';
import type { Runtime } from '../library';
import type { Delivery, Timer } from './types';

/** The source of a turn’s timers and clocks: the world that is being explored. */
export interface Clockwork {
  readonly now: number;
  readonly timers: Set<Timer>;
}

/**
 * The only place where the library’s code runs: for one delivery at a time, until it can do nothing but wait for the
 * world. A call of a timer or a clock outside of a turn is a mistake of the explorer, and throws.
 */
export class Seat {
  #turn: { readonly world: Clockwork; readonly delivery: Delivery } | undefined;
  readonly #immediates: (() => void)[] = [];

  /** The delivery whose code is running. */
  get delivery(): Delivery {
    return this.#current().delivery;
  }

  /**
   * Runs `action` and everything that follows from it at once.
   *
   * @param patienceMs - how long to wait for its promise, which only a real server needs
   */
  async turn(world: Clockwork, delivery: Delivery, action: () => unknown, patienceMs = 0): Promise<void> {
    this.#turn = { world, delivery };
    const acting = action();
    if (patienceMs > 0) await Promise.race([acting, sleep(patienceMs, undefined, { ref: false })]);
    do {
      for (const immediate of this.#immediates.splice(0)) immediate();
      // Before the next tick, Node runs all microtasks, and those that they add.
      await new Promise<void>((resolve) => process.nextTick(resolve));
    } while (this.#immediates.length > 0);
    this.#turn = undefined;
  }

  /** Runs a synchronous action, on the clock of that delivery’s process. */
  outsideOfTurns<Value>(world: Clockwork, delivery: Delivery, action: () => Value): Value {
    this.#turn = { world, delivery };
    try {
      return action();
    } finally {
      this.#turn = undefined;
    }
  }

  readonly runtime: Runtime = {
    setTimeout: (action, ms = 0) => {
      const { world, delivery } = this.#current();
      const timer: Timer = { delivery, due: world.now + ms, action };
      world.timers.add(timer);
      return timer;
    },
    clearTimeout: (timer) => {
      if (timer !== undefined) this.#current().world.timers.delete(timer as Timer);
    },
    setImmediate: (action) => this.#immediates.push(action),
    performance: { now: () => this.#current().world.now - STARTED },
    Date: this.#dateClass(),
  };

  #current() {
    if (this.#turn === undefined) throw new Error('The library ran outside of its turn.');
    return this.#turn;
  }

  #dateClass(): DateConstructor {
    const wallClock = () => {
      const { world, delivery } = this.#current();
      return world.now + delivery.process.wallClockOffset;
    };
    return class extends Date {
      static override now = wallClock;
    } as DateConstructor;
  }
}

/** The time at which a world begins, in milliseconds since 1970: 21 November 2026. */
export const STARTED = Date.UTC(2026, 10, 21);
