import { randomUUID } from 'node:crypto';
import { Queue } from 'bullmq';
import pg from 'pg';
import PgBoss from 'pg-boss';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { notificationRequest } from '../../src/testing';
import type { WebhookHandler } from '../../src/webhooks';
import { findRedis, redisUrl } from '../helpers/redis';
import { type Database, makeDatabase } from './databases';
import { acceptWithBullmq } from './queues/bullmq';
import { acceptWithPgBoss } from './queues/pg-boss';

const credentials = { apiKey: 'your-api-key', apiToken: 'your-api-token' };
vi.stubEnv('PAYMENTS_API_KEY', credentials.apiKey);
vi.stubEnv('PAYMENTS_API_TOKEN', credentials.apiToken);

const run = randomUUID().slice(0, 8);
const database = await makeDatabase('postgres', `queues_${run}`);
const hasRedis = await findRedis();

describe.skipIf(database === undefined)('a queue in the transaction of the record', () => {
  let pool: pg.Pool;
  beforeAll(() => {
    pool = new pg.Pool({ connectionString: (database as Database).url });
    pool.on('error', () => undefined);
    vi.spyOn(console, 'error').mockReturnValue();
  });
  afterAll(async () => {
    await pool.end();
    await database?.drop();
  });

  let saleToken: string;
  beforeEach(() => {
    saleToken = randomUUID();
  });
  const deliver = async (handler: WebhookHandler) =>
    (await handler(notificationRequest('payment', { saleToken }, credentials))).status;
  /** The record is the last write of the transaction: this refuses it once, after the callback has done its work. */
  async function refuseTheRecord(handler: WebhookHandler): Promise<number> {
    const refuse = `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'crashed before the commit'; END $$`;
    await pool.query(refuse);
    await pool.query(
      `CREATE CONSTRAINT TRIGGER refuse AFTER UPDATE ON pix_automatic
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()`,
    );
    try {
      return await deliver(handler);
    } finally {
      await pool.query('DROP FUNCTION refuse CASCADE');
    }
  }

  describe('pg-boss', () => {
    let boss: PgBoss;
    beforeAll(async () => {
      boss = new PgBoss({ connectionString: (database as Database).url, schedule: false, supervise: false });
      await boss.start();
      await boss.createQueue('payments');
    });
    afterAll(() => boss.stop({ graceful: false }));
    const jobs = async () =>
      (
        await pool.query("SELECT data FROM pgboss.job WHERE name = 'payments' AND data->>'saleToken' = $1", [
          saleToken,
        ])
      ).rows;

    it('has one job for a notification, and none for one whose transaction was not committed', async () => {
      const { handler, store } = acceptWithPgBoss(pool, boss);
      await store.createTable();
      expect(await refuseTheRecord(handler)).toBe(500);
      expect(await jobs()).toHaveLength(0);

      expect([await deliver(handler), await deliver(handler)]).toEqual([200, 200]);
      expect(await jobs()).toHaveLength(1);
      const [job] = await boss.fetch<{ saleToken: string }>('payments');
      expect(job?.data.saleToken).toBe(saleToken);
    });
  });

  describe.skipIf(!hasRedis)('BullMQ, with an outbox', () => {
    let queue: Queue;
    beforeAll(async () => {
      queue = new Queue(`payments-${run}`, { connection: { url: redisUrl } });
      await pool.query('CREATE TABLE outbox (key text PRIMARY KEY, payload jsonb NOT NULL)');
    });
    afterAll(async () => {
      await queue.obliterate({ force: true });
      await queue.close();
    });

    it('has one job for a notification, also where the relay dies after it has added it', async () => {
      const { handler, store, relay } = acceptWithBullmq(pool, queue);
      await store.createTable();
      expect(await refuseTheRecord(handler)).toBe(500);
      await relay();
      expect(await queue.count()).toBe(0);

      expect([await deliver(handler), await deliver(handler)]).toEqual([200, 200]);
      const dies = acceptWithBullmq(pool, {
        add: async (...args: Parameters<Queue['add']>) => {
          await queue.add(...args);
          throw new Error('killed');
        },
      });
      await expect(dies.relay()).rejects.toThrow('killed');
      await relay();
      await relay();
      expect((await queue.getWaiting()).map(({ id, data }) => [id, data.saleToken])).toEqual([
        [encodeURIComponent(`payment:${saleToken}:PAID`), saleToken],
      ]);
      expect((await pool.query('SELECT key FROM outbox')).rows).toEqual([]);
    });
  });
});
