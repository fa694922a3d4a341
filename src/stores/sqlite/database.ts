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

/** Another connection holds the file; another one has just changed the schema. */
const PASSING = { SQLITE_BUSY: 5, SQLITE_SCHEMA: 17 };

/** Whether an error passes when others are done with the file: node:sqlite says so by number, better-sqlite3 by name. */
export function mayPass(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('errcode' in error && typeof error.errcode === 'number') {
    return Object.values(PASSING).includes(error.errcode & 0xff);
  }
  const code = 'code' in error ? String(error.code) : '';
  return Object.keys(PASSING).some((name) => code.startsWith(name));
}
