import { StoreError } from '../errors';
import { ownOptions } from '../shared/objects';
import { checkCount, checkDuration, checkFunction } from '../values/option-checks';
import type { Claim, ClaimResult, IdempotencyStore } from './idempotency-store';
import type { ParkedNotification, ParkedQuery, ParkRequest } from './parked';
import { checkParkedQuery, MAX_STATE_LENGTH, MAX_STATES, shortened } from './store-arguments';

/** The limits and the clock of a {@link MemoryStore}. */
export interface MemoryStoreOptions {
  /**
   * How many subjects are remembered at most. When the store is full, the subject claimed longest ago is forgotten, and
   * a late repeat of its notification runs again. Default: 100 000; at most 8 388 608.
   */
  readonly maxEntries?: number | undefined;

  /**
   * How many notifications are parked at most. Beyond that, the least recently failed one is forgotten. Each takes as
   * much memory as its body, which is 1 MiB at most by default. Default: 1000.
   */
  readonly maxParked?: number | undefined;

  /** The clock, in milliseconds since 1970, for tests. Default: the process's; it ignores system time changes. */
  readonly clock?: (() => number) | undefined;
}

/**
 * An idempotency store in this process's memory.
 *
 * **It protects one process only.** Two processes behind a load balancer, a cluster of workers, or serverless
 * instances each have their own store, and each runs the callback; a restart forgets everything. Use `RedisStore`,
 * `PostgresStore` or `SqliteStore` from `pix-automatic-sdk/stores` wherever that matters.
 *
 * Within its process it keeps every guarantee of {@link IdempotencyStore}. It never evicts a live lease: if the store
 * is full and the subjects it would evict first (1000 at most) all have one, `claim` rejects with a `StoreError`, and
 * the handler answers 503. It has no timers: expired entries are removed as the store is used.
 */
export class MemoryStore implements IdempotencyStore {
  readonly #maxEntries: number;
  readonly #maxParked: number;
  readonly #clock: () => number;
  /**
   * The lease or the done states of each subject. A `Map` keeps its keys in the order they were added, and each claim
   * adds its subject again, so the subject claimed longest ago comes first.
   */
  readonly #subjects = new Map<string, Lease | readonly DoneState[]>();
  /**
   * Yields the oldest entry, then the next one. Kept between calls, because a new iterator has to skip the slots of all
   * deleted entries before it reaches the oldest. Replaced now and then, because V8 keeps every table that the `Map` has
   * outgrown since an iterator last moved.
   */
  #oldest = this.#subjects.entries();
  /** Cycles through all entries to find those that have expired. */
  #sweeper = this.#subjects.entries();
  /** Kept for the whole store, so it survives the eviction of a subject. */
  #lastFence = 0;
  /** Counts the claims. */
  #lastToken = 0;
  /** Ordered by last failure, oldest first. */
  readonly #parked = new Map<string, { readonly notification: ParkedNotification; readonly until: number }>();

