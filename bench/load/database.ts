import pg from 'pg';
import { PostgresStore } from 'pix-automatic-sdk/stores';
import { postgresConfig } from '../../test/helpers/postgres';
import { cpuOf } from '../lib/cpu';

/** A database of its own for one run. */
export async function openDatabase() {
  const name = `pix_automatic_load_${process.pid}`;
  const admin = new pg.Client(postgresConfig);
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  const url = new URL(postgresConfig.connectionString ?? 'postgres://postgres@127.0.0.1:5432');
  url.pathname = `/${name}`;
  const client = new pg.Client({ connectionString: url.href });
  client.on('error', () => undefined);
  await client.connect();

  const before = new Map<number, number>();
  const latest = new Map<number, number>();
  const backends = async (): Promise<number[]> => {
    const { rows } = await client.query(
      'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    return rows.map(({ pid }) => pid);
  };
  return {
    url: url.href,
    /** For the small listener; the example has migrations. */
    async createTables() {
      await client.query('CREATE TABLE payments (id serial PRIMARY KEY, sale_token text NOT NULL)');
      await client.query(new PostgresStore(client).createTableSql());
    },
    async startMeasuring() {
      for (const pid of await backends()) before.set(pid, cpuOf(pid));
    },
    /** Processor time of all connections so far, in microseconds. Call it often: those that have ended cannot be seen. */
    async measure() {
      for (const pid of await backends()) {
        const cpu = cpuOf(pid);
        if (!Number.isNaN(cpu)) latest.set(pid, cpu);
      }
      let sum = 0;
      for (const [pid, cpu] of latest) sum += cpu - (before.get(pid) ?? 0);
      return sum;
    },
    /** Compares the rows with the sales that were sent. */
    async judge(sales: number) {
      const { rows } = await client.query(
        'SELECT count(*)::int AS done, count(DISTINCT sale_token)::int AS sales FROM payments',
      );
      const { done, sales: distinct } = rows[0];
      return { done, lost: sales - distinct, doubled: done - distinct };
    },
    async drop() {
      await client.end();
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.end();
    },
  };
}
