import { StoreError } from '../errors';
import { migrationOf, type SqlDialect, type SqlQuery, type SqlRow, SqlTable } from '../stores/sql';
import { checkDuration } from '../values/option-checks';
import type { JourneyRecord, JourneyRecords, JourneyState, OrderReading } from './journey-records';

/** Where {@link SqlJourneyRecords} keeps the attempts. */
export interface SqlJourneyRecordsOptions {
  /** The database's SQL: `'postgres'`, `'mysql'` for MySQL and MariaDB, or `'sqlite'`. */
  readonly dialect: SqlDialect;
  /** The table's schema, unquoted; it must exist. Default: the one that the connection uses. */
  readonly schema?: string | undefined;
  /** The table's name, unquoted. Default: `'pix_automatic_journeys'`. */
  readonly table?: string | undefined;

  /**
   * How long an attempt is kept after its last change, in milliseconds. An order's journey (`created`) is kept for good.
   *
   * @defaultValue 400 days
   */
  readonly retentionMs?: number | undefined;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Attempts in PostgreSQL 12, MySQL 8, MariaDB 10.5 or SQLite 3.24, or later, through your own client or ORM.
 *
 * ```ts
 * const records = new SqlJourneyRecords((text, values) => pool.query(text, values), { dialect: 'postgres' });
 * await records.createTable(); // or put records.createTableSql() in a migration
 * ```
 *
 * **`query` must run each statement outside any transaction**, on the primary server: an intent that is rolled back, or
 * that another process cannot see, protects nobody.
 */
export class SqlJourneyRecords implements JourneyRecords {
  readonly #table: SqlTable;
  readonly #retentionMs: number;

  /** @throws `ConfigurationError` for an option that cannot work */
  constructor(query: SqlQuery, options: SqlJourneyRecordsOptions) {
    const { dialect, schema, table = 'pix_automatic_journeys', retentionMs = 400 * DAY_MS } = options;
    this.#table = new SqlTable(query, dialect, table, schema);
    this.#retentionMs = checkDuration('retentionMs', retentionMs);
  }

  async read(orderKey: string): Promise<OrderReading> {
    const { name, now } = this.#table;
    const rows = await this.#table.select(
      `SELECT clock.now_ms, attempts.* FROM (SELECT ${now} AS now_ms) AS clock
       LEFT JOIN ${name} AS attempts ON attempts.order_key = ? ORDER BY attempts.attempt`,
      [orderKey],
    );
    const attempts = rows.filter((row) => row['attempt'] !== null).map(recordOf);
    return { now: numberIn(rows[0], 'now_ms'), attempts };
  }

