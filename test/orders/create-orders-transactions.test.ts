import { randomUUID } from 'node:crypto';
import { createPool, type PoolConnection, type ResultSetHeader } from 'mysql2/promise';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createOrders, type Orders } from '../../src/orders';
import { PostgresStore, type PostgresTransaction, type Store, storeWithin } from '../../src/stores';
import { crashBeforeCommit, fixtures, notificationRequest } from '../../src/testing';
import { allOf } from '../helpers/all-of';
import { findMysql, mysqlUrl } from '../helpers/mysql';
import { mysqlAccess } from '../helpers/mysql-access';
import { findPostgres, postgresConfig } from '../helpers/postgres';
import { FakeService, monthly } from './subscription';
import { credentials, errors, FakeClient, paid, request } from './support';

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

function postgres(): Place<PostgresTransaction> {
  const pool = new pg.Pool({ ...postgresConfig, max: 10 });
  return {
    store: new PostgresStore(pool, { table, transactional: true }),
    query: async (tx, text, values) => {
      let count = 0;
      const numbered = text.replaceAll('?', () => `$${++count}`);
      return (await (tx === undefined ? pool.query(numbered, values) : tx.query(numbered, values))).rows;
    },
    wait: 'SELECT pg_sleep(0.2)',
    end: () => pool.end(),
  };
}

function mysql(): Place<PoolConnection> {
  const pool = createPool({ uri: mysqlUrl, connectionLimit: 10 });
  return {
    store: storeWithin(mysqlAccess(pool), { table, dialect: 'mysql' }),
    query: async (tx, text, values) =>
      (await (tx ?? pool).query<ResultSetHeader>(text, values))[0] as unknown as Rows,
    wait: 'SELECT SLEEP(0.2)',
    end: () => pool.end(),
  };
}

const casesOf = async (orders: Pick<Orders, 'cases'>, key: string) =>
  (await allOf(orders.cases())).filter(({ order }) => order === key);

/** How many statements they are, without the look at when `maintain` has ended, which is once an hour. */
const countOf = (calls: readonly unknown[]) =>
  calls.filter((call) => !JSON.stringify(call).includes('maintain')).length;

/** Of the next COMMIT, the database does it, and the answer is lost. */
function loseOneCommit() {
  const { query } = pg.Client.prototype;
  const spy = vi.spyOn(pg.Client.prototype, 'query');
  let isLost = false;
  spy.mockImplementation(async function (this: pg.Client, ...given: unknown[]) {
    const result = await Reflect.apply(query, this, given);
    if (isLost || !/^COMMIT/.test(String(Object(given[0]).text ?? given[0]))) return result;
    isLost = true;
    throw new Error('simulated: the answer is lost');
  } as never);
  return spy;
}

testIn('PostgreSQL', await findPostgres(), postgres());
testIn('MySQL or MariaDB', await findMysql(), mysql());

