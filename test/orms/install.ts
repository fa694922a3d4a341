import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { installPackages } from '../helpers/install-packages';

/** Installs the ORMs, generates Prisma's client, and checks the types of this folder. */
export default function install(): void {
  const folder = fileURLToPath(new URL('.', import.meta.url));
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const run = (command: string, args: string[], cwd: string, env: NodeJS.ProcessEnv = {}) =>
    execFileSync(command, args, { cwd, env: { ...process.env, ...env }, stdio: 'inherit' });

  installPackages(folder);
  // The client needs no engine. Prisma would download one all the same, unless it is told that there is one.
  const prisma = ['node_modules/prisma/build/index.js', 'generate', '--schema', 'prisma/schema.prisma'];
  const withoutEngine = { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1' };
  run(process.execPath, prisma, folder, withoutEngine);
  run('npx', ['tsc', '-p', 'test/orms'], root);
}
