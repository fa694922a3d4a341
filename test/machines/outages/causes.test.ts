import { createPool, type Pool } from 'mysql2/promise';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MysqlStore, PostgresStore } from '../../../src/stores';
import type { IdempotencyStore } from '../../../src/webhooks';
import {
  findMysqlProgram,
  findPostgresPrograms,
  startOwnMysql,
  startOwnPostgres,
} from '../../helpers/own-servers';
import { startListener } from './listener';

const programs = findPostgresPrograms();
const mysqlProgram = findMysqlProgram();

/** What the report says that a person reads at night, for each way in which a database fails. */
const CAUSES = {
  'no table': /^The idempotency store failed.* Its table does not exist\. Run `createTable\(\)`/,
  'no right':
    /The role has no right to it\. Check the credentials, and grant SELECT, INSERT, UPDATE and DELETE/,
  'read-only server': /The server is read-only: probably a replica/,
  'no free connection': /No connection was free\. Look for callbacks that are slow/,
  'no server': /Its database cannot be reached\. Check that it is running/,
};

async function expectCause(store: IdempotencyStore, cause: keyof typeof CAUSES): Promise<void> {
  const { pay, reports } = await startListener(store, () => undefined, {
    storeTimeoutMs: 5_000,
    callbackTimeoutMs: 1_000,
  });
  expect((await pay('sale-1')).status).toBe(503);
  expect(reports).toMatchObject([{ code: 'store_failed', message: expect.stringMatching(CAUSES[cause]) }]);
  for (const [other, says] of Object.entries(CAUSES)) {
    if (other !== cause) expect(reports[0]?.message).not.toMatch(says);
  }
}

describe.skipIf(programs === undefined)('A PostgreSQL that fails is told by its cause', () => {
  it('plain and transactional, one after the other on one server', { timeout: 60_000 }, async () => {
    const server = await startOwnPostgres(programs as string);
    const open = (settings: pg.PoolConfig = {}) => {
      const pool = new pg.Pool({ ...server.config, connectionTimeoutMillis: 1_000, ...settings });
      pool.on('error', () => undefined);
      onTestFinished(() => void pool.end());
      return pool;
    };
    const both = async (pool: pg.Pool, cause: keyof typeof CAUSES) => {
      await expectCause(new PostgresStore(pool), cause);
      await expectCause(new PostgresStore(pool, { transactional: true }), cause);
    };
    const admin = open();
    await both(admin, 'no table');

    await new PostgresStore(admin).createTable();
    await admin.query('CREATE ROLE poor LOGIN');
    await both(open({ user: 'poor' }), 'no right');

    const single = open({ max: 1 });
    const held = await single.connect();
    await both(single, 'no free connection');
    held.release();

    await admin.query('ALTER SYSTEM SET default_transaction_read_only = on');
    await admin.query('SELECT pg_reload_conf()');
    await expect
      .poll(async () => (await admin.query('SHOW default_transaction_read_only')).rows)
      .toEqual([{ default_transaction_read_only: 'on' }]);
    await both(open(), 'read-only server');

    await server.stop();
    await both(open(), 'no server');
  });
});

describe.skipIf(mysqlProgram === undefined)('A MariaDB that fails is told by its cause', () => {
  it('one after the other on one server', { timeout: 60_000 }, async () => {
    const server = await startOwnMysql(mysqlProgram as string);
    const open = (user: string, settings: object = {}): Pool => {
      const pool = createPool({ uri: server.url.replace('root', user), connectTimeout: 1_000, ...settings });
      onTestFinished(() => void pool.end().catch(() => undefined));
      return pool;
    };
    const admin = open('root');
    await expectCause(new MysqlStore(admin), 'no table');

    await new MysqlStore(admin).createTable();
    // A fresh server lets everybody into `test`.
    await admin.query('DELETE FROM mysql.db');
    await admin.query("CREATE USER poor@'127.0.0.1', rich@'127.0.0.1'");
    await admin.query("GRANT SELECT ON test.* TO poor@'127.0.0.1'");
    await admin.query("GRANT ALL ON test.* TO rich@'127.0.0.1'");
    await admin.query('FLUSH PRIVILEGES');
    await expectCause(new MysqlStore(open('poor')), 'no right');

    const single = open('rich', { connectionLimit: 1, waitForConnections: false });
    const held = await single.getConnection();
    await expectCause(new MysqlStore(single), 'no free connection');
    held.release();

    await admin.query('SET GLOBAL read_only = 1');
    await expectCause(new MysqlStore(open('rich')), 'read-only server');

    await server.stop();
    await expectCause(new MysqlStore(open('rich')), 'no server');
  });
});
