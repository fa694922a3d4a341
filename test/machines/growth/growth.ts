// What one operation costs with more and more orders in the table: statements, milliseconds of the server's time, bytes on
// the connection and, in PostgreSQL, buffers. Medians of 20. Makes databases of its own at DATABASE_URL and MYSQL_URL, and
// drops them; in PostgreSQL as a superuser, who may load auto_explain.
//
//   npm run machine -- growth                          1,000 to 100,000 orders
//   npm run machine -- growth --sizes 1000,1000000 --databases mysql

import { parseArgs } from 'node:util';
import mysql from 'mysql2/promise';
import pg from 'pg';
import { createOrders, type FoundOrder } from 'pix-automatic-sdk/orders';
import { MysqlStore, PostgresStore, type Store } from 'pix-automatic-sdk/stores';
import { notificationRequest } from 'pix-automatic-sdk/testing';
import { median } from '../../../bench/lib/statistics';
import { mysqlUrl } from '../../helpers/mysql';
import { FakeClient, paid, request } from '../../orders/support';
import { openDatabase } from './database';

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,10000,100000' },
    databases: { type: 'string', default: 'postgres,mysql' },
  },
});
const SIZES = values.sizes.split(',').map(Number);
const TIMES = 20;
const credentials = { apiKey: 'key', apiToken: 'token' };
/** Of one length, so that a row of one order is a row of any other. */
const keyOf = (n: number) => `order-${String(n).padStart(8, '0')}`;
const TEMPLATE = 99_999_999;

interface Cost {
  readonly statements: number;
  readonly ms: number;
  readonly bytes: number;
  /** Missing in MySQL. */
  readonly buffers?: number | undefined;
}

interface Server {
  readonly name: string;
  readonly store: (namespace?: string) => Store;
  run(text: string): PromiseLike<unknown>;
  /** Copies the rows of one order for each number from `from` on, below `to`. */
  load(from: number, to: number): Promise<void>;
  /** What the statements have cost since it was called last. */
  cost(): Promise<Cost>;
  close(): Promise<void>;
}

const servers = { postgres: openPostgres, mysql: openMysql };
for (const each of values.databases.split(',')) {
  const open = servers[each as keyof typeof servers];
  if (open === undefined) throw new Error(`no such database: ${each}`);
  const server = await open();
  try {
    await measure(server);
  } finally {
    await server.close();
  }
}

async function measure(server: Server): Promise<void> {
  const main = shopOver(server.store());
  const others = shopOver(server.store('cases'));
  await server.store().createTable();
  // The rows that the code writes are the form that is loaded. The pointer to what is open is forgotten once it is paid.
  await main.pay(await main.open(TEMPLATE));
  await forgetOpen(server);
  for (let n = 0; n < 110; n += 1) await others.pay(n);

  const costs = new Map<string, Cost[]>();
  let loaded = 0;
  for (const size of SIZES) {
    await server.load(loaded, size);
    loaded = size;
    // Beyond what is loaded, and where nothing was measured before.
    const fresh = Array.from(
      { length: TIMES + 1 },
      (_, i) => 90_000_000 + 1_000 * Math.round(Math.log10(size)) + i,
    );
    const past = fresh.map((_, i) => Math.floor(((i + 0.5) * size) / fresh.length));
    const operations: Record<string, () => Promise<unknown>> = {
      open: each(fresh, main.open),
      payment: each(fresh, main.pay),
      // Of what was paid just now: what is compared cannot be copied.
      duplicate: each(fresh, main.pay),
      'find by key': each(past, async (n) => checkPaid(n, await main.orders.find({ key: keyOf(n) }))),
      'find by uuid': each(past, async (n) =>
        checkPaid(n, await main.orders.find({ uuid: `uuid-of-${keyOf(n)}` })),
      ),
      'page of cases': async () => {
        let count = 0;
        for await (const _ of others.orders.cases()) {
          count += 1;
          if (count === 100) return;
        }
        throw new Error('too few cases');
      },
      maintain: async () => {
        const { errors } = (await main.orders.maintain()) as { errors?: readonly unknown[] };
        if (errors?.length !== 0) throw new Error(String(errors?.[0] ?? 'skipped'));
      },
    };
    for (const [name, run] of Object.entries(operations)) {
      if (name === 'maintain') await forgetOpen(server);
      const all: Cost[] = [];
      for (let i = 0; i <= TIMES; i += 1) {
        await server.cost();
        await run();
        // The first has the caches of the server and of the connection to fill.
        if (i > 0) all.push(await server.cost());
      }
      const of = (key: keyof Cost) => median(all.map((cost) => cost[key] ?? 0));
      const buffers = all[0]?.buffers === undefined ? undefined : of('buffers');
      const cost = { statements: of('statements'), ms: of('ms'), bytes: of('bytes'), buffers };
      costs.set(name, [...(costs.get(name) ?? []), cost]);
    }
  }
  print(server.name, costs);
}

