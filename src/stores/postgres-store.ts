import { ConfigurationError } from '../errors';
import type { Claim, ClaimResult, IdempotencyStore, Transact } from '../webhooks/idempotency-store';
import { checkCount, checkDuration } from '../webhooks/store-arguments';
import { storableState, storableSubject } from './names';
import { AbandonedClaims, mayStillHappen } from './postgres-abandoned-claims';
import type { PostgresPool, PostgresQueryable, PostgresRows } from './postgres-client';
import { connectionFor, isPool } from './postgres-connection';
import { Slots } from './postgres-slots';
import { type PostgresStatements, postgresStatements } from './postgres-sql';
import { createTable } from './postgres-table';
import { transact } from './postgres-transact';
import type { PostgresTransaction } from './postgres-transaction';
import { newToken } from './replies';
import { isConfirmed, readClaimRow, tokensOf } from './rows';

/** By how much a lease outlives its callback, and a transaction holds the subject of one that has not ended. */
const HOLD_MS = 15_000;

/** What `pg` gives a pool that is not told otherwise. */
const POOL_MAX = 10;

/** Where a {@link PostgresStore} keeps its records, and how. */
export interface PostgresStoreOptions<Transactional extends boolean = boolean> {
  /** The table's schema, unquoted; it must exist. Default: the first of the connection's `search_path`. */
  readonly schema?: string | undefined;

  /** The table's name, unquoted, of up to 52 bytes. Default: `'pix_automatic_notifications'`. */
  readonly table?: string | undefined;

  /**
   * Whether callbacks run in a transaction together with the notification's record, and get it as
   * `context.transaction`: what they write there happens exactly once. Needs a pool. Default: `false`.
   */
  readonly transactional?: Transactional | undefined;

  /**
   * How long PostgreSQL is waited for, in milliseconds. Plain mode: for a free connection and the answer together.
   * Transactional mode: for a slot and a free connection, and then for each of the store's own statements (a
   * transaction has five). A pool's connection is closed after that, and never used again. Default: 5000.
   */
  readonly stepTimeoutMs?: number | undefined;

  /**
   * Transactional mode: how many transactions the store has open at a time; the others wait, for `stepTimeoutMs`
   * together with their connection. Each holds a connection for as long as its callback runs, so stay below the pool's
   * `max` if callbacks also ask the pool, or nobody is served. Default: half of the pool's `max`, and at least 1.
   */
  readonly maxTransactions?: number | undefined;
}

/**
 * An idempotency store in PostgreSQL 11 or later, over your `pg` pool. A PGlite works too, in the plain mode.
 *
 * ```ts
 * const pool = new Pool();
 * pool.on('error', console.error); // of an idle connection; without a listener, `pg` ends the process
 * const store = new PostgresStore(pool, { transactional: true });
 * await store.createTable(); // or put store.createTableSql() in a migration
 * setInterval(() => void store.deleteExpired(), 3_600_000).unref();
 * ```
 *
 * **Plain mode** guarantees what {@link IdempotencyStore} says: each step is one statement, timed by the database's
 * clock. The effect happens at least once; one callback at a time for a subject. A crash before a step's statement
 * commits leaves the record as it was, after it as it became; a listener that dies with a lease loses it when the
 * lease ends.
 *
 * **Transactional mode** makes what callbacks write through `context.transaction` happen **exactly once**: the claim,
 * the writes and the completion are one transaction, and `200` is answered only when its `COMMIT` was confirmed. A
 * crash at any point leaves all of it or nothing. Effects elsewhere (a mail, an HTTP call) still happen at least once.
 * Duplicates find the subject's advisory lock taken and are `'busy'` at once, without waiting. A callback that catches
 * an SQL error or ends the transaction itself makes `transact` reject. Each running callback holds one connection, so
 * the pool's `max` bounds how many run at a time. What is rolled back leaves no fence: two claims less than a
 * millisecond apart, the first rolled back, may have the same.
 *
 * Both modes need the primary: on an asynchronous replica promoted after a failure, the last commits can be missing.
 * While listeners of both modes share a table, a plain claim waits for a running transaction of its subject. A pooler
 * such as PgBouncer may be in session or transaction mode.
 */
