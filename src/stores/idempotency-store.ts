/**
 * Records which notifications have been handled, and which one is being handled now. The document (section 6.1)
 * promises at-least-once delivery and requires a listener that never acts twice; a store makes that possible across
 * several processes.
 *
 * A store keeps **one record per subject** (`'reversal:v-1'`): the states that are done (`'PENDING'`, `'PAID'`), and
 * the lease of the claim that is working on one of them.
 *
 * Every implementation guarantees the following; the contract suite in `test/stores` proves it for ours:
 *
 * - Each step is atomic: of any number of concurrent `claim` calls for one subject, at most one is `'claimed'`. While
 *   its lease lives, all others are `'busy'` (or `'done'`, if their state is done).
 * - Each step is idempotent for its own token, because drivers resend a command whose reply was lost.
 * - Time is the store's own clock, never the caller's: processes with wrong clocks cannot shorten a lease.
 * - A step that fails or hangs leaves either the old record or the new one, nothing in between.
 * - A record is bounded: it remembers the 64 newest done states, so that a flood of states neither fills the store nor
 *   keeps a new state from being handled. In place of a state of more than 512 characters it keeps a hash. It forgets
 *   older states: if one is delivered again, the callback runs again.
 * - A done state is remembered for at least its own `retentionMs`, whatever is claimed, completed or released after it,
 *   and whenever expired records are deleted.
 *
 * A claim can come late: a store that stalls may carry it out when it resumes, after the handler has answered 503. It
 * does no harm: its lease ends `leaseMs` after it was asked for, well before the next delivery.
 *
 * What a crash leaves: before `claim`, nothing; between `claim` and `complete`, a lease that runs out by itself, after
 * which the next delivery is claimed again (the callback may have run: at least once); after `complete`, a done state.
 *
 * @typeParam Transaction - what `transact` passes to the callback, for stores that have it
 */
export interface IdempotencyStore<Transaction = unknown> {
  /**
   * Takes the lease of a subject, to work on one of its states.
   *
   * Resolves with `'done'` if the state is done, whoever has the lease. Otherwise resolves with `'busy'` if there is a
   * live lease, or if another claim won the race. An expired lease does not count: its owner is presumed dead. If the
   * store cannot tell, this rejects, as every step does, with a `StoreError` or the driver's own error, and the handler
   * answers 503.
   *
   * @param subject - kind and identity, as in `reversal:v-1`
   * @param state - what the notification reports about the subject
   */
  claim(subject: string, state: string, limits: ClaimLimits): Promise<ClaimResult>;

  /**
   * Records the claim's state as done and gives up the lease, in one step. That counts after the lease too, as long as
   * no other claim came between.
   *
   * @param claim - what `claim` resolved with
   * @returns `true` if this claim has recorded the state as done, now or by an earlier call; `false` if another claim
   *   has taken the subject since, or the record is gone, and nothing was changed
   */
  complete(claim: Claim, limits: CompleteLimits): Promise<boolean>;

  /**
   * Gives up the lease without recording anything, so that the next delivery can be claimed at once. States that were
   * done before stay done. Changes nothing if the claim no longer has the lease, or was completed.
   */
  release(claim: Claim): Promise<void>;

  /**
   * Runs claim, callback and completion in one transaction of the merchant's own database, for an effect that happens
   * exactly once. Only stores that support it have this method.
   */
  readonly transact?: Transact<Transaction> | undefined;
}

/** The limits of a claim. */
export interface ClaimLimits {
  /**
   * How long the lease lives unless it is completed or released, in milliseconds from when it is asked for. It is never
   * renewed.
   */
  readonly leaseMs: number;
  /**
   * How long the caller waits for the claim, all attempts together, in milliseconds. A store has no timers, so it may
   * answer later.
   */
  readonly withinMs: number;
}

/** The limits of a completion. */
export interface CompleteLimits {
  /** How long the state is remembered at least, in milliseconds, unless 64 newer ones come. */
  readonly retentionMs: number;
  /** How long the caller waits for the completion, all attempts together, in milliseconds. */
  readonly withinMs: number;
}

/** The lease of one subject, held to work on one of its states. */
export interface Claim {
  /** Kind and identity, as `claim` was given them. */
  readonly subject: string;
  /** What the notification reports about the subject, as `claim` was given it. */
  readonly state: string;
  /** Proves that this claim owns the lease; new for each claim. */
  readonly token: string;
  /** Grows with each write of the subject's record, so that your writes can refuse those of an earlier claim. */
  readonly fence: number;
  /**
   * The states of the subject that were done before, oldest first; the 64 newest at most. A state of more than 512
   * characters is given as its hash (`sha256:…`).
   */
  readonly handledStates: readonly string[];
}

/** What `claim` resolves with. */
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
      /** Another claim has the lease. */
      readonly status: 'busy';
    };

/**
 * Runs `work` in a transaction that also holds the claim and its completion.
 *
 * Resolves with `'completed'` only when the commit was confirmed. Resolves with `'done'` or `'busy'` as `claim` does,
 * without running `work`, and without waiting for another claim of the subject. If `work` throws, everything is rolled
 * back and its error is rethrown. If `work` takes longer than `timeoutMs`, this rejects at that moment, and nothing
 * that `work` wrote is ever committed. The subject then stays held (`'busy'` for others) until `work` has ended or the
 * store's own limit is reached, because another callback must not run beside it. Any other failure rejects, and the
 * effect has either happened together with its record, or not at all.
 */
export type Transact<Transaction> = (
  request: TransactRequest,
  work: (transaction: Transaction, claim: Claim) => Promise<void>,
) => Promise<{
  /** `'completed'`: committed. `'done'`: acted on before. `'busy'`: another claim has the subject. */
  readonly status: 'completed' | 'done' | 'busy';
}>;

/** What to claim in a transaction. */
export interface TransactRequest {
  /** Kind and identity, as in `reversal:v-1`. */
  readonly subject: string;
  /** What the notification reports about the subject. */
  readonly state: string;
  /** How long the state is remembered at least, in milliseconds. */
  readonly retentionMs: number;
  /**
   * How long `work` may take at most, in milliseconds; also sets the transaction's own timeouts. After that, `transact`
   * rejects, and the subject stays held as {@link Transact} describes.
   */
  readonly timeoutMs: number;
  /**
   * Runs once, outside any transaction: after a first read has said that the state is not done, and before the
   * transaction begins. If it rejects, `transact` rejects with its error, and nothing was claimed.
   */
  readonly prepare?: (() => Promise<void>) | undefined;
}
