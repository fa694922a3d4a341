import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import mysql from 'mysql2/promise';
import pg from 'pg';
import { knexStore, PostgresStore, RedisStore, SqliteStore, type Store } from '../../../src/stores';
import { stepsOf } from '../../../src/stores/steps';
import { withSteps } from '../../../src/testing/crash-before-commit';
import { MemoryStore } from '../../../src/webhooks';
import { findBetterSqlite3 } from '../../helpers/better-sqlite3';
import { findMysql, mysqlUrl } from '../../helpers/mysql';
import { findPostgres, postgresConfig } from '../../helpers/postgres';
import { findRedis, redisUrl } from '../../helpers/redis';

// The stores as merchants make them. Their clocks are moved by a change of the text that reads the clock.

/** One shop's store, of one sequence. */
export interface Place {
  // biome-ignore lint/suspicious/noExplicitAny: each database has a transaction of its own type
  readonly store: Store<any>;
  /** Writes an effect in a callback's transaction. Without it, the store has none. */
  readonly write?: (transaction: never, line: string) => PromiseLike<unknown>;
  /** What was written, and is committed. */
  readonly written?: () => Promise<string[]>;
}

/** A process of a shop that may die: what it asks of its database, and the connections that end with it. */
export interface Mortal {
  outside<Result>(act: () => PromiseLike<Result>): Promise<Result>;
  onDeath(end: () => void): void;
}

export interface Database {
  readonly name: string;
  readonly isTransactional: boolean;
  /**
   * A store of a namespace.
   *
   * @param offset - how far its clock is ahead, in milliseconds
   * @param mortal - the process that has it, with connections of its own; without it, all share some
   */
  open(namespace: string, offset: () => number, mortal?: Mortal): Place;
  close(): Promise<unknown>;
}

const CLOCKS = {
  postgres: [
    'pg_catalog.clock_timestamp()',
    (ms: number) => `(pg_catalog.clock_timestamp() + interval '${ms} milliseconds')`,
  ],
  mysql: ['UTC_TIMESTAMP(6)', (ms: number) => `(UTC_TIMESTAMP(6) + INTERVAL ${ms} * 1000 MICROSECOND)`],
  sqlite: ["julianday('now')", (ms: number) => `(julianday('now') + ${ms} / 86400000.0)`],
  redis: [
    "local time = redis.call('TIME')",
    (ms: number) => `local time = redis.call('TIME')\ntime[1] = time[1] + ${Math.round(ms / 1000)}`,
  ],
} as const;

function moved(dialect: keyof typeof CLOCKS, text: string, offset: number): string {
  const [clock, later] = CLOCKS[dialect];
  return text.replaceAll(clock, later(Math.round(offset)));
}

/** For one run. */
const run = randomUUID().slice(0, 8);

const inMemory = new Map<string, MemoryStore>();

const memory: Database = {
  name: 'memory',
  isTransactional: false,
  open(namespace, offset, mortal) {
    const store =
      inMemory.get(namespace) ?? new MemoryStore({ namespace, clock: () => Date.now() + offset() });
    // Processes that die share what is in memory, so that it is as any other store.
    if (mortal !== undefined) inMemory.set(namespace, store);
    return { store: mortalStore(store, mortal) };
  },
  close: async () => inMemory.clear(),
};

/** A store without transactions whose every step is outside the process. */
function mortalStore(store: Store, mortal: Mortal | undefined): Store {
  if (mortal === undefined) return store;
  const steps = Object.entries(stepsOf<unknown>(store)).map(([name, step]) => [
    name,
    typeof step !== 'function' || name === 'explain'
      ? step
      : (...given: unknown[]) =>
          mortal.outside(async () => (step as (...all: unknown[]) => unknown)(...given)),
  ]);
  return withSteps(store, Object.fromEntries(steps));
}

