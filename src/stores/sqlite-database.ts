/** What is used of a `DatabaseSync` of `node:sqlite`, or of a `Database` of `better-sqlite3`. */
export interface SqliteDatabase {
  /** Runs statements without a result. */
  exec(sql: string): unknown;
  /** Compiles a statement. */
  prepare(sql: string): SqliteStatement;
  /** Whether a transaction is open, as better-sqlite3 says it. */
  readonly inTransaction?: boolean;
  /** The same in node:sqlite, from Node 24 on. */
  readonly isTransaction?: boolean;
}

/** A compiled statement. */
export interface SqliteStatement {
  /** Runs it with named values, and gives all rows. */
  all(values: Record<string, string | number>): unknown[];
}

const SQLITE_BUSY = 5;

/** Whether an error says that another connection holds the database: node:sqlite by number, better-sqlite3 by name. */
export function isBusy(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('errcode' in error && typeof error.errcode === 'number') return (error.errcode & 0xff) === SQLITE_BUSY;
  return 'code' in error && typeof error.code === 'string' && error.code.startsWith('SQLITE_BUSY');
}
