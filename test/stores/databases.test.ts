import { describe, expect, it, vi } from 'vitest';
import { ConfigurationError, StoreError } from '../../src/errors';
import { MysqlStore, PostgresStore, RedisStore, SqliteStore, type Store } from '../../src/stores';
import type { PostgresQueryable } from '../../src/stores/postgres-pool';
import type { LibsqlClient } from '../../src/stores/sqlite-store';
import { withSteps } from '../helpers/store-of';
import { tryClaim } from './claims';
import { briefly, lease } from './limits';

// What a store does with a database that is none, or that answers as no database does.

const unread = (step: string) =>
  new StoreError(
    `The store's client gave a reply to ${step} that its command never gives, so its outcome is unknown. ` +
      'Pass a plain client, without transformed replies, outside a pipeline or MULTI.',
  );

const rows = async () => [];
const callable = (methods: object) => Object.assign(() => undefined, methods);

/** Expects the error that this brief claim ends with. */
async function expectRefused(store: Store, error: Error): Promise<void> {
  await expect(withSteps(store).claim('payment:1', 'PAID', briefly)).rejects.toThrow(error);
}

interface StoreCase {
  /** Makes a store over what may be no database, or in a table of this name. */
  readonly create: (database: unknown, table?: string) => Store;
  readonly others: readonly unknown[];
  readonly refusal: string;
  /** Where names of tables are refused: a database that is one, and names that it alone refuses. */
  readonly database?: object;
  readonly tables?: readonly string[];
}

const stores: Record<string, StoreCase> = {
  PostgresStore: {
    create: (database, table) => new PostgresStore(database as never, { table }),
    others: [{ query: 'SELECT' }],
    refusal:
      'Expected a database with a query method as the first argument: a `new Pool()` of pg, or a PGlite.',
    database: { query: rows },
    tables: ['x'.repeat(53), 'é'.repeat(27)],
  },
  MysqlStore: {
    create: (database, table) => new MysqlStore(database as never, { table }),
    others: [{ execute: 'SELECT' }, { execute: rows, promise: () => undefined }],
    refusal:
      "Expected a pool of mysql2 with promises as the first argument: `createPool()` of 'mysql2/promise', or " +
      '`pool.promise()`.',
    database: { execute: rows },
  },
  SqliteStore: {
    create: (database, table) => new SqliteStore(database as never, { table }),
    others: [{ prepare: true }, { execute: true }, callable({ prepare: () => undefined })],
    refusal:
      'Expected an SQLite database as the first argument: a `new DatabaseSync(path)` of node:sqlite, a ' +
      '`new Database(path)` of bun, better-sqlite3 or libsql, or the result of `createClient()` of @libsql/client.',
    database: { prepare: () => undefined },
  },
  RedisStore: {
    create: (database) => new RedisStore(database as never),
    others: [{ eval: rows }, callable({ createScript: true })],
    refusal:
      'Expected a Redis client as the first argument: a `new Redis()` of ioredis 5 or later, the result of ' +
      '`createClient()` of redis 4 or later (not in its legacy mode), or a `new Redis()` of @upstash/redis. Pass ' +
      "the client itself, not the driver's module.",
  },
};

describe.each(Object.entries(stores))('%s', (_, { create, others, refusal, database, tables = [] }) => {
  it.each([undefined, null, 'database', 7, {}, () => undefined, ...others])(
    'refuses the database %j',
    (other) => {
      expect(() => create(other)).toThrow(new ConfigurationError(refusal));
    },
  );

  it.each(database ? ['', 'a\0b', ...tables] : [])('refuses the table %j', (table) => {
    expect(() => create(database, table)).toThrow(ConfigurationError);
    expect(() => create(database, table)).toThrow('Expected a name of a table or schema');
  });
});

