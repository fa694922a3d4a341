import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { PostgresStore } from '../../src/stores';
import type { PostgresQueryable } from '../../src/stores/postgres-pool';
import { withSteps } from '../helpers/store-of';
import type { StoreHarness } from './contract';
import type { Faults } from './faults';
import { type OpenSql, testSqlStore } from './sql-contract';

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
      withSteps(new PostgresStore(withFaults(database, faults), { schema, table: tables[space ?? 'own'] })),
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
export function testOnDatabase(name: string, database: PostgresQueryable): void {
  const open: OpenSql = (table, sent, namespace) => {
    const query: PostgresQueryable['query'] = (text, values) => {
      sent?.(text);
      return database.query(text, values);
    };
    return withSteps(new PostgresStore({ query }, { table, namespace }));
  };
  testSqlStore(name, open, (sql) => database.query(sql));

  it(`${name}: keeps apart the tables and indexes of two names of 52 bytes that differ in the last`, async () => {
    const longest = 'n'.repeat(51);
    for (const end of ['1', '2']) await open(longest + end).createTable();
    const { rows } = (await database.query(
      "SELECT tablename AS name FROM pg_tables WHERE tablename LIKE 'nnn%' UNION ALL " +
        "SELECT indexname FROM pg_indexes WHERE indexname LIKE 'nnn%' ORDER BY 1",
    )) as { rows: unknown[] };
    const suffixes = ['', '_expires_at'];
    const expected = ['1', '2'].flatMap((end) => suffixes.map((suffix) => longest + end + suffix));
    expect(rows.map((row) => (row as { name: string }).name)).toEqual(expect.arrayContaining(expected));
    for (const end of ['1', '2']) await database.query(`DROP TABLE ${longest + end}`);
  });
}
