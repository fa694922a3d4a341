// The time that PostgreSQL takes for a notification, by its own pg_stat_statements, beside a bare INSERT … ON CONFLICT and
// the merchant's own insert, all in one run. Needs a server that was started with
// `-c shared_preload_libraries=pg_stat_statements`, at DATABASE_URL.
//
//   npx tsx bench/load/statements.ts                      2,000 new notifications of each kind
//   npx tsx bench/load/statements.ts --notifications 500

import { parseArgs } from 'node:util';
import pg from 'pg';
import { PostgresStore, type PostgresTransaction } from 'pix-automatic-sdk/stores';
import { notificationRequest } from 'pix-automatic-sdk/testing';
import { createWebhookHandler } from 'pix-automatic-sdk/webhooks';
import { postgresConfig } from '../../test/helpers/postgres';

const { values } = parseArgs({ options: { notifications: { type: 'string', default: '2000' } } });
const ROUNDS = 20;
const perRound = Math.ceil(Number(values.notifications) / ROUNDS);
const count = perRound * ROUNDS;
const credentials = { apiKey: 'key', apiToken: 'token' };

const name = `pix_automatic_statements_${process.pid}`;
const admin = new pg.Client(postgresConfig);
await admin.connect();
await admin.query(`CREATE DATABASE ${name}`);
const url = new URL(postgresConfig.connectionString ?? 'postgres://postgres@127.0.0.1:5432');
url.pathname = `/${name}`;
const pool = new pg.Pool({ connectionString: url.href, max: 4 });
pool.on('error', () => undefined);

/** What is measured, and what its statements have in their text. */
const kinds = {
  'bare `INSERT … ON CONFLICT`': { has: /bare_keys/, run: insertBare },
  'the merchant’s own insert': { has: /own_payments/, run: insertOwn },
  'store in plain mode': { has: /plain_store/, run: deliverTo('plain') },
  'store in transactional mode': {
    has: /exact_store|^(BEGIN|COMMIT|SAVEPOINT|RELEASE)/,
    run: deliverTo('exact'),
  },
};

try {
  await pool.query('CREATE EXTENSION pg_stat_statements');
  await pool.query('CREATE TABLE bare_keys (key text PRIMARY KEY)');
  await pool.query('CREATE TABLE own_payments (id serial PRIMARY KEY, sale_token text NOT NULL)');
  for (const each of ['plain', 'exact']) {
    await new PostgresStore(pool, { table: `${each}_store` }).createTable();
    await pool.query(`CREATE TABLE ${each}_payments (id serial PRIMARY KEY, sale_token text NOT NULL)`);
  }
  for (let round = -1; round < ROUNDS; round += 1) {
    // The first round is for the connections and the server's caches.
    if (round === 0) await pool.query('SELECT pg_stat_statements_reset()');
    for (const { run } of Object.values(kinds)) {
      for (let i = 0; i < perRound; i += 1) await run(`sale-${round}-${i}`);
    }
  }

  const { rows } = await pool.query<{ query: string; calls: string; ms: number }>(
    `SELECT query, calls, total_exec_time AS ms FROM pg_stat_statements
     WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  const lines = Object.entries(kinds).map(([kind, { has }]) => {
    const own = rows.filter(({ query }) => has.test(query));
    const ms = own.reduce((total, each) => total + each.ms, 0) / count;
    const calls = own.reduce((total, each) => total + Number(each.calls), 0) / count;
    return `| ${kind} | ${calls.toFixed(2)} | ${ms.toFixed(3)} ms |`;
  });
  console.log(`${count} new notifications of each kind, one at a time. The server counts no waiting for
the disk at a commit, and the callback's own insert is not counted with the store.

| | statements | server time |
|---|---|---|
${lines.join('\n')}

${rows.length} statements in pg_stat_statements.`);
} finally {
  await pool.end();
  await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
  await admin.end();
}

async function insertBare(key: string): Promise<void> {
  await pool.query('INSERT INTO bare_keys VALUES ($1) ON CONFLICT (key) DO NOTHING', [key]);
}

async function insertOwn(saleToken: string): Promise<void> {
  await pool.query('INSERT INTO own_payments (sale_token) VALUES ($1)', [saleToken]);
}

/** Delivers a notification to a handler whose callback makes one insert, in the transaction where there is one. */
function deliverTo(mode: 'plain' | 'exact') {
  const options = { table: `${mode}_store` };
  const text = `INSERT INTO ${mode}_payments (sale_token) VALUES ($1)`;
  const handler = createWebhookHandler({
    credentials,
    store:
      mode === 'exact'
        ? new PostgresStore(pool, { ...options, transactional: true })
        : new PostgresStore(pool, options),
    on: {
      payment: ({ payload }, { transaction }: { transaction: PostgresTransaction | undefined }) =>
        transaction === undefined
          ? pool.query(text, [payload.saleToken])
          : transaction.query(text, [payload.saleToken]),
    },
  });
  return async (saleToken: string) => {
    const { status } = await handler(notificationRequest('payment', { saleToken }, credentials));
    if (status !== 200) throw new Error(`answered ${status}`);
  };
}
