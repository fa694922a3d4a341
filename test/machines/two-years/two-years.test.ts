import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import type { Order } from '../../../src/orders/attempt';
import { MemoryRecords } from '../../../src/stores/memory-store';
import { RedisRecords, scriptRunner } from '../../../src/stores/redis-store';
import type { KeyPrefix } from '../../../src/stores/steps';
import { findMysql } from '../../helpers/mysql';
import { findPostgres } from '../../helpers/postgres';
import { seedRandomTests } from '../../helpers/random-seed';
import { findRedis, redisUrl } from '../../helpers/redis';
import { inMysql, inPostgres, losing, sharing } from './grounds';
import { expectNothingDoubled, type Ground, simulateTwoYears } from './two-years';

const seed = seedRandomTests();
const found = { postgres: await findPostgres(), mysql: await findMysql(), redis: await findRedis() };

const timeout = 900_000;
/** Enough to find what is never there. */
const FEW = { subscriptions: 40, faultyDays: 0, atOnce: 0.1 };
/** More trouble, to find a mistake for sure. */
const HARD = { subscriptions: 25, faultyDays: 1, atOnce: 0.5 };

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
