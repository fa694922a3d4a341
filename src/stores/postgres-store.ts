import { ConfigurationError } from '../errors/configuration-error';
import { type OptionNames, readNamedOptions } from '../values/option-checks';
import {
  type PoolTransaction,
  type PostgresPool,
  type PostgresQueryable,
  type PostgresTransaction,
  poolAccess,
} from './postgres-pool';
import { type NamespaceOptions, type PlainSteps, StoreOverRecords } from './record-store';
import { SqlRecords, type TableOptions } from './sql-records';
import type { StoreSteps, Transact } from './steps';
import { transactWithin } from './transact';
import type { TransactionOptions } from './transaction-access';
import { clientKind, storeHint } from './which-client';
import { checkPool, JOINED_OPTIONS } from './within';

/** Where a {@link PostgresStore} keeps its records; in transactional mode also the limits of its transactions. */
export interface PostgresStoreOptions<Transactional extends boolean = boolean>
  extends TableOptions,
    NamespaceOptions,
    TransactionOptions {
  /**
   * Whether callbacks run in a transaction that also holds the notification's record, and get it as
   * `context.transaction`: what they write there happens exactly once. Needs a pool. Default: `false`.
   */
  readonly transactional?: Transactional | undefined;
}

/**
 * A store in PostgreSQL 11 or later, over your `pg` pool. In plain mode also over a PGlite, over Neon's
 * `neon()`, or over anything else with a `query(text, values)` that resolves with rows or with `{ rows }`; for
 * postgres.js that is `{ query: (text, values) => sql.unsafe(text, values) }`.
 *
 * ```ts
 * const pool = new Pool({ connectionTimeoutMillis: 5_000, query_timeout: 5_000, keepAlive: true });
 * pool.on('error', console.error); // of an idle connection; without a listener, `pg` ends the process
 * const store = new PostgresStore(pool);
 * await store.createTable(); // or put store.createTableSql() in a migration
 * setInterval(() => store.deleteExpired().catch(console.error), 3_600_000).unref();
 * ```
 *
 * **Plain mode** guarantees one callback at a time per subject, by the database's clock. The effect happens at least
 * once. A new notification takes three statements, a duplicate one, each by primary
 * key. The store has no time limits of its own: set `query_timeout` in the pool, which also closes connections that
 * have gone silent, and `connectionTimeoutMillis`, without which a server that does not answer fills the pool.
 *
 * **Transactional mode** makes what callbacks write through `context.transaction` happen **exactly once**: the claim,
 * the writes and the completion are one transaction, and `200` is answered only when its `COMMIT` was confirmed. A
 * crash at any point leaves all of it or nothing. Effects elsewhere (a mail, an HTTP call) still happen at least once.
 *
 * The listener's role needs `SELECT`, `INSERT`, `UPDATE` and `DELETE` on the table, and `USAGE` on its schema;
 * `createTable` needs more. Both modes need the primary: on an asynchronous replica promoted after a failure, the last
 * commits can be missing. A pooler such as PgBouncer may be in session or transaction mode.
 */
export class PostgresStore<Transactional extends boolean = false> extends StoreOverRecords<
  [Transactional] extends [true] ? StoreSteps<PostgresTransaction> : PlainSteps
> {
  /**
   * @param database - a `Pool` of `pg`; in plain mode anything with `query`
   * @throws `ConfigurationError` for an option that cannot work, or a database that it cannot use
   */
  constructor(
    database: [Transactional] extends [false] ? PostgresQueryable : PostgresPool,
    options: PostgresStoreOptions<Transactional> = {},
  ) {
    // Neon's `neon()` is a function.
    const kind = clientKind(database);
    if (typeof database?.query !== 'function' || (kind !== undefined && OTHERS.has(kind.what))) {
      throw new ConfigurationError(
        `Expected a database with a query method as the first argument: a \`new Pool()\` of pg, or a PGlite.${storeHint(kind)}`,
      );
    }
    const own = readNamedOptions<PostgresStoreOptions>('PostgresStore', options, NAMES);
    const records = new SqlRecords<PoolTransaction>(
      (text, values, tx) => (tx === undefined ? database.query(text, values) : tx.send(text, values)),
      'postgres',
      own,
    );
    if (typeof (own.transactional ?? false) !== 'boolean') {
      throw new ConfigurationError('Expected `transactional` to be true or false.');
    }
    const transact = own.transactional === true ? transactIn(database, records, own) : undefined;
    super(records, own, transact as never);
  }

  /**
   * Creates the table and its index if they are missing. Any number of processes may call it at the same time.
   *
   * The schema must exist, and the role needs `USAGE` and `CREATE` on it. A table that exists already must belong to the
   * role, or to one that the role is a member of: whoever owns the table can make a notification run twice. PostgreSQL
   * checks that for every role but a superuser. A role that does not create the table needs `SELECT`, `INSERT`, `UPDATE`
   * and `DELETE` on it.
   *
   * @throws `StoreError` for a table that cannot be created or belongs to another role; the message says what to change
   */
  override createTable(): Promise<void> {
    return super.createTable();
  }
}

/** They have a `query` of another form. */
const OTHERS: ReadonlySet<string> = new Set(['a Sequelize', 'a pool of mysql2']);

const NAMES: OptionNames<PostgresStoreOptions> = { ...JOINED_OPTIONS, transactional: true };

function transactIn(
  database: PostgresQueryable & Partial<PostgresPool>,
  records: SqlRecords<PoolTransaction>,
  options: PostgresStoreOptions,
): Transact<PostgresTransaction> {
  if (!isPool(database)) {
    throw new ConfigurationError(
      'Expected a pool with a connect method for transactional: true, because each callback needs a connection of ' +
        'its own: pass a `new Pool()` of pg.',
    );
  }
  const { maxTransactions = threeQuarters(database.options?.max ?? POOL_MAX), stepTimeoutMs = 5_000 } =
    options;
  checkPool(maxTransactions, database.options?.max);
  const access = poolAccess(database, stepTimeoutMs);
  const limits = { ...options, maxTransactions, stepTimeoutMs };
  return transactWithin(access, records, limits, (transaction, acted) => transaction.close(acted));
}

/** The default `max` of a `pg` pool. */
const POOL_MAX = 10;

/** Leaves a quarter of the pool, and at least one connection, to callbacks that ask the pool. */
function threeQuarters(max: number): number {
  return Math.max(1, max - Math.max(1, Math.floor(max / 4)));
}

function isPool(database: PostgresQueryable & Partial<PostgresPool>): database is PostgresPool {
  return typeof database.connect === 'function' && 'totalCount' in database;
}
