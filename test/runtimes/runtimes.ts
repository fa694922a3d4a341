import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';

/** How a call ends that could not connect, as far as the runtime reveals it. */
export interface NoConnection {
  readonly outcome: 'not-sent' | 'unknown';
  /** The platform’s error code. */
  readonly reason: string | null;
}

/** A runtime, where it comes from, and its limits. */
export interface Runtime {
  readonly name: string;
  /** The command that starts a program in the folder of a project that has the package installed. */
  command(project: string): Promise<readonly string[]>;
  /** Whether the runtime has `require()` and an SQLite database. */
  readonly requires: boolean;
  readonly sqlite: boolean;
  readonly expected: {
    /** Header values are sent as UTF-8, although the fetch standard requires Latin-1. */
    readonly utf8Headers?: boolean;
    readonly refused: NoConnection;
    readonly unresolved: NoConnection;
    readonly untrusted: NoConnection;
  };
}

const nodeFailures = {
  refused: { outcome: 'not-sent', reason: 'ECONNREFUSED' },
  unresolved: { outcome: 'not-sent', reason: 'ENOTFOUND' },
  untrusted: { outcome: 'not-sent', reason: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
} as const;

/** workerd reports a refused connection and a lost one the same way. */
const unknown = { outcome: 'unknown', reason: null } as const;

export const runtimes: readonly Runtime[] = [
  // undici 7.20 to 7.24, of Node 25.9, hides some responses.
  ...['20', '22', '24', '25.9', '26'].map((major) => ({
    name: `Node ${major}`,
    // The flag forbids `eval` and `new Function`, as many hosts do.
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
      refused: { outcome: 'not-sent', reason: null },
      unresolved: { outcome: 'not-sent', reason: null },
      untrusted: { outcome: 'not-sent', reason: 'invalid peer certificate' },
    },
  },
  // The older date does not know the option `cache` of a request.
  ...['2026-04-01', '2024-09-01'].map((compatibilityDate) => ({
    name: `workerd (${compatibilityDate})`,
    async command(project: string) {
      const [path = ''] = (await printedBy('miniflare@4', 'node', '-p', 'process.env.PATH')).split(':');
      const bundle = await bundleWorker(project, compatibilityDate);
      return [process.execPath, 'run-worker.mjs', join(path, '..'), bundle, compatibilityDate];
    },
    requires: false,
    sqlite: false,
    expected: {
      utf8Headers: true,
      refused: unknown,
      unresolved: unknown,
      untrusted: unknown,
    },
  })),
];

/** A Node of this major version: this one, or one from npm. */
async function nodeOf(major: string): Promise<string> {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath;
  return printedBy(`node@${major}`, 'node', '-p', 'process.execPath');
}

/** Installs a package for one command, by npx, and returns what the command prints. */
async function printedBy(spec: string, ...command: string[]): Promise<string> {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const { stdout } = await promisify(execFile)('npx', ['-y', '-p', spec, '--', ...command], { env });
  return stdout.trim();
}

/** Bundles a worker like wrangler, except that dynamic imports stay modules of their own. */
async function bundleWorker(project: string, compatibilityDate: string): Promise<string> {
  const outdir = join(project, `bundle-${compatibilityDate}`);
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
