import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ConfigurationError, StoreError } from '../../src/errors';
import { createOrders } from '../../src/orders';
import { PostgresStore, type PostgresTransaction } from '../../src/stores';
import type { PostgresQueryable } from '../../src/stores/postgres-pool';
import type { SingleRecords } from '../../src/stores/steps';
import { findPostgres, postgresConfig } from '../helpers/postgres';
import { withSteps } from '../helpers/store-of';
import { FakeClient, request as journeyRequest } from '../orders/support';
import { ALL_FAULTS, testStoreContract } from './contract';
import { briefly, lease, retain } from './limits';
import { harnessOf, testOnDatabase } from './postgres-database';

const found = await findPostgres();
const run = randomUUID().slice(0, 8);
const schema = `pix "test" ${run}`;
const taken = `taken_${run}`;
const app = `app_${run}`;
const owners = `owners_${run}`;
const stranger = `stranger_${run}`;
const [first, second, evil] = [`first_${run}`, `second_${run}`, `evil_${run}`];
const table = `records_${run}`;

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
    expect(withSteps(new PostgresStore(pool)).transact).toBeUndefined();
    expect(withSteps(new PostgresStore(pool, { transactional: true })).transact).toBeTypeOf('function');
  });

  it.each([undefined, 'rows', null, {}])('treats the rows %j as an error', async (rows) => {
    // @ts-expect-error: not what a client answers
    const store = withSteps(new PostgresStore({ query: async () => ({ rows }) }));
    const claim = { subject: 'payment:1', state: 'PAID', token: 'token', fence: 1, handledStates: [] };
    await expect(store.claim('payment:1', 'PAID', briefly)).rejects.toBeInstanceOf(StoreError);
    await expect(store.complete(claim, { ...briefly, retentionMs: 1000 })).rejects.toBeInstanceOf(StoreError);
  });
});