/** What was loaded has to be what the code reads as a paid order. */
function checkPaid(n: number, found: FoundOrder | undefined): void {
  if (found?.payments.length !== 1) throw new Error(`order ${n}: ${JSON.stringify(found)}`);
}

function forgetOpen(server: Server): PromiseLike<unknown> {
  return server.run("DELETE FROM pix_automatic WHERE id > 'default/open:' AND id < 'default/open;'");
}

function each(numbers: readonly number[], run: (n: number) => Promise<unknown>): () => Promise<unknown> {
  let i = 0;
  return () => run(numbers[i++ % numbers.length] as number);
}

function shopOver(store: Store) {
  const client = new FakeClient();
  const on = { paid: async () => undefined, returned: 'ignore' } as const;
  const orders = createOrders({ client, store, credentials, on, onReport: () => undefined });
  return {
    orders,
    async open(n: number) {
      await orders.open(keyOf(n), request);
      return n;
    },
    async pay(n: number) {
      const [key, uuid] = [keyOf(n), `uuid-of-${keyOf(n)}`];
      client.transactions.set(uuid, paid(uuid, { referenceCode: key }));
      const payload = { saleToken: uuid, referenceCode: key, amount: 59.7, currency: 'BRL' };
      const { status } = await orders.webhook(notificationRequest('payment', payload, credentials));
      if (status !== 200) throw new Error(`answered ${status}`);
    },
  };
}

function print(name: string, costs: ReadonlyMap<string, readonly Cost[]>): void {
  const cell = ({ statements, ms, bytes, buffers }: Cost) =>
    `${statements} · ${ms.toFixed(2)} · ${bytes}${buffers === undefined ? '' : ` · ${buffers}`}`;
  const most = (all: readonly Cost[]) => {
    const [first, last] = [all[0] as Cost, all.at(-1) as Cost];
    const ratios = (['statements', 'bytes', 'buffers'] as const).map((key) =>
      first[key] ? (last[key] ?? 0) / first[key] : 1,
    );
    return `${Math.max(...ratios).toFixed(2)} ×`;
  };
  console.log(`\n${name}: statements · ms · bytes${name.startsWith('PostgreSQL') ? ' · buffers' : ''}\n`);
  const sizes = SIZES.map((size) => size.toLocaleString('en'));
  console.log(`| orders | ${sizes.join(' | ')} | most, without ms |\n|${'---|'.repeat(sizes.length + 2)}`);
  for (const [operation, all] of costs) {
    console.log(`| ${operation} | ${all.map(cell).join(' | ')} | ${most(all)} |`);
  }
}

