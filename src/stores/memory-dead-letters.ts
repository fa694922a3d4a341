import { StoreError } from '../errors';
import { ownOptions } from '../shared/objects';
import { checkCount, checkDuration, checkFunction } from '../values/option-checks';
import {
  checkDeadLetterQuery,
  type DeadLetter,
  type DeadLetterQuery,
  type DeadLetters,
  MONTH_MS,
  type NewDeadLetter,
} from './dead-letters';

/** The limits and the clock of {@link MemoryDeadLetters}. */
export interface MemoryDeadLettersOptions {
  /** How long an entry is kept after its last failure, in milliseconds. Default: 30 days. */
  readonly retentionMs?: number | undefined;
  /** How many entries are kept at most; then `keep` rejects. Each takes as much memory as its body. Default: 1000. */
  readonly maxEntries?: number | undefined;
  /** The clock, in milliseconds since 1970, for tests. Default: `Date.now`. */
  readonly clock?: (() => number) | undefined;
}

/** Dead letters in this process's memory, for tests: a restart forgets them. */
export class MemoryDeadLetters implements DeadLetters {
  readonly retentionMs: number;
  readonly #maxEntries: number;
  readonly #clock: () => number;
  /** In the order of the last failures, because a `Map` keeps the order in which its keys were added. */
  readonly #entries = new Map<string, DeadLetter>();

  /** @throws `ConfigurationError` for an option that cannot work */
  constructor(options: MemoryDeadLettersOptions = {}) {
    const { retentionMs, maxEntries, clock } = ownOptions(options);
    this.retentionMs = checkDuration('retentionMs', retentionMs ?? MONTH_MS);
    this.#maxEntries = checkCount('maxEntries', maxEntries ?? 1000);
    this.#clock = clock ?? Date.now;
    checkFunction('clock', this.#clock, '() => number');
  }

  async keep(entry: NewDeadLetter): Promise<void> {
    await this.deleteExpired();
    const before = this.#entries.get(entry.key);
    if (before === undefined && this.#entries.size >= this.#maxEntries) {
      throw new StoreError(
        `${this.#maxEntries} dead letters are kept in memory, which is all it may take. Replay them, or raise maxEntries.`,
      );
    }
    const now = Math.floor(this.#clock());
    const { firstFailedAt, attempts } = before ?? { firstFailedAt: now, attempts: 0 };
    this.#entries.delete(entry.key);
    this.#entries.set(entry.key, { ...entry, firstFailedAt, lastFailedAt: now, attempts: attempts + 1 });
  }

  async list(query: DeadLetterQuery = {}): Promise<DeadLetter[]> {
    const { since, limit, kind } = checkDeadLetterQuery(query);
    await this.deleteExpired();
    return [...this.#entries.values()]
      .filter((entry) => entry.lastFailedAt >= since && (kind === undefined || entry.kind === kind))
      .slice(0, limit);
  }

  async forget(key: string): Promise<void> {
    this.#entries.delete(key);
  }

  async deleteExpired(): Promise<number> {
    const before = this.#entries.size;
    const limit = this.#clock() - this.retentionMs;
    for (const { key, lastFailedAt } of this.#entries.values()) {
      if (lastFailedAt <= limit) this.#entries.delete(key);
    }
    return before - this.#entries.size;
  }
}
