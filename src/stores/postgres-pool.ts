import { StoreError } from '../errors/store-error';
import { inTime } from '../shared/time';
import { NothingWritten } from './nothing-written';
import type { Acted } from './steps';
import type { TransactionAccess } from './transaction-access';

/** The database in plain mode: a `Pool` or `Client` of `pg`, a `PGlite`, Neon's `neon()`: anything with `query`. */
export interface PostgresQueryable {
  /** Runs a statement, with values for `$1`, `$2` and so on. Resolves with the rows, or with `{ rows }`. */
  query(
    text: string,
    values?: unknown[],
  ): PromiseLike<
    | {
        /** The rows that the statement gave. */
        readonly rows: unknown[];
      }
    | readonly unknown[]
  >;
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
        /** How many connections it opens at most. */
        readonly max?: number | undefined;
      }
    | undefined;
}

/** A connection from the pool. */
export interface PostgresPoolClient {
  query(query: SentStatement): Promise<PostgresResult>;
  /** Returns the connection to the pool. With an error, the pool closes it instead. */
  release(error?: Error): void;
  on(event: 'error', listener: (error: Error) => void): unknown;
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
}

export interface PostgresResult {
  readonly rows: unknown[];
  readonly rowCount: number | null;
  /** The command tag's first word: `'COMMIT'`. */
  readonly command: string;
}

/** A statement as an object, as `pg` takes it: its other fields go to `pg` as they are. */
export interface PostgresStatement {
  /** The SQL: one statement. */
  readonly text: string;
  /** Values for `$1`, `$2` and so on. */
  readonly values?: readonly unknown[] | undefined;
  /** The name under which the connection keeps the statement prepared. */
  readonly name?: string | undefined;
  /** `'array'` for rows as lists of values. */
  readonly rowMode?: 'array' | undefined;
  /** How `pg` reads the values of the result. */
  readonly types?:
    | {
        /** Gives the function that reads values of a type, by the type's number. */
        // biome-ignore lint/suspicious/noExplicitAny: what pg's own declaration says
        getTypeParser(id: number, format?: any): any;
      }
    | undefined;
}

/** A statement as it is sent. */
export interface SentStatement extends PostgresStatement {
  /** Makes the server refuse more than one statement. Supported by pg 8.12 and later. */
  readonly queryMode?: 'extended';
  /** How long `pg` waits for the answer, in milliseconds. */
  readonly query_timeout?: number;
}

/**
 * The transaction that also holds the notification's record. What you write through it is committed if and only if the
 * notification is recorded as done.
 */
export interface PostgresTransaction {
  /**
   * Runs one SQL statement in the transaction: a string, or an object as `pg` takes it. Resolves with the result that
   * `pg` gives. Await it, and let its error reach the handler: after an error PostgreSQL accepts nothing more in the
   * transaction, unless you go back to a savepoint. Statements run one after the other, also within `Promise.all`.
   *
   * Return to commit, throw to roll back. A `COMMIT` of your own is noticed only after it has happened: it commits the
   * record too, so that the notification is not acted on again, and is reported as `transaction_ended`.
   *
   * The callback fails if a statement is still running when it returns, or never reached PostgreSQL: half of what it
   * meant to write would be committed. A statement that is still running then stays pending, and so does one that comes
   * later: its rejection would end the process, because nothing awaits it any more.
   */
  query<Row = Record<string, unknown>>(
    statement: string | PostgresStatement,
    values?: readonly unknown[],
  ): Promise<{
    /** The rows that the statement gave. */
    readonly rows: Row[];
    /** How many rows the statement changed or returned. */
    readonly rowCount: number | null;
    /** The command tag's first word: `'UPDATE'`. */
    readonly command: string;
  }>;
}

/** Joins transactions of a pool of `pg`. */
export function poolAccess(pool: PostgresPool, stepTimeoutMs: number): TransactionAccess<PoolTransaction> {
  return {
    async transaction(work, { timeoutMs }) {
      const client = await checkOut(pool, stepTimeoutMs);
      const transaction = new PoolTransaction(client, stepTimeoutMs);
      let broken: Error | undefined;
      try {
        await transaction.send('BEGIN ISOLATION LEVEL READ COMMITTED');
        await inTime(
          work(transaction),
          timeoutMs,
          failWith(`The transaction took longer than ${timeoutMs} ms.`),
        );
        // PostgreSQL answers the COMMIT of a failed transaction with success and the tag ROLLBACK.
        const { command } = await transaction.send('COMMIT');
        if (command !== 'COMMIT')
          throw new StoreError(`COMMIT was answered with ${command}: nothing was committed.`);
      } catch (error) {
        broken = await transaction.rollBack();
        throw error;
      } finally {
        giveBack(client, broken);
      }
    },
    query: (transaction, text, values) =>
      transaction === undefined ? pool.query(text, values) : transaction.send(text, values),
  };
}

