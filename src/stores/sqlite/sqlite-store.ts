import { ConfigurationError, StoreError } from '../../errors';
import { sleep } from '../../shared/time';
import { checkCount, checkDuration } from '../../values/option-checks';
import type { Claim, ClaimResult, IdempotencyStore } from '../idempotency-store';
import { storableState, storableSubject } from '../names';
import type { ParkedNotification, ParkedQuery, ParkRequest } from '../parked';
import { newToken, parkedAsText } from '../replies';
import { isConfirmed, readClaimRow, readParkedRows } from '../rows';
import { checkParkedQuery } from '../store-arguments';
import { mayPass, type SqliteDatabase, type SqliteStatement } from './database';
import { type SqliteStatements, type SqliteTable, sqliteStatements } from './sql';

/** Where a {@link SqliteStore} keeps its records. */
export interface SqliteStoreOptions {
  /** The table's name, unquoted. Default: `'pix_automatic_notifications'`. */
  readonly table?: string | undefined;

  /**
   * How long a step is retried while another process holds the database, in milliseconds; it then fails with a
   * `StoreError`. Each try also waits for the database's own `busy_timeout`, which blocks this process. Default: 2000.
   */
  readonly busyTimeoutMs?: number | undefined;
}

/**
 * An idempotency store in an SQLite file, for the processes of one machine, without a database server. It uses a
 * `DatabaseSync` of `node:sqlite` (Node 22 and later) or a `Database` of `better-sqlite3`, with SQLite 3.38 or later.
 *
 * ```ts
 * const database = new DatabaseSync('notifications.db');
 * database.exec('PRAGMA busy_timeout = 5000');
 * database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 100');
 * const store = new SqliteStore(database);
 * await store.createTable();
 * setInterval(() => store.deleteExpired().catch(console.error), 3_600_000).unref();
 * ```
 *
 * The first `busy_timeout` is for opening the file, which another process may hold at that moment: without it the next
 * `PRAGMA` throws `database is locked`. The last one is for the steps.
 *
 * - **Guarantees**: those of {@link IdempotencyStore}, among all processes that open the file. Each change is one
 *   statement, timed by SQLite's clock, which is the machine's. The effect happens at least once; one callback at a
 *   time per subject.
 * - **Needs**: a local disk (not NFS), and a connection of its own: a rollback on it would undo the steps, so they are
 *   refused while a transaction is open (with node:sqlite only from Node 24 on). WAL, so that readers do not block it.
 *   `synchronous = FULL`, because with less (the default of better-sqlite3 in WAL) a power failure can undo the last
 *   steps. A short `busy_timeout`, because it blocks the process.
 * - **A crash** of the process or, with `FULL`, of the machine leaves either the old record or the new one. If a
 *   listener dies with a lease, the lease runs out.
 */
export class SqliteStore implements IdempotencyStore {
  readonly #database: SqliteDatabase;
  readonly #sql: SqliteStatements;
  readonly #busyTimeoutMs: number;
  readonly #prepared = new Map<string, SqliteStatement>();

  /**
   * @param database - a `DatabaseSync` of `node:sqlite`, or a `Database` of better-sqlite3, for this store alone
   * @throws `ConfigurationError` for an option that cannot work, or a database that it cannot use
   */
  constructor(database: SqliteDatabase, options: SqliteStoreOptions = {}) {
    if (typeof database?.prepare !== 'function' || typeof database.exec !== 'function') {
      throw new ConfigurationError(
        'Expected an SQLite database as the first argument: a `new DatabaseSync(path)` of node:sqlite, or a ' +
          '`new Database(path)` of better-sqlite3.',
      );
    }
    this.#database = database;
    this.#sql = sqliteStatements(options.table ?? 'pix_automatic_notifications');
    this.#busyTimeoutMs = checkDuration('busyTimeoutMs', options.busyTimeoutMs ?? 2000);
  }

