/** The part of a `DatabaseSync` (`node:sqlite`) or a `Database` (`better-sqlite3`) that the store uses. */
export interface SqliteDatabase {
  /** Runs statements without a result. */
  exec(sql: string): unknown;
  /** Compiles a statement. */
  prepare(sql: string): SqliteStatement;
  /** Whether a transaction is open, in better-sqlite3. */
  readonly inTransaction?: boolean;
  /** Whether a transaction is open, in node:sqlite from Node 24 on. */
  readonly isTransaction?: boolean;
}

/** A compiled statement. */
export interface SqliteStatement {
  /** Runs the statement with named values, and returns all rows. */
  all(values: Record<string, string | number>): unknown[];
}

/** SQLite's codes for "another connection holds the file" and "another connection has changed the schema". */
const PASSING = { SQLITE_BUSY: 5, SQLITE_SCHEMA: 17 };

/** Whether a retry may succeed. node:sqlite gives the code as a number, better-sqlite3 as a name. */
export function mayPass(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('errcode' in error && typeof error.errcode === 'number') {
    return Object.values(PASSING).includes(error.errcode & 0xff);
  }
  const code = 'code' in error ? String(error.code) : '';
  return Object.keys(PASSING).some((name) => code.startsWith(name));
}
