import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { PostgresStore, type PostgresTransaction, RedisStore } from '../../../src/stores';
import { type IdempotencyStore, MemoryStore } from '../../../src/webhooks';
import { findPostgres, postgresConfig } from '../../helpers/postgres';
import { findRedis, redisUrl } from '../../helpers/redis';
import { startListener } from './listener';

const redisFound = await findRedis();
const postgresFound = await findPostgres();
const run = randomUUID().slice(0, 8);

/** Longer than the callback's timeout, so that the store's timeout cannot end the wait of a duplicate that waits. */
const LONG_MS = 7_500;

/** The callback runs until every duplicate has its answer, so that no duplicate can have waited for it. */
async function expectOneOfHundred<Transaction>(store: IdempotencyStore<Transaction>): Promise<void> {
  let answers = 0;
  let allTurnedAway: () => void = () => undefined;
  const turnedAway = new Promise<void>((resolve) => {
    allTurnedAway = resolve;
  });
  const { pay, acted } = await startListener(store, () => turnedAway, {
    callbackTimeoutMs: 6_500,
    storeTimeoutMs: LONG_MS,
  });
  const id = `sale-${randomUUID()}`;

  const deliveries = await Promise.all(
    Array.from({ length: 100 }, async () => {
      const answer = await pay(id);
      answers += 1;
      if (answers === 99) allTurnedAway();
      return { status: answer.status, retryAfter: answer.headers['retry-after'] };
    }),
  );
  const refused = deliveries.filter(({ status }) => status === 503);
  expect(refused).toHaveLength(99);
  expect(refused.every(({ retryAfter }) => Number(retryAfter) > 0)).toBe(true);
  expect(deliveries.filter(({ status }) => status === 200)).toHaveLength(1);

  const again = await Promise.all(Array.from({ length: 99 }, () => pay(id)));
  // In transactional mode only one delivery of a subject at a time can look up what is done; the others get 503.
  expect(
    again.every(({ status }) => status === 200 || (status === 503 && store.transact !== undefined)),
  ).toBe(true);
  expect((await pay(id)).status).toBe(200);
  expect(acted).toEqual([id]);
}

describe('Of 100 simultaneous deliveries one runs, and the others get 503 with Retry-After at once and 200 later', () => {
  it('with MemoryStore', () => expectOneOfHundred(new MemoryStore()));

  it.skipIf(!redisFound)('with RedisStore', async () => {
    const client = new Redis(redisUrl);
    onTestFinished(() => client.disconnect());
    await expectOneOfHundred(new RedisStore(client, { namespace: `duplicates-${run}` }));
  });
});

describe.skipIf(!postgresFound)('With PostgresStore and a pool of 10', () => {
  const table = `duplicates_${run}`;
  const writes = `duplicates_writes_${run}`;
  const pool = new pg.Pool({ ...postgresConfig, max: 10 });
  const plain = new PostgresStore(pool, { table });
  const transactional = new PostgresStore(pool, { table, transactional: true, stepTimeoutMs: LONG_MS });

  beforeAll(async () => {
    await plain.createTable();
    await pool.query(`CREATE TABLE ${writes} (id text, CHECK (id <> 'refused'))`);
  });
  afterAll(async () => {
    await pool.query(`DROP TABLE ${table}, ${writes}`);
    await pool.end();
  });

  it('one of 100 simultaneous deliveries runs, in plain mode', () => expectOneOfHundred(plain));
  it('one of 100 simultaneous deliveries runs, in transactional mode', () =>
    expectOneOfHundred(transactional));

  const write = (transaction: PostgresTransaction, id: string) =>
    transaction.query(`INSERT INTO ${writes} VALUES ($1)`, [id]);

  it.each<[string, (transaction: PostgresTransaction) => Promise<unknown>]>([
    ['swallows an SQL error', (transaction) => write(transaction, 'refused').catch(() => undefined)],
    [
      'swallows the refusal of its ROLLBACK',
      (transaction) => transaction.query('ROLLBACK').catch(() => undefined),
    ],
    ['issues COMMIT', (transaction) => transaction.query('COMMIT')],
    [
      'rolls back in a procedure and swallows the error',
      (transaction) => transaction.query('DO $$ BEGIN ROLLBACK; END $$').catch(() => undefined),
    ],
    ['issues ROLLBACK', (transaction) => transaction.query('ROLLBACK')],
  ])(
    'a delivery whose callback %s is not answered 200 until its key and writes are stored',
    async (_, misbehave) => {
      let behave = false;
      const { pay, acted, reports } = await startListener(
        transactional,
        async ({ payload }, { transaction }) => {
          await write(transaction, payload.saleToken);
          if (!behave) await misbehave(transaction);
        },
      );
      const id = `sale-${randomUUID()}`;
      const key = `payment:${id}`;
      const state = async () => ({
        keys: (
          await pool.query(`SELECT FROM ${table} WHERE subject = $1 AND record::jsonb -> 'done' <> '[]'`, [
            key,
          ])
        ).rowCount,
        writes: (await pool.query(`SELECT FROM ${writes} WHERE id = $1`, [id])).rowCount,
      });

      for (let attempt = 0; attempt < 3; attempt += 1) expect((await pay(id)).status).toBe(500);
      expect(reports).toHaveLength(3);
      expect(await state()).toEqual({ keys: 0, writes: 0 });

      behave = true;
      expect((await pay(id)).status).toBe(200);
      expect((await pay(id)).status).toBe(200);
      expect(await state()).toEqual({ keys: 1, writes: 1 });
      expect(acted).toHaveLength(4);
    },
  );
});
