import { ConfigurationError } from '../../errors';
import { LONGEST_TIMER_MS } from '../../shared/time';
import type { Claim, ClaimResult, IdempotencyStore, Transact } from '../idempotency-store';
import { storableState, storableSubject } from '../names';
import type { ParkedNotification, ParkedQuery, ParkRequest } from '../parked';
import { newToken, parkedAsText } from '../replies';
import { isConfirmed, readClaimRow, readParkedRows, tokensOf } from '../rows';
import { checkCount, checkDuration, checkParkedQuery } from '../store-arguments';
import { AbandonedClaims, mayStillHappen } from './abandoned-claims';
import type { PostgresPool, PostgresQueryable, PostgresRows } from './client';
import { connectionFor, isPool } from './connection';
import { Slots } from './slots';
import { type PostgresStatements, postgresStatements } from './sql';
import { createTable } from './table';
import { transact } from './transact';
import type { PostgresTransaction } from './transaction';

/** By how much a lease outlives its callback, and a transaction holds the subject of one that has not ended. */
const HOLD_MS = 15_000;

/** What `pg` gives a pool that is not told otherwise. */
const POOL_MAX = 10;

/** Where a {@link PostgresStore} keeps its records, and how. */
export interface PostgresStoreOptions<Transactional extends boolean = boolean> {
  /** The table's schema, unquoted; it must exist. Default: the first of the connection's `search_path`. */
  readonly schema?: string | undefined;

  /**
   * The table's name, unquoted, of up to 52 bytes. What is parked is in a table of its own, whose name ends in `_parked`.
   * Default: `'pix_automatic_notifications'`.
   */
  readonly table?: string | undefined;

  /**
   * Whether callbacks run in a transaction together with the notification's record, and get it as
   * `context.transaction`: what they write there happens exactly once. Needs a pool. Default: `false`.
   */
  readonly transactional?: Transactional | undefined;

  /**
   * How long PostgreSQL is waited for, in milliseconds. Plain mode: for a free connection and the answer together.
   * Transactional mode: for a slot and a free connection, and then for each of the store's own statements (a
   * transaction has five). A pool's connection is closed after that, and never used again. At most 2 147 483 647, some
   * 24.8 days. Default: 5000.
   */
  readonly stepTimeoutMs?: number | undefined;

  /**
   * Transactional mode: how many transactions the store has open at a time; the others wait, for `stepTimeoutMs`
   * together with their connection. Each holds a connection for as long as its callback runs, so stay below the pool's
   * `max` if callbacks also ask the pool, or nobody is served. Default: three quarters of the pool's `max`, rounded up, but at least one less than `max`, and
   * at least 1: 8 of pg's 10.
   */
  readonly maxTransactions?: number | undefined;
}

