import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';

/**
 * Installs what the `package.json` of a folder names into a cache folder outside the repository, once for these versions
 * and this checkout, and links the folder's `node_modules` there. Returns the cache folder, which is a copy of the folder.
 * `apart` names folders in it that are installed on their own.
 */
export function installPackages(folder: string, apart: readonly string[] = []): string {
  const source = resolve(folder);
  const manifests = [source, ...apart.map((path) => join(source, path))].map((path) =>
    join(path, 'package.json'),
  );
  const hash = createHash('sha256').update(`${source} ${process.version}`);
  for (const manifest of manifests) hash.update(readFileSync(manifest));
  const cache = join(cacheHome(), 'pix-automatic-sdk', hash.digest('hex').slice(0, 16));
  mkdirSync(cache, { recursive: true });
  cpSync(source, cache, { recursive: true, filter: (path) => !isMade(relative(source, path)) });
  // Written last, so that an installation that was broken off is made again.
  const complete = join(cache, 'node_modules/.complete');
  if (!existsSync(complete)) {
    for (const path of ['.', ...apart]) {
      // Without a lock file, because exact versions are enough to know what is tested.
      const args = [
        'install',
        '--no-package-lock',
        '--ignore-scripts',
        '--no-audit',
        '--no-fund',
        '--prefer-offline',
      ];
      execFileSync('npm', args, { cwd: join(cache, path), stdio: 'inherit' });
    }
    writeFileSync(complete, '');
  }
  const link = join(source, 'node_modules');
  rmSync(link, { recursive: true, force: true });
  symlinkSync(join(cache, 'node_modules'), link);
  return cache;
}

const cacheHome = () => process.env['XDG_CACHE_HOME'] || tmpdir();

const isMade = (path: string) => /(^|\/)(node_modules|build|dist|\.[a-z-]+)(\/|$)/.test(path);
