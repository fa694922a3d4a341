import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import mysql from 'mysql2/promise';
import { onTestFinished } from 'vitest';
import { unusedPort } from './http-server';
import { idsOf } from './postgres-server';
import { reportMissing } from './servers';

/** Debian installs it in a folder that may not be on the PATH. */
const PROGRAMS = ['mariadbd', '/usr/sbin/mariadbd'];

/** The server's program. Reports where there is none, and fails where one is required. */
export function findMysqlProgram(): string | undefined {
  const found = PROGRAMS.find((program) => spawnSync(program, ['--no-defaults', '--version']).status === 0);
  if (found === undefined) reportMissing('A MariaDB to freeze (mariadbd, mariadb-install-db)', 'PATH');
  return found;
}

export interface OwnMysql {
  /** As root, without a password. */
  readonly url: string;
  /** Stops it where it is. The kernel still accepts connections and data for it. */
  freeze(): void;
  thaw(): void;
  /** Crashes it. */
  stop(): Promise<void>;
  /** Starts it again, with everything that it acknowledged. */
  start(): Promise<void>;
}

/** A MariaDB that can be frozen and crashed. It ends with the test. */
export async function startOwnMysql(program: string, ...settings: string[]): Promise<OwnMysql> {
  const port = await unusedPort();
  const data = mkdtempSync(join(tmpdir(), 'own-mysql-'));
  // MariaDB refuses to run as root.
  const user = userInfo().uid === 0 ? idsOf('mysql') : undefined;
  if (user !== undefined) chownSync(data, user.uid, user.gid);
  // A small log: creating the default one of 96 MiB takes seconds.
  const files = ['--no-defaults', `--datadir=${data}`, `--tmpdir=${data}`, '--innodb-log-file-size=8M'];
  const options = { stdio: 'ignore', cwd: data, ...user } as const;
  execFileSync(
    'mariadb-install-db',
    [...files, '--auth-root-authentication-method=normal', '--skip-name-resolve'],
    options,
  );
  const url = `mysql://root@127.0.0.1:${port}/test`;
  let server: ChildProcess | undefined;

  const own: OwnMysql = {
    url,
    async start() {
      const network = [`--port=${port}`, '--bind-address=127.0.0.1', '--skip-name-resolve'];
      server = spawn(
        program,
        [...files, ...network, `--socket=${join(data, 'socket')}`, ...settings],
        options,
      );
      await answering(url);
    },
    async stop() {
      if (server === undefined) return;
      const ended = once(server, 'exit');
      server.kill('SIGKILL');
      server = undefined;
      await ended;
    },
    freeze: () => void server?.kill('SIGSTOP'),
    thaw: () => void server?.kill('SIGCONT'),
  };
  onTestFinished(async () => {
    await own.stop();
    rmSync(data, { recursive: true, force: true });
  });
  await own.start();
  return own;
}

async function answering(uri: string): Promise<void> {
  for (let attempt = 0; attempt < 150; attempt += 1) {
    try {
      const connection = await mysql.createConnection({ uri, connectTimeout: 2000 });
      return connection.destroy();
    } catch {
      await sleep(100);
    }
  }
  throw new Error('MariaDB did not start within 15 s');
}
