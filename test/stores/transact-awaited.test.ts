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
type Query = { query(text: string): PromiseLike<unknown> };

/** A listener whose callbacks of money do this, and what it reports. */
function listener<Tx extends Query>(store: Store<Tx>, callback: (transaction: Tx) => unknown) {
  const reports: string[] = [];
  const act = (_: unknown, { transaction }: { readonly transaction: Tx }) => callback(transaction);
  const handler = createWebhookHandler({
    credentials,
    store,
    onReport: ({ code, status, kind }) => reports.push(`${code} ${status} ${kind}`),
    on: { payment: act, refund: act, reversal: act, payout: act, saleStatus: act },
  });
  const send = async (kind: 'payment' | 'refund' | 'reversal' | 'payout') => {
    const id = randomUUID();
    const own = { payment: { saleToken: id }, refund: { refund: { uuid: id } } }[kind as 'payment'] ?? {
      uuid: id,
    };
    return (await handler(notificationRequest(kind, own as never, credentials))).status;
  };
  return { reports, send };
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
    await pool.query(`DROP TABLE ${pg.escapeIdentifier(table)}`);
    await pool.end();
  });

  it.each(Object.entries({ nothing, settled, forgotten }))(
    'a callback of money that awaits %s is done, and reported once per kind',
    async (_, callback) => {
      const { reports, send } = listener(store, callback);
      const kinds = ['payment', 'payment', 'refund', 'reversal', 'refund', 'payout'] as const;
      for (const kind of kinds) expect(await send(kind)).toBe(200);
      expect(reports).toEqual(['payment', 'refund', 'reversal'].map((kind) => `nothing_awaited 200 ${kind}`));
    },
  );

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
