import { StoreOverRecords } from '../record-store';
import {
  checkAccess,
  rowsOf,
  type StoreWithin,
  type TransactionAccess,
  type TransactionOptions,
  transactWithin,
} from '../within';
import { PostgresRecords } from './postgres-records';
import {
  createPostgresTable,
  type PostgresTableOptions,
  postgresTable,
  postgresTransactionSql,
} from './records-table';

/** Where {@link postgresStoreWithin} keeps its records, and the limits of its transactions. */
export interface PostgresStoreWithinOptions extends PostgresTableOptions, TransactionOptions {}

/**
 * An idempotency store in PostgreSQL that joins the transactions of your ORM: what a callback writes through
 * `context.transaction`, the ORM's own transaction, happens **exactly once**. `docs/transactions.md` has the access for
 * each ORM, and what a callback must keep to:
 *
 * ```ts
 * const store = postgresStoreWithin<Prisma.TransactionClient>({
 *   transaction: (work, { timeoutMs }) => prisma.$transaction(work, { timeout: timeoutMs, maxWait: 5_000 }),
 *   query: (tx, text, values) => (tx ?? prisma).$queryRawUnsafe(text, ...values),
 * });
 * ```
 *
 * The claim, the writes and the completion are one transaction, and `200` is answered only when its commit was
 * confirmed. A crash at any point leaves all of it or nothing. Effects elsewhere (a mail, an HTTP call) still happen at
 * least once.
 *
 * @throws `ConfigurationError` for an access or an option that cannot work
 */
export function postgresStoreWithin<Tx>(
  access: TransactionAccess<Tx>,
  options: PostgresStoreWithinOptions = {},
): StoreWithin<Tx> {
  checkAccess(access);
  const table = postgresTable(options);
  const query = async (text: string, values: unknown[] = []) =>
    rowsOf(await access.query(undefined, text, values));
  return Object.assign(new StoreOverRecords(new PostgresRecords({ query }, table)), {
    transact: transactWithin(access, postgresTransactionSql(table), options),
    createTable: () => createPostgresTable(query, table),
    createTableSql: () => `${table.create};\n${table.createIndex};\n`,
  });
}
