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
  noEmit: true,
  target: 'es2022',
  lib: ['es2023'],
  types: ['node'],
};

it.each([
  ['nodenext, ESM', 'typescript', 'consumer.mts', { module: 'nodenext' }],
  ['nodenext, CommonJS', 'typescript', 'consumer.cts', { module: 'nodenext' }],
  ['bundler', 'typescript', 'consumer.ts', { module: 'esnext', moduleResolution: 'bundler' }],
  ['nodenext, ESM, TypeScript 5.9', 'typescript-5.9', 'consumer.mts', { module: 'nodenext' }],
  ['nodenext, CommonJS, TypeScript 5.9', 'typescript-5.9', 'consumer.cts', { module: 'nodenext' }],
  // The default of NestJS 10 and of many older projects.
  [
    'node10, CommonJS, TypeScript 5.9',
    'typescript-5.9',
    'consumer.ts',
    { module: 'commonjs', moduleResolution: 'node10' },
  ],
])('the code of a strict caller compiles: %s', async (name, compiler, file, options) => {
  const project = join(inject('consumer'), name.replace(/\W+/g, '-'));
  await mkdir(project, { recursive: true });
  await copyFile('test/package/consumer.ts', join(project, file));
  await writeFile(
    join(project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...strict, ...options }, files: [file] }),
  );

  expect(await node(project, resolve('node_modules', compiler, 'lib/tsc.js'), '--project', project)).toBe('');
});

it.each([
  ['nodenext', 'exporter.mts', { module: 'nodenext' }],
  ['bundler', 'exporter.ts', { module: 'esnext', moduleResolution: 'bundler' }],
])('a library that exports what the package gives it gets declarations: %s', async (name, file, options) => {
  const project = join(inject('consumer'), `exporter-${name}`);
  await mkdir(project, { recursive: true });
  await copyFile('test/package/exporter.ts', join(project, file));
  const emit = { noEmit: false, declaration: true, emitDeclarationOnly: true, outDir: 'out' };
  await writeFile(
    join(project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...strict, ...emit, ...options }, files: [file] }),
  );

  expect(await node(project, resolve('node_modules/typescript/lib/tsc.js'), '--project', project)).toBe('');
});
