import assert from 'node:assert/strict';

const MAX_ENTRIES = 20_000;

/** Remembers pairs over a whole run. It is bounded, because the run’s memory is measured. */
export class BoundedMap {
  readonly #entries = new Map<string, string>();

  get size(): number {
    return this.#entries.size;
  }

  /** Asserts that the key has the same value as before, if it is remembered. */
  expect(key: string, value: string, message: string): void {
    const known = this.#entries.get(key);
    if (known !== undefined) assert.equal(value, known, `${message}: ${key}`);
    else if (this.#entries.size < MAX_ENTRIES) this.#entries.set(key, value);
  }
}
