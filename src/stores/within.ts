import { ConfigurationError, StoreError } from '../errors';
import { newToken } from '../shared/bytes';
import { inTime, LONGEST_TIMER_MS } from '../shared/time';
import { checkCount, checkDuration } from '../values/option-checks';
import {
  decideClaim,
  decideComplete,
  endOf,
  expiryOf,
  keyOf,
  NO_RECORD,
  nextVersion,
  recordToText,
  type SubjectRecord,
} from './record';
import {
  type NamespaceOptions,
  NEVER,
  namespaceOf,
  type ReadRecord,
  readingOf,
  StoreOverRecords,
  singleRecords,
} from './record-store';
import { type RecordsWithin, SqlRecords, type TableOptions } from './sql-records';
import type { Store, StoreSteps, Transact } from './steps';

/**
 * How {@link storeWithin} joins your transactions: five to ten lines over your driver or ORM. For Prisma, Drizzle,
 * TypeORM, Knex, Kysely and Sequelize there is a store of their own: `prismaStore` and its kin.
 *
 * @typeParam Tx - what your ORM passes to the callback of its transaction; your callbacks get it as
 *   `context.transaction`
 */
export interface TransactionAccess<Tx> {
  /**
   * Runs `work` in a transaction: commits when `work` resolves, rolls back when it rejects, and resolves only once the
   * commit is confirmed. May run `work` again after a rollback, to retry a serialization failure. Does neither while
   * `work` is running, unless its own time limit is over.
   *
   * @param limits - `timeoutMs`: how long the transaction may take, for ORMs that have a limit of their own
   */
  transaction(work: (tx: Tx) => Promise<void>, limits: { readonly timeoutMs: number }): PromiseLike<unknown>;

  /**
   * Runs one statement: in `tx`, or outside any transaction without it. Its parameters (`$1`, `$2` in PostgreSQL, `?`
   * in MySQL) are in the order of `values`, and each occurs once.
   *
   * Resolves with the rows, or with what your driver has them in: `{ rows }`, or a list that begins with them, as in
   * `[rows, fields]`.
   */
  query(tx: Tx | undefined, text: string, values: unknown[]): PromiseLike<TransactionRows>;
}

/** The rows of a statement, as drivers give them. */
export type TransactionRows =
  | readonly unknown[]
  | {
      /** The rows, as `pg` and others have them. */
      readonly rows: readonly unknown[];
    };

/** Limits of the transactions that callbacks run in. */
export interface TransactionOptions {
  /**
   * How many transactions the store has open at a time; the others wait for a slot. Each holds a connection of your
   * pool for as long as its callback runs, so leave some to callbacks that also ask the pool, and to the store's own
   * reads. Replays and settlements take one less, so that a notification always finds a slot; of a single slot they
   * take that one. Default: 4, which suits even Sequelize's pool of 5; over a pool of `pg`, three quarters of its `max`.
   */
  readonly maxTransactions?: number | undefined;

  /** How long a notification waits for a slot, in milliseconds. Then it is answered 503. Default: 25,000. */
  readonly slotTimeoutMs?: number | undefined;

  /**
   * How long a callback may go on after its time, in milliseconds. If it succeeds by then, its transaction is
   * committed; otherwise it is rolled back. Default: 15,000.
   */
  readonly holdMs?: number | undefined;

  /**
   * How long the database may take to begin a transaction with its claim, and as long again to commit it, in
   * milliseconds. Default: 5000.
   */
  readonly stepTimeoutMs?: number | undefined;
}

/** Where a store keeps its records that joins your transactions, and the limits of these. */
export interface JoinedStoreOptions extends TableOptions, NamespaceOptions, TransactionOptions {}

/** The same, where the library cannot see which database it is. */
export interface StoreWithinOptions extends JoinedStoreOptions {
  /** The database: `'postgres'` (11 or later), or `'mysql'` for MySQL (8.0.1) and MariaDB (10.6). */
  readonly dialect: 'postgres' | 'mysql';
}

/**
 * A store that joins the transactions of any driver or ORM: what a callback writes through `context.transaction` happens
 * **exactly once**. `docs/orm.md` in the repository has an access as an example, and what a callback must keep to:
 *
 * ```ts
 * const store = storeWithin<PoolConnection>({ transaction, query }, { dialect: 'mysql' });
 * ```
 *
 * The claim, the writes and the completion are one transaction, and `200` is answered only when its commit was
 * confirmed. A crash at any point leaves all of it or nothing. Effects elsewhere (a mail, an HTTP call) still happen at
 * least once. In MySQL, an SQL error that a callback catches cannot be seen from here, because the transaction can still
 * be committed without the failed statement: let SQL errors be thrown.
 *
 * @throws `ConfigurationError` for an access or an option that cannot work
 */
