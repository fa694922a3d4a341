/** A result as `pg` gives it; only `rows` is there in PGlite. */
export interface PostgresRows {
  /** The rows of the result. */
  readonly rows: unknown[];
}

/** What the plain mode uses: a `Pool` or `Client` of `pg`, or a `PGlite`. */
export interface PostgresQueryable {
  /** Runs a statement, with values for `$1`, `$2` and so on. */
  query(text: string, values?: unknown[]): Promise<PostgresRows>;
}

/** What the transactional mode uses: a `Pool` of `pg`, or of a driver made like it. */
export interface PostgresPool extends PostgresQueryable {
  /** Gives a connection to the callback, or the reason why there is none. */
  connect(callback: (error: Error | undefined, client: PostgresPoolClient | undefined) => void): void;
  /** Tells a pool from a client, whose `connect` gives no connection. */
  readonly totalCount: number;
  /** The pool's own options. */
  readonly options?:
    | {
        /** How many connections it opens at most. */
        readonly max?: number | undefined;
      }
    | undefined;
}

/** A connection out of the pool. */
export interface PostgresPoolClient {
  /** Runs a statement on this connection. */
  query(query: string | PostgresQuery, values?: unknown[]): Promise<PostgresResult>;
  /** With an error, the connection is closed instead of used again. */
  release(error?: Error): void;
  /** Listens for the loss of the connection. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** Listens no more. */
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
}

/** A statement, as an object. */
export interface PostgresQuery {
  /** The SQL. */
  text: string;
  /** Values for `$1`, `$2` and so on. */
  values?: unknown[];
  /** The name under which the connection keeps the statement prepared. */
  name?: string;
  /** `'array'` for rows as lists of values. */
  rowMode?: 'array';
  /** How `pg` is to read values of the result. */
  types?: PostgresTypes;
  /** One statement only: the server refuses more. Known to pg 8.12 and later. */
  queryMode?: 'extended';
}

/** Type parsers, as `pg` takes them. */
export interface PostgresTypes {
  /** Gives the function that reads values of the type with this id. */
  // biome-ignore lint/suspicious/noExplicitAny: what pg's own declaration says
  getTypeParser(id: number, format?: any): any;
}

/** A result with what a transaction must know of it. */
export interface PostgresResult extends PostgresRows {
  /** How many rows the statement changed or gave. */
  readonly rowCount: number | null;
  /** The command tag's first word: `'COMMIT'`. */
  readonly command: string;
}
