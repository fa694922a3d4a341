import type { ParkedNotification, ParkedQuery, ParkRequest } from './parked';

/**
 * Remembers which notifications have been acted on, and who is acting on one now. The document (section 6.1) promises
 * at-least-once delivery and demands a listener that never acts twice; a store is how several processes keep to that.
 *
 * A store keeps **one record a subject** (`'reversal:v-1'`): the states that are done (`'PENDING'`, `'PAID'`), and the
 * lease of whoever is working on one of them.
 *
 * Every implementation guarantees, and the contract suite in `test/stores` proves for ours:
 *
 * - Each step is atomic: of any number of concurrent `claim` calls for one subject, at most one is `'claimed'`, and
 *   while its lease lives all others are `'busy'` (or `'done'`, for a state that is).
 * - Each step is idempotent for its own token, because drivers resend a command whose reply was lost.
 * - Time is the store's own clock, never the caller's: processes with wrong clocks cannot shorten a lease.
 * - A step that fails or hangs leaves either the record before it or the record after it, nothing between. After a claim
 *   that failed, a store may release the lease that it could have been given.
 * - A record is bounded: it remembers the 64 newest states that are done, so that a flood of states neither fills the
 *   store nor keeps a new state from being handled, and it keeps a hash in place of a state of more than 512 characters.
 *   An older state than those is forgotten: if it is delivered again, the callback runs again.
 * - A done state is remembered for its own `retentionMs` at least, whatever is claimed, completed or released after it,
 *   and whenever expired records are deleted.
 *
 * A claim can come late: a store that stalls carries it out when it goes on, after the handler has answered 503. The
 * handler releases such a claim as soon as its answer comes. If the process has ended meanwhile, the lease lives for
 * `leaseMs` from the moment the claim was carried out, and deliveries in that time are answered 503.
 *
 * What a crash leaves: before `claim`, nothing; between `claim` and `complete`, a lease that runs out by itself, after
 * which the next delivery is claimed again (the callback may have run: at least once); after `complete`, a done state.
 *
 * @typeParam Transaction - what `transact` hands to the callback, for stores that have it
 */
export interface IdempotencyStore<Transaction = unknown> {
  /**
   * Takes the lease of a subject, to work on one of its states.
   *
   * A state that is done answers `'done'`, whoever has the lease. Otherwise a live lease answers `'busy'`, and so does
   * losing a race. An expired lease counts as none: its owner is taken for dead. Rejects, as every step, with a
   * `StoreError` or the driver's own when it cannot say: the handler then answers 503.
   *
   * @param subject - kind and identity, as in `reversal:v-1`
   * @param state - what the notification reports of the subject
   * @param leaseMs - how long the lease lives unless it is completed or released, in milliseconds; it is never renewed
   */
  claim(subject: string, state: string, leaseMs: number): Promise<ClaimResult>;

  /**
   * Records the claim's state as done and gives up the lease, in one step.
   *
   * @param claim - what `claim` answered
   * @param retentionMs - how long the state is remembered at least, in milliseconds, unless 64 newer ones come
   * @returns `true` when the state is recorded as done by this claim, also when an earlier call recorded it;
   *   `false` when the claim's lease has expired or is somebody else's now, and nothing was changed
   */
  complete(claim: Claim, retentionMs: number): Promise<boolean>;

  /**
   * Gives up the lease without recording anything, so that the next delivery can be claimed at once. States that were
   * done before stay done. Changes nothing when the lease is no longer the claim's, or when the claim was completed.
   */
  release(claim: Claim): Promise<void>;

  /**
   * Claim, callback and completion in one transaction of the merchant's own database, for an effect that happens
   * exactly once. Present only on stores that can.
   */
  readonly transact?: Transact<Transaction> | undefined;

  /**
   * Keeps a notification whose callback threw, so that a bug in a callback does not cost it after the sixth delivery.
   * One that is parked under the same key is replaced, and counts one attempt more. Present only on stores that can.
   *
   * **What is kept holds personal data**, as its body does, for as long as `retentionMs` says: protect the store as you
   * protect your own records of payers, and count it among the places where you delete such data.
   *
   * @param retentionMs - how long it is kept after this failure, in milliseconds
   */
  park?(notification: ParkRequest, retentionMs: number): Promise<void>;

  /** What is parked, the one whose last failure is oldest first. */
  parked?(query?: ParkedQuery): Promise<ParkedNotification[]>;

  /** Forgets what is parked under a key, such as after it was handled. Nothing happens where there is none. */
  unpark?(key: string): Promise<void>;
}

/** The lease of one subject, held to work on one of its states. */
export interface Claim {
  /** Kind and identity, as `claim` was given them. */
  readonly subject: string;
  /** What the notification reports of the subject, as `claim` was given it. */
  readonly state: string;
  /** Proves the ownership of the lease; made anew for each claim. */
  readonly token: string;
  /** Grows with each claim of the subject, so that a write guarded by it can refuse a former owner's. */
  readonly fence: number;
  /**
   * The states of the subject that were done before, oldest first; the 64 newest at most. A state of more than 512
   * characters is its hash here (`sha256:…`).
   */
  readonly handledStates: readonly string[];
}

/** What `claim` answers. */
export type ClaimResult =
  | ({
      /** The lease is yours: act, then `complete`. */
      readonly status: 'claimed';
    } & Claim)
  | {
      /** The state was acted on before. */
      readonly status: 'done';
      /** The states of the subject that are done, oldest first. */
      readonly handledStates: readonly string[];
    }
  | {
      /** Somebody else has the lease. */
      readonly status: 'busy';
    };

/**
 * Runs `work` in a transaction that also holds the claim and its completion.
 *
 * Resolves with `'completed'` only when the commit was confirmed. `'done'` and `'busy'` as in `claim`, without
 * running `work`, and without waiting for whoever has the subject. When `work` throws, everything is rolled back and
 * its error is rethrown. When `work` takes longer than `timeoutMs`, this rejects at that moment, and nothing of `work`
 * is ever committed, but the subject stays held (`'busy'` for others) until `work` has ended, or until the store's own
 * limit for that is over: another callback must not run beside it. Any other failure rejects, and the effect has either
 * happened together with its record, or not at all.
 */
export type Transact<Transaction> = (
  request: TransactRequest,
  work: (transaction: Transaction, claim: Claim) => Promise<void>,
) => Promise<{
  /** `'completed'`: committed. `'done'`: acted on before. `'busy'`: somebody else has the subject. */
  readonly status: 'completed' | 'done' | 'busy';
}>;

/** What to claim in a transaction. */
export interface TransactRequest {
  /** Kind and identity, as in `reversal:v-1`. */
  readonly subject: string;
  /** What the notification reports of the subject. */
  readonly state: string;
  /** How long the state is remembered at least, in milliseconds. */
  readonly retentionMs: number;
  /**
   * How long `work` may take at most, in milliseconds; a bound for the transaction's own timeouts. Once it is over,
   * `transact` rejects, while the subject stays held as {@link Transact} says.
   */
  readonly timeoutMs: number;
}
