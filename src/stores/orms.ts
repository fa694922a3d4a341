import { ConfigurationError } from '../errors/configuration-error';
import { readNamedOptions } from '../values/option-checks';
import { type WatchedTransaction, watchQueries } from './prisma-queries';
import type { Store } from './steps';
import { clientKind, storeHint } from './which-client';
import {
  checkPool,
  JOINED_OPTIONS,
  type JoinedStoreOptions,
  type StoreWithinOptions,
  storeOver,
  WITHIN_OPTIONS,
} from './within';

// In PostgreSQL each transaction is begun as READ COMMITTED, by the ORM's own option, whatever the database or the role
// says: above that, two deliveries at once end with serialization failures. In MySQL the level stays as it is: what a
// statement locks is read as it is now at any level, and a binary log by statements refuses READ COMMITTED.
//
// To add an ORM: the part of it that is used, as a type of its own; a function that makes an access of it; its file in
// test/orms, which runs it against the real one; its row in docs/database.md.

type Work<Tx> = (tx: Tx) => Promise<void>;

/** What an ORM gives for a statement. */
// biome-ignore lint/suspicious/noExplicitAny: each ORM has a type of its own, and the store reads rows in any form
type Answer = PromiseLike<any>;

/** A tag of an ORM that makes a statement of a template and its values. */
type SqlTag = (strings: TemplateStringsArray, ...values: unknown[]) => unknown;

/**
 * A store over Prisma 7, in PostgreSQL. What a callback writes through `context.transaction`, which is what
 * `prisma.$transaction` gives, happens **exactly once**. `docs/database.md` in the package says how to keep Prisma's
 * migrations away from the table, and what a callback must keep to.
 *
 * ```ts
 * const store = prismaStore(prisma, { dialect: 'postgres' });
 * ```
 *
 * @throws `ConfigurationError` for anything but a `PrismaClient`, or an option that cannot work
 */
export function prismaStore<Tx extends object>(
  prisma: {
    $transaction(
      work: Work<Tx>,
      options?: { timeout?: number; maxWait?: number; isolationLevel?: 'ReadCommitted' },
    ): Answer;
    $queryRawUnsafe(text: string, ...values: unknown[]): Answer;
  },
  options: JoinedStoreOptions & { readonly dialect: 'postgres' },
): Store<Tx> {
  check(prisma, ['$transaction', '$queryRawUnsafe'], 'prismaStore(prisma, …)', 'your `PrismaClient`');
  const own = readNamedOptions<StoreWithinOptions>('prismaStore', options, WITHIN_OPTIONS);
  if (own.dialect === 'mysql') {
    throw new ConfigurationError(
      'Expected `prismaStore` over PostgreSQL. For MySQL, give `new MysqlStore(pool)` a pool of mysql2 beside Prisma.',
    );
  }
  /** By what callbacks get. */
  const transactions = new WeakMap<Tx, WatchedTransaction<Tx> & { readonly own: Tx }>();
  const watch = (tx: Tx): Tx => {
    const queries = watchQueries(tx);
    transactions.set(queries.watched, { ...queries, own: tx });
    return queries.watched;
  };
  return storeOver<Tx>(
    {
      // Prisma's own limit is 5 seconds.
      transaction: (work, { timeoutMs }) =>
        prisma.$transaction((tx) => work(watch(tx)), {
          timeout: timeoutMs,
          maxWait: own.stepTimeoutMs ?? 5_000,
          isolationLevel: 'ReadCommitted',
        }),
      query: (tx, text, values) => {
        const client = tx === undefined ? prisma : transactions.get(tx)?.own;
        return (client as typeof prisma).$queryRawUnsafe(text, ...values);
      },
    },
    own,
    (tx, acted) => (acted === 'undone' ? undefined : transactions.get(tx)?.end()),
  );
}

/**
 * A store over Drizzle, in PostgreSQL (`drizzle-orm/node-postgres`) or MySQL and MariaDB (`drizzle-orm/mysql2`). What
 * a callback writes through `context.transaction`, Drizzle's own transaction, happens **exactly once**. `docs/database.md` in
 * the package says which listeners a pool of `pg` needs, and how to keep drizzle-kit away from the table.
 *
 * ```ts
 * const store = drizzleStore(db, sql, { dialect: 'postgres' });
 * ```
 *
 * @param sql - the tag of `drizzle-orm`
 * @throws `ConfigurationError` for anything but a database of Drizzle and its tag, or an option that cannot work
 */
