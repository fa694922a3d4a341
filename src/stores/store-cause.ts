import {
  type Cause,
  CLOSED,
  causeOf,
  NO_CONNECTION,
  NO_POOL,
  OTHER_SERVER,
  UNREACHABLE,
} from './driver-error';

/** What a failure of a store means to whoever reads it at night, by what drivers of databases throw. */
const CAUSES: readonly Cause[] = [
  [
    /\b(25P02|3B001|ER_SP_DOES_NOT_EXIST|1305)\b/,
    /current transaction is aborted/,
    'The callback caught an SQL error, or ended the transaction itself, so nothing of it was committed. Let SQL errors ' +
      'reach the handler, and leave COMMIT and ROLLBACK to it.',
  ],
  [
    /\b(42P01|3F000|42S02|ER_NO_SUCH_TABLE|1146|ER_BAD_DB_ERROR|1049|3D000|P2021)\b/,
    /no such table/,
    'Its table does not exist. Run `createTable()`, or the SQL of `createTableSql()` in a migration; if it is there, ' +
      'check the database and the schema of the connection.',
  ],
  [
    /\b(42501|28P01|28000|ER_\w*ACCESS_DENIED\w*|1044|1045|1142|1227|P1000|P1010)\b/,
    /^(NOPERM|NOAUTH|WRONGPASS)\b/,
    'The role has no right to it. Check the credentials, and grant SELECT, INSERT, UPDATE and DELETE on the table (in ' +
      'Redis, the commands on its keys).',
  ],
  [
    /\b(25006|ER_OPTION_PREVENTS_STATEMENT|1290|ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION|1792|ER_READ_ONLY_MODE|1836)\b/,
    /^READONLY\b|readonly database/,
    'The server is read-only: probably a replica, or a failover is under way. Connect to the primary.',
  ],
  [
    ...NO_CONNECTION,
    'No connection was free. Look for callbacks that are slow or that ask the pool for a second connection, and make the ' +
      'pool larger.',
  ],
  CLOSED,
  NO_POOL,
  OTHER_SERVER,
  UNREACHABLE,
  [
    /\b(40P01|40001|55P03|ER_LOCK_\w+|1205|1213|SQLITE_BUSY)\b/,
    /database is locked/,
    'Another connection holds a lock on it. If that continues, look for a long transaction.',
  ],
  [
    /\bDeadlineExceeded\b/,
    /did not answer within|took longer than/,
    'It did not answer in time: it is overloaded, its connection is silent, or its pool has none free. Look at its load, ' +
      'at slow callbacks, and at the driver’s time limits.',
  ],
];

/** Names the likely cause of what a store or a database threw, and the way out; `undefined` if that says nothing. */
export function storeCause(error: unknown): string | undefined {
  return causeOf(error, CAUSES);
}
