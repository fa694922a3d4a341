import { ConfigurationError } from '../../errors';
import { MAX_STATES } from '../store-arguments';

/** All but those of `tables` return rows, by RETURNING if need be: better-sqlite3's `all` refuses a statement without. */
export interface SqliteStatements {
  /** `@subject`, `@state`, `@token`, `@duration` of the lease. One row when claimed. */
  readonly claim: string;
  /** `@subject`, `@state`, `@token`. Why a claim returned no row: one row, or none. */
  readonly read: string;
  /** Values as for `claim`; `@duration` of the retention. One row when the state is recorded by this token. */
  readonly complete: string;
  /** `@subject`, `@token`. */
  readonly release: string;
  /** `@limit`. */
  readonly deleteExpired: string;
  readonly tables: readonly SqliteTable[];
  /** `@key`, `@entry`, `@duration` of the retention. */
  readonly park: string;
  /** `@key` (`''` for any), `@since`, `@limit`. Rows of `entry`, `first`, `last`, `attempts`. */
  readonly parked: string;
  /** `@key`. */
  readonly unpark: string;
  /** `@limit`. */
  readonly deleteExpiredParked: string;
  /** `@table`. One row: JSON arrays of the table's `columns` and `triggers`. */
  readonly inspect: string;
}

/** A table, and what makes it. */
export interface SqliteTable {
  readonly name: string;
  /** The columns that it must have. */
  readonly columns: readonly string[];
  readonly statements: readonly string[];
}

/** Milliseconds since 1970 by SQLite's clock, the same throughout a statement; `unixepoch('subsec')` needs 3.42. */
const NOW = "CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)";

/** Both drivers bind numbers as floating point. */
const DURATION = 'CAST(@duration AS INTEGER)';

/** Done states are an array of `{ state, token, expires }`, in the order they were done. */
const LIVE = `json_each(record.done) AS entry WHERE entry.value ->> 'expires' > ${NOW}`;
const DONE = `EXISTS (SELECT 1 FROM ${LIVE} AND entry.value ->> 'state' = @state)`;
const DONE_BY_TOKEN = `EXISTS (SELECT 1 FROM ${LIVE} AND entry.value ->> 'state' = @state AND entry.value ->> 'token' = @token)`;
const STATES = `(SELECT json_group_array(entry.value ->> 'state') FROM ${LIVE})`;
const LEASED = `(record.token IS NOT NULL AND record.expires > ${NOW})`;
const MINE = `(${LEASED} AND record.token = @token)`;

