import { describe } from 'vitest';
import type { SqlQuery } from '../../src/journal';
import { findBetterSqlite3 } from '../helpers/better-sqlite3';
import { testOnNodeWithSqlite } from '../helpers/node-with-sqlite';
import { testSqlRecords } from './records-contract';

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
  testOnNodeWithSqlite('test/journal/sqlite-records.test.ts');

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
