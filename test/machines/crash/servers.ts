import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { unusedPort } from '../../helpers/http-server';
import { mysqlUrl } from '../../helpers/mysql';
import { startOwnMysql } from '../../helpers/mysql-server';
import { postgresConfig } from '../../helpers/postgres';
import { idsOf, startOwnPostgres } from '../../helpers/postgres-server';
import { redisUrl } from '../../helpers/redis';
import { startOwnRedis } from '../../helpers/redis-server';
import { startTcpProxy, type TcpProxy } from '../../helpers/tcp-proxy';

/** The servers that the listeners use, shared or the scenario’s own, and what is between them. */
export type Through = 'shared servers' | 'own servers' | 'a proxy' | 'a replica' | 'PgBouncer';

/** A server that a scenario starts for itself. */
export interface StoreServer {
  freeze(): void;
  thaw(): void;
  /** Crashes it, and starts it again. */
  restart(): Promise<void>;
  /** Ends it, and lets its replica take over. */
  failOver(): Promise<void>;
  readonly proxy: TcpProxy | undefined;
}

export interface Servers {
  readonly redisUrl: string;
  /** Where the listeners connect to PostgreSQL. */
  readonly postgres: pg.PoolConfig;
  /** Where PostgreSQL is without anything in between. */
  readonly postgresItself: pg.PoolConfig;
  /** Where the listeners connect to MariaDB. */
  readonly mysqlUrl: string;
  /** Where MariaDB is without anything in between. */
  readonly mysqlItself: string;
  readonly own: readonly StoreServer[];
}

export interface Wanted {
  readonly through: Through;
  readonly redis: boolean;
  /** The folder with PostgreSQL’s programs; `undefined` when the scenario needs no own PostgreSQL. */
  readonly postgres: string | undefined;
  /** MariaDB's program; `undefined` when the scenario needs no own MariaDB. */
  readonly mysql: string | undefined;
}

/** Starts the servers of a scenario, which end with the test. */
export async function startServers({ through, redis, postgres, mysql }: Wanted): Promise<Servers> {
  const shared = {
    redisUrl,
    postgres: postgresConfig,
    postgresItself: postgresConfig,
    mysqlUrl,
    mysqlItself: mysqlUrl,
    own: [],
  };
  if (through === 'shared servers') return shared;
  // One after the other: `initdb` blocks this process, and Redis must start within a time limit.
  const ownRedis = redis ? await startRedis(through) : undefined;
  const ownPostgres = postgres === undefined ? undefined : await startPostgres(postgres, through);
  const ownMysql = mysql === undefined ? undefined : await startMysql(mysql, through);
  return {
    redisUrl: ownRedis?.url ?? redisUrl,
    postgres: ownPostgres?.config ?? postgresConfig,
    postgresItself: ownPostgres?.itself ?? postgresConfig,
    mysqlUrl: ownMysql?.url ?? mysqlUrl,
    mysqlItself: ownMysql?.itself ?? mysqlUrl,
    own: [ownRedis, ownPostgres, ownMysql].filter((server) => server !== undefined),
  };
}

async function startRedis(through: Through): Promise<StoreServer & { readonly url: string }> {
  const primary = await startOwnRedis();
  const port = portOf(primary.url);
  const replica =
    through === 'a replica' ? await startOwnRedis('--replicaof', `127.0.0.1 ${port}`) : undefined;
  const proxied = through === 'a proxy' || through === 'a replica';
  const proxy = proxied ? await startTcpProxy({ host: '127.0.0.1', port }) : undefined;
  return {
    url: proxy === undefined ? primary.url : `redis://127.0.0.1:${proxy.port}`,
    freeze: primary.freeze,
    thaw: primary.thaw,
    async restart() {
      await primary.stop();
      await primary.start();
    },
    async failOver() {
      if (replica === undefined || proxy === undefined) throw new Error('There is no replica.');
      proxy.cut();
      await primary.stop();
      const client = new Redis(replica.url);
      await client.replicaof('NO', 'ONE');
      client.disconnect();
      proxy.retarget({ host: '127.0.0.1', port: portOf(replica.url) });
      proxy.restore();
    },
    proxy,
  };
}

async function startPostgres(programs: string, through: Through) {
  const server = await startOwnPostgres(programs);
  const replica = through === 'a replica' ? await startOwnPostgres(programs, server) : undefined;
  const { config } = server;
  const target = { host: '127.0.0.1', port: Number(config.port) };
  const proxy = through === 'a proxy' || replica !== undefined ? await startTcpProxy(target) : undefined;
  const port = through === 'PgBouncer' ? await startPgBouncer(config) : proxy?.port;
  if (replica !== undefined) {
    await ask(config, "ALTER SYSTEM SET synchronous_standby_names = '*'");
    await ask(config, 'SELECT pg_reload_conf()');
  }
  return {
    config: port === undefined ? config : { ...config, port },
    // Through the proxy, which leads to the one that took over.
    itself: replica === undefined || port === undefined ? config : { ...config, port },
    freeze: server.freeze,
    thaw: server.thaw,
    restart: server.restart,
    async failOver() {
      if (replica === undefined || proxy === undefined) throw new Error('There is no replica.');
      proxy.cut();
      await server.stop();
      await ask(replica.config, 'SELECT pg_promote()');
      proxy.retarget({ host: '127.0.0.1', port: Number(replica.config.port) });
      proxy.restore();
    },
    proxy,
  } satisfies StoreServer & { config: pg.PoolConfig; itself: pg.PoolConfig };
}

