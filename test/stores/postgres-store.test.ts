import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { ConfigurationError, StoreError } from '../../src/errors';
import { type PostgresQueryable, PostgresStore } from '../../src/stores';
import { findPostgres, postgresConfig } from '../helpers/postgres';
import { ALL_FAULTS, type StoreHarness, testStoreContract } from './contract';
import type { Faults } from './faults';

const found = await findPostgres();
const run = randomUUID().slice(0, 8);
const schema = `pix "test" ${run}`;

describe.skipIf(!found)('PostgreSQL', () => {
  const pool = new pg.Pool({ ...postgresConfig, max: 10 });

  afterAll(async () => {
    await pool.query(`DROP SCHEMA IF EXISTS ${pg.escapeIdentifier(schema)} CASCADE`);
    await pool.end();
  });

  testStoreContract('PostgresStore over pg', ALL_FAULTS, async () => {
    await pool.query(`CREATE SCHEMA IF NOT EXISTS ${pg.escapeIdentifier(schema)}`);
    return harnessOf(pool, schema);
  });

  testOnDatabase('over pg', pool, schema);

  it('creates its table from any number of processes at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const store = new PostgresStore(pool, { schema, table: `race ${round}` });
      await Promise.all(Array.from({ length: 10 }, () => store.createTable()));
      expect(await store.claim('payment:1', 'PAID', 1000)).toMatchObject({ status: 'claimed' });
    }
  });
});

describe('PGlite', () => {
  const pglite = new PGlite();
  afterAll(() => pglite.close());

  testStoreContract('PostgresStore over PGlite', ALL_FAULTS, () => harnessOf(pglite, undefined));
  testOnDatabase('over PGlite', pglite, undefined);
});

describe('PostgresStore is refused', () => {
  const database: PostgresQueryable = { query: async () => ({ rows: [] }) };

  it.each(['', 'x'.repeat(53), 'é'.repeat(27), 'a\0b'])('with the table %j', (table) => {
    expect(() => new PostgresStore(database, { table })).toThrow(ConfigurationError);
  });

  it('without a database', () => {
    // @ts-expect-error: no database
    expect(() => new PostgresStore(undefined)).toThrow(ConfigurationError);
  });

  it('as transactional without a pool', () => {
    // @ts-expect-error: no pool
    expect(() => new PostgresStore(database, { transactional: true })).toThrow(ConfigurationError);
  });
});

describe('PostgresStore', () => {
  it('takes a race in which no row comes back for busy', async () => {
    const store = new PostgresStore({ query: async () => ({ rows: [] }) });
    expect(await store.claim('payment:1', 'PAID', 1000)).toEqual({ status: 'busy' });
  });

  it('has transact in transactional mode only', () => {
    const pool = new pg.Pool(postgresConfig);
    expect(new PostgresStore(pool).transact).toBeUndefined();
    expect(new PostgresStore(pool, { transactional: true }).transact).toBeTypeOf('function');
  });

  it.each([
    undefined,
    'rows',
    [{}],
    [{ status: 'claimed', token: 'of another', fence: '1', states: '[]' }],
    [null],
    [{}, {}],
  ])('takes the rows %j for an error', async (rows) => {
    // @ts-expect-error: not what a client answers
    const store = new PostgresStore({ query: async () => ({ rows }) });
    const claim = { subject: 'payment:1', state: 'PAID', token: 'token', fence: 1, handledStates: [] };
    await expect(store.claim('payment:1', 'PAID', 1000)).rejects.toThrow(StoreError);
    await expect(store.complete(claim, 1000)).rejects.toThrow(StoreError);
  });

  it.each([undefined, 'rows', [null], [{ locked: 't' }], []])(
    'takes the rows %j for an error when it asks for the lock',
    async (rows) => {
      const client = {
        query: async () => ({ rows }),
        on: () => {},
        removeListener: () => {},
        release: () => {},
      };
      const connect = (ready: (error: undefined, given: object) => void) => ready(undefined, client);
      const pool = { ...client, connect, totalCount: 1 };
      // @ts-expect-error: not what a pool answers
      const store = new PostgresStore(pool, { transactional: true });
      const request = { subject: 'payment:1', state: 'PAID', timeoutMs: 1000, retentionMs: 1000 };
      await expect(store.transact(request, async () => {})).rejects.toThrow(StoreError);
    },
  );
});

async function harnessOf(database: PostgresQueryable, schema: string | undefined): Promise<StoreHarness> {
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

/** What both a server and PGlite must do, beside the contract. */
function testOnDatabase(name: string, database: PostgresQueryable, schema: string | undefined): void {
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
    await expect(store.deleteExpired({ limit: 0 })).rejects.toThrow(ConfigurationError);
  });

  it(`${name}: grows the fence also when the clock has been set back`, async () => {
    const store = new PostgresStore(database, { schema, table: 'fences' });
    await store.createTable();
    const claim = await store.claim('payment:1', 'PAID', 60_000);
    if (claim.status !== 'claimed') throw new Error('not claimed');
    await store.release(claim);
    const qualified = schema === undefined ? 'fences' : `${pg.escapeIdentifier(schema)}.fences`;
    await database.query(`UPDATE ${qualified} SET fence = 9000000000000`);
    expect(await store.claim('payment:1', 'PAID', 1000)).toMatchObject({ fence: 9_000_000_000_001 });
  });

  it(`${name}: prints the SQL that creates the same table`, async () => {
    const store = new PostgresStore(database, { schema, table: 'printed' });
    for (const statement of store.createTableSql().split(';\n').filter(Boolean))
      await database.query(statement);
    expect(await store.claim('payment:1', 'PAID', 1000)).toMatchObject({ status: 'claimed' });
    await store.createTable();
  });
}
