import { ConfigurationError } from '../errors/configuration-error';
import { StoreError } from '../errors/store-error';
import { DAY_MS, sleep } from '../shared/time';
import { cannotAsk, mayRetry, neverAnswers, saysNoColumn, saysNoTable } from './driver-error';
import {
  type ListedRecord,
  type ListPage,
  type ReadRecord,
  type RecordStore,
  unexpectedReply,
  type WriteRecord,
} from './record-store';
import { storeCause } from './store-cause';

/** The databases whose SQL is known: `mysql` stands for MariaDB too. */
type SqlDialect = 'postgres' | 'mysql' | 'sqlite';

/** Runs a statement, in a transaction or outside of any. Resolves with its rows, in any form that drivers give. */
export type Run<Tx> = (text: string, values: (string | number)[], tx?: Tx) => PromiseLike<unknown>;

/** Records that a transaction of the merchant's can lock. Each method acts in `tx`, or outside any transaction. */
export interface RecordsWithin<Tx> extends RecordStore {
  read(key: string, tx?: Tx): Promise<ReadRecord>;
  /**
   * Locks the record until `tx` ends. `undefined` if there is none, or if another transaction has locked it. Has the
   * server end the session if this process stops dead for `timeoutMs`.
   */
  lock(key: string, tx: Tx, timeoutMs: number): Promise<LockedRecord | undefined>;
  /** Takes back the limit that `lock` has set, where it does not end with the transaction. */
  liftLimit(tx: Tx): Promise<void>;
  /** The same, but waits for a transaction that has locked it. A record that is missing cannot be locked. */
  lockInTurn(key: string, tx: Tx): Promise<ReadRecord>;
  write(key: string, change: WriteRecord, tx?: Tx): Promise<boolean>;
  /** Where `undo` goes back to. */
  savepoint(tx: Tx): Promise<void>;
  /** Undoes all since the savepoint. */
  undo(tx: Tx): Promise<void>;
  /** Fails if what was written since the savepoint cannot be committed. */
  release(tx: Tx): Promise<void>;
  /**
   * The last look before a commit: whether it is the transaction in which the record was locked, and the record has the
   * version that was written. Fails where nothing can be committed any more. A commit that is confirmed must survive a
   * crash, so a `synchronous_commit` of `off` in PostgreSQL becomes `on`.
   */
  beforeCommit(key: string, written: Written, tx: Tx): Promise<'held' | 'ended' | 'changed'>;
}

/** A record that was locked. */
export interface LockedRecord extends ReadRecord {
  /** The number of the transaction, in PostgreSQL. */
  readonly transaction?: number | undefined;
}

/** What was written to a locked record. */
export type Written = Pick<LockedRecord, 'version' | 'transaction'>;

/**
 * What is deleted at the millisecond of its end. Anything else is written again and again, and kept until the end of its
 * last day: PostgreSQL updates a row in place only if no column of an index changes.
 */
const EXACT = /^[\w.-]+\/(?:letter:|open:|maintain)/;

/** Constant: each name would be a statement of its own to the server's statistics, and push others out. */
const SAVEPOINT = 'pix_automatic';

/** Where the records are. */
export interface TableOptions {
  /**
   * The table's schema (in MySQL: its database), unquoted; it must exist. Default: in PostgreSQL `'public'`, whatever
   * the connection's `search_path` says, because two processes with different ones would each keep records of their own;
   * in MySQL the database that the connection is made to.
   */
  readonly schema?: string | undefined;
  /** The table's name, unquoted and without a dot, of up to 52 bytes in PostgreSQL and 64 characters in MySQL. Default: `'pix_automatic'`. */
  readonly table?: string | undefined;
}

/** A transaction of the merchant's, for an access that does not tell how many rows a statement has changed. */
type InTransaction<Tx> = (work: (tx: Tx) => Promise<void>) => PromiseLike<unknown>;

/**
 * Records in a table of any of the SQL databases, each step one statement that finds its row by primary key.
 *
 * In PostgreSQL all names are qualified, operators and functions too, and all types are exact. Otherwise whoever may
 * create functions in a schema of the connection's `search_path` could have theirs run with our rights (CVE-2018-1058).
 */
