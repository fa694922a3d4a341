// The store's records in D1, in the table that dev.js creates. D1 is SQLite, so one statement does the whole step, by the
// database's clock. Do not pass a session (`withSession`): it may read a replica.
import type { ListedRecord, ListPage, ReadRecord, RecordStore, WriteRecord } from 'pix-automatic-sdk/stores';

/** The part of a D1 binding that is used here; `wrangler types` writes its full type. */
export interface D1Database {
  prepare(sql: string): D1PreparedStatement;
}
interface D1PreparedStatement {
  bind(...values: unknown[]): D1PreparedStatement;
  first<Row>(): Promise<Row | null>;
  all<Row>(): Promise<{ results: Row[] }>;
  run(): Promise<{ meta: { changes: number } }>;
}

const NOW = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";

export class D1Records implements RecordStore {
  readonly #database: D1Database;

  constructor(database: D1Database) {
    this.#database = database;
  }

  async read(key: string): Promise<ReadRecord> {
    const sql = `SELECT record, version, ${NOW} AS now FROM (SELECT 1) LEFT JOIN pix_automatic ON id = ?`;
    const row = await this.#database
      .prepare(sql)
      .bind(key)
      .first<{ record: string | null; version: number | null; now: number }>();
    if (row === null) throw new Error('D1 gave no row');
    return { record: row.record ?? undefined, version: row.version ?? 0, now: row.now };
  }

  async write(key: string, { record, version, next, before, expiresAt }: WriteRecord) {
    const sql = `
      INSERT INTO pix_automatic (id, record, version, expires_at)
      SELECT ?1, ?2, ?3, ?4
      WHERE ${NOW} < ?5 AND (?6 = 0 OR EXISTS (SELECT 1 FROM pix_automatic WHERE id = ?1))
      ON CONFLICT (id) DO UPDATE
      SET record = excluded.record, version = excluded.version, expires_at = excluded.expires_at
      WHERE pix_automatic.version = ?6`;
    const values = [key, record, next, expiresAt, before, version];
    const { meta } = await this.#database
      .prepare(sql)
      .bind(...values)
      .run();
    return meta.changes > 0;
  }

  async list(prefix: string, { after = prefix, limit }: ListPage): Promise<readonly ListedRecord[]> {
    const sql = `SELECT id AS key, record FROM pix_automatic
      WHERE id > ?1 AND id < ?2 AND expires_at > ${NOW} ORDER BY id LIMIT ?3`;
    const end = `${prefix}\x7f`; // greater than any key that begins with the prefix
    return (await this.#database.prepare(sql).bind(after, end, limit).all<{ key: string; record: string }>())
      .results;
  }

  async deleteExpired(limit: number) {
    const sql = `DELETE FROM pix_automatic WHERE id IN
      (SELECT id FROM pix_automatic WHERE expires_at <= ${NOW} ORDER BY expires_at LIMIT ?)`;
    return (await this.#database.prepare(sql).bind(limit).run()).meta.changes;
  }
}
