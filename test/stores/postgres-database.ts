import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, it } from 'vitest';
import { ConfigurationError } from '../../src/errors';
import { type PostgresQueryable, PostgresStore } from '../../src/stores';
import { postgresStatements } from '../../src/stores/postgres/sql';
import type { Claim } from '../../src/webhooks';
import type { StoreHarness } from './contract';
import type { Faults } from './faults';

/** How the contract suite reaches a store in this database. `run` keeps its tables apart from those of other runs. */
export async function harnessOf(
  database: PostgresQueryable,
  schema: string | undefined,
  run: string,
): Promise<StoreHarness> {
  const tables = { own: `own's "table" ${run}`, other: `other ${run}` };
  for (const table of Object.values(tables))
    await new PostgresStore(database, { schema, table }).createTable();
  return {
    open: ({ faults, space } = {}) =>
      new PostgresStore(withFaults(database, faults), { schema, table: tables[space ?? 'own'] }),
    pass: (ms) => sleep(ms),
    close: async () => {},
  };
}

function withFaults(database: PostgresQueryable, faults: Faults | undefined): PostgresQueryable {
  if (faults === undefined) return database;
  return {
    query: async (text, values) => {
      const reply = await faults.apply(() => database.query(text, values), { rows: [{ status: 'claimed' }] });
      return reply as Awaited<ReturnType<PostgresQueryable['query']>>;
    },
  };
}

