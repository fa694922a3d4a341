import { StoreError } from '../errors';
import type { Claim, ClaimResult, IdempotencyStore } from './idempotency-store';
import { ShardedMap } from './sharded-map';
import { checkCount, checkDuration } from './store-arguments';

/** How a {@link MemoryStore} is bounded. */
export interface MemoryStoreOptions {
  /**
   * How many subjects are remembered at most; about 200 bytes each beside the subject's own text. When it is full, the
   * subject done longest ago is forgotten, and a late repeat of its notification runs again. Default: 100 000.
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
 * `maxEntries` subjects are being worked on, `claim` rejects, and the handler answers 503. It has no timers: expired
 * entries go as the store is used.
 */
export class MemoryStore implements IdempotencyStore {
  readonly #maxEntries: number;
  readonly #clock: () => number;
  /** Subjects with a lease, which may have run out. */
  readonly #leased: ShardedMap<Lease>;
  /** Subjects without one, and what is done. Only these may be evicted. */
  readonly #idle: ShardedMap<DoneState>;
  readonly #sweeps: readonly (() => void)[];
  /** Of the store, not of a subject, so that it outlives what is evicted. */
  #lastFence = 0;

  /** @throws `ConfigurationError` for a `maxEntries` below 1 */
  constructor(options: MemoryStoreOptions = {}) {
    this.#maxEntries = checkCount('maxEntries', options.maxEntries ?? 100_000);
    this.#clock = options.clock ?? steadyClock();
    this.#leased = new ShardedMap(this.#maxEntries);
    this.#idle = new ShardedMap(this.#maxEntries);

    const leased = this.#leased.rounds();
    const idle = this.#idle.rounds();
    this.#sweeps = [() => this.#expireLease(leased.next().value), () => this.#expireDone(idle.next().value)];
  }

  async claim(subject: string, state: string, leaseMs: number): Promise<ClaimResult> {
    const leaseFor = checkDuration('leaseMs', leaseMs);
    const now = this.#sweep();
    const lease = this.#leased.get(subject);
    const known = lease === undefined ? this.#idle.get(subject) : lease.done;
    const done = withoutExpired(known, now);
    const handledStates = statesOf(done);

    if (handledStates.includes(state)) return { status: 'done', handledStates };
    if (lease !== undefined && lease.until > now) return { status: 'busy' };
    if (lease === undefined && known === undefined) this.#makeRoom(now);

    const fence = Math.max(this.#lastFence + 1, now);
    this.#lastFence = fence;
    this.#idle.delete(subject);
    this.#leased.set(subject, { fence, until: now + leaseFor, done });
    return { status: 'claimed', subject, state, token: String(fence), fence, handledStates };
  }

  async complete(claim: Claim, retentionMs: number): Promise<boolean> {
    const retainFor = checkDuration('retentionMs', retentionMs);
    const now = this.#sweep();
    const { subject, state, token } = claim;
    const lease = this.#leased.get(subject);
    if (lease === undefined || !isOf(claim, lease)) {
      const known = lease === undefined ? this.#idle.get(subject) : lease.done;
      return wasCompletedBy(claim, withoutExpired(known, now));
    }
    if (lease.until <= now) return false;

    this.#leased.delete(subject);
    const older = withoutExpired(lease.done, now);
    this.#idle.set(subject, { state, fence: Number(token), until: now + retainFor, older });
    return true;
  }

  async release(claim: Claim): Promise<void> {
    const lease = this.#leased.get(claim.subject);
    if (lease !== undefined && isOf(claim, lease)) this.#giveUpLease(claim.subject, lease);
  }

  /** Looks at the next few entries: after as many steps as there are entries, every expired one is gone. */
  #sweep(): number {
    for (const sweep of this.#sweeps) {
      sweep();
      sweep();
    }
    return Math.floor(this.#clock());
  }

  #expireLease(entry: [subject: string, lease: Lease] | undefined): void {
    if (entry !== undefined && entry[1].until <= this.#clock()) this.#giveUpLease(...entry);
  }

  #expireDone(entry: [subject: string, done: DoneState] | undefined): void {
    if (entry === undefined) return;
    const [subject, known] = entry;
    const done = withoutExpired(known, this.#clock());
    if (done === undefined) this.#idle.delete(subject);
    else if (done !== known) this.#idle.set(subject, done);
  }

  #giveUpLease(subject: string, lease: Lease): void {
    this.#leased.delete(subject);
    if (lease.done !== undefined) this.#idle.set(subject, lease.done);
  }

  #makeRoom(now: number): void {
    if (this.#leased.size + this.#idle.size < this.#maxEntries) return;
    const idle = this.#idle.oldest();
    if (idle !== undefined) {
      this.#idle.delete(idle[0]);
      return;
    }
    const leased = this.#leased.oldest();
    if (leased !== undefined && leased[1].until <= now) {
      this.#leased.delete(leased[0]);
      return;
    }
    throw new StoreError(
      `The memory store is full: all of its ${this.#maxEntries} subjects are being worked on. ` +
        'Raise maxEntries, or look for callbacks that hang.',
    );
  }
}

interface Lease {
  readonly fence: number;
  readonly until: number;
  readonly done: DoneState | undefined;
}

/** A linked list, because nearly every subject has one state, and an array would double the memory of that. */
interface DoneState {
  readonly state: string;
  /** That of the claim which completed it: the claim's token, as a number. */
  readonly fence: number;
  readonly until: number;
  readonly older: DoneState | undefined;
}

function isOf(claim: Claim, { fence }: { readonly fence: number }): boolean {
  return claim.token === String(fence);
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
