import { randomUUID } from 'node:crypto';
import mysql, { type QueryResult } from 'mysql2/promise';
import pg from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { StoreError } from '../../src/errors';
import { SqlDeadLetters, type SqlDialect, type SqlQuery } from '../../src/stores';
import { findMysql, mysqlUrl } from '../helpers/mysql';
import { testOnNodeWithSqlite } from '../helpers/node-with-sqlite';
import { findPostgres, postgresConfig } from '../helpers/postgres';
import { entryOf, testDeadLettersContract } from './dead-letters-contract';

function testSql(
  name: string,
  dialect: SqlDialect,
  query: SqlQuery,
  drop: (table: string) => Promise<unknown>,
) {
  const tables: string[] = [];
  afterAll(async () => {
    for (const table of tables) await drop(table);
  });
  const open = async (options: { readonly retentionMs?: number } = {}) => {
    const table = `dead_letters_${randomUUID().slice(0, 8)}`;
    tables.push(table);
    const deadLetters = new SqlDeadLetters(query, { dialect, table, ...options });
    await deadLetters.createTable();
    return deadLetters;
  };
  testDeadLettersContract(name, open);

  describe(`${name}, dead letters in a table:`, () => {
    it('counts every attempt when many fail at once', async () => {
      const deadLetters = await open();
      await Promise.all(Array.from({ length: 20 }, () => deadLetters.keep(entryOf('a'))));
      expect(await deadLetters.list()).toMatchObject([{ attempts: 20 }]);
    });

    it('deletes all that has expired, really and from the table', async () => {
      const table = `dead_letters_${randomUUID().slice(0, 8)}`;
      tables.push(table);
      const deadLetters = new SqlDeadLetters(query, { dialect, table, retentionMs: 200 });
      await deadLetters.createTable();
      for (let n = 0; n < 1_100; n += 1) await deadLetters.keep(entryOf(`old-${n}`));
      await new Promise((resolve) => setTimeout(resolve, 250));
      await new SqlDeadLetters(query, { dialect, table }).keep(entryOf('new'));
      expect(await deadLetters.deleteExpired()).toBe(1_100);
      const rows = await query(`SELECT kind FROM ${table}`, []);
      expect(
        Array.isArray(rows) ? (Array.isArray(rows[0]) ? rows[0] : rows) : (rows as { rows: [] }).rows,
      ).toHaveLength(1);
    });

    it('gives SQL for a migration that makes the same table', async () => {
      const table = `dead_letters_${randomUUID().slice(0, 8)}`;
      tables.push(table);
      const deadLetters = new SqlDeadLetters(query, { dialect, table });
      for (const statement of deadLetters.createTableSql().split(';\n').filter(Boolean))
        await query(statement, []);
      await deadLetters.createTable();
      await deadLetters.keep(entryOf('a'));
      expect(await deadLetters.list()).toHaveLength(1);
    });
  });
}

describe.skipIf(!(await findPostgres()))('PostgreSQL', () => {
  const pool = new pg.Pool({ ...postgresConfig, max: 10 });
  afterAll(() => pool.end());
  testSql(
    'PostgreSQL',
    'postgres',
    (text, values) => pool.query(text, values),
    (table) => pool.query(`DROP TABLE IF EXISTS ${table}`),
  );
});

describe.skipIf(!(await findMysql()))('MySQL or MariaDB', () => {
  const pool = mysql.createPool({ uri: mysqlUrl, connectionLimit: 10 });
  afterAll(() => pool.end());
  testSql(
    'MySQL or MariaDB',
    'mysql',
    (text, values) => pool.query<QueryResult & object[]>(text, values),
    (table) => pool.query(`DROP TABLE IF EXISTS ${table}`),
  );
});

const sqlite = process.getBuiltinModule('node:sqlite');
if (sqlite !== undefined) {
  const database = new sqlite.DatabaseSync(':memory:');
  testSql(
    'node:sqlite',
    'sqlite',
    async (text, values) => database.prepare(text).all(...values) as object[],
    async (table) => database.exec(`DROP TABLE IF EXISTS ${table}`),
  );
} else {
  testOnNodeWithSqlite('test/stores/sql-dead-letters.test.ts', 'node:sqlite');
}

it('says that a row cannot be read', async () => {
  const query = async () => [{ entry: 'null', first_failed_at: '1' }];
  const deadLetters = new SqlDeadLetters(query, { dialect: 'postgres' });
  await expect(deadLetters.list()).rejects.toBeInstanceOf(StoreError);
});
