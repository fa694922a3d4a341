import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createOrders } from '../../src/orders';
import { PostgresStore, type PostgresTransaction, type Store } from '../../src/stores';
import type { SingleRecords } from '../../src/stores/steps';
import { notificationRequest } from '../../src/testing';
import { findPostgres, postgresConfig } from '../helpers/postgres';
import { type TestStore, withSteps } from '../helpers/store-of';
import { credentials, FakeClient, request as journeyRequest, paid } from '../orders/support';
import { claimed, completed, letter, tryClaim } from './claims';
import { ALL_FAULTS, testStoreContract } from './contract';
import { retain } from './limits';
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

  it.each([false, true])(
    'updates each row of an order and its payment where it is, so that no index grows (transactional: %s)',
    { timeout: 60_000 },
    async (transactional) => {
      const hot = `hot_${transactional ? 'exact' : 'plain'}_${run}`;
      // The statistics of a session are complete once it has ended.
      const own = new pg.Pool({ ...postgresConfig, max: 3 });
      const store = new PostgresStore(own, { table: hot, transactional }) as Store<unknown>;
      await store.createTable();
      const client = new FakeClient();
      const orders = createOrders({
        client,
        store,
        credentials,
        on: { paid: async () => 'nothing', returned: 'ignore' },
      });
      // One order: while a transaction of another test is open, old versions of rows stay, and more would fill the page.
      const key = 'order-1';
      const { uuid = '' } = await orders.open(key, journeyRequest);
      client.transactions.set(uuid, paid(uuid, { referenceCode: key }));
      const payload = { saleToken: uuid, referenceCode: key, amount: 59.7, currency: 'BRL' };
      const { status } = await orders.webhook(notificationRequest('payment', payload, credentials));
      expect(status).toBe(200);
      await own.end();
      const updates = async () => {
        const { rows } = await pool.query(
          'SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = $1',
          [hot],
        );
        return rows[0];
      };
      // Three of the order and one of its notification; in a transaction, the order has one less.
      const count = transactional ? '3' : '4';
      await expect.poll(updates).toMatchObject({ n_tup_upd: count });
      expect(await updates()).toEqual({ n_tup_upd: count, n_tup_hot_upd: count });
      await pool.query(`DROP TABLE ${hot}`);
    },
  );
});

