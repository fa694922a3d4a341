import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPool as createCallbackPool } from 'mysql2';
import { createPool, type Pool, type RowDataPacket } from 'mysql2/promise';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { ConfigurationError } from '../../src/errors';
import { MysqlStore, PostgresStore, storeWithin, type TransactionAccess } from '../../src/stores';
import type { MysqlQueryable } from '../../src/stores/mysql-store';
import { freezeProcess } from '../helpers/frozen';
import { findMysql, mysqlUrl } from '../helpers/mysql';
import { mysqlAccess } from '../helpers/mysql-access';
import { withSteps } from '../helpers/store-of';
import { claimed, tryClaim } from './claims';
import { ALL_FAULTS, testStoreContract } from './contract';
import type { Faults } from './faults';
import { type OpenSql, testSqlStore } from './sql-contract';

const found = await findMysql();
const run = randomUUID().slice(0, 8);

describe.skipIf(!found)('MySQL or MariaDB', () => {
  const pool = createPool({ uri: mysqlUrl, connectionLimit: 10 });
  const made: string[] = [];
  afterAll(async () => {
    for (const table of made) await pool.query('DROP TABLE IF EXISTS ??', [table]);
    await pool.end();
  });

  async function storeIn(name: string, database: MysqlQueryable = pool) {
    const table = `${name} ${run}`;
    made.push(table);
    const store = withSteps(new MysqlStore(database, { table }));
    await store.createTable();
    return { store, table: `\`${table}\`` };
  }

  testStoreContract('MysqlStore over mysql2', ALL_FAULTS, async () => {
    const tables = { own: `own\`s "table"`, other: 'other' };
    for (const table of Object.values(tables)) await storeIn(table);
    return {
      open: ({ faults, space } = {}) =>
        withSteps(new MysqlStore(withFaults(pool, faults), { table: `${tables[space ?? 'own']} ${run}` })),
      pass: (ms) => sleep(ms),
      close: async () => {},
    };
  });

  const open: OpenSql = (table, sent, namespace) => {
    const execute: MysqlQueryable['execute'] = (sql, values) => {
      sent?.(sql);
      return pool.execute(sql, values);
    };
    return withSteps(new MysqlStore({ execute }, { table, namespace }));
  };
  testSqlStore('mysql2', open, (sql) => pool.query(sql));

  it.each([
    ['a pool', (table: string) => new MysqlStore(pool, { table })],
    [
      'an access of the merchant’s',
      (table: string) => storeWithin(mysqlAccess(pool), { table, dialect: 'mysql' as const }),
    ],
  ])(
    'counts each record that it deletes once, in three processes at a time, over %s',
    { timeout: 60_000 },
    async (name, open) => {
      const { table } = await storeIn(name);
      const rows = Array.from({ length: 1_500 }, (_, index) => [`expired:${index}`, '{}', 1, index]);
      const live = ['live:1', '{}', 1, Number.MAX_SAFE_INTEGER];
      await pool.query(`INSERT INTO ${table} VALUES ?`, [[...rows, live]]);
      const stores = Array.from({ length: 3 }, () => open(`${name} ${run}`));
      const counts = await Promise.all(stores.map((store) => store.deleteExpired()));
      // One that finds nothing left to delete ends, so a last call finds what the others had selected.
      const last = (await stores[0]?.deleteExpired()) ?? 0;
      expect(counts.reduce((sum, count) => sum + count, last)).toBe(1_500);
      const [left] = await pool.query<RowDataPacket[]>(`SELECT id FROM ${table}`);
      expect(left.map(({ id }) => String(id))).toEqual(['live:1']);
    },
  );

  describe('a transaction', () => {
    const request = { subject: 'payment:1', state: 'PAID', retentionMs: 60_000, timeoutMs: 500 };
    const limits = { holdMs: 500, stepTimeoutMs: 1_000, dialect: 'mysql' } as const;

    it('of a process that stops dead is ended by the server, and the next delivery acts', {
      timeout: 60_000,
    }, async () => {
      await storeIn('frozen');
      await freezeProcess('mysql', `frozen ${run}`, request.subject);
      const store = withSteps(storeWithin(mysqlAccess(pool), { ...limits, table: `frozen ${run}` }));
      expect(await store.transact(request, async () => undefined)).toEqual({ status: 'busy' });
      const next = () => store.transact(request, async () => undefined);
      await expect.poll(next).toEqual({ status: 'completed' });
    });

    it.each([
      ['is committed', async () => undefined, undefined],
      ['is rolled back', () => Promise.reject(new Error('no')), 'no'],
    ])('that %s leaves the limits of its connection as they were', async (_, callback, message) => {
      const name = `limits ${message}`;
      await storeIn(name);
      const connection = await pool.getConnection();
      onTestFinished(() => connection.release());
      const query = async (text: string, values?: unknown[]) =>
        (await connection.query<RowDataPacket[]>(text, values))[0];
      const waits = () => query('SELECT @@SESSION.wait_timeout AS wait');
      const access: TransactionAccess<undefined> = {
        transaction: async (work) => {
          await query('BEGIN');
          await work(undefined).finally(() => query('ROLLBACK'));
        },
        query: (_tx, text, values) => query(text, values),
      };
      const store = withSteps(storeWithin(access, { ...limits, table: `${name} ${run}` }));
      for (const [own, within] of [
        [600, 3],
        [2, 2],
      ]) {
        await query(`SET SESSION wait_timeout = ${own}`);
        let seen: unknown;
        const transacted = store.transact(request, async () => {
          seen = await waits();
          await callback();
        });
        if (message === undefined) await transacted;
        else await expect(transacted).rejects.toThrow(message);
        expect([seen, await waits()]).toEqual([[{ wait: within }], [{ wait: own }]]);
      }
    });
  });

  it('makes no claim wait while another transaction holds other records and expired ones', async () => {
    const { store, table } = await storeIn('locks');
    await claimed(store, 'payment:held');
    const holder = await pool.getConnection();
    onTestFinished(() => holder.release());
    await holder.beginTransaction();
    await holder.query(`SELECT * FROM ${table} WHERE id = 'default/seen:payment:held' FOR UPDATE`);
    expect(await tryClaim(store, 'payment:held')).toBe('busy');
    expect(await tryClaim(store, 'payment:other')).toBe('claimed');
    expect(await store.deleteExpired()).toBe(0);
    await holder.rollback();
  });

  it('keeps its clock in UTC through the hour that comes twice when clocks are set back', async () => {
    await storeIn('zones');
    // A session in São Paulo's former summer time, at an instant whose local time comes twice: 2019-02-16 23:30.
    const first = Date.UTC(2019, 1, 17, 1, 30);
    const at = async (ms: number) => {
      const connection = await pool.getConnection();
      onTestFinished(() => connection.release());
      await connection
        .query("SET time_zone = 'America/Sao_Paulo'")
        .catch(() => connection.query("SET time_zone = '-03:00'"));
      await connection.query('SET timestamp = ?', [ms / 1000]);
      onTestFinished(
        async () => void (await connection.query('SET timestamp = DEFAULT, time_zone = DEFAULT')),
      );
      return withSteps(new MysqlStore(connection, { table: `zones ${run}` }));
    };
    expect(await claimed(await at(first), 'payment:1')).toMatchObject({ fence: first });
    expect(await tryClaim(await at(first + 59_999), 'payment:1')).toBe('busy');
    const later = first + 3_600_000;
    expect(await claimed(await at(later), 'payment:1')).toMatchObject({ fence: later });
  });

  it('finds each record by its primary key', async () => {
    const { store, table } = await storeIn('keys');
    await claimed(store, 'payment:1');
    const [plan] = await pool.execute<RowDataPacket[]>(
      `EXPLAIN SELECT record FROM (SELECT 1) AS one LEFT JOIN ${table} ON id = ?`,
      ['default/seen:payment:1'],
    );
    expect(plan).toContainEqual(expect.objectContaining({ key: 'PRIMARY', type: 'const' }));
  });

  it.each([
    ['nothing listens at its address', { port: 1 }, 'cannot be reached'],
    ['the password is wrong', { password: 'wrong' }, 'refused the user or the password'],
    ['there is no such database', { database: 'nowhere' }, 'names no database, or one that does not exist'],
  ])('says that its table was not created because %s, and nothing of rights', async (_, other, says) => {
    const elsewhere = createPool({ uri: mysqlUrl, ...other });
    onTestFinished(() => elsewhere.end());
    const failure = await new MysqlStore(elsewhere).createTable().catch((error: Error) => error);
    expect(failure).toMatchObject({ code: 'store_failed', message: expect.stringContaining(says) });
    expect(String(failure)).not.toContain('rights');
  });

  it('says that the database of its option `schema` is missing, and nothing of the address', async () => {
    const store = new MysqlStore(pool, { schema: `missing_${run}` });
    const failure = await store.createTable().catch((error: Error) => error);
    expect(failure).toMatchObject({ code: 'store_failed', cause: { code: 'ER_BAD_DB_ERROR' } });
    expect(String(failure)).toContain('The database that the option `schema` names does not exist: ');
    expect(String(failure)).not.toContain('address');
  });

  it('says that its table was not created because its pool has ended', async () => {
    const ended = createPool({ uri: mysqlUrl });
    await ended.end();
    await expect(new MysqlStore(ended).createTable()).rejects.toThrow('Its client is closed');
  });

  it('says of a PostgresStore over its pool which store is the one for it', () => {
    expect(() => new PostgresStore(pool as never)).toThrow('`new MysqlStore(pool)` is the store for it.');
  });

  it('says of a PostgresStore over its query that the database has another SQL', async () => {
    const query = (text: string, values?: unknown[]) => pool.query(text, values);
    const failure = await new PostgresStore({ query } as never).createTable().catch((error: Error) => error);
    expect(String(failure)).toContain("The database does not understand PostgreSQL's SQL");
    expect(String(failure)).not.toContain('rights');
  });

  it('says that a driver’s own escaping and NO_BACKSLASH_ESCAPES do not fit', async () => {
    const one = createPool({ uri: mysqlUrl, connectionLimit: 1 });
    onTestFinished(() => one.end());
    await one.query("SET SESSION sql_mode = CONCAT(@@SESSION.sql_mode, ',NO_BACKSLASH_ESCAPES')");
    const store = withSteps(storeWithin(mysqlAccess(one), { table: `escaped_${run}`, dialect: 'mysql' }));
    await store.createTable();
    const read = { version: 0, now: Date.now() };
    const until = Date.now() + 60_000;
    await store.writeRecord('order:', 'one', { key: 'one' }, read, until);
    await expect(store.readRecord('order:', 'one')).rejects.toThrow('NO_BACKSLASH_ESCAPES');
    await one.query(`DROP TABLE escaped_${run}`);
  });

  it('takes a name of 64 characters, and refuses one of 65 before it sends anything', async () => {
    const store = new MysqlStore(pool, { table: `n${run}`.padEnd(64, 'é') });
    await store.createTable();
    await pool.query(`DROP TABLE \`${`n${run}`.padEnd(64, 'é')}\``);
    const tooLong = 'x'.repeat(65);
    expect(() => new MysqlStore(pool, { table: tooLong })).toThrow(ConfigurationError);
    expect(() => storeWithin(mysqlAccess(pool), { schema: tooLong, dialect: 'mysql' })).toThrow(
      '64 characters',
    );
  });

  it('refuses a pool with callbacks, and says which one to pass', () => {
    const callbacks = createCallbackPool({ uri: mysqlUrl });
    onTestFinished(() => callbacks.end());
    expect(() => new MysqlStore(callbacks as never)).toThrow('pool.promise()');
    expect(() => new MysqlStore(callbacks.promise())).not.toThrow();
  });
});

function withFaults(pool: Pool, faults: Faults | undefined): MysqlQueryable {
  if (faults === undefined) return pool;
  return {
    execute: async (sql, values) =>
      (await faults.apply(() => pool.execute(sql, values), [{ affectedRows: 'garbled' }])) as [unknown],
  };
}