/**
 * An idempotency store in PostgreSQL 11 or later, over your `pg` pool. A PGlite works too, in the plain mode.
 *
 * ```ts
 * const pool = new Pool({ connectionTimeoutMillis: 5_000, keepAlive: true });
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
 * A step that PostgreSQL does not answer within `stepTimeoutMs` rejects, and its connection is closed, so that a pool
 * whose connections have gone silent gets new ones. A server that was stalled may carry a claim out later, when nobody
 * waits for it any more. The store then releases its lease: it asks once a second, for five minutes, for up to 1000
 * claims at a time, and a delivery finds the subject free about a second after the server goes on. Where the process is
 * gone as well, such a lease lasts its full time (40 s with the handler's defaults) from when the server goes on. A
 * delivery in that time is answered 503, and is lost only if it was the sixth.
 *
 * **Transactional mode** makes what callbacks write through `context.transaction` happen **exactly once**: the claim,
 * the writes and the completion are one transaction, and `200` is answered only when its `COMMIT` was confirmed. A
 * crash at any point leaves all of it or nothing. Effects elsewhere (a mail, an HTTP call) still happen at least once.
 * Duplicates find the subject's advisory lock taken and are `'busy'` at once, without waiting. A callback that catches
 * an SQL error or ends the transaction itself makes `transact` reject. What is rolled back leaves no fence: two claims
 * less than a millisecond apart, the first rolled back, may have the same.
 *
 * - **Connections.** Each running callback holds one, and `maxTransactions` bounds how many run at a time. Callbacks may
 *   ask the same pool for one connection at a time; several stores over one pool have to share it out.
 * - **A server that crashes** frees the subject while its callback is still at work, and rolls back what it wrote.
 * - **A callback that outlives `timeoutMs`** makes `transact` reject at once, and can send nothing more. Its transaction
 *   is kept open, and with it the subject, its row locks and its connection, until the callback has ended, for 15 s at
 *   most. Then all of it is rolled back.
 * - **A listener that stops dead** with its connection open is noticed by the server: a statement may run for
 *   `timeoutMs` and `stepTimeoutMs`, and between statements the transaction may wait for that and 15 s more (with the
 *   handler's defaults 46 s). Rows that nobody takes end it after the same time, by `tcp_user_timeout`: on PostgreSQL 12
 *   or later, on Linux, over TCP. Elsewhere nothing on the server ends a transaction whose listener was stopped while
 *   rows were sent to it, until the process ends or goes on. On PostgreSQL 17 the whole transaction has the same limit.
 *   Timeouts that your server or role has set lower stay: one that ends the transaction of a running callback also
 *   frees its subject.
 * - **Settings of a callback** last for its transaction if it says `SET LOCAL`. The record is written whatever its
 *   `search_path`. A role that it took by SQL with the word `role` in it is given back before; a role that a function
 *   took needs `SELECT` and `UPDATE` on the table.
 *
 * The listener's role needs `SELECT`, `INSERT`, `UPDATE` and `DELETE` on both tables, and `USAGE` on their schema;
 * `createTable` needs more. Of a subject, the 64 newest states are remembered. Set `connectionTimeoutMillis` and
 * `keepAlive: true` in the pool: without the first, connections to a server that does not answer fill the pool, and
 * without the second, an idle connection that was lost is noticed only when it is used. `connectionTimeoutMillis` has to
 * be longer than connecting takes on a busy day, or the pool ends each connection before it is ready, and never gets one.
 * It may be longer than `stepTimeoutMs`: a connection that is ready too late for its step is used by the next one.
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
    const stepTimeoutMs = checkDuration('stepTimeoutMs', options.stepTimeoutMs ?? 5000, LONGEST_TIMER_MS);
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
    const most = options.maxTransactions ?? threeQuarters(database.options?.max ?? POOL_MAX);
    const slots = new Slots(checkCount('maxTransactions', most));
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
   * Creates the tables (of the records, and of what is parked) and their indexes where they are missing. Any number of
   * processes may call it at the same time.
   *
   * The schema must exist, and the role needs `USAGE` and `CREATE` on it. A table that is there already must be an
   * ordinary one with the columns of {@link createTableSql}, without triggers, rules or row security, and belong to the
   * role or to one that it is a member of: whoever owns the table decides what is done twice.
   *
   * @throws `StoreError` for a table that cannot be used, or where it cannot be created; it says what to change
   */
  async createTable(): Promise<void> {
    // Without a time limit: an index that is missing on a large table takes as long as it takes.
    const run = (text: string, values: unknown[]) => this.#database.query(text, values);
    for (const table of this.#sql.tables) await createTable(run, table);
  }

  /**
   * What `createTable` runs, as text for your migrations. The listener's role then needs `SELECT`, `INSERT`, `UPDATE` and
   * `DELETE` on both tables.
   */
  createTableSql(): string {
    return this.#sql.tables.map(({ create, createIndex }) => `${create};\n${createIndex};\n`).join('');
  }

  /**
   * Deletes records and parked notifications that have expired: call it now and then, until it answers less than the
   * limit. Records in use are skipped, and claims do not wait for it.
   *
   * @param options - `limit`: how many at most. Default: 1000
   * @returns how many were deleted
   */
  async deleteExpired(options: { readonly limit?: number | undefined } = {}): Promise<number> {
    const limit = checkCount('limit', options.limit ?? 1000);
    const records = (await this.#run(this.#sql.deleteExpired, [limit])).rows.length;
    if (records === limit) return records;
    return records + (await this.#run(this.#sql.deleteExpiredParked, [limit - records])).rows.length;
  }

  /**
   * Keeps it in the table `…_parked`, outside any transaction: the callback's was rolled back. The table **holds personal
   * data** then, in the notifications' bodies; `deleteExpired` deletes them after `retentionMs`.
   */
  async park(notification: ParkRequest, retentionMs: number): Promise<void> {
    const duration = checkDuration('retentionMs', retentionMs);
    await this.#run(this.#sql.park, [
      storableSubject(notification.key),
      parkedAsText(notification),
      duration,
    ]);
  }

  /** What is parked, the one whose last failure is oldest first. */
  async parked(query: ParkedQuery = {}): Promise<ParkedNotification[]> {
    const { since, limit, key } = checkParkedQuery(query);
    const name = key === undefined ? null : storableSubject(key);
    const { rows } = await this.#run(this.#sql.parked, [name, since, limit]);
    return readParkedRows(rows);
  }

  /** Forgets what is parked under a key. */
  async unpark(key: string): Promise<void> {
    await this.#run(this.#sql.unpark, [storableSubject(key)]);
  }

  async #run(text: string, values: unknown[]): Promise<PostgresRows> {
    const run = await connectionFor(this.#database, this.#stepTimeoutMs);
    return run(text, values);
  }
}

/** As many transactions as leave a quarter of the pool, and at least one connection, to callbacks that ask the pool. */
function threeQuarters(max: number): number {
  return Math.max(1, max - Math.max(1, Math.floor(max / 4)));
}