  async insert(record: JourneyRecord) {
    const isThere =
      this.#table.dialect === 'mysql' ? 'DUPLICATE KEY UPDATE attempt = attempt' : 'CONFLICT DO NOTHING';
    const row = rowOf(record);
    await this.#table.run(
      `INSERT INTO ${this.#table.name} (${Object.keys(row).join(', ')})
       VALUES (${Object.keys(row).fill('?').join(', ')}) ON ${isThere}`,
      Object.values(row),
    );
  }

  async update(record: JourneyRecord, token: string) {
    const { order_key, attempt, ...row } = rowOf(record);
    await this.#table.run(
      `UPDATE ${this.#table.name} SET state = ?, token = ?, uuid = ?, qr_code = ?, changed_at = ?
       WHERE order_key = ? AND attempt = ? AND token = ?`,
      [row.state, row.token, row.uuid, row.qr_code, row.changed_at, order_key, attempt, token],
    );
  }

  async find(by: { readonly uuid: string } | { readonly referenceCode: string }) {
    const [column, value] =
      'uuid' in by ? (['uuid', by.uuid] as const) : (['reference_code', by.referenceCode] as const);
    const rows = await this.#table.select(
      `SELECT * FROM ${this.#table.name} WHERE ${column} = ? ORDER BY changed_at DESC LIMIT 1`,
      [value],
    );
    // MySQL takes a text with a space at its end for the one without.
    return rows.filter((row) => row[column] === value).map(recordOf)[0];
  }

  /**
   * Deletes the attempts that were changed last before `retentionMs`; none that is `created`, or whose call may still be
   * on its way.
   */
  async deleteExpired(): Promise<void> {
    const { now } = this.#table;
    const isExpired = `state <> 'created' AND lease_until < ${now} AND changed_at < ${now} - ${this.#retentionMs}`;
    await this.#table.deleteAll('reference_code', isExpired, 'changed_at');
  }

  /** Creates the table and its indexes if they are missing. */
  async createTable(): Promise<void> {
    await this.#table.create(this.#statements());
  }

  /** The SQL that creates the table and its indexes, for a migration. */
  createTableSql(): string {
    return migrationOf(this.#statements());
  }

  #statements(): string[] {
    const table = this.#table;
    const isMysql = table.dialect === 'mysql';
    const columns = `order_key ${table.text(200)} NOT NULL,
  attempt INTEGER NOT NULL,
  reference_code ${table.text(255)} NOT NULL UNIQUE,
  state ${table.text(10)} NOT NULL,
  token ${table.text(36)} NOT NULL,
  money TEXT NOT NULL,
  uuid ${table.text(512)},
  qr_code ${isMysql ? 'LONGTEXT' : 'TEXT'},
  started_at BIGINT NOT NULL,
  lease_until BIGINT NOT NULL,
  changed_at BIGINT NOT NULL,
  PRIMARY KEY (order_key, attempt)`;
    const isOpen = "state IN ('sending', 'created')";
    // MySQL and MariaDB have no partial indexes, but a unique index takes any number of NULLs.
    const openOrder = `,
  open_order ${table.text(200)} GENERATED ALWAYS AS (CASE WHEN ${isOpen} THEN order_key END) STORED UNIQUE`;
    return isMysql
      ? table.definition(columns + openOrder, ['uuid'])
      : [
          ...table.definition(columns, ['uuid']),
          table.createIndex('open', `(order_key) WHERE ${isOpen}`, 'UNIQUE '),
        ];
  }
}

function rowOf(record: JourneyRecord) {
  return {
    order_key: record.orderKey,
    attempt: record.attempt,
    reference_code: record.referenceCode,
    state: record.state,
    token: record.token,
    money: JSON.stringify(record.money),
    uuid: record.uuid ?? null,
    qr_code: record.qrCode === undefined ? null : JSON.stringify(record.qrCode),
    started_at: record.startedAt,
    lease_until: record.leaseUntil,
    changed_at: record.changedAt,
  };
}

function recordOf(row: SqlRow): JourneyRecord {
  const { uuid, qr_code: qrCode } = row;
  return {
    orderKey: textIn(row, 'order_key'),
    attempt: numberIn(row, 'attempt'),
    referenceCode: textIn(row, 'reference_code'),
    state: textIn(row, 'state') as JourneyState,
    token: textIn(row, 'token'),
    money: JSON.parse(textIn(row, 'money')),
    uuid: typeof uuid === 'string' ? uuid : undefined,
    qrCode: typeof qrCode === 'string' ? JSON.parse(qrCode) : undefined,
    startedAt: numberIn(row, 'started_at'),
    leaseUntil: numberIn(row, 'lease_until'),
    changedAt: numberIn(row, 'changed_at'),
  };
}

function textIn(row: SqlRow, column: string): string {
  const value = row[column];
  if (typeof value === 'string') return value;
  throw unexpectedRow(column);
}

/** 64-bit numbers come as numbers, as text, or as bigint. */
function numberIn(row: SqlRow | undefined, column: string): number {
  const value = Number(row?.[column] ?? Number.NaN);
  if (Number.isSafeInteger(value)) return value;
  throw unexpectedRow(column);
}

function unexpectedRow(column: string): StoreError {
  return new StoreError(
    `\`query\` gave no usable \`${column}\`. Pass a plain client, whose rows are objects with the names of the columns.`,
  );
}
