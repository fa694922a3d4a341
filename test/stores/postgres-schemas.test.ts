import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PostgresStore, type PostgresTransaction } from '../../src/stores';
import { findPostgres, postgresConfig } from '../helpers/postgres';
import { lease, retain } from './limits';

const found = await findPostgres();
const run = randomUUID().slice(0, 8);
const [first, second, evil] = [`first_${run}`, `second_${run}`, `evil_${run}`];
const table = `records_${run}`;

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
    const [store, other] = [new PostgresStore(mine, { table }), new PostgresStore(theirs, { table })];

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

    const store = new PostgresStore(attacked, { table: `${table}_attacked` });
    await store.createTable();
    const claim = await store.claim('payment:1', 'PAID', lease(60_000));
    if (claim.status !== 'claimed') throw new Error('not claimed');
    expect(await store.complete(claim, retain(1))).toBe(true);
    const again = await store.claim('payment:1', 'CANCELLED', lease(1));
    if (again.status === 'claimed') await store.release(again);
    await store.deleteExpired();
    const transactional = new PostgresStore(attacked, { table: `${table}_attacked`, transactional: true });
    const request = { subject: 'payment:2', state: 'PAID', timeoutMs: 10_000, retentionMs: 60_000 };
    const work = async (transaction: PostgresTransaction) => {
      await transaction.query(`SET LOCAL search_path = ${evil}, pg_catalog`);
    };
    expect(await transactional.transact(request, work)).toEqual({ status: 'completed' });
    expect(await transactional.transact(request, work)).toEqual({ status: 'done' });
    await attacked.end();
    await pool.query(`DROP TABLE public.${table}_attacked`);
  });
});
