import { ConfigurationError } from '../errors/configuration-error';
import type { DeadLetter, LetterFailure, LetterNote, NewDeadLetter } from './dead-letters';
import { clientKind } from './which-client';

/** Where a store has the steps that the library calls on it. From the global registry, for two copies of the package. */
export const STEPS: unique symbol = Symbol.for('pix-automatic-sdk.store');

/**
 * Remembers what the library must not forget: the notifications that were acted on, dead letters, and orders. Pass one
 * to `createWebhookHandler` or to `createOrders`. All stores of one database, table and namespace share what they
 * remember; a process that must not share it takes another namespace or table.
 *
 * @typeParam Transaction - what callbacks get as `context.transaction`, with a store in transactional mode
 */
export interface Store<Transaction = unknown> {
  /**
   * Creates the table if it is missing. Does nothing where there is none. Any number of processes may call it at the
   * same time.
   *
   * @throws `StoreError` for a table that cannot be created; the message says what to change
   */
  createTable(): Promise<void>;

  /** Returns the SQL that `createTable` runs, for your migrations; `''` where there is no table. */
  createTableSql(): string;

  /**
   * Deletes what has expired, and resolves with the number of records. Call it every hour or day. Redis deletes its
   * records by itself, and is only rid of their names in the index.
   */
  deleteExpired(): Promise<number>;

  /** The steps that the library calls; not for your code. */
  readonly [STEPS]: StoreSteps<Transaction>;
}

/** @throws `ConfigurationError` for anything but a store of this library */
export function stepsOf<Transaction>(store: Store<Transaction>, name = 'store'): StoreSteps<Transaction> {
  const steps: StoreSteps<Transaction> | undefined = Object(store)[STEPS];
  if (steps !== undefined) return steps;
  throw new ConfigurationError(`Expected \`${name}\` to be a store${whatElse(store)}`);
}

/** What was given in place of a store, and the way out. */
function whatElse(given: unknown): string {
  const client = clientKind(given);
  if (client !== undefined) {
    return `, got ${client.what}: ${client.store} of pix-automatic-sdk/stores makes one of it.`;
  }
  const { then, prototype } = Object(given) as { readonly then?: unknown; readonly prototype?: unknown };
  if (typeof then === 'function') return ', got a promise: `await` it first.';
  if (Object(prototype)[STEPS] !== undefined || typeof Object(prototype).createTable === 'function') {
    return ', got a class: is `new` missing?';
  }
  const url =
    typeof given === 'string' ? ', got text. It takes your client of the database, not its address.' : ':';
  return (
    `${url} \`new PostgresStore(pool)\`, for example. For a database of your own, ` +
    '`createStore(records)` of pix-automatic-sdk/stores makes one.'
  );
}

/** A database that the store is over has one kind of record each for these. */
export type KeyPrefix =
  | 'seen:'
  | 'letter:'
  | 'order:'
  | 'open:'
  | 'reference:'
  | 'uuid:'
  | 'recurrence:'
  | 'maintain';

/** A record that was read, with the database's clock. */
export interface ReadResult<Value> {
  /** What was written; `undefined` if there is none. */
  readonly value: Value | undefined;
  /** The version as it was written; 0 if there is no record. */
  readonly version: number;
  /** The database's clock, in milliseconds since 1970. */
  readonly now: number;
  /** When the record is over, by that clock; `undefined` if there is none. */
  readonly until?: number | undefined;
}

/**
 * What the library calls on a store. The document (section 6.1) promises at-least-once delivery and requires a listener
 * that never acts twice; a store makes that possible across several processes.
 *
 * A store keeps **one record per subject** (`'reversal:v-1'`): the states that are done (`'PENDING'`, `'PAID'`), and
 * the lease of the claim that is working on one of them.
 *
 * Every implementation guarantees the following; the contract suite in `test/stores` proves it for ours:
 *
 * - Each step is atomic: of any number of concurrent `claim` calls for one subject, at most one is `'claimed'`. While
 *   its lease lives, all others are `'busy'` (or `'done'`, if their state is done).
 * - Each step is idempotent for its own token, because drivers resend a command whose reply was lost.
 * - A step that fails reads again and tries again, until its time is over.
 * - Time is the database's clock, never the caller's: processes with wrong clocks cannot shorten a lease or a retention.
 * - A step that fails or hangs leaves either the old record or the new one, nothing in between.
 * - No done state is forgotten while another one of its subject is remembered: all of them end together, `retentionMs`
 *   after the claim of the last one, whenever expired records are deleted.
 * - A record is bounded: beside the states that the document names, a subject has 64 others at most, and one more is
 *   `'full'`. In place of a state of more than 512 characters it keeps a hash.
 *
 * A claim can come late: a store that stalls may carry it out when it resumes, after the handler has answered 503. It
 * does no harm: its lease ends `leaseMs` after it was asked for, well before the next delivery.
 *
 * What a crash leaves: before `claim`, nothing; between `claim` and `complete`, a lease that runs out by itself, after
 * which the next delivery is claimed again (the callback may have run: at least once); after `complete`, a done state.
 *
 * @typeParam Transaction - what `transact` passes to the callback, for stores that have it
 */
