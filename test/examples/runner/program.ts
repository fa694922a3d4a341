import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { userEnvironment } from '../../package/run';

/** The lines that a program printed, and its exit status. */
export interface Ended {
  readonly status: number | string | null;
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
}

/**
 * Runs the command of an example’s `npm start` without npm: npm passes SIGTERM to a shell, and the shell does not
 * pass it on. A hosting platform signals the program itself.
 */
export async function startProgram(directory: string, env: NodeJS.ProcessEnv): Promise<Program> {
  const { scripts } = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'));
  const inherited = userEnvironment();
  const path = `${join(directory, 'node_modules', '.bin')}${delimiter}${inherited['PATH']}`;
  return new Program(scripts.start.split(' '), directory, { ...inherited, PATH: path, ...env });
}

/** Runs a shell line, as a reader of the README types it. The program ends with the test. */
export function runShell(line: string, directory: string): Program {
  const { PAYMENTS_BASE_URL, PAYMENTS_API_KEY, PAYMENTS_API_TOKEN, ...env } = userEnvironment();
  return new Program(['sh', '-c', line], directory, env);
}

/** A running example, with its output. */
export class Program {
  readonly #child: ChildProcess;
  #stdout = '';
  #stderr = '';

  constructor([command, ...args]: [string, ...string[]], cwd: string, env: NodeJS.ProcessEnv) {
    this.#child = spawn(command, args, {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      // In its own process group, so that all its processes can be ended with the test.
      detached: true,
    });
    this.#child.stdout?.on('data', (chunk) => {
      this.#stdout += chunk;
    });
    this.#child.stderr?.on('data', (chunk) => {
      this.#stderr += chunk;
    });
    this.#child.on('error', (error) => {
      this.#stderr += error.message;
    });
    onTestFinished(() => this.#kill());
  }

  /** Waits until the program has printed a match, and returns it. */
  printed(pattern: RegExp): Promise<RegExpExecArray> {
    return this.#waitFor(pattern, () => this.#stdout);
  }

  /** Like `printed`, for stderr. */
  reported(pattern: RegExp): Promise<RegExpExecArray> {
    return this.#waitFor(pattern, () => this.#stderr);
  }

  /** Everything that was printed, once nothing more has come for a moment. */
  async settledOutput(): Promise<string> {
    let before: string;
    do {
      before = this.#stdout;
      await sleep(30);
    } while (this.#stdout !== before);
    return before;
  }

  async #waitFor(pattern: RegExp, output: () => string, timeoutMs = 30_000): Promise<RegExpExecArray> {
    const deadline = performance.now() + timeoutMs;
    while (performance.now() < deadline && this.#isRunning) {
      const match = pattern.exec(output());
      if (match !== null) return match;
      await sleep(20);
    }
    const how = this.#isRunning ? `within ${timeoutMs} ms` : 'before it ended';
    throw new Error(`It did not print ${pattern} ${how}, but:\n${this.#stdout}\n${this.#stderr}`);
  }

  /** Waits until the program ends by itself, and returns everything that it printed. */
  async ended(timeoutMs = 120_000): Promise<Ended> {
    await this.#closed(`It did not end within ${timeoutMs} ms`, timeoutMs);
    return this.#result();
  }

  /** Stops the program with SIGTERM, like a hosting platform, and returns everything that it printed. */
  async stop(timeoutMs = 15_000): Promise<Ended> {
    const closed = this.#closed(`SIGTERM did not end it within ${timeoutMs} ms`, timeoutMs);
    this.#child.kill('SIGTERM');
    await closed;
    return this.#result();
  }

  async #closed(otherwise: string, timeoutMs: number): Promise<void> {
    if (!this.#isRunning) return;
    await once(this.#child, 'close', { signal: AbortSignal.timeout(timeoutMs) }).catch(() => {
      throw new Error(`${otherwise}:\n${this.#stdout}\n${this.#stderr}`);
    });
  }

  #result(): Ended {
    const { exitCode, signalCode } = this.#child;
    return { status: signalCode ?? exitCode, stdout: lines(this.#stdout), stderr: lines(this.#stderr) };
  }

  get #isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  #kill(): void {
    try {
      if (this.#child.pid !== undefined) process.kill(-this.#child.pid, 'SIGKILL');
    } catch {
      // The whole group has ended already.
    }
  }
}

function lines(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}
