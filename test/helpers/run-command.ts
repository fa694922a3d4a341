import { vi } from 'vitest';
import { runCommandLine } from '../../src/cli/program';

/** Runs the command line in this process, which is much faster than starting one. `test/cli` starts it as users do. */
export async function runCommand(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const stdout = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  // The command line listens until the process ends.
  const on = vi.spyOn(process.stdout, 'on').mockReturnThis();
  try {
    const status = await runCommandLine(args);
    return { status, stdout: stdout.mock.calls.join(''), stderr: stderr.mock.calls.join('') };
  } finally {
    for (const spy of [stdout, stderr, on]) spy.mockRestore();
    vi.unstubAllEnvs();
  }
}
