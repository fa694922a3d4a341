import { Buffer } from 'node:buffer';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, expect } from 'vitest';
import { type Run, runCommand } from '../helpers/run-command';

/** Marked, so that a test can find them wherever they are printed. */
export const credentials = { apiKey: 'marked-key-7f3a91', apiToken: 'marked-token-5e20bc' };

export const environment = {
  PAYMENTS_API_KEY: credentials.apiKey,
  PAYMENTS_API_TOKEN: credentials.apiToken,
};

/** Concurrent tests share the processes, which end with their file. */
const children: ChildProcess[] = [];
let bundle: Promise<string> | undefined;
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  if (bundle !== undefined) await rm(dirname(await bundle), { recursive: true });
});

/** In one file, as it is published: the source through a loader would take a second to start. */
async function bundled(): Promise<string> {
  const outfile = join(await mkdtemp(join(tmpdir(), 'pix-automatic-sdk-cli-')), 'cli.mjs');
  const entryPoints = [fileURLToPath(new URL('../../src/cli/index.ts', import.meta.url))];
  await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'error' });
  return outfile;
}

type Environment = Readonly<Record<string, string>>;

/** Starts the command line in its own process, which ends with its file’s tests. */
export async function startCli(args: readonly string[], env: Environment = environment) {
  const { PATH } = process.env;
  bundle ??= bundled();
  const program = await bundle;
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...(PATH === undefined ? {} : { PATH }), ...env },
  });
  children.push(child);
  const run = { status: null as number | null, stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    run.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    run.stderr += chunk;
  });
  const ended = new Promise<Run>((resolve) => {
    child.on('close', (status) => resolve({ ...run, status }));
  }).then((result) => {
    expectNoCredentials(result);
    return result;
  });
  return { child, output: run, ended };
}

/** What is typed, as arguments. */
export function words(typed: string): string[] {
  return typed === '' ? [] : typed.split(' ');
}

/** Runs the command line to its end, in this process. No run may print a credential. */
export async function runCli(args: readonly string[], env: Environment = environment): Promise<Run> {
  const run = await runCommand(args, env);
  expectNoCredentials(run);
  return run;
}

/** Runs the command line to its end as users do, in its own process. */
export async function runCliProcess(args: readonly string[], env?: Environment): Promise<Run> {
  const { ended } = await startCli(args, env);
  return ended;
}

/** Waits until the command line prints text that matches. */
export async function printed(
  { output, child }: { output: Run; child: ChildProcess },
  pattern: RegExp,
): Promise<RegExpExecArray> {
  for (;;) {
    const match = pattern.exec(output.stdout);
    if (match !== null) return match;
    if (child.exitCode !== null)
      throw new Error(`It ended before ${pattern}: ${output.stdout}${output.stderr}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function expectNoCredentials({ stdout, stderr }: Run): void {
  const { apiKey, apiToken } = credentials;
  const pair = Buffer.from(`${apiKey}:${apiToken}`).toString('base64');
  for (const secret of [apiKey, apiToken, pair]) expect(stdout + stderr).not.toContain(secret);
}
