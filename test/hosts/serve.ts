import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../helpers/listen';
import { userEnvironment } from '../package/run';

/** A host that runs, until it is closed. */
export interface Host {
  /** The URL of its listener. */
  readonly url: string;
  close(): Promise<unknown>;
}

/** A folder or file of `test/hosts`. */
export const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The folder of an application, outside the repository, where its packages are installed. */
export const app = (name: string): string => join(realpathSync(here('node_modules')), '../apps', name);

/** A program of an installed package. */
export const bin = (name: string): string => here(`node_modules/.bin/${name}`);

/** Serves a listener of `node:http`. */
export async function serveListener(listener: RequestListener): Promise<Host> {
  return hostOf(createServer(listener));
}

export async function hostOf(server: Server): Promise<Host> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Runs a program to its end, as `next build`. The error of a failure has what it printed. */
export async function runToEnd(folder: string, [command, ...args]: [string, ...string[]]): Promise<void> {
  try {
    await promisify(execFile)(command, args, { cwd: folder, env: environment() });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}\n${stderr}`);
  }
}

/** Starts a program that listens at `PORT`, and waits until it does. */
export async function startProgram(
  folder: string,
  command: (port: string) => [string, ...string[]],
  path = '/webhooks',
): Promise<Host> {
  const port = await freePort();
  const [program, ...args] = command(String(port));
  const env = { ...environment(), HOST: '127.0.0.1', PORT: String(port) };
  // A group of its own, because some programs start others.
  const child = spawn(program, args, { cwd: folder, env, stdio: 'pipe', detached: true });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      printed += chunk;
    });
  }
  let isClosed = false;
  const exited = once(child, 'exit').then(([code, signal]) => {
    if (isClosed) return;
    console.error(
      `${program} ${args.join(' ')} ended by itself (${code ?? signal}):\n${printed.slice(-2000)}`,
    );
  });
  try {
    await answering(port, child);
  } catch (error) {
    isClosed = true;
    kill(child);
    throw new Error(`${program} ${args.join(' ')}: ${error}\n${printed}`);
  }
  return {
    url: `http://127.0.0.1:${port}${path}`,
    close: () => {
      isClosed = true;
      kill(child);
      return exited;
    },
  };
}

const environment = (): NodeJS.ProcessEnv => ({
  ...userEnvironment(),
  NEXT_TELEMETRY_DISABLED: '1',
  ASTRO_TELEMETRY_DISABLED: '1',
});

function kill({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

async function answering(port: number, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await sleep(50);
  }
  throw new Error('it did not listen within 60 s');
}
