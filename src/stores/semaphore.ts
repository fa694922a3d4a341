import { StoreError } from '../errors';

/** Limits how many transactions are open at a time. The others wait in line. */
export class Semaphore {
  readonly #most: number;
  readonly #timeoutMs: number;
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(most: number, timeoutMs: number) {
    this.#most = most;
    this.#timeoutMs = timeoutMs;
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
    await new Promise<void>((resolve, reject) => {
      const next = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(next);
        reject(
          new StoreError(
            `${this.#most} transactions were open for ${this.#timeoutMs} ms, which is the most that the store opens. ` +
              "Raise the pool's max and maxTransactions, or look for callbacks that take long.",
          ),
        );
      }, this.#timeoutMs);
      this.#waiting.add(next);
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
