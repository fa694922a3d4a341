import type { RecordStore } from '../../src/stores';

/** Records in a `Map`, for tests that look at what was written. */
export class MemoryRecords implements RecordStore {
  readonly #rows = new Map<string, { record: string; version: number }>();
  /** Every write, in order. */
  readonly written: { readonly key: string; readonly record: string }[] = [];

  async read(key: string) {
    const { record, version = 0 } = this.#rows.get(key) ?? {};
    return { record, version, now: Date.now() };
  }

  async write(key: string, change: Parameters<RecordStore['write']>[1]) {
    const { version = 0 } = this.#rows.get(key) ?? {};
    if (version !== change.version || Date.now() >= change.before) return false;
    const { record } = change;
    this.#rows.set(key, { record, version: change.next });
    this.written.push({ key, record });
    return true;
  }

  async list(prefix: string, { after = '', limit }: { after?: string | undefined; limit: number }) {
    const keys = [...this.#rows.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
    return keys.slice(0, limit).map((key) => ({ key, record: this.#rows.get(key)?.record ?? '' }));
  }
}
