import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { SqliteDatabase } from '../../src/stores';

export interface BetterSqlite3 {
  new (
    path: string,
    options?: { timeout?: number },
  ): SqliteDatabase & { close(): void; exec(sql: string): unknown };
}

const VERSION = '12.11.1';

/**
 * The driver, in its own folder: installing it compiles or downloads code, so as a dependency it would break `npm ci`
 * on a bare machine. It is installed where CI_REQUIRE_SERVERS=1 requires it, which can take minutes, and kept for
 * later runs. Reports where there is none.
 */
export async function findBetterSqlite3(): Promise<BetterSqlite3 | undefined> {
  // The compiled driver fits only one version of Node.
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
