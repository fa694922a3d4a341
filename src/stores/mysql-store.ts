import { ConfigurationError } from '../errors';
import { StoreOverRecords, unexpectedReply } from './record-store';
import { SqlRecords } from './sql-records';
import { type StoreWithin, storeWithin, type TransactionAccess, type TransactionOptions } from './within';

/** Where a {@link MysqlStore} keeps its records. */
export interface MysqlStoreOptions {
  /** The table's database, unquoted. Default: the one that the connection is made to. */
  readonly database?: string | undefined;

  /** The table's name, unquoted, of up to 64 characters. Default: `'pix_automatic_notifications'`. */
  readonly table?: string | undefined;
}

/** The part of a pool or connection of `mysql2/promise` that the store uses. */
export interface MysqlQueryable {
  /** Prepares and runs a statement, with values for its question marks. Resolves with the result, and its fields. */
  execute(sql: string, values: (string | number)[]): Promise<[unknown, ...unknown[]]>;
}

/**
 * An idempotency store in MySQL 8.0.1 or later, or MariaDB 10.6 or later, over your `mysql2` pool.
 *
 * ```ts
 * import { createPool } from 'mysql2/promise';
 * const store = new MysqlStore(createPool({ uri: process.env.MYSQL_URL, connectTimeout: 5_000 }));
 * await store.createTable(); // or put store.createTableSql() in a migration
 * setInterval(() => store.deleteExpired().catch(console.error), 3_600_000).unref();
 * ```
 *
 * - **Guarantees**: those of `IdempotencyStore`, by the server's clock in UTC. The effect happens at least once;
 *   one callback at a time per subject. A new notification takes three statements, a duplicate one.
 * - **Needs**: the primary (not a replica), InnoDB, `autocommit` as it is by default, and `SELECT`, `INSERT`, `UPDATE`
 *   and `DELETE` on the table. For exactly once, write in your own transaction: `mysqlStoreWithin`.
 * - **A silent connection**: the handler answers 503 after `storeTimeoutMs`, but mysql2 waits on, and its pool is used up
 *   by such connections. `docs/stores.md` has three lines that close them.
 */
export class MysqlStore extends StoreOverRecords {
  readonly #records: SqlRecords;

  /**
   * @param database - a pool or a connection of `mysql2/promise`
   * @throws `ConfigurationError` for an option that cannot work, or a database that it cannot use
   */
  constructor(database: MysqlQueryable, options: MysqlStoreOptions = {}) {
    if (typeof database?.execute !== 'function' || 'promise' in database) {
      throw new ConfigurationError(
        "Expected a pool of mysql2 with promises as the first argument: `createPool()` of 'mysql2/promise', or " +
          '`pool.promise()`.',
      );
    }
    const { database: schema, table } = options;
    const records = new SqlRecords((text, values) => runMysql(database, text, values), 'mysql', {
      schema,
      table,
    });
    super(records);
    this.#records = records;
  }

  /** Creates the table if it is missing. The role needs `CREATE`. */
  async createTable(): Promise<void> {
    await this.#records.createTable();
  }

  /** Returns the SQL that `createTable` runs, for your migrations. */
  createTableSql(): string {
    return this.#records.createTableSql();
  }
}

/** Returns a statement's rows. For a statement without rows, it returns one row if the statement changed something. */
export async function runMysql(
  database: MysqlQueryable,
  text: string,
  values: (string | number)[],
): Promise<readonly unknown[]> {
  const [result] = await database.execute(text, values);
  if (Array.isArray(result)) return result;
  const { affectedRows } = Object(result) as { readonly affectedRows?: unknown };
  if (affectedRows !== 0 && affectedRows !== 1) throw unexpectedReply('a statement');
  return affectedRows === 1 ? [result] : [];
}

/** Where {@link mysqlStoreWithin} keeps its records, and the limits of its transactions. */
export interface MysqlStoreWithinOptions extends MysqlStoreOptions, TransactionOptions {}

/**
 * An idempotency store in MySQL 8.0.1 or later, or MariaDB 10.6 or later, that joins the transactions of your ORM: what a
 * callback writes through `context.transaction`, the ORM's own transaction, happens **exactly once**.
 * `docs/transactions.md` has the access for each ORM, and what a callback must keep to. In MySQL that is more: an SQL
 * error that a callback catches cannot be seen from here, because the transaction can still be committed without the
 * failed statement. Let SQL errors be thrown.
 *
 * @throws `ConfigurationError` for an access or an option that cannot work
 */
export function mysqlStoreWithin<Tx>(
  access: TransactionAccess<Tx>,
  options: MysqlStoreWithinOptions = {},
): StoreWithin<Tx> {
  return storeWithin(access, 'mysql', { schema: options.database, table: options.table }, options);
}
