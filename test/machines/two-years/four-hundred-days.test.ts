import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import pg from 'pg';
import { describe, expect, it, type TestContext } from 'vitest';
import { createStore, PostgresStore } from '../../../src/stores';
import { MemoryRecords } from '../../../src/stores/memory-store';
import type { RecordStore } from '../../../src/stores/record-store';
import { RedisRecords, scriptRunner } from '../../../src/stores/redis-store';
import { SqlRecords } from '../../../src/stores/sql-records';
import type { WebhookReport } from '../../../src/webhooks';
import { createListener } from '../../../src/webhooks/handler';
import { authorization, credentials } from '../../helpers/deliver';
import { findPostgres, postgresConfig } from '../../helpers/postgres';
import { findRedis, redisUrl } from '../../helpers/redis';
import { refundPayload, salePayload } from '../../webhooks/payloads';

// 400 days of a listener, with a replay and a clean-up a day, in minutes of nobody's life: the clock that the records
// tell is ahead, and every record in the database is as much nearer to its deletion.

const found = { postgres: await findPostgres(), redis: await findRedis() };

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** In the bodies, and nowhere else. */
const CPF = '52998224725';
const MADE_UP = Array.from({ length: 70 }, (_, at) => `MADE_UP_${at}`);
/** When notifications come again. */
const AGAIN = [2, 32, 120, 250, 399];

/** A database, and what the test does to it. */
interface Ground {
  readonly records: RecordStore;
  /** Brings each record nearer to its deletion. */
  age(ms: number): Promise<unknown>;
  /** All that the database holds. */
  dump(): Promise<string>;
}

describe('over 400 days, no state is forgotten and no body is kept for more than 30', () => {
  it('in memory', { timeout: 60_000 }, async () => {
    let offset = 0;
    const records = new MemoryRecords(10_000, () => Date.now() + offset);
    const written = new Set<string>();
    const all = async () => {
      const found = await Promise.all([...written].map((key) => records.read(key)));
      return found.flatMap(({ record }) => record ?? []);
    };
    await live({
      // Its own clock is ahead, so the others need not be.
      records: {
        list: (prefix, page) => records.list(prefix, page),
        deleteExpired: (limit) => records.deleteExpired(limit),
        read: async (key) => {
          const read = await records.read(key);
          return { ...read, now: read.now - offset };
        },
        write(key, change) {
          written.add(key);
          return records.write(key, { ...change, expiresAt: change.expiresAt + offset });
        },
      },
      age: async (ms) => {
        offset += ms;
      },
      dump: async () => (await all()).join(),
    });
  });

  it.skipIf(!found.redis)('in Redis', { timeout: 60_000 }, async ({ onTestFinished }) => {
    const redis = new Redis(redisUrl);
    const prefix = `four-hundred-${randomUUID().slice(0, 8)}:`;
    const keys = () => redis.keys(`*${prefix}*`);
    onTestFinished(async () => {
      for (const key of await keys()) await redis.del(key);
      redis.disconnect();
    });
    await live({
      records: new RedisRecords(scriptRunner(redis), prefix, 'default'),
      age: async (ms) =>
        redis.eval(
          `for _, key in ipairs(KEYS) do
             local left = redis.call('PTTL', key)
             if left > 0 then redis.call('PEXPIRE', key, left - tonumber(ARGV[1])) end
           end`,
          ...(await keys().then((all) => [all.length, ...all] as const)),
          ms,
        ),
      async dump() {
        const hashes = (await keys()).filter((key) => !key.endsWith('/index'));
        return (await Promise.all(hashes.map((key) => redis.hget(key, 'record')))).join();
      },
    });
  });

  it.skipIf(!found.postgres)('in PostgreSQL', { timeout: 60_000 }, async (context) => {
    await live(await inPostgres(context));
  });
});

async function inPostgres({ onTestFinished }: TestContext): Promise<Ground> {
  const table = `four_hundred_${randomUUID().slice(0, 8)}`;
  const pool = new pg.Pool({ ...postgresConfig, max: 2 });
  await new PostgresStore(pool, { table }).createTable();
  onTestFinished(async () => {
    await pool.query(`DROP TABLE IF EXISTS ${table}`);
    await pool.end();
  });
  return {
    records: new SqlRecords((text, values) => pool.query(text, values), 'postgres', { table }),
    age: (ms) => pool.query(`UPDATE ${table} SET expires_at = expires_at - $1`, [ms]),
    async dump() {
      const { rows } = await pool.query<{ record: string }>(`SELECT record FROM ${table}`);
      return rows.map(({ record }) => record).join();
    },
  };
}

