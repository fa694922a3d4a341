/** The part of a query result that `pg` and PGlite share. */
export interface PostgresRows {
  /** The rows of the result. */
  readonly rows: unknown[];
}

/** The database in plain mode: a `Pool` or `Client` of `pg`, a `PGlite`, Neon's `neon()`: anything with `query`. */
export interface PostgresQueryable {
  /** Runs a statement, with values for `$1`, `$2` and so on. Resolves with the rows, or with `{ rows }`. */
  query(text: string, values?: unknown[]): PromiseLike<PostgresRows | readonly unknown[]>;
}

/** The database in transactional mode: a `Pool` of `pg`, or of a compatible driver. */
export interface PostgresPool extends PostgresQueryable {
  /** Passes a connection to the callback, or the error that prevented it. */
  connect(callback: (error: Error | undefined, client: PostgresPoolClient | undefined) => void): void;
  /** Tells a pool from a client, whose `connect` passes no connection. */
  readonly totalCount: number;
  /** The pool's own options. */
  readonly options?:
    | {
        /** The most connections that it opens. */
        readonly max?: number | undefined;
      }
    | undefined;
}

/** A connection from the pool. */
export interface PostgresPoolClient {
  /** Runs a statement on this connection. */
  query(query: string | PostgresQuery, values?: unknown[]): Promise<PostgresResult>;
  /** Returns the connection to the pool. With an error, the pool closes it instead. */
  release(error?: Error): void;
  /** Listens for the loss of the connection. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** Stops listening. */
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
  /** How `pg` reads the values of the result. */
  types?: PostgresTypes;
  /** Makes the server refuse more than one statement. Supported by pg 8.12 and later. */
  queryMode?: 'extended';
  /** How long `pg` waits for the answer, in milliseconds. */
  query_timeout?: number;
}

/** Type parsers, as `pg` takes them. */
export interface PostgresTypes {
  /** Returns the function that reads values of the type with this id. */
  // biome-ignore lint/suspicious/noExplicitAny: what pg's own declaration says
  getTypeParser(id: number, format?: any): any;
}

/** A result with the fields that a transaction needs. */
export interface PostgresResult extends PostgresRows {
  /** How many rows the statement changed or returned. */
  readonly rowCount: number | null;
  /** The command tag's first word: `'COMMIT'`. */
  readonly command: string;
}