async function postgres({ max = 6 } = {}): Promise<Database> {
  const [table, effects] = [`oracle_${run}`, `oracle_effects_${run}`];
  const pool = new pg.Pool({ ...postgresConfig, max });
  pool.on('error', () => undefined);
  await new PostgresStore(pool, { table }).createTable();
  await pool.query(`CREATE TABLE IF NOT EXISTS ${effects} (place text, id serial, line text)`);
  const query = (
    client: { query: (...given: never[]) => unknown },
    offset: () => number,
    { outside }: Pick<Mortal, 'outside'> = IMMORTAL,
  ) =>
    ((first: string | { text: string }, ...rest: unknown[]) => {
      const now = offset();
      const text =
        typeof first === 'string'
          ? moved('postgres', first, now)
          : Object.assign(Object.create(first), { text: moved('postgres', first.text, now) });
      return outside(() => (client.query as (...given: unknown[]) => PromiseLike<unknown>)(text, ...rest));
    }) as never;
  return {
    name: 'PostgreSQL, in transactions',
    isTransactional: true,
    open(namespace, offset, mortal) {
      const used = mortal === undefined ? pool : ownPool(mortal);
      const own = {
        get totalCount() {
          return used.totalCount;
        },
        options: used.options,
        query: query({ query: used.query.bind(used) } as never, offset, mortal),
        connect: (callback: (error: unknown, client: unknown, done?: unknown) => void) =>
          used.connect((error, client, done) =>
            callback(
              error,
              client &&
                new Proxy(client, {
                  get(target, name) {
                    if (name === 'query')
                      return query({ query: target.query.bind(target) } as never, offset, mortal);
                    const value = Reflect.get(target, name, target);
                    return typeof value === 'function' ? value.bind(target) : value;
                  },
                }),
              done,
            ),
          ),
      };
      return {
        store: new PostgresStore(own as never, {
          table,
          namespace,
          transactional: true,
          maxTransactions: mortal === undefined ? 4 : 2,
        }),
        write: (transaction: { query(text: string, values: string[]): Promise<unknown> }, line) =>
          transaction.query(`INSERT INTO ${effects} (place, line) VALUES ($1, $2)`, [namespace, line]),
        written: async () =>
          (
            await pool.query(`SELECT line FROM ${effects} WHERE place = $1 ORDER BY id`, [namespace])
          ).rows.map(({ line }) => line),
      };
    },
    async close() {
      await pool.query(`DROP TABLE ${table}, ${effects}`);
      await pool.end();
    },
  };
}

const IMMORTAL: Pick<Mortal, 'outside'> = { outside: async (act) => act() };

/** A pool of one process, whose connections end with it. */
function ownPool(mortal: Mortal): pg.Pool {
  const pool = new pg.Pool({ ...postgresConfig, max: 3 });
  const streams = new Set<{ destroy(): void }>();
  pool.on('error', () => undefined);
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    streams.add((client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream);
  });
  mortal.onDeath(() => {
    for (const stream of streams) stream.destroy();
    void pool.end().catch(() => undefined);
  });
  return pool;
}

/** Installs packages once, outside the project, and gives a `require` of theirs. */
function installed(name: string, packages: readonly string[]): NodeJS.Require {
  const folder = join(tmpdir(), `pix-automatic-oracle-${name}`);
  if (!existsSync(join(folder, 'complete'))) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "private": true }');
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages], {
      cwd: folder,
    });
    writeFileSync(join(folder, 'complete'), '');
  }
  return createRequire(join(folder, 'package.json'));
}