export interface StoreSteps<Transaction = unknown> extends SingleRecords {
  /**
   * Takes the lease of a subject, to work on one of its states.
   *
   * Resolves with `'done'` if the state is done, whoever has the lease. Otherwise resolves with `'busy'` if there is a
   * live lease, or if another claim won the race. An expired lease does not count: its owner is presumed dead. Resolves
   * with `'full'` if the subject has too many states that the document does not name. If the store cannot tell, this
   * rejects, as every step does, with a `StoreError` or the driver's own error, and the handler answers 503.
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

  /** Names the likely cause of what its database has thrown, and the way out; missing where it has no driver. */
  readonly explain?: ((error: unknown) => string | undefined) | undefined;

  /** Records that a state which was settled has been delivered: a later delivery is compared with this one. */
  recordDelivery(subject: string, state: string, content: Content): Promise<void>;

  /**
   * What a claim would come to now, without taking it; what was dismissed unconfirmed is not done. A state may be done, or its
   * subject held, under an identity that today's definitions do not give any more.
   */
  look(subject: string, state: string): Promise<ClaimResult['status']>;

  /** Dead letters that have not expired, in a fixed order. */
  listLetters(page: StepPage): Promise<DeadLetter[]>;

  /** Lists orders, or the pointers to those that may be paid, that have not expired, in a fixed order. */
  listRecords<Value extends object>(
    prefix: 'order:' | 'open:',
    page: StepPage,
  ): Promise<
    readonly {
      /** Where in the order of the list the record is. */
      readonly place: string;
      /** What was written. */
      readonly value: Value;
    }[]
  >;
}

/** Which letters or records to list. Fewer than `limit` come only at the end. */
export interface StepPage {
  /** The key of the last one of the page before. Default: from the first. */
  readonly after?: string | undefined;
  /** How many at most. */
  readonly limit: number;
  /** Called if some cannot be read: how many. They are left out, so that they do not keep the others away. */
  readonly onUnreadable?: ((count: number) => void) | undefined;
}

/** Steps on single records, which may be those of a transaction. */
export interface SingleRecords extends RecordSteps, Letters {}

/** Steps on dead letters. */
export interface Letters {
  /** Keeps a dead letter until so long after its first failure; a delivery that fails again replaces it. */
  keepLetter(letter: NewDeadLetter, retentionMs: number): Promise<void>;
  /**
   * Records that a dead letter has failed again, and nothing else of it. Resolves with the code that it had before;
   * `undefined` if there is none.
   */
  failLetter(key: string, failure: LetterFailure): Promise<string | undefined>;
  /** Notes that something was told of a dead letter. Resolves with whether it was not noted before. */
  noteLetter(key: string, note: LetterNote): Promise<boolean>;
  /** The dead letter under this key, unless it has expired. */
  readLetter(key: string): Promise<DeadLetter | undefined>;
  /**
   * Deletes a dead letter. Does nothing if there is none.
   *
   * @param isMeant - whether to, given the letter and the time now. Default: whatever it is
   */
  forgetLetter(key: string, isMeant?: (letter: DeadLetter, now: number) => boolean): Promise<void>;
}

/** What a record is to be, and when it is over, by the database's clock. */
export interface NextRecord<Value> {
  readonly value: Value;
  readonly until: number;
}

