import { ConfigurationError, StoreError } from '../errors';
import type { PostgresPoolClient } from './postgres-client';
import { isTransactionControl } from './transaction-control';

/**
 * The transaction that also holds the notification's record. What you write through it is there exactly when the
 * notification is recorded as done.
 */
export interface PostgresTransaction {
  /**
   * Runs one SQL statement in the transaction. Await it, and let its error reach the handler: after an error
   * PostgreSQL accepts nothing more in the transaction, unless you go back to a savepoint.
   *
   * Refuses statements that begin or end a transaction (`SAVEPOINT` and `ROLLBACK TO` are fine), and everything once
   * the callback has ended or timed out.
   */
  query<Row = Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
  ): Promise<{
    /** The rows of the result. */
    readonly rows: Row[];
    /** How many rows the statement changed or gave. */
    readonly rowCount: number | null;
  }>;
}

/** The callback's hold on the connection, for as long as the callback runs. */
export class TransactionScope implements PostgresTransaction {
  readonly #client: PostgresPoolClient;
  readonly #running = new Set<Promise<unknown>>();
  #refusal: ConfigurationError | undefined;
  #open = true;

  constructor(client: PostgresPoolClient) {
    this.#client = client;
  }

  async query<Row = Record<string, unknown>>(text: string, values: readonly unknown[] = []) {
    if (!this.#open) {
      throw new StoreError(
        'The transaction has ended, because its callback has, or took too long. Await every query in the callback.',
      );
    }
    if (isTransactionControl(text)) {
      this.#refusal = new ConfigurationError(
        'A callback cannot begin or end the transaction it runs in: return to commit, throw to roll back.',
      );
      throw this.#refusal;
    }
    const running = this.#client.query({ text, values: [...values], queryMode: 'extended' });
    this.#running.add(running);
    try {
      const { rows, rowCount } = await running;
      return { rows: rows as Row[], rowCount };
    } finally {
      this.#running.delete(running);
    }
  }

  /** Accepts no more queries. */
  close(): void {
    this.#open = false;
  }

  /** Waits for queries that the callback did not await. Rejects when it tried to end the transaction. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#running);
    // Also when the callback caught the refusal: it wanted another end of its transaction than it would get.
    if (this.#refusal !== undefined) throw this.#refusal;
  }
}
