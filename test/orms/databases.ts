import mysql from 'mysql2/promise';
import pg from 'pg';
import { dropDatabase } from '../helpers/postgres';
import { reportMissing } from '../helpers/servers';
import { ORDERS } from './orm';
import type { Dialect } from './orms';

/** The servers. A database of the test's own is made in each, and dropped at the end. */
const URLS: Readonly<Record<Dialect, string>> = {
  postgres: process.env['DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/test',
  mysql: process.env['MYSQL_URL'] ?? 'mysql://root@127.0.0.1:3306/test',
};

/** The test's own view of a database, with a driver and no ORM between. */
export interface Database {
  readonly url: string;
  query(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  /** Ends the session that waits for the callback with this reference. */
  endSessions(): Promise<void>;
  drop(): Promise<void>;
}

/** Makes a database, or resolves with `undefined` where the server does not answer. */
export async function makeDatabase(dialect: Dialect, name: string): Promise<Database | undefined> {
  try {
    return dialect === 'postgres' ? await makePostgres(name) : await makeMysql(name);
  } catch (error) {
    if (dialect === 'postgres') reportMissing('PostgreSQL', 'DATABASE_URL');
    else reportMissing('MySQL or MariaDB', 'MYSQL_URL');
    console.warn(String(error));
    return undefined;
  }
}

async function makePostgres(name: string): Promise<Database> {
  const admin = new pg.Client({ connectionString: URLS.postgres, connectionTimeoutMillis: 2000 });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  const url = new URL(URLS.postgres);
  url.pathname = `/${name}`;
  const pool = new pg.Pool({ connectionString: url.href, application_name: 'test' });
  pool.on('error', () => undefined);
  await pool.query(ORDERS.postgres);
  return {
    url: url.href,
    query: async (text, values) => (await pool.query(text, values)).rows,
    endSessions: async () => {
      await pool.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND state LIKE 'idle in transaction%'",
        [name],
      );
    },
    drop: async () => {
      await pool.end();
      await dropDatabase(admin, name);
      await admin.end();
    },
  };
}

async function makeMysql(name: string): Promise<Database> {
  const admin = await mysql.createConnection({ uri: URLS.mysql, connectTimeout: 2000 });
  await admin.query(`CREATE DATABASE ${name}`);
  const url = new URL(URLS.mysql);
  url.pathname = `/${name}`;
  const pool = mysql.createPool(url.href);
  await pool.query(ORDERS.mysql);
  const query = async (text: string, values?: unknown[]) =>
    (await pool.query(text, values))[0] as Record<string, unknown>[];
  return {
    url: url.href,
    query,
    endSessions: async () => {
      const rows = await query(
        'SELECT trx_mysql_thread_id AS id FROM information_schema.innodb_trx JOIN information_schema.processlist ' +
          "ON id = trx_mysql_thread_id WHERE db = ? AND command = 'Sleep'",
        [name],
      );
      for (const { id } of rows) {
        await query(`KILL ${id}`).catch((error: { code?: string }) => {
          if (error.code !== 'ER_NO_SUCH_THREAD') throw error; // it has ended since it was listed
        });
      }
    },
    drop: async () => {
      await pool.end();
      await admin.query(`DROP DATABASE ${name}`);
      await admin.end();
    },
  };
}
