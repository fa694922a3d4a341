// The shop's database, and what the library keeps in it.
import pg from 'pg';
import { PostgresStore } from 'pix-automatic-sdk/stores';

// Each running callback holds a connection. The store uses at most 8 of these 10, so callbacks can use the pool, too.
export const pool = new pg.Pool({
  connectionString: process.env['DATABASE_URL'],
  max: 10,
  connectionTimeoutMillis: 5_000,
  query_timeout: 30_000,
  keepAlive: true,
});
pool.on('error', console.error); // when an idle connection is lost; without a listener, pg ends the process

/** Orders, notifications and cases, in one table. Its records commit together with what a callback writes. */
export const store = new PostgresStore(pool, { transactional: true });

/** What a migration of yours would run. */
export const migration = `
CREATE TABLE IF NOT EXISTS orders (
  key text PRIMARY KEY,
  paid boolean NOT NULL DEFAULT false
);
CREATE TABLE IF NOT EXISTS payments (
  sale text NOT NULL,
  order_key text NOT NULL,
  amount numeric NOT NULL,
  is_first boolean NOT NULL,
  booked_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE IF NOT EXISTS returns (
  sale text NOT NULL,
  order_key text NOT NULL,
  amount numeric NOT NULL,
  left_of_sale numeric NOT NULL,
  booked_at timestamptz NOT NULL DEFAULT now()
);
${store.createTableSql()}`;
