import { type ReadRecord, type RecordStore, readRow, type WriteRecord } from '../record-store';
import { rowsIn, unexpectedReply } from '../replies';
import type { PostgresQueryable } from './client';
import type { PostgresTable } from './records-table';

/** Records in a table of PostgreSQL, each step one statement. */
export class PostgresRecords implements RecordStore {
  readonly #database: PostgresQueryable;
  readonly #table: PostgresTable;

  constructor(database: PostgresQueryable, table: PostgresTable) {
    this.#database = database;
    this.#table = table;
  }

  async read(subject: string): Promise<ReadRecord> {
    const [row] = await this.query(this.#table.read, [subject]);
    return readRow(row, 1000);
  }

  async write(subject: string, { record, version, next, before, expiresAt }: WriteRecord): Promise<boolean> {
    const limit = before / 1000;
    const rows =
      version === 0
        ? await this.query(this.#table.insert, [subject, record, next, expiresAt, limit])
        : await this.query(this.#table.update, [record, next, expiresAt, subject, version, limit]);
    return rows.length === 1;
  }

  async deleteExpired(limit: number): Promise<number> {
    const { now } = readRow((await this.query(this.#table.clock, []))[0], 1000);
    return (await this.query(this.#table.deleteExpired, [now, limit])).length;
  }

  async query(text: string, values: unknown[]): Promise<readonly unknown[]> {
    const rows = rowsIn(await this.#database.query(text, values));
    if (rows === undefined) throw unexpectedReply('a statement');
    return rows;
  }
}
