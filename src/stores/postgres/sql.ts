import { ConfigurationError } from '../../errors';
import { MAX_STATES } from '../store-arguments';

/** PostgreSQL silently truncates longer names, so that two tables could become one. */
const MAX_NAME_BYTES = 63;

/** Suffixes of the index, of the table of parked notifications, and of its index. */
const INDEX_SUFFIX = '_expires_at';
const PARKED_SUFFIX = '_parked';
const PARKED_INDEX_SUFFIX = '_parked_at';

const MAX_TABLE_BYTES =
  MAX_NAME_BYTES -
  Math.max(...[INDEX_SUFFIX, PARKED_SUFFIX, PARKED_INDEX_SUFFIX].map(({ length }) => length));

export interface PostgresStatements {
  /** The table, quoted, and qualified where the schema is known. */
  readonly table: string;
  /** `$1` subject, `$2` state, `$3` token, `$4` lease in ms. No row: another claim won the race. */
  readonly claim: string;
  /** `$1` subject, `$2` state, `$3` token, `$4` retention in ms. One row when the state is recorded by this token. */
  readonly complete: string;
  /** `$1` subject, `$2` token. */
  readonly release: string;
  /** `$1` subjects, `$2` tokens, one of each per lease. Returns the tokens whose leases were released. */
  readonly releaseAll: string;
  /** `$1` how many at most. */
  readonly deleteExpired: string;
  /** `$1` key, `$2` entry, `$3` retention in ms. */
  readonly park: string;
  /** `$1` key (null for any), `$2` since, `$3` how many at most. Rows of `entry`, `first`, `last`, `attempts`. */
  readonly parked: string;
  /** `$1` key. */
  readonly unpark: string;
  /** `$1` how many at most. */
  readonly deleteExpiredParked: string;
  /** The table of records and the table of parked notifications. */
  readonly tables: readonly PostgresTable[];
}

/** A table of the store, and how it is created. */
export interface PostgresTable {
  /** Quoted, and qualified where the schema is known. */
  readonly name: string;
  /** The column of the primary key. */
  readonly key: string;
  /** The columns it must have, with PostgreSQL's names of their types. */
  readonly columns: Readonly<Record<string, string>>;
  readonly create: string;
  readonly createIndex: string;
}

/**
 * Milliseconds since 1970 by the database's clock. Not `now()`, which is when the transaction began: a lease taken
 * after a wait would be too short.
 */
const NOW = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/** Done states are an array of `{ state, token, expires }`, in the order they were done. */
const LIVE = `jsonb_array_elements(record.done) WITH ORDINALITY AS done (entry, position)
    WHERE (entry ->> 'expires')::bigint > ${NOW}`;
const DONE = `EXISTS (SELECT FROM ${LIVE} AND entry ->> 'state' = $2)`;
const DONE_BY_TOKEN = `EXISTS (SELECT FROM ${LIVE} AND entry ->> 'state' = $2 AND entry ->> 'token' = $3)`;
const STATES = `COALESCE((SELECT jsonb_agg(entry -> 'state' ORDER BY position) FROM ${LIVE}), '[]')`;
const NEWEST_BUT_ONE = `COALESCE((SELECT jsonb_agg(entry ORDER BY position) FROM (
    SELECT entry, position FROM ${LIVE} ORDER BY position DESC LIMIT ${MAX_STATES - 1}) AS newest), '[]')`;
const LEASED = `(record.token IS NOT NULL AND record.expires > ${NOW})`;
const MINE = `(${LEASED} AND record.token = $3)`;

/** Whether the parked notification has not yet expired when it fails again. */
const KEPT = 'parked.expires_at > excluded.last_failed_at';

