import { StoreError } from '../errors';
import { type ReadRecord, type RecordStore, unexpectedReply, type WriteRecord } from './record-store';
import { migrationOf, rowsIn, type SqlDialect, SqlTable } from './sql';

/** Runs a statement, in a transaction or outside of any. Resolves with its rows, in any form that drivers give. */
export type Run<Tx> = (text: string, values: (string | number)[], tx?: Tx) => PromiseLike<unknown>;

/** Records that a transaction of the merchant's can lock. Each method acts in `tx`, or outside any transaction. */
export interface RecordsWithin<Tx> extends RecordStore {
  read(subject: string, tx?: Tx): Promise<ReadRecord>;
  /** Locks the record until `tx` ends. `undefined` if there is none, or if another transaction has locked it. */
  lock(subject: string, tx: Tx, timeoutMs: number): Promise<ReadRecord | undefined>;
  write(subject: string, change: WriteRecord, tx?: Tx): Promise<boolean>;
}

/** Where the records are. */
interface Place {
  readonly schema?: string | undefined;
  readonly table?: string | undefined;
  /**
   * Whether a write is followed by a read, because the access does not tell how many rows it has changed: each ORM over
   * MySQL does so in a way of its own, or not at all.
   */
  readonly readsBack?: boolean;
}

/**
 * Records in a table of any of the SQL databases, each step one statement that finds its row by primary key.
 *
 * In PostgreSQL all names are qualified, operators and functions too, and all types are exact. Otherwise whoever may
 * create functions in a schema of the connection's `search_path` could have theirs run with our rights (CVE-2018-1058).
 */
export class SqlRecords<Tx = never> implements RecordsWithin<Tx> {
  /** The statements, with `?` for each value, or `$1` and so on in PostgreSQL. */
  readonly sql: ReturnType<typeof statementsOn>;
  readonly #run: Run<Tx>;
  readonly #table: SqlTable;
  readonly #definition: readonly string[];
  readonly #readsBack: boolean;

  /** @throws `ConfigurationError` for a name that cannot be quoted */
  constructor(
    run: Run<Tx>,
    dialect: SqlDialect,
    { schema, table = 'pix_automatic_notifications', readsBack = false }: Place,
  ) {
    this.#run = run;
    this.#table = new SqlTable(
      (text, values) => run(text, values as string[]) as never,
      dialect,
      table,
      schema,
    );
    this.#definition = this.#table.definition(COLUMNS[dialect], ['expires_at']);
    this.#readsBack = readsBack;
    this.sql = statementsOn(this.#table);
  }