export function drizzleStore<Tx>(
  // biome-ignore lint/suspicious/noExplicitAny: an SQL of Drizzle, which has private fields
  db: { transaction(work: Work<Tx>, config?: any): Answer; execute(query: any): Answer },
  sql: SqlTag,
  options: StoreWithinOptions,
): Store<Tx> {
  check(db, ['transaction', 'execute'], 'drizzleStore(db, sql, …)', 'what `drizzle(…)` returned');
  checkTag(sql, 'drizzle-orm');
  const own = readNamedOptions('drizzleStore', options, WITHIN_OPTIONS);
  return storeOver<Tx>(
    {
      transaction: (work) =>
        own.dialect === 'postgres'
          ? db.transaction(work, { isolationLevel: 'read committed' })
          : db.transaction(work),
      query: (tx, text, values) => ((tx ?? db) as typeof db).execute(sql(templateOf(text), ...values)),
    },
    own,
  );
}

/**
 * A store over TypeORM, in PostgreSQL, MySQL or MariaDB. What a callback writes through `context.transaction`, an
 * `EntityManager`, happens **exactly once**. `docs/database.md` in the package says what a callback must keep to.
 *
 * ```ts
 * const store = typeormStore(dataSource);
 * ```
 *
 * @throws `ConfigurationError` for anything but a `DataSource` over one of these, or an option that cannot work
 */
export function typeormStore<Tx>(
  dataSource: {
    readonly options: { readonly type: string };
    readonly manager: Tx;
    // biome-ignore lint/suspicious/noExplicitAny: of its two forms, TypeScript would infer from the other
    transaction(work: (tx: any) => Promise<void>): Answer;
  },
  options: JoinedStoreOptions = {},
): Store<Tx> {
  check(dataSource, ['transaction'], 'typeormStore(dataSource)', 'your `DataSource`');
  type Manager = { query(text: string, values: unknown[]): Answer };
  const own = readNamedOptions('typeormStore', options, JOINED_OPTIONS);
  const dialect = dialectOf(dataSource.options?.type);
  type Isolated = { transaction(level: 'READ COMMITTED', work: Work<Tx>): Answer };
  return storeOver<Tx>(
    {
      transaction: (work) =>
        dialect === 'postgres'
          ? (dataSource as unknown as Isolated).transaction('READ COMMITTED', work)
          : dataSource.transaction(work),
      query: (tx, text, values) => ((tx ?? dataSource.manager) as Manager).query(text, values),
    },
    { ...own, dialect },
  );
}

/**
 * A store over Knex, in PostgreSQL (`pg`) or MySQL and MariaDB (`mysql2`). What a callback writes through
 * `context.transaction`, a `Knex.Transaction`, happens **exactly once**. `docs/database.md` in the package says what a
 * callback must keep to.
 *
 * ```ts
 * const store = knexStore(knex);
 * ```
 *
 * @throws `ConfigurationError` for anything but a Knex over one of these, or an option that cannot work
 */
export function knexStore<Tx>(
  knex: {
    readonly client: { readonly config: { readonly client?: unknown } };
    // biome-ignore lint/suspicious/noExplicitAny: Knex has one type for the options of every database
    transaction(work: Work<Tx>, config?: any): Answer;
    // biome-ignore lint/suspicious/noExplicitAny: Knex has a type of its own for each kind of value
    raw(text: string, values: any): Answer;
  },
  options: JoinedStoreOptions = {},
): Store<Tx> {
  check(knex, ['transaction', 'raw'], 'knexStore(knex)', 'what `knex({ … })` returned');
  const own = readNamedOptions('knexStore', options, JOINED_OPTIONS);
  checkNames(own, /\?/, "without '?', which is a value to Knex");
  const { pool } = Object(knex.client) as { readonly pool?: { readonly max?: number } };
  checkPool(own.maxTransactions, pool?.max);
  const dialect = dialectOf(knex.client?.config?.client);
  return storeOver<Tx>(
    {
      transaction: (work) =>
        dialect === 'postgres'
          ? knex.transaction(work, { isolationLevel: 'read committed' })
          : knex.transaction(work),
      query: (tx, text, values) => ((tx ?? knex) as typeof knex).raw(partsOf(text).join('?'), values),
    },
    { ...own, dialect },
  );
}

/**
 * A store over Kysely, in PostgreSQL or MySQL and MariaDB. What a callback writes through `context.transaction`,
 * Kysely's `Transaction`, happens **exactly once**. `docs/database.md` in the package says which listeners a pool of `pg`
 * needs.
 *
 * ```ts
 * const store = kyselyStore(db, sql, { dialect: 'postgres' });
 * ```
 *
 * @param sql - the tag of `kysely`
 * @throws `ConfigurationError` for anything but a `Kysely` and its tag, or an option that cannot work
 */
