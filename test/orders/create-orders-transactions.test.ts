import { randomUUID } from 'node:crypto';
import { createPool, type ResultSetHeader } from 'mysql2/promise';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createOrders, type NotifiedOrder } from '../../src/orders';
import { PostgresStore, type Store, storeWithin } from '../../src/stores';
import { crashBeforeCommit, fixtures, notificationRequest } from '../../src/testing';

import { findMysql, mysqlUrl } from '../helpers/mysql';
import { mysqlAccess } from '../helpers/mysql-access';
import { findPostgres, postgresConfig } from '../helpers/postgres';
import { FakeClient, request } from './support';

const credentials = { apiKey: 'key', apiToken: 'token' };
const run = randomUUID().slice(0, 8);
const [table, booked] = [`orders_${run}`, `booked_${run}`];

type Rows = readonly Record<string, unknown>[];

/** A database whose transactions callbacks join; statements have `?` for their values. */
interface Place<Tx> {
  readonly store: Store<Tx>;
  query(tx: Tx | undefined, text: string, values?: unknown[]): Promise<Rows>;
  readonly wait: string;
  end(): Promise<void>;
}

function postgres() {
  const pool = new pg.Pool({ ...postgresConfig, max: 10 });
  const store = new PostgresStore(pool, { table, transactional: true });
  return place({
    store,
    query: async (tx, text, values) => {
      let count = 0;
      const numbered = text.replaceAll('?', () => `$${++count}`);
      return (await (tx === undefined ? pool.query(numbered, values) : tx.query(numbered, values))).rows;
    },
    wait: 'SELECT pg_sleep(0.2)',
    end: () => pool.end(),
  });
}

function mysql() {
  const pool = createPool({ uri: mysqlUrl, connectionLimit: 10 });
  return place({
    store: storeWithin(mysqlAccess(pool), { table, dialect: 'mysql' }),
    query: async (tx, text, values) =>
      (await (tx ?? pool).query<ResultSetHeader>(text, values))[0] as unknown as Rows,
    wait: 'SELECT SLEEP(0.2)',
    end: () => pool.end(),
  });
}

function place<Tx>(given: Place<Tx>): Place<Tx> {
  return given;
}

if (await findPostgres()) testIn('PostgreSQL', postgres());
else describe.skip('orders in transactions of PostgreSQL', () => it('runs'));
if (await findMysql()) testIn('MySQL or MariaDB', mysql());
else describe.skip('orders in transactions of MySQL or MariaDB', () => it('runs'));