  async claim(subject: string, state: string, leaseMs: number): Promise<ClaimResult> {
    const duration = checkDuration('leaseMs', leaseMs);
    const asked = { subject, state, token: newToken() };
    const names = { subject: storableSubject(subject), state: storableState(state), token: asked.token };
    const claimed = await this.#run(this.#sql.claim, { ...names, duration });
    if (!Array.isArray(claimed) || claimed.length > 0) return readClaimRow(claimed, asked);
    // A second statement is safe: a done state stays done, and anything else is busy.
    return readClaimRow(await this.#run(this.#sql.read, names), asked);
  }

  async complete(claim: Claim, retentionMs: number): Promise<boolean> {
    const duration = checkDuration('retentionMs', retentionMs);
    const { token } = claim;
    const names = { subject: storableSubject(claim.subject), state: storableState(claim.state), token };
    return isConfirmed('complete', await this.#run(this.#sql.complete, { ...names, duration }), token);
  }

  async release(claim: Claim): Promise<void> {
    await this.#run(this.#sql.release, { subject: storableSubject(claim.subject), token: claim.token });
  }

  /**
   * Creates the tables (for records and for parked notifications) and their indexes if they are missing. Any number of
   * processes may call it at the same time.
   *
   * @throws `ConfigurationError` if one of the tables exists and lacks a column or has a trigger
   */
  async createTable(): Promise<void> {
    for (const table of this.#sql.tables) {
      for (const statement of table.statements) {
        await this.#retried(() => this.#database.exec(statement));
        // Checked before the index is created, because a foreign table may lack its column.
        await this.#check(table);
      }
    }
  }

  /** Returns the SQL that `createTable` runs, for your migrations. */
  createTableSql(): string {
    const statements = this.#sql.tables.flatMap((table) => table.statements);
    return statements.map((statement) => `${statement};\n`).join('');
  }

  /**
   * Deletes expired records and parked notifications: call it regularly, and again while it returns the limit.
   *
   * @param options - `limit`: how many at most; deleting blocks the process. Default: 1000
   * @returns how many were deleted
   */
  async deleteExpired(options: { readonly limit?: number | undefined } = {}): Promise<number> {
    const limit = checkCount('limit', options.limit ?? 1000);
    const records = (await this.#run(this.#sql.deleteExpired, { limit })).length;
    if (records === limit) return records;
    const rest = { limit: limit - records };
    return records + (await this.#run(this.#sql.deleteExpiredParked, rest)).length;
  }

  /**
   * Parks the notification in the table `…_parked`, which then holds personal data, in the notification's body;
   * `deleteExpired` deletes it after `retentionMs`.
   */
  async park(notification: ParkRequest, retentionMs: number): Promise<void> {
    const duration = checkDuration('retentionMs', retentionMs);
    const values = { key: storableSubject(notification.key), entry: parkedAsText(notification), duration };
    await this.#run(this.#sql.park, values);
  }

  /** Lists parked notifications, least recently failed first. */
  async parked(query: ParkedQuery = {}): Promise<ParkedNotification[]> {
    const { since, limit, key } = checkParkedQuery(query);
    const name = key === undefined ? '' : storableSubject(key);
    return readParkedRows(await this.#run(this.#sql.parked, { key: name, since, limit }));
  }

  /** Removes the notification that is parked under a key. */
  async unpark(key: string): Promise<void> {
    await this.#run(this.#sql.unpark, { key: storableSubject(key) });
  }

  async #check(table: SqliteTable): Promise<void> {
    const [row] = await this.#run(this.#sql.inspect, { table: table.name });
    const { columns, triggers } = row as { readonly columns: string; readonly triggers: string };
    const found: readonly string[] = JSON.parse(columns);
    const missing = table.columns.filter((column) => !found.includes(column));
    if (missing.length > 0 || triggers !== '[]') throw notOurTable(table.name, missing);
  }

  async #run(sql: string, values: Record<string, string | number>): Promise<unknown[]> {
    return this.#retried(() => {
      const statement = this.#prepared.get(sql) ?? this.#database.prepare(sql);
      this.#prepared.set(sql, statement);
      // Not `get`, which stops at the first row and hides a failure of the commit that follows.
      return statement.all(values);
    });
  }

  async #retried<Result>(step: () => Result): Promise<Result> {
    const deadline = performance.now() + this.#busyTimeoutMs;
    for (;;) {
      if (this.#database.inTransaction === true || this.#database.isTransaction === true) {
        throw new StoreError(
          "A transaction is open on the store's SQLite connection, and its rollback would undo the step. " +
            'Give the store a connection of its own.',
        );
      }
      try {
        return step();
      } catch (error) {
        if (!mayPass(error)) throw error;
        if (performance.now() > deadline) throw stillHeld(this.#busyTimeoutMs, error);
      }
      await sleep(5 + Math.random() * 20);
    }
  }
}

function stillHeld(busyTimeoutMs: number, cause: unknown): StoreError {
  return new StoreError(
    `Another connection held the SQLite database for all of busyTimeoutMs (${busyTimeoutMs} ms). Look for a process ` +
      'with a long transaction on the file, such as a backup or a shell, and use WAL, so that readers do not block it.',
    { cause },
  );
}

function notOurTable(table: string, missing: readonly string[]): ConfigurationError {
  const what = missing.length > 0 ? `has no column ${missing.join(', ')}` : 'has a trigger';
  return new ConfigurationError(
    `The table "${table}" ${what}, so it is not one that createTable made. ` +
      'Pass the name of a table for the store alone, or drop this one if nothing else uses it.',
  );
}