export function kyselyStore<Tx>(
  db: { transaction(): { execute(work: Work<Tx>): Answer } },
  sql: SqlTag,
  options: StoreWithinOptions,
): Store<Tx> {
  check(db, ['transaction'], 'kyselyStore(db, sql, …)', 'your `Kysely`');
  checkTag(sql, 'kysely');
  type Statement = { execute(executor: unknown): Answer };
  const own = readNamedOptions('kyselyStore', options, WITHIN_OPTIONS);
  type Isolated = { setIsolationLevel(level: 'read committed'): ReturnType<typeof db.transaction> };
  return storeOver<Tx>(
    {
      transaction: (work) => {
        const builder = db.transaction();
        return own.dialect === 'postgres'
          ? (builder as unknown as Isolated).setIsolationLevel('read committed').execute(work)
          : builder.execute(work);
      },
      query: (tx, text, values) => (sql(templateOf(text), ...values) as Statement).execute(tx ?? db),
    },
    own,
  );
}

/**
 * A store over Sequelize 6, in PostgreSQL, MySQL or MariaDB. What a callback writes with
 * `{ transaction: context.transaction }` happens **exactly once**. `docs/database.md` in the package says what a callback
 * must keep to.
 *
 * ```ts
 * const store = sequelizeStore(sequelize);
 * ```
 *
 * @throws `ConfigurationError` for anything but a `Sequelize` over one of these, or an option that cannot work
 */
export function sequelizeStore<Tx>(
  sequelize: {
    getDialect(): string;
    // Its form without a callback is the one that TypeScript infers from.
    transaction(): PromiseLike<Tx>;
    query(text: string): Answer;
  },
  options: JoinedStoreOptions = {},
): Store<Tx> {
  check(sequelize, ['getDialect', 'transaction', 'query'], 'sequelizeStore(sequelize)', 'your `Sequelize`');
  const typed = sequelize as unknown as {
    transaction(work: Work<Tx>): Answer;
    transaction(options: { isolationLevel: 'READ COMMITTED' }, work: Work<Tx>): Answer;
    query(text: string, options: { transaction: Tx | null; bind: unknown[] }): Answer;
  };
  const own = readNamedOptions('sequelizeStore', options, JOINED_OPTIONS);
  checkNames(own, /\$[\w$]/, "without '$' before a letter, a digit or '$', which is a value to Sequelize");
  const dialect = dialectOf(sequelize.getDialect());
  return storeOver<Tx>(
    {
      transaction: (work) =>
        dialect === 'postgres'
          ? typed.transaction({ isolationLevel: 'READ COMMITTED' }, work)
          : typed.transaction(work),
      // `null`, because Sequelize would put `undefined` into a transaction that it finds by itself.
      query: (tx, text, bind) =>
        typed.query(
          partsOf(text).reduce((before, after, i) => `${before}$${i}${after}`),
          { transaction: tx ?? null, bind },
        ),
    },
    { ...own, dialect },
  );
}

const DIALECTS: Readonly<Record<string, StoreWithinOptions['dialect']>> = {
  postgres: 'postgres',
  pg: 'postgres',
  mysql: 'mysql',
  mysql2: 'mysql',
  mariadb: 'mysql',
};

function dialectOf(name: unknown): StoreWithinOptions['dialect'] {
  const dialect = DIALECTS[String(name)];
  if (dialect !== undefined) return dialect;
  throw new ConfigurationError(
    'Expected an ORM over PostgreSQL, MySQL or MariaDB: in no other database can the store join its transactions. For ' +
      'SQLite there is `new SqliteStore(database)`, without transactions.',
  );
}

function check(orm: unknown, methods: readonly string[], call: string, expected: string): void {
  const { isTransaction, rollback } = Object(orm) as { isTransaction?: unknown; rollback?: unknown };
  // What `open` remembers must stand, whatever becomes of the merchant's transaction.
  if (isTransaction === true || typeof rollback === 'function') {
    throw new ConfigurationError(
      `Expected ${expected} as the first argument, not a transaction: \`${call}\`.`,
    );
  }
  if (orm != null && methods.every((method) => typeof Reflect.get(Object(orm), method) === 'function'))
    return;
  throw new ConfigurationError(
    `Expected ${expected} as the first argument: \`${call}\`.${storeHint(clientKind(orm))}`,
  );
}

/** @throws `ConfigurationError` for a name in which the ORM would look for values */
function checkNames({ table = '', schema = '' }: JoinedStoreOptions, values: RegExp, rule: string): void {
  if (!values.test(table) && !values.test(schema)) return;
  throw new ConfigurationError(`Expected a name of a table or schema ${rule}.`);
}

function checkTag(sql: unknown, from: string): void {
  if (typeof sql === 'function') return;
  throw new ConfigurationError(
    `Expected the tag of '${from}' as the second argument: \`import { sql } from '${from}'\`.`,
  );
}

/** The statement between its values. A mark in a quoted name is none. */
function partsOf(text: string): string[] {
  return text
    .replace(/("[^"]*"|`[^`]*`)|\$\d+|\?/g, (_, name: string | undefined) => name ?? '\0')
    .split('\0');
}

/** What a tag gets for a template, without the values. */
function templateOf(text: string): TemplateStringsArray {
  const parts = partsOf(text);
  return Object.assign(parts, { raw: parts });
}
