import { ConfigurationError } from '../../errors';
import {
  type ReadRecord,
  type RecordStore,
  readRow,
  StoreOverRecords,
  type WriteRecord,
} from '../record-store';
import { unexpectedReply } from '../replies';
import { deleteExpiredIn, type MysqlTable, type MysqlTableOptions, mysqlTable } from './records-table';

/** The part of a pool or connection of `mysql2/promise` that the store uses. */
export interface MysqlQueryable {
  /** Prepares and runs a statement, with values for its question marks. Resolves with the result, and its fields. */
  execute(sql: string, values: (string | number)[]): Promise<[unknown, ...unknown[]]>;
}

/** Where a {@link MysqlStore} keeps its records. */
export interface MysqlStoreOptions extends MysqlTableOptions {}

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
  readonly #records: MysqlRecords;

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
    const records = new MysqlRecords(database, mysqlTable(options));
    super(records);
    this.#records = records;
  }

  /** Creates the table if it is missing. The role needs `CREATE`. */
  async createTable(): Promise<void> {
    await this.#records.run(this.#records.table.create);
  }

  /** Returns the SQL that `createTable` runs, for your migrations. */
  createTableSql(): string {
    return `${this.#records.table.create};\n`;
  }
}

export class MysqlRecords implements RecordStore {
  readonly table: MysqlTable;
  readonly #database: MysqlQueryable;

  constructor(database: MysqlQueryable, table: MysqlTable) {
    this.#database = database;
    this.table = table;
  }

  async read(subject: string): Promise<ReadRecord> {
    const rows = await this.run(this.table.read, subject);
    if (!Array.isArray(rows)) throw unexpectedReply('a statement');
    return readRow(rows[0]);
  }

  async write(subject: string, { record, version, next, before, expiresAt }: WriteRecord): Promise<boolean> {
    if (version > 0) {
      return changed(await this.run(this.table.update, record, next, expiresAt, subject, version, before));
    }
    try {
      return changed(await this.run(this.table.insert, subject, record, next, expiresAt, before));
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ER_DUP_ENTRY') return false;
      throw error;
    }
  }

  deleteExpired(limit: number): Promise<number> {
    return deleteExpiredIn(this.table, limit, (text, ...values) => this.run(text, ...values));
  }

  async run(sql: string, ...values: (string | number)[]): Promise<unknown> {
    const [result] = await this.#database.execute(sql, values);
    return result;
  }
}

function changed(result: unknown): boolean {
  const { affectedRows }: { readonly affectedRows?: unknown } = { ...(result as object) };
  if (affectedRows !== 0 && affectedRows !== 1) throw unexpectedReply('a statement');
  return affectedRows === 1;
}
