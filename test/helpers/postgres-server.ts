import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { unusedPort } from './http-server';
import { reportMissing } from './servers';

/** Debian keeps the server’s programs here, outside the PATH. */
const VERSIONS = '/usr/lib/postgresql';

const PROGRAMS = ['initdb', 'postgres', 'pg_basebackup'];

/** The folder with the server's programs. Reports where there is none, and fails where one is required. */
export function findPostgresPrograms(): string | undefined {
  const installed = existsSync(VERSIONS)
    ? readdirSync(VERSIONS).map((name) => join(VERSIONS, name, 'bin'))
    : [];
  const folders = [...(process.env['PATH'] ?? '').split(':'), ...installed];
  const found = folders.find((folder) => PROGRAMS.every((program) => existsSync(join(folder, program))));
  if (found === undefined) reportMissing('A PostgreSQL to freeze (initdb, postgres, pg_basebackup)', 'PATH');
  return found;
}

export interface OwnPostgres {
  readonly config: pg.PoolConfig;
  /** Stops all its processes where they are. The kernel still accepts connections and data for them. */
  freeze(): void;
  thaw(): void;
  /** Crashes it. */
  stop(): Promise<void>;
  /** Crashes it and starts it again, with everything that it acknowledged. */
  restart(): Promise<void>;
}

/**
 * A PostgreSQL that can be frozen. It ends with the test.
 *
 * @param primary - where to replicate from; without it, it is a primary itself
 */
export async function startOwnPostgres(programs: string, primary?: OwnPostgres): Promise<OwnPostgres> {
  const port = await unusedPort();
  const data = mkdtempSync(join(tmpdir(), 'own-postgres-'));
  // PostgreSQL refuses to run as root.
  const user = userInfo().uid === 0 ? idsOf('postgres') : undefined;
  if (user !== undefined) chownSync(data, user.uid, user.gid);
  const [program, settings] =
    primary === undefined
      ? ['initdb', ['-A', 'trust', '-N', '-E', 'UTF8']]
      : ['pg_basebackup', ['-h', '127.0.0.1', '-p', String(primary.config.port), '-R', '-c', 'fast', '-N']];
  execFileSync(join(programs, program), ['-D', data, '-U', 'tests', ...settings], {
    stdio: 'ignore',
    cwd: data,
    ...user,
  });
  const start = () =>
    spawn(
      join(programs, 'postgres'),
      ['-D', data, '-p', String(port), '-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
      { stdio: 'ignore', cwd: data, ...user },
    );
  let server: ChildProcess = start();
  const signal = (name: NodeJS.Signals) => {
    const { pid } = server;
    if (pid === undefined) throw new Error('PostgreSQL did not start');
    // The children first: a server that is running again reaps ended children, whose process ids then belong to
    // nobody.
    for (const id of [...childrenOf(pid), pid]) signalIfThere(id, name);
  };
  const stop = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    signal('SIGCONT');
    const ended = once(server, 'exit');
    // SIGQUIT ends the server and its children at once.
    server.kill('SIGQUIT');
    await ended;
  };
  onTestFinished(async () => {
    await stop();
    rmSync(data, { recursive: true, force: true });
  });
  const config = { host: '127.0.0.1', port, user: 'tests', database: 'postgres' };
  await answering(config);
  return {
    config,
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    stop,
    async restart() {
      await stop();
      server = start();
      await answering(config);
    },
  };
}

export function idsOf(user: string): { uid: number; gid: number } {
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
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}

async function answering(config: pg.PoolConfig): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const client = new pg.Client(config);
    try {
      await client.connect();
      await client.query('SELECT 1');
      return;
    } catch {
      await sleep(100);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
  throw new Error('PostgreSQL did not start within 10 s');
}
