// What a run of `maintain` reads and writes, by part: cases that nobody has decided, and orders to ask about.
//
//   npm run machine -- maintain                                  25,000 cases, 1,000 orders, in memory and PostgreSQL
//   npm run machine -- maintain --cases 100 --orders 10 --databases memory

import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { createOrders } from 'pix-automatic-sdk/orders';
import { createStore, PostgresStore, type RecordStore } from 'pix-automatic-sdk/stores';
import { MemoryRecords } from '../../../src/stores/memory-store';
import { SqlRecords } from '../../../src/stores/sql-records';
import { stepsOf } from '../../../src/stores/steps';
import { postgresConfig } from '../../helpers/postgres';
import { credentials, FakeClient, paid, request } from '../../orders/support';

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '25000' },
    orders: { type: 'string', default: '1000' },
    databases: { type: 'string', default: 'memory,postgres' },
  },
});
const [CASES, ORDERS] = [Number(values.cases), Number(values.orders)];
const CASES_OF_AN_ORDER = 70;

interface Cost {
  reads: number;
  writes: number;
  lists: number;
  ms: number;
}

/** Counts what is done to records, by the part of `maintain` that does it. */
class CountedRecords implements RecordStore {
  readonly parts = new Map<string, Cost>();
  #part = 'lease';
  #since = performance.now();

  constructor(readonly records: RecordStore) {}

  reset(): void {
    this.parts.clear();
    [this.#part, this.#since] = ['lease', performance.now()];
  }

  enter(part: string): void {
    const now = performance.now();
    this.#cost().ms += now - this.#since;
    [this.#part, this.#since] = [part, now];
  }

  #cost(): Cost {
    const cost = this.parts.get(this.#part) ?? { reads: 0, writes: 0, lists: 0, ms: 0 };
    this.parts.set(this.#part, cost);
    return cost;
  }

  read(key: string) {
    this.#cost().reads += 1;
    return this.records.read(key);
  }

  write(key: string, change: Parameters<RecordStore['write']>[1]) {
    this.#cost().writes += 1;
    return this.records.write(key, change);
  }

  list(prefix: string, page: Parameters<RecordStore['list']>[1]) {
    if (prefix.includes('/open:')) this.enter('reconcile');
    if (prefix.includes('/letter:')) this.enter('cases');
    this.#cost().lists += 1;
    return this.records.list(prefix, page);
  }

  async deleteExpired(limit: number) {
    this.enter('delete');
    return (await this.records.deleteExpired?.(limit)) ?? 0;
  }
}

/** Cases as they come: most wait for their order, or for one; some are for a person alone. */
const REASONS = ['other_sale', 'other_sale', 'no_order', 'other_sale', 'paid_twice'] as const;

async function measure(name: string, records: RecordStore): Promise<void> {
  const counted = new CountedRecords(records);
  const store = createStore(counted);
  const client = new FakeClient();
  const on = { paid: async () => undefined, returned: async () => undefined };
  const orders = createOrders({ client, credentials, store, on, onReport: () => undefined } as never);

  for (let n = 0; n < ORDERS; n += 1) {
    const key = `order-${n}`;
    const { uuid = '' } = await orders.open(key, request);
    client.transactions.set(uuid, paid(uuid, { situation: 'PENDING', referenceCode: key }));
  }
  // As the listener keeps them.
  const steps = stepsOf(store);
  for (let n = 0; n < CASES; n += 1) {
    const reason = REASONS[n % REASONS.length];
    const of = `order-${Math.floor(n / CASES_OF_AN_ORDER) % ORDERS}`;
    const sale = randomUUID();
    const order = reason === 'no_order' ? undefined : of;
    const amount = reason === 'other_sale' ? 29.9 : 59.7;
    const referenceCode = order ?? `nobody-${n}`;
    const body = { saleToken: sale, referenceCode, amount, currency: 'BRL', newStatus: 'PAID' };
    const about = { order, sale, referenceCode, amount, currency: 'BRL' };
    const identity = { key: `payment:${sale}:PAID`, subject: `payment:${sale}`, state: 'PAID' };
    const letter = { ...identity, kind: 'payment', body: JSON.stringify(body), url: '', credential: '' };
    await steps.keepLetter({ ...letter, code: String(reason), about }, 30 * 24 * 3_600_000);
  }

  for (const run of ['first', 'second']) {
    counted.reset();
    const begun = performance.now();
    const result = await orders.maintain();
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    counted.enter('end');
    console.log(`\n${name}, ${run} run of ${CASES} cases and ${ORDERS} orders: ${seconds} s`);
    console.log('| part | reads | writes | lists | s |\n|---|---|---|---|---|');
    for (const [part, { reads, writes, lists, ms }] of counted.parts) {
      if (part !== 'end')
        console.log(`| ${part} | ${reads} | ${writes} | ${lists} | ${(ms / 1000).toFixed(1)} |`);
    }
    if (!result.skipped) {
      const { reconciled, replayed, isComplete, errors } = result;
      console.log(JSON.stringify({ reconciled, replayed, isComplete, errors: errors.length }));
    }
  }
}

async function inPostgres(): Promise<void> {
  const table = `maintain_${randomUUID().slice(0, 8)}`;
  const pool = new pg.Pool({ ...postgresConfig, max: 4 });
  await new PostgresStore(pool, { table }).createTable();
  try {
    const place = { schema: 'public', table };
    await measure('PostgreSQL', new SqlRecords((text, given) => pool.query(text, given), 'postgres', place));
  } finally {
    await pool.query(`DROP TABLE ${table}`);
    await pool.end();
  }
}

for (const each of values.databases.split(',')) {
  if (each === 'memory') await measure('memory', new MemoryRecords(1_000_000, Date.now));
  else if (each === 'postgres') await inPostgres();
  else throw new Error(`no such database: ${each}`);
}