  async read(subject: string, tx?: Tx): Promise<ReadRecord> {
    return readingIn((await this.#rows(this.sql.read, [subject], tx))[0]);
  }

  async lock(subject: string, tx: Tx, timeoutMs: number): Promise<ReadRecord | undefined> {
    const limits = this.#table.dialect === 'postgres' ? [String(timeoutMs), String(timeoutMs)] : [];
    const [row] = await this.#rows(this.sql.lock, [...limits, subject], tx);
    return row === undefined ? undefined : readingIn(row);
  }

  async write(subject: string, change: WriteRecord, tx?: Tx): Promise<boolean> {
    const { record, version, next, before, expiresAt } = change;
    const [text, values] =
      version === 0
        ? [this.sql.insert, [subject, record, next, expiresAt, before]]
        : [this.sql.update, [record, next, expiresAt, subject, version, before]];
    if (!this.#readsBack) return (await this.#rows(text, values, tx)).length === 1;
    await this.#run(text, values, tx);
    return (await this.#rows(this.sql.written, [subject, next, record], tx)).length === 1;
  }

  async deleteExpired(limit: number): Promise<number> {
    const expired = await this.#rows(this.sql.expired(limit), []);
    if (this.#table.dialect === 'mysql') {
      // By primary key, one by one: deleting a range would lock it, and make claims wait.
      for (const row of expired) await this.#run(this.sql.deleteOne, [String(Object(row).subject)]);
    }
    return expired.length;
  }

  /** Creates the table and its index where they are missing. */
  async createTable(): Promise<void> {
    await this.#table.create(this.#definition).catch((cause: unknown) => {
      if (cause instanceof StoreError) throw cause;
      throw new StoreError(
        `The database did not create the table ${this.#table.name} or its index; \`cause\` says why. The role must own ` +
          'the table if it exists, and may need more rights to create it: in PostgreSQL USAGE and CREATE on the schema, ' +
          'which must exist. To run with a role that owns nothing, put createTableSql() in a migration, grant it ' +
          'SELECT, INSERT, UPDATE and DELETE on the table, and leave createTable() out.',
        { cause },
      );
    });
  }

  createTableSql(): string {
    return migrationOf(this.#definition);
  }

  async #rows(text: string, values: (string | number)[], tx?: Tx): Promise<readonly unknown[]> {
    const rows = rowsIn(await this.#run(text, values, tx));
    if (rows === undefined) throw unexpectedReply('a statement');
    return rows;
  }
}

const WHAT = '-- JSON in ASCII: which states are done, and the lease of the claim at work.';
const WHEN = '-- When the record may be deleted, in milliseconds since 1970.';

const COLUMNS: Readonly<Record<SqlDialect, string>> = {
  postgres: `subject pg_catalog.text COLLATE pg_catalog."C" PRIMARY KEY,
  ${WHAT}
  record pg_catalog.text NOT NULL,
  version bigint NOT NULL,
  ${WHEN}
  expires_at bigint NOT NULL`,
  mysql: `subject VARBINARY(512) NOT NULL PRIMARY KEY,
  ${WHAT}
  record MEDIUMTEXT CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  version BIGINT NOT NULL,
  ${WHEN}
  expires_at BIGINT NOT NULL`,
  sqlite: `subject TEXT NOT NULL PRIMARY KEY,
  ${WHAT}
  record TEXT NOT NULL,
  version INTEGER NOT NULL,
  ${WHEN}
  expires_at INTEGER NOT NULL`,
};

const setting = (name: string) => `pg_catalog.current_setting('${name}')`;

/** The statements on one table. Their parameters are in order, once each, because some ORMs only know `?`. */
function statementsOn(table: SqlTable) {
  const { name, now, dialect } = table;
  const [isPostgres, isMysql] = [dialect === 'postgres', dialect === 'mysql'];
  const is = (operator: string) => (isPostgres ? `OPERATOR(pg_catalog.${operator})` : operator);
  const row = `record, version, ${now} AS now`;

  // The server ends the session if this process stops dead with its connection open: between two statements for sure,
  // and within one unless the connection has a limit of its own.
  const limits = isPostgres
    ? `, pg_catalog.set_config('idle_in_transaction_session_timeout', ?, true) AS idle,
CASE WHEN ${setting('statement_timeout')} ${is('=')} '0' THEN pg_catalog.set_config('statement_timeout', ?, true) END AS statement`
    : '';
  // A commit that is confirmed must survive a crash, also where the callback, the role or the server says `off`.
  const durable = isPostgres
    ? `, CASE WHEN ${setting('synchronous_commit')} ${is('=')} 'off'
THEN pg_catalog.set_config('synchronous_commit', 'on', true) END AS durable`
    : '';
  const oldest = (limit: number) =>
    `SELECT subject FROM ${name} WHERE expires_at ${is('<=')} (SELECT ${now}) ORDER BY expires_at LIMIT ${limit}`;
  const expired = {
    postgres: (limit: number) =>
      `DELETE FROM ${name} WHERE subject ${is('=')} ANY (ARRAY(${oldest(limit)} FOR UPDATE SKIP LOCKED)) RETURNING 1 AS deleted`,
    mysql: oldest,
    sqlite: (limit: number) =>
      `DELETE FROM ${name} WHERE subject IN (${oldest(limit)}) RETURNING 1 AS deleted`,
  };
  return {
    /** The table, quoted. */
    name,
    /** `[subject]`. Always one row: `record` and `version`, null where there is none, and `now`. */
    read: table.numbered(`SELECT ${row} FROM (SELECT 1) AS one LEFT JOIN ${name} ON subject ${is('=')} ?`),
    /** `[subject]`, after two limits in PostgreSQL. The same row, locked; none if there is none or another has it. */
    lock: table.numbered(
      `SELECT ${row}${limits} FROM ${name} WHERE subject ${is('=')} ? FOR UPDATE SKIP LOCKED`,
    ),
    /** `[subject, record, version, expiresAt, before]`. */
    insert: table.numbered(
      `INSERT ${isMysql ? 'IGNORE ' : ''}INTO ${name} (subject, record, version, expires_at) ` +
        `SELECT ?, ?, ?, ?${isMysql ? ' FROM DUAL' : ''} WHERE ${now} ${is('<')} ?` +
        (isMysql ? '' : ' ON CONFLICT (subject) DO NOTHING RETURNING 1 AS written'),
    ),
    /** `[record, version, expiresAt, subject, the version that the row must have, before]`. */
    update: table.numbered(
      `UPDATE ${name} SET record = ?, version = ?, expires_at = ? ` +
        `WHERE subject ${is('=')} ? AND version ${is('=')} ? AND ${now} ${is('<')} ?` +
        (isMysql ? '' : ` RETURNING 1 AS written${durable}`),
    ),
    /** `[subject, version, record]`. One row if that is what is there. */
    written: `SELECT 1 AS written FROM ${name} WHERE subject = ? AND version = ? AND record = ?`,
    /** Deletes expired records, oldest first, and gives a row for each. In MySQL gives only their subjects. */
    expired: expired[dialect],
    /** `[subject]`. Deletes the record if it is expired, in MySQL. */
    deleteOne: `DELETE FROM ${name} WHERE subject = ? AND expires_at <= ${now}`,
  };
}

/** Reads a row of `record`, `version` and `now`. Drivers give 64 bits as numbers, as text or as bigint. */
function readingIn(row: unknown): ReadRecord {
  const { record, version, now } = Object(row) as Readonly<Record<string, unknown>>;
  return {
    record: record === null || record === undefined ? undefined : String(record),
    version: Number(version ?? 0),
    now: Number(now),
  };
}
