import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createStore, PostgresStore, type RecordStore, type Store } from '../../src/stores';
import { MemoryRecords } from '../../src/stores/memory-store';
import { notificationRequest } from '../../src/testing';
import { findPostgres, postgresConfig } from '../helpers/postgres';
import { credentials, paid, setUp } from './support';

/** Orders over records that are counted. */
function counted() {
  const clock = { now: Date.parse('2027-01-15T12:00:00Z') };
  const memory = new MemoryRecords(10_000, () => clock.now);
  const steps: string[] = [];
  const count = (step: string, key: string) => {
    steps.push(`${step} ${/\/(maintain|[a-z]+)/.exec(key)?.[1]}`);
    return memory;
  };
  const records: RecordStore = {
    read: (key) => count('read', key).read(key),
    write: (key, change) => count('write', key).write(key, change),
    list: (prefix, page) => count('list', prefix).list(prefix, page),
  };
  const on = { paid: async () => undefined, returned: 'ignore' };
  const parts = setUp([], {
    store: createStore(records),
    credentials,
    on,
    onReport: () => undefined,
  } as never);
  const tell = async (kind: 'payment' | 'refund', body: object) =>
    (await parts.orders.webhook(notificationRequest(kind, body as never, credentials))).status;
  return { ...parts, clock, steps, tell };
}

type Parts = Pick<ReturnType<typeof counted>, 'open' | 'client' | 'tell'>;

/** Three cases of each kind that waits for its order, or for nobody. */
async function makeCases({ open, client, tell }: Parts, count: number): Promise<void> {
  await open();
  client.transactions.set('uuid-of-order-1', paid('uuid-of-order-1', { situation: 'PENDING' }));
  for (let n = 0; n < count; n += 1) {
    const of: Record<string, string> = { other_sale: 'order-1', no_order: 'nobody' };
    for (const [reason, referenceCode] of Object.entries(of)) {
      const sale = `${reason}-${n}`;
      client.transactions.set(sale, paid(sale, { amount: 29.9, referenceCode }));
      const body = { saleToken: sale, referenceCode, amount: 29.9, currency: 'BRL' };
      expect(await tell('payment', body)).toBe(200);
    }
    const refund = { uuid: `r-${n}`, amount: 5, status: 'PAID' };
    const body = {
      saleToken: `sale-${n}`,
      referenceCode: 'order-1',
      amountRefunded: 5,
      refund,
      status: 'PAID',
    };
    expect(await tell('refund', { currency: 'BRL', reversedAmount: 5, ...body })).toBe(200);
  }
}

it('reads an undecided case once, whatever it waits for, and writes nothing', async () => {
  const { orders, clock, steps, ...parts } = counted();
  await makeCases(parts, 70);
  clock.now += 3 * 3_600_000;
  steps.length = 0;
  expect(await orders.maintain()).toMatchObject({ errors: [], replayed: { done: 0, failed: 0 } });
  const cases = steps.slice(steps.indexOf('list letter'));
  const overhead = ['read maintain', 'list letter', 'write maintain'];
  const own = cases.filter((step) => !overhead.includes(step));
  expect(own.filter((step) => step.startsWith('write'))).toEqual([]);
  expect(own).toHaveLength(3 * 70);
});

it.runIf(await findPostgres())('does so in transactions of PostgreSQL', async () => {
  const table = `cost_${randomUUID().slice(0, 8)}`;
  const pool = new pg.Pool(postgresConfig);
  onTestFinished(async () => {
    await pool.query(`DROP TABLE ${table}`);
    await pool.end();
  });
  const store = new PostgresStore(pool, { table, transactional: true });
  await store.createTable();
  const on = { paid: async () => undefined, returned: 'ignore' };
  const options = { credentials, on, onReport: () => undefined, store: store as unknown as Store };
  const { orders, ...parts } = setUp([], options as never);
  const tell = async (kind: 'payment' | 'refund', body: object) =>
    (await orders.webhook(notificationRequest(kind, body as never, credentials))).status;
  await makeCases({ ...parts, tell }, 20);
  // As if it were three hours later.
  const before = Date.now() - 3 * 3_600_000;
  await pool.query(
    `UPDATE ${table} SET record = regexp_replace(record, '("(first|last)FailedAt":)\\d{13}', '\\1' || $1, 'g') WHERE id LIKE '%/letter:%'`,
    [String(before)],
  );
  const sent = vi.spyOn(pg.Client.prototype, 'query');
  onTestFinished(() => sent.mockRestore());
  expect(await orders.maintain()).toMatchObject({ errors: [], replayed: { done: 0, failed: 0 } });
  const statements = sent.mock.calls.map(([first]) => String((first as { text?: string })?.text ?? first));
  const ofMaintain = statements.filter((text) => !/^(BEGIN|COMMIT|SET|DELETE)/.test(text));
  // What `maintain` does besides: its lease, its order, its pages of letters, and the cursor.
  expect(ofMaintain.length).toBeLessThan(3 * 20 + 30);
  expect(statements.filter((text) => /^(INSERT|UPDATE)/.test(text)).length).toBeLessThan(10);
});
