import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { SqliteDatabase } from '../../src/stores';

export interface BetterSqlite3 {
  new (path: string, options?: { timeout?: number }): SqliteDatabase & { close(): void };
}

const VERSION = '12.11.1';

/**
 * The driver, in a folder of its own: it compiles or downloads when it is installed, and as a dependency it would break
 * `npm ci` on a bare machine. It is installed where CI_REQUIRE_SERVERS=1 demands it, which can take minutes, and stays
 * for later runs. Says so where there is none.
 */
export async function findBetterSqlite3(): Promise<BetterSqlite3 | undefined> {
  // What it compiles fits one version of Node.
  const folder = join(tmpdir(), `pix-automatic-better-sqlite3-${VERSION}-node-${process.versions.modules}`);
  const installed = join(folder, 'installed');
  if (process.env['CI_REQUIRE_SERVERS'] === '1' && !existsSync(installed)) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), '{ "private": true }');
    const install = ['install', '--no-audit', '--no-fund', `better-sqlite3@${VERSION}`];
    await promisify(execFile)('npm', install, { cwd: folder });
    await writeFile(installed, '');
  }
  if (existsSync(installed)) return createRequire(installed)('better-sqlite3');
  console.warn('SKIPPED: better-sqlite3 is not installed for tests. CI_REQUIRE_SERVERS=1 installs it, once.');
  return undefined;
}
