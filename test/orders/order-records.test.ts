import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import mysql from 'mysql2/promise';
import pg from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { createOrders } from '../../src/orders';
import { takeReference } from '../../src/orders/order-records';
import { MysqlStore, PostgresStore, RedisStore, SqliteStore } from '../../src/stores';
import { MemoryStore } from '../../src/stores/memory-store';
import { stepsOf } from '../../src/stores/steps';
import { findMysql, mysqlUrl } from '../helpers/mysql';
import { skipWithoutSqlite } from '../helpers/node-with-sqlite';
import { findPostgres, postgresConfig } from '../helpers/postgres';
import { findRedis, redisUrl } from '../helpers/redis';
import { testOrders } from './orders-contract';
import { FakeClient, request, setUp } from './support';

const run = randomUUID().slice(0, 8);
const table = `orders_${run}`;
const DAY_MS = 24 * 60 * 60 * 1000;

const memories = new Map<string, MemoryStore>();
testOrders('memory', (namespace) => {
  const store = memories.get(namespace) ?? new MemoryStore({ namespace });
  memories.set(namespace, store);
  return store;
});

describe('an order', () => {
  it('is kept for 400 days after its last change, with all its pointers, and is new after that', async () => {
    const { clock, store, orders, open } = setUp();
    const first = await open();
    clock.now += 399 * DAY_MS;
    await store.deleteExpired();
    await orders.close('order-1');
    clock.now += 399 * DAY_MS;
    await store.deleteExpired();
    const closed = { key: 'order-1', state: 'none', attempts: [{ state: 'closed' }] };
    expect(await orders.find({ uuid: String(first.uuid) })).toMatchObject(closed);
    expect(await orders.find({ referenceCode: 'order-1' })).toMatchObject({
      attempts: [{ state: 'closed' }],
    });
    expect(await open()).toMatchObject({ attempt: 2, referenceCode: 'order-1-2' });
    clock.now += 400 * DAY_MS;
    expect(await orders.find({ uuid: String(first.uuid) })).toBeUndefined();
    const anew = { attempt: 1, referenceCode: 'order-1' };
    expect(await open('order-1', { amount: 1 })).toMatchObject(anew);
  });

  it('takes a reference that a crash left before its attempt', async () => {
    const { store, open, read } = setUp();
    expect(await takeReference(stepsOf(store), (await read()).order)).toMatchObject({
      referenceCode: 'order-1',
    });
    expect(await open()).toMatchObject({ referenceCode: 'order-1' });
  });

  it('holds a QR code only while it is created', async () => {
    const { orders, open, read } = setUp();
    await open();
    expect(JSON.stringify(await read())).toContain('qr-of-order-1');
    await orders.close('order-1');
    expect(JSON.stringify(await read())).not.toContain('qr-of-order-1');
  });
});

describe.skipIf(!(await findPostgres()))('PostgreSQL', () => {
  const pool = new pg.Pool({ ...postgresConfig, max: 10 });
  afterAll(async () => {
    await pool.query(`DROP TABLE IF EXISTS ${table}, ${table}_named`);
    await pool.query(`DROP VIEW IF EXISTS ${table}_named_expires_at`);
    await pool.end();
  });

  testOrders('PostgreSQL', async (namespace) => {
    const store = new PostgresStore(pool, { table, namespace });
    await store.createTable();
    return store;
  });

  // Something else had the name of the index that kept an order's journeys apart, and it was never made.
  it('shows one QR code, whatever has the name of an index', async () => {
    await pool.query(`CREATE VIEW ${table}_named_expires_at AS SELECT 1 AS one`);
    const store = new PostgresStore(pool, { table: `${table}_named` });
    await store.createTable();
    const client = new FakeClient();
    const all = Array.from({ length: 10 }, () => createOrders({ client, store, waitMs: 30_000 }));
    await Promise.all(all.map((orders) => orders.open('order-1', request)));
    expect(client.calls).toHaveLength(1);
  });

  it('sends nothing where the store has no table, and says how to make it', async () => {
    const client = new FakeClient();
    const store = new PostgresStore(pool, { table: `missing_${run}` });
    const opening = createOrders({ client, store, waitMs: 60 }).open('order-1', request);
    await expect(opening).rejects.toMatchObject({
      code: 'store_failed',
      message: expect.stringContaining(`CREATE TABLE IF NOT EXISTS "public"."missing_${run}"`),
      cause: expect.objectContaining({ code: '42P01' }),
    });
    expect(client.calls).toEqual([]);
  });
});

describe.skipIf(!(await findMysql()))('MySQL or MariaDB', () => {
  const pool = mysql.createPool({ uri: mysqlUrl, connectionLimit: 10 });
  afterAll(async () => {
    await pool.query('DROP TABLE IF EXISTS ??', [table]);
    await pool.end();
  });

  testOrders('MySQL or MariaDB', async (namespace) => {
    const store = new MysqlStore(pool, { table, namespace });
    await store.createTable();
    return store;
  });
});

describe.skipIf(!(await findRedis()))('Redis', () => {
  const redis = new Redis(redisUrl, { lazyConnect: true });
  const prefix = `pix-automatic-test:${run}:`;
  afterAll(async () => {
    const keys = await redis.keys(`*${prefix}*`);
    if (keys.length > 0) await redis.del(keys);
    redis.disconnect();
  });

  testOrders('Redis', (namespace) => new RedisStore(redis, { prefix, namespace }));
});

const sqlite = process.getBuiltinModule('node:sqlite');

if (sqlite === undefined) skipWithoutSqlite();
else {
  const database = new sqlite.DatabaseSync(':memory:');
  testOrders('SQLite', async (namespace) => {
    const store = new SqliteStore(database, { namespace });
    await store.createTable();
    return store;
  });
}