export function postgresStatements(table: string, schema: string | undefined): PostgresStatements {
  checkName('table', table);
  if (schema !== undefined) checkName('schema', schema);
  const prefix = schema === undefined ? '' : `${quoted(schema)}.`;
  const name = prefix + quoted(table);
  const parked = prefix + quoted(table + PARKED_SUFFIX);

  return {
    table: name,

    // The second SELECT sees the record as it was when the statement began. So a claim that has lost a race since then
    // finds no record, or one that is `busy` for it.
    claim: `
WITH claimed AS (
  INSERT INTO ${name} AS record (subject, fence, token, expires, expires_at)
  VALUES ($1, ${NOW}, $3, ${NOW} + $4::bigint, ${NOW} + $4::bigint + 1)
  ON CONFLICT (subject) DO UPDATE SET
    fence = CASE WHEN ${MINE} THEN record.fence ELSE GREATEST(record.fence + 1, ${NOW}) END,
    expires = CASE WHEN ${MINE} THEN record.expires ELSE ${NOW} + $4::bigint END,
    expires_at = GREATEST(record.expires_at, record.fence + 2, ${NOW} + $4::bigint + 1),
    token = $3
  WHERE NOT ${DONE} AND (NOT ${LEASED} OR ${MINE})
  RETURNING fence, ${STATES} AS states
)
SELECT 'claimed' AS status, $3::text AS token, fence::text, states::text, txid_current()::text AS transaction
FROM claimed
UNION ALL
SELECT CASE WHEN ${DONE} THEN 'done' ELSE 'busy' END, $3::text, NULL, ${STATES}::text, NULL
FROM ${name} AS record WHERE subject = $1 AND NOT EXISTS (SELECT FROM claimed)`,

    complete: `${completionIn(name)}\nRETURNING $3::text AS token`,

    release: `UPDATE ${name} SET token = NULL WHERE subject = $1 AND token = $2`,

    releaseAll: `
UPDATE ${name} AS record SET token = NULL
FROM unnest($1::text[], $2::text[]) AS abandoned (subject, token)
WHERE record.subject = abandoned.subject AND record.token = abandoned.token
RETURNING abandoned.token`,

    // The subquery reads the clock once, so that the index can be used. The array makes the LIMIT apply only once.
    deleteExpired: `
DELETE FROM ${name} WHERE subject = ANY (ARRAY(
  SELECT subject FROM ${name} WHERE expires_at <= (SELECT ${NOW})
  ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED
)) RETURNING 1`,

    park: `
INSERT INTO ${parked} AS parked (key, entry, first_failed_at, last_failed_at, attempts, expires_at)
SELECT $1, $2, now, now, 1, now + $3::bigint FROM (SELECT ${NOW} AS now) AS clock
ON CONFLICT (key) DO UPDATE SET
  entry = excluded.entry,
  first_failed_at = CASE WHEN ${KEPT} THEN parked.first_failed_at ELSE excluded.first_failed_at END,
  last_failed_at = excluded.last_failed_at,
  attempts = CASE WHEN ${KEPT} THEN parked.attempts + 1 ELSE 1 END,
  expires_at = excluded.expires_at`,

    parked: `
SELECT entry, first_failed_at::text AS first, last_failed_at::text AS last, attempts::text AS attempts FROM ${parked}
WHERE expires_at > (SELECT ${NOW}) AND last_failed_at >= $2::bigint AND ($1::text IS NULL OR key = $1)
ORDER BY last_failed_at, key LIMIT $3::bigint`,

    unpark: `DELETE FROM ${parked} WHERE key = $1`,

    deleteExpiredParked: `
DELETE FROM ${parked} WHERE key = ANY (ARRAY(
  SELECT key FROM ${parked} WHERE expires_at <= (SELECT ${NOW}) LIMIT $1 FOR UPDATE SKIP LOCKED
)) RETURNING 1`,

    tables: [
      {
        name,
        key: 'subject',
        columns: RECORD_COLUMNS,
        create: `CREATE TABLE IF NOT EXISTS ${name} (
  subject text COLLATE "C" PRIMARY KEY,
  -- All times are milliseconds since 1970: to_timestamp(expires / 1000.0) reads them.
  fence bigint NOT NULL,
  -- The lease, while token is not null.
  token text,
  expires bigint NOT NULL,
  done jsonb NOT NULL DEFAULT '[]',
  expires_at bigint NOT NULL
)`,
        createIndex: `CREATE INDEX IF NOT EXISTS ${quoted(table + INDEX_SUFFIX)} ON ${name} (expires_at)`,
      },
      {
        name: parked,
        key: 'key',
        columns: PARKED_COLUMNS,
        create: `CREATE TABLE IF NOT EXISTS ${parked} (
  key text COLLATE "C" PRIMARY KEY,
  -- JSON, which holds the notification's body and so personal data.
  entry text NOT NULL,
  first_failed_at bigint NOT NULL,
  last_failed_at bigint NOT NULL,
  attempts bigint NOT NULL,
  expires_at bigint NOT NULL
)`,
        createIndex: `CREATE INDEX IF NOT EXISTS ${quoted(table + PARKED_INDEX_SUFFIX)} ON ${parked} (last_failed_at)`,
      },
    ],
  };
}

