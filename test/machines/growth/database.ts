import pg from 'pg';
import { postgresConfig } from '../../helpers/postgres';

/** A database of its own for one run. */
export async function openDatabase() {
  const name = `pix_automatic_growth_${process.pid}`;
  const admin = new pg.Client(postgresConfig);
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  const url = new URL(postgresConfig.connectionString ?? 'postgres://postgres@127.0.0.1:5432');
  url.pathname = `/${name}`;
  return {
    url: url.href,
    async drop() {
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.end();
    },
  };
}
