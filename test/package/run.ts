import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Runs a program to its end and gives its output; a failure says what the program printed. */
export async function run(cwd: string, command: string, ...args: string[]): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(command, args, {
      cwd,
      env: userEnvironment(),
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout;
  } catch (error) {
    // Not as the `cause`, which would print all of the output once more.
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}\n${stderr}`);
  }
}

/** The environment without what the tests' own runner put there, so that a program runs as it would for a user. */
export function userEnvironment(): NodeJS.ProcessEnv {
  const ofTheRunner = /^(NODE_ENV|NODE_OPTIONS|TEST|VITEST.*)$/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ofTheRunner.test(name)));
}

export const node = (cwd: string, ...args: string[]): Promise<string> => run(cwd, process.execPath, ...args);