async function ask(config: pg.ClientConfig, text: string): Promise<void> {
  const client = new pg.Client(config);
  await client.connect();
  await client.query(text);
  await client.end();
}

async function startMysql(program: string, through: Through) {
  const replicated = through === 'a replica';
  // The primary confirms a commit once the replica has it.
  const settings = ['--server-id=1', '--log-bin', '--rpl-semi-sync-master-enabled'];
  const server = await startOwnMysql(program, ...(replicated ? settings : []));
  const replica = replicated
    ? await startOwnMysql(program, '--server-id=2', '--rpl-semi-sync-slave-enabled')
    : undefined;
  const target = { host: '127.0.0.1', port: portOf(server.url) };
  const proxy = through === 'a proxy' || replicated ? await startTcpProxy(target) : undefined;
  if (replica !== undefined) {
    await withMysql(replica.url, async (connection) => {
      await connection.query(
        "CHANGE MASTER TO master_host = '127.0.0.1', master_port = ?, master_user = 'root', master_use_gtid = slave_pos",
        [target.port],
      );
      await connection.query('START SLAVE');
    });
  }
  const url = proxy === undefined ? server.url : server.url.replace(`:${target.port}/`, `:${proxy.port}/`);
  return {
    url,
    itself: replicated ? url : server.url,
    freeze: server.freeze,
    thaw: server.thaw,
    async restart() {
      await server.stop();
      await server.start();
    },
    async failOver() {
      if (replica === undefined || proxy === undefined) throw new Error('There is no replica.');
      proxy.cut();
      await server.stop();
      await withMysql(replica.url, async (connection) => {
        await connection.query('STOP SLAVE IO_THREAD');
        const [[status]] = await connection.query<RowDataPacket[]>('SHOW SLAVE STATUS');
        await connection.query('SELECT MASTER_GTID_WAIT(?, 10)', [status?.['Gtid_IO_Pos']]);
        await connection.query('STOP SLAVE');
      });
      proxy.retarget({ host: '127.0.0.1', port: portOf(replica.url) });
      proxy.restore();
    },
    proxy,
  } satisfies StoreServer & { url: string; itself: string };
}

async function withMysql(uri: string, work: (connection: Connection) => Promise<void>): Promise<void> {
  const connection = await createConnection(uri);
  await work(connection);
  await connection.end();
}

/** Debian installs it in a folder that may not be on the PATH. */
const PGBOUNCER = ['pgbouncer', '/usr/sbin/pgbouncer'];

export function findPgBouncer(): string | undefined {
  return PGBOUNCER.find((program) => spawnSync(program, ['--version']).status === 0);
}

/** A PgBouncer in transaction mode, with fewer connections to the server than the listeners have to PgBouncer. */
async function startPgBouncer({ port, user, database }: pg.PoolConfig): Promise<number> {
  const program = findPgBouncer();
  if (program === undefined) throw new Error('There is no pgbouncer.');
  const own = await unusedPort();
  const directory = mkdtempSync(join(tmpdir(), 'own-pgbouncer-'));
  const settings = join(directory, 'pgbouncer.ini');
  const lines = [
    '[databases]',
    `${database} = host=127.0.0.1 port=${port} user=${user} dbname=${database}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${own}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    'default_pool_size = 6',
    'max_client_conn = 200',
  ];
  writeFileSync(settings, `${lines.join('\n')}\n`);
  // PgBouncer refuses to run as root.
  const ids = userInfo().uid === 0 ? idsOf('postgres') : undefined;
  if (ids !== undefined) {
    for (const path of [directory, settings]) chownSync(path, ids.uid, ids.gid);
  }
  const bouncer: ChildProcess = spawn(program, ['-q', settings], { stdio: 'ignore', cwd: directory, ...ids });
  onTestFinished(async () => {
    if (bouncer.exitCode === null) {
      const ended = once(bouncer, 'exit');
      bouncer.kill('SIGKILL');
      await ended;
    }
    rmSync(directory, { recursive: true, force: true });
  });
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const client = new pg.Client({ host: '127.0.0.1', port: own, user, database });
    try {
      await client.connect();
      return own;
    } catch {
      await sleep(100);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
  throw new Error('PgBouncer did not start within 10 s.');
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}
