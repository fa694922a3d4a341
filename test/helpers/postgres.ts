import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { reportMissing } from './servers';

const SOCKETS = '/var/run/postgresql';

/** How to reach the tests’ PostgreSQL: `DATABASE_URL`, or the local socket, or 127.0.0.1:5432. */
export const postgresConfig: pg.PoolConfig = process.env['DATABASE_URL']
  ? { connectionString: process.env['DATABASE_URL'] }
  : {
      host: existsSync(`${SOCKETS}/.s.PGSQL.5432`) ? SOCKETS : '127.0.0.1',
      user: 'postgres',
      database: 'test',
    };

/** Whether a PostgreSQL answers. Reports where none does, and fails where one is required. */
export async function findPostgres(): Promise<boolean> {
  const client = new pg.Client({ ...postgresConfig, connectionTimeoutMillis: 2000 });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch {
    reportMissing('PostgreSQL', 'DATABASE_URL');
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * Drops a database. `pool.end()` resolves before the sessions of the pool have ended, and by then nothing listens to
 * them: one that the drop itself ends would end this process. Those of killed processes may stay, and are ended.
 */
export async function dropDatabase(admin: pg.Client, name: string): Promise<void> {
  for (let tries = 0; tries < 40; tries += 1) {
    const { rowCount } = await admin.query('SELECT FROM pg_stat_activity WHERE datname = $1', [name]);
    if (rowCount === 0) break;
    await sleep(50);
  }
  await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
}
