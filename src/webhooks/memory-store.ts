import { StoreError } from '../errors';
import { AgedMap } from './aged-map';
import type { Claim, ClaimResult, IdempotencyStore } from './idempotency-store';
import { checkCount, checkDuration } from './store-arguments';

/** How a {@link MemoryStore} is bounded. */
export interface MemoryStoreOptions {
  /**
   * How many subjects are remembered at most; about 200 bytes each beside the subject's own text. When it is full, the
   * subject claimed longest ago is forgotten, and a late repeat of its notification runs again. Default: 100 000; at
   * most 16 777 216.
   */
  readonly maxEntries?: number | undefined;

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
 * the store is full of subjects that are being worked on, `claim` rejects, and the handler answers 503. It has no
 * timers: expired entries go as the store is used.
 */
export class MemoryStore implements IdempotencyStore {
  readonly #maxEntries: number;
  readonly #clock: () => number;
  /** What is done of each subject, or its lease, which may have run out and holds what is done. */
  readonly #subjects: AgedMap<Lease | DoneState>;
  /** Of the store, not of a subject, so that it outlives what is evicted. */
  #lastFence = 0;
  /** Counts the claims. What fences they have is no business of the store: these are smaller, and sooner text. */
  #lastToken = 0;

  /** @throws `ConfigurationError` for a `maxEntries` below 1 or above 16 777 216 */
  constructor(options: MemoryStoreOptions = {}) {
    this.#maxEntries = checkCount('maxEntries', options.maxEntries ?? 100_000, MOST_ENTRIES);
    this.#clock = options.clock ?? steadyClock();
    this.#subjects = new AgedMap(this.#maxEntries);
  }

  async claim(subject: string, state: string, leaseMs: number): Promise<ClaimResult> {
    const leaseFor = checkDuration('leaseMs', leaseMs);
    const now = Math.floor(this.#clock());
    this.#sweep(now);
    const entry = this.#subjects.get(subject);
    const done = withoutExpired(doneOf(entry), now);
    const handledStates = statesOf(done);

    if (handledStates.includes(state)) return { status: 'done', handledStates };
    if (entry instanceof Lease && entry.until > now) return { status: 'busy' };
    if (entry === undefined) this.#makeRoom(now);
    else this.#subjects.delete(subject);

    const fence = Math.max(this.#lastFence + 1, now);
    this.#lastFence = fence;
    this.#lastToken += 1;
    const lease = new Lease(this.#lastToken, now + leaseFor, done);
    this.#subjects.set(subject, lease, lease.until);
    return { status: 'claimed', subject, state, token: String(this.#lastToken), fence, handledStates };
  }

  async complete(claim: Claim, retentionMs: number): Promise<boolean> {
    const retainFor = checkDuration('retentionMs', retentionMs);
    const now = Math.floor(this.#clock());
    const { subject, state } = claim;
    const entry = this.#subjects.get(subject);
    if (!(entry instanceof Lease) || !isOf(claim, entry)) {
      return wasCompletedBy(claim, withoutExpired(doneOf(entry), now));
    }
    if (entry.until <= now) return false;

    const older = withoutExpired(entry.done, now);
    this.#setDone(subject, { state, token: entry.token, until: now + retainFor, older });
    return true;
  }

  async release(claim: Claim): Promise<void> {
    const entry = this.#subjects.get(claim.subject);
    if (entry instanceof Lease && isOf(claim, entry)) this.#setDone(claim.subject, entry.done);
  }

  /** Looks at two entries: with two a claim, all have been looked at before as many were added. */
  #sweep(now: number): void {
    this.#expire(this.#subjects.nextExpired(now), now);
    this.#expire(this.#subjects.nextExpired(now), now);
  }

  #expire(expired: [subject: string, entry: Lease | DoneState] | undefined, now: number): void {
    if (expired === undefined) return;
    const [subject, entry] = expired;
    this.#setDone(subject, withoutExpired(doneOf(entry), now));
  }

  #setDone(subject: string, done: DoneState | undefined): void {
    if (done === undefined) this.#subjects.delete(subject);
    else this.#subjects.set(subject, done, done.until);
  }

  #makeRoom(now: number): void {
    if (!this.#subjects.isFull) return;
    // What is being worked on is young, so that it is seldom in the way; it is put behind the others then.
    for (let looked = 0; looked < Math.min(this.#maxEntries, MAX_LOOKS); looked += 1) {
      const oldest = this.#subjects.takeOldest();
      if (oldest === undefined) return;
      const [subject, entry] = oldest;
      if (!(entry instanceof Lease) || entry.until <= now) return;
      this.#subjects.set(subject, entry, entry.until);
    }
    throw new StoreError(
      `The memory store is full of its ${this.#maxEntries} subjects, and those that it would forget first are being ` +
        'worked on. Raise maxEntries, or look for callbacks that hang.',
    );
  }
}

/** The addresses for all entries are taken at once: half a gigabyte of them for so many. */
const MOST_ENTRIES = 2 ** 24;

/** Entries that one claim looks at for room: a thousand take well under a millisecond. */
const MAX_LOOKS = 1_000;

/** Of a subject that somebody is working on, with what was done before. */
class Lease {
  constructor(
    readonly token: number,
    readonly until: number,
    readonly done: DoneState | undefined,
  ) {}
}

/** A linked list, because nearly every subject has one state, and an array would double the memory of that. */
interface DoneState {
  readonly state: string;
  /** That of the claim which completed it. */
  readonly token: number;
  readonly until: number;
  readonly older: DoneState | undefined;
}

function doneOf(entry: Lease | DoneState | undefined): DoneState | undefined {
  return entry instanceof Lease ? entry.done : entry;
}

function isOf(claim: Claim, { token }: { readonly token: number }): boolean {
  return claim.token === String(token);
}

function wasCompletedBy(claim: Claim, done: DoneState | undefined): boolean {
  for (let entry = done; entry !== undefined; entry = entry.older) {
    if (isOf(claim, entry) && entry.state === claim.state) return true;
  }
  return false;
}

function withoutExpired(done: DoneState | undefined, now: number): DoneState | undefined {
  if (done === undefined) return undefined;
  const older = withoutExpired(done.older, now);
  if (done.until <= now) return older;
  return older === done.older ? done : { ...done, older };
}

/** Oldest first. */
function statesOf(done: DoneState | undefined): string[] {
  const states: string[] = [];
  for (let entry = done; entry !== undefined; entry = entry.older) states.unshift(entry.state);
  return states;
}

/** Starts at the wall clock and then ignores changes to it, which would cut leases short. */
function steadyClock(): () => number {
  const start = Date.now() - performance.now();
  return () => start + performance.now();
}