async function openPostgres(): Promise<Server> {
  const database = await openDatabase();
  const client = new pg.Client({ connectionString: database.url });
  client.on('error', () => undefined);
  await client.connect();
  const socket = (client as unknown as { connection: { stream: NodeJS.Socket & Sized } }).connection.stream;
  let [statements, ms, buffers, bytes] = [0, 0, 0, 0];
  let notices = 0;
  client.on('notice', ({ message = '', length }) => {
    const [, duration, plan] = /^duration: ([\d.]+) ms {2}plan:\n([\s\S]*)$/.exec(message) ?? [];
    if (plan === undefined) return;
    const { Plan } = JSON.parse(plan);
    ms += Number(duration);
    buffers += Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks'];
    // The server sends the plan beside the rows, after one byte that `length` does not count.
    notices += length + 1;
  });
  const run = (text: string) => client.query(text);
  const watch = (level: string) => run(`SET auto_explain.log_min_duration = ${level}`);
  for (const each of [
    "LOAD 'auto_explain'",
    'SET auto_explain.log_analyze = on',
    'SET auto_explain.log_buffers = on',
    'SET auto_explain.log_timing = off',
    'SET auto_explain.log_format = json',
    'SET auto_explain.log_level = notice',
  ]) {
    await run(each);
  }
  const query = async (text: string, own: unknown[]) => {
    statements += 1;
    const [before, noticed] = [socket.bytesRead + socket.bytesWritten, notices];
    const result = await client.query(text, own);
    bytes += socket.bytesRead + socket.bytesWritten - before - (notices - noticed);
    return result;
  };
  const { rows } = await run('SHOW server_version');
  return {
    name: `PostgreSQL ${String(rows[0].server_version).split(' ')[0]}`,
    store: (namespace) => new PostgresStore({ query } as never, { namespace }) as Store,
    run,
    async load(from, to) {
      await watch('-1');
      await client.query(
        `INSERT INTO pix_automatic
         SELECT replace(id, $1, lpad(n::text, 8, '0')), replace(record, $1, lpad(n::text, 8, '0')), version, expires_at
         FROM pix_automatic, generate_series(${from}, ${to - 1}) AS n
         WHERE id LIKE 'default/%' AND id LIKE '%' || $1 || '%' ORDER BY id`,
        [String(TEMPLATE)],
      );
      await run('VACUUM (ANALYZE) pix_automatic');
      await watch('0');
    },
    async cost() {
      const cost = { statements, ms, bytes, buffers };
      [statements, ms, buffers, bytes] = [0, 0, 0, 0];
      return cost;
    },
    async close() {
      await client.end();
      await database.drop();
    },
  };
}

interface Sized {
  readonly bytesRead: number;
  readonly bytesWritten: number;
}

async function openMysql(): Promise<Server> {
  const name = `pix_automatic_growth_${process.pid}`;
  const connection = await mysql.createConnection({ uri: mysqlUrl, multipleStatements: true });
  await connection.query(`CREATE DATABASE ${name}; USE ${name}`);
  const socket = (connection as unknown as { connection: { stream: Sized } }).connection.stream;
  let [statements, bytes, profiled] = [0, 0, 0];
  const execute = async (text: string, own: (string | number)[]) => {
    statements += 1;
    const before = socket.bytesRead + socket.bytesWritten;
    const result = await connection.execute(text, own);
    bytes += socket.bytesRead + socket.bytesWritten - before;
    return result as [unknown, ...unknown[]];
  };
  const [[version]] = (await connection.query('SELECT version() AS version')) as unknown as [
    [{ version: string }],
  ];
  return {
    name: `MariaDB or MySQL ${version.version.split('-')[0]}`,
    store: (namespace) => new MysqlStore({ execute }, { namespace }) as Store,
    run: (text) => connection.query(text),
    async load(from, to) {
      await connection.query('SET profiling = 0');
      const numbers = `WITH RECURSIVE numbers AS (SELECT ${from} AS n UNION ALL SELECT n + 1 FROM numbers WHERE n < ${to - 1})`;
      const set = `SET SESSION ${version.version.includes('MariaDB') ? 'max_recursive_iterations' : 'cte_max_recursion_depth'} = 100000000`;
      await connection.query(set);
      // In a table of their own, so that all rows are not read again for each number.
      await connection.query(
        "CREATE TEMPORARY TABLE template AS SELECT * FROM pix_automatic WHERE id LIKE 'default/%' AND id LIKE ?",
        [`%${TEMPLATE}%`],
      );
      await connection.query(
        `INSERT INTO pix_automatic ${numbers}
         SELECT REPLACE(id, ?, LPAD(n, 8, '0')), REPLACE(record, ?, LPAD(n, 8, '0')), version, expires_at
         FROM template, numbers`,
        [String(TEMPLATE), String(TEMPLATE)],
      );
      await connection.query('DROP TEMPORARY TABLE template');
      await connection.query('ANALYZE TABLE pix_automatic');
      await connection.query('SET profiling_history_size = 100, profiling = 1');
    },
    async cost() {
      const counted = { statements, bytes };
      [statements, bytes] = [0, 0];
      const [profiles] = (await connection.query('SHOW PROFILES')) as unknown as [
        { Query_ID: number; Duration: number | string }[],
      ];
      const own = profiles.filter(({ Query_ID }) => Query_ID > profiled);
      profiled = profiles.at(-1)?.Query_ID ?? profiled;
      return { ...counted, ms: own.reduce((sum, { Duration }) => sum + 1_000 * Number(Duration), 0) };
    },
    async close() {
      await connection.query(`DROP DATABASE ${name}`);
      await connection.end();
    },
  };
}
