import { vi } from 'vitest';
import { runCommandLine } from '../../src/cli/program';

type Environment = Readonly<Record<string, string>>;

export interface Run {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs the command line in this process, with no other environment: in far less time than a process takes to start.
 * One at a time: concurrent tests start processes, with `startCli` in `test/cli`, as users do.
 */
export async function runCommand(args: readonly string[], env: Environment = {}): Promise<Run> {
  const { env: own } = process;
  process.env = { ...env };
  const stdout = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  // The command line listens until the process ends.
  const on = vi.spyOn(process.stdout, 'on').mockReturnThis();
  try {
    const status = await runCommandLine(args);
    return { status, stdout: stdout.mock.calls.join(''), stderr: stderr.mock.calls.join('') };
  } finally {
    for (const spy of [stdout, stderr, on]) spy.mockRestore();
    process.env = own;
  }
}
