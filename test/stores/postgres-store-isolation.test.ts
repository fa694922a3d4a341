import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOrders } from '../../src/orders';
import { PostgresStore, storeWithin } from '../../src/stores';
import { stepsOf } from '../../src/stores/steps';
import { findPostgres, postgresConfig } from '../helpers/postgres';
import { withSteps } from '../helpers/store-of';

const credentials = { apiKey: 'your-api-key', apiToken: 'your-api-token' };
const found = await findPostgres();
const run = randomUUID().slice(0, 8);
const table = `isolation ${run}`;
const writes = `isolation_writes_${run}`;

// As ALTER ROLE … SET or ALTER DATABASE … SET does it, for the connections of these pools alone.
describe.skipIf(!found).each(['serializable', 'repeatable read'])(
  'over PostgreSQL whose default_transaction_isolation is %s',
  (level) => {
    const options = `-c default_transaction_isolation=${level.replace(' ', '\\ ')}`;
    const pool = new pg.Pool({ ...postgresConfig, options, max: 20 });
    const plain = withSteps(new PostgresStore(pool, { table }));
    beforeAll(async () => {
      await plain.createTable();
      await pool.query(`CREATE TABLE IF NOT EXISTS ${writes} (subject text)`);
    });
    afterAll(async () => {
      await pool.query(`DROP TABLE IF EXISTS ${writes}, ${pg.escapeIdentifier(table)}`);
      await pool.end();
    });
    const request = (subject: string) => ({ subject, state: 'PAID', retentionMs: 60_000, timeoutMs: 10_000 });
    const times = <Result>(count: number, each: (i: number) => Promise<Result>) =>
      Promise.all(Array.from({ length: count }, (_, i) => each(i)));
    const effects = async (like: string) =>
      (await pool.query(`SELECT FROM ${writes} WHERE subject LIKE $1`, [`${like}%`])).rowCount;

    it('a transaction of the store is read committed, and the default stays', async () => {
      const store = withSteps(new PostgresStore(pool, { table, transactional: true }));
      await store.transact(request(`payment:${randomUUID()}`), async (transaction) => {
        const { rows } = await transaction.query('SHOW transaction_isolation');
        expect(rows).toEqual([{ transaction_isolation: 'read committed' }]);
      });
      expect((await pool.query('SHOW transaction_isolation')).rows).toEqual([
        { transaction_isolation: level },
      ]);
    });

    it('60 first deliveries at once, each twice, are acted on once each, and none fails', async () => {
      const store = withSteps(new PostgresStore(pool, { table, transactional: true }));
      const id = randomUUID();
      const statuses = await times(60, async (i) => {
        const subject = `payment:${id}-${i % 30}`;
        const { status } = await store.transact(request(subject), async (transaction) => {
          await transaction.query(`INSERT INTO ${writes} VALUES ($1)`, [subject]);
        });
        return status;
      });
      expect(statuses.filter((status) => status === 'completed')).toHaveLength(30);
      expect(await effects(`payment:${id}`)).toBe(30);
    });

    it('60 that write one record at once are told whether they did, and none fails', async () => {
      const id = randomUUID();
      const results = await times(60, async () => {
        const read = await plain.readRecord('order:', id);
        return plain.writeRecord('order:', id, {}, read, read.now + 60_000);
      });
      expect(results.filter(Boolean).length).toBeGreaterThan(0);
      expect((await plain.readRecord('order:', id)).value).toEqual({});
    });

    it('60 that maintain at once are skipped, but one, and none fails', async () => {
      const client = { getTransaction: neverCalled, createRecurringCheckout: neverCalled };
      const results = await times(60, async () => {
        const store = new PostgresStore(pool, { table, namespace: `maintain-${run}` });
        const orders = createOrders({
          client,
          store,
          confirm: false,
          credentials,
          on: { paid: async () => undefined, returned: 'ignore' },
        });
        return orders.maintain().then(
          (result) => (result.skipped ? 'skipped' : result.errors.map(String).join() || 'ran'),
          (error: unknown) => String(error),
        );
      });
      expect(new Set(results)).toEqual(new Set(['ran', 'skipped']));
    });

    it('a transaction that the access begins at that level is tried again, from the beginning', async () => {
      const begun: string[] = [];
      const store = storeWithin<pg.PoolClient>(
        {
          async transaction(work) {
            const client = await pool.connect();
            begun.push('BEGIN');
            try {
              await client.query('BEGIN');
              await work(client);
              await client.query('COMMIT');
            } catch (error) {
              await client.query('ROLLBACK');
              throw error;
            } finally {
              client.release();
            }
          },
          query: (client, text, values) => (client ?? pool).query(text, values),
        },
        { dialect: 'postgres', table },
      );
      const { transact } = stepsOf(store);
      const id = randomUUID();
      const account = `account:${id}`;
      await pool.query(`INSERT INTO ${writes} VALUES ($1)`, [account]);
      const results = await times(4, async (i) => {
        const subject = `payment:${id}-${i}`;
        return transact?.(request(subject), async ({ transaction, act }) => {
          await act(async () => {
            await transaction.query(`SELECT FROM ${writes} WHERE subject = $1`, [account]);
            await sleep(50);
            await transaction.query(`UPDATE ${writes} SET subject = subject WHERE subject = $1`, [account]);
            await transaction.query(`INSERT INTO ${writes} VALUES ($1)`, [subject]);
            return 'done';
          });
        });
      });
      expect(results.map((result) => result?.status)).toEqual(Array(4).fill('completed'));
      expect(begun.length).toBeGreaterThan(4);
      expect(await effects(`payment:${id}`)).toBe(4);
    });
  },
);

async function neverCalled(): Promise<never> {
  throw new Error('There is no order to ask about.');
}
