import { ConfigurationError } from '../errors';

/** The databases whose SQL is known: `mysql` stands for MariaDB too. */
export type SqlDialect = 'postgres' | 'mysql' | 'sqlite';

/**
 * Runs one statement outside any transaction: `$1` stands for the first value in PostgreSQL, `?` in MySQL and SQLite.
 */
type SqlQuery = (text: string, values: (string | number | null)[]) => PromiseLike<unknown>;

/** Milliseconds since 1970 by the database's clock, in UTC: a session's time zone may have clock changes. */
const NOW: Readonly<Record<SqlDialect, string>> = {
  postgres: 'CAST(EXTRACT(EPOCH FROM pg_catalog.clock_timestamp()) OPERATOR(pg_catalog.*) 1000 AS bigint)',
  mysql: "(TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6)) DIV 1000)",
  sqlite: "CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)",
};

const MAX_NAME_BYTES = 63;

/** The rows in what a driver or an ORM gives: a list, `{ rows }`, or a list that begins with them. */
export function rowsIn(answer: unknown): readonly unknown[] | undefined {
  const rows: unknown = Array.isArray(answer) ? answer : Object(answer).rows;
  if (!Array.isArray(rows)) return undefined;
  return Array.isArray(rows[0]) ? rows[0] : rows;
}

/** The statements as one text, for a migration. */
export function migrationOf(statements: readonly string[]): string {
  return statements.map((statement) => `${statement};\n`).join('');
}

/** One table of a merchant's own database, and how to speak to it. */
export class SqlTable {
  /** The table, quoted, with its schema if one was given. */
  readonly name: string;
  /** The database's clock, as an expression: milliseconds since 1970. */
  readonly now: string;
  readonly #query: SqlQuery;

  /** @throws `ConfigurationError` for an unknown dialect, or a name that cannot be quoted */
  constructor(
    query: SqlQuery,
    readonly dialect: SqlDialect,
    readonly table: string,
    readonly schema?: string | undefined,
  ) {
    if (typeof query !== 'function') {
      throw new ConfigurationError(
        'Expected `query` to be a function: `(text, values) => pool.query(text, values)`.',
      );
    }
    if (!Object.hasOwn(NOW, dialect)) {
      throw new ConfigurationError(
        "Expected `dialect` to be 'postgres', 'mysql' (for MariaDB too) or 'sqlite'.",
      );
    }
    this.#query = query;
    this.now = NOW[dialect];
    this.name = schema === undefined ? this.quote(table) : `${this.quote(schema)}.${this.quote(table)}`;
  }

  /** A name as an identifier of the dialect. PostgreSQL truncates a longer one, so that two tables could become one. */
  quote(name: string): string {
    const isTooLong = this.dialect === 'postgres' && new TextEncoder().encode(name).length > MAX_NAME_BYTES;
    if (typeof name !== 'string' || name === '' || name.includes('\0') || isTooLong) {
      throw new ConfigurationError(
        'Expected a name of a table or schema, unquoted and without the other part, of up to 52 bytes in PostgreSQL: ' +
          "{ schema: 'shop', table: 'notifications' }. It is quoted for you.",
      );
    }
    return this.dialect === 'mysql' ? `\`${name.replaceAll('`', '``')}\`` : `"${name.replaceAll('"', '""')}"`;
  }

  /** The statement with `$1`, `$2` and so on in PostgreSQL, for each `?` that is not in a name. */
  numbered(text: string): string {
    if (this.dialect !== 'postgres') return text;
    let count = 0;
    return text.replace(/"[^"]*"|\?/g, (match) => {
      if (match !== '?') return match;
      count += 1;
      return `$${count}`;
    });
  }

  /** Runs a statement, written with `?` for each value, and ignores its result. */
  async run(text: string, values: (string | number | null)[] = []): Promise<void> {
    await this.#query(this.numbered(text), values);
  }

  /** The statements that create the table, with an index named after each of these columns. */
  definition(columns: string, indexes: readonly string[]): string[] {
    const create = `CREATE TABLE IF NOT EXISTS ${this.name} (\n  ${columns}`;
    if (this.dialect === 'mysql') {
      return [`${create}${indexes.map((column) => `,\n  KEY (${column})`).join('')}\n) ENGINE = InnoDB`];
    }
    return [`${create}\n)`, ...indexes.map((column) => this.createIndex(column, `(${column})`))];
  }

  /** The statement that creates an index named after the table, for PostgreSQL and SQLite. */
  createIndex(suffix: string, on: string): string {
    const index = this.quote(`${this.table}_${suffix}`);
    // An index of PostgreSQL is in its table's schema; in SQLite the index has the schema, and the table has none.
    const isSqlite = this.dialect === 'sqlite';
    const prefix = isSqlite && this.schema !== undefined ? `${this.quote(this.schema)}.` : '';
    const table = isSqlite ? this.quote(this.table) : this.name;
    return `CREATE INDEX IF NOT EXISTS ${prefix}${index} ON ${table} ${on}`;
  }

  /** Creates what is missing. IF NOT EXISTS does not protect against another process that creates the same right now. */
  async create(statements: readonly string[]): Promise<void> {
    for (const statement of statements) {
      await this.run(statement).catch(() => this.run(statement));
    }
  }
}
