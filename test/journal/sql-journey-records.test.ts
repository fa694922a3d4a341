import { setTimeout as sleep } from 'node:timers/promises';
import { PGlite } from '@electric-sql/pglite';
import mysql, { type QueryResult } from 'mysql2/promise';
import pg from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { JourneyJournal, SqlJourneyRecords, type SqlQuery } from '../../src/journal';
import { findBetterSqlite3 } from '../helpers/better-sqlite3';
import { findMysql, mysqlUrl } from '../helpers/mysql';
import { testOnNodeWithSqlite } from '../helpers/node-with-sqlite';
import { findPostgres, postgresConfig } from '../helpers/postgres';
import { testSqlRecords } from './records-contract';
import { errors, FakeClient, record, request } from './support';

// Started by its first test: the Node that runs this file for SQLite needs none.
let pglite: PGlite | undefined;
afterAll(() => pglite?.close());
testSqlRecords(
  'PGlite',
  'postgres',
  {
    '{ rows }': (text, values) => {
      pglite ??= new PGlite();
      return pglite.query(text, values) as never;
    },
  },
  'public',
);

describe.skipIf(!(await findPostgres()))('PostgreSQL', () => {
  const pool = new pg.Pool({ ...postgresConfig, max: 10 });
  afterAll(() => pool.end());
  const query: SqlQuery = (text, values) => pool.query(text, values);

  testSqlRecords(
    'PostgreSQL',
    'postgres',
    {
      '{ rows }': query,
      rows: async (text, values) => (await pool.query(text, values)).rows,
      '[rows, count]': async (text, values) => {
        const { rows, rowCount } = await pool.query(text, values);
        return [rows, rowCount ?? 0] as never;
      },
    },
    'public',
  );

  // What the documentation warns of: nothing in the library can see it.
  it('protects nobody when `query` is bound to an open transaction', async () => {
    const table = 'journal_in_a_transaction';
    await new SqlJourneyRecords(query, { dialect: 'postgres', table }).createTable();
    const client = new FakeClient();
    for (const end of ['ROLLBACK', 'COMMIT']) {
      const connection = await pool.connect();
      await connection.query('BEGIN');
      const records = new SqlJourneyRecords((text, values) => connection.query(text, values), {
        dialect: 'postgres',
        table,
      });
      await new JourneyJournal({ client, records }).open('order-1', request);
      await connection.query(end);
      connection.release();
    }
    await pool.query(`DROP TABLE ${table}`);
    // The first journey exists and was shown, the rollback took its intent away, and the order got a second one.
    expect(client.created.get('order-1')).toBe(2);
  });

  it('shows the call’s own error, not that of the transaction that it made useless', async () => {
    const connection = await pool.connect();
    await connection.query('BEGIN');
    const records = new SqlJourneyRecords((text, values) => connection.query(text, values), {
      dialect: 'postgres',
      table: 'no_such_table',
    });
    const client = new FakeClient([errors.unknown()]);
    const journal = new JourneyJournal({ client, records, waitMs: 300 });
    await expect(journal.open('order-1', request)).rejects.toMatchObject({
      code: expect.stringMatching(/^(42P01|25P02)$/),
    });
    expect(client.calls).toEqual([]);
    await connection.query('ROLLBACK');
    connection.release();
  });
});

describe.skipIf(!(await findMysql()))('MySQL or MariaDB', () => {
  const pool = mysql.createPool({ uri: mysqlUrl, connectionLimit: 10 });
  // A zone of its own, as a merchant's session may have.
  pool.on('connection', (connection) => {
    connection.query("SET time_zone = '+05:00'");
  });
  afterAll(() => pool.end());

  testSqlRecords(
    'MySQL or MariaDB',
    'mysql',
    {
      '[rows, fields] of query': (text, values) => pool.query<QueryResult & object[]>(text, values),
      '[rows, fields] of execute': (text, values) => pool.execute<QueryResult & object[]>(text, values),
      rows: async (text, values) => (await pool.query<QueryResult & object[]>(text, values))[0],
    },
    new URL(mysqlUrl).pathname.slice(1),
  );

  it('reads the clock in UTC, where no hour comes twice', async () => {
    const connection = await mysql.createConnection(mysqlUrl);
    // Half an hour after the clocks were set back from 3:00 to 2:00 in Berlin.
    const moment = Date.UTC(2026, 9, 25, 1, 30);
    await connection.query(`SET time_zone = '+01:00', timestamp = ${moment / 1000}`);
    const records = new SqlJourneyRecords(
      (text, values) => connection.query<QueryResult & object[]>(text, values),
      { dialect: 'mysql', table: 'journal_clock' },
    );
    await records.createTable();
    expect((await records.read('order-1')).now).toBe(moment);
    await connection.query('DROP TABLE journal_clock');
    await connection.end();
  });

  it('deletes what has expired without a lock on any other order', async () => {
    const query: SqlQuery = (text, values) => pool.query<QueryResult & object[]>(text, values);
    const table = 'journal_locks';
    const records = new SqlJourneyRecords(query, { dialect: 'mysql', table });
    await pool.query(`DROP TABLE IF EXISTS ${table}`);
    await records.createTable();
    const { now } = await records.read('order-1');
    await records.insert(record(1, 'refused', { changedAt: 1 }));
    await records.insert(record(2, 'created', { changedAt: now }));
    // Somebody else's transaction holds the row that is not deleted.
    const other = await mysql.createConnection(mysqlUrl);
    await other.beginTransaction();
    await other.query(`SELECT * FROM ${table} WHERE attempt = 2 AND order_key = 'order-1' FOR UPDATE`);
    const deleted = await Promise.race([
      records.deleteExpired().then(() => true),
      sleep(3_000, false, { ref: false }),
    ]);
    await other.rollback();
    await other.end();
    expect(deleted).toBe(true);
    expect((await records.read('order-1')).attempts).toMatchObject([{ attempt: 2 }]);
    await pool.query(`DROP TABLE ${table}`);
  });
});

type Value = string | number | null;
interface Statement {
  readonly reader?: boolean;
  all(...values: Value[]): unknown[];
  run(...values: Value[]): unknown;
}

const queryOf =
  (database: { prepare(text: string): Statement }): SqlQuery =>
  async (text, values) => {
    const statement = database.prepare(text);
    // better-sqlite3 refuses `all` for a statement that returns no rows.
    if (statement.reader === false) statement.run(...values);
    return statement.reader === false ? [] : (statement.all(...values) as object[]);
  };

const sqlite = process.getBuiltinModule('node:sqlite');

if (sqlite !== undefined) {
  const database = new sqlite.DatabaseSync(':memory:');
  testSqlRecords('node:sqlite', 'sqlite', { rows: queryOf(database as never) }, 'main');
} else {
  testOnNodeWithSqlite('test/journal/sql-journey-records.test.ts', 'node:sqlite');

  const BetterSqlite3 = findBetterSqlite3();
  describe.skipIf(BetterSqlite3 === undefined)('better-sqlite3', () => {
    if (BetterSqlite3 === undefined) return;
    testSqlRecords(
      'better-sqlite3',
      'sqlite',
      { rows: queryOf(new BetterSqlite3(':memory:') as never) },
      'main',
    );
  });
}
