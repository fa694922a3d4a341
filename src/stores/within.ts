import { ConfigurationError, StoreError } from '../errors';
import { LONGEST_TIMER_MS } from '../shared/time';
import { checkCount, checkDuration } from '../values/option-checks';
import type { Claim, IdempotencyStore, Transact, TransactRequest } from './idempotency-store';
import {
  decideClaim,
  decideComplete,
  expiryOf,
  keyOf,
  NO_RECORD,
  nextVersion,
  recordFromText,
  recordToText,
  type SubjectRecord,
} from './record';
import { readRow, type WriteRecord } from './record-store';
import { newToken, rowsIn, unexpectedReply } from './replies';
import { Semaphore } from './semaphore';
import { withTimeLimit } from './time-limit';

/**
 * How the store joins your transactions: five to ten lines over your ORM or driver. `docs/transactions.md` has them for
 * Prisma, Drizzle, TypeORM, Knex, Kysely and Sequelize.
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
   * reads. Default: 4, which suits even Sequelize's pool of 5; over a pool of `pg`, three quarters of its `max`.
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

/** A statement with its values, in the order of its parameters. */
export interface Statement {
  readonly text: string;
  readonly values: unknown[];
}

/** The statements of a database on one record. Each read gives `record`, `version` and `now`. */
export interface TransactionSql {
  /** Gives one row, also if there is no record. */
  read(key: string): Statement;
  /** Gives one row, locked until the transaction ends; none if there is no record or another has locked it. */
  lock(key: string, timeoutMs: number): Statement;
  /** As `RecordStore.write`. The last statement gives one row if the record was written. */
  write(key: string, change: WriteRecord): readonly Statement[];
  /** How many milliseconds the unit of `now` has. */
  readonly unitMs: number;
}

/** A store that runs callbacks in your own transactions. */
export interface StoreWithin<Tx> extends IdempotencyStore<Tx> {
  readonly transact: Transact<Tx>;
  /** Creates the table if it is missing. */
  createTable(): Promise<void>;
  /** Returns the SQL that `createTable` runs, for your migrations. */
  createTableSql(): string;
  /** Deletes every expired record, oldest first. Resolves with how many there were. Call it regularly. */
  deleteExpired(): Promise<number>;
}

/** @throws `ConfigurationError` for anything but an access */
export function checkAccess<Tx>(access: TransactionAccess<Tx>): void {
  if (typeof access?.transaction === 'function' && typeof access.query === 'function') return;
  throw new ConfigurationError(
    'Expected `{ transaction, query }` as the first argument: docs/transactions.md in the repository has it for ' +
      'your ORM.',
  );
}

type Status = 'completed' | 'done' | 'busy';

/**
 * Runs claim, callback and completion in a transaction of the merchant's; see {@link Transact}.
 *
 * @param afterCallback - called as soon as a callback has ended; throws if it left something running
 */
export function transactWithin<Tx>(
  access: TransactionAccess<Tx>,
  sql: TransactionSql,
  options: TransactionOptions,
  afterCallback: (tx: Tx) => void = () => undefined,
): Transact<Tx> {
  const duration = (name: 'slotTimeoutMs' | 'holdMs' | 'stepTimeoutMs', byDefault: number) =>
    checkDuration(name, options[name] ?? byDefault, LONGEST_TIMER_MS);
  const slotTimeoutMs = duration('slotTimeoutMs', 25_000);
  const holdMs = duration('holdMs', 15_000);
  const stepTimeoutMs = duration('stepTimeoutMs', 5_000);
  const slots = new Semaphore(checkCount('maxTransactions', options.maxTransactions ?? 4), slotTimeoutMs);

  return async (request, work) => {
    checkDuration('retentionMs', request.retentionMs);
    const callbackMs = checkDuration('timeoutMs', request.timeoutMs, LONGEST_TIMER_MS) + holdMs;
    const timeoutMs = Math.min(callbackMs + 2 * stepTimeoutMs, LONGEST_TIMER_MS);
    const attempt = new Attempt(access, sql, request, work, afterCallback, timeoutMs);
    const inStep = <Value>(promise: Promise<Value>) =>
      withTimeLimit(stepTimeoutMs, promise, `The database did not answer within ${stepTimeoutMs} ms.`);

    const first = await inStep(attempt.read(undefined));
    const early = attempt.decide(first);
    if (early.status !== 'claimed') return { status: early.status };
    await request.prepare?.();

    let isMissing = first.version === 0;
    for (let tries = 1; tries <= 2; tries += 1) {
      if (isMissing) await inStep(attempt.makeRecord(first.now));
      await slots.acquire();
      const transaction = attempt.transaction();
      const releaseSlot = () => slots.release();
      transaction.then(releaseSlot, releaseSlot);
      try {
        await inStep(Promise.race([attempt.callbackStarted, transaction]));
        await withTimeLimit(timeoutMs, transaction, `The transaction took longer than ${timeoutMs} ms.`);
      } catch (error) {
        throw attempt.abandon(error);
      }
      const status = attempt.status();
      if (status !== 'missing') return { status };
      isMissing = true;
    }
    return { status: 'busy' };
  };
}

