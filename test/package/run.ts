import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Runs a program to its end and gives its output; a failure says what the program printed. */
export async function run(cwd: string, command: string, ...args: string[]): Promise<string> {
  try {
    // Without NODE_OPTIONS and VITEST, so that the program runs as it would for a user.
    const { NODE_OPTIONS: _, VITEST: __, ...env } = process.env;
    const { stdout } = await promisify(execFile)(command, args, { cwd, env, maxBuffer: 64 * 1024 * 1024 });
    return stdout;
  } catch (error) {
    // Not as the `cause`, which would print all of the output once more.
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}\n${stderr}`);
  }
}

export const node = (cwd: string, ...args: string[]): Promise<string> => run(cwd, process.execPath, ...args);
