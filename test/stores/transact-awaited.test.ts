import { randomUUID } from 'node:crypto';
import { PGlite, type Transaction } from '@electric-sql/pglite';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PostgresStore, type Store, storeWithin } from '../../src/stores';
import { notificationRequest } from '../../src/testing';
import { createWebhookHandler } from '../../src/webhooks';
import { findPostgres, postgresConfig } from '../helpers/postgres';

const credentials = { apiKey: 'your-api-key', apiToken: 'your-api-token' };
const table = `awaited ${randomUUID().slice(0, 8)}`;
const effects = pg.escapeIdentifier(`${table} effects`);
type Query = { query(text: string): PromiseLike<unknown> };

/** A listener whose callbacks of money do this, and what it reports. */
function listener<Tx extends Query>(store: Store<Tx>, callback: (transaction: Tx) => unknown) {
  const reports: string[] = [];
  const act = (_: unknown, { transaction }: { readonly transaction: Tx }) => callback(transaction);
  const handler = createWebhookHandler({
    credentials,
    store,
    deadLetters: true,
    onReport: ({ code, status, kind }) => reports.push(`${code} ${status} ${kind}`),
    on: { payment: act, refund: act, reversal: act, payout: act, saleStatus: act },
  });
  const send = async (
    kind: 'payment' | 'saleStatus' | 'refund' | 'reversal' | 'payout',
    id: string = randomUUID(),
  ) => {
    const sale = { saleToken: id };
    const own = { payment: sale, saleStatus: sale, refund: { refund: { uuid: id } } }[kind as 'payment'] ?? {
      uuid: id,
    };
    return (await handler(notificationRequest(kind, own as never, credentials))).status;
  };
  return { handler, reports, send };
}

const nothing = async () => undefined;
const settled = async () => {
  for (let i = 0; i < 50; i += 1) await Promise.all([Promise.resolve(i), null]);
};
const forgotten = async (transaction: Query) => {
  // As a query builder that nobody awaits, which sends nothing.
  void (() => transaction.query('SELECT 1'));
};

describe.skipIf(!(await findPostgres()))('over PostgreSQL', () => {
  const pool = new pg.Pool(postgresConfig);
  const store = new PostgresStore(pool, { table, transactional: true });
  beforeAll(() => store.createTable());
  afterAll(async () => {
    await pool.query(`DROP TABLE IF EXISTS ${effects}, ${pg.escapeIdentifier(table)}`);
    await pool.end();
  });

  it.each(Object.entries({ nothing, settled, forgotten }))(
    'a callback of money that awaits %s is not done, each time, and is kept',
    async (_, callback) => {
      const { handler, reports, send } = listener(store, callback);
      const kinds = ['payment', 'payment', 'refund', 'reversal'] as const;
      for (const kind of kinds) expect(await send(kind)).toBe(500);
      expect(reports).toEqual(kinds.map((kind) => `nothing_written 500 ${kind}`));
      const letters = await handler.deadLetters.list();
      expect(letters.map(({ code }) => code)).toEqual(Array(4).fill('nothing_written'));
      for (const { key } of letters) await handler.deadLetters.forget(key);
    },
  );

  it.each(Object.entries({ nothing, settled, forgotten }))(
    'a callback of anything else that awaits %s is done',
    async (_, callback) => {
      const { reports, send } = listener(store, callback);
      expect([await send('payout'), await send('saleStatus'), reports]).toEqual([200, 200, []]);
    },
  );

  it('one that resolves with `nothing` has nothing to write, and is done', async () => {
    const { reports, send } = listener(store, async () => 'nothing');
    const kinds = ['payment', 'refund', 'reversal'] as const;
    for (const kind of kinds) expect(await send(kind)).toBe(200);
    expect(reports).toEqual([]);
  });

  it('what a callback has sent without awaiting it is rolled back, and runs again', async () => {
    const sent = storeWithin<pg.PoolClient>(
      {
        async transaction(work) {
          const client = await pool.connect();
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
        query: (tx, text, values) => (tx ?? pool).query(text, values),
      },
      { dialect: 'postgres', table, namespace: 'sent' },
    );
    await pool.query(`CREATE TABLE ${effects} (name text)`);
    let isAwaited = false;
    const { reports, send } = listener<pg.PoolClient>(sent, async (client) => {
      const insert = client.query(`INSERT INTO ${effects} VALUES ('a')`);
      if (isAwaited) await insert;
    });
    const rows = async () => (await pool.query(`SELECT * FROM ${effects}`)).rowCount;
    expect([await send('payment', 'sale-1'), await rows()]).toEqual([500, 0]);
    isAwaited = true;
    expect([await send('payment', 'sale-1'), await rows()]).toEqual([200, 1]);
    expect(reports).toEqual(['nothing_written 500 payment']);
  });

  it('a query of PostgresStore that still runs when its callback ends is nothing written, of each kind', async () => {
    const sending = listener(store, (transaction) => void transaction.query('SELECT 1'));
    const half = listener(store, async (transaction) => {
      await transaction.query('SELECT 1');
      void transaction.query('SELECT 2');
    });
    for (const { send, reports } of [sending, half]) {
      expect([await send('payment'), await send('payout')]).toEqual([500, 500]);
      expect(reports).toEqual(['nothing_written 500 payment', 'nothing_written 500 payout']);
    }
  });

  it('one that awaited a statement once, or returned it, raises no alarm', async () => {
    const awaiting = listener(store, async (transaction) => void (await transaction.query('SELECT 1')));
    const returning = listener(store, (transaction) => transaction.query('SELECT 1'));
    for (const { send, reports } of [awaiting, returning]) {
      expect([await send('payment'), await send('refund'), reports]).toEqual([200, 200, []]);
    }
  });

  it('one that throws at once is reported as that alone', async () => {
    const { reports, send } = listener(store, () => Promise.reject(new Error('bug')));
    expect([await send('payment'), reports]).toEqual([500, ['callback_failed 500 payment']]);
  });
});

describe('over PGlite, which answers in the same turn of the event loop', () => {
  let database: PGlite;
  let store: Store<Transaction>;
  beforeAll(async () => {
    database = new PGlite();
    store = storeWithin<Transaction>(
      {
        transaction: (work) => database.transaction(work),
        query: (tx, text, values) => (tx ?? database).query(text, values),
      },
      { dialect: 'postgres' },
    );
    await store.createTable();
    // On an overloaded machine, its start can outlast the usual limit of a hook.
  }, 120_000);
  afterAll(() => database.close());

  it.each<[string, (transaction: Transaction) => unknown]>([
    ['awaits a statement', async (transaction) => void (await transaction.query('SELECT 1'))],
    ['awaits nothing, which cannot be told from that', nothing],
  ])('a callback that %s raises no alarm', async (_, callback) => {
    const { reports, send } = listener(store, callback);
    expect([await send('payment'), await send('refund'), reports]).toEqual([200, 200, []]);
  });
});