async function mariadbThroughKnex(): Promise<Database> {
  const [table, effects] = [`oracle_${run}`, `oracle_effects_${run}`];
  const admin = mysql.createPool({ uri: mysqlUrl, connectionLimit: 1 });
  const require = installed('knex', ['knex@3.1.0', 'mysql2@3']);
  const connect = (pool: object) => require('knex')({ client: 'mysql2', connection: mysqlUrl, pool });
  const knex = connect({ min: 0, max: 8 });
  const ownKnex = (mortal: Mortal) => {
    const connections = new Set<{ destroy(): void }>();
    const own = connect({
      min: 0,
      max: 3,
      afterCreate(
        connection: { destroy(): void; on(event: string, listen: () => void): void },
        done: (error: unknown, given: unknown) => void,
      ) {
        connection.on('error', () => undefined);
        connections.add(connection);
        done(undefined, connection);
      },
    });
    mortal.onDeath(() => {
      for (const connection of connections) connection.destroy();
    });
    return own;
  };
  const store = knexStore(knex, { table } as never);
  await store.createTable();
  await admin.query(
    `CREATE TABLE IF NOT EXISTS ${effects} (id int AUTO_INCREMENT PRIMARY KEY, place varchar(100), line varchar(300))`,
  );
  const raw =
    (
      target: { raw: (...given: unknown[]) => PromiseLike<unknown> },
      offset: () => number,
      { outside }: Pick<Mortal, 'outside'> = IMMORTAL,
    ) =>
    (text: string, ...rest: unknown[]) =>
      outside(() => target.raw(moved('mysql', text, offset()), ...rest));
  const moving = (target: object, offset: () => number, mortal?: Mortal): object =>
    new Proxy(target, {
      get(each, name) {
        if (name === 'raw') return raw(each as never, offset, mortal);
        const value = Reflect.get(each, name, each);
        if (name === 'transaction')
          return (work: (tx: object) => unknown, ...rest: unknown[]) =>
            (value as (...given: unknown[]) => unknown).call(
              each,
              (tx: object) => work(moving(tx, offset, mortal)),
              ...rest,
            );
        return typeof value === 'function' ? value.bind(each) : value;
      },
    });
  return {
    name: 'MariaDB through Knex',
    isTransactional: true,
    open(namespace, offset, mortal) {
      const used = mortal === undefined ? knex : ownKnex(mortal);
      return {
        store: knexStore(moving(used, offset, mortal) as never, { table, namespace } as never),
        write: (transaction: { raw(text: string, values: string[]): PromiseLike<unknown> }, line) =>
          transaction.raw(`INSERT INTO ${effects} (place, line) VALUES (?, ?)`, [namespace, line]),
        written: async () => {
          const [rows] = await admin.query<mysql.RowDataPacket[]>(
            `SELECT line FROM ${effects} WHERE place = ? ORDER BY id`,
            [namespace],
          );
          return rows.map(({ line }) => String(line));
        },
      };
    },
    async close() {
      await admin.query(`DROP TABLE ${table}, ${effects}`);
      await knex.destroy();
      await admin.end();
    },
  };
}

async function redis(): Promise<Database> {
  const client = new Redis(redisUrl);
  const prefix = `oracle-${run}:`;
  return {
    name: 'Redis',
    isTransactional: false,
    open: (namespace, offset, { outside } = IMMORTAL as Mortal) => ({
      store: new RedisStore(
        {
          defineCommand: client.defineCommand,
          eval: (script: string, count: number, ...rest: string[]) =>
            outside(() => client.eval(moved('redis', script, offset()), count, ...rest)),
        },
        { namespace, prefix },
      ),
    }),
    async close() {
      const keys = await client.keys(`*${prefix}*`);
      if (keys.length > 0) await client.del(keys);
      client.disconnect();
    },
  };
}

async function sqlite(): Promise<Database | undefined> {
  const Driver = findBetterSqlite3();
  if (Driver === undefined) return undefined;
  const file = join(tmpdir(), `oracle-${run}.sqlite`);
  const database = new Driver(file);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF');
  await new SqliteStore(database).createTable();
  return {
    name: 'SQLite',
    isTransactional: false,
    open: (namespace, offset, mortal) => ({
      store: mortalStore(
        new SqliteStore(
          new Proxy(database, {
            get(target, name) {
              if (name === 'prepare')
                return (text: string) => preparedLate(() => target.prepare(moved('sqlite', text, offset())));
              const value = Reflect.get(target, name, target);
              return typeof value === 'function' ? value.bind(target) : value;
            },
          }),
          { namespace },
        ),
        mortal,
      ),
    }),
    async close() {
      database.close();
      for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
    },
  };
}

/** A statement whose text is made when it is run: a store keeps what it has prepared, and the clock moves on. */
function preparedLate<Statement extends object>(prepare: () => Statement): Statement {
  return new Proxy(prepare(), {
    get(made, name) {
      if (typeof Reflect.get(made, name, made) !== 'function') return Reflect.get(made, name, made);
      return (...given: unknown[]) => {
        const statement = prepare();
        return (Reflect.get(statement, name, statement) as (...all: unknown[]) => unknown).apply(
          statement,
          given,
        );
      };
    },
  });
}

/** All that are there. @param only - names to choose from, or parts of them */
export async function databases(only?: string): Promise<Database[]> {
  const isWanted = (name: string) =>
    only === undefined || only.split(',').some((part) => name.toLowerCase().includes(part.toLowerCase()));
  const found: (Database | undefined)[] = [];
  if (isWanted('memory')) found.push(memory);
  if (isWanted('PostgreSQL, in transactions') && (await findPostgres())) found.push(await postgres());
  if (isWanted('MariaDB through Knex') && (await findMysql())) found.push(await mariadbThroughKnex());
  if (isWanted('Redis') && (await findRedis())) found.push(await redis());
  if (isWanted('SQLite')) found.push(await sqlite());
  return found.filter((each) => each !== undefined);
}
