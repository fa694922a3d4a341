import { ConfigurationError, StoreError } from '../errors';
import { ownOptions } from '../shared/objects';
import { checkCount, checkDuration, checkFunction } from '../values/option-checks';

/** A notification that the handler could not act on, kept so that it is not lost after the sixth delivery. */
export interface DeadLetter {
  /** `notification.key`. A notification that fails again replaces the entry under its key. */
  readonly key: string;
  /** Kind and identity, as the store was asked to claim them. */
  readonly subject: string;
  /** What the notification reports about the subject. */
  readonly state: string;
  /** `notification.kind` at the last failure. */
  readonly kind: string;
  /** The JSON text as it was received. **It holds personal data**: names, e-mail addresses, bank accounts. */
  readonly body: string;
  /** The URL it was sent to. Of the query, only the flags of the documented kinds are kept. */
  readonly url: string;
  /** When it failed for the first time, in milliseconds since 1970. */
  readonly firstFailedAt: number;
  /** When it failed last, in milliseconds since 1970. */
  readonly lastFailedAt: number;
  /** How many times it was kept. */
  readonly attempts: number;
  /** Why it was kept: the `code` of the report, such as `callback_failed`. */
  readonly code: string;
  /** The `name` of what was thrown, if anything was; never the message, which can quote anything. */
  readonly errorName?: string | undefined;
}

/** What {@link DeadLetters.keep} is given. Times and attempts are added by the implementation. */
export type NewDeadLetter = Omit<DeadLetter, 'firstFailedAt' | 'lastFailedAt' | 'attempts'>;

/** Which dead letters to list. */
export interface DeadLetterQuery {
  /** Only those that last failed at this time or later; a number is milliseconds since 1970. Default: all. */
  readonly since?: Date | number | undefined;
  /** How many at most, least recently failed first. Default: 100. */
  readonly limit?: number | undefined;
  /** Only those of this kind. Default: all. */
  readonly kind?: string | undefined;
}

/**
 * Keeps what the handler could not act on, until `handler.replay` or a later delivery succeeds.
 *
 * **Dead letters hold personal data** for as long as they are kept: protect them as you protect your own records of
 * payers, and include them when you delete such data.
 */
export interface DeadLetters {
  /**
   * How long an entry is kept after its last failure, in milliseconds. What is done is remembered for at least as long,
   * so that a replay never repeats it. Default: 30 days.
   */
  readonly retentionMs?: number | undefined;

  /** Keeps an entry. One with the same key is replaced: its first failure stays, and its attempts grow by one. */
  keep(entry: NewDeadLetter): Promise<void>;

  /** Lists the entries that have not expired, least recently failed first. */
  list(query?: DeadLetterQuery): Promise<DeadLetter[]>;

  /** Deletes an entry. Does nothing if there is none. */
  forget(key: string): Promise<void>;

  /** Deletes all entries that have expired, and returns how many. */
  deleteExpired(): Promise<number>;
}

/** How long dead letters are kept by default, in milliseconds. */
export const MONTH_MS = 30 * 24 * 60 * 60 * 1000;

/** Returns the query with its defaults, and `since` as a whole number. */
export function checkDeadLetterQuery({ since = 0, limit = 100, kind }: DeadLetterQuery) {
  const sinceMs = Number(since);
  if (!(since instanceof Date || typeof since === 'number') || Number.isNaN(sinceMs)) {
    throw new ConfigurationError('Expected `since` to be a Date, or a number of milliseconds since 1970.');
  }
  return {
    since: Math.min(Math.max(0, Math.ceil(sinceMs)), Number.MAX_SAFE_INTEGER),
    limit: checkCount('limit', limit),
    kind,
  };
}

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
