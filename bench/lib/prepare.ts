import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The root of the repository. */
export const ROOT = join(import.meta.dirname, '../..');
/** Where the peers are installed. The programs run there, to import them. */
export const PEERS = join(ROOT, 'bench/peers');

/** Builds the package if its source is newer, and installs the peers if they are missing or have changed. */
export function prepare(): void {
  if (newest(join(ROOT, 'src')) > builtAt()) {
    console.error('Building the package …');
    npm('run', 'build');
  }
  const lock = readFileSync(join(PEERS, 'package-lock.json'), 'utf8');
  const installed = join(PEERS, 'node_modules/.installed-lock.json');
  if (!existsSync(installed) || readFileSync(installed, 'utf8') !== lock) {
    console.error('Installing the peers …');
    npm('ci', '--prefix', PEERS, '--no-audit', '--no-fund', '--loglevel', 'error');
    writeFileSync(installed, lock);
  }
  // Link the package beside the peers, as if it were installed. As a dependency, it would be copied to their lock file.
  const self = join(PEERS, 'node_modules/pix-automatic-sdk');
  rmSync(self, { force: true });
  symlinkSync(ROOT, self);
}

function npm(...args: string[]): void {
  execFileSync('npm', args, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** When the package was last built. The build writes declarations last, so a failed build leaves none. */
function builtAt(): number {
  const last = join(ROOT, 'dist/index.d.cts');
  return existsSync(last) ? statSync(last).mtimeMs : 0;
}

/** When any file in the directory was last written. */
function newest(directory: string): number {
  const times = readdirSync(directory, { recursive: true, encoding: 'utf8' }).map(
    (file) => statSync(join(directory, file)).mtimeMs,
  );
  return Math.max(0, ...times);
}
