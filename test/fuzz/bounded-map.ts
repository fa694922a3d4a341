import assert from 'node:assert/strict';

const MAX_ENTRIES = 20_000;

/** What goes with what, over a whole run. It is bounded, because the run's memory is measured. */
export class BoundedMap {
  readonly #entries = new Map<string, string>();

  get size(): number {
    return this.#entries.size;
  }

  /** A key has the value that it had before, if it was there before. */
  expect(key: string, value: string, message: string): void {
    const known = this.#entries.get(key);
    if (known !== undefined) assert.equal(value, known, `${message}: ${key}`);
    else if (this.#entries.size < MAX_ENTRIES) this.#entries.set(key, value);
  }
}