/** What both a server and PGlite must do, beyond the contract. */
export function testOnDatabase(name: string, database: PostgresQueryable, schema: string | undefined): void {
  const options = { schema, table: 'deletions' };

  it(`${name}: deletes expired records, up to a limit, and only those`, async () => {
    const store = new PostgresStore(database, options);
    await store.createTable();
    for (let index = 0; index < 5; index += 1) {
      const claim = await store.claim(`payment:${index}`, 'PAID', 100);
      if (claim.status !== 'claimed') throw new Error('not claimed');
      if (index < 3) await store.complete(claim, 1);
    }
    await store.claim('payment:live', 'PAID', 60_000);
    const kept = await store.claim('payment:done', 'PAID', 60_000);
    if (kept.status !== 'claimed') throw new Error('not claimed');
    await store.complete(kept, 60_000);
    await sleep(200);

    expect(await store.deleteExpired({ limit: 3 })).toBe(3);
    expect(await store.deleteExpired()).toBe(2);
    expect(await store.deleteExpired()).toBe(0);
    expect(await store.claim('payment:live', 'PAID', 60_000)).toEqual({ status: 'busy' });
    expect(await store.claim('payment:done', 'PAID', 60_000)).toMatchObject({ status: 'done' });
    await expect(store.deleteExpired({ limit: 0 })).rejects.toBeInstanceOf(ConfigurationError);
  });

  it(`${name}: deletes parked notifications once their retention is over, within the same limit`, async () => {
    const store = new PostgresStore(database, { schema, table: 'forgotten' });
    await store.createTable();
    const park = (key: string, retentionMs: number) =>
      store.park(
        { key, kind: 'payment', subject: key, state: 'PAID', body: '{}', url: '', errorName: 'Error' },
        retentionMs,
      );
    await claimed(store, 'payment:1', 'PAID', 50);
    for (const key of ['a', 'b', 'c']) await park(key, 50);
    await park('kept', 60_000);
    await sleep(100);

    expect(await store.deleteExpired({ limit: 2 })).toBe(2);
    expect(await store.deleteExpired({ limit: 1 })).toBe(1);
    expect(await store.deleteExpired()).toBe(1);
    expect(await store.deleteExpired()).toBe(0);
    expect((await store.parked()).map(({ key }) => key)).toEqual(['kept']);
    const parkedTable =
      schema === undefined ? 'forgotten_parked' : `${pg.escapeIdentifier(schema)}.forgotten_parked`;
    const { rows } = await database.query(`SELECT key FROM ${parkedTable}`);
    expect(rows).toEqual([{ key: 'kept' }]);
  });

  it(`${name}: keeps apart the tables and indexes of two names of 52 bytes that differ in the last`, async () => {
    const longest = 'n'.repeat(51);
    const stores = ['1', '2'].map((end) => new PostgresStore(database, { schema, table: longest + end }));
    for (const store of stores) await store.createTable();
    const { rows } = await database.query(
      "SELECT tablename AS name FROM pg_tables WHERE tablename LIKE 'nnn%' UNION ALL " +
        "SELECT indexname FROM pg_indexes WHERE indexname LIKE 'nnn%' ORDER BY 1",
    );
    const suffixes = ['', '_expires_at', '_parked', '_parked_at'];
    const expected = ['1', '2'].flatMap((end) => suffixes.map((suffix) => longest + end + suffix));
    expect(rows.map((row) => (row as { name: string }).name)).toEqual(expect.arrayContaining(expected));
  });

  const keeping = () => new PostgresStore(database, { schema, table: 'retentions' });

  async function claimed(
    store: PostgresStore,
    subject: string,
    state: string,
    leaseMs: number,
  ): Promise<Claim> {
    const claim = await store.claim(subject, state, leaseMs);
    if (claim.status !== 'claimed') throw new Error(`expected a claim, got ${claim.status}`);
    return claim;
  }

  it(`${name}: keeps a done state beyond its lease when expired records are deleted`, async () => {
    const store = keeping();
    await store.createTable();
    expect(await store.complete(await claimed(store, 'payment:kept', 'PAID', 500), 60_000)).toBe(true);
    await sleep(600);
    expect(await store.deleteExpired()).toBe(0);
    expect(await store.claim('payment:kept', 'PAID', 50)).toMatchObject({ status: 'done' });
  });

  it(`${name}: keeps a done state through a later claim with a short lease`, async () => {
    const store = keeping();
    await store.createTable();
    expect(await store.complete(await claimed(store, 'payment:claimed', 'PENDING', 500), 60_000)).toBe(true);
    await claimed(store, 'payment:claimed', 'PAID', 50);
    await sleep(600);
    expect(await store.deleteExpired()).toBe(0);
    expect(await store.claim('payment:claimed', 'PENDING', 50)).toMatchObject({ status: 'done' });
  });

  it(`${name}: keeps a done state through a later completion with a short retention`, async () => {
    const store = keeping();
    await store.createTable();
    expect(await store.complete(await claimed(store, 'payment:completed', 'PENDING', 500), 60_000)).toBe(
      true,
    );
    expect(await store.complete(await claimed(store, 'payment:completed', 'PAID', 500), 50)).toBe(true);
    await sleep(600);
    expect(await store.deleteExpired()).toBe(0);
    expect(await store.claim('payment:completed', 'PENDING', 50)).toMatchObject({ status: 'done' });
  });

  it(`${name}: keeps a lease that was taken again after an earlier one had run out`, async () => {
    const store = keeping();
    await store.createTable();
    await claimed(store, 'payment:again', 'PAID', 20);
    await sleep(50);
    const again = await claimed(store, 'payment:again', 'PAID', 60_000);
    expect(await store.deleteExpired()).toBe(0);
    expect(await store.claim('payment:again', 'PAID', 50)).toEqual({ status: 'busy' });
    expect(await store.complete(again, 60_000)).toBe(true);
  });

  it(`${name}: keeps the lease of a subject that was released, for longer than its earlier lease`, async () => {
    const store = keeping();
    await store.createTable();
    await store.release(await claimed(store, 'payment:released', 'PAID', 50));
    await claimed(store, 'payment:released', 'PAID', 60_000);
    await sleep(100);
    expect(await store.deleteExpired()).toBe(0);
    expect(await store.claim('payment:released', 'PAID', 50)).toEqual({ status: 'busy' });
  });

  it(`${name}: deletes a done state once its retention is over, however long its lease was`, async () => {
    const store = new PostgresStore(database, { schema, table: 'overs' });
    await store.createTable();
    expect(await store.complete(await claimed(store, 'payment:over', 'PAID', 500), 500)).toBe(true);
    await sleep(700);
    expect(await store.deleteExpired()).toBe(1);
    expect(await store.deleteExpired()).toBe(0);
  });

  it(`${name}: remembers the 64 newest states of a subject, and forgets older ones`, async () => {
    const store = keeping();
    await store.createTable();
    for (let index = 0; index < 70; index += 1) {
      await store.complete(await claimed(store, 'payment:many', `S${index}`, 60_000), 60_000);
    }
    const newest = Array.from({ length: 64 }, (_, index) => `S${index + 6}`);
    expect(await store.claim('payment:many', 'S69', 50)).toEqual({ status: 'done', handledStates: newest });
    expect(await store.claim('payment:many', 'S6', 50)).toEqual({ status: 'done', handledStates: newest });
    expect(await claimed(store, 'payment:many', 'S5', 50)).toMatchObject({ handledStates: newest });
  });

  it(`${name}: does not make a lease longer when its claim is sent twice`, async () => {
    const at = { schema, table: 'leases' };
    await new PostgresStore(database, at).createTable();
    const { claim, table } = postgresStatements(at.table, at.schema);
    const ends: unknown[] = [];
    for (let sent = 0; sent < 2; sent += 1) {
      await database.query(claim, ['payment:1', 'PAID', 'token', 60_000]);
      ends.push((await database.query(`SELECT expires::text FROM ${table}`)).rows);
      await sleep(5);
    }
    expect(ends[1]).toEqual(ends[0]);
  });

  it(`${name}: grows the fence also when the clock was set back`, async () => {
    const store = new PostgresStore(database, { schema, table: 'fences' });
    await store.createTable();
    const claim = await store.claim('payment:1', 'PAID', 60_000);
    if (claim.status !== 'claimed') throw new Error('not claimed');
    await store.release(claim);
    const qualified = schema === undefined ? 'fences' : `${pg.escapeIdentifier(schema)}.fences`;
    // The end is past, as after a long time, so that only the fence keeps the record.
    await database.query(`UPDATE ${qualified} SET fence = 9000000000000, expires_at = 0`);
    expect(await store.claim('payment:1', 'PAID', 50)).toMatchObject({ fence: 9_000_000_000_001 });
    // The record stays until the clock has caught up with its fence: a new record would start with a smaller one.
    await sleep(100);
    expect(await store.deleteExpired()).toBe(0);
    expect(await store.claim('payment:1', 'PAID', 50)).toMatchObject({ fence: 9_000_000_000_002 });
  });

  it(`${name}: prints the SQL that creates the same table`, async () => {
    const store = new PostgresStore(database, { schema, table: 'printed' });
    for (const statement of store.createTableSql().split(';\n').filter(Boolean))
      await database.query(statement);
    expect(await store.claim('payment:1', 'PAID', 1000)).toMatchObject({ status: 'claimed' });
    await store.createTable();
  });
}
