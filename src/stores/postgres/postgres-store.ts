import { ConfigurationError } from '../../errors';
import { LONGEST_TIMER_MS } from '../../shared/time';
import { checkCount, checkDuration } from '../../values/option-checks';
import type { Claim, ClaimResult, IdempotencyStore, Transact } from '../idempotency-store';
import { storableState, storableSubject } from '../names';
import type { ParkedNotification, ParkedQuery, ParkRequest } from '../parked';
import { newToken, parkedAsText } from '../replies';
import { isConfirmed, readClaimRow, readParkedRows, tokensOf } from '../rows';
import { checkParkedQuery } from '../store-arguments';
import { AbandonedClaims, mayStillHappen } from './abandoned-claims';
import type { PostgresPool, PostgresQueryable, PostgresRows } from './client';
import { connectionFor, isPool } from './connection';
import { Slots } from './slots';
import { type PostgresStatements, postgresStatements } from './sql';
import { createTable } from './table';
import { transact } from './transact';
import type { PostgresTransaction } from './transaction';

/** How long a transaction holds the subject of a callback that has outlived its time. Equals the handler's margin. */
const HOLD_MS = 15_000;

/** The default `max` of a `pg` pool. */
const POOL_MAX = 10;

/** Where a {@link PostgresStore} keeps its records, and how it uses the database. */
export interface PostgresStoreOptions<Transactional extends boolean = boolean> {
  /** The table's schema, unquoted; it must exist. Default: the first of the connection's `search_path`. */
  readonly schema?: string | undefined;

  /**
   * The table's name, unquoted, of up to 52 bytes. Parked notifications are in a table of their own, with `_parked`
   * added to this name. Default: `'pix_automatic_notifications'`.
   */
  readonly table?: string | undefined;

  /**
   * Whether callbacks run in a transaction that also holds the notification's record, and get it as
   * `context.transaction`: what they write there happens exactly once. Needs a pool. Default: `false`.
   */
  readonly transactional?: Transactional | undefined;

  /**
   * How long the store waits for PostgreSQL, in milliseconds. Plain mode: for a free connection and the answer
   * together. Transactional mode: for a slot and a free connection together, and then for each of the store's own
   * statements (a transaction has five). A pool's connection that does not answer in time is closed. At most
   * 2,147,483,647, some 24.8 days. Default: 5000.
   */
  readonly stepTimeoutMs?: number | undefined;

  /**
   * Transactional mode: how many transactions the store has open at a time. The others wait for a slot and a
   * connection, `stepTimeoutMs` in all. Each transaction holds a connection for as long as its callback runs, so stay
   * below the pool's `max` if callbacks also ask the pool; otherwise they wait for each other. Default: three quarters
   * of the pool's `max`, rounded up, at most `max - 1` and at least 1: 8 for pg's default of 10.
   */
  readonly maxTransactions?: number | undefined;
}

/**
 * An idempotency store in PostgreSQL 11 or later, over your `pg` pool. A PGlite works too, in plain mode.
 *
 * ```ts
 * const pool = new Pool({ connectionTimeoutMillis: 5_000, keepAlive: true });
 * pool.on('error', console.error); // of an idle connection; without a listener, `pg` ends the process
 * const store = new PostgresStore(pool, { transactional: true });
 * await store.createTable(); // or put store.createTableSql() in a migration
 * setInterval(() => store.deleteExpired().catch(console.error), 3_600_000).unref();
 * ```
 *
 * **Plain mode** guarantees what {@link IdempotencyStore} says: each step is one statement, timed by the database's
 * clock. The effect happens at least once; one callback at a time per subject. A crash before a step's statement
 * commits leaves the old record; a crash after it leaves the new one. If a listener dies with a lease, the lease runs
 * out.
 *
 * A step that PostgreSQL does not answer within `stepTimeoutMs` rejects, and its connection is closed, so that a pool
 * whose connections have gone silent gets new ones. A server that stalled may carry out a claim later, after the store
 * has stopped waiting for it. The store then releases the lease: it asks once a second, for five minutes, for up to
 * 1000 claims at a time, so a delivery finds the subject free about a second after the server resumes. If the process
 * is gone as well, such a lease lasts its full time (40 s with the handler's defaults) from when the server resumes. A
 * delivery in that time is answered 503, and its notification is lost only if it was the sixth.
 *
 * **Transactional mode** makes what callbacks write through `context.transaction` happen **exactly once**: the claim,
 * the writes and the completion are one transaction, and `200` is answered only when its `COMMIT` was confirmed. A
 * crash at any point leaves all of it or nothing. Effects elsewhere (a mail, an HTTP call) still happen at least once.
 * Duplicates find the subject's advisory lock taken and are `'busy'` at once, without waiting. If a callback catches an
 * SQL error or ends the transaction itself, `transact` rejects. A rolled-back claim leaves no fence: two claims less
 * than a millisecond apart can have the same one if the first is rolled back.
 *
 * - **Connections.** Each running callback holds one, and `maxTransactions` limits how many run at a time. A callback
 *   may ask the same pool for one connection at a time. If several stores use one pool, divide its connections among
 *   them.
 * - **A server that crashes** frees the subject while its callback is still running, and rolls back what it wrote.
 * - **A callback that outlives `timeoutMs`** makes `transact` reject at once, and can send nothing more. The
 *   transaction stays open, and keeps the subject, its row locks and its connection, until the callback has ended, but
 *   no longer than 15 s. Then all of it is rolled back.
 * - **A listener that stops dead** with its connection open: the server ends its transaction. A statement may run for
 *   `timeoutMs` plus `stepTimeoutMs`, and between statements the transaction may wait for 15 s more than that (46 s
 *   with the handler's defaults). After the same time, `tcp_user_timeout` ends a transaction whose rows the listener
 *   does not read, but only on PostgreSQL 12 or later, on Linux, over TCP. Elsewhere, if the listener was stopped while
 *   rows were being sent to it, nothing on the server ends the transaction until the process ends or resumes. On
 *   PostgreSQL 17 the whole transaction has the same limit. Lower timeouts set for your server or role stay in force:
 *   one that ends the transaction of a running callback also frees its subject.
 * - **Settings that a callback changes** with `SET LOCAL` last for its transaction. The record is written whatever the
 *   `search_path`. If the callback's SQL contains the word `role`, the original role is restored before the record is
 *   written; a role that a function set needs `SELECT` and `UPDATE` on the table.
 *
 * The listener's role needs `SELECT`, `INSERT`, `UPDATE` and `DELETE` on both tables, and `USAGE` on their schema;
 * `createTable` needs more. The store remembers the 64 newest states of a subject. Set `connectionTimeoutMillis` and
 * `keepAlive: true` in the pool: without the first, connections to a server that does not answer fill the pool, and
 * without the second, a lost idle connection is noticed only when it is used. `connectionTimeoutMillis` must be longer
 * than connecting takes on a busy day; otherwise the pool ends each connection before it is ready, and never gets one.
 * It may be longer than `stepTimeoutMs`: a connection that is ready too late for its step is used by the next one.
 *
 * Both modes need the primary: on an asynchronous replica promoted after a failure, the last commits can be missing.
 * While listeners of both modes share a table, a plain claim waits for a running transaction of its subject. A pooler
 * such as PgBouncer may be in session or transaction mode.
 */
