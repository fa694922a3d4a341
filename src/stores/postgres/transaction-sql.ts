import type { TransactionSql } from '../within';
import { EQUALS, NOW, type PostgresTable } from './records-table';

const setting = (name: string) => `pg_catalog.current_setting('${name}')`;

/** A commit that is confirmed must survive a crash, also where the callback, the role or the server says `off`. */
const DURABLE =
  `CASE WHEN ${setting('synchronous_commit')} ${EQUALS} 'off' ` +
  "THEN pg_catalog.set_config('synchronous_commit', 'on', true) END AS durable";

/**
 * The statements of a transaction that the callback shares. As in the table's own statements, all names are qualified
 * and all types exact. Their parameters are in order, once each, because some ORMs only know `?`.
 */
export function postgresTransactionSql({ name, read, insert, update }: PostgresTable): TransactionSql {
  return {
    read: (key) => ({ text: read, values: [key] }),

    // The server ends the session if this process stops dead with its connection open: between two statements for sure,
    // and within one unless the connection has a limit of its own.
    lock: (key, timeoutMs) => ({
      text:
        `SELECT record, version, ${NOW} AS now, ` +
        "pg_catalog.set_config('idle_in_transaction_session_timeout', $1, true) AS idle, " +
        `CASE WHEN ${setting('statement_timeout')} ${EQUALS} '0' ` +
        "THEN pg_catalog.set_config('statement_timeout', $2, true) END AS statement " +
        `FROM ${name} WHERE subject ${EQUALS} $3 FOR UPDATE SKIP LOCKED`,
      values: [String(timeoutMs), String(timeoutMs), key],
    }),

    write: (key, { record, version, next, before, expiresAt }) => [
      version === 0
        ? { text: insert, values: [key, record, next, expiresAt, before / UNIT_MS] }
        : {
            text: `${update}, ${DURABLE}`,
            values: [record, next, expiresAt, key, version, before / UNIT_MS],
          },
    ],

    unitMs: UNIT_MS,
  };
}

/** `now` is in seconds. */
const UNIT_MS = 1000;