export function storeWithin<Tx>(access: TransactionAccess<Tx>, options: StoreWithinOptions): Store<Tx> {
  if (typeof access?.transaction !== 'function' || typeof access.query !== 'function') {
    throw new ConfigurationError(
      'Expected `{ transaction, query }` as the first argument: `transaction(work, limits)` runs `work` in a transaction of ' +
        'yours, `query(tx, text, values)` runs one statement.',
    );
  }
  const dialect = options?.dialect;
  if (dialect !== 'postgres' && dialect !== 'mysql') {
    throw new ConfigurationError("Expected `dialect` to be 'postgres', or 'mysql' for MariaDB too.");
  }
  const records = new SqlRecords<Tx>(
    (text, values, tx) => access.query(tx, text, values),
    dialect,
    options,
    dialect === 'mysql' ? (work) => access.transaction(work, { timeoutMs: DELETION_MS }) : undefined,
  );
  return new StoreOverRecords<StoreSteps<Tx>>(
    records,
    options,
    transactWithin(access, records, options) as never,
  );
}

/** Constant: each name would be a statement of its own to the server's statistics, and push others out. */
const SAVEPOINT = 'pix_automatic';

/** The record of an order, of which a payment in a transaction must see what another one has written. */
const ORDER = /^[^/]+\/order:/;

/** How long the transaction may take in which expired records are deleted, a hundred of them. */
const DELETION_MS = 10_000;

/** A record that is made before its transaction begins is kept for an hour, which is longer than a transaction. */
const HOUR_MS = 3_600_000;

/** The result of one run of a transaction's work. */
type Ending =
  | Awaited<ReturnType<Transact<unknown>>>
  | { readonly status: 'missing' }
  | { readonly error: unknown }
  | undefined;

const parsed = (row: ReadRecord) => {
  const { value = NO_RECORD, version, now } = readingOf<SubjectRecord>(row);
  return { record: value, version, now };
};

/**
 * Runs claim, callback and completion in a transaction of the merchant's; see {@link Transact}.
 *
 * @param afterCallback - called as soon as a callback has ended; throws if it left something running
 */
export function transactWithin<Tx>(
  access: TransactionAccess<Tx>,
  records: RecordsWithin<Tx>,
  options: TransactionOptions & NamespaceOptions,
  afterCallback: (tx: Tx) => void = () => undefined,
): Transact<Tx> {
  const duration = (name: 'slotTimeoutMs' | 'holdMs' | 'stepTimeoutMs', byDefault: number) =>
    checkDuration(name, options[name] ?? byDefault, LONGEST_TIMER_MS);
  const slotTimeoutMs = duration('slotTimeoutMs', 25_000);
  const holdMs = duration('holdMs', 15_000);
  const stepTimeoutMs = duration('stepTimeoutMs', 5_000);
  const namespace = namespaceOf(options);
  const most = checkCount('maxTransactions', options.maxTransactions ?? 4);
  const slots = new Semaphore(most, slotTimeoutMs, 'transactions were open', 'opens');
  const replays = new Semaphore(
    Math.max(1, most - 1),
    slotTimeoutMs,
    'replays were running',
    'runs at a time',
  );
  const recordsIn = (tx: Tx) =>
    singleRecords(namespace, {
      read: (each) => (ORDER.test(each) ? records.lockInTurn(each, tx) : records.read(each, tx)),
      write: (each, change) => records.write(each, change, tx),
    });
  const stepTooLate = failWith(`The database did not answer within ${stepTimeoutMs} ms.`);

  /** Resolves with what gives the slot back. */
  const takeSlot = async (isReplay = false) => {
    if (isReplay) await replays.acquire();
    const release = () => {
      slots.release();
      if (isReplay) replays.release();
    };
    try {
      await slots.acquire();
      return release;
    } catch (error) {
      if (isReplay) replays.release();
      throw error;
    }
  };

  return async ({ subject, state, content, isReplay, prepare, ...request }, work) => {
    const retentionMs = checkDuration('retentionMs', request.retentionMs);
    const callbackMs = checkDuration('timeoutMs', request.timeoutMs, LONGEST_TIMER_MS) + holdMs;
    const timeoutMs = Math.min(callbackMs + 2 * stepTimeoutMs, LONGEST_TIMER_MS);
    const key = keyOf(namespace, 'seen:', subject);
    const token = newToken();
    const decide = ({ record, now }: ReturnType<typeof parsed>) =>
      decideClaim(record, { state, token, now, leaseMs: timeoutMs });
    let ending = undefined as Ending;
    let isAbandoned = false;
    const refuseIfAbandoned = () => {
      if (isAbandoned) throw new StoreError('The transaction took too long, and is rolled back.');
    };
    let tellStart: () => void = () => undefined;
    const callbackStarted = new Promise<void>((resolve) => {
      tellStart = resolve;
    });

    const claimAndComplete = async (
      tx: Tx,
    ): Promise<Exclude<Ending, { readonly error: unknown } | undefined>> => {
      refuseIfAbandoned();
      const held = await records.lock(key, tx, timeoutMs);
      if (held === undefined) {
        const row = parsed(await records.read(key, tx));
        if (row.version === 0) return { status: 'missing' };
        const decision = decide(row);
        return decision.status === 'done' ? decision : { status: 'busy' };
      }
      const locked = parsed(held);
      const decision = decide(locked);
      if (decision.status !== 'claimed') return decision;

      const fence = nextVersion(locked.version, locked.now);
      const { handledStates, next: claimed = NO_RECORD } = decision;
      await access.query(tx, `SAVEPOINT ${SAVEPOINT}`, []);
      refuseIfAbandoned();
      tellStart();
      try {
        await work(tx, { subject, state, token, fence, handledStates }, recordsIn(tx));
      } finally {
        afterCallback(tx);
      }
      refuseIfAbandoned();
      await releaseSavepoint(access, tx);

      const { now } = locked;
      const { next: record = claimed } = decideComplete(claimed, { state, token, now, retentionMs, content });
      const isWritten = await records.write(
        key,
        {
          record: recordToText(record, token),
          version: locked.version,
          next: fence,
          before: NEVER,
          expiresAt: expiryOf(endOf(record), fence),
        },
        tx,
      );
      if (isWritten) return { status: 'completed' };
      throw new StoreError(
        'The record of the notification was changed while its callback held it, so the transaction is rolled back. ' +
          "Look for callbacks that end their transaction, or write to the store's table.",
      );
    };
    /** May run more than once, if the ORM retries. */
    const run = async (tx: Tx) => {
      ending = undefined;
      try {
        ending = await claimAndComplete(tx);
      } catch (error) {
        ending = { error };
        throw error;
      } finally {
        // Of a connection that is lost there is nothing to lift.
        await records.liftLimit(tx).catch(() => undefined);
      }
    };

    const first = parsed(await inTime(records.read(key), stepTimeoutMs, stepTooLate));
    const early = decide(first);
    if (early.status !== 'claimed') return early;
    await prepare?.();

    let isMissing = first.version === 0;
    for (let tries = 1; tries <= 2; tries += 1) {
      if (isMissing) {
        const [next, expiresAt] = [nextVersion(0, first.now), first.now + HOUR_MS];
        const record = recordToText(NO_RECORD, newToken());
        const empty = { record, version: 0, next, before: NEVER, expiresAt };
        await inTime(records.write(key, empty), stepTimeoutMs, stepTooLate);
      }
      const releaseSlot = await takeSlot(isReplay);
      const transaction = (async () => access.transaction(run, { timeoutMs }))();
      transaction.then(releaseSlot, releaseSlot);
      try {
        await inTime(Promise.race([callbackStarted, transaction]), stepTimeoutMs, stepTooLate);
        await inTime(transaction, timeoutMs, failWith(`The transaction took longer than ${timeoutMs} ms.`));
      } catch (error) {
        isAbandoned = true;
        // An ORM may have wrapped it.
        throw ending !== undefined && 'error' in ending ? ending.error : error;
      }
      if (ending === undefined || 'error' in ending) {
        throw new StoreError(
          '`transaction` of the access resolved, but its work has failed or never ran. Return the promise of your ORM’s ' +
            'transaction, and let what work throws reach your ORM.',
          { cause: ending?.error },
        );
      }
      if (ending.status !== 'missing') return ending;
      isMissing = true;
    }
    return { status: 'busy' };
  };
}

