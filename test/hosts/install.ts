import { execFileSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Installs the hosts from their own lock files, builds this package into their node_modules, and checks the types of
 * this folder. The tests build and start the applications.
 */
export default function install(): void {
  const folder = fileURLToPath(new URL('.', import.meta.url));
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const installed = `${folder}node_modules/pix-automatic-sdk`;
  const run = (command: string, args: string[], cwd: string) =>
    execFileSync(command, args, { cwd, stdio: 'inherit' });

  // Next.js 14 has a lock file of its own, because it needs another React; Nuxt, because it brings 600 packages.
  for (const place of [folder, `${folder}apps/next14`, `${folder}apps/nuxt`]) {
    run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'], place);
  }
  run('npx', ['tsup', '--no-dts', '--silent', '--out-dir', `${installed}/dist`], root);
  copyFileSync(`${root}package.json`, `${installed}/package.json`);
  run('npx', ['tsc', '-p', 'test/hosts'], root);
}
