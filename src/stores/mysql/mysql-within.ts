import { type RecordStore, readRow, StoreOverRecords } from '../record-store';
import {
  checkAccess,
  rowsOf,
  type Statement,
  type StoreWithin,
  type TransactionAccess,
  type TransactionOptions,
  transactWithin,
} from '../within';
import { deleteExpiredIn, type MysqlTableOptions, mysqlTable, mysqlTransactionSql } from './records-table';

/** Where {@link mysqlStoreWithin} keeps its records, and the limits of its transactions. */
export interface MysqlStoreWithinOptions extends MysqlTableOptions, TransactionOptions {}

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
  checkAccess(access);
  const table = mysqlTable(options);
  const sql = mysqlTransactionSql(table);
  const run = async (...statements: readonly Statement[]) => {
    let rows: readonly unknown[] = [];
    for (const { text, values } of statements) rows = rowsOf(await access.query(undefined, text, values));
    return rows;
  };
  const records: RecordStore = {
    read: async (key) => readRow((await run(sql.read(key)))[0]),
    write: async (key, change) => (await run(...sql.write(key, change))).length === 1,
    deleteExpired: (limit) => deleteExpiredIn(table, limit, (text, ...values) => run({ text, values })),
  };
  return Object.assign(new StoreOverRecords(records), {
    transact: transactWithin(access, sql, options),
    createTable: async () => void (await run({ text: table.create, values: [] })),
    createTableSql: () => `${table.create};\n`,
  });
}