/** Reading and writing. `readRecord` and `writeRecord` are one try each. */
export interface RecordSteps {
  /**
   * Changes a record, and begins again where others have written it. Resolves with what was written, or with `undefined`
   * if there was nothing to change.
   *
   * @param earlier - what was read before, in place of the first read
   */
  changeRecord<Value extends object>(
    prefix: KeyPrefix,
    id: string,
    next: (read: ReadResult<Value>) => NextRecord<Value> | undefined | Promise<NextRecord<Value> | undefined>,
    earlier?: ReadResult<Value> | undefined,
  ): Promise<Value | undefined>;
  /** Reads a record. In a transaction, an order is locked until its end. */
  readRecord<Value extends object>(prefix: KeyPrefix, id: string): Promise<ReadResult<Value>>;
  /**
   * Writes it, if its version is still the one that was read. Resolves with whether it did.
   *
   * @param until - when it is over, by the database's clock
   */
  writeRecord(
    prefix: KeyPrefix,
    id: string,
    value: object,
    read: { readonly version: number; readonly now: number },
    until: number,
  ): Promise<boolean>;
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
  /**
   * How long its completion will be remembered, in milliseconds. The record is kept for as long from the claim on, so that
   * the completion need not change when it is deleted. Default: as long as the lease.
   */
  readonly retentionMs?: number | undefined;
  /**
   * Whether a person has decided about it: such a state has its place beyond those that are remembered, because a person
   * cannot flood a store.
   */
  readonly isByPerson?: boolean | undefined;
  /** Which dismissals do not count: their state is claimed as if it were not done. Default: all count. */
  readonly over?: readonly Dismissed[] | undefined;
}

/** What was acted on, by hashes, to compare a repeat with. */
export interface Content {
  /** A short hash a field, by the field's name. */
  readonly fields: Readonly<Record<string, string>>;
  /** A hash of the text as it was received, of a body with a date-time in it. */
  readonly text?: string | undefined;
  /** Set until its first delivery, if it was settled without one. */
  readonly isSettled?: true;
  /**
   * Set if a person has dismissed it: nothing has run. `'unconfirmed'`: the service has not said that it is true, so that
   * what comes of it later is asked about again.
   */
  readonly dismissed?: Dismissed | undefined;
}

/** How a person has dismissed it. */
export type Dismissed = 'final' | 'unconfirmed';

/** The limits of a completion, and what it records. */
export interface CompleteLimits {
  /** How long the state, and all others of its subject, are remembered after its claim at least, in milliseconds. */
  readonly retentionMs: number;
  /** What was acted on, for `claim` to give again. Default: nothing. */
  readonly content?: Content | undefined;
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
   * The states of the subject that were done before, oldest first. A state of more than 512 characters is given as its
   * hash (`sha256:…`).
   */
  readonly handledStates: readonly string[];
  /** Set if a person has dismissed the state, and that does not count: it stays done unless the claim completes it. */
  readonly dismissed?: Done | undefined;
}

/** What `claim` resolves with. */
export type ClaimResult =
  | ({
      /** The lease is yours: act, then `complete`. */
      readonly status: 'claimed';
    } & Claim)
  | ({
      /** The state was acted on before. */
      readonly status: 'done';
      /** The states of the subject that are done, oldest first. */
      readonly handledStates: readonly string[];
    } & Done)
  | {
      /** Another claim has the lease. */
      readonly status: 'busy';
    }
  | {
      /** Its subject has as many states that the document does not name as are remembered. */
      readonly status: 'full';
    };

/** When a state was done, and what was acted on. */
export interface Done {
  /** When it was claimed to be done, by the database's clock, in milliseconds since 1970. */
  readonly at: number;
  /** The database's clock now. */
  readonly now: number;
  /** What `complete` was given. */
  readonly content?: Content | undefined;
}

/**
 * Runs `work` in a transaction that also holds the claim and its completion. Owns every time limit of it, and never
 * rejects: what it came to is its result.
 */
export type Transact<Transaction> = <Prepared, Value>(
  request: TransactRequest<Prepared>,
  work: TransactWork<Transaction, Prepared, Value>,
) => Promise<Transacted<Value>>;

/**
 * What the caller does in the transaction: it reads what it decides by, writes what belongs to the done state, and runs
 * the callback by `act`. What it resolves with is part of the result. If it throws, everything is rolled back. May be
 * called again after that, if an ORM does so, or the database had to roll back for the sake of another transaction.
 *
 * If it does not call `act`, or the callback comes to `'undone'`, the state stays undone, and what the work has written
 * by then, or writes after the callback, is committed all the same: a dead letter, or what an order is told of a case.
 *
 * @param prepared - what `prepare` resolved with
 */
