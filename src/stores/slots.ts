import { StoreError } from '../errors/store-error';
import { inTime } from '../shared/time';

/** Waits for a slot. Resolves with what gives it back. */
export type TakeSlot = (isReplay: boolean | undefined) => Promise<() => void>;

/** The slots of a store's transactions. Replays take one less, so that a notification always finds one. */
export function slotsOf(most: number, timeoutMs: number): TakeSlot {
  const slots = new Semaphore(most, timeoutMs, 'transactions were open', 'opens');
  const replays = new Semaphore(Math.max(1, most - 1), timeoutMs, 'replays were running', 'runs at a time');
  return async (isReplay = false) => {
    if (isReplay) await replays.acquire();
    try {
      await slots.acquire();
    } catch (error) {
      if (isReplay) replays.release();
      throw error;
    }
    return () => {
      if (isReplay) replays.release();
      slots.release();
    };
  };
}

/** Limits how many hold a slot at a time. The others wait in line. */
class Semaphore {
  readonly #most: number;
  readonly #timeoutMs: number;
  readonly #tooLong: string;
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  /**
   * @param were - what the message says of those that had the slots
   * @param does - what the message says that the store does with so many
   */
  constructor(most: number, timeoutMs: number, were: string, does: string) {
    this.#most = most;
    this.#timeoutMs = timeoutMs;
    this.#tooLong =
      `${most} ${were} for ${timeoutMs} ms, which is the most that the store ${does}. ` +
      "Raise the pool's max and maxTransactions, or look for callbacks that take long.";
  }

  /**
   * Waits for a slot. The caller must release it.
   *
   * @throws `StoreError` after the timeout
   */
  async acquire(): Promise<void> {
    if (this.#taken < this.#most) {
      this.#taken += 1;
      return;
    }
    let tell: () => void = () => undefined;
    const turn = new Promise<void>((resolve) => {
      tell = resolve;
      this.#waiting.add(resolve);
    });
    await inTime(turn, this.#timeoutMs, () => {
      // Its turn may have come at the same moment.
      if (this.#waiting.delete(tell)) throw new StoreError(this.#tooLong);
    });
  }

  /** Passes the slot to the next in line, or frees it. */
  release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#taken -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