export class PostgresStore<Transactional extends boolean = false>
  implements IdempotencyStore<PostgresTransaction>
{
  /** Present in transactional mode only. */
  declare readonly transact: [Transactional] extends [true] ? Transact<PostgresTransaction> : undefined;

  readonly #database: PostgresQueryable;
  readonly #sql: PostgresStatements;
  readonly #stepTimeoutMs: number;
  readonly #abandoned: AbandonedClaims;

  /**
   * @param database - a `Pool` of `pg`; in the plain mode a `Client` or a `PGlite` will do
   * @throws `ConfigurationError` for an option that cannot work, or a database that is none
   */
  constructor(
    database: [Transactional] extends [false] ? PostgresQueryable : PostgresPool,
    options: PostgresStoreOptions<Transactional> = {},
  ) {
    if (typeof database?.query !== 'function') {
      throw new ConfigurationError(
        'Expected a database with a query method as the first argument: a `new Pool()` of pg, or a PGlite.',
      );
    }
    const sql = postgresStatements(options.table ?? 'pix_automatic_notifications', options.schema);
    const stepTimeoutMs = checkDuration('stepTimeoutMs', options.stepTimeoutMs ?? 5000);
    this.#database = database;
    this.#sql = sql;
    this.#stepTimeoutMs = stepTimeoutMs;
    this.#abandoned = new AbandonedClaims(async (subjects, tokens) => {
      const { rows } = await this.#run(sql.releaseAll, [subjects, tokens]);
      return tokensOf(rows);
    });

    if (options.transactional !== true) return;
    if (!isPool(database)) {
      throw new ConfigurationError(
        'Expected a pool with a connect method for transactional: true, because each callback needs a connection of ' +
          'its own: pass a `new Pool()` of pg.',
      );
    }
    const half = Math.max(1, Math.floor((database.options?.max ?? POOL_MAX) / 2));
    const slots = new Slots(checkCount('maxTransactions', options.maxTransactions ?? half));
    const settings = { pool: database, slots, sql, stepTimeoutMs, holdMs: HOLD_MS };
    const run: Transact<PostgresTransaction> = (request, work) => transact(settings, request, work);
    Object.assign(this, { transact: run });
  }

  async claim(subject: string, state: string, leaseMs: number): Promise<ClaimResult> {
    const duration = checkDuration('leaseMs', leaseMs);
    // Made before the statement is sent: when it is sent again, it sees whose lease it is.
    const token = newToken();
    const stored = storableSubject(subject);
    // Where there is no connection, nothing was claimed.
    const run = await connectionFor(this.#database, this.#stepTimeoutMs);
    try {
      const { rows } = await run(this.#sql.claim, [stored, storableState(state), token, duration]);
      return readClaimRow(rows, { subject, state, token });
    } catch (error) {
      if (mayStillHappen(error)) this.#abandoned.add(stored, token);
      throw error;
    }
  }

  async complete(claim: Claim, retentionMs: number): Promise<boolean> {
    const duration = checkDuration('retentionMs', retentionMs);
    const values = [storableSubject(claim.subject), storableState(claim.state), claim.token, duration];
    const { rows } = await this.#run(this.#sql.complete, values);
    return isConfirmed('complete', rows, claim.token);
  }

  async release(claim: Claim): Promise<void> {
    await this.#run(this.#sql.release, [storableSubject(claim.subject), claim.token]);
  }

  /**
   * Creates the table and its index where they are missing. Any number of processes may call it at the same time.
   *
   * The schema must exist, and the role needs `USAGE` and `CREATE` on it. A table that is there already must be an
   * ordinary one with the columns of {@link createTableSql}, without triggers, rules or row security, and belong to the
   * role or to one that it is a member of: whoever owns the table decides what is done twice.
   *
   * @throws `StoreError` for a table that cannot be used, or where it cannot be created; it says what to change
   */
  async createTable(): Promise<void> {
    // Without a time limit: an index that is missing on a large table takes as long as it takes.
    await createTable((text, values) => this.#database.query(text, values), this.#sql);
  }

  /** What `createTable` runs, as text for your migrations. The listener's role then needs `SELECT`, `INSERT`, `UPDATE` and `DELETE` on the table. */
  createTableSql(): string {
    return `${this.#sql.createTable};\n${this.#sql.createIndex};\n`;
  }

  /**
   * Deletes records that have expired: call it now and then, until it answers less than the limit. Records in use are
   * skipped, and claims do not wait for it.
   *
   * @param options - `limit`: how many at most in one statement. Default: 1000
   * @returns how many were deleted
   */
  async deleteExpired(options: { readonly limit?: number | undefined } = {}): Promise<number> {
    const limit = checkCount('limit', options.limit ?? 1000);
    const { rows } = await this.#run(this.#sql.deleteExpired, [limit]);
    return rows.length;
  }

  async #run(text: string, values: unknown[]): Promise<PostgresRows> {
    const run = await connectionFor(this.#database, this.#stepTimeoutMs);
    return run(text, values);
  }
}
