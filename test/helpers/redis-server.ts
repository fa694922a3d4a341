import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { unusedPort } from './http-server';
import { reportMissing } from './servers';

/** Whether the tests can start a Redis. Reports where they cannot, and fails where one is required. */
export function hasRedisServer(): boolean {
  const found = spawnSync('redis-server', ['--version']).status === 0;
  if (!found) reportMissing('A redis-server to stop and start', 'PATH');
  return found;
}

export interface OwnRedis {
  readonly url: string;
  /** Ends it, with everything that it acknowledged on disk. */
  stop(): Promise<void>;
  /** Starts it again on the same port, with its data. */
  start(): Promise<void>;
  /** Makes it accept connections and commands without answering. */
  freeze(): void;
  thaw(): void;
}

/** A Redis that can be stopped and started. It ends with the test. */
export async function startOwnRedis(...settings: string[]): Promise<OwnRedis> {
  const port = await unusedPort();
  const directory = mkdtempSync(join(tmpdir(), 'own-redis-'));
  let server: ChildProcess | undefined;

  const own: OwnRedis = {
    url: `redis://127.0.0.1:${port}`,
    async start() {
      server = spawn(
        'redis-server',
        [
          '--port',
          String(port),
          '--bind',
          '127.0.0.1',
          '--dir',
          directory,
          '--save',
          '',
          '--appendonly',
          'yes',
        ].concat(['--appendfsync', 'always'], settings),
        { stdio: 'ignore' },
      );
      await answering(own.url);
    },
    async stop() {
      if (server === undefined) return;
      const ended = once(server, 'exit');
      server.kill('SIGCONT');
      server.kill('SIGKILL');
      server = undefined;
      await ended;
    },
    freeze: () => void server?.kill('SIGSTOP'),
    thaw: () => void server?.kill('SIGCONT'),
  };
  onTestFinished(async () => {
    await own.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  await own.start();
  return own;
}

async function answering(url: string): Promise<void> {
  const client = new Redis(url, { retryStrategy: () => 20 });
  client.on('error', () => {});
  const pong = client.ping();
  const late = sleep(15_000, 'late', { ref: false });
  const first = await Promise.race([pong, late]);
  client.disconnect();
  if (first !== 'PONG') throw new Error('redis-server did not start');
}
