import { StoreError } from '../errors';
import { isObject } from '../shared/objects';
import { checkDuration } from '../values/option-checks';
import {
  checkDeadLetterQuery,
  type DeadLetter,
  type DeadLetterQuery,
  type DeadLetters,
  MONTH_MS,
  type NewDeadLetter,
} from './dead-letters';
import { keyOf } from './record';
import { migrationOf, type SqlDialect, type SqlQuery, type SqlRow, SqlTable } from './sql';

/** Where {@link SqlDeadLetters} keeps the entries. */
export interface SqlDeadLettersOptions {
  /** The database's SQL: `'postgres'`, `'mysql'` for MySQL and MariaDB, or `'sqlite'`. */
  readonly dialect: SqlDialect;
  /** The table's schema, unquoted; it must exist. Default: the one that the connection uses. */
  readonly schema?: string | undefined;
  /** The table's name, unquoted. Default: `'pix_automatic_dead_letters'`. */
  readonly table?: string | undefined;
  /** How long an entry is kept after its last failure, in milliseconds. Default: 30 days. */
  readonly retentionMs?: number | undefined;
}

/**
 * Dead letters in PostgreSQL 12, MySQL 8, MariaDB 10.5 or SQLite 3.24, or later, through your own client or ORM.
 *
 * ```ts
 * const deadLetters = new SqlDeadLetters((text, values) => pool.query(text, values), { dialect: 'postgres' });
 * await deadLetters.createTable(); // or put deadLetters.createTableSql() in a migration
 * setInterval(() => deadLetters.deleteExpired().catch(console.error), 3_600_000).unref();
 * ```
 *
 * `query` must run each statement outside any transaction: one that is rolled back keeps nothing. Times are the
 * database's own.
 */
export class SqlDeadLetters implements DeadLetters {
  readonly retentionMs: number;
  readonly #table: SqlTable;

  /** @throws `ConfigurationError` for an option that cannot work */
  constructor(query: SqlQuery, options: SqlDeadLettersOptions) {
    const { dialect, schema, table = 'pix_automatic_dead_letters', retentionMs = MONTH_MS } = options;
    this.#table = new SqlTable(query, dialect, table, schema);
    this.retentionMs = checkDuration('retentionMs', retentionMs);
  }

  async keep(entry: NewDeadLetter): Promise<void> {
    const { name, now, dialect } = this.#table;
    const isMysql = dialect === 'mysql';
    const incoming = (column: string) => (isMysql ? `VALUES(${column})` : `excluded.${column}`);
    // An entry that has expired counts as gone. MySQL sets the columns in this order, so the last one is `expires_at`.
    const unlessExpired = (before: string, expired: string) =>
      `CASE WHEN ${name}.expires_at > ${incoming('last_failed_at')} THEN ${before} ELSE ${expired} END`;
    await this.#table.run(
      `INSERT INTO ${name} (id, kind, entry, first_failed_at, last_failed_at, attempts, expires_at)
       SELECT ?, ?, ?, clock.now_ms, clock.now_ms, 1, clock.now_ms + ? FROM (SELECT ${now} AS now_ms) AS clock WHERE true
       ${isMysql ? 'ON DUPLICATE KEY UPDATE' : 'ON CONFLICT (id) DO UPDATE SET'}
       kind = ${incoming('kind')}, entry = ${incoming('entry')},
       first_failed_at = ${unlessExpired(`${name}.first_failed_at`, incoming('first_failed_at'))},
       attempts = ${unlessExpired(`${name}.attempts + 1`, '1')},
       last_failed_at = ${incoming('last_failed_at')}, expires_at = ${incoming('expires_at')}`,
      [keyOf(entry.key), entry.kind, JSON.stringify(entry), this.retentionMs],
    );
  }

  async list(query: DeadLetterQuery = {}): Promise<DeadLetter[]> {
    const { since, limit, kind } = checkDeadLetterQuery(query);
    const { name, now } = this.#table;
    const rows = await this.#table.select(
      `SELECT entry, first_failed_at, last_failed_at, attempts FROM ${name}
       WHERE last_failed_at >= ? AND expires_at > ${now} ${kind === undefined ? '' : 'AND kind = ?'}
       ORDER BY last_failed_at, id LIMIT ${limit}`,
      kind === undefined ? [since] : [since, kind],
    );
    return rows.map(entryOf);
  }

  async forget(key: string): Promise<void> {
    await this.#table.run(`DELETE FROM ${this.#table.name} WHERE id = ?`, [keyOf(key)]);
  }

  async deleteExpired(): Promise<number> {
    return this.#table.deleteAll('id', `expires_at <= ${this.#table.now}`, 'expires_at');
  }

  /** Creates the table, if it is missing. */
  async createTable(): Promise<void> {
    await this.#table.create(this.#statements());
  }

  /** The SQL that creates the table and its indexes, for a migration. */
  createTableSql(): string {
    return migrationOf(this.#statements());
  }

  #statements(): string[] {
    const isMysql = this.#table.dialect === 'mysql';
    const columns = `id ${isMysql ? 'VARCHAR(512) CHARACTER SET ascii COLLATE ascii_bin' : 'TEXT'} NOT NULL PRIMARY KEY,
  kind ${this.#table.text(255)} NOT NULL,
  entry ${isMysql ? 'LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin' : 'TEXT'} NOT NULL,
  first_failed_at BIGINT NOT NULL,
  last_failed_at BIGINT NOT NULL,
  attempts INTEGER NOT NULL,
  expires_at BIGINT NOT NULL`;
    return this.#table.definition(columns, ['last_failed_at', 'expires_at']);
  }
}

function entryOf({ entry, first_failed_at, last_failed_at, attempts }: SqlRow): DeadLetter {
  const kept: NewDeadLetter | undefined = typeof entry === 'string' ? JSON.parse(entry) : undefined;
  // Drivers return 64 bits as text.
  const firstFailedAt = Number(first_failed_at);
  if (!isObject(kept) || Number.isNaN(firstFailedAt)) {
    throw new StoreError(
      'The table of dead letters has a row that cannot be read. Return rows as objects from `query`.',
    );
  }
  return { ...kept, firstFailedAt, lastFailedAt: Number(last_failed_at), attempts: Number(attempts) };
}
