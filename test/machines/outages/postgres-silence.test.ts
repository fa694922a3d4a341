import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { PostgresStore } from '../../../src/stores';
import { findPostgres, postgresConfig } from '../../helpers/postgres';
import { startTcpProxy } from '../../helpers/tcp-proxy';
import { startListener } from './listener';

const found = await findPostgres();
const table = `silence_${randomUUID().slice(0, 8)}`;

describe.skipIf(!found)('A listener whose connections to PostgreSQL go silent, and are not reset', () => {
  const pool = new pg.Pool(postgresConfig);
  const recorded = new PostgresStore(pool, { table });
  beforeAll(() => recorded.createTable());
  afterAll(async () => {
    await pool.query(`DROP TABLE public.${table}`);
    await pool.end();
  });

  it.each([
    ['plain', false, 1],
    // Two transactions may be open at a time over a pool of 3, so each may meet a silent connection.
    ['transactional', true, 2],
  ])(
    'recovers with a pool of 3 in %s mode (transactional: %s) after at most %s timeouts of its store',
    async (_, transactional, timeouts) => {
      const { host = '127.0.0.1', port = 5432 } = new pg.Client(postgresConfig);
      const target = host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
      const proxy = await startTcpProxy(target);
      const { user, database, password } = new pg.Client(postgresConfig);
      const config = { user, database, password: password ?? undefined, host: '127.0.0.1', port: proxy.port };
      // The pool's own time limit closes silent connections.
      const listeners = new pg.Pool({ ...config, max: 3, query_timeout: 1_000 });
      listeners.on('error', () => undefined);
      onTestFinished(() => listeners.end());
      const options = { table, transactional, stepTimeoutMs: 1_000 };
      const { pay } = await startListener(new PostgresStore(listeners, options), () => undefined, {
        storeTimeoutMs: 7_500,
        callbackTimeoutMs: 10_000,
      });
      const payments = () => Promise.all([1, 2, 3].map(() => pay(`sale-${randomUUID()}`)));
      // Three at a time, so that all three connections are open.
      expect((await payments()).map(({ status }) => status)).toEqual([200, 200, 200]);
      await Promise.all([1, 2, 3].map(() => listeners.query('SELECT pg_sleep(0.1)')));
      expect(listeners.totalCount).toBe(3);

      proxy.silence();
      let rounds = 0;
      while ((await payments()).some(({ status }) => status !== 200)) rounds += 1;
      expect(rounds).toBeGreaterThan(0);
      expect(rounds).toBeLessThanOrEqual(timeouts);
    },
  );
});
