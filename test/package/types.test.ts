import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, inject, it } from 'vitest';
import { run } from './run';

/** The strictest settings of a caller; `skipLibCheck: false` also checks our declarations. */
const strict = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  skipLibCheck: false,
  declaration: true,
  emitDeclarationOnly: true,
  outDir: 'out',
  target: 'es2022',
  lib: ['es2023'],
  types: ['node'],
};

/** The oldest that compiles a caller with these settings, and the newest, which npx installs for this test alone. */
const [oldest, newest] = ['5.4', '7.0'];

/** The command of a compiler: one that is installed here, or `typescript@5.4`. */
function commandOf(compiler: string): [string, ...string[]] {
  if (compiler.includes('@')) return ['npx', '-y', '-p', compiler, '--', 'tsc'];
  return [process.execPath, resolve('node_modules', compiler, 'lib/tsc.js')];
}

// `consumer` is the code of a strict caller, in ESM and in CommonJS. `exporter` is a library that exports what the
// package gives it, and gets declarations.
it.concurrent.each([
  ['typescript', 'consumer.mts consumer.cts exporter.mts', { module: 'nodenext' }],
  ['typescript', 'consumer.ts exporter.ts', { module: 'esnext', moduleResolution: 'bundler' }],
  [`typescript@${oldest}`, 'consumer.mts consumer.cts', { module: 'nodenext' }],
  ['typescript-5.9', 'consumer.mts consumer.cts', { module: 'nodenext' }],
  [`typescript@${newest}`, 'consumer.mts consumer.cts exporter.mts', { module: 'nodenext' }],
  // The default of NestJS 10 and of many older projects.
  ['typescript-5.9', 'consumer.ts', { module: 'commonjs', moduleResolution: 'node10' }],
])('%s compiles %s with %o', async (compiler, names, options) => {
  const project = join(inject('consumer'), `${compiler} ${names}`.replace(/\W+/g, '-'));
  await mkdir(project, { recursive: true });
  const files = names.split(' ');
  for (const file of files) {
    await copyFile(`test/package/${file.replace(/\.\w+$/, '.ts')}`, join(project, file));
  }
  await writeFile(
    join(project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...strict, ...options }, files }),
  );

  expect(await run(project, ...commandOf(compiler), '--project', project)).toBe('');
});

it.each(['README.md', 'README.pt-BR.md'])('%s names the versions that are tried', async (file) => {
  expect(await readFile(file, 'utf8')).toMatch(new RegExp(`TypeScript ${oldest} (to|a) ${newest}\\b`));
});
