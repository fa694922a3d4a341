import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, it } from 'vitest';
import { type PostgresQueryable, type PostgresRows, PostgresStore } from '../../src/stores';
import type { Claim } from '../../src/webhooks';
import type { StoreHarness } from './contract';
import type { Faults } from './faults';
import { lease, retain } from './limits';

/** How the contract suite reaches a store in this database. `run` keeps its tables apart from those of other runs. */
export async function harnessOf(
  database: PostgresQueryable,
  schema: string,
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
      const reply = await faults.apply(async () => database.query(text, values), { rows: 'garbled' });
      return reply as Awaited<ReturnType<PostgresQueryable['query']>>;
    },
  };
}

/** What both a server and PGlite must do, beyond the contract. */
export function testOnDatabase(name: string, database: PostgresQueryable, schema: string): void {
  const options = { schema, table: 'deletions' };

  it(`${name}: deletes every expired record, more than a thousand at a time too, and only those`, async () => {
    const store = new PostgresStore(database, options);
    await store.createTable();
    const table = `${pg.escapeIdentifier(schema)}.deletions`;
    await database.query(
      `INSERT INTO ${table} SELECT 'expired:' || number, '{}', 1, number FROM generate_series(1, 2500) AS number`,
    );
    await store.claim('payment:live', 'PAID', lease(60_000));
    const kept = await claimed(store, 'payment:done', 'PAID', 60_000);
    await store.complete(kept, retain(60_000));

    expect(await store.deleteExpired()).toBe(2500);
    expect(await store.deleteExpired()).toBe(0);
    expect(await store.claim('payment:live', 'PAID', lease(60_000))).toEqual({ status: 'busy' });
    expect(await store.claim('payment:done', 'PAID', lease(60_000))).toMatchObject({ status: 'done' });
  });

  it(`${name}: keeps apart the tables and indexes of two names of 52 bytes that differ in the last`, async () => {
    const longest = 'n'.repeat(51);
    const stores = ['1', '2'].map((end) => new PostgresStore(database, { schema, table: longest + end }));
    for (const store of stores) await store.createTable();
    const { rows } = (await database.query(
      "SELECT tablename AS name FROM pg_tables WHERE tablename LIKE 'nnn%' UNION ALL " +
        "SELECT indexname FROM pg_indexes WHERE indexname LIKE 'nnn%' ORDER BY 1",
    )) as PostgresRows;
    const suffixes = ['', '_expires_at'];
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
    const claim = await store.claim(subject, state, lease(leaseMs));
    if (claim.status !== 'claimed') throw new Error(`expected a claim, got ${claim.status}`);
    return claim;
  }

  it(`${name}: keeps a done state beyond its lease when expired records are deleted`, async () => {
    const store = keeping();
    await store.createTable();
    expect(await store.complete(await claimed(store, 'payment:kept', 'PAID', 500), retain(60_000))).toBe(
      true,
    );
    await sleep(600);
    expect(await store.deleteExpired()).toBe(0);
    expect(await store.claim('payment:kept', 'PAID', lease(50))).toMatchObject({ status: 'done' });
  });

  it(`${name}: keeps a done state through a later claim with a short lease`, async () => {
    const store = keeping();
    await store.createTable();
    expect(
      await store.complete(await claimed(store, 'payment:claimed', 'PENDING', 500), retain(60_000)),
    ).toBe(true);
    await claimed(store, 'payment:claimed', 'PAID', 50);
    await sleep(600);
    expect(await store.deleteExpired()).toBe(0);
    expect(await store.claim('payment:claimed', 'PENDING', lease(50))).toMatchObject({ status: 'done' });
  });

  it(`${name}: keeps a done state through a later completion with a short retention`, async () => {
    const store = keeping();
    await store.createTable();
    expect(
      await store.complete(await claimed(store, 'payment:completed', 'PENDING', 500), retain(60_000)),
    ).toBe(true);
    expect(await store.complete(await claimed(store, 'payment:completed', 'PAID', 500), retain(50))).toBe(
      true,
    );
    await sleep(600);
    expect(await store.deleteExpired()).toBe(0);
    expect(await store.claim('payment:completed', 'PENDING', lease(50))).toMatchObject({ status: 'done' });
  });

  it(`${name}: keeps a lease that was taken again after an earlier one had run out`, async () => {
    const store = keeping();
    await store.createTable();
    await claimed(store, 'payment:again', 'PAID', 20);
    await sleep(50);
    const again = await claimed(store, 'payment:again', 'PAID', 60_000);
    expect(await store.deleteExpired()).toBe(0);
    expect(await store.claim('payment:again', 'PAID', lease(50))).toEqual({ status: 'busy' });
    expect(await store.complete(again, retain(60_000))).toBe(true);
  });

  it(`${name}: keeps the lease of a subject that was released, for longer than its earlier lease`, async () => {
    const store = keeping();
    await store.createTable();
    await store.release(await claimed(store, 'payment:released', 'PAID', 50));
    await claimed(store, 'payment:released', 'PAID', 60_000);
    await sleep(100);
    expect(await store.deleteExpired()).toBe(0);
    expect(await store.claim('payment:released', 'PAID', lease(50))).toEqual({ status: 'busy' });
  });

  it(`${name}: deletes a done state once its retention is over, however long its lease was`, async () => {
    const store = new PostgresStore(database, { schema, table: 'overs' });
    await store.createTable();
    expect(await store.complete(await claimed(store, 'payment:over', 'PAID', 500), retain(500))).toBe(true);
    await sleep(700);
    expect(await store.deleteExpired()).toBe(1);
    expect(await store.deleteExpired()).toBe(0);
  });

  it(`${name}: remembers the 64 newest states of a subject, and forgets older ones`, async () => {
    const store = keeping();
    await store.createTable();
    for (let index = 0; index < 70; index += 1) {
      await store.complete(await claimed(store, 'payment:many', `S${index}`, 60_000), retain(60_000));
    }
    const newest = Array.from({ length: 64 }, (_, index) => `S${index + 6}`);
    expect(await store.claim('payment:many', 'S69', lease(50))).toEqual({
      status: 'done',
      handledStates: newest,
    });
    expect(await store.claim('payment:many', 'S6', lease(50))).toEqual({
      status: 'done',
      handledStates: newest,
    });
    expect(await claimed(store, 'payment:many', 'S5', 50)).toMatchObject({ handledStates: newest });
  });

  it(`${name}: grows the fence also when the clock was set back, and keeps the record until it has caught up`, async () => {
    const store = new PostgresStore(database, { schema, table: 'fences' });
    await store.createTable();
    await store.release(await claimed(store, 'payment:1', 'PAID', 60_000));
    const table = `${pg.escapeIdentifier(schema)}.fences`;
    await database.query(`UPDATE ${table} SET version = 9000000000000`);
    expect(await store.claim('payment:1', 'PAID', lease(1))).toMatchObject({ fence: 9_000_000_000_001 });
    await sleep(20);
    expect(await store.deleteExpired()).toBe(0);
    expect(await store.claim('payment:1', 'PAID', lease(50))).toMatchObject({ fence: 9_000_000_000_002 });
  });

  it(`${name}: takes three statements for a new notification, and one for a duplicate`, async () => {
    const sent: string[] = [];
    const counted: PostgresQueryable = {
      query: (text, values) => {
        sent.push(text.split(' ')[0] ?? '');
        return database.query(text, values);
      },
    };
    const store = new PostgresStore(counted, { schema, table: 'counted' });
    await store.createTable();
    sent.length = 0;
    await store.complete(await claimed(store, 'payment:1', 'PAID', 60_000), retain(60_000));
    expect(sent.splice(0)).toEqual(['SELECT', 'INSERT', 'UPDATE']);
    expect((await store.claim('payment:1', 'PAID', lease(60_000))).status).toBe('done');
    expect(sent.splice(0)).toEqual(['SELECT']);
    await store.complete(await claimed(store, 'payment:1', 'CANCELLED', 60_000), retain(60_000));
    expect(sent.splice(0)).toEqual(['SELECT', 'UPDATE', 'UPDATE']);
  });

  it(`${name}: prints the SQL that creates the same table`, async () => {
    const store = new PostgresStore(database, { schema, table: 'printed' });
    for (const statement of store.createTableSql().split(';\n').filter(Boolean))
      await database.query(statement);
    expect(await store.claim('payment:1', 'PAID', lease(1000))).toMatchObject({ status: 'claimed' });
    await store.createTable();
  });
}
