import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import mysql from 'mysql2/promise';
import pg from 'pg';
import { describe, it, onTestFinished } from 'vitest';
import { MemoryRecords } from '../../src/stores/memory-store';
import { MysqlRecords } from '../../src/stores/mysql/mysql-store';
import { mysqlTable } from '../../src/stores/mysql/records-table';
import { PostgresRecords } from '../../src/stores/postgres/postgres-records';
import { createPostgresTable, postgresTable } from '../../src/stores/postgres/records-table';
import { scriptRunner } from '../../src/stores/redis/client';
import { RedisRecords } from '../../src/stores/redis/redis-store';
import { findMysql, mysqlUrl } from '../helpers/mysql';
import { findPostgres, postgresConfig } from '../helpers/postgres';
import { seedRandomTests } from '../helpers/random-seed';
import { findRedis, redisUrl } from '../helpers/redis';
import { expectNothingDoubled } from './two-years';

const seed = seedRandomTests();
const run = randomUUID().slice(0, 8);
const table = `two_years_${run}`;

const found = { postgres: await findPostgres(), mysql: await findMysql(), redis: await findRedis() };

describe('Two years of a merchant: nothing is doubled without a crash, and nothing acknowledged without its effect', () => {
  it('in memory', { timeout: 120_000 }, async () => {
    await expectNothingDoubled(seed, new MemoryRecords(1_000_000, Date.now));
  });

  it.skipIf(!found.postgres)('in PostgreSQL', { timeout: 300_000 }, async () => {
    const pool = new pg.Pool({ ...postgresConfig, max: 2 });
    onTestFinished(async () => {
      await pool.query(`DROP TABLE public.${table}`);
      await pool.end();
    });
    const layout = postgresTable({ table });
    const records = new PostgresRecords(pool, layout);
    await createPostgresTable((text, values) => records.query(text, values), layout);
    await expectNothingDoubled(seed, records);
  });

  it.skipIf(!found.mysql)('in MySQL or MariaDB', { timeout: 300_000 }, async () => {
    const pool = mysql.createPool({ uri: mysqlUrl, connectionLimit: 2 });
    onTestFinished(async () => {
      await pool.query(`DROP TABLE ${table}`);
      await pool.end();
    });
    const records = new MysqlRecords(pool, mysqlTable({ table }));
    await records.run(records.table.create);
    await expectNothingDoubled(seed, records);
  });

  it.skipIf(!found.redis)('in Redis', { timeout: 300_000 }, async () => {
    const redis = new Redis(redisUrl);
    onTestFinished(async () => {
      const keys = await redis.keys(`${table}:*`);
      if (keys.length > 0) await redis.del(keys);
      redis.disconnect();
    });
    await expectNothingDoubled(seed, new RedisRecords(scriptRunner(redis), `${table}:`));
  });
});