/** Fails if the callback ended the transaction, or swallowed an error after which PostgreSQL refuses to go on. */
async function releaseSavepoint<Tx>(access: TransactionAccess<Tx>, tx: Tx): Promise<void> {
  try {
    await access.query(tx, `RELEASE SAVEPOINT ${SAVEPOINT}`, []);
  } catch (cause) {
    throw new StoreError(
      'The callback returned, but its transaction cannot be committed; `cause` says why. It probably caught an SQL ' +
        'error, which leaves the transaction failed, or ended the transaction itself. Let SQL errors be thrown, or ' +
        'use a savepoint (a nested transaction of your ORM).',
      { cause },
    );
  }
}

/** Limits how many transactions are open at a time. The others wait in line. */
class Semaphore {
  readonly #most: number;
  readonly #timeoutMs: number;
  readonly #tooLong: string;
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  /**
   * @param were - what the message says of those that had the slots
   * @param does - what the message says that the store does with so many
   */
  constructor(most: number, timeoutMs: number, were: string, does: string) {
    this.#most = most;
    this.#timeoutMs = timeoutMs;
    this.#tooLong =
      `${most} ${were} for ${timeoutMs} ms, which is the most that the store ${does}. ` +
      "Raise the pool's max and maxTransactions, or look for callbacks that take long.";
  }

  /**
   * Waits for a slot. The caller must release it.
   *
   * @throws `StoreError` after the timeout
   */
  async acquire(): Promise<void> {
    if (this.#taken < this.#most) {
      this.#taken += 1;
      return;
    }
    let tell: () => void = () => undefined;
    const turn = new Promise<void>((resolve) => {
      tell = resolve;
      this.#waiting.add(resolve);
    });
    await inTime(turn, this.#timeoutMs, () => {
      // Its turn may have come at the same moment.
      if (this.#waiting.delete(tell)) throw new StoreError(this.#tooLong);
    });
  }

  /** Passes the slot to the next in line, or frees it. */
  release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#taken -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}

/** What the store does when the time is up, for `inTime`. */
export function failWith(message: string): () => never {
  return () => {
    throw new StoreError(message);
  };
}
