import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';

/** How a call ends that could not connect, as far as the runtime tells. */
export interface NoConnection {
  readonly outcome: 'not-sent' | 'unknown';
  /** The platform's code for it. */
  readonly reason: string | null;
  /** 2 where the call was tried again, which it is when nothing can have been sent. */
  readonly attempts: 1 | 2;
}

/** A runtime, where it comes from, and what it cannot do. */
export interface Runtime {
  readonly name: string;
  /** The command that starts a program in the folder of a project that has the package installed. */
  command(project: string): Promise<readonly string[]>;
  /** Whether `require()` and a database of SQLite are there. */
  readonly requires: boolean;
  readonly sqlite: boolean;
  readonly expected: {
    /** Header values are sent as UTF-8, and not as Latin-1, which the fetch standard asks for. */
    readonly utf8Headers?: boolean;
    readonly refused: NoConnection;
    readonly unresolved: NoConnection;
    readonly untrusted: NoConnection;
  };
}

const nodeFailures = {
  refused: { outcome: 'not-sent', reason: 'ECONNREFUSED', attempts: 2 },
  unresolved: { outcome: 'not-sent', reason: 'ENOTFOUND', attempts: 2 },
  untrusted: { outcome: 'not-sent', reason: 'DEPTH_ZERO_SELF_SIGNED_CERT', attempts: 1 },
} as const;

/** workerd says the same of a connection that was refused and of one that was lost. */
const unknown = { outcome: 'unknown', reason: null, attempts: 1 } as const;

export const runtimes: readonly Runtime[] = [
  ...['20', '22', '24', '26'].map((major) => ({
    name: `Node ${major}`,
    // Nothing may need `eval` or `new Function`, which many hosts forbid.
    command: async () => [await nodeOf(major), '--disallow-code-generation-from-strings', 'node.mjs'],
    requires: true,
    sqlite: major !== '20',
    expected: nodeFailures,
  })),
  {
    name: 'Bun',
    command: async () => [await printedBy('bun@1', 'bun', '-p', 'process.execPath'), 'bun.mjs'],
    requires: true,
    sqlite: true,
    expected: nodeFailures,
  },
  {
    name: 'Deno',
    command: async () => [
      await printedBy('deno@2', 'deno', 'eval', 'console.log(Deno.execPath())'),
      ...['run', '--no-prompt', '--allow-net', '--v8-flags=--disallow-code-generation-from-strings'],
      'deno.mjs',
    ],
    requires: true,
    sqlite: true,
    expected: {
      refused: { outcome: 'not-sent', reason: null, attempts: 2 },
      unresolved: { outcome: 'not-sent', reason: null, attempts: 2 },
      untrusted: { outcome: 'not-sent', reason: 'invalid peer certificate', attempts: 1 },
    },
  },
  {
    name: 'workerd',
    async command(project) {
      const [path = ''] = (await printedBy('miniflare@4', 'node', '-p', 'process.env.PATH')).split(':');
      return [process.execPath, 'run-worker.mjs', join(path, '..'), await bundleWorker(project)];
    },
    requires: false,
    sqlite: false,
    expected: { utf8Headers: true, refused: unknown, unresolved: unknown, untrusted: unknown },
  },
];

/** A Node of this major version: this one, or npm's. */
async function nodeOf(major: string): Promise<string> {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath;
  return printedBy(`node@${major}`, 'node', '-p', 'process.execPath');
}

/** Installs a package for this once, by npx, and gives what its command prints. */
async function printedBy(spec: string, ...command: string[]): Promise<string> {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const { stdout } = await promisify(execFile)('npx', ['-y', '-p', spec, '--', ...command], { env });
  return stdout.trim();
}

/** As wrangler bundles a worker, save that what is imported late stays a module of its own. */
async function bundleWorker(project: string): Promise<string> {
  const outdir = join(project, 'bundle');
  await build({
    entryPoints: [join(project, 'worker.mjs')],
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'neutral',
    conditions: ['workerd', 'worker', 'browser', 'import'],
    logLevel: 'silent',
  });
  return outdir;
}
