import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { PEERS, ROOT } from './prepare';

const run = promisify(execFile);

export interface ProgramOptions {
  /** A major version of Node. Default: the one that runs the benchmark. */
  readonly node?: number;
  readonly nodeOptions?: readonly string[];
  /** What the program gets from `programInput()`. */
  readonly input?: unknown;
}

/**
 * Runs `programs/<name>.ts` in a plain process, with the built package and without a TypeScript loader. Returns its
 * standard output, parsed as JSON.
 */
export async function runProgram<Output>(name: string, options: ProgramOptions = {}): Promise<Output> {
  const { command, args } = await commandOf(name, options);
  const { stdout } = await run(command, args, { maxBuffer: 2 ** 28, timeout: 480_000 });
  return JSON.parse(stdout);
}

/** Starts `programs/<name>.ts`. When it is ready, it must `process.send` one message, which is returned as `ready`. */
export async function startProgram<Ready>(
  name: string,
  options: ProgramOptions = {},
): Promise<{ readonly ready: Ready; readonly process: ChildProcess; stop(): Promise<void> }> {
  const { command, args } = await commandOf(name, options);
  const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = () => {
    child.kill('SIGKILL');
    return exited;
  };
  running.add(child);
  child.once('exit', () => running.delete(child));
  const ready = await new Promise<Ready>((resolve, reject) => {
    child.once('message', (message) => resolve(message as Ready));
    child.once('exit', (code) =>
      reject(new Error(`programs/${name}.ts ended with ${code} before it was ready.`)),
    );
    child.once('error', reject);
  });
  return { ready, process: child, stop };
}

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

async function commandOf(name: string, { node, nodeOptions = [], input = null }: ProgramOptions) {
  const command = node === undefined ? process.execPath : await nodeExecutable(node);
  return { command, args: [...nodeOptions, await compiled(name), JSON.stringify(input)] };
}

/** Compiles the program to JavaScript, in a folder from where it can import the peers and the package. */
async function compiled(name: string): Promise<string> {
  const outfile = join(PEERS, 'node_modules/.programs', `${name}.mjs`);
  mkdirSync(join(outfile, '..'), { recursive: true });
  await build({
    entryPoints: [join(ROOT, 'bench/programs', `${name}.ts`)],
    outfile,
    bundle: true,
    // Not our `tsconfig.json`: its paths lead to the source instead of the built package.
    tsconfigRaw: {},
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
  });
  return outfile;
}

const executables = new Map<number, Promise<string>>();

/** The path of `node` of a major version. If it is not the current one, npx installs its newest release. */
function nodeExecutable(major: number): Promise<string> {
  if (process.versions.node.startsWith(`${major}.`)) return Promise.resolve(process.execPath);
  const known = executables.get(major);
  if (known !== undefined) return known;
  const found = run('npx', [
    '--yes',
    '--package',
    `node@${major}`,
    'node',
    '--print',
    'process.execPath',
  ]).then(({ stdout }) => stdout.trim());
  executables.set(major, found);
  return found;
}