export class SqlRecords<Tx = never> implements RecordsWithin<Tx> {
  /** The statements, with `?` for each value, or `$1` and so on in PostgreSQL. */
  readonly sql: ReturnType<typeof statementsOn>;
  readonly explain = storeCause;
  readonly #run: Run<Tx>;
  readonly #dialect: SqlDialect;
  readonly #schema: string | undefined;
  readonly #definition: readonly string[];
  readonly #readsBack: InTransaction<Tx> | undefined;

  /**
   * @param readsBack - set where the access does not tell how many rows a statement has changed, because each ORM over
   *   MySQL does so in a way of its own, or not at all: a write is then followed by a read, and what has expired is
   *   deleted in a transaction
   * @throws `ConfigurationError` for a name that cannot be quoted
   */
  constructor(
    run: Run<Tx>,
    dialect: SqlDialect,
    { schema, table = 'pix_automatic' }: TableOptions,
    readsBack?: InTransaction<Tx>,
  ) {
    const name = nameOf(dialect, table, schema ?? (dialect === 'postgres' ? 'public' : undefined));
    this.#run = run;
    this.#dialect = dialect;
    this.#schema = schema;
    this.#definition = definitionOf(dialect, name, table);
    this.#readsBack = readsBack;
    this.sql = statementsOn(dialect, name);
  }

