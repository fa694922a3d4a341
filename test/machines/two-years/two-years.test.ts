import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import mysql, { type PoolConnection } from 'mysql2/promise';
import pg from 'pg';
import { describe, expect, it, type TestContext } from 'vitest';
import type { Order } from '../../../src/orders/attempt';
import type { Store } from '../../../src/stores';
import { MysqlStore, PostgresStore, type TransactionAccess } from '../../../src/stores';
import { MemoryRecords } from '../../../src/stores/memory-store';
import { runMysql } from '../../../src/stores/mysql-store';
import type { PostgresPool } from '../../../src/stores/postgres-pool';
import { poolAccess } from '../../../src/stores/postgres-pool';
import type { RecordStore } from '../../../src/stores/record-store';
import { RedisRecords, scriptRunner } from '../../../src/stores/redis-store';
import { SqlRecords, type TableOptions } from '../../../src/stores/sql-records';
import { type KeyPrefix, stepsOf } from '../../../src/stores/steps';
import { findMysql, mysqlUrl } from '../../helpers/mysql';
import { findPostgres, postgresConfig } from '../../helpers/postgres';
import { seedRandomTests } from '../../helpers/random-seed';
import { findRedis, redisUrl } from '../../helpers/redis';
import { storeOf } from '../../helpers/store-of';
import {
  expectNothingDoubled,
  type Ground,
  type Opened,
  type Outside,
  plainly,
  simulateTwoYears,
  stepwise,
  within,
} from './two-years';

const seed = seedRandomTests();
const found = { postgres: await findPostgres(), mysql: await findMysql(), redis: await findRedis() };

const timeout = 900_000;
/** Enough to find what is never there. */
const FEW = { subscriptions: 40, faultyDays: 0, atOnce: 0.1 };
/** More trouble, to find a mistake for sure. */
const HARD = { subscriptions: 25, faultyDays: 1, atOnce: 0.5 };

/** All processes share the records. */
function sharing(records: RecordStore, spoil: (store: Store) => Store = (store) => store) {
  return {
    open: (outside: Outside, offset: () => number): Opened => ({
      store: spoil(plainly(stepwise(records, outside), offset)),
    }),
  };
}

/** A store that says it has written such a record, and has not. */
function losing(isLost: (prefix: KeyPrefix, value: object) => boolean) {
  return (store: Store): Store => {
    const { writeRecord, ...steps } = stepsOf(store);
    return storeOf<unknown>({
      ...steps,
      writeRecord: async (prefix, id, value, ...rest) =>
        isLost(prefix, value) || writeRecord(prefix, id, value, ...rest),
    });
  };
}

const inMemory = () => new MemoryRecords(1_000_000, Date.now);

// At once, because most of their time is spent in the databases.
describe.concurrent('Two years of orders: nothing is doubled without a crash, nothing is lost, and an order has one QR code', () => {
  it('in memory', { timeout }, () => expectNothingDoubled(seed, 'memory', sharing(inMemory())));

  it.skipIf(!found.redis)('in Redis', { timeout }, async ({ onTestFinished }) => {
    const redis = new Redis(redisUrl);
    const prefix = `two-years-${randomUUID().slice(0, 8)}:`;
    onTestFinished(async () => {
      const keys = await redis.keys(`${prefix}*`);
      if (keys.length > 0) await redis.del(keys);
      redis.disconnect();
    });
    await expectNothingDoubled(
      seed,
      'redis',
      sharing(new RedisRecords(scriptRunner(redis), prefix, 'default')),
    );
  });

  it.skipIf(!found.postgres)('in PostgreSQL', { timeout }, async (context) => {
    const { ground } = await inPostgres('plain', context);
    await expectNothingDoubled(seed, 'postgres', ground);
  });

  it.skipIf(!found.postgres)('in transactions of PostgreSQL', { timeout }, async (context) => {
    const { ground } = await inPostgres('transactional', context);
    await expectNothingDoubled(seed, 'postgres, transactional', ground);
  });

  it.skipIf(!found.mysql)('in MySQL or MariaDB', { timeout }, async (context) => {
    const { ground } = await inMysql('plain', context);
    await expectNothingDoubled(seed, 'mysql', ground);
  });

  it.skipIf(!found.mysql)('in transactions of MySQL or MariaDB', { timeout }, async (context) => {
    const { ground } = await inMysql('within', context);
    await expectNothingDoubled(seed, 'mysql, in a transaction', ground);
  });
});

