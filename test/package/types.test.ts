import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, inject, it } from 'vitest';
import { node } from './run';

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

// `consumer` is the code of a strict caller, in ESM and in CommonJS. `exporter` is a library that exports what the
// package gives it, and gets declarations.
it.concurrent.each([
  ['typescript', 'consumer.mts consumer.cts exporter.mts', { module: 'nodenext' }],
  ['typescript', 'consumer.ts exporter.ts', { module: 'esnext', moduleResolution: 'bundler' }],
  ['typescript-5.9', 'consumer.mts consumer.cts', { module: 'nodenext' }],
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

  expect(await node(project, resolve('node_modules', compiler, 'lib/tsc.js'), '--project', project)).toBe('');
});