function testIn<Tx>(name: string, { store, query, wait, end }: Place<Tx>): void {
  describe(`orders in transactions of ${name}`, () => {
    beforeAll(async () => {
      await store.createTable();
      await query(
        undefined,
        `CREATE TABLE ${booked} (sale varchar(99), order_key varchar(99), state varchar(99), paid_by int)`,
      );
    });
    afterAll(async () => {
      await query(undefined, `DROP TABLE ${table}, ${booked}`);
      await end();
    });

    /** A shop that books each payment in its own table, in the transaction. */
    function shop(
      before: (transaction: Tx, order: NotifiedOrder | undefined) => unknown = () => {},
      used: Store<Tx> = store,
    ) {
      const client = new FakeClient();
      const key = `order-${randomUUID()}`;
      const reports: string[] = [];
      const orders = createOrders({
        client,
        credentials,
        store: used,
        onReport: ({ code }) => reports.push(code),
        on: {
          async payment({ payload }, { order, transaction }) {
            const values = [payload.saleToken, order?.key, order?.state, order?.paidBy];
            await query(transaction, `INSERT INTO ${booked} VALUES (?, ?, ?, ?)`, values);
            await before(transaction, order);
          },
        },
      });
      const pay = async (uuid: string, referenceCode: string) => {
        const transaction = { type: 'SALE', situation: 'PAID', amount: 59.7, currency: 'BRL' } as const;
        client.transactions.set(uuid, {
          ...fixtures.transaction({ refunds: undefined }),
          ...transaction,
          uuid,
          referenceCode,
        });
        const payload = { saleToken: uuid, referenceCode, amount: 59.7, currency: 'BRL' };
        return (await orders.webhook(notificationRequest('payment', payload, credentials))).status;
      };
      const bookings = async () => {
        const rows = await query(
          undefined,
          `SELECT state, paid_by FROM ${booked} WHERE order_key = ? ORDER BY COALESCE(paid_by, 0)`,
          [key],
        );
        return rows.map(({ state, paid_by }) => `${state} ${paid_by}`);
      };
      return { client, key, orders, pay, bookings, reports };
    }

    it('a booking and the paid mark are one commit', async () => {
      const { key, orders, pay, bookings } = shop();
      const { uuid } = await orders.open(key, request);
      expect(await pay(String(uuid), key)).toBe(200);
      expect(await pay(String(uuid), key)).toBe(200);
      expect(await bookings()).toEqual(['created null']);
      expect(await orders.open(key, request)).toMatchObject({ state: 'paid' });
    });

    it('a rollback takes the mark away with the booking', async () => {
      let fails = true;
      const { key, orders, pay, bookings } = shop(() => {
        if (fails) throw new Error('a bug');
      });
      const { uuid } = await orders.open(key, request);
      expect(await pay(String(uuid), key)).toBe(500);
      expect([await bookings(), await orders.find({ uuid: String(uuid) })]).toMatchObject([
        [],
        { state: 'created' },
      ]);
      fails = false;
      expect(await orders.webhook.replay()).toMatchObject([{ status: 'done' }]);
      expect([await bookings(), await orders.find({ uuid: String(uuid) })]).toMatchObject([
        ['created null'],
        { state: 'paid', paidBy: 1 },
      ]);
    });

    it('a rollback after the paid mark takes both away', async () => {
      const { key, orders, pay, bookings, reports } = shop(undefined, crashBeforeCommit(store));
      const { uuid } = await orders.open(key, request);
      expect([await pay(String(uuid), key), reports]).toEqual([500, ['store_failed']]);
      expect([await bookings(), await orders.find({ uuid: String(uuid) })]).toMatchObject([
        [],
        { state: 'created', paidBy: undefined },
      ]);
      expect(await orders.open(key, request)).toMatchObject({ state: 'open', uuid });
    });

    // Of pg's own client.
    if (name === 'PostgreSQL') {
      it('a payment reads and writes its order once, with its record locked', async () => {
        const statements: string[] = [];
        const { key, orders, pay } = shop();
        const { uuid } = await orders.open(key, request);
        const query = vi.spyOn(pg.Client.prototype, 'query');
        onTestFinished(() => query.mockRestore());
        query.mockClear();
        expect(await pay(String(uuid), key)).toBe(200);
        for (const [sent, given] of query.mock.calls as unknown[][]) {
          const { text = String(sent), values = given } = Object(sent) as { text?: string; values?: unknown };
          const record = [values].flat().find((value) => /^default\/\w+:/.test(String(value)));
          statements.push(`${/^\w+/.exec(text)?.[0]} ${/\w+:/.exec(String(record))?.[0] ?? ''}`.trim());
        }
        expect(statements).toMatchInlineSnapshot(`
            [
              "SELECT seen:",
              "SELECT uuid:",
              "INSERT seen:",
              "BEGIN",
              "SELECT seen:",
              "SAVEPOINT",
              "SELECT order:",
              "INSERT",
              "UPDATE order:",
              "RELEASE",
              "UPDATE seen:",
              "COMMIT",
              "SELECT letter:",
            ]
          `);
      });
    }

    it('the second of two attempts that are paid at once sees the first', async () => {
      // Both callbacks begin before either has ended: the second waits for the order’s record.
      const { key, orders, pay, bookings } = shop((transaction) => query(transaction, wait));
      const first = await orders.open(key, request);
      await orders.close(key);
      const second = await orders.open(key, request);
      const statuses = await Promise.all([
        pay(String(first.uuid), key),
        pay(String(second.uuid), second.referenceCode),
      ]);
      expect(statuses).toEqual([200, 200]);
      const [before, after] = await bookings();
      expect(before).toMatch(/^(created|closed) null$/);
      expect(after).toMatch(/^(created|closed) [12]$/);
    });

    it('two processes that maintain at once book each payment once', async () => {
      const { key, orders, client, bookings } = shop();
      const { uuid } = await orders.open(key, request);
      client.transactions.set(String(uuid), {
        ...fixtures.transaction({ refunds: undefined }),
        type: 'SALE',
        situation: 'PAID',
        amount: 59.7,
        currency: 'BRL',
        uuid: String(uuid),
        referenceCode: key,
      });
      vi.spyOn(client, 'getTransaction').mockImplementation(
        async (asked) =>
          client.transactions.get(asked) ?? { ...fixtures.transaction(), uuid: asked, situation: 'PENDING' },
      );
      const results = await Promise.all([
        orders.maintain(),
        orders.maintain(),
        orders.reconcile(),
        orders.reconcile(),
      ]);
      expect(results.filter((result) => 'skipped' in result && result.skipped)).toHaveLength(1);
      expect(await bookings()).toEqual(['created null']);
      expect(await orders.open(key, request)).toMatchObject({ state: 'paid' });
    });
  });
}
