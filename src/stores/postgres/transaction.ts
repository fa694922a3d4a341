import { ConfigurationError, StoreError } from '../../errors';
import type { PostgresPoolClient, PostgresQuery, PostgresTypes } from './client';
import { isTransactionControl, mentionsRole, statementsIn } from './transaction-control';

/** A statement as an object, as `pg` takes it. */
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
  readonly types?: PostgresTypes | undefined;
}

/**
 * The transaction that also holds the notification's record. What you write through it is committed if and only if the
 * notification is recorded as done.
 */
export interface PostgresTransaction {
  /**
   * Runs one SQL statement in the transaction: a string, or an object as `pg` takes it. Await it, and let its error
   * reach the handler: after an error PostgreSQL accepts nothing more in the transaction, unless you go back to a
   * savepoint.
   *
   * Refuses, before anything is sent: statements that begin or end a transaction (`SAVEPOINT` and `ROLLBACK TO` are
   * fine), several statements in one text, a text that is empty or not a string, values that are not an array, and
   * everything once the callback has ended or timed out. If a statement is refused, the callback fails, even if it
   * catches the refusal.
   */
  query<Row = Record<string, unknown>>(
    statement: string | PostgresStatement,
    values?: readonly unknown[],
  ): Promise<{
    /** The rows of the result. */
    readonly rows: Row[];
    /** How many rows the statement changed or returned. */
    readonly rowCount: number | null;
  }>;
}

/** The callback's access to the connection, for as long as the callback runs. */
export class TransactionScope implements PostgresTransaction {
  readonly #client: PostgresPoolClient;
  readonly #running = new Set<Promise<unknown>>();
  #refusal: ConfigurationError | undefined;
  #open = true;
  #mayHaveChangedRole = false;

  constructor(client: PostgresPoolClient) {
    this.#client = client;
  }

  async query<Row = Record<string, unknown>>(
    statement: string | PostgresStatement,
    values?: readonly unknown[],
  ) {
    if (!this.#open) {
      throw new StoreError(
        'The transaction has ended, because its callback ended or took too long. Await every query in the callback.',
      );
    }
    const running = this.#client.query(this.#checked(statement, values));
    this.#running.add(running);
    try {
      const { rows, rowCount } = await running;
      return { rows: rows as Row[], rowCount };
    } finally {
      this.#running.delete(running);
    }
  }

  /** Whether a statement may have changed the transaction's role. */
  get mayHaveChangedRole(): boolean {
    return this.#mayHaveChangedRole;
  }

  /** Accepts no more queries. */
  close(): void {
    this.#open = false;
  }

  /** Waits for queries that the callback did not await. Rejects if one of the callback's statements was refused. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#running);
    // Even if the callback caught the refusal: its transaction lacks something that it meant to do.
    if (this.#refusal !== undefined) throw this.#refusal;
  }

  /** Returns a checked copy, so that a getter that changes its value cannot send what was not checked. */
  #checked(statement: unknown, givenValues: readonly unknown[] | undefined): PostgresQuery {
    const isObject = typeof statement === 'object' && statement !== null;
    const { text, values, name, rowMode, types } = (
      isObject ? statement : { text: statement }
    ) as Partial<PostgresStatement>;
    if (typeof text !== 'string' || text === '') {
      throw this.#refuse(
        "Expected an SQL statement: a text, or { text, values } with a plain string as text, as in query('SELECT 1').",
      );
    }
    const statements = statementsIn(text);
    if (isTransactionControl(statements)) {
      throw this.#refuse(
        'A callback cannot begin or end the transaction it runs in: return to commit, throw to roll back.',
      );
    }
    if (statements.length > 1) {
      throw this.#refuse(
        'Expected one SQL statement in a query. Send each by a query of its own, and await each.',
      );
    }
    const list = givenValues ?? values ?? [];
    if (!Array.isArray(list)) throw this.#refuse('Expected the values of an SQL statement to be an array.');
    this.#mayHaveChangedRole ||= mentionsRole(statements);
    return {
      text,
      values: [...list],
      ...(typeof name === 'string' && { name }),
      ...(rowMode === 'array' && { rowMode }),
      ...(typeof types === 'object' && { types }),
      queryMode: 'extended',
    };
  }

  #refuse(message: string): ConfigurationError {
    this.#refusal = new ConfigurationError(message);
    return this.#refusal;
  }
}