describe.concurrent('Two years find a listener that', () => {
  it('writes a record whatever another has written', { timeout }, async () => {
    const records = inMemory();
    const result = await simulateTwoYears(
      seed,
      sharing({
        read: (subject) => records.read(subject),
        list: (prefix, page) => records.list(prefix, page),
        async write(subject, change) {
          const { version } = await records.read(subject);
          return records.write(subject, { ...change, version, next: Math.max(version + 1, change.next) });
        },
      }),
      HARD,
    );
    expect(result.doubled).toBeGreaterThan(0);
  });

  it('loses the marks of an order that is being paid, and is paid', { timeout }, async () => {
    const isMark = (prefix: KeyPrefix, order: object) => {
      const { begun, payments = [] } = order as Partial<Order>;
      return prefix === 'order:' && (begun !== undefined || payments.length > 0);
    };
    const result = await simulateTwoYears(seed, sharing(inMemory(), losing(isMark)), FEW);
    expect(result.shownAfterPaid).toBeGreaterThan(0);
  });

  it('loses the pointers for reconcile', { timeout }, async () => {
    const isPointer = (prefix: KeyPrefix) => prefix === 'open:';
    const result = await simulateTwoYears(seed, sharing(inMemory(), losing(isPointer)), FEW);
    expect(result.lost).toBeGreaterThan(0);
  });

  it('loses the intent of an order', { timeout }, async () => {
    const isIntent = (prefix: KeyPrefix, order: object) =>
      prefix === 'order:' && (order as Order).attempts.some(({ state }) => state === 'sending');
    await expect(simulateTwoYears(seed, sharing(inMemory(), losing(isIntent)), FEW)).rejects.toThrow(
      'No QR code came',
    );
  });

  it.skipIf(!found.postgres)('writes outside the transaction', { timeout }, async (context) => {
    const { ground, pool, effects } = await inPostgres('transactional', context);
    const spoiled: Ground = {
      ...ground,
      open: (outside, offset) => ({
        ...ground.open(outside, offset),
        write: (_, key) => outside(() => pool.query(`INSERT INTO ${effects} VALUES ($1)`, [key])),
      }),
    };
    const result = await simulateTwoYears(seed, spoiled, HARD);
    expect(result.doubled).toBeGreaterThan(0);
  });
});

/** Records of a store that joins the transactions of an access. */
function recordsOver<Tx>(access: TransactionAccess<Tx>, dialect: 'postgres' | 'mysql', place: TableOptions) {
  return new SqlRecords<Tx>(
    (text, values, tx) => access.query(tx, text, values),
    dialect,
    place,
    dialect === 'mysql' ? (work) => access.transaction(work, { timeoutMs: 10_000 }) : undefined,
  );
}

/** Of one test. */
function tableNames(): [table: string, effects: string] {
  const id = randomUUID().slice(0, 8);
  return [`two_years_${id}`, `two_years_effects_${id}`];
}