export type TransactWork<Transaction, Prepared, Value> = (
  within: Within<Transaction>,
  prepared: Prepared,
) => Promise<Value>;

/** What the work in a transaction has. */
export interface Within<Transaction> {
  /** What the callback gets as `context.transaction`. */
  readonly transaction: Transaction;
  readonly claim: Claim;
  /** Single records, in the transaction. Read again what is to be written after a callback that came to `'undone'`. */
  readonly records: SingleRecords;
  readonly act: Act;
}

/**
 * Writes the done state, then runs the callback, and fires its signal when its time is over. Settles as the callback
 * does, however long it takes. Where that comes to `'undone'`, everything since the work began is undone: the done
 * state, what the work wrote, and what the callback wrote. To be called once at most.
 */
export type Act = (callback: (signal: AbortSignal) => Promise<Acted>) => Promise<Acted>;

/** What a callback came to: `'written'` if it must have written something, and fails if it cannot have done so. */
export type Acted = 'written' | 'done' | 'undone';

/** What a transaction came to. */
export type Transacted<Value> =
  | {
      /**
       * - `'completed'`: the callback has run, and the commit was confirmed
       * - `'undone'`: what the work wrote is committed, and the state is left undone
       */
      readonly status: 'completed' | 'undone';
      /** What the work resolved with. */
      readonly value: Value;
    }
  | {
      /**
       * - `'busy'`: another claim has the subject, so `work` did not run
       * - `'full'`: the subject has too many states that the document does not name, so `work` did not run
       */
      readonly status: 'busy' | 'full';
    }
  | ({
      /** Acted on before, so `work` did not run. */
      readonly status: 'done';
    } & Done)
  | {
      readonly status: 'failed';
      /**
       * - `'begin'`: before the callback. Nothing was written
       * - `'callback'`: the callback threw `error`. Everything is rolled back
       * - `'work'`: after the callback. Everything is rolled back
       * - `'nothing written'`: the callback has ended before what it had to write. Everything is rolled back
       * - `'own commit'`: the callback has committed by itself. What it wrote by then stands, and so does the record
       * - `'commit'`: the callback's writes and the record are both there, or neither
       */
      readonly during: 'begin' | 'callback' | 'work' | 'nothing written' | 'own commit' | 'commit';
      readonly error: unknown;
    }
  | {
      /** The callback has taken longer than `timeoutMs`. It goes on, and its subject stays held. */
      readonly status: 'late';
      /** What it came to. Never rejects. */
      readonly ended: Promise<Exclude<Transacted<Value>, { readonly status: 'late' }>>;
    };

/** What to claim in a transaction. */
export interface TransactRequest<Prepared = unknown> {
  /** Kind and identity, as in `reversal:v-1`. */
  readonly subject: string;
  /** What the notification reports about the subject. */
  readonly state: string;
  /** How long the state is remembered after its claim at least, in milliseconds. */
  readonly retentionMs: number;
  /** What is acted on, for a later claim to give again. Default: nothing. */
  readonly content?: Content | undefined;
  /** How long the callback may take, in milliseconds. Then it is `late`. */
  readonly timeoutMs: number;
  /** How long the first read may take, and the commit, in milliseconds. Default: the store's own limit. */
  readonly storeTimeoutMs?: number | undefined;
  /**
   * Whether nobody waits for it, as for a replay or a settlement: it leaves a slot to notifications that are being
   * delivered, of which there are six at most.
   */
  readonly isReplay?: boolean | undefined;
  /**
   * Whether a person has decided about it: such a state has its place beyond those that are remembered, because a person
   * cannot flood a store.
   */
  readonly isByPerson?: boolean | undefined;
  /** Which dismissals do not count: their state is claimed as if it were not done. Default: all count. */
  readonly over?: readonly Dismissed[] | undefined;
  /**
   * Runs once, outside any transaction: after a first read has said that the state is not done and the subject has a
   * record, and before the transaction begins. It has limits of its own. If it rejects, nothing was claimed; the record
   * stays.
   *
   * @param dismissed - set if a person has dismissed the state, and that does not count
   */
  readonly prepare?: ((dismissed: Done | undefined) => Promise<Prepared>) | undefined;
}
