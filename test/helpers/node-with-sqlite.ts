import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
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

/** Runs the tests in this file, or those of this name, on a Node that has `node:sqlite`. */
export function testOnNodeWithSqlite(file: string, name = ''): void {
  describe('SQLite', () => {
    it('runs the same file on a Node that has node:sqlite', { timeout: 180_000 }, async ({ skip }) => {
      const node = await findNodeWithSqlite();
      if (node === undefined) return skip('no Node with node:sqlite');
      const run = ['node_modules/vitest/vitest.mjs', 'run', '--no-color', file, '-t', name];
      // What else the file tests runs here, and need not be installed for that Node.
      const env = { ...process.env, CI_REQUIRE_SERVERS: '' };
      const { stdout } = await promisify(execFile)(node, run, { env });
      const summary = stdout.split('\n').filter((line) => /Tests .*passed/.test(line));
      console.log(`${file} on ${node}: ${summary.join('').trim()}`);
      expect(summary).toHaveLength(1);
    });
  });
}
