import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import type pg from 'pg';
import { mysqlUrl } from '../../helpers/mysql';
import {
  askPostgres,
  findProgram,
  type OwnMysql,
  type OwnServer,
  startOwnMysql,
  startOwnPostgres,
  startOwnRedis,
  startOwnServer,
} from '../../helpers/own-servers';
import { postgresConfig } from '../../helpers/postgres';
import { redisUrl } from '../../helpers/redis';
import { startTcpProxy, type TcpProxy } from '../../helpers/tcp-proxy';
import type { Places } from './config';

/** The servers that the listeners use, shared or the scenario’s own, and what is between them. */
export type Through = 'shared servers' | 'own servers' | 'a proxy' | 'a replica' | 'PgBouncer';

/** A server that a scenario starts for itself. */
export interface StoreServer extends OwnServer {
  /** Ends it, and lets its replica take over. */
  failOver(): Promise<void>;
  readonly proxy: TcpProxy | undefined;
}

export interface Servers {
  readonly forListeners: Places;
  /** The same without anything in between. */
  readonly itself: Places;
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
  const shared: Places = { redisUrl, postgres: postgresConfig, mysqlUrl };
  if (through === 'shared servers') return { forListeners: shared, itself: shared, own: [] };
  const own: StoreServer[] = [];
  const forListeners = { ...shared };
  const itself = { ...shared };
  // One after the other: `initdb` blocks this process.
  if (redis) {
    const { server, port } = await start(through, startRedis, promoteRedis);
    own.push(server);
    forListeners.redisUrl = itself.redisUrl = `redis://127.0.0.1:${port}`;
  }
  if (postgres !== undefined) {
    const { server, port, itsPort } = await start(
      through,
      (primary) => startOwnPostgres(postgres, primary),
      ({ config }) => askPostgres(config, 'SELECT pg_promote()'),
    );
    own.push(server);
    const { config } = server;
    if (through === 'a replica') {
      // The primary confirms a commit once the replica has it.
      await askPostgres(config, "ALTER SYSTEM SET synchronous_standby_names = '*'");
      await askPostgres(config, 'SELECT pg_reload_conf()');
    }
    forListeners.postgres = {
      ...config,
      port: through === 'PgBouncer' ? await startPgBouncer(config) : port,
    };
    itself.postgres = { ...config, port: itsPort };
  }
  if (mysql !== undefined) {
    const { server, port, itsPort } = await start<OwnMysql>(
      through,
      (primary) => startMysql(mysql, through, primary),
      promoteMysql,
    );
    own.push(server);
    forListeners.mysqlUrl = `mysql://root@127.0.0.1:${port}/test`;
    itself.mysqlUrl = `mysql://root@127.0.0.1:${itsPort}/test`;
  }
  return { forListeners, itself, own };
}

/** Starts a server, with its replica and its proxy where the scenario has them. */
async function start<Own extends OwnServer>(
  through: Through,
  startOne: (primary?: OwnServer) => Promise<Own>,
  promote: (replica: Own) => Promise<void>,
) {
  const primary = await startOne();
  const replica = through === 'a replica' ? await startOne(primary) : undefined;
  const isProxied = through === 'a proxy' || replica !== undefined;
  const proxy = isProxied ? await startTcpProxy({ host: '127.0.0.1', port: primary.port }) : undefined;
  const server: StoreServer & Own = {
    ...primary,
    proxy,
    async failOver() {
      if (replica === undefined || proxy === undefined) throw new Error('There is no replica.');
      proxy.cut();
      await primary.stop();
      await promote(replica);
      proxy.retarget({ host: '127.0.0.1', port: replica.port });
      proxy.restore();
    },
  };
  const port = proxy?.port ?? primary.port;
  // With a replica it is reached through the proxy, which leads to the one that took over.
  return { server, port, itsPort: replica === undefined ? primary.port : port };
}

function startRedis(primary?: OwnServer) {
  return primary === undefined ? startOwnRedis() : startOwnRedis('--replicaof', `127.0.0.1 ${primary.port}`);
}

async function promoteRedis({ port }: OwnServer): Promise<void> {
  const client = new Redis(port, '127.0.0.1');
  await client.replicaof('NO', 'ONE');
  client.disconnect();
}

async function startMysql(program: string, through: Through, primary?: OwnServer) {
  if (through !== 'a replica') return startOwnMysql(program);
  // The primary confirms a commit once the replica has it.
  if (primary === undefined)
    return startOwnMysql(program, '--server-id=1', '--log-bin', '--rpl-semi-sync-master-enabled');
  const replica = await startOwnMysql(program, '--server-id=2', '--rpl-semi-sync-slave-enabled');
  const connection = await createConnection(replica.url);
  await connection.query(
    "CHANGE MASTER TO master_host = '127.0.0.1', master_port = ?, master_user = 'root', master_use_gtid = slave_pos",
    [primary.port],
  );
  await connection.query('START SLAVE');
  await connection.end();
  return replica;
}

async function promoteMysql({ url }: OwnMysql): Promise<void> {
  const connection = await createConnection(url);
  await connection.query('STOP SLAVE IO_THREAD');
  const [[status]] = await connection.query<RowDataPacket[]>('SHOW SLAVE STATUS');
  await connection.query('SELECT MASTER_GTID_WAIT(?, 10)', [status?.['Gtid_IO_Pos']]);
  await connection.query('STOP SLAVE');
  await connection.end();
}

export function findPgBouncer(): string | undefined {
  return findProgram('pgbouncer', '--version');
}

/** A PgBouncer in transaction mode, with fewer connections to the server than the listeners have to PgBouncer. */
async function startPgBouncer(config: pg.PoolConfig): Promise<number> {
  const program = findPgBouncer();
  if (program === undefined) throw new Error('There is no pgbouncer.');
  const { port: serverPort, user, database } = config;
  const { port } = await startOwnServer({
    name: 'pgbouncer',
    user: 'postgres',
    command(directory, port) {
      const settings = join(directory, 'pgbouncer.ini');
      const lines = [
        '[databases]',
        `${database} = host=127.0.0.1 port=${serverPort} user=${user} dbname=${database}`,
        '[pgbouncer]',
        'listen_addr = 127.0.0.1',
        `listen_port = ${port}`,
        'unix_socket_dir =',
        'auth_type = any',
        'pool_mode = transaction',
        'default_pool_size = 6',
        'max_client_conn = 200',
      ];
      writeFileSync(settings, `${lines.join('\n')}\n`);
      return [program, ['-q', settings]];
    },
    ask: (port) => askPostgres({ ...config, port }, 'SELECT 1'),
  });
  return port;
}
