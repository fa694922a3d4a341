import { type ChildProcess, spawn } from 'node:child_process';

/** A program that listens, on one of the runtimes. */
export interface Program {
  readonly url: string;
  /** Everything that it has printed. */
  output(): string;
  stop(): Promise<void>;
}

const START_MS = 60_000;

export async function startProgram(cwd: string, [file = '', ...args]: readonly string[]): Promise<Program> {
  // Without the variables that vitest sets, so that the program runs as it does for a merchant.
  const { NODE_OPTIONS: _, VITEST: __, NODE_ENV: ___, ...env } = process.env;
  const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    const fail = (what: string) => reject(new Error(`The program ${what}.\n${output}`));
    const timer = setTimeout(() => fail(`did not listen within ${START_MS} ms`), START_MS);
    const read = (chunk: string) => {
      output += chunk;
      const listening = /^listening on (\S+)$/m.exec(output)?.[1];
      if (listening === undefined) return;
      clearTimeout(timer);
      resolve(listening);
    };
    child.stdout.setEncoding('utf8').on('data', read);
    child.stderr.setEncoding('utf8').on('data', read);
    child.on('error', ({ message }) => fail(`could not be started: ${message}`));
    child.on('exit', (code) => fail(`ended with ${code}`));
  }).catch(async (error: unknown) => {
    await stop(child);
    throw error;
  });
  return { url, output: () => output, stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await ended;
  clearTimeout(timer);
}