/** 400 days of a listener, and what must be true of each. */
async function live({ records, age, dump }: Ground): Promise<void> {
  let offset = 0;
  const store = createStore({
    list: (prefix, page) => records.list(prefix, page),
    async read(key) {
      const read = await records.read(key);
      return { ...read, now: read.now + offset };
    },
    write: (key, change) => records.write(key, { ...change, expiresAt: change.expiresAt - offset }),
    deleteExpired: async (limit) => records.deleteExpired?.(limit) ?? 0,
  });
  const booked: string[] = [];
  const told: string[] = [];
  const onReport = ({ code, key, reason }: WebhookReport) =>
    told.push([code, key?.replace(/~.*/, ''), reason].filter(Boolean).join(' '));
  const note = ({ key }: { readonly key: string }) => void booked.push(key);
  const failing = () => {
    throw new Error('a bug that nobody fixes');
  };
  const on = { payment: note, saleStatus: note, refund: failing };
  const { handler } = createListener({ credentials, store, deadLetters: true, on, onReport });
  const send = async (body: object) =>
    (
      await handler.handle({
        method: 'POST',
        url: '/',
        headers: { authorization },
        body: JSON.stringify(body),
      })
    ).status;
  const reported = () => told.splice(0).join(', ');
  const keys = async () => (await handler.deadLetters.list()).map(({ code }) => code).sort();

  const shopper = { ...salePayload().shopper, documentNumber: CPF };
  const captured = { ...salePayload(), shopper };
  const undated = { ...salePayload(), shopper, saleToken: 's-2', date: undefined };
  const refund = { ...refundPayload(), shopper };
  const sale = (newStatus: string) => ({ ...salePayload(), shopper, newStatus });
  expect(JSON.stringify(captured)).toMatch(/\d\d:\d\d:\d\d/);
  expect(JSON.stringify(undated)).not.toMatch(/\d\d:\d\d:\d\d/);

  expect([await send(captured), await send(undated), await send(refund)]).toEqual([200, 200, 500]);
  for (const status of MADE_UP) expect(await send(sale(status))).toBe(200);
  expect(booked).toHaveLength(2 + 64);
  expect(told.splice(0)).toEqual([
    'callback_failed refund:r-1:PAID',
    ...MADE_UP.slice(64).map((status) => `too_many_states payment:s-1:${status}`),
  ]);
  expect(await dump()).toContain(CPF);

  let lastTried = 0;
  for (let day = 1; day <= 400; day += 1) {
    offset += DAY_MS;
    await age(DAY_MS);
    const results = await handler.replay();
    if (results.some(({ key }) => key === 'refund:r-1:PAID')) lastTried = day;
    await store.deleteExpired();
    if (day === 29) {
      expect(await keys()).toEqual([
        'callback_failed',
        ...Array(6).fill('too_many_states'),
        'unexpected_repeat',
      ]);
      // The repeat of day 2 has its own 30 days.
      expect(reported().split(', ').sort()).toEqual(
        ['refund:r-1:PAID', ...MADE_UP.slice(64).map((status) => `payment:s-1:${status}`)]
          .map((key) => `dead_letter_dropped ${key}`)
          .sort(),
      );
    }
    if (day === 30) expect([await keys(), lastTried]).toEqual([['unexpected_repeat'], 29]);
    // Each repeat's letter lives 30 days after its own day.
    const isKept = AGAIN.some((at) => day > at && day < at + 30);
    if (day > 30 && !AGAIN.includes(day) && (day % 10 === 0 || day % 31 === 1)) {
      expect([day, (await dump()).includes(CPF)]).toEqual([day, isKept]);
    }
    if (!AGAIN.includes(day)) continue;
    const before = reported();
    expect(before.replaceAll('dead_letter_dropped payment:s-2', '')).toBe('');
    // Whoever has captured it can send it again, and books nothing.
    expect([await send(captured), reported()]).toEqual([200, '']);
    expect([await send(undated), reported()]).toEqual([200, 'unexpected_repeat payment:s-2:PAID late']);
    expect(await send(sale('MADE_UP_0'))).toBe(200);
    told.splice(0);
  }
  expect(booked).toHaveLength(2 + 64);
  expect(new Set(booked).size).toBe(booked.length);
}
