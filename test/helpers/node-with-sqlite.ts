import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { it } from 'vitest';
import { reportMissing } from './servers';

/** The path of a Node that has `node:sqlite`: this one, or Node 24 by npx. Reports where there is none. */
export async function findNodeWithSqlite(): Promise<string | undefined> {
  if (process.getBuiltinModule('node:sqlite') !== undefined) return process.execPath;
  try {
    const npx = ['-y', '-p', 'node@24', 'node', '-p', 'process.execPath'];
    const { stdout } = await promisify(execFile)('npx', npx);
    return stdout.trim();
  } catch {
    reportMissing('Node 24 (npx -p node@24)', 'the npm registry');
    return undefined;
  }
}

/** Says where the tests over `node:sqlite` run instead. */
export function skipWithoutSqlite(): void {
  it.skip('SQLite: this Node has no node:sqlite. `npx vitest run --project senders` runs it on Node 24', () =>
    undefined);
}
