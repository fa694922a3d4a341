import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

// npm run test:orms: installs the ORMs from their own lock file where they are missing, generates Prisma's client, and
// type-checks and runs the tests of this folder.

const folder = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../..', import.meta.url));
const run = (command: string, args: string[], cwd: string, env: NodeJS.ProcessEnv = {}) =>
  execFileSync(command, args, { cwd, env: { ...process.env, ...env }, stdio: 'inherit' });

run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'], folder);
// The client needs no engine. Prisma would download one all the same, unless it is told that there is one.
run(
  process.execPath,
  ['node_modules/prisma/build/index.js', 'generate', '--schema', 'prisma/schema.prisma'],
  folder,
  {
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    CHECKPOINT_DISABLE: '1',
  },
);
run('npx', ['tsc', '-p', 'test/orms'], root);
run('npx', ['vitest', 'run', '--config', 'test/orms/vitest.config.ts', ...process.argv.slice(2)], root);