/** A record as it was read. Version 0: there is none. */
interface Row {
  readonly record: SubjectRecord;
  readonly version: number;
  readonly now: number;
}

/** A record that is made before its transaction begins is kept for an hour, which is longer than a transaction. */
const HOUR_MS = 3_600_000;

/** One notification, through as many transactions as it takes. */
class Attempt<Tx> {
  readonly #access: TransactionAccess<Tx>;
  readonly #sql: TransactionSql;
  readonly #request: TransactRequest;
  readonly #work: (tx: Tx, claim: Claim) => Promise<void>;
  readonly #afterCallback: (tx: Tx) => void;
  readonly #timeoutMs: number;
  readonly #key: string;
  readonly #token = newToken();
  #started: () => void = () => undefined;
  readonly callbackStarted = new Promise<void>((resolve) => {
    this.#started = resolve;
  });
  /** What the last run of the transaction's work came to. */
  #ending: { readonly status: Status | 'missing' } | { readonly error: unknown } | undefined;
  #isAbandoned = false;

  constructor(
    access: TransactionAccess<Tx>,
    sql: TransactionSql,
    request: TransactRequest,
    work: (tx: Tx, claim: Claim) => Promise<void>,
    afterCallback: (tx: Tx) => void,
    timeoutMs: number,
  ) {
    this.#access = access;
    this.#sql = sql;
    this.#request = request;
    this.#work = work;
    this.#afterCallback = afterCallback;
    this.#timeoutMs = timeoutMs;
    this.#key = keyOf(request.subject);
  }

