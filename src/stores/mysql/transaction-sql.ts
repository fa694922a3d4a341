import type { TransactionSql } from '../within';
import type { MysqlTable } from './records-table';

/** The statements of a transaction that the callback shares. */
export function mysqlTransactionSql({ name, read, lock, insert, update }: MysqlTable): TransactionSql {
  return {
    read: (key) => ({ text: read, values: [key] }),
    lock: (key) => ({ text: lock, values: [key] }),

    // The record is read again, because ORMs tell the number of changed rows in different ways, or not at all.
    write: (key, { record, version, next, before, expiresAt }) => [
      version === 0
        ? {
            text: insert.replace('INSERT INTO', 'INSERT IGNORE INTO'),
            values: [key, record, next, expiresAt, before],
          }
        : { text: update, values: [record, next, expiresAt, key, version, before] },
      {
        text: `SELECT 1 AS written FROM ${name} WHERE subject = ? AND version = ? AND record = ?`,
        values: [key, next, record],
      },
    ],

    unitMs: 1,
  };
}