describe('PostgresStore', () => {
  it('takes a function with a query method, as Neon gives', async () => {
    const neon: PostgresQueryable = callable({ query: async () => [{ now: 1 }] }) as never;
    const claim = await withSteps(new PostgresStore(neon)).claim('payment:1', 'PAID', lease(1));
    expect(claim).toMatchObject({ status: 'claimed', fence: 1 });
  });

  it.each([{}, { connect: () => undefined }, { totalCount: 0 }, { connect: true, totalCount: 0 }])(
    'refuses as a pool: %j',
    (parts) => {
      expect(
        () => new PostgresStore({ query: rows, ...parts } as never, { transactional: true } as never),
      ).toThrow(
        new ConfigurationError(
          'Expected a pool with a connect method for transactional: true, because each callback needs a connection of ' +
            'its own: pass a `new Pool()` of pg.',
        ),
      );
    },
  );

  it('takes a pool for its transactions, and has transact with transactional: true only', () => {
    const pool = { query: rows, connect: () => undefined, totalCount: 0 } as never;
    expect(withSteps(new PostgresStore(pool, { transactional: true })).transact).toBeTypeOf('function');
    expect(withSteps(new PostgresStore(pool)).transact).toBeUndefined();
  });

  it.each([undefined, 'rows', null, {}])('treats the rows %j as an error', async (rows) => {
    const store = new PostgresStore({ query: async () => ({ rows }) } as never);
    await expectRefused(store, unread('a statement'));
  });

  it('gives the SQL of its table', () => {
    expect(new PostgresStore({ query: rows }).createTableSql()).toMatchInlineSnapshot(`
      "CREATE TABLE IF NOT EXISTS "public"."pix_automatic" (
        id pg_catalog.text COLLATE pg_catalog."C" PRIMARY KEY,
        -- JSON in ASCII: what was done, a dead letter, an order, or the pointer to one.
        record pg_catalog.text NOT NULL,
        version bigint NOT NULL,
        -- When the record may be deleted, in milliseconds since 1970.
        expires_at bigint NOT NULL
      ) WITH (fillfactor = 80);
      CREATE INDEX IF NOT EXISTS "pix_automatic_expires_at" ON "public"."pix_automatic" (expires_at);
      "
    `);
  });
});

describe('MysqlStore', () => {
  it.each(['', 'a\0b'])('refuses the schema %j', (schema) => {
    expect(() => new MysqlStore({ execute: async () => [[]] }, { schema })).toThrow(ConfigurationError);
  });

  it.each([undefined, 'rows', {}, { affectedRows: 2 }, { affectedRows: '1' }])(
    'treats the answer %j to a read, or to a write, as an error',
    async (answer) => {
      const reading = [{ record: null, version: null, now: 1 }];
      const writing = new MysqlStore({
        execute: async (sql) => [sql.startsWith('SELECT') ? reading : answer],
      });
      await expectRefused(writing, unread('a statement'));
      await expectRefused(new MysqlStore({ execute: async () => [answer] }), unread('a statement'));
    },
  );

  it.each([[[]], [[{}]], [[{ version: 'x', now: 1 }]]])('treats the rows %j as an error', async (rows) => {
    await expectRefused(new MysqlStore({ execute: async () => [rows] }), unread('read'));
  });

  it('gives the SQL of its table', () => {
    expect(new MysqlStore({ execute: async () => [[]] }).createTableSql()).toMatchInlineSnapshot(`
      "CREATE TABLE IF NOT EXISTS \`pix_automatic\` (
        id VARBINARY(512) NOT NULL PRIMARY KEY,
        -- JSON in ASCII: what was done, a dead letter, an order, or the pointer to one.
        record MEDIUMTEXT CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        version BIGINT NOT NULL,
        -- When the record may be deleted, in milliseconds since 1970.
        expires_at BIGINT NOT NULL,
        KEY (expires_at)
      ) ENGINE = InnoDB;
      "
    `);
  });
});

describe('RedisStore', () => {
  /** A store over a client of Upstash, the only kind whose `eval` takes two lists. */
  const answering = (answer: (values: string[]) => unknown, options = {}) => {
    const run = vi.fn(async (_script: string, _keys: string[], values: string[]) => answer(values));
    const client = { createScript: () => undefined, eval: run };
    return { store: withSteps(new RedisStore(client as never, options)), run };
  };
  const missing = ['0', '', 1];

  it.each(['', 'a:', ':a', 'a b', '{a}', 'a/b', 'a'.repeat(101), 7])(
    'refuses the namespace %j',
    (namespace) => {
      expect(() => answering(rows, { namespace })).toThrow(
        new ConfigurationError(
          "Expected `namespace` to be 1 to 100 letters, digits, '.', '_' or '-', such as the name of the listener.",
        ),
      );
    },
  );

  it.each([
    [{}, 'pix-automatic:default/seen:payment:1'],
    [{ prefix: '{a}', namespace: 'a-1_b.C' }, '{a}a-1_b.C/seen:payment:1'],
  ])('with %j has the key %s', async (options, key) => {
    const { store, run } = answering((values) => (values.length ? ['written', '', 1] : missing), options);
    await tryClaim(store, 'payment:1');
    expect(run.mock.calls.map(([, keys]) => keys)).toEqual([[key], [key]]);
  });

  it.each([undefined, 'abc', [], ['0', ''], ['0', '', 1, 2], { length: 3 }])(
    'treats the reply %j as an error',
    (reply) => expectRefused(answering(() => reply).store, unread('the script')),
  );

  it.each([
    ['0', { format: 2, done: [] }, 1],
    [0, '', 1],
  ])('says what to change where the client parsed a reply: %j, %j', (...reply) =>
    expectRefused(
      answering(() => reply).store,
      new ConfigurationError(
        'The Redis client parsed a record instead of returning its text. Construct the Upstash client with ' +
          '`automaticDeserialization: false`; give any other client its default parsers.',
      ),
    ),
  );

  it('reads again where another process wrote first, and treats any other outcome as an error', async () => {
    const outcomes = ['kept', 'written', 'OK'];
    const { store, run } = answering((values) => (values.length ? [outcomes.shift(), '', 1] : missing));
    expect(await tryClaim(store, 'payment:2')).toBe('claimed');
    expect(run.mock.calls.map(([, , values]) => values.length)).toEqual([0, 5, 0, 5]);
    await expectRefused(store, unread('the script'));
  });
});

