import pg from 'pg';
import { PostgresStore, type PostgresStoreOptions } from 'pix-automatic-sdk/stores';
import type {} from 'pix-automatic-sdk/webhooks';
import type { TransactRequest } from '../../../src/stores/idempotency-store';
import { postgresConfig } from '../../../test/helpers/postgres';
import { startWire } from './wire';

/** A statement with its values. */
export interface Sent {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Records the statements of the store's own transaction, in order, so that the bare driver can send the same. */
export async function recordTransaction(
  pool: pg.Pool,
  options: PostgresStoreOptions<true>,
  request: TransactRequest,
): Promise<Sent[]> {
  const sent: Sent[] = [];
  const client = await pool.connect();
  const query = client.query.bind(client) as (...values: unknown[]) => unknown;
  Object.assign(client, {
    query: (statement: string | Sent, ...rest: unknown[]) => {
      const isText = typeof statement === 'string';
      const { text, values = [] } = isText
        ? { text: statement, values: rest[0] as unknown[] | undefined }
        : statement;
      sent.push({ text, values });
      return query(statement, ...rest);
    },
  });
  client.release();
  const store = new PostgresStore(pool, { ...options, transactional: true });
  await store.transact(request, async () => undefined);
  Object.assign(client, { query });
  return sent;
}

/** Counts the round trips of `run` over one connection that is already open. */
export async function countRoundTrips(run: (pool: pg.Pool) => Promise<void>): Promise<number> {
  const { connectionString, host = '127.0.0.1' } = postgresConfig;
  const url = connectionString === undefined ? undefined : new URL(connectionString);
  const wire = await startWire(
    url === undefined
      ? host.startsWith('/')
        ? { path: `${host}/.s.PGSQL.5432` }
        : { host, port: 5432 }
      : { host: url.hostname, port: Number(url.port || 5432) },
  );
  if (url !== undefined) {
    url.hostname = '127.0.0.1';
    url.port = String(wire.port);
  }
  const pool = new pg.Pool(
    url === undefined
      ? { ...postgresConfig, host: '127.0.0.1', port: wire.port, max: 1 }
      : { connectionString: url.href, max: 1 },
  );
  await pool.query('SELECT 1');
  wire.reset();
  await run(pool);
  const { roundTrips } = wire;
  await pool.end();
  wire.close();
  return roundTrips;
}

/**
 * How long the server takes for one run over one connection, in ms: what it says itself of parsing, planning and
 * executing each statement, the wait for the disk at a commit included. `undefined` for a role that may not ask.
 */
export async function serverTimes(
  runs: Readonly<Record<string, (pool: pg.Pool) => Promise<void>>>,
  times: number,
): Promise<Record<string, number> | undefined> {
  const pool = new pg.Pool({
    ...postgresConfig,
    max: 1,
    options: '-c client_min_messages=log -c log_duration=on',
  });
  let spent = 0;
  pool.on('connect', (client) => {
    client.on('notice', ({ message = '' }) => {
      spent += Number(/^duration: ([\d.]+) ms/.exec(message)?.[1] ?? 0);
    });
  });
  try {
    await pool.query('SELECT 1');
  } catch {
    return undefined;
  }
  const each: Record<string, number> = {};
  for (const [name, run] of Object.entries(runs)) {
    for (let warmUp = 0; warmUp < 20; warmUp += 1) await run(pool);
    spent = 0;
    for (let time = 0; time < times; time += 1) await run(pool);
    each[name] = spent / times;
  }
  await pool.end();
  return each;
}
