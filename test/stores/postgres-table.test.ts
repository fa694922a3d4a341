import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { StoreError } from '../../src/errors';
import { PostgresStore } from '../../src/stores';
import { findPostgres, postgresConfig } from '../helpers/postgres';
import { lease, retain } from './limits';

const found = await findPostgres();
const run = randomUUID().slice(0, 8);
const schema = `taken_${run}`;
const app = `app_${run}`;
const owners = `owners_${run}`;
const stranger = `stranger_${run}`;

describe.skipIf(!found)('PostgreSQL: createTable()', () => {
  const pool = new pg.Pool({ ...postgresConfig, max: 2 });
  const store = new PostgresStore(pool, { schema, table: 'records' });
  const asRole = (name: string) => new pg.Pool({ ...postgresConfig, options: `-c role=${name}`, max: 1 });
  const appPool = asRole(app);
  const appStore = new PostgresStore(appPool, { schema, table: 'records' });

  beforeAll(async () => {
    for (const name of [app, owners, stranger]) await pool.query(`CREATE ROLE ${name}`);
    await pool.query(`GRANT ${owners} TO ${app}`);
    await pool.query(`CREATE SCHEMA ${schema}`);
    await pool.query(`GRANT USAGE, CREATE ON SCHEMA ${schema} TO ${app}, ${owners}, ${stranger}`);
  });
  afterEach(() => pool.query(`DROP TABLE IF EXISTS ${schema}.records CASCADE`));
  afterAll(async () => {
    await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await pool.query(`DROP ROLE IF EXISTS ${app}, ${owners}, ${stranger}`);
    await pool.end();
    await appPool.end();
  });

  it('accepts the table that it made before, and the one that createTableSql() makes', async () => {
    await store.createTable();
    await store.createTable();
    await pool.query(`DROP TABLE ${schema}.records`);
    await pool.query(store.createTableSql());
    await store.createTable();
    expect(await store.claim('payment:1', 'PAID', lease(1000))).toMatchObject({ status: 'claimed' });
  });

  it('accepts a table whose owner is a role of which it is a member', async () => {
    await store.createTable();
    await pool.query(`ALTER TABLE ${schema}.records OWNER TO ${owners}`);
    await appStore.createTable();
    expect(await appStore.claim('payment:1', 'PAID', lease(1000))).toMatchObject({ status: 'claimed' });
  });

  it.each(['with a trigger', 'as it should be'])(
    'refuses a table that another role prepared, %s',
    async (how) => {
      const theirs = asRole(stranger);
      const prepared = new PostgresStore(theirs, { schema, table: 'records' });
      await prepared.createTable();
      if (how === 'with a trigger') await theirs.query(triggered());
      expect(await appStore.createTable().catch((reason: unknown) => reason)).toMatchObject({
        code: 'store_failed',
        message: expect.stringContaining('must own the table'),
        cause: expect.objectContaining({ code: '42501' }),
      });
      await theirs.end();
    },
  );

  it.each([
    ['the schema is missing', { schema: `missing_${run}` }],
    ['the role may create nothing in the schema', { schema: 'pg_catalog' }],
  ])('says which rights it needs where %s', async (_, options) => {
    const error = await new PostgresStore(appPool, options).createTable().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({
      message: expect.stringContaining('USAGE and CREATE'),
      cause: expect.objectContaining({ code: expect.stringMatching(/^(3F000|42501)$/) }),
    });
  });

  it('makes tables that a role can use with only SELECT, INSERT, UPDATE and DELETE', async () => {
    await store.createTable();
    await pool.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${schema}.records TO ${stranger}`);
    const few = asRole(stranger);
    const theirs = new PostgresStore(few, { schema, table: 'records', transactional: true });
    const claim = await theirs.claim('payment:1', 'PAID', lease(1000));
    if (claim.status !== 'claimed') throw new Error('not claimed');
    expect(await theirs.complete(claim, retain(1))).toBe(true);
    const request = { subject: 'payment:2', state: 'PAID', timeoutMs: 1000, retentionMs: 1000 };
    expect(await theirs.transact(request, async () => undefined)).toEqual({ status: 'completed' });
    await theirs.deleteExpired();
    await few.end();
  });
});

function triggered(): string {
  return `
CREATE OR REPLACE FUNCTION ${schema}.quiet() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER quiet BEFORE INSERT ON ${schema}.records FOR EACH ROW EXECUTE FUNCTION ${schema}.quiet()`;
}
