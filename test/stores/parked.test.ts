import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import pg from 'pg';
import { afterAll, beforeAll, describe } from 'vitest';
import { PostgresStore, type PostgresTransaction, RedisStore } from '../../src/stores';
import { MemoryStore } from '../../src/webhooks';
import { findPostgres, postgresConfig } from '../helpers/postgres';
import { findRedis, redisUrl } from '../helpers/redis';
import { type Ledger, ledgerInMemory, testParkedEndToEnd } from './parked-end-to-end';

// That of SqliteStore is in sqlite-store.test.ts, which runs on a Node that has node:sqlite.

const redisFound = await findRedis();
const postgresFound = await findPostgres();
const run = randomUUID().slice(0, 8);

testParkedEndToEnd('MemoryStore', async () => ({ store: new MemoryStore(), ledger: ledgerInMemory() }));

describe.skipIf(!redisFound)('Redis', () => {
  const prefix = `parked-${run}:`;
  const client = new Redis(redisUrl, { lazyConnect: true });
  afterAll(async () => {
    const keys = await client.keys(`${prefix}*`);
    if (keys.length > 0) await client.del(keys);
    client.disconnect();
  });

  testParkedEndToEnd('RedisStore', async () => ({
    store: new RedisStore(client, { prefix }),
    ledger: ledgerInMemory(),
  }));
});

describe.skipIf(!postgresFound)('PostgreSQL', () => {
  const schema = `parked_${run}`;
  const pool = new pg.Pool({ ...postgresConfig, max: 4 });
  beforeAll(async () => {
    await pool.query(`CREATE SCHEMA ${schema}`);
    await pool.query(`CREATE TABLE ${schema}.writes (id text)`);
  });
  afterAll(async () => {
    await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await pool.end();
  });

  testParkedEndToEnd('PostgresStore in plain mode', async () => {
    const store = new PostgresStore(pool, { schema, table: 'plain' });
    await store.createTable();
    return { store, ledger: ledgerInMemory() };
  });

  testParkedEndToEnd<PostgresTransaction>('PostgresStore in transactional mode', async () => {
    const store = new PostgresStore(pool, { schema, table: 'transactional', transactional: true });
    await store.createTable();
    const ledger: Ledger<PostgresTransaction> = {
      write: (id, transaction) => transaction.query(`INSERT INTO ${schema}.writes VALUES ($1)`, [id]),
      count: async (id) =>
        (await pool.query(`SELECT FROM ${schema}.writes WHERE id = $1`, [id])).rowCount ?? 0,
    };
    return { store, ledger };
  });
});