async function inPostgres(mode: 'plain' | 'transactional', { onTestFinished }: TestContext) {
  const [table, effects] = tableNames();
  const place = { schema: 'public', table };
  const pool = new pg.Pool({ ...postgresConfig, max: 4 });
  await new PostgresStore(pool, { table }).createTable();
  await pool.query(`CREATE TABLE ${effects} (key text)`);
  const pools = [pool];
  onTestFinished(async () => {
    await pool.query(`DROP TABLE IF EXISTS public.${table}, ${effects}`);
    for (const each of pools) void each.end();
  });
  const plain = sharing(new SqlRecords((text, values) => pool.query(text, values), 'postgres', place));
  const ground: Ground = {
    open(outside, offset) {
      // A pool per process, whose connections end with it.
      const own = new pg.Pool({ ...postgresConfig, max: 4 });
      pools.push(own);
      const streams = new Set<{ destroy(): void }>();
      own.on('error', () => undefined);
      own.on('connect', (client) => {
        client.on('error', () => undefined);
        streams.add((client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream);
      });
      const access = poolAccess(stepwisePool(own, outside), 5_000);
      return {
        store: within(access, recordsOver(access, 'postgres', place), offset, (tx, status) =>
          tx.close(status),
        ),
        write: (transaction: { query(text: string, values: string[]): Promise<unknown> }, key: string) =>
          transaction.query(`INSERT INTO ${effects} VALUES ($1)`, [key]),
        die: () => {
          for (const stream of streams) stream.destroy();
        },
      };
    },
    written: async () =>
      (await pool.query<{ key: string }>(`SELECT key FROM ${effects}`)).rows.map(({ key }) => key),
  };
  return { ground: mode === 'plain' ? plain : ground, pool, effects };
}

function stepwisePool(pool: pg.Pool, outside: Outside): PostgresPool {
  return {
    totalCount: 0,
    query: (text, values) => outside(() => pool.query(text, values)),
    connect: (callback) =>
      pool.connect((error, client) => {
        if (client === undefined) return callback(error, undefined);
        callback(undefined, {
          query: (query) => outside(() => client.query(query as pg.QueryConfig)),
          release: (broken) => client.release(broken),
          on: (event, listener) => client.on(event, listener),
          removeListener: (event, listener) => client.removeListener(event, listener),
        });
      }),
  };
}

async function inMysql(mode: 'plain' | 'within', { onTestFinished }: TestContext) {
  const [table, effects] = tableNames();
  const pool = mysql.createPool({ uri: mysqlUrl, connectionLimit: 4 });
  await new MysqlStore(pool, { table }).createTable();
  await pool.query(`CREATE TABLE IF NOT EXISTS ${effects} (id varchar(100))`);
  const pools = [pool];
  onTestFinished(async () => {
    await pool.query(`DROP TABLE IF EXISTS ${table}, ${effects}`);
    for (const each of pools) void each.end();
  });
  const ground: Ground = {
    open(outside, offset) {
      const own = mysql.createPool({ uri: mysqlUrl, connectionLimit: 4 });
      pools.push(own);
      const streams = new Set<{ destroy(): void }>();
      own.on('connection', (connection) => {
        const raw = connection as unknown as {
          stream: { destroy(): void };
          on(event: string, listen: () => void): void;
        };
        raw.on('error', () => undefined);
        streams.add(raw.stream);
      });
      const access: TransactionAccess<PoolConnection> = {
        async transaction(work) {
          const connection = await own.getConnection();
          try {
            await outside(() => connection.beginTransaction());
            await work(connection);
            await outside(() => connection.commit());
          } catch (error) {
            connection.destroy();
            throw error;
          }
          connection.release();
        },
        query: (connection, text, values) =>
          outside(async () => (await (connection ?? own).query(text, values))[0] as unknown[]),
      };
      return {
        store: within(access, recordsOver(access, 'mysql', { table }), offset),
        write: (connection: PoolConnection, key: string) =>
          outside(() => connection.query(`INSERT INTO ${effects} VALUES (?)`, [key])),
        die: () => {
          for (const stream of streams) stream.destroy();
        },
      };
    },
    written: async () => {
      const [rows] = await pool.query<mysql.RowDataPacket[]>(`SELECT id FROM ${effects}`);
      return rows.map(({ id }) => String(id));
    },
  };
  return {
    ground:
      mode === 'plain'
        ? sharing(new SqlRecords((text, values) => runMysql(pool, text, values), 'mysql', { table }))
        : ground,
  };
}
