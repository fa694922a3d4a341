import { StoreError } from '../../errors';
import type { PostgresTable } from './sql';

/**
 * Describes the table named `$1`, and whether column `$2` alone is its primary key. The table counts as ours if its
 * owner is our role or one that our role is a member of. Membership is looked up in the catalog, because `pg_has_role`
 * is true of every role for a superuser.
 */
const INSPECT = `
WITH RECURSIVE mine (id) AS (
  SELECT oid FROM pg_catalog.pg_roles WHERE rolname = current_user
  UNION SELECT roleid FROM pg_catalog.pg_auth_members JOIN mine ON member = mine.id
)
SELECT format('%s.%I', c.relnamespace::regnamespace, c.relname) AS table,
  EXISTS (SELECT FROM mine WHERE id = c.relowner) AS owned,
  c.relkind = 'r' AND c.relpersistence = 'p' AND NOT c.relispartition
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_inherits WHERE c.oid IN (inhparent, inhrelid)) AS ordinary,
  NOT c.relhasrules AND NOT c.relrowsecurity
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_trigger WHERE tgrelid = c.oid AND NOT tgisinternal) AS unguarded,
  (SELECT json_object_agg(attname, format_type(atttypid, NULL))
    FROM pg_catalog.pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped)::text AS columns,
  EXISTS (SELECT FROM pg_catalog.pg_index AS i
    JOIN pg_catalog.pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
    WHERE i.indrelid = c.oid AND i.indisprimary AND i.indnkeyatts = 1 AND a.attname = $2) AS keyed
FROM pg_catalog.pg_class AS c WHERE c.oid = to_regclass($1)`;

type Run = (text: string, values: unknown[]) => Promise<{ readonly rows: unknown[] }>;

/** Creates a table and its index if they are missing, and refuses a table that another role prepared. */
export async function createTable(run: Run, table: PostgresTable): Promise<void> {
  await twice(run, table.create);
  const { rows } = await run(INSPECT, [table.name, table.key]);
  const fault = faultOf(rows[0], table);
  if (fault !== undefined) {
    throw new StoreError(
      `The table ${table.name} was there already, and cannot be used: ${fault}. ` +
        'Whoever can change the table can make a notification run twice. Find out who created it; then drop it, or ' +
        'choose another schema, in which only the owner of the table may create anything.',
    );
  }
  await twice(run, table.createIndex);
}

function faultOf(row: unknown, table: PostgresTable): string | undefined {
  const found: Record<string, unknown> = { ...(row as object | undefined) };
  if (found['owned'] !== true) return 'it belongs to a role that this connection has no part in';
  if (found['ordinary'] !== true)
    return 'it is not an ordinary, logged table without partitions or inheritance';
  if (found['unguarded'] !== true) return 'it has triggers, rules or row security';
  const columns: Record<string, unknown> = JSON.parse(String(found['columns']));
  const missing = Object.entries(table.columns).filter(([name, type]) => columns[name] !== type);
  if (missing.length > 0) {
    return `it lacks ${missing.map(([name, type]) => `${name} (${type})`).join(', ')}`;
  }
  return found['keyed'] === true ? undefined : `its primary key is not ${table.key}`;
}

/**
 * Runs a CREATE statement, and again if it fails: IF NOT EXISTS does not protect against another process that creates
 * the same thing right now. The statement that loses this race fails, and finds the table or index when run again.
 */
async function twice(run: Run, statement: string): Promise<void> {
  try {
    await run(statement, []);
  } catch {
    try {
      await run(statement, []);
    } catch (cause) {
      throw new StoreError(
        'PostgreSQL did not create a table of the store or its index; `cause` says why. The schema must exist, and ' +
          'the role needs USAGE and CREATE on it, and must own the tables if they exist. To run with a role that ' +
          'owns nothing, put createTableSql() in a migration, grant it SELECT, INSERT, UPDATE and DELETE on both ' +
          'tables, and leave createTable() out.',
        { cause },
      );
    }
  }
}
