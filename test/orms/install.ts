import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Installs the ORMs from their own lock file, generates Prisma's client, and checks the types of this folder. */
export default function install(): void {
  const folder = fileURLToPath(new URL('.', import.meta.url));
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const run = (command: string, args: string[], cwd: string, env: NodeJS.ProcessEnv = {}) =>
    execFileSync(command, args, { cwd, env: { ...process.env, ...env }, stdio: 'inherit' });

  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'], folder);
  // The client needs no engine. Prisma would download one all the same, unless it is told that there is one.
  const prisma = ['node_modules/prisma/build/index.js', 'generate', '--schema', 'prisma/schema.prisma'];
  const withoutEngine = { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1' };
  run(process.execPath, prisma, folder, withoutEngine);
  run('npx', ['tsc', '-p', 'test/orms'], root);
}
