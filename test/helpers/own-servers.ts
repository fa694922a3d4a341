import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { unusedPort } from './http-server';
import { postgresConfig } from './postgres';
import { reportMissing } from './servers';

/** A server that a test starts and crashes. It ends with the test. */
export interface OwnServer {
  readonly port: number;
  /** Crashes it. */
  stop(): Promise<void>;
  /** Starts it again on the same port, with everything that it acknowledged. */
  start(): Promise<void>;
}

interface Program {
  readonly name: string;
  /** It refuses to run as root, and then runs as this user. */
  readonly user?: string;
  readonly command: (directory: string, port: number) => readonly [program: string, args: readonly string[]];
  /** Fails while the server does not answer yet. */
  readonly ask: (port: number) => Promise<unknown>;
}

async function startOwnServer({ name, user, command, ask }: Program): Promise<OwnServer> {
  const port = await unusedPort();
  const directory = mkdtempSync(join(tmpdir(), `own-${name}-`));
  const ids = user !== undefined && userInfo().uid === 0 ? idsOf(user) : undefined;
  const options = { stdio: 'ignore', cwd: directory, ...ids } as const;
  if (ids !== undefined) chownSync(directory, ids.uid, ids.gid);
  let server: ChildProcess | undefined;
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
      server.kill('SIGKILL');
      await ended;
    },
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

/** The first of the programs that runs. Debian installs some in a folder that may not be on the PATH. */
function findProgram(name: string, ...options: string[]): string | undefined {
  return [name, `/usr/sbin/${name}`].find((program) => spawnSync(program, options).status === 0);
}

/** PgBouncer's program. Reports where there is none, and fails where one is required. */
export function findPgBouncer(): string | undefined {
  const found = findProgram('pgbouncer', '--version');
  if (found === undefined) reportMissing('PgBouncer (pgbouncer)', 'PATH');
  return found;
}

/** The tests' PostgreSQL through a PgBouncer in transaction mode, with fewer connections to the server than to it. */
export async function startPgBouncer(program: string): Promise<pg.PoolConfig> {
  const { host, port: serverPort, user, password, database } = new pg.Client(postgresConfig);
  const { port } = await startOwnServer({
    name: 'pgbouncer',
    user: 'postgres',
    command(directory, port) {
      const settings = join(directory, 'pgbouncer.ini');
      const lines = [
        '[databases]',
        `${database} = host=${host} port=${serverPort} user=${user} password=${password} dbname=${database}`,
        '[pgbouncer]',
        ...['listen_addr = 127.0.0.1', `listen_port = ${port}`, 'unix_socket_dir ='],
        ...['auth_type = any', 'pool_mode = transaction', 'default_pool_size = 6', 'max_client_conn = 200'],
      ];
      writeFileSync(settings, `${lines.join('\n')}\n`);
      return [program, ['-q', settings]];
    },
    async ask(port) {
      const client = new pg.Client({ host: '127.0.0.1', port, user, database });
      try {
        await client.connect();
        await client.query('SELECT 1');
      } finally {
        await client.end().catch(() => undefined);
      }
    },
  });
  return { host: '127.0.0.1', port, user, database };
}
