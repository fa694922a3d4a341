import { setTimeout as sleep } from 'node:timers/promises';
import mysql, { type QueryResult } from 'mysql2/promise';
import { afterAll, describe, expect, it } from 'vitest';
import { SqlJourneyRecords, type SqlQuery } from '../../src/journal';
import { findMysql, mysqlUrl } from '../helpers/mysql';
import { testSqlRecords } from './records-contract';
import { record } from './support';

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
