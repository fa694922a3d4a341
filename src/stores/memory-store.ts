import { StoreError } from '../errors';
import { ownOptions } from '../shared/objects';
import { checkCount, checkFunction } from '../values/option-checks';
import { isLeased, recordFromText } from './record';
import { type ReadRecord, type RecordStore, StoreOverRecords, type WriteRecord } from './record-store';

/** The limits and the clock of a {@link MemoryStore}. */
export interface MemoryStoreOptions {
  /**
   * How many subjects are remembered at most. When the store is full, the tenth that was written longest ago is
   * forgotten, and a late repeat of their notifications runs again. Default: 100 000; at most 8 388 608.
   */
  readonly maxEntries?: number | undefined;

  /** The clock, in milliseconds since 1970, for tests. Default: the process's; it ignores system time changes. */
  readonly clock?: (() => number) | undefined;
}

/**
 * An idempotency store in this process's memory.
 *
 * **It protects one process only.** Two processes behind a load balancer, a cluster of workers, or serverless
 * instances each have their own store, and each runs the callback; a restart forgets everything. Use `RedisStore`,
 * `PostgresStore`, `MysqlStore` or `SqliteStore` from `pix-automatic-sdk/stores` wherever that matters.
 *
 * Within its process it keeps every guarantee of {@link IdempotencyStore}. It never forgets a live lease: if all its
 * subjects have one, `claim` rejects with a `StoreError`, and the handler answers 503. It has no timers: expired
 * records are removed when it is full.
 */
export class MemoryStore extends StoreOverRecords {
  /** @throws `ConfigurationError` for a `maxEntries` below 1 or above 8 388 608 */
  constructor(options: MemoryStoreOptions = {}) {
    const { maxEntries = 100_000, clock = steadyClock() } = ownOptions(options);
    checkFunction('clock', clock, '() => number');
    super(new MemoryRecords(checkCount('maxEntries', maxEntries, MOST_ENTRIES), clock));
  }
}

export class MemoryRecords implements RecordStore {
  readonly #maxEntries: number;
  readonly #clock: () => number;
  /** Each write adds its subject again, so the one that was written longest ago comes first. */
  readonly #rows = new Map<string, Row>();

  constructor(maxEntries: number, clock: () => number) {
    this.#maxEntries = maxEntries;
    this.#clock = clock;
  }

  async read(subject: string): Promise<ReadRecord> {
    const row = this.#rows.get(subject);
    return { record: row?.record, version: row?.version ?? 0, now: this.#now() };
  }

  async write(subject: string, { record, version, next, before, expiresAt }: WriteRecord): Promise<boolean> {
    const row = this.#rows.get(subject);
    if ((row?.version ?? 0) !== version || this.#now() >= before) return false;
    if (row === undefined && this.#rows.size >= this.#maxEntries) this.#makeRoom();
    this.#rows.delete(subject);
    this.#rows.set(subject, { record, version: next, expiresAt });
    return true;
  }

  /** Forgets what has expired, or the oldest tenth at once: finding the oldest takes a while after many were deleted. */
  #makeRoom(): void {
    const now = this.#now();
    for (const [subject, { expiresAt }] of this.#rows) if (expiresAt <= now) this.#rows.delete(subject);
    const most = this.#maxEntries - Math.ceil(this.#maxEntries / 10);
    for (const [subject, { record }] of this.#rows) {
      if (this.#rows.size <= most) return;
      if (!isLeased(recordFromText(record), now)) this.#rows.delete(subject);
    }
    if (this.#rows.size < this.#maxEntries) return;
    throw new StoreError(
      `The memory store is full (${this.#maxEntries} subjects), and callbacks are running for all of them. ` +
        'Raise maxEntries, or look for callbacks that hang.',
    );
  }

  #now(): number {
    return Math.floor(this.#clock());
  }
}

interface Row {
  readonly record: string;
  readonly version: number;
  readonly expiresAt: number;
}

/** Half of what a `Map` can hold: a full store needs as many slots again for entries that replace others. */
const MOST_ENTRIES = 2 ** 23;

/** Starts at the system time, then ignores changes to it, which would cut leases short. */
function steadyClock(): () => number {
  const start = Date.now() - performance.now();
  return () => start + performance.now();
}
