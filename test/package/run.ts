import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Runs a program to its end and gives its output. The error of a failure has what the program printed. */
export async function run(cwd: string, command: string, ...args: string[]): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(command, args, {
      cwd,
      env: userEnvironment(),
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout;
  } catch (error) {
    // Without a `cause`, which would print all of the output a second time.
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}\n${stderr}`);
  }
}

/** The environment without the variables of the test runner, so that a program runs as it would for a user. */
export function userEnvironment(): NodeJS.ProcessEnv {
  const ofTheRunner = /^(NODE_ENV|NODE_OPTIONS|TEST|VITEST.*)$/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ofTheRunner.test(name)));
}

export const node = (cwd: string, ...args: string[]): Promise<string> => run(cwd, process.execPath, ...args);