  decide({ record, now }: Row) {
    const claim = { state: this.#request.state, token: this.#token, now, leaseMs: this.#timeoutMs };
    return decideClaim(record, claim);
  }

  async read(tx: Tx | undefined): Promise<Row> {
    const row = this.#rowOf(await this.#query(tx, this.#sql.read(this.#key)));
    if (row === undefined) throw unexpectedReply('read');
    return row;
  }

  /** Makes the record that a transaction locks. */
  async makeRecord(now: number): Promise<void> {
    await this.#write(undefined, NO_RECORD, {
      version: 0,
      next: nextVersion(0, now),
      expiresAt: now + HOUR_MS,
    });
  }

  async transaction(): Promise<void> {
    await this.#access.transaction((tx) => this.#run(tx), { timeoutMs: this.#timeoutMs });
  }

  /** Whatever still happens in the transaction, it is rolled back. Returns the error to report. */
  abandon(error: unknown): unknown {
    this.#isAbandoned = true;
    // An ORM may have wrapped it.
    return this.#ending !== undefined && 'error' in this.#ending ? this.#ending.error : error;
  }

  status(): Status | 'missing' {
    if (this.#ending !== undefined && 'status' in this.#ending) return this.#ending.status;
    throw new StoreError(
      '`transaction` of the access resolved, but its work has failed or never ran. Return the promise of your ORM’s ' +
        'transaction, and let what work throws reach your ORM.',
      { cause: this.#ending?.error },
    );
  }

  /** May run more than once, if the ORM retries. */
  async #run(tx: Tx): Promise<void> {
    this.#ending = undefined;
    try {
      this.#ending = { status: await this.#claimAndComplete(tx) };
    } catch (error) {
      this.#ending = { error };
      throw error;
    }
  }

  async #claimAndComplete(tx: Tx): Promise<Status | 'missing'> {
    this.#refuseIfAbandoned();
    const locked = this.#rowOf(await this.#query(tx, this.#sql.lock(this.#key, this.#timeoutMs)));
    if (locked === undefined) {
      const row = await this.read(tx);
      if (row.version === 0) return 'missing';
      return this.decide(row).status === 'done' ? 'done' : 'busy';
    }
    const decision = this.decide(locked);
    if (decision.status !== 'claimed') return decision.status;

    const lockedAt = performance.now();
    const { subject, state, retentionMs } = this.#request;
    const version = nextVersion(locked.version, locked.now);
    const { handledStates, next = NO_RECORD } = decision;
    const savepoint = `pix_${newToken().replaceAll('-', '')}`;
    await this.#query(tx, { text: `SAVEPOINT ${savepoint}`, values: [] });
    this.#refuseIfAbandoned();
    this.#started();
    try {
      await this.#work(tx, { subject, state, token: this.#token, fence: version, handledStates });
    } finally {
      this.#afterCallback(tx);
    }
    this.#refuseIfAbandoned();
    await this.#release(tx, savepoint);

    const now = locked.now + Math.ceil(performance.now() - lockedAt);
    const completion = decideComplete(next, { state, token: this.#token, now, retentionMs });
    const record = completion.next ?? next;
    const change = { version: locked.version, next: version, expiresAt: expiryOf(record, version) };
    if (!(await this.#write(tx, record, change))) {
      throw new StoreError(
        'The record of the notification was changed while its callback held it, so the transaction is rolled back. ' +
          "Look for callbacks that end their transaction, or write to the store's table.",
      );
    }
    return 'completed';
  }

  /** Fails if the callback ended the transaction, or swallowed an error after which PostgreSQL refuses to go on. */
  async #release(tx: Tx, savepoint: string): Promise<void> {
    try {
      await this.#query(tx, { text: `RELEASE SAVEPOINT ${savepoint}`, values: [] });
    } catch (cause) {
      throw new StoreError(
        'The callback returned, but its transaction cannot be committed; `cause` says why. It probably caught an SQL ' +
          'error, which leaves the transaction failed, or ended the transaction itself. Let SQL errors be thrown, or ' +
          'use a savepoint (a nested transaction of your ORM).',
        { cause },
      );
    }
  }

  #refuseIfAbandoned(): void {
    if (this.#isAbandoned) throw new StoreError('The transaction took too long, and is rolled back.');
  }

  async #query(tx: Tx | undefined, { text, values }: Statement): Promise<readonly unknown[]> {
    return rowsOf(await this.#access.query(tx, text, values));
  }

  /** Inside a transaction, the lock makes sure that a write cannot come too late. */
  async #write(
    tx: Tx | undefined,
    record: SubjectRecord,
    change: Omit<WriteRecord, 'record' | 'before'>,
  ): Promise<boolean> {
    const written = { ...change, record: recordToText(record), before: Number.MAX_SAFE_INTEGER };
    let rows: readonly unknown[] = [];
    for (const statement of this.#sql.write(this.#key, written)) rows = await this.#query(tx, statement);
    return rows.length === 1;
  }

  #rowOf(rows: readonly unknown[]): Row | undefined {
    if (rows.length === 0) return undefined;
    const { record, version, now } = readRow(rows[0], this.#sql.unitMs);
    if (rows.length > 1 || !Number.isSafeInteger(version) || !Number.isSafeInteger(now)) {
      throw unexpectedReply('read');
    }
    return { record: recordFromText(record), version, now };
  }
}

/** None for a statement that has no rows. */
export function rowsOf(answer: TransactionRows | undefined): readonly unknown[] {
  return rowsIn(answer) ?? [];
}
