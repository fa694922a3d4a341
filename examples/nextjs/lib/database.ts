import { Pool } from 'pg';

// Next.js evaluates a module for instrumentation, for routes, and again at each hot reload: `globalThis` keeps one pool a
// process.
const shared = globalThis as { pool?: Pool };

export const pool = shared.pool ?? createPool();
shared.pool = pool;

function createPool() {
  const connectionString = process.env.DATABASE_URL;
  const created = new Pool({
    connectionString,
    max: 10,
    connectionTimeoutMillis: 5_000,
    query_timeout: 30_000,
  });
  created.on('error', console.error); // when an idle connection is lost; without a listener, pg ends the process
  return created;
}

/** What a migration of yours would run. The subscription's id is its order's key, and hard to guess. */
export const migration = `
CREATE TABLE IF NOT EXISTS subscriptions (id uuid PRIMARY KEY DEFAULT gen_random_uuid());
CREATE TABLE IF NOT EXISTS payments (sale text NOT NULL, subscription text NOT NULL, amount numeric NOT NULL);
`;

/** What `paid` and `returned` write: a return with a minus. */
export const BOOK = 'INSERT INTO payments (sale, subscription, amount) VALUES ($1, $2, $3)';