describe.skipIf(!found)('PostgreSQL: createTable()', () => {
  const pool = new pg.Pool({ ...postgresConfig, max: 2 });
  const inSchema = { schema: taken, table: 'records' };
  const store = withSteps(new PostgresStore(pool, inSchema));
  const asRole = (name: string) => new pg.Pool({ ...postgresConfig, options: `-c role=${name}`, max: 1 });
  const appPool = asRole(app);
  const appStore = withSteps(new PostgresStore(appPool, inSchema));

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

  it('accepts a table whose owner is a role of which it is a member', async () => {
    await store.createTable();
    await pool.query(`ALTER TABLE ${taken}.records OWNER TO ${owners}`);
    await appStore.createTable();
    expect(await tryClaim(appStore, 'payment:1')).toBe('claimed');
  });

  it.each(['with a trigger', 'as it should be'])(
    'refuses a table that another role prepared, %s',
    async (how) => {
      const theirs = asRole(stranger);
      await new PostgresStore(theirs, inSchema).createTable();
      if (how === 'with a trigger') await theirs.query(triggered());
      await expect(appStore.createTable()).rejects.toMatchObject({
        code: 'store_failed',
        message: expect.stringContaining('must own the table'),
        cause: expect.objectContaining({ code: '42501' }),
      });
      await theirs.end();
    },
  );

  it.each([
    ['nothing listens at its address', { host: '127.0.0.1', port: 1 }, 'cannot be reached', /^ECONNREFUSED$/],
    // Where the server asks nobody for a password, it is the user that it refuses.
    ['the password is wrong', { user: `nobody_${run}` }, 'refused the user or the password', /^28(P01|000)$/],
    [
      'there is no such database',
      {
        user: new pg.Client(postgresConfig).user,
        password: new pg.Client(postgresConfig).password ?? undefined,
        database: `no_${run}`,
      },
      'names no database, or one that does',
      /^3D000$/,
    ],
  ])(
    'says that its table was not created because %s, and nothing of rights',
    async (_, other, says, code) => {
      const { host, port, database } = new pg.Client(postgresConfig);
      const elsewhere = new pg.Pool({ host, port, database, password: 'wrong', ...other });
      onTestFinished(() => elsewhere.end());
      const failure = await new PostgresStore(elsewhere).createTable().catch((error: Error) => error);
      expect(failure).toMatchObject({
        code: 'store_failed',
        message: expect.stringContaining(says),
        cause: { code: expect.stringMatching(code) },
      });
      expect(String(failure)).not.toContain('rights');
    },
  );

  it('says that the schema is missing, and nothing of rights', async () => {
    const failure = await new PostgresStore(appPool, { schema: `missing_${run}` })
      .createTable()
      .catch((error: Error) => error);
    expect(failure).toMatchObject({ code: 'store_failed', cause: { code: '3F000' } });
    expect(String(failure)).toContain(
      'Its schema does not exist: create it, or leave the option `schema` out.',
    );
    expect(String(failure)).not.toContain('rights');
  });

  it('says that the pool has ended', async () => {
    const ended = new pg.Pool(postgresConfig);
    await ended.end();
    await expect(new PostgresStore(ended).createTable()).rejects.toThrow('Its client is closed');
  });

  it.each([['the role may create nothing in the schema', { schema: 'pg_catalog' }, '42501']])(
    'says which rights it needs where %s',
    async (_, options, code) => {
      await expect(new PostgresStore(appPool, options).createTable()).rejects.toMatchObject({
        code: 'store_failed',
        message: expect.stringContaining('USAGE and CREATE'),
        cause: expect.objectContaining({ code }),
      });
    },
  );

  it('makes tables that a role can use with only SELECT, INSERT, UPDATE and DELETE', async () => {
    await store.createTable();
    await pool.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${taken}.records TO ${stranger}`);
    const few = asRole(stranger);
    const theirs = withSteps(new PostgresStore(few, { ...inSchema, transactional: true }));
    await completed(theirs, 'payment:1');
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
    const [store, other] = [mine, theirs].map((each) => withSteps(new PostgresStore(each, { table }))) as [
      TestStore,
      TestStore,
    ];
    const claim = await claimed(store, 'payment:1');
    expect(await tryClaim(other, 'payment:1')).toBe('busy');
    await mine.query(`SET search_path = ${second}`);
    expect(await store.complete(claim, retain(60_000))).toBe(true);
    expect(await tryClaim(other, 'payment:1')).toBe('done PAID');
    await mine.end();
    await theirs.end();
  });

  it('calls no function, operator, cast or type of another role', async () => {
    // Whatever a statement could call, in forms that fit any type, and before PostgreSQL's own on the path.
    const trap = `LANGUAGE plpgsql AS $$ BEGIN RAISE 'called another role''s function'; END $$`;
    await pool.query(`
      CREATE FUNCTION ${evil}.date_part(text, timestamptz) RETURNS double precision LANGUAGE sql AS 'SELECT 1/0::float8';
      CREATE FUNCTION ${evil}.clock_timestamp() RETURNS timestamptz ${trap};
      CREATE FUNCTION ${evil}.set_config(text, text, boolean) RETURNS text ${trap};
      CREATE FUNCTION ${evil}.current_setting(text) RETURNS text ${trap};
      CREATE DOMAIN ${evil}.text AS pg_catalog.int4;
    `);
    for (const type of ['anyelement', 'pg_catalog.text', 'bigint', 'double precision']) {
      await pool.query(`CREATE FUNCTION ${evil}.trap(${type}, ${type}) RETURNS boolean ${trap}`);
      for (const name of ['=', '<', '<=', '>', '>=']) {
        await pool.query(
          `CREATE OPERATOR ${evil}.${name} (LEFTARG = ${type}, RIGHTARG = ${type}, FUNCTION = ${evil}.trap)`,
        );
      }
    }
    const attacked = within(`${evil},pg_catalog`);
    // The traps work: a statement that names nothing with its schema falls into them.
    await expect(attacked.query("SELECT 'a'::pg_catalog.text = 'b'::pg_catalog.text")).rejects.toThrow(
      'called another',
    );
    await expect(attacked.query('SELECT clock_timestamp()')).rejects.toThrow('called another');

    const store = withSteps(new PostgresStore(attacked, { table: `${table}_attacked` }));
    await store.createTable();
    await completed(store, 'payment:1', 'PAID', 1);
    await store.release(await claimed(store, 'payment:1', 'CANCELLED'));
    await store.keepLetter(letter, 60_000);
    expect(await store.listLetters({ limit: 2 })).toMatchObject([letter]);
    await store.forgetLetter(letter.key);
    const orders = createOrders({ client: new FakeClient(), store });
    await orders.open('order-1', journeyRequest);
    await orders.close('order-1');
    expect(await orders.find({ referenceCode: 'order-1' })).toMatchObject({
      state: 'none',
      attempts: [{ state: 'closed' }],
    });
    await store.deleteExpired();
    const options = { table: `${table}_attacked`, transactional: true } as const;
    const transactional = withSteps(new PostgresStore(attacked, options));
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