  /** @throws `ConfigurationError` for a `maxParked` below 1, or a `maxEntries` below 1 or above 8 388 608 */
  constructor(options: MemoryStoreOptions = {}) {
    const { maxEntries, maxParked, clock } = ownOptions(options);
    this.#maxEntries = checkCount('maxEntries', maxEntries ?? 100_000, MOST_ENTRIES);
    this.#maxParked = checkCount('maxParked', maxParked ?? 1000);
    this.#clock = clock ?? steadyClock();
    checkFunction('clock', this.#clock, '() => number');
  }

  async claim(subject: string, state: string, leaseMs: number): Promise<ClaimResult> {
    const leaseFor = checkDuration('leaseMs', leaseMs);
    const now = this.#now();
    this.#sweep(now);
    const key = keyOf(subject);
    const entry = this.#subjects.get(key);
    const done = liveStates(entry, now);
    const handledStates = done.map((each) => each.state);

    if (handledStates.includes(keptState(state))) return { status: 'done', handledStates };
    if (isLeased(entry, now)) return { status: 'busy' };
    if (entry === undefined) this.#makeRoom(now);

    this.#lastFence = Math.max(this.#lastFence + 1, now);
    this.#lastToken += 1;
    this.#subjects.delete(key);
    this.#subjects.set(key, new Lease(this.#lastToken, now + leaseFor, done));
    const token = String(this.#lastToken);
    return { status: 'claimed', subject, state, token, fence: this.#lastFence, handledStates };
  }

  async complete(claim: Claim, retentionMs: number): Promise<boolean> {
    const retainFor = checkDuration('retentionMs', retentionMs);
    const now = this.#now();
    const key = keyOf(claim.subject);
    const state = keptState(claim.state);
    const entry = this.#subjects.get(key);
    const done = liveStates(entry, now);
    if (!isLeased(entry, now) || !isOf(claim, entry)) {
      return done.some((each) => isOf(claim, each) && each.state === state);
    }
    const { token } = entry;
    this.#subjects.set(key, [...done, { state, token, until: now + retainFor }].slice(-MAX_STATES));
    return true;
  }

  async release(claim: Claim): Promise<void> {
    const key = keyOf(claim.subject);
    const entry = this.#subjects.get(key);
    if (!(entry instanceof Lease) || !isOf(claim, entry)) return;
    if (entry.done.length === 0) this.#subjects.delete(key);
    else this.#subjects.set(key, entry.done);
  }

  async park(notification: ParkRequest, retentionMs: number): Promise<void> {
    const retainFor = checkDuration('retentionMs', retentionMs);
    const now = this.#now();
    const before = this.#parked.get(notification.key);
    const { firstFailedAt, attempts } =
      before !== undefined && before.until > now ? before.notification : { firstFailedAt: now, attempts: 0 };
    const parked = { ...notification, firstFailedAt, lastFailedAt: now, attempts: attempts + 1 };
    this.#parked.delete(notification.key);
    this.#parked.set(notification.key, { notification: parked, until: now + retainFor });
    this.#forgetExpiredParked(now);
    for (const key of this.#parked.keys()) {
      if (this.#parked.size <= this.#maxParked) break;
      this.#parked.delete(key);
    }
  }

  async parked(query: ParkedQuery = {}): Promise<ParkedNotification[]> {
    const { since, limit, key } = checkParkedQuery(query);
    const now = this.#now();
    this.#forgetExpiredParked(now);
    return [...this.#parked.values()]
      .map(({ notification }) => notification)
      .filter((each) => each.lastFailedAt >= since && (key === undefined || each.key === key))
      .slice(0, limit);
  }

  async unpark(key: string): Promise<void> {
    this.#parked.delete(key);
  }

  /** Deletes all that have expired, because they hold personal data. Checks all: there are `maxParked` at most. */
  #forgetExpiredParked(now: number): void {
    for (const [key, { until }] of this.#parked) if (until <= now) this.#parked.delete(key);
  }

  #now(): number {
    return Math.floor(this.#clock());
  }

  /** Checks two entries per claim, so that all are checked before the number of entries can double. */
  #sweep(now: number): void {
    for (let looked = 0; looked < 2; looked += 1) {
      const { value, done } = this.#sweeper.next();
      if (done === true) {
        this.#sweeper = this.#subjects.entries();
        this.#oldest = this.#subjects.entries();
        this.#forgetExpiredParked(now);
        return;
      }
      const [key, entry] = value;
      if (!isLeased(entry, now) && liveStates(entry, now).length === 0) this.#subjects.delete(key);
    }
  }

  #makeRoom(now: number): void {
    if (this.#subjects.size < this.#maxEntries) return;
    for (let looked = 0; looked < Math.min(this.#maxEntries, MAX_LOOKS); looked += 1) {
      const { value, done } = this.#oldest.next();
      if (done === true) break;
      const [key, entry] = value;
      this.#subjects.delete(key);
      if (!isLeased(entry, now)) return;
      // A live lease is seldom among the oldest entries. If it is, move it behind the others.
      this.#subjects.set(key, entry);
    }
    throw new StoreError(
      `The memory store is full (${this.#maxEntries} subjects), and callbacks are running for all that it would ` +
        'evict first. Raise maxEntries, or look for callbacks that hang.',
    );
  }
}

/** Half of what a `Map` can hold: a full store needs as many slots again for entries that replace others. */
const MOST_ENTRIES = 2 ** 23;

/** How many entries one claim checks to make room: a thousand take well under a millisecond. */
const MAX_LOOKS = 1_000;

const MAX_SUBJECT_LENGTH = 512;

/** The lease of a subject that is being worked on. It counts until it runs out. */
class Lease {
  constructor(
    readonly token: number,
    readonly until: number,
    /** What was done before, oldest first. */
    readonly done: readonly DoneState[],
  ) {}
}

interface DoneState {
  readonly state: string;
  /** The token of the claim that completed it. */
  readonly token: number;
  readonly until: number;
}

function isLeased(entry: Lease | readonly DoneState[] | undefined, now: number): entry is Lease {
  return entry instanceof Lease && entry.until > now;
}

function liveStates(entry: Lease | readonly DoneState[] | undefined, now: number): readonly DoneState[] {
  const done = entry instanceof Lease ? entry.done : entry;
  return done === undefined ? [] : done.filter(({ until }) => until > now);
}

function isOf(claim: Claim, { token }: { readonly token: number }): boolean {
  return claim.token === String(token);
}

function keyOf(subject: string): string {
  return shortened(subject, MAX_SUBJECT_LENGTH);
}

function keptState(state: string): string {
  return shortened(state, MAX_STATE_LENGTH);
}

/** Starts at the system time, then ignores changes to it, which would cut leases short. */
function steadyClock(): () => number {
  const start = Date.now() - performance.now();
  return () => start + performance.now();
}
