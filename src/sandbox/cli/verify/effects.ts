import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliFailure } from '../failure';

const POLL_MS = 25;
/** The count is taken once it has been the same for so long: some listeners act after they have answered. */
const STEADY_MS = 100;
const TIMEOUT_MS = 10_000;

/** Counts what the listener has done, by a URL of the merchant's. No credentials are sent there. */
export class Effects {
  readonly #url: URL;
  readonly #waitMs: number;

  constructor(url: URL, waitMs: number) {
    this.#url = url;
    this.#waitMs = waitMs;
  }

  /** How many actions more than `before`: waits for the first, and for the count to hold still. */
  async since(before: number): Promise<number> {
    const deadline = performance.now() + this.#waitMs;
    let latest = before;
    let since = performance.now();
    for (;;) {
      const count = await this.count();
      const now = performance.now();
      if (count !== latest) {
        latest = count;
        since = now;
      }
      const isSteady = now - since >= STEADY_MS;
      if (now >= deadline ? isSteady || now >= deadline + this.#waitMs : latest !== before && isSteady) {
        return latest - before;
      }
      await sleep(POLL_MS);
    }
  }

  /** The number of actions so far. */
  async count(): Promise<number> {
    const total = sum(await this.#read());
    if (total === undefined) {
      throw new CliFailure(
        1,
        'Expected `--effects` to answer 200 with the number of actions taken so far: a JSON number, or an object of ' +
          'numbers, which are added up.',
      );
    }
    return total;
  }

  async #read(): Promise<unknown> {
    try {
      const answer = await fetch(this.#url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
      return answer.ok ? await answer.json() : undefined;
    } catch {
      // Not reached, or not JSON; the message would quote the URL.
      return undefined;
    }
  }
}

function sum(value: unknown): number | undefined {
  const numbers = typeof value === 'object' && value !== null ? Object.values(value) : [value];
  const isCount = numbers.every((number) => typeof number === 'number' && Number.isFinite(number));
  return isCount ? numbers.reduce((total, number) => total + number, 0) : undefined;
}
