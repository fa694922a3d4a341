import { StoreError } from '../errors';
import type { Claim, ClaimResult, IdempotencyStore } from './idempotency-store';
import type { ParkedNotification, ParkedQuery, ParkRequest } from './parked';
import {
  checkCount,
  checkDuration,
  checkParkedQuery,
  MAX_STATE_LENGTH,
  MAX_STATES,
  shortened,
} from './store-arguments';

/** How a {@link MemoryStore} is bounded. */
export interface MemoryStoreOptions {
  /**
   * How many subjects are remembered at most. When the store is full, the subject claimed longest ago is forgotten, and
   * a late repeat of its notification runs again. Default: 100 000; at most 8 388 608.
   */
  readonly maxEntries?: number | undefined;

  /**
   * How many notifications are parked at most; beyond it, the one whose failure is oldest is forgotten. Each takes as
   * much as its body, which is 1 MiB at most by default. Default: 1000.
   */
  readonly maxParked?: number | undefined;

  /** The clock, in milliseconds since 1970, for tests. Default: the process's, which does not jump when it is set. */
  readonly clock?: (() => number) | undefined;
}

/**
 * An idempotency store in this process's memory.
 *
 * **It protects one process only.** Two processes behind a load balancer, a cluster of workers, or serverless
 * instances each have their own, and each runs the callback; a restart forgets everything. Use `RedisStore`,
 * `PostgresStore` or `SqliteStore` from `pix-automatic-sdk/stores` wherever that matters.
 *
 * Within its process it keeps every guarantee of {@link IdempotencyStore}. A lease that lives is never evicted: when
 * the store is full of subjects that are being worked on, `claim` rejects with a `StoreError`, and the handler answers
 * 503. It has no timers: expired entries go as the store is used.
 */
export class MemoryStore implements IdempotencyStore {
  readonly #maxEntries: number;
  readonly #maxParked: number;
  readonly #clock: () => number;
  /**
   * What is done of each subject, or its lease. A map keeps the order in which its keys were added, and each claim adds
   * its subject anew: the oldest comes first.
   */
  readonly #subjects = new Map<string, Lease | readonly DoneState[]>();
  /**
   * Gives the oldest entry, then the next one. Kept from step to step, because a new iterator passes over the places of
   * all that was deleted before it reaches the oldest.
   */
  readonly #oldest = this.#subjects.entries();
  /** Goes through all entries, round and round, to find those that have expired. */
  #sweeper = this.#subjects.entries();
  /** Of the store, not of a subject, so that it outlives what is evicted. */
  #lastFence = 0;
  /** Counts the claims. */
  #lastToken = 0;
  /** In the order of their last failures. */
  readonly #parked = new Map<string, { readonly notification: ParkedNotification; readonly until: number }>();

  /** @throws `ConfigurationError` for a `maxParked` below 1, or a `maxEntries` below 1 or above 8 388 608 */
  constructor(options: MemoryStoreOptions = {}) {
    this.#maxEntries = checkCount('maxEntries', options.maxEntries ?? 100_000, MOST_ENTRIES);
    this.#maxParked = checkCount('maxParked', options.maxParked ?? 1000);
    this.#clock = options.clock ?? steadyClock();
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

  /** They hold personal data. There are `maxParked` at most, so all of them are looked at. */
  #forgetExpiredParked(now: number): void {
    for (const [key, { until }] of this.#parked) if (until <= now) this.#parked.delete(key);
  }

  #now(): number {
    return Math.floor(this.#clock());
  }

  /** Looks at two entries: with two a claim, all have been looked at before as many were added. */
  #sweep(now: number): void {
    for (let looked = 0; looked < 2; looked += 1) {
      const { value, done } = this.#sweeper.next();
      if (done === true) {
        this.#sweeper = this.#subjects.entries();
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
      // What is being worked on is young, so that it is seldom in the way; it is put behind the others then.
      this.#subjects.set(key, entry);
    }
    throw new StoreError(
      `The memory store is full of its ${this.#maxEntries} subjects, and those that it would forget first are being ` +
        'worked on. Raise maxEntries, or look for callbacks that hang.',
    );
  }
}

/** Half of what a `Map` can hold: a full one needs as many places again for the entries that take others' places. */
const MOST_ENTRIES = 2 ** 23;

/** Entries that one claim looks at for room: a thousand take well under a millisecond. */
const MAX_LOOKS = 1_000;

const MAX_SUBJECT_LENGTH = 512;

/** Of a subject that somebody is working on, until it has run out. */
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
  /** That of the claim which completed it. */
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

/** Starts at the wall clock and then ignores changes to it, which would cut leases short. */
function steadyClock(): () => number {
  const start = Date.now() - performance.now();
  return () => start + performance.now();
}
