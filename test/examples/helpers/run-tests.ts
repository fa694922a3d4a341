import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { userEnvironment } from '../../package/run';

/** The result of an example’s tests. */
export interface TestsEnded {
  readonly status: number | null;
  /** One line per test, without its duration. */
  readonly tests: readonly string[];
  /** Everything that was printed, for messages. */
  readonly output: string;
}

/** Runs the `npm test` of an installed example. */
export async function runTests(directory: string, ...args: string[]): Promise<TestsEnded> {
  const child = spawn('npm', ['test', '--', ...args], {
    cwd: directory,
    env: { ...userEnvironment(), NO_COLOR: '1', FORCE_COLOR: undefined },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 120_000,
  });
  const [[status], stdout, stderr] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ]);
  const output = stdout + stderr;
  const tests = output
    .split('\n')
    .filter((line) => /^\s*[✓✕×]/.test(line))
    .map((line) => line.trim().replace(/ \(?[\d.]+ ?m?s\)?$/, ''));
  return { status, tests, output };
}
