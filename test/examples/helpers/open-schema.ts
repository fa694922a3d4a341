import pg from 'pg';
import { onTestFinished } from 'vitest';
import { postgresConfig } from '../../helpers/postgres';

/** A schema for one test, and the environment in which `pg` uses it. It is dropped with the test. */
export async function openSchema() {
  const schema = `example_${process.pid}_${Date.now()}`;
  const pool = new pg.Pool({ ...postgresConfig, options: `-c search_path=${schema}`, max: 1 });
  await pool.query(`CREATE SCHEMA ${schema}`);
  onTestFinished(async () => {
    await pool.query(`DROP SCHEMA ${schema} CASCADE`);
    await pool.end();
  });
  const { host, user, database } = postgresConfig;
  const env = {
    PGOPTIONS: `-c search_path=${schema}`,
    // A DATABASE_URL takes precedence over the other variables.
    ...Object.fromEntries(
      Object.entries({ PGHOST: host, PGUSER: user, PGDATABASE: database }).filter(([, value]) => value),
    ),
  };
  return { query: async (sql: string, values: unknown[] = []) => (await pool.query(sql, values)).rows, env };
}