describe.skipIf(!found)('PostgreSQL: createTable()', () => {
  const pool = new pg.Pool({ ...postgresConfig, max: 2 });
  const store = withSteps(new PostgresStore(pool, { schema: taken, table: 'records' }));
  const asRole = (name: string) => new pg.Pool({ ...postgresConfig, options: `-c role=${name}`, max: 1 });
  const appPool = asRole(app);
  const appStore = withSteps(new PostgresStore(appPool, { schema: taken, table: 'records' }));

  beforeAll(async () => {
    for (const name of [app, owners, stranger]) await pool.query(`CREATE ROLE ${name}`);
    await pool.query(`GRANT ${owners} TO ${app}`);
    await pool.query(`CREATE SCHEMA ${taken}`);
    await pool.query(`GRANT USAGE, CREATE ON SCHEMA ${taken} TO ${app}, ${owners}, ${stranger}`);
  });
  afterEach(() => pool.query(`DROP TABLE IF EXISTS ${taken}.records CASCADE`));
  afterAll(async () => {
    await pool.query(`DROP SCHEMA IF EXISTS ${taken} CASCADE`);
    await pool.query(`DROP ROLE IF EXISTS ${app}, ${owners}, ${stranger}`);
    await pool.end();
    await appPool.end();
  });

  it('accepts the table that it made before, and the one that createTableSql() makes', async () => {
    await store.createTable();
    await store.createTable();
    await pool.query(`DROP TABLE ${taken}.records`);
    await pool.query(store.createTableSql());
    await store.createTable();
    expect(await store.claim('payment:1', 'PAID', lease(1000))).toMatchObject({ status: 'claimed' });
  });

  it('accepts a table whose owner is a role of which it is a member', async () => {
    await store.createTable();
    await pool.query(`ALTER TABLE ${taken}.records OWNER TO ${owners}`);
    await appStore.createTable();
    expect(await appStore.claim('payment:1', 'PAID', lease(1000))).toMatchObject({ status: 'claimed' });
  });

  it.each(['with a trigger', 'as it should be'])(
    'refuses a table that another role prepared, %s',
    async (how) => {
      const theirs = asRole(stranger);
      const prepared = withSteps(new PostgresStore(theirs, { schema: taken, table: 'records' }));
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
    await pool.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${taken}.records TO ${stranger}`);
    const few = asRole(stranger);
    const theirs = withSteps(
      new PostgresStore(few, { schema: taken, table: 'records', transactional: true }),
    );
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
CREATE OR REPLACE FUNCTION ${taken}.quiet() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER quiet BEFORE INSERT ON ${taken}.records FOR EACH ROW EXECUTE FUNCTION ${taken}.quiet()`;
}

describe.skipIf(!found)('PostgreSQL: PostgresStore, whatever the search_path,', () => {
  const pool = new pg.Pool({ ...postgresConfig, max: 1 });
  const within = (path: string) =>
    new pg.Pool({ ...postgresConfig, max: 2, options: `-c search_path=${path}` });

  beforeAll(async () => {
    for (const schema of [first, second, evil]) await pool.query(`CREATE SCHEMA ${schema}`);
  });
  afterAll(async () => {
    await pool.query(`DROP TABLE IF EXISTS public.${table}`);
    for (const schema of [first, second, evil]) await pool.query(`DROP SCHEMA ${schema} CASCADE`);
    await pool.end();
  });

  it('keeps one record of a subject for two processes with schemas of their own', async () => {
    const [mine, theirs] = [within(first), within(second)];
    for (const each of [mine, theirs]) await new PostgresStore(each, { table }).createTable();
    const [store, other] = [
      withSteps(new PostgresStore(mine, { table })),
      withSteps(new PostgresStore(theirs, { table })),
    ];

    const claim = await store.claim('payment:1', 'PAID', lease(60_000));
    if (claim.status !== 'claimed') throw new Error('not claimed');
    expect(await other.claim('payment:1', 'PAID', lease(60_000))).toEqual({ status: 'busy' });
    await mine.query(`SET search_path = ${second}`);
    expect(await store.complete(claim, retain(60_000))).toBe(true);
    expect((await other.claim('payment:1', 'PAID', lease(60_000))).status).toBe('done');
    await mine.end();
    await theirs.end();
  });

  it('calls no function, operator, cast or type of another role', async () => {
    // Whatever a statement could call, in forms that fit any type, and before PostgreSQL's own on the path.
    const trap = `RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE 'called another role''s function'; END $$`;
    await pool.query(`
      CREATE FUNCTION ${evil}.trap(anyelement, anyelement) ${trap};
      CREATE FUNCTION ${evil}.trap_text(text, text) ${trap};
      CREATE FUNCTION ${evil}.trap_bigint(bigint, bigint) ${trap};
      CREATE FUNCTION ${evil}.trap_mixed(double precision, double precision) ${trap};
      CREATE FUNCTION ${evil}.date_part(text, timestamptz) RETURNS double precision LANGUAGE sql AS 'SELECT 1/0::float8';
      CREATE FUNCTION ${evil}.clock_timestamp() RETURNS timestamptz LANGUAGE plpgsql AS $$ BEGIN RAISE 'called another role''s function'; END $$;
      CREATE FUNCTION ${evil}.set_config(text, text, boolean) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE 'called another role''s function'; END $$;
      CREATE FUNCTION ${evil}.current_setting(text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE 'called another role''s function'; END $$;
      CREATE DOMAIN ${evil}.text AS pg_catalog.int4;
    `);
    for (const name of ['=', '<', '<=', '>', '>=']) {
      await pool.query(
        `CREATE OPERATOR ${evil}.${name} (LEFTARG = anyelement, RIGHTARG = anyelement, FUNCTION = ${evil}.trap)`,
      );
      await pool.query(
        `CREATE OPERATOR ${evil}.${name} (LEFTARG = pg_catalog.text, RIGHTARG = pg_catalog.text, FUNCTION = ${evil}.trap_text)`,
      );
      await pool.query(
        `CREATE OPERATOR ${evil}.${name} (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = ${evil}.trap_bigint)`,
      );
      await pool.query(
        `CREATE OPERATOR ${evil}.${name} (LEFTARG = double precision, RIGHTARG = double precision, FUNCTION = ${evil}.trap_mixed)`,
      );
    }
    const attacked = within(`${evil},pg_catalog`);
    // The traps work: a statement that names nothing with its schema falls into them.
    await expect(attacked.query("SELECT 'a'::pg_catalog.text = 'b'::pg_catalog.text")).rejects.toThrow(
      'called another',
    );
    await expect(attacked.query('SELECT clock_timestamp()')).rejects.toThrow('called another');

    const store = withSteps(new PostgresStore(attacked, { table: `${table}_attacked` }));
    await store.createTable();
    const claim = await store.claim('payment:1', 'PAID', lease(60_000));
    if (claim.status !== 'claimed') throw new Error('not claimed');
    expect(await store.complete(claim, retain(1))).toBe(true);
    const again = await store.claim('payment:1', 'CANCELLED', lease(1));
    if (again.status === 'claimed') await store.release(again);
    const letter = { key: 'a', subject: 's', state: 'S', kind: 'k', body: '{}', url: '/', code: 'c' };
    await store.keepLetter(letter, 60_000);
    expect(await store.listLetters({ limit: 2 })).toMatchObject([letter]);
    await store.forgetLetter('a');
    const client = new FakeClient();
    const orders = createOrders({ client, store });
    await orders.open('order-1', journeyRequest);
    await orders.close('order-1');
    expect(await orders.find({ referenceCode: 'order-1' })).toMatchObject({ state: 'closed' });
    await store.deleteExpired();
    const transactional = withSteps(
      new PostgresStore(attacked, { table: `${table}_attacked`, transactional: true }),
    );
    const request = { subject: 'payment:2', state: 'PAID', timeoutMs: 10_000, retentionMs: 60_000 };
    const work = async (transaction: PostgresTransaction, _: unknown, records: SingleRecords) => {
      await transaction.query(`SET LOCAL search_path = ${evil}, pg_catalog`);
      // The order's record, which is locked.
      expect((await records.readRecord('order:', 'order-1')).version).toBeGreaterThan(0);
    };
    expect(await transactional.transact(request, work)).toEqual({ status: 'completed' });
    expect(await transactional.transact(request, work)).toMatchObject({ status: 'done' });
    await attacked.end();
    await pool.query(`DROP TABLE public.${table}_attacked`);
  });
});