const RECORD_COLUMNS = {
  subject: 'text',
  fence: 'bigint',
  token: 'text',
  expires: 'bigint',
  done: 'jsonb',
  expires_at: 'bigint',
};

const PARKED_COLUMNS = {
  key: 'text',
  entry: 'text',
  first_failed_at: 'bigint',
  last_failed_at: 'bigint',
  attempts: 'bigint',
  expires_at: 'bigint',
};

function completionIn(qualifiedTable: string): string {
  return `
UPDATE ${qualifiedTable} AS record SET
  done = CASE WHEN ${DONE_BY_TOKEN} THEN record.done ELSE
    ${NEWEST_BUT_ONE}
      || jsonb_build_object('state', $2::text, 'token', $3::text, 'expires', ${NOW} + $4::bigint) END,
  expires_at = GREATEST(record.expires_at, ${NOW} + $4::bigint),
  token = NULLIF(record.token, $3)
WHERE record.subject = $1 AND (${MINE} OR ${DONE_BY_TOKEN})`;
}

/**
 * Like `complete`, but only in transaction `$5`, and with a durable commit whatever the callback has set.
 *
 * @param qualifiedTable - with its schema, because the callback may have set another `search_path`
 */
export function completionInTransaction(qualifiedTable: string): string {
  return `${completionIn(qualifiedTable)} AND txid_current() = $5::bigint
RETURNING $3::text AS token, set_config('synchronous_commit', 'on', true)`;
}

/**
 * Tries to lock subject `$1` of table `$2`. The lock's key is a 64-bit hash of the subject, seeded with the table's id,
 * so that two tables in one database do not share locks. Also returns the table with its schema, and the role, which
 * the callback may change.
 */
export const LOCK = `
SELECT pg_try_advisory_xact_lock(hashtextextended($1, oid::bigint)) AS locked,
  format('%s.%I', relnamespace::regnamespace, relname) AS table, current_setting('role') AS role
FROM pg_catalog.pg_class WHERE oid = $2::text::regclass`;

/** Restores the role `$1`. */
export const SET_ROLE = "SELECT set_config('role', $1, true)";

/**
 * Begins a transaction that the server ends if this process stops dead with its connection open.
 *
 * - A statement may take `statementMs`.
 * - Between two statements, and on PostgreSQL 17 as a whole, the transaction may take `transactionMs`.
 * - `tcp_user_timeout` ends it while the server is sending rows that this process does not read, which no other timeout
 *   does. It works on PostgreSQL 12 and later, on Linux, and over TCP.
 *
 * A shorter timeout of the server or the role stays as it is.
 */
export function beginTransaction(statementMs: number, transactionMs: number): string {
  return (
    'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL synchronous_commit = on; SELECT ' +
    [
      lowered('statement_timeout', statementMs),
      lowered('idle_in_transaction_session_timeout', transactionMs),
      lowered('transaction_timeout', transactionMs),
      lowered('tcp_user_timeout', transactionMs),
    ].join(', ')
  );
}

/** The most that PostgreSQL takes for a timeout. */
const MAX_SETTING_MS = 2 ** 31 - 1;

/** Lowers a timeout for the transaction, unless it is shorter already or unknown to this version. 0 means none. */
function lowered(setting: string, ms: number): string {
  // PostgreSQL shows this one without its unit, milliseconds.
  const unit = setting === 'tcp_user_timeout' ? " || 'ms'" : '';
  const present = `extract(epoch FROM (current_setting('${setting}', true)${unit})::interval) * 1000`;
  return (
    `CASE WHEN current_setting('${setting}', true) IS NOT NULL THEN ` +
    `set_config('${setting}', LEAST(${Math.min(ms, MAX_SETTING_MS)}, NULLIF((${present})::bigint, 0))::text, true) END`
  );
}

function checkName(option: string, name: string): void {
  const bytes = new TextEncoder().encode(name).length;
  if (bytes === 0 || bytes > MAX_TABLE_BYTES || name.includes('\0')) {
    throw new ConfigurationError(
      `Expected ${option} to be a name of 1 to ${MAX_TABLE_BYTES} bytes, unquoted and without the ` +
        "other part: { schema: 'shop', table: 'notifications' }. It is quoted for you.",
    );
  }
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
