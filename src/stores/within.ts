import { ConfigurationError } from '../errors/configuration-error';
import { type OptionNames, readNamedOptions } from '../values/option-checks';
import { type NamespaceOptions, StoreOverRecords } from './record-store';
import { SqlRecords, type TableOptions } from './sql-records';
import type { Store, StoreSteps } from './steps';
import { type AfterCallback, transactWithin } from './transact';
import type { TransactionAccess, TransactionOptions } from './transaction-access';

/** How long the transaction may take in which expired records are deleted, a hundred of them. */
const DELETION_MS = 10_000;

/** Where a store keeps its records that joins your transactions, and the limits of these. */
export interface JoinedStoreOptions extends TableOptions, NamespaceOptions, TransactionOptions {}

export const JOINED_OPTIONS: OptionNames<JoinedStoreOptions> = {
  schema: true,
  table: true,
  namespace: true,
  maxTransactions: true,
  slotTimeoutMs: true,
  holdMs: true,
  stepTimeoutMs: true,
};

/** The same, where the library cannot see which database it is. */
export interface StoreWithinOptions extends JoinedStoreOptions {
  /** The database: `'postgres'` (11 or later), or `'mysql'` for MySQL (8.0.1) and MariaDB (10.6). */
  readonly dialect: 'postgres' | 'mysql';
}

export const WITHIN_OPTIONS: OptionNames<StoreWithinOptions> = { ...JOINED_OPTIONS, dialect: true };

/**
 * A store that joins the transactions of any driver or ORM: what a callback writes through `context.transaction` happens
 * **exactly once**. `docs/database.md` in the package says what a callback must keep to. Over a pool of `mysql2/promise`:
 *
 * ```ts
 * const access = {
 *   async transaction(work) {
 *     const connection = await pool.getConnection();
 *     try {
 *       await connection.beginTransaction();
 *       await work(connection);
 *       await connection.commit();
 *     } catch (error) {
 *       connection.destroy(); // this rolls back too
 *       throw error;
 *     }
 *     connection.release();
 *   },
 *   query: async (connection, text, values) => (await (connection ?? pool).query(text, values))[0],
 * };
 * const store = storeWithin<PoolConnection>(access, { dialect: 'mysql' });
 * ```
 *
 * The claim, the writes and the completion are one transaction, and `200` is answered only when its commit was
 * confirmed. A crash at any point leaves all of it or nothing. Effects elsewhere (a mail, an HTTP call) still happen at
 * least once. In MySQL, an SQL error that a callback catches cannot be seen from here, because the transaction can still
 * be committed without the failed statement: let SQL errors be thrown.
 *
 * @throws `ConfigurationError` for an access or an option that cannot work
 */
export function storeWithin<Tx>(access: TransactionAccess<Tx>, options: StoreWithinOptions): Store<Tx> {
  if (typeof access?.transaction !== 'function' || typeof access.query !== 'function') {
    throw new ConfigurationError(
      'Expected `{ transaction, query }` as the first argument: `transaction(work, limits)` runs `work` in a transaction of ' +
        'yours, `query(tx, text, values)` runs one statement.',
    );
  }
  return storeOver(access, readNamedOptions('storeWithin', options, WITHIN_OPTIONS));
}

/** @throws `ConfigurationError` for more transactions than the pool has connections, if it tells how many */
export function checkPool(maxTransactions: number | undefined, max: number | undefined): void {
  if (maxTransactions === undefined || max === undefined || maxTransactions <= max) return;
  throw new ConfigurationError(
    `Expected \`maxTransactions\` to be at most ${max}, the \`max\` of the pool: each transaction holds a connection. Raise ` +
      "the pool's `max`, and leave some of it to your own queries.",
  );
}

/** The same, over options whose names were checked. */
export function storeOver<Tx>(
  access: TransactionAccess<Tx>,
  options: StoreWithinOptions,
  afterCallback?: AfterCallback<Tx>,
): Store<Tx> {
  const { dialect } = options;
  if (dialect !== 'postgres' && dialect !== 'mysql') {
    throw new ConfigurationError("Expected `dialect` to be 'postgres', or 'mysql' for MariaDB too.");
  }
  const records = new SqlRecords<Tx>(
    (text, values, tx) => access.query(tx, text, values),
    dialect,
    options,
    dialect === 'mysql' ? (work) => access.transaction(work, { timeoutMs: DELETION_MS }) : undefined,
  );
  return new StoreOverRecords<StoreSteps<Tx>>(
    records,
    options,
    transactWithin(access, records, options, afterCallback) as never,
  );
}