export class PoolTransaction implements PostgresTransaction {
  readonly #client: PostgresPoolClient;
  readonly #stepTimeoutMs: number;
  /** Settles when the last statement has ended: `pg` wants one statement at a time. */
  #last: Promise<unknown> = Promise.resolve();
  /** How many of the callback's statements have not ended. */
  #running = 0;
  /** Why the transaction must not be committed, although the callback may not know. */
  #failure: Error | undefined;
  #hasReturned = false;
  #hasEnded = false;

  constructor(client: PostgresPoolClient, stepTimeoutMs: number) {
    this.#client = client;
    this.#stepTimeoutMs = stepTimeoutMs;
  }

  query<Row>(statement: string | PostgresStatement, values?: readonly unknown[]) {
    const result = this.#run(statement, values).finally(() =>
      this.#hasReturned ? new Promise<never>(() => undefined) : undefined,
    );
    // The failure of a query that is not awaited fails the delivery, and does not end the process.
    result.catch(() => undefined);
    return result as Promise<PostgresResult & { readonly rows: Row[] }>;
  }

  async #run(
    statement: string | PostgresStatement,
    values: readonly unknown[] | undefined,
  ): Promise<PostgresResult> {
    if (this.#hasReturned || this.#hasEnded) throw this.#tooLate();
    this.#running += 1;
    try {
      const query = typeof statement === 'string' ? { text: statement } : statement;
      // The caller may use its array again before the statement's turn comes.
      const copy = (values ?? query.values)?.slice();
      // PostgreSQL then refuses several statements in one text.
      return await this.#inTurn({ ...query, values: copy, queryMode: 'extended' });
    } catch (error) {
      // After an error of its own PostgreSQL commits nothing, unless the callback goes back to a savepoint.
      if (typeof Object(error).severity !== 'string') this.#failure ??= asError(error);
      throw error;
    } finally {
      this.#running -= 1;
    }
  }

  /** Sends a statement of the store's own. */
  async send(text: string, values?: unknown[]): Promise<PostgresResult> {
    if (this.#failure !== undefined) throw this.#failure;
    return this.#inTurn({ text, ...(values && { values }), query_timeout: this.#stepTimeoutMs });
  }

  /** The callback has returned: accepts nothing more. Throws if half an effect would be committed. */
  close(acted: Acted = 'done'): void {
    this.#hasReturned = true;
    // What is still running then is undone with the rest.
    if (acted === 'undone') return;
    if (this.#running > 0) {
      this.#failure ??= new NothingWritten(
        'The callback returned while a query of its transaction was still running. `Promise.all` awaits several.',
      );
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Returns the error to close the connection with, or `undefined` if it can be used again. */
  async rollBack(): Promise<Error | undefined> {
    this.#hasEnded = true;
    try {
      const answer = this.#inTurn({ text: 'ROLLBACK' });
      const { command } = await inTime(answer, this.#stepTimeoutMs, failWith('ROLLBACK was not answered.'));
      return command === 'ROLLBACK' ? undefined : new StoreError(`ROLLBACK was answered with ${command}.`);
    } catch (error) {
      return asError(error);
    }
  }

  #inTurn(query: SentStatement): Promise<PostgresResult> {
    const result = this.#last.then(() => this.#client.query(query));
    this.#last = result.catch(() => undefined);
    return result;
  }

  #tooLate(): StoreError {
    const error = new StoreError(
      'A callback sent a query after its transaction had ended. Await every query, and every helper that sends one.',
    );
    if (this.#hasReturned) {
      this.#failure ??= error;
      // Nothing awaits the query, and the transaction may have been committed already: say it where somebody looks.
      globalThis.process?.emitWarning?.(error.message, 'PixAutomaticWarning');
    }
    return error;
  }
}

/**
 * Checks out a connection, and listens for its `error` event: without a listener, a lost connection would end the
 * process. The running query, or the next one, rejects anyway. Uses a callback and not a promise, because one packet
 * can both make the connection ready and end it, and code that awaits a promise would add its listener too late.
 */
function checkOut(pool: PostgresPool, timeoutMs: number): Promise<PostgresPoolClient> {
  const connected = new Promise<PostgresPoolClient>((resolve, reject) => {
    pool.connect((error, client) => {
      if (client === undefined) return reject(error);
      client.on('error', ignore);
      resolve(client);
    });
  });
  return inTime(connected, timeoutMs, () => {
    connected.then((late) => giveBack(late, undefined), ignore);
    throw new StoreError(
      `No database connection within ${timeoutMs} ms. Raise the pool's max, look for callbacks that take long, or, if ` +
        'the server does not answer, set connectionTimeoutMillis in the pool.',
    );
  });
}

/** Returns the connection to the pool; with an error, closes it. Never throws. */
function giveBack(client: PostgresPoolClient, broken: Error | undefined): void {
  // A broken connection keeps its listener: without one, a further `error` event would end the process.
  if (broken === undefined) client.removeListener('error', ignore);
  try {
    client.release(broken);
  } catch {
    // A listener of the merchant's for the pool's `release` event threw. What the transaction did stands all the same.
  }
}

function ignore(): void {}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new StoreError('The connection failed.', { cause: error });
}

/** What the store does when the time is up, for `inTime`. */
function failWith(message: string): () => never {
  return () => {
    throw new StoreError(message);
  };
}
