import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { unusedPort } from '../helpers/http-server';
import { postgresConfig } from '../helpers/postgres';
import { idsOf, startOwnPostgres } from '../helpers/postgres-server';
import { redisUrl } from '../helpers/redis';
import { startOwnRedis } from '../helpers/redis-server';
import { startTcpProxy, type TcpProxy } from '../helpers/tcp-proxy';

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
  readonly own: readonly StoreServer[];
}

export interface Wanted {
  readonly through: Through;
  readonly redis: boolean;
  /** The folder with PostgreSQL’s programs; `undefined` when the scenario needs no own PostgreSQL. */
  readonly postgres: string | undefined;
}

/** Starts the servers of a scenario, which end with the test. */
export async function startServers({ through, redis, postgres }: Wanted): Promise<Servers> {
  const shared = { redisUrl, postgres: postgresConfig, postgresItself: postgresConfig, own: [] };
  if (through === 'shared servers') return shared;
  // One after the other: `initdb` blocks this process, and Redis must start within a time limit.
  const ownRedis = redis ? await startRedis(through) : undefined;
  const ownPostgres = postgres === undefined ? undefined : await startPostgres(postgres, through);
  return {
    redisUrl: ownRedis?.url ?? redisUrl,
    postgres: ownPostgres?.config ?? postgresConfig,
    postgresItself: ownPostgres?.itself ?? postgresConfig,
    own: [ownRedis, ownPostgres].filter((server) => server !== undefined),
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
      proxy.mend();
    },
    proxy,
  };
}

async function startPostgres(programs: string, through: Through) {
  const server = await startOwnPostgres(programs);
  const { config } = server;
  const proxy =
    through === 'a proxy' ? await startTcpProxy({ host: '127.0.0.1', port: Number(config.port) }) : undefined;
  const port = through === 'PgBouncer' ? await startPgBouncer(config) : proxy?.port;
  return {
    config: port === undefined ? config : { ...config, port },
    itself: config,
    freeze: server.freeze,
    thaw: server.thaw,
    restart: server.restart,
    failOver: async () => {
      throw new Error('There is no replica.');
    },
    proxy,
  } satisfies StoreServer & { config: pg.PoolConfig; itself: pg.PoolConfig };
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
