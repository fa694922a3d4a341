import { execFileSync } from 'node:child_process';
import { copyFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { installPackages } from '../helpers/install-packages';

/**
 * Installs the hosts and their applications, builds this package beside them, and checks the types of this folder. The
 * tests build and start the applications.
 */
export default function install(): void {
  const folder = fileURLToPath(new URL('.', import.meta.url));
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const run = (command: string, args: string[]) =>
    execFileSync(command, args, { cwd: root, stdio: 'inherit' });

  // Next.js 14 is installed apart, because it needs another React; Nuxt, because it brings 600 packages.
  const copy = installPackages(folder, ['apps/next14', 'apps/nuxt']);
  // What it extends is not there, and Next.js reads it. The types are checked below, in the repository.
  rmSync(`${copy}/tsconfig.json`, { force: true });
  const installed = `${copy}/node_modules/pix-automatic-sdk`;
  run('npx', ['tsup', '--no-dts', '--silent', '--out-dir', `${installed}/dist`]);
  copyFileSync(`${root}package.json`, `${installed}/package.json`);
  run('npx', ['tsc', '-p', 'test/hosts']);
}
