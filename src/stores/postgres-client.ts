/** A result as `pg` gives it; only `rows` is there in PGlite. */
export interface PostgresRows {
  readonly rows: unknown[];
}

/** What the plain mode uses: a `Pool` or `Client` of `pg`, or a `PGlite`. */
export interface PostgresQueryable {
  query(text: string, values?: unknown[]): Promise<PostgresRows>;
}

/** What the transactional mode uses: a `Pool` of `pg`, or of a driver made like it. */
export interface PostgresPool extends PostgresQueryable {
  connect(callback: (error: Error | undefined, client: PostgresPoolClient | undefined) => void): void;
  /** Tells a pool from a client, whose `connect` gives no connection. */
  readonly totalCount: number;
}

/** A connection out of the pool. */
export interface PostgresPoolClient {
  query(query: string | PostgresQuery, values?: unknown[]): Promise<PostgresResult>;
  /** With an error, the connection is closed instead of used again. */
  release(error?: Error): void;
  on(event: 'error', listener: (error: Error) => void): unknown;
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
}

export interface PostgresQuery {
  text: string;
  values?: unknown[];
  /** One statement only: the server refuses more. Known to pg 8.12 and later. */
  queryMode?: 'extended';
}

export interface PostgresResult extends PostgresRows {
  readonly rowCount: number | null;
  /** The command tag's first word: `'COMMIT'`. */
  readonly command: string;
}
