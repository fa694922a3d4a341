/**
 * How {@link storeWithin} joins your transactions: five to ten lines over your driver or ORM. For Prisma, Drizzle,
 * TypeORM, Knex, Kysely and Sequelize there is a store of their own: `prismaStore` and its kin.
 *
 * @typeParam Tx - what your ORM passes to the callback of its transaction; your callbacks get it as
 *   `context.transaction`
 */
export interface TransactionAccess<Tx> {
  /**
   * Runs `work` in a transaction: commits when `work` resolves, rolls back when it rejects, and resolves only once the
   * commit is confirmed. May run `work` again after a rollback, to retry a serialization failure. Does neither while
   * `work` is running, unless its own time limit is over.
   *
   * @param limits - `timeoutMs`: how long the transaction may take, for ORMs that have a limit of their own
   */
  transaction(work: (tx: Tx) => Promise<void>, limits: { readonly timeoutMs: number }): PromiseLike<unknown>;

  /**
   * Runs one statement: in `tx`, or outside any transaction without it. Its parameters (`$1`, `$2` in PostgreSQL, `?`
   * in MySQL) are in the order of `values`, and each occurs once.
   *
   * Resolves with the rows, or with what your driver has them in: `{ rows }`, or a list that begins with them, as in
   * `[rows, fields]`.
   */
  query(tx: Tx | undefined, text: string, values: unknown[]): PromiseLike<TransactionRows>;
}

/** The rows of a statement, as drivers give them. */
export type TransactionRows =
  | readonly unknown[]
  | {
      /** The rows, as `pg` and others have them. */
      readonly rows: readonly unknown[];
    };

/** Limits of the transactions that callbacks run in. */
export interface TransactionOptions {
  /**
   * How many transactions the store has open at a time; the others wait for a slot. Each holds a connection of your
   * pool for as long as its callback runs, so leave some to callbacks that also ask the pool, and to the store's own
   * reads. Replays and settlements take one less, so that a notification always finds a slot; of a single slot they
   * take that one. Default: 4, which suits even Sequelize's pool of 5; over a pool of `pg`, three quarters of its `max`.
   */
  readonly maxTransactions?: number | undefined;

  /** How long a notification waits for a slot, in milliseconds. Then it is answered 503. Default: 25,000. */
  readonly slotTimeoutMs?: number | undefined;

  /**
   * How long a callback may go on after its time, in milliseconds. If it succeeds by then, its transaction is
   * committed; otherwise it is rolled back. Default: 15,000.
   */
  readonly holdMs?: number | undefined;

  /**
   * How long the database may take to begin a transaction with its claim, and as long again to commit it, in
   * milliseconds. Default: 5000.
   */
  readonly stepTimeoutMs?: number | undefined;
}
