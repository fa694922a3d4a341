import { StoreError } from '../../errors';

/** Limits how many transactions are open at a time. The others wait in line. */
export class Slots {
  readonly #most: number;
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Waits for a slot. The caller must give it back.
   *
   * @throws `StoreError` after `timeoutMs`
   */
  async take(timeoutMs: number): Promise<void> {
    if (this.#taken < this.#most) {
      this.#taken += 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const next = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(next);
        reject(
          new StoreError(
            `${this.#most} transactions were open for ${timeoutMs} ms, which is the most that the store opens. ` +
              "Raise the pool's max, or maxTransactions, or look for callbacks that take long.",
          ),
        );
      }, timeoutMs);
      this.#waiting.add(next);
    });
  }

  /** Passes the slot to the next in line, or frees it. */
  give(): void {
    for (const next of this.#waiting) {
      this.#waiting.delete(next);
      next();
      return;
    }
    this.#taken -= 1;
  }
}
