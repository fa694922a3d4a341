import pg from 'pg';
import { onTestFinished } from 'vitest';
import { dropDatabase, postgresConfig } from '../../helpers/postgres';

/** A database for one test, and the environment with its URL. It is dropped with the test. */
export async function openDatabase() {
  const name = `example_${process.pid}_${Date.now()}`;
  const admin = new pg.Client(postgresConfig);
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  const url = new URL(postgresConfig.connectionString ?? 'postgres://postgres@127.0.0.1:5432');
  url.pathname = `/${name}`;
  const pool = new pg.Pool({ connectionString: url.href, max: 1 });
  pool.on('error', () => undefined); // its connections are ended with the database
  onTestFinished(async () => {
    await pool.end();
    await dropDatabase(admin, name);
    await admin.end();
  });
  return { query: async (sql: string) => (await pool.query(sql)).rows, env: { DATABASE_URL: url.href } };
}