describe('SqliteStore', () => {
  /** A database whose statements fail with these errors, one after the other, before they succeed. */
  const failing = (...errors: unknown[]) => {
    const run = vi.fn();
    const prepare = vi.fn((_sql: string) => ({
      run,
      all: () => {
        if (errors.length > 0) throw errors.shift();
        return [{ now: 1, written: 1 }];
      },
    }));
    return { run, database: { prepare } };
  };
  const errorWith = (fields: object) => Object.assign(new Error('of SQLite'), fields);

  it('says which option is wrong', () => {
    const { database } = failing();
    expect(() => new SqliteStore(database, { busyTimeoutMs: 0 })).toThrow('Expected `busyTimeoutMs` to be ');
  });

  it('takes a client of libsql', async () => {
    const client: LibsqlClient = { execute: async () => ({ rows: [{ now: 1, written: 1 }] }) };
    expect(await tryClaim(withSteps(new SqliteStore(client)), 'a')).toBe('claimed');
  });

  it('creates its table with statements that give no rows, and looks at its columns', async () => {
    const { database, run } = failing();
    await new SqliteStore(database).createTable();
    expect(run).toHaveBeenCalledTimes(2);
    const sent = database.prepare.mock.calls.map(([sql]) => sql.split(' ')[0]);
    expect(sent).toEqual(['PRAGMA', 'CREATE', 'CREATE', 'SELECT']);
  });

  it.each(['inTransaction', 'isTransaction'])('refuses to work where %s is true', (name) =>
    expectRefused(
      new SqliteStore({ ...failing().database, [name]: true }),
      new StoreError(
        "A transaction is open on the store's SQLite connection, and its rollback would undo the step. " +
          'Give the store a connection of its own.',
      ),
    ),
  );

  it.each([
    { errcode: 5 },
    { errcode: 17 },
    { errcode: 261, errno: 1 },
    { errno: 5 },
    { errno: 17, code: 'SQLITE_ERROR' },
    { code: 'SQLITE_BUSY' },
    { code: 'SQLITE_BUSY_SNAPSHOT' },
    { code: 'SQLITE_SCHEMA' },
    { errno: 'busy', code: 'SQLITE_BUSY' },
  ])('tries again after %j', async (fields) => {
    const { database } = failing(errorWith(fields));
    expect(await tryClaim(withSteps(new SqliteStore(database)), 'a')).toBe('claimed');
  });

  it.each([
    'SQLITE_BUSY',
    { code: 'SQLITE_BUSY' },
    errorWith({ errcode: 13, code: 'SQLITE_BUSY' }),
    errorWith({ errno: 13 }),
    errorWith({ code: 'SQLITE_FULL' }),
    errorWith({ code: 'NOT_SQLITE_BUSY' }),
    new Error('SQLITE_BUSY'),
  ])('throws what cannot pass: %j', async (error) => {
    await expect(new SqliteStore(failing(error).database).deleteExpired()).rejects.toBe(error);
  });

  it('says that the file was held for all of its time', async () => {
    const held = errorWith({ code: 'SQLITE_BUSY' });
    const store = new SqliteStore(failing(...Array(100).fill(held)).database, { busyTimeoutMs: 20 });
    await expect(store.deleteExpired()).rejects.toThrow(
      new StoreError(
        'Another connection held the SQLite database for all of busyTimeoutMs (20 ms). Look for a process with a long ' +
          'transaction on the file, such as a backup or a shell, and use WAL, so that readers do not block it.',
        { cause: held },
      ),
    );
  });

  it('gives the SQL of its table', () => {
    expect(new SqliteStore(failing().database).createTableSql()).toMatchInlineSnapshot(`
      "CREATE TABLE IF NOT EXISTS "pix_automatic" (
        id TEXT NOT NULL PRIMARY KEY,
        -- JSON in ASCII: what was done, a dead letter, an order, or the pointer to one.
        record TEXT NOT NULL,
        version INTEGER NOT NULL,
        -- When the record may be deleted, in milliseconds since 1970.
        expires_at INTEGER NOT NULL
      );
      CREATE INDEX IF NOT EXISTS "pix_automatic_expires_at" ON "pix_automatic" (expires_at);
      "
    `);
  });
});