export function sqliteStatements(table: string): SqliteStatements {
  if (table === '' || table.includes('\0') || /^sqlite_/i.test(table)) {
    throw new ConfigurationError(
      "Expected table to be a name, unquoted, that does not begin with 'sqlite_'. It is quoted for you.",
    );
  }
  const name = quoted(table);
  const parked = quoted(`${table}_parked`);
  return {
    // RETURNING does not accept the alias, only the table's own name.
    claim: `
INSERT INTO ${name} AS record (subject, fence, token, expires, done, expires_at)
VALUES (@subject, ${NOW}, @token, ${NOW} + ${DURATION}, '[]', ${NOW} + ${DURATION} + 1)
ON CONFLICT (subject) DO UPDATE SET
  fence = CASE WHEN ${MINE} THEN record.fence ELSE max(record.fence + 1, ${NOW}) END,
  expires = CASE WHEN ${MINE} THEN record.expires ELSE ${NOW} + ${DURATION} END,
  expires_at = max(record.expires_at, record.fence + 2, ${NOW} + ${DURATION} + 1),
  token = @token
WHERE NOT ${DONE} AND (NOT ${LEASED} OR ${MINE})
RETURNING 'claimed' AS status, token, CAST(fence AS TEXT) AS fence,
  ${STATES.replace('record', () => name)} AS states`,

    read: `
SELECT CASE WHEN ${DONE} THEN 'done' ELSE 'busy' END AS status, @token AS token, ${STATES} AS states
FROM ${name} AS record WHERE subject = @subject`,

    complete: `
UPDATE ${name} AS record SET
  done = CASE WHEN ${DONE_BY_TOKEN} THEN record.done ELSE json_insert(
    (SELECT json_group_array(json(value)) FROM (SELECT * FROM (
      SELECT entry.key, entry.value FROM ${LIVE} ORDER BY entry.key DESC LIMIT ${MAX_STATES - 1}) ORDER BY key)),
    '$[#]', json_object('state', @state, 'token', @token, 'expires', ${NOW} + ${DURATION})) END,
  expires_at = max(record.expires_at, ${NOW} + ${DURATION}),
  token = NULLIF(record.token, @token)
WHERE record.subject = @subject AND (${MINE} OR ${DONE_BY_TOKEN})
RETURNING @token AS token`,

    release: `UPDATE ${name} SET token = NULL WHERE subject = @subject AND token = @token RETURNING 1`,

    deleteExpired: `
DELETE FROM ${name} WHERE subject IN (
  SELECT subject FROM ${name} WHERE expires_at <= ${NOW} ORDER BY expires_at LIMIT CAST(@limit AS INTEGER)
) RETURNING 1`,

    tables: [
      {
        name: table,
        columns: ['subject', 'fence', 'token', 'expires', 'done', 'expires_at'],
        statements: [
          `CREATE TABLE IF NOT EXISTS ${name} (
  subject TEXT NOT NULL PRIMARY KEY,
  -- All times are milliseconds since 1970.
  fence INTEGER NOT NULL,
  -- The lease, while token is not null.
  token TEXT,
  expires INTEGER NOT NULL,
  done TEXT NOT NULL,
  expires_at INTEGER NOT NULL
)`,
          `CREATE INDEX IF NOT EXISTS ${quoted(`${table}_expires_at`)} ON ${name} (expires_at)`,
        ],
      },
      {
        name: `${table}_parked`,
        columns: ['key', 'entry', 'first_failed_at', 'last_failed_at', 'attempts', 'expires_at'],
        statements: [
          `CREATE TABLE IF NOT EXISTS ${parked} (
  key TEXT NOT NULL PRIMARY KEY,
  -- JSON, which holds the notification's body and so personal data.
  entry TEXT NOT NULL,
  first_failed_at INTEGER NOT NULL,
  last_failed_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
)`,
          `CREATE INDEX IF NOT EXISTS ${quoted(`${table}_parked_last_failed_at`)} ON ${parked} (last_failed_at)`,
        ],
      },
    ],

    park: `
INSERT INTO ${parked} AS parked (key, entry, first_failed_at, last_failed_at, attempts, expires_at)
VALUES (@key, @entry, ${NOW}, ${NOW}, 1, ${NOW} + ${DURATION})
ON CONFLICT (key) DO UPDATE SET
  entry = excluded.entry,
  first_failed_at = CASE WHEN parked.expires_at > ${NOW} THEN parked.first_failed_at ELSE ${NOW} END,
  last_failed_at = ${NOW},
  attempts = CASE WHEN parked.expires_at > ${NOW} THEN parked.attempts + 1 ELSE 1 END,
  expires_at = ${NOW} + ${DURATION}
RETURNING 1`,

    parked: `
SELECT entry, first_failed_at AS first, last_failed_at AS last, attempts FROM ${parked}
WHERE expires_at > ${NOW} AND last_failed_at >= @since AND (@key = '' OR key = @key)
ORDER BY last_failed_at, key LIMIT CAST(@limit AS INTEGER)`,

    unpark: `DELETE FROM ${parked} WHERE key = @key RETURNING 1`,

    deleteExpiredParked: `
DELETE FROM ${parked} WHERE key IN (
  SELECT key FROM ${parked} WHERE expires_at <= ${NOW} LIMIT CAST(@limit AS INTEGER)
) RETURNING 1`,

    inspect: `SELECT (SELECT json_group_array(name) FROM pragma_table_info(@table)) AS columns,
  (SELECT json_group_array(name) FROM sqlite_master
    WHERE type = 'trigger' AND tbl_name = @table COLLATE NOCASE) AS triggers`,
  };
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
