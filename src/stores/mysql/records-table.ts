import { ConfigurationError } from '../../errors';
import type { TransactionSql } from '../within';

// The table that every MySQL and MariaDB store shares: what it looks like, and the statements on it.

/** Where the records are. */
export interface MysqlTableOptions {
  /** The table's database, unquoted. Default: the one that the connection is made to. */
  readonly database?: string | undefined;

  /** The table's name, unquoted, of up to 64 characters. Default: `'pix_automatic_notifications'`. */
  readonly table?: string | undefined;
}

/** The values of each statement are in the order of its question marks. */
export interface MysqlTable {
  /** Quoted, with its database if there is one. */
  readonly name: string;
  /** `[subject]`. Always one row: `record` and `version` (null where there is none), `now` in ms. */
  readonly read: string;
  /** `[subject]`. The same row, locked; no row if there is none, or if another transaction has it. */
  readonly lock: string;
  /** `[subject, record, version, expiresAt, before]`. Fails with `ER_DUP_ENTRY` where there is a row. */
  readonly insert: string;
  /** `[record, version, expiresAt, subject, the version that the row must have, before]`. */
  readonly update: string;
  /** Rows of `subject`: the expired ones, oldest first. */
  readonly expired: (limit: number) => string;
  /** `[subject]`. Deletes the record if it is expired. */
  readonly deleteExpired: string;
  /** Creates the table where it is missing. */
  readonly create: string;
}

/**
 * Milliseconds since 1970. By UTC, because the hour before clocks are set back comes twice in local time, and
 * `UNIX_TIMESTAMP()` of a local time cannot tell which one is meant.
 */
const NOW = "(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000)";

export function mysqlTable(options: MysqlTableOptions): MysqlTable {
  const { database, table = 'pix_automatic_notifications' } = options;
  const name = (database === undefined ? '' : `${quoted('database', database)}.`) + quoted('table', table);
  return {
    name,
    read: `SELECT record, version, ${NOW} AS now FROM (SELECT 1) AS one LEFT JOIN ${name} ON subject = ?`,
    lock: `SELECT record, version, ${NOW} AS now FROM ${name} WHERE subject = ? FOR UPDATE SKIP LOCKED`,
    insert: `INSERT INTO ${name} (subject, record, version, expires_at) SELECT ?, ?, ?, ? FROM DUAL WHERE ${NOW} < ?`,
    update:
      `UPDATE ${name} SET record = ?, version = ?, expires_at = ? ` +
      `WHERE subject = ? AND version = ? AND ${NOW} < ?`,
    expired: (limit) =>
      `SELECT subject FROM ${name} WHERE expires_at <= ${NOW} ORDER BY expires_at LIMIT ${limit}`,
    deleteExpired: `DELETE FROM ${name} WHERE subject = ? AND expires_at <= ${NOW}`,
    create: `CREATE TABLE IF NOT EXISTS ${name} (
  subject VARBINARY(512) NOT NULL PRIMARY KEY,
  -- JSON in ASCII: which states are done, and the lease of the claim at work.
  record MEDIUMTEXT CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  version BIGINT NOT NULL,
  -- Milliseconds since 1970: FROM_UNIXTIME(expires_at / 1000) reads it.
  expires_at BIGINT NOT NULL,
  INDEX expires_at (expires_at)
) ENGINE = InnoDB`,
  };
}

function quoted(option: string, name: string): string {
  if (name === '' || name.length > 64 || /[\0.]/.test(name)) {
    throw new ConfigurationError(
      `Expected ${option} to be a name of 1 to 64 characters, unquoted and without the other part: ` +
        "{ database: 'shop', table: 'notifications' }. It is quoted for you.",
    );
  }
  return `\`${name.replaceAll('`', '``')}\``;
}

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

/** By primary key, one by one: deleting a range would lock it, and make claims wait. */
export async function deleteExpiredIn(
  table: MysqlTable,
  limit: number,
  run: (text: string, ...values: string[]) => Promise<unknown>,
): Promise<number> {
  const expired = (await run(table.expired(limit))) as readonly { readonly subject: unknown }[];
  for (const { subject } of expired) await run(table.deleteExpired, String(subject));
  return expired.length;
}
