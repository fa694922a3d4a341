import mysql, { type QueryResult } from 'mysql2/promise';
import { afterAll, describe, expect, it } from 'vitest';
import { SqlJourneyRecords } from '../../src/journal';
import { findMysql, mysqlUrl } from '../helpers/mysql';
import { testSqlRecords } from './records-contract';

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
});
