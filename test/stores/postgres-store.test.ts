import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { ConfigurationError, StoreError } from '../../src/errors';
import { type PostgresQueryable, PostgresStore } from '../../src/stores';
import { findPostgres, postgresConfig } from '../helpers/postgres';
import { ALL_FAULTS, testStoreContract } from './contract';
import { lease, retain } from './limits';
import { harnessOf, testOnDatabase } from './postgres-database';

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
    return harnessOf(pool, schema, run);
  });

  testOnDatabase('pg', pool);
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
  it('has transact in transactional mode only', () => {
    const pool = new pg.Pool(postgresConfig);
    expect(new PostgresStore(pool).transact).toBeUndefined();
    expect(new PostgresStore(pool, { transactional: true }).transact).toBeTypeOf('function');
  });

  it.each([undefined, 'rows', null, {}])('treats the rows %j as an error', async (rows) => {
    // @ts-expect-error: not what a client answers
    const store = new PostgresStore({ query: async () => ({ rows }) });
    const claim = { subject: 'payment:1', state: 'PAID', token: 'token', fence: 1, handledStates: [] };
    await expect(store.claim('payment:1', 'PAID', lease(1000))).rejects.toBeInstanceOf(StoreError);
    await expect(store.complete(claim, retain(1000))).rejects.toBeInstanceOf(StoreError);
  });
});
