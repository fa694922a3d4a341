import { ConfigurationError } from '../errors/configuration-error';
import { StoreError } from '../errors/store-error';
import { sleep } from '../shared/time';
import { checkDuration, type OptionNames, readNamedOptions } from '../values/option-checks';
import { type NamespaceOptions, StoreOverRecords } from './record-store';
import { SqlRecords } from './sql-records';

/** The part of a `DatabaseSync` (`node:sqlite`) or a `Database` (bun, better-sqlite3, libsql) that the store uses. */
export interface SqliteDatabase {
  /** Compiles a statement. */
  prepare(sql: string): SqliteStatement;
  /** Whether a transaction is open, in bun, better-sqlite3 and libsql. */
  readonly inTransaction?: boolean;
  /** Whether a transaction is open, in node:sqlite from Node 24 on. */
  readonly isTransaction?: boolean;
}

/** A compiled statement. */
export interface SqliteStatement {
  /** Runs the statement, with values for its question marks, and returns all rows. */
  all(...values: (string | number)[]): unknown[];
  /** Runs a statement that returns no rows. */
  run(): unknown;
}

/** The part of a client of `@libsql/client` (Turso) that the store uses. */
export interface LibsqlClient {
  /** Runs a statement, with values for its question marks. */
  execute(statement: { sql: string; args: (string | number)[] }): Promise<{
    /** The rows that it gives. */
    readonly rows: unknown[];
  }>;
}

/** Where a {@link SqliteStore} keeps its records. */
export interface SqliteStoreOptions extends NamespaceOptions {
  /** The table's name, unquoted. Default: `'pix_automatic'`. */
  readonly table?: string | undefined;

  /**
   * How long a statement is tried again while another process holds the database, in milliseconds; it then fails with
   * a `StoreError`. Default: 2000.
   */
  readonly busyTimeoutMs?: number | undefined;
}

/**
 * A store in an SQLite file, for the processes of one machine, without a database server. It uses a
 * `DatabaseSync` of `node:sqlite` (Node 22 and later), a `Database` of bun, better-sqlite3 or libsql, or a client of
 * `@libsql/client`, with SQLite 3.35 or later.
 *
 * ```ts
 * const database = new DatabaseSync('notifications.db', { timeout: 5000 });
 * database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
 * const store = new SqliteStore(database);
 * await store.createTable();
 * setInterval(() => store.deleteExpired().catch(console.error), 3_600_000).unref();
 * ```
 *
 * - **Guarantees**: one callback at a time per subject, among all processes that open the file, by SQLite's clock, which
 *   is the machine's; the effect happens at least once.
 * - **Needs**: a local disk (not NFS), and a connection of its own: a rollback on it would undo the steps, so they are
 *   refused while a transaction is open (with node:sqlite only from Node 24 on). WAL, so that readers do not block it.
 *   `synchronous = FULL`, because with less (the default of better-sqlite3 in WAL) a power failure can undo the last
 *   steps.
 * - **Waiting**: SQLite's own `busy_timeout` blocks the whole process, so the store sets it to 0 on its connection, and
 *   tries again by itself until `busyTimeoutMs`.
 * - **A crash** of the process or, with `FULL`, of the machine leaves either the old record or the new one.
 */
export class SqliteStore extends StoreOverRecords {
  /**
   * @param database - a database for this store alone
   * @throws `ConfigurationError` for an option that cannot work, or a database that it cannot use
   */
  constructor(database: SqliteDatabase | LibsqlClient, options: SqliteStoreOptions = {}) {
    const own = readNamedOptions('SqliteStore', options, NAMES);
    const { table, namespace, busyTimeoutMs = 2000 } = own;
    const run = patiently(statementRunner(database), checkDuration('busyTimeoutMs', busyTimeoutMs));
    super(new SqlRecords(run, 'sqlite', { table }), { namespace });
  }
}

const NAMES: OptionNames<SqliteStoreOptions> = { table: true, namespace: true, busyTimeoutMs: true };

/** Tries a statement again while another connection holds the file, or has just changed the schema. */
function patiently(execute: Execute, busyTimeoutMs: number): Execute {
  return async (sql, values) => {
    const deadline = performance.now() + busyTimeoutMs;
    for (;;) {
      try {
        return await execute(sql, values);
      } catch (error) {
        if (!mayPass(error)) throw error;
        if (performance.now() > deadline) throw stillHeld(busyTimeoutMs, error);
      }
      await sleep(5 + Math.random() * 20);
    }
  };
}

type Execute = (sql: string, values: (string | number)[]) => Promise<unknown[]>;

function statementRunner(database: SqliteDatabase | LibsqlClient): Execute {
  if (typeof database === 'object' && database !== null) {
    if ('prepare' in database && typeof database.prepare === 'function') return inProcess(database);
    if ('execute' in database && typeof database.execute === 'function') {
      return async (sql, args) => [...(await database.execute({ sql, args })).rows];
    }
  }
  throw new ConfigurationError(
    'Expected an SQLite database as the first argument: a `new DatabaseSync(path)` of node:sqlite, a ' +
      '`new Database(path)` of bun, better-sqlite3 or libsql, or the result of `createClient()` of @libsql/client.',
  );
}

function inProcess(database: SqliteDatabase): Execute {
  let waitsByItself = true;
  const prepared = new Map<string, SqliteStatement>();
  return async (sql, values) => {
    if (database.inTransaction === true || database.isTransaction === true) {
      throw new StoreError(
        "A transaction is open on the store's SQLite connection, and its rollback would undo the step. " +
          'Give the store a connection of its own.',
      );
    }
    // SQLite's own wait blocks the whole process.
    if (waitsByItself) database.prepare('PRAGMA busy_timeout = 0').all();
    waitsByItself = false;
    const statement = prepared.get(sql) ?? database.prepare(sql);
    if (sql.startsWith('CREATE')) {
      statement.run();
      return [];
    }
    prepared.set(sql, statement);
    // Not `get`, which stops at the first row and hides a failure of the commit that follows.
    return statement.all(...values);
  };
}

/** SQLite's codes for "another connection holds the file" and "another connection has changed the schema". */
const PASSING = { SQLITE_BUSY: 5, SQLITE_SCHEMA: 17 };

/** Whether a retry may succeed. node:sqlite and bun give the code as a number, the others as a name. */
function mayPass(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'errcode' in error ? error.errcode : 'errno' in error ? error.errno : undefined;
  if (typeof code === 'number') return Object.values(PASSING).includes(code & 0xff);
  const name = 'code' in error ? String(error.code) : '';
  return Object.keys(PASSING).some((passing) => name.startsWith(passing));
}

function stillHeld(busyTimeoutMs: number, cause: unknown): StoreError {
  return new StoreError(
    `Another connection held the SQLite database for all of busyTimeoutMs (${busyTimeoutMs} ms). Look for a process ` +
      'with a long transaction on the file, such as a backup or a shell, and use WAL, so that readers do not block it.',
    { cause },
  );
}
