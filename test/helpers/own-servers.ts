import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import mysql from 'mysql2/promise';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { unusedPort } from './http-server';
import { reportMissing } from './servers';

/** A server that a test starts, freezes and crashes. It ends with the test. */
export interface OwnServer {
  readonly port: number;
  /** Stops its processes where they are. The kernel still accepts connections and data for them. */
  freeze(): void;
  thaw(): void;
  /** Crashes it. */
  stop(): Promise<void>;
  /** Starts it again on the same port, with everything that it acknowledged. */
  start(): Promise<void>;
}

interface Program {
  readonly name: string;
  /** It refuses to run as root, and then runs as this user. */
  readonly user?: string;
  /** Fills its folder before the first start. */
  readonly prepare?: (directory: string, run: (program: string, args: readonly string[]) => void) => void;
  readonly command: (directory: string, port: number) => readonly [program: string, args: readonly string[]];
  /** Fails while the server does not answer yet. */
  readonly ask: (port: number) => Promise<unknown>;
  /** Ends the server and its children at once. */
  readonly crash?: NodeJS.Signals;
}

export async function startOwnServer(program: Program): Promise<OwnServer> {
  const { name, user, prepare, command, ask, crash = 'SIGKILL' } = program;
  const port = await unusedPort();
  const directory = mkdtempSync(join(tmpdir(), `own-${name}-`));
  const ids = user !== undefined && userInfo().uid === 0 ? idsOf(user) : undefined;
  const options = { stdio: 'ignore', cwd: directory, ...ids } as const;
  if (ids !== undefined) chownSync(directory, ids.uid, ids.gid);
  prepare?.(directory, (each, args) => execFileSync(each, args, options));
  let server: ChildProcess | undefined;

  function signal(wanted: NodeJS.Signals): void {
    const pid = server?.pid;
    // The children first: a server that is running again reaps ended children, whose process ids then belong to
    // nobody.
    if (pid !== undefined) for (const id of [...childrenOf(pid), pid]) signalIfThere(id, wanted);
  }
  const own: OwnServer = {
    port,
    async start() {
      server = spawn(...command(directory, port), options);
      for (let attempt = 1; ; attempt += 1) {
        try {
          return void (await ask(port));
        } catch (error) {
          if (attempt === 150) throw new Error(`${name} did not start within 15 s`, { cause: error });
          await sleep(100);
        }
      }
    },
    async stop() {
      if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
      const ended = once(server, 'exit');
      signal('SIGCONT');
      server.kill(crash);
      await ended;
    },
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
  };
  onTestFinished(async () => {
    await own.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  await own.start();
  return own;
}

function idsOf(user: string): { uid: number; gid: number } {
  const id = (kind: string) => Number(execFileSync('id', [kind, user], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** A child may end between being listed and being signalled. */
function signalIfThere(id: number, name: NodeJS.Signals): void {
  try {
    process.kill(id, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function childrenOf(pid: number): number[] {
  const path = `/proc/${pid}/task/${pid}/children`;
  return existsSync(path) ? readFileSync(path, 'utf8').split(' ').filter(Boolean).map(Number) : [];
}

/** The first of the programs that runs. Debian installs some in a folder that may not be on the PATH. */
export function findProgram(name: string, ...options: string[]): string | undefined {
  return [name, `/usr/sbin/${name}`].find((program) => spawnSync(program, options).status === 0);
}

/** Whether the tests can start a Redis. Reports where they cannot, and fails where one is required. */
export function hasRedisServer(): boolean {
  const found = findProgram('redis-server', '--version') !== undefined;
  if (!found) reportMissing('A redis-server to stop and start', 'PATH');
  return found;
}

export interface OwnRedis extends OwnServer {
  readonly url: string;
}

/** A Redis with everything that it acknowledged on disk. */
export async function startOwnRedis(...settings: string[]): Promise<OwnRedis> {
  const own = await startOwnServer({
    name: 'redis-server',
    command: (directory, port) => [
      'redis-server',
      `--port ${port} --bind 127.0.0.1 --dir ${directory} --appendonly yes --appendfsync always`
        .split(' ')
        .concat('--save', '', settings),
    ],
    async ask(port) {
      const client = new Redis(port, '127.0.0.1', { lazyConnect: true, retryStrategy: () => null });
      client.on('error', () => undefined);
      await client.connect().then(() => client.ping());
      client.disconnect();
    },
  });
  return { ...own, url: `redis://127.0.0.1:${own.port}` };
}

/** Debian keeps the server’s programs here, outside the PATH. */
const VERSIONS = '/usr/lib/postgresql';

const PROGRAMS = ['initdb', 'postgres', 'pg_basebackup'];

/** The folder with PostgreSQL's programs. Reports where there is none, and fails where one is required. */
export function findPostgresPrograms(): string | undefined {
  const installed = existsSync(VERSIONS)
    ? readdirSync(VERSIONS).map((name) => join(VERSIONS, name, 'bin'))
    : [];
  const folders = [...(process.env['PATH'] ?? '').split(':'), ...installed];
  const found = folders.find((folder) => PROGRAMS.every((program) => existsSync(join(folder, program))));
  if (found === undefined) reportMissing('A PostgreSQL to freeze (initdb, postgres, pg_basebackup)', 'PATH');
  return found;
}

export interface OwnPostgres extends OwnServer {
  readonly config: pg.PoolConfig;
}

/** @param primary - where to replicate from; without it, it is a primary itself */
export async function startOwnPostgres(programs: string, primary?: OwnServer): Promise<OwnPostgres> {
  const [program, settings] =
    primary === undefined
      ? ['initdb', ['-A', 'trust', '-N', '-E', 'UTF8']]
      : ['pg_basebackup', ['-h', '127.0.0.1', '-p', String(primary.port), '-R', '-c', 'fast', '-N']];
  const configFor = (port: number) => ({ host: '127.0.0.1', port, user: 'tests', database: 'postgres' });
  const own = await startOwnServer({
    name: 'postgres',
    user: 'postgres',
    prepare: (data, run) => run(join(programs, program), ['-D', data, '-U', 'tests', ...settings]),
    command: (data, port) => [
      join(programs, 'postgres'),
      ['-D', data, '-p', String(port), '-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
    ],
    ask: (port) => askPostgres(configFor(port), 'SELECT 1'),
    crash: 'SIGQUIT',
  });
  return { ...own, config: configFor(own.port) };
}

export async function askPostgres(config: pg.ClientConfig, text: string): Promise<void> {
  const client = new pg.Client(config);
  try {
    await client.connect();
    await client.query(text);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** MariaDB's program. Reports where there is none, and fails where one is required. */
export function findMysqlProgram(): string | undefined {
  const found = findProgram('mariadbd', '--no-defaults', '--version');
  if (found === undefined) reportMissing('A MariaDB to freeze (mariadbd, mariadb-install-db)', 'PATH');
  return found;
}

export interface OwnMysql extends OwnServer {
  /** As root, without a password. */
  readonly url: string;
}

export async function startOwnMysql(program: string, ...settings: string[]): Promise<OwnMysql> {
  const urlOf = (port: number) => `mysql://root@127.0.0.1:${port}/test`;
  // A small log: creating the default one of 96 MiB takes seconds.
  const files = (data: string) => [
    ...['--no-defaults', `--datadir=${data}`, `--tmpdir=${data}`, '--innodb-log-file-size=8M'],
    '--skip-name-resolve',
  ];
  const own = await startOwnServer({
    name: 'mariadbd',
    user: 'mysql',
    prepare: (data, run) =>
      run('mariadb-install-db', [...files(data), '--auth-root-authentication-method=normal']),
    command: (data, port) => [
      program,
      [...files(data), `--port=${port}`, '--bind-address=127.0.0.1', `--socket=${data}/socket`, ...settings],
    ],
    async ask(port) {
      const connection = await mysql.createConnection({ uri: urlOf(port), connectTimeout: 2000 });
      connection.destroy();
    },
  });
  return { ...own, url: urlOf(own.port) };
}
