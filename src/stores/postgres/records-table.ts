import { ConfigurationError, StoreError } from '../../errors';
import type { TransactionSql } from '../within';

// The table that every PostgreSQL store shares: what it looks like, and the statements on it.
//
// All names are qualified, operators and functions too, and all types are exact. Otherwise whoever may create functions
// in a schema of the connection's `search_path` could have theirs run with our rights (CVE-2018-1058).

/** Where the records are. */
export interface PostgresTableOptions {
  /**
   * The table's schema, unquoted; it must exist. Default: `'public'`, whatever the connection's `search_path` says,
   * because two processes with different ones would each keep records of their own.
   */
  readonly schema?: string | undefined;

  /** The table's name, unquoted, of up to 52 bytes. Default: `'pix_automatic_notifications'`. */
  readonly table?: string | undefined;
}

/** Each statement names the table with its schema, and finds its row by primary key. */
export interface PostgresTable {
  /** Quoted, with its schema. */
  readonly name: string;
  /** `$1` subject. Always one row: `record` and `version` (null where there is none), `now` in seconds. */
  readonly read: string;
  /** `$1` subject, `$2` record, `$3` version, `$4` expires_at in ms, `$5` before in seconds. One row if it wrote. */
  readonly insert: string;
  /** `$1` record, `$2` version, `$3` expires_at in ms, `$4` subject, `$5` the version it must have, `$6` before in s. One row if it wrote. */
  readonly update: string;
  /** One row: `now` in seconds. */
  readonly clock: string;
  /** `$1` now in ms, `$2` how many at most. Skips locked rows. One row per record that it deleted. */
  readonly deleteExpired: string;
  /** Creates the table where it is missing. */
  readonly create: string;
  /** Creates its index where it is missing. */
  readonly createIndex: string;
}

const EQUALS = 'OPERATOR(pg_catalog.=)';

/** Seconds since 1970 as double precision. Not `now()`, which is when the transaction began. */
const NOW = "pg_catalog.date_part('epoch', pg_catalog.clock_timestamp())";
const inTime = (before: string) => `${NOW} OPERATOR(pg_catalog.<) ${before}`;

const INDEX_SUFFIX = '_expires_at';

export function postgresTable(options: PostgresTableOptions): PostgresTable {
  const { schema = 'public', table = 'pix_automatic_notifications' } = options;
  const name = `${quoted('schema', schema)}.${quoted('table', table)}`;
  return {
    name,
    read: `SELECT record, version, ${NOW} AS now FROM (VALUES (1)) AS one LEFT JOIN ${name} ON subject ${EQUALS} $1`,
    insert:
      `INSERT INTO ${name} (subject, record, version, expires_at) SELECT $1, $2, $3, $4 WHERE ${inTime('$5')} ` +
      'ON CONFLICT (subject) DO NOTHING RETURNING 1 AS written',
    update:
      `UPDATE ${name} SET record = $1, version = $2, expires_at = $3 ` +
      `WHERE subject ${EQUALS} $4 AND version ${EQUALS} $5 AND ${inTime('$6')} RETURNING 1 AS written`,
    clock: `SELECT ${NOW} AS now`,
    deleteExpired: `DELETE FROM ${name} WHERE subject ${EQUALS} ANY (ARRAY(
  SELECT subject FROM ${name} WHERE expires_at OPERATOR(pg_catalog.<=) $1
  ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED
)) RETURNING 1 AS deleted`,
    create: `CREATE TABLE IF NOT EXISTS ${name} (
  subject pg_catalog.text COLLATE pg_catalog."C" PRIMARY KEY,
  -- JSON: which states are done, and the lease of the claim at work.
  record pg_catalog.text NOT NULL,
  version bigint NOT NULL,
  -- Milliseconds since 1970: to_timestamp(expires_at / 1000.0) reads it.
  expires_at bigint NOT NULL
)`,
    createIndex: `CREATE INDEX IF NOT EXISTS ${quoted('table', table, INDEX_SUFFIX)} ON ${name} (expires_at)`,
  };
}

/** PostgreSQL truncates names of more than 63 bytes without a word, so that two tables could become one. */
const MAX_NAME_BYTES = 63 - INDEX_SUFFIX.length;

function quoted(option: string, name: string, suffix = ''): string {
  const bytes = new TextEncoder().encode(name).length;
  if (bytes === 0 || bytes > MAX_NAME_BYTES || name.includes('\0')) {
    throw new ConfigurationError(
      `Expected ${option} to be a name of 1 to ${MAX_NAME_BYTES} bytes, unquoted and without the ` +
        "other part: { schema: 'shop', table: 'notifications' }. It is quoted for you.",
    );
  }
  return `"${(name + suffix).replaceAll('"', '""')}"`;
}

type Run = (text: string, values: unknown[]) => Promise<readonly unknown[]>;

/** Creates the table and its index where they are missing, and refuses a table that another role prepared. */
export async function createPostgresTable(
  run: Run,
  { name, create, createIndex }: PostgresTable,
): Promise<void> {
  const made = (statement: string) =>
    // Again if it fails: IF NOT EXISTS does not protect against another process that creates the same thing right now.
    run(statement, [])
      .catch(() => run(statement, []))
      .catch((cause: unknown) => {
        throw new StoreError(
          `PostgreSQL did not create the table ${name} or its index; \`cause\` says why. The schema must exist, and ` +
            'the role needs USAGE and CREATE on it, and must own the table if it exists: pass `schema` for one of your ' +
            'own. To run with a role that owns nothing, put createTableSql() in a migration, grant it SELECT, INSERT, ' +
            'UPDATE and DELETE on the table, and leave createTable() out.',
          { cause },
        );
      });
  await made(create);
  const [row] = await run(INSPECT, [name]);
  const found: Record<string, unknown> = { ...(row as object | undefined) };
  if (found['owned'] === true && found['plain'] === true) {
    await made(createIndex);
    return;
  }
  const fault =
    found['owned'] === true
      ? 'it is not an ordinary table, or it has triggers, rules or row security'
      : 'it belongs to a role that this connection has no part in';
  throw new StoreError(
    `The table ${name} was there already, and cannot be used: ${fault}. Whoever can change the table can make a ` +
      'notification run twice. Find out who created it; then drop it, or choose another schema, in which only the ' +
      'owner of the table may create anything.',
  );
}

/**
 * Describes the table named `$1`. It counts as ours if its owner is our role or one that our role is a member of, which
 * is looked up in the catalog, because `pg_has_role` is true of every role for a superuser.
 */
const INSPECT = `
WITH RECURSIVE mine (id) AS (
  SELECT oid FROM pg_catalog.pg_roles WHERE rolname ${EQUALS} current_user
  UNION SELECT roleid FROM pg_catalog.pg_auth_members JOIN mine ON member ${EQUALS} id
)
SELECT EXISTS (SELECT FROM mine WHERE id ${EQUALS} relowner) AS owned,
  (relkind ${EQUALS} 'r') AND (relpersistence ${EQUALS} 'p') AND NOT relhasrules AND NOT relrowsecurity AND NOT relhassubclass
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_trigger WHERE tgrelid ${EQUALS} c.oid AND NOT tgisinternal) AS plain
FROM pg_catalog.pg_class AS c WHERE c.oid ${EQUALS} pg_catalog.to_regclass($1)::pg_catalog.oid`;

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