export class PostgresStore<Transactional extends boolean = false>
  implements IdempotencyStore<PostgresTransaction>
{
  /** Defined in transactional mode only. */
  declare readonly transact: [Transactional] extends [true] ? Transact<PostgresTransaction> : undefined;

  readonly #database: PostgresQueryable;
  readonly #sql: PostgresStatements;
  readonly #stepTimeoutMs: number;
  readonly #abandoned: AbandonedClaims;

  /**
   * @param database - a `Pool` of `pg`; in plain mode also a `Client` or a `PGlite`
   * @throws `ConfigurationError` for an option that cannot work, or a database that it cannot use
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
    // Create the token before the statement is sent: if the driver resends it, it recognizes its own lease.
    const token = newToken();
    const stored = storableSubject(subject);
    // Outside the `try`: without a connection, nothing was claimed.
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
   * Creates the tables (for records and for parked notifications) and their indexes if they are missing. Any number of
   * processes may call it at the same time.
   *
   * The schema must exist, and the role needs `USAGE` and `CREATE` on it. A table that exists already must be an
   * ordinary one with the columns of {@link createTableSql}, without triggers, rules or row security. It must belong to
   * the role, or to one that the role is a member of: whoever owns the table can make a notification run twice.
   *
   * @throws `StoreError` for a table that cannot be used or created; the message says what to change
   */
  async createTable(): Promise<void> {
    // Without a time limit: creating a missing index on a large table can take long.
    const run = (text: string, values: unknown[]) => this.#database.query(text, values);
    for (const table of this.#sql.tables) await createTable(run, table);
  }

  /**
   * Returns the SQL that `createTable` runs, for your migrations. The listener's role then needs `SELECT`, `INSERT`,
   * `UPDATE` and `DELETE` on both tables.
   */
  createTableSql(): string {
    return this.#sql.tables.map(({ create, createIndex }) => `${create};\n${createIndex};\n`).join('');
  }

  /**
   * Deletes expired records and parked notifications: call it regularly, and again while it returns the limit. Records
   * in use are skipped, and claims do not wait for it.
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
   * Parks the notification in the table `…_parked`, outside any transaction, because the callback's was rolled back.
   * The table then **holds personal data**, in the notifications' bodies; `deleteExpired` deletes them after
   * `retentionMs`.
   */
  async park(notification: ParkRequest, retentionMs: number): Promise<void> {
    const duration = checkDuration('retentionMs', retentionMs);
    await this.#run(this.#sql.park, [
      storableSubject(notification.key),
      parkedAsText(notification),
      duration,
    ]);
  }

  /** Lists parked notifications, least recently failed first. */
  async parked(query: ParkedQuery = {}): Promise<ParkedNotification[]> {
    const { since, limit, key } = checkParkedQuery(query);
    const name = key === undefined ? null : storableSubject(key);
    const { rows } = await this.#run(this.#sql.parked, [name, since, limit]);
    return readParkedRows(rows);
  }

  /** Removes the notification that is parked under a key. */
  async unpark(key: string): Promise<void> {
    await this.#run(this.#sql.unpark, [storableSubject(key)]);
  }

  async #run(text: string, values: unknown[]): Promise<PostgresRows> {
    const run = await connectionFor(this.#database, this.#stepTimeoutMs);
    return run(text, values);
  }
}

/** Leaves a quarter of the pool, and at least one connection, to callbacks that ask the pool. */
function threeQuarters(max: number): number {
  return Math.max(1, max - Math.max(1, Math.floor(max / 4)));
}
