import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { SqliteDatabase } from '../../src/stores/sqlite-store';

export interface BetterSqlite3 {
  new (
    path: string,
    options?: { timeout?: number },
  ): SqliteDatabase & { close(): void; exec(sql: string): unknown };
}

const VERSION = '12.11.1';

// The compiled driver fits only one version of Node.
const folder = join(tmpdir(), `pix-automatic-better-sqlite3-${VERSION}-node-${process.versions.modules}`);

/**
 * Installs the driver in its own folder, once before all tests: it compiles or downloads code, so as a dependency it
 * would break `npm ci` on a bare machine. It is installed where CI_REQUIRE_SERVERS=1 requires it, which can take
 * a minute, and kept for later runs. The folder gets its name when it is complete: a run that is ended leaves none.
 */
export async function setup(): Promise<void> {
  if (process.env['CI_REQUIRE_SERVERS'] !== '1' || existsSync(folder)) return;
  const incomplete = await mkdtemp(`${folder}-`);
  await writeFile(join(incomplete, 'package.json'), '{ "private": true }');
  const install = ['install', '--no-audit', '--no-fund', `better-sqlite3@${VERSION}`];
  // Compiled in a third of the time, and fast enough for tests.
  const env = { ...process.env, CFLAGS: '-O0', CXXFLAGS: '-O0' };
  await promisify(execFile)('npm', install, { cwd: incomplete, env });
  // Another run may have been faster.
  await rename(incomplete, folder).catch((error: unknown) => {
    if (!existsSync(folder)) throw error;
  });
}

/** The driver; reports where there is none. */
export function findBetterSqlite3(): BetterSqlite3 | undefined {
  if (existsSync(folder)) return createRequire(join(folder, 'package.json'))('better-sqlite3');
  console.warn('SKIPPED: better-sqlite3 is not installed for tests. CI_REQUIRE_SERVERS=1 installs it, once.');
  return undefined;
}
