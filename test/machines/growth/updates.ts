// How many updates PostgreSQL makes in place (HOT), how large the store's table becomes, and how many dead rows it has,
// after orders with one payment each, in both modes. Makes a database of its own at DATABASE_URL, and drops it.
//
//   npm run machine -- updates                       100,000 orders
//   npm run machine -- updates --orders 5000 --fillfactor 100

import { parseArgs } from 'node:util';
import pg from 'pg';
import { createOrders } from 'pix-automatic-sdk/orders';
import { PostgresStore, type Store } from 'pix-automatic-sdk/stores';
import { notificationRequest } from 'pix-automatic-sdk/testing';
import { FakeClient, paid, request } from '../../orders/support';
import { openDatabase } from './database';

const { values } = parseArgs({
  options: { orders: { type: 'string', default: '100000' }, fillfactor: { type: 'string' } },
});
const count = Number(values.orders);
const AT_ONCE = 4;
/** How many orders are opened between an order and its payment. */
const LATER = 200;
const credentials = { apiKey: 'key', apiToken: 'token' };

const database = await openDatabase();
const pool = new pg.Pool({ connectionString: database.url, max: 2 * AT_ONCE });
pool.on('error', () => undefined);
try {
  console.log(`${count} orders, each opened and then paid, ${AT_ONCE} at a time.\n`);
  console.log(
    '| mode | updates | in place | table | indexes | dead rows | minutes |\n|---|---|---|---|---|---|---|',
  );
  for (const transactional of [false, true]) console.log(await measure(transactional));
} finally {
  await pool.end();
  await database.drop();
}

async function measure(transactional: boolean): Promise<string> {
  const table = transactional ? 'exact' : 'plain';
  const store = new PostgresStore(pool, { table, transactional }) as Store<unknown>;
  await store.createTable();
  if (values.fillfactor !== undefined) {
    await pool.query(`ALTER TABLE ${table} SET (fillfactor = ${Number(values.fillfactor)})`);
  }
  const start = performance.now();
  const client = new FakeClient();
  const orders = createOrders({
    client,
    store,
    credentials,
    on: { paid: async () => 'nothing', returned: 'ignore' },
    onReport: () => undefined,
  });
  let next = 0;
  const shop = async () => {
    for (let i = next++; i < count; i = next++) {
      const key = `order-${i}`;
      const { uuid = '' } = await orders.open(key, request);
      // Others are opened before it is paid.
      waiting.push([key, uuid]);
      if (waiting.length > LATER) await pay(orders, client, waiting.shift() as [string, string]);
    }
  };
  const waiting: [key: string, uuid: string][] = [];
  await Promise.all(Array.from({ length: AT_ONCE }, shop));
  for (const each of waiting) await pay(orders, client, each);
  const minutes = (performance.now() - start) / 60_000;

  await pool.query('SELECT pg_stat_force_next_flush()').catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const { rows } = await pool.query(
    `SELECT n_tup_upd::float8 AS updates, n_tup_hot_upd::float8 AS hot, n_dead_tup::float8 AS dead,
            pg_table_size(relid)::float8 AS size, pg_indexes_size(relid)::float8 AS indexes
     FROM pg_stat_user_tables WHERE relname = $1`,
    [table],
  );
  const { updates, hot, dead, size, indexes } = rows[0] as Record<string, number>;
  const mb = (bytes = 0) => `${(bytes / 1e6).toFixed(1)} MB`;
  const share = `${hot} (${((100 * (hot ?? 0)) / (updates ?? 1)).toFixed(1)} %)`;
  return `| ${transactional ? 'transactional' : 'plain'} | ${updates} | ${share} | ${mb(size)} | ${mb(indexes)} | ${dead} | ${minutes.toFixed(1)} |`;
}

async function pay(
  orders: ReturnType<typeof createOrders>,
  client: FakeClient,
  [key, uuid]: [string, string],
) {
  client.transactions.set(uuid, paid(uuid, { referenceCode: key }));
  const payload = { saleToken: uuid, referenceCode: key, amount: 59.7, currency: 'BRL' };
  const { status } = await orders.webhook(notificationRequest('payment', payload, credentials));
  client.transactions.delete(uuid);
  if (status !== 200) throw new Error(`answered ${status}`);
}