  async read(key: string, tx?: Tx): Promise<ReadRecord> {
    return readingIn((await this.#rows(this.sql.read, [key], tx))[0]);
  }

  async lock(key: string, tx: Tx, timeoutMs: number): Promise<LockedRecord | undefined> {
    const isPostgres = this.#dialect === 'postgres';
    if (!isPostgres) await this.#send(limitMysql(timeoutMs), [], tx);
    const limits = isPostgres ? [String(timeoutMs), String(timeoutMs)] : [];
    const [row] = await this.#rows(this.sql.lock, [...limits, key], tx);
    if (row === undefined) return undefined;
    const { transaction } = Object(row) as { readonly transaction?: unknown };
    return { ...readingIn(row), transaction: isPostgres ? Number(transaction) : undefined };
  }

  async liftLimit(tx: Tx): Promise<void> {
    if (this.#dialect !== 'postgres') await this.#send(LIFT_LIMIT_MYSQL, [], tx);
  }

  async lockInTurn(key: string, tx: Tx): Promise<ReadRecord> {
    const [row] = await this.#rows(this.sql.lockInTurn, [key], tx);
    return row === undefined ? this.read(key, tx) : readingIn(row);
  }

  async write(key: string, change: WriteRecord, tx?: Tx): Promise<boolean> {
    const { record, version, next, before } = change;
    const expiresAt = EXACT.test(key) ? change.expiresAt : Math.ceil(change.expiresAt / DAY_MS) * DAY_MS;
    const again = this.#dialect === 'mysql' ? [] : [key];
    const [text, values] =
      version === 0
        ? [this.sql.insert, [key, record, next, expiresAt, before, ...again]]
        : [this.sql.update, [record, next, expiresAt, key, version, before]];
    if (this.#readsBack === undefined) return (await this.#rows(text, values, tx)).length === 1;
    await this.#send(text, values, tx);
    return (await this.read(key, tx)).record === record;
  }

  async savepoint(tx: Tx): Promise<void> {
    await this.#send(`SAVEPOINT ${SAVEPOINT}`, [], tx);
  }

  async undo(tx: Tx): Promise<void> {
    await this.#send(`ROLLBACK TO SAVEPOINT ${SAVEPOINT}`, [], tx);
  }

  async release(tx: Tx): Promise<void> {
    await this.#send(`RELEASE SAVEPOINT ${SAVEPOINT}`, [], tx);
  }

  async beforeCommit(key: string, { version, transaction }: Written, tx: Tx) {
    // MySQL has no number of the transaction that every role may read. A savepoint does not outlive its transaction.
    if (transaction === undefined) await this.release(tx);
    const values = transaction === undefined ? [key, version] : [transaction, key, version];
    const [row] = await this.#rows(this.sql.beforeCommit, values, tx);
    const { found } = Object(row) as { readonly found?: unknown };
    return found === 'held' || found === 'ended' ? found : 'changed';
  }

  async list(prefix: string, { after = prefix, limit }: ListPage): Promise<readonly ListedRecord[]> {
    const end = prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
    const rows = await this.#rows(this.sql.list(limit), [after, end]);
    return rows.map((row) => {
      const { id, record } = Object(row) as Readonly<Record<string, unknown>>;
      if (typeof id !== 'string' || typeof record !== 'string') throw unexpectedReply('a list');
      return { key: id, record };
    });
  }

  async deleteExpired(limit: number): Promise<number> {
    if (this.#dialect !== 'mysql') return (await this.#rows(this.sql.expired(limit), [])).length;
    // By primary key, one by one: deleting a range would lock it, and make claims wait.
    let deleted = 0;
    const found = await this.#rows(this.sql.expired(this.#readsBack ? LOCKED_AT_ONCE : limit), []);
    const keys = found.map((row) => String(Object(row).id));
    if (this.#readsBack === undefined) {
      for (const key of keys) deleted += (await this.#rows(this.sql.deleteOne, [key])).length;
      return deleted;
    }
    const inTransaction = this.#readsBack;
    await retrying(() =>
      inTransaction(async (tx) => {
        deleted = 0;
        for (const key of keys) {
          if ((await this.#rows(this.sql.lockExpired, [key], tx)).length === 0) continue;
          await this.#send(this.sql.deleteOne, [key], tx);
          deleted += 1;
        }
      }),
    );
    return deleted;
  }

  /** Creates the table and its index where they are missing. */
  async createTable(): Promise<void> {
    try {
      for (const statement of this.#definition) {
        // IF NOT EXISTS does not protect against another process that creates the same right now.
        await this.#run(statement, []).then(undefined, () => this.#run(statement, []));
      }
      // Nor does it say whose a table is that was there before. A role that may create it need not read it.
      await this.#run(this.sql.columns, []).then(undefined, (error: unknown) => {
        if (saysNoColumn(error)) throw error;
      });
    } catch (cause) {
      if (cause instanceof StoreError) throw cause;
      if (saysNoColumn(cause)) throw this.#notOurs(cause);
      const unasked = cannotAsk(cause, DIALECT_NAMES[this.#dialect], this.#schema);
      if (unasked !== undefined) {
        throw new StoreError(`The table ${this.sql.name} was not created. ${unasked}`, { cause });
      }
      throw new StoreError(
        `The database did not create the table ${this.sql.name} or its index; \`cause\` says why. The role must own ` +
          'the table if it exists, and may need more rights to create it: in PostgreSQL USAGE and CREATE on the schema, ' +
          'which must exist. To run with a role that owns nothing, put createTableSql() in a migration, grant it ' +
          'SELECT, INSERT, UPDATE and DELETE on the table, and leave createTable() out.',
        { cause },
      );
    }
  }

  #notOurs(cause: unknown): StoreError {
    return new StoreError(
      `There is a table ${this.sql.name} that is not the store's: it lacks columns. Give the store another \`table\`, or ` +
        'rename that one. `createTable()` changes no table that exists.',
      { cause },
    );
  }

  createTableSql(): string {
    return this.#definition.map((statement) => `${statement};\n`).join('');
  }

  async #rows(text: string, values: (string | number)[], tx?: Tx): Promise<readonly unknown[]> {
    const rows = rowsIn(await this.#send(text, values, tx));
    if (rows === undefined) throw unexpectedReply('a statement');
    return rows;
  }

  async #send(text: string, values: (string | number)[], tx?: Tx): Promise<unknown> {
    const run = () => this.#run(text, values, tx);
    try {
      // One statement is a transaction of its own, which serializable isolation may refuse.
      return await (tx === undefined ? retrying(run) : run());
    } catch (cause) {
      if (saysNoColumn(cause)) throw this.#notOurs(cause);
      const never = neverAnswers(cause, DIALECT_NAMES[this.#dialect]);
      if (never !== undefined)
        throw new StoreError(`The store could not ask its database. ${never}`, { cause });
      if (!saysNoTable(cause)) throw cause;
      throw new StoreError(
        `The store's table ${this.sql.name} is not there. Call \`createTable()\` once before the first notification, ` +
          `or put this in a migration:\n${this.createTableSql()}`,
        { cause },
      );
    }
  }
}

/** How often a statement is sent that the database refuses for the sake of others. */
const TRIES = 10;
const LONGEST_PAUSE_MS = 50;

/** Tries again what the database has rolled back for the sake of others. */
async function retrying<Result>(run: () => PromiseLike<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run();
    } catch (error) {
      if (tries === TRIES || !mayRetry(error)) throw error;
      // Not all that were in each other's way should begin again at the same moment.
      await sleep(LONGEST_PAUSE_MS * Math.random());
    }
  }
}

/** The rows in what a driver or an ORM gives: a list, `{ rows }`, or a list that begins with them. */
function rowsIn(answer: unknown): readonly unknown[] | undefined {
  const rows: unknown = Array.isArray(answer) ? answer : Object(answer).rows;
  if (!Array.isArray(rows)) return undefined;
  return Array.isArray(rows[0]) ? rows[0] : rows;
}

/** How many expired records one transaction locks, where it must. */
const LOCKED_AT_ONCE = 100;

const WHAT = '-- JSON in ASCII: what was done, a dead letter, an order, or the pointer to one.';
const WHEN = '-- When the record may be deleted, in milliseconds since 1970.';

const COLUMNS: Readonly<Record<SqlDialect, string>> = {
  postgres: `id pg_catalog.text COLLATE pg_catalog."C" PRIMARY KEY,
  ${WHAT}
  record pg_catalog.text NOT NULL,
  version bigint NOT NULL,
  ${WHEN}
  expires_at bigint NOT NULL`,
  mysql: `id VARBINARY(512) NOT NULL PRIMARY KEY,
  ${WHAT}
  record MEDIUMTEXT CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  version BIGINT NOT NULL,
  ${WHEN}
  expires_at BIGINT NOT NULL`,
  sqlite: `id TEXT NOT NULL PRIMARY KEY,
  ${WHAT}
  record TEXT NOT NULL,
  version INTEGER NOT NULL,
  ${WHEN}
  expires_at INTEGER NOT NULL`,
};

const DIALECT_NAMES: Readonly<Record<SqlDialect, string>> = {
  postgres: 'PostgreSQL',
  mysql: 'MySQL',
  sqlite: 'SQLite',
};

const MAX_NAME_BYTES = 63;
const MAX_MYSQL_CHARACTERS = 64;

/**
 * A name as an identifier of the dialect. PostgreSQL truncates a longer one, so that two tables could become one; MySQL
 * refuses it with the first statement.
 *
 * @throws `ConfigurationError` for a name that cannot be quoted
 */
function quoted(dialect: SqlDialect, name: string): string {
  const isTooLong =
    (dialect === 'postgres' && new TextEncoder().encode(name).length > MAX_NAME_BYTES) ||
    (dialect === 'mysql' && [...String(name)].length > MAX_MYSQL_CHARACTERS);
  if (typeof name !== 'string' || name === '' || name.includes('\0') || isTooLong) {
    throw new ConfigurationError(
      'Expected a name of a table or schema, unquoted and without the other part, of up to 52 bytes in PostgreSQL and 64 ' +
        "characters in MySQL: { schema: 'shop', table: 'notifications' }. It is quoted for you.",
    );
  }
  return dialect === 'mysql' ? `\`${name.replaceAll('`', '``')}\`` : `"${name.replaceAll('"', '""')}"`;
}

/** The table, quoted, with its schema if one was given. */
function nameOf(dialect: SqlDialect, table: string, schema: string | undefined): string {
  if (dialect !== 'sqlite' && String(table).includes('.')) {
    throw new ConfigurationError(
      "Expected `table` without a dot. The schema is an option of its own: { schema: 'shop', table: 'notifications' }.",
    );
  }
  const parts = schema === undefined ? [table] : [schema, table];
  return parts.map((part) => quoted(dialect, part)).join('.');
}

/** The statements that create the table, and the index that finds what has expired. */
function definitionOf(dialect: SqlDialect, name: string, table: string): string[] {
  const create = `CREATE TABLE IF NOT EXISTS ${name} (\n  ${COLUMNS[dialect]}`;
  if (dialect === 'mysql') return [`${create},\n  KEY (expires_at)\n) ENGINE = InnoDB`];
  const index = quoted(dialect, `${table}_expires_at`);
  // Leaves room on each page, so that a row can be updated where it is.
  const storage = dialect === 'postgres' ? ' WITH (fillfactor = 80)' : '';
  return [`${create}\n)${storage}`, `CREATE INDEX IF NOT EXISTS ${index} ON ${name} (expires_at)`];
}

/** Milliseconds since 1970 by the database's clock, in UTC: a session's time zone may have clock changes. */
const NOW: Readonly<Record<SqlDialect, string>> = {
  postgres: 'CAST(EXTRACT(EPOCH FROM pg_catalog.clock_timestamp()) OPERATOR(pg_catalog.*) 1000 AS bigint)',
  mysql: "(TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6)) DIV 1000)",
  sqlite: "CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)",
};

/** Drivers and ORMs give a binary column as bytes. */
const TEXT_ID = 'CONVERT(id USING ascii) AS id';

const setting = (name: string) => `pg_catalog.current_setting('${name}')`;

/**
 * MySQL has no limit for one transaction, so the session's own is lowered, and put back before the commit: an idle
 * connection of the pool must not be closed by it.
 */
const limitMysql = (timeoutMs: number) =>
  `SET ${OWN_WAIT} = COALESCE(${OWN_WAIT}, @@SESSION.wait_timeout), ` +
  `SESSION wait_timeout = LEAST(@@SESSION.wait_timeout, ${Math.ceil(timeoutMs / 1000)})`;
const OWN_WAIT = '@pix_automatic_wait_timeout';
const LIFT_LIMIT_MYSQL = `SET SESSION wait_timeout = CAST(${OWN_WAIT} AS UNSIGNED), ${OWN_WAIT} = NULL`;

/** The statements on one table. Their parameters are in order, once each, because some ORMs only know `?`. */
function statementsOn(dialect: SqlDialect, name: string) {
  const now = NOW[dialect];
  const [isPostgres, isMysql] = [dialect === 'postgres', dialect === 'mysql'];
  const is = (operator: string) => (isPostgres ? `OPERATOR(pg_catalog.${operator})` : operator);
  const row = `record, version, ${now} AS now`;

  // The server ends the session if this process stops dead with its connection open: between two statements for sure,
  // and within one unless the connection has a limit of its own.
  const limits = isPostgres
    ? `, pg_catalog.set_config('idle_in_transaction_session_timeout', ?, true) AS idle,
CASE WHEN ${setting('statement_timeout')} ${is('=')} '0' THEN pg_catalog.set_config('statement_timeout', ?, true) END AS statement`
    : '';
  // A transaction that a callback has ended is another one, also where it has begun it.
  const number = isPostgres ? ', pg_catalog.txid_current() AS transaction' : '';
  // A commit that is confirmed must survive a crash, also where the callback, the role or the server says `off`.
  const durable = isPostgres
    ? `, CASE WHEN ${setting('synchronous_commit')} ${is('=')} 'off'
THEN pg_catalog.set_config('synchronous_commit', 'on', true) END AS durable`
    : '';
  const oldest = (limit: number) =>
    `SELECT ${isMysql ? TEXT_ID : 'id'} FROM ${name} WHERE expires_at ${is('<=')} (SELECT ${now}) ORDER BY expires_at LIMIT ${limit}`;
  const expired = {
    postgres: (limit: number) =>
      `DELETE FROM ${name} WHERE id ${is('=')} ANY (ARRAY(${oldest(limit)} FOR UPDATE SKIP LOCKED)) RETURNING 1 AS deleted`,
    mysql: oldest,
    sqlite: (limit: number) => `DELETE FROM ${name} WHERE id IN (${oldest(limit)}) RETURNING 1 AS deleted`,
  };
  /** With `$1`, `$2` and so on in PostgreSQL, for each `?` that is not in a name. */
  const numbered = (text: string) => {
    if (!isPostgres) return text;
    let count = 0;
    return text.replace(/"[^"]*"|\?/g, (match) => {
      if (match !== '?') return match;
      count += 1;
      return `$${count}`;
    });
  };
  return {
    /** The table, quoted. */
    name,
    /** Fails for a table of somebody else's. */
    columns: `SELECT id, record, version, expires_at FROM ${name} LIMIT 0`,
    /** `[key]`. Always one row: `record` and `version`, null where there is none, and `now`. */
    read: numbered(`SELECT ${row} FROM (SELECT 1) AS one LEFT JOIN ${name} ON id ${is('=')} ?`),
    /** `[key]`, after two limits in PostgreSQL. The same row, locked; none if there is none or another has it. */
    lock: numbered(
      `SELECT ${row}${number}${limits} FROM ${name} WHERE id ${is('=')} ? FOR UPDATE SKIP LOCKED`,
    ),
    /** `[key]`. The same row, locked as soon as no other transaction has it; none if there is none. */
    lockInTurn: numbered(`SELECT ${row} FROM ${name} WHERE id ${is('=')} ? FOR UPDATE`),
    /**
     * `[key, record, version, expiresAt, before]`, and the key again save in MySQL. `ON CONFLICT` alone would wait for a
     * transaction that has changed a row which this statement can see. In MySQL, at its default isolation, looking would
     * wait as inserting does, and block the inserts beside it.
     */
    insert: numbered(
      `INSERT ${isMysql ? 'IGNORE ' : ''}INTO ${name} (id, record, version, expires_at) ` +
        `SELECT ?, ?, ?, ?${isMysql ? ' FROM DUAL' : ''} WHERE ${now} ${is('<')} ?` +
        (isMysql
          ? ''
          : ` AND NOT EXISTS (SELECT 1 FROM ${name} WHERE id ${is('=')} ?) ` +
            'ON CONFLICT (id) DO NOTHING RETURNING 1 AS written'),
    ),
    /** `[record, version, expiresAt, key, the version that the row must have, before]`. */
    update: numbered(
      `UPDATE ${name} SET record = ?, version = ?, expires_at = ? ` +
        `WHERE id ${is('=')} ? AND version ${is('=')} ? AND ${now} ${is('<')} ?` +
        (isMysql ? '' : ` RETURNING 1 AS written${durable}`),
    ),
    /** `[key, version]`, after the transaction in PostgreSQL. `found` is what `beforeCommit` resolves with. */
    beforeCommit: isPostgres
      ? numbered(
          `SELECT CASE WHEN pg_catalog.txid_current_if_assigned() ${is('=')} ? ` +
            `THEN CASE WHEN id IS NULL THEN 'changed' ELSE 'held' END ELSE 'ended' END AS found${durable} ` +
            `FROM (SELECT 1) AS one LEFT JOIN ${name} ON id ${is('=')} ? AND version ${is('=')} ?`,
        )
      : `SELECT 'held' AS found FROM ${name} WHERE id = ? AND version = ?`,
    /** `[after, before]`. The keys between these two, exclusive, and their records. */
    list: (limit: number) =>
      numbered(
        `SELECT ${isMysql ? TEXT_ID : 'id'}, record FROM ${name} WHERE id ${is('>')} ? AND id ${is('<')} ? ` +
          `AND expires_at ${is('>')} (SELECT ${now}) ORDER BY ${isMysql ? `${name}.` : ''}id LIMIT ${limit}`,
      ),
    /** Deletes expired records, oldest first, and gives a row for each. In MySQL gives only their keys. */
    expired: expired[dialect],
    /** `[key]`. A row if the record is expired, in MySQL; locked. */
    lockExpired: `SELECT 1 AS expired FROM ${name} WHERE id = ? AND expires_at <= ${now} FOR UPDATE SKIP LOCKED`,
    /** `[key]`. Deletes the record if it is expired, in MySQL. */
    deleteOne: `DELETE FROM ${name} WHERE id = ? AND expires_at <= ${now}`,
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
