import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { JourneyJournal, SqlJourneyRecords, type SqlQuery } from '../../src/journal';
import { findPostgres, postgresConfig } from '../helpers/postgres';
import { testSqlRecords } from './records-contract';
import { errors, FakeClient, request } from './support';

const pglite = new PGlite();
afterAll(() => pglite.close());
testSqlRecords(
  'PGlite',
  'postgres',
  { '{ rows }': (text, values) => pglite.query(text, values) as never },
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
