import { ConfigurationError } from '../errors/configuration-error';
import { type OptionNames, readNamedOptions } from '../values/option-checks';
import { type NamespaceOptions, StoreOverRecords, unexpectedReply } from './record-store';
import { SqlRecords, type TableOptions } from './sql-records';
import { clientKind, storeHint } from './which-client';

/** Where a {@link MysqlStore} keeps its records. */
export interface MysqlStoreOptions extends TableOptions, NamespaceOptions {}

/** The part of a pool or connection of `mysql2/promise` that the store uses. */
export interface MysqlQueryable {
  /** Prepares and runs a statement, with values for its question marks. Resolves with the result, and its fields. */
  execute(sql: string, values: (string | number)[]): Promise<[unknown, ...unknown[]]>;
}

/**
 * A store in MySQL 8.0.1 or later, or MariaDB 10.6 or later, over your `mysql2` pool.
 *
 * ```ts
 * import { createPool } from 'mysql2/promise';
 * const store = new MysqlStore(createPool({ uri: process.env.MYSQL_URL, connectTimeout: 5_000 }));
 * await store.createTable(); // or put store.createTableSql() in a migration
 * setInterval(() => store.deleteExpired().catch(console.error), 3_600_000).unref();
 * ```
 *
 * - **Guarantees**: one callback at a time per subject, by the server's clock in UTC; the effect happens at least once. A
 *   new notification takes three statements, a duplicate one.
 * - **Needs**: the primary (not a replica), InnoDB, `autocommit` as it is by default, and `SELECT`, `INSERT`, `UPDATE`
 *   and `DELETE` on the table. For exactly once, join your own transaction: `storeWithin`, or
 *   the store of your ORM (`drizzleStore` and its kin).
 * - **A silent connection**: the handler answers 503 after `storeTimeoutMs`, but mysql2 waits on, and its pool is used up
 *   by such connections. These lines close them, after more than your longest transaction:
 *
 * ```ts
 * const timers = new Map<object, NodeJS.Timeout>();
 * pool.on('acquire', (connection) => timers.set(connection, setTimeout(() => connection.destroy(), afterMs)));
 * pool.on('release', (connection) => clearTimeout(timers.get(connection)));
 * ```
 */
export class MysqlStore extends StoreOverRecords {
  /**
   * @param database - a pool or a connection of `mysql2/promise`
   * @throws `ConfigurationError` for an option that cannot work, or a database that it cannot use
   */
  constructor(database: MysqlQueryable, options: MysqlStoreOptions = {}) {
    const kind = clientKind(database);
    const isOther = kind !== undefined && kind.what !== 'a pool of mysql2';
    if (isOther || typeof database?.execute !== 'function' || 'promise' in database) {
      throw new ConfigurationError(
        "Expected a pool of mysql2 with promises as the first argument: `createPool()` of 'mysql2/promise', or " +
          `\`pool.promise()\`.${isOther ? storeHint(kind) : ''}`,
      );
    }
    const own = readNamedOptions('MysqlStore', options, NAMES);
    super(new SqlRecords((text, values) => runMysql(database, text, values), 'mysql', own), own);
  }
}

const NAMES: OptionNames<MysqlStoreOptions> = { schema: true, table: true, namespace: true };

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