function testIn<Tx>(name: string, isThere: boolean, { store, query, wait, end }: Place<Tx>): void {
  describe.skipIf(!isThere)(`orders in transactions of ${name}`, () => {
    beforeAll(async () => {
      await store.createTable();
      await query(
        undefined,
        `CREATE TABLE ${booked} (sale varchar(99), order_key varchar(99), is_first varchar(9))`,
      );
    });
    afterAll(async () => {
      await query(undefined, `DROP TABLE ${table}, ${booked}`);
      await end();
    });

    it('a callback that waits for its own order to be closed ends by its limit, and the report says why', async () => {
      const client = new FakeClient();
      const key = `order-${randomUUID()}`;
      const messages: string[] = [];
      const orders = createOrders({
        client,
        credentials,
        store,
        callbackTimeoutMs: 1_000,
        onReport: ({ message }) => messages.push(message),
        on: {
          paid: ({ order }, { signal }): Promise<unknown> =>
            Promise.race([orders.close(order), new Promise((_, end) => (signal.onabort = end))]),
          returned: 'ignore',
        },
      });
      const { uuid } = await orders.open(key, request);
      client.transactions.set(String(uuid), paid(String(uuid), { referenceCode: key }));
      const body = { saleToken: String(uuid), amount: 59.7, currency: 'BRL', referenceCode: key };
      const answer = await orders.webhook(notificationRequest('payment', body, credentials));
      expect(answer.status).toBe(500);
      expect(messages[0]).toContain('must not wait for `open`, `close` or `decide` of its own order');
      const id = `payment:${uuid}:PAID`;
      await expect
        .poll(() => orders.decide(id, 'dismiss', { evenIfPaid: true }).catch(String))
        .toEqual({ status: 'dismissed' });
    });

    /** A shop that books each payment in its own table, in the transaction. */
    function shop(before: (transaction: Tx) => unknown = () => {}, used: Store<Tx> = store) {
      const client = new FakeClient();
      const key = `order-${randomUUID()}`;
      const reports: string[] = [];
      const orders = createOrders({
        client,
        credentials,
        store: used,
        onReport: ({ code }) => reports.push(code),
        on: {
          async paid({ order, sale, isFirst }, { transaction }) {
            const values = [sale, order, isFirst ? 'first' : 'later'];
            await query(transaction, `INSERT INTO ${booked} VALUES (?, ?, ?)`, values);
            await before(transaction);
          },
          returned: 'ignore',
        },
      });
      /** Opens the order, and gives the uuid of its journey. */
      const open = async () => String((await orders.open(key, request)).uuid);
      const pay = async (uuid: string, referenceCode = key) => {
        client.transactions.set(uuid, paid(uuid, { referenceCode }));
        const payload = { saleToken: uuid, referenceCode, amount: 59.7, currency: 'BRL' };
        return (await orders.webhook(notificationRequest('payment', payload, credentials))).status;
      };
      const bookings = async () => {
        const rows = await query(undefined, `SELECT is_first FROM ${booked} WHERE order_key = ?`, [key]);
        return rows.map(({ is_first }) => is_first);
      };
      /** What is booked, and what the order says. */
      const trace = async (uuid: string) => {
        const order = await orders.find({ uuid });
        return `booked: ${await bookings()}; order: ${order?.state}, ${order?.payments.length}`;
      };
      return { client, key, orders, open, pay, bookings, trace, reports };
    }

    it('a booking and the paid mark are one commit', async () => {
      const { key, orders, open, pay, trace } = shop();
      const uuid = await open();
      expect([await pay(uuid), await pay(uuid)]).toEqual([200, 200]);
      expect(await trace(uuid)).toBe('booked: first; order: paid, 1');
      expect(await orders.open(key, request)).toMatchObject({ state: 'paid' });
    });

    it('a rollback takes the mark away with the booking', async () => {
      let fails = true;
      const { orders, open, pay, trace } = shop(() => {
        if (fails) throw new Error('a bug');
      });
      const uuid = await open();
      expect(await pay(uuid)).toBe(500);
      expect(await trace(uuid)).toBe('booked: ; order: review, 0');
      fails = false;
      const letters = await orders.webhook.deadLetters.list();
      expect(await orders.webhook.replay(letters)).toMatchObject([{ status: 'done' }]);
      expect(await trace(uuid)).toBe('booked: first; order: paid, 1');
    });

    it('a rollback after the paid mark takes both away', async () => {
      const { key, orders, open, pay, trace, reports } = shop(undefined, crashBeforeCommit(store));
      const uuid = await open();
      expect([await pay(uuid), reports]).toEqual([500, ['store_failed']]);
      // The service has confirmed its money: no QR code is shown until the next delivery, or a person, has booked it.
      expect(await trace(uuid)).toBe('booked: ; order: review, 0');
      expect(await orders.open(key, request)).toMatchObject({ state: 'review', uuid });
    });

    // Of pg's own client.
    if (name === 'PostgreSQL') {
      it('a payment reads and writes its order once, with its record locked', async () => {
        const { open, pay } = shop();
        const uuid = await open();
        const query = vi.spyOn(pg.Client.prototype, 'query');
        onTestFinished(() => query.mockRestore());
        query.mockClear();
        expect(await pay(uuid)).toBe(200);
        const statements = (query.mock.calls as unknown[][]).map(([sent, given]) => {
          const { text = String(sent), values = given } = Object(sent) as { text?: string; values?: unknown };
          const record = [values].flat().find((value) => /^default\/\w+:/.test(String(value)));
          return `${/^\w+/.exec(text)?.[0]} ${/\w+:/.exec(String(record))?.[0] ?? ''}`.trim();
        });
        expect(statements).toMatchInlineSnapshot(`
          [
            "SELECT seen:",
            "INSERT seen:",
            "SELECT uuid:",
            "BEGIN",
            "SELECT seen:",
            "SAVEPOINT",
            "SELECT order:",
            "UPDATE order:",
            "UPDATE seen:",
            "INSERT",
            "SELECT seen:",
            "COMMIT",
            "SELECT letter:",
          ]
        `);
      });
    }

    // Of pg's own client.
    if (name === 'PostgreSQL') {
      it('a refund whose commit succeeded without an answer is no case once it has come again', async () => {
        const { client, key, orders, open, pay, reports } = shop();
        const uuid = await open();
        expect(await pay(uuid)).toBe(200);
        const refund = { uuid: randomUUID(), amount: 9.7, status: 'PAID' };
        client.transactions.set(uuid, paid(uuid, { referenceCode: key }));
        const fields = { saleToken: uuid, currency: 'BRL', reversedAmount: 9.7, amountRefunded: 9.7 };
        const deliver = async () => {
          const request = notificationRequest('refund', { ...fields, status: 'PAID', refund }, credentials);
          return (await orders.webhook(request)).status;
        };
        const found = async () => {
          const { returns, cases } = await orders.find({ key });
          return [returns.length, cases.map(({ reason }) => reason), (await casesOf(orders, key)).length];
        };
        const lost = loseOneCommit();
        expect([await deliver(), reports, await found()]).toEqual([500, ['store_failed'], [1, [], 0]]);
        lost.mockRestore();
        expect([await deliver(), await found()]).toEqual([200, [1, [], 0]]);
      });

      it.each([
        ['transactions', { first: 13, repeat: 2, later: 15, refund: 13 }],
        ['leases', { first: 10, repeat: 2, later: 10, refund: 8 }],
      ])('with %s, each notification takes as many statements as before', async (mode, expected) => {
        const pool = new pg.Pool({ ...postgresConfig, max: 2 });
        onTestFinished(() => pool.end());
        const isTransactional = mode === 'transactions';
        const used = new PostgresStore(pool, {
          table,
          ...(isTransactional && { transactional: true }),
        } as never);
        const client = new FakeClient();
        const text = `INSERT INTO ${booked} VALUES ($1, $2, $3)`;
        const insert = ({ transaction }: { readonly transaction: unknown }, values: unknown[]) =>
          transaction === undefined
            ? pool.query(text, values)
            : (transaction as PostgresTransaction).query(text, values);
        const orders = createOrders({
          client,
          credentials,
          store: used as Store<unknown>,
          on: {
            paid: ({ sale, order, isFirst }, context) => insert(context, [sale, order, String(isFirst)]),
            returned: ({ sale, order, left }, context) => insert(context, [sale, order, String(left)]),
          },
        });
        const referenceCode = `order-${randomUUID()}`;
        const sale = String((await orders.open(referenceCode, request)).uuid);
        const charge = randomUUID();
        client.transactions.set(sale, paid(sale, { referenceCode }));
        client.transactions.set(charge, paid(charge, { referenceCode, amount: 29.9 }));
        const refund = { uuid: randomUUID(), amount: 9.7, status: 'PAID' };
        const [first, later] = [59.7, 29.9].map((amount) => ({ referenceCode, amount, currency: 'BRL' }));
        const query = vi.spyOn(pg.Client.prototype, 'query');
        onTestFinished(() => query.mockRestore());
        const statementsOf = async (kind: 'payment' | 'refund', payload: object) => {
          query.mockClear();
          const { status } = await orders.webhook(notificationRequest(kind, payload as never, credentials));
          expect(status).toBe(200);
          return countOf(query.mock.calls);
        };
        const [paidOnce, paidAgain] = [
          await statementsOf('payment', { saleToken: sale, ...first }),
          await statementsOf('payment', { saleToken: sale, ...first }),
        ];
        const paidLater = await statementsOf('payment', { saleToken: charge, ...later });
        const fields = { referenceCode, currency: 'BRL', reversedAmount: 9.7, amountRefunded: 9.7 };
        const refunded = await statementsOf('refund', { saleToken: sale, ...fields, status: 'PAID', refund });
        expect({ first: paidOnce, repeat: paidAgain, later: paidLater, refund: refunded }).toEqual(expected);
        const { payments, returns, cases } = await orders.find({ key: referenceCode });
        expect([payments.length, returns.length, cases.length]).toEqual([2, 1, 0]);
      });
    }

    if (name === 'PostgreSQL') {
      it.each([
        [
          'transactions',
          { authorized: 15, scheduled: 14, first: 16, later: 16, repeat: 2, unknown: 17, ended: 13 },
        ],
        ['leases', { authorized: 10, scheduled: 9, first: 15, later: 11, repeat: 2, unknown: 16, ended: 9 }],
      ])('with %s, an event and a charge of a recurrence keep to their bounds', async (mode, expected) => {
        const pool = new pg.Pool({ ...postgresConfig, max: 2 });
        onTestFinished(() => pool.end());
        const isTransactional = mode === 'transactions';
        const used = new PostgresStore(pool, {
          table,
          ...(isTransactional && { transactional: true }),
        } as never);
        const client = new FakeService();
        const insert = ({ transaction }: { readonly transaction: unknown }, values: unknown[]) =>
          ((transaction ?? pool) as pg.Pool).query(`INSERT INTO ${booked} VALUES ($1, $2, $3)`, values);
        const orders = createOrders({
          client,
          credentials,
          store: used as Store<unknown>,
          on: {
            paid: ({ sale, order, isFirst }, context) => insert(context, [sale, order, String(isFirst)]),
            recurrence: ({ order, event }, context) => insert(context, ['', order, event.slice(0, 9)]),
            returned: 'ignore',
          },
        });
        const query = vi.spyOn(pg.Client.prototype, 'query');
        onTestFinished(() => query.mockRestore());
        const opened = async () => {
          const key = `order-${randomUUID()}`;
          await orders.open(key, { ...request, ...monthly } as never);
          return key;
        };
        const statementsOf = async (key: string, event: string, fields: object = {}) => {
          const body = { eventType: `RECURRENCE_${event}`, idRec: `RR${key}`, externalId: key, ...fields };
          query.mockClear();
          const { status } = await orders.webhook(
            notificationRequest('recurrence', body as never, credentials),
          );
          expect(status).toBe(200);
          return countOf(query.mock.calls);
        };
        const charge = (key: string) => {
          const saleToken = randomUUID();
          client.transactions.set(saleToken, paid(saleToken, { referenceCode: key, amount: 29.9 }));
          return { saleToken, chargeAmount: 29.9 };
        };
        // The first event of a process is remembered for `maintain`.
        await statementsOf(await opened(), 'AUTHORIZED');
        const key = await opened();
        const authorized = await statementsOf(key, 'AUTHORIZED');
        const one = charge(key);
        const scheduled = await statementsOf(key, 'CHARGE_SCHEDULED', one);
        const first = await statementsOf(key, 'CHARGE_PAID', one);
        const repeat = await statementsOf(key, 'CHARGE_PAID', one);
        const later = await statementsOf(key, 'CHARGE_PAID', charge(key));
        const ended = await statementsOf(key, 'CANCELLED');
        // The first that is known of the recurrence is a charge: its events were lost.
        const other = await opened();
        const unknown = await statementsOf(other, 'CHARGE_PAID', charge(other));
        expect({ authorized, scheduled, first, later, repeat, unknown, ended }).toEqual(expected);
      });
    }

    it('the second of two attempts that are paid at once sees the first', async () => {
      // Both callbacks begin before either has ended: the second waits for the order’s record.
      const { key, orders, client, open, pay, bookings } = shop((transaction) => query(transaction, wait));
      const first = randomUUID();
      client.answers.push(errors.unknownWithUuid(first));
      await expect(open()).rejects.toMatchObject({ uuid: first });
      const second = await orders.open(key, request);
      const statuses = await Promise.all([pay(first), pay(String(second.uuid), second.referenceCode)]);
      expect(statuses).toEqual([200, 200]);
      expect(await bookings()).toEqual(['first']);
      expect((await orders.find({ key })).cases).toMatchObject([{ reason: 'paid_twice' }]);
    });

    it('two processes that maintain at once book each payment once', async () => {
      const { key, orders, client, open, trace } = shop();
      const uuid = await open();
      client.transactions.set(uuid, paid(uuid, { referenceCode: key }));
      vi.spyOn(client, 'getTransaction').mockImplementation(
        async (asked) =>
          client.transactions.get(asked) ?? { ...fixtures.transaction(), uuid: asked, situation: 'PENDING' },
      );
      const [maintaining, reconciling] = [() => orders.maintain(), () => orders.reconcile()];
      const runs = [maintaining, maintaining, reconciling, reconciling];
      const results = await Promise.all(runs.map((run) => run()));
      expect(results.filter((result) => 'skipped' in result && result.skipped)).toHaveLength(1);
      expect(await trace(uuid)).toBe('booked: first; order: paid, 1');
    });
  });
}
