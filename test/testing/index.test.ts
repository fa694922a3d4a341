import { builtinModules } from 'node:module';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

it('the testing entry imports neither msw, nor a test runner, nor a module of Node', async () => {
  const { metafile } = await build({
    entryPoints: ['src/testing/index.ts'],
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    external: [...builtinModules, 'node:*', 'msw', 'msw/*', 'vitest', 'jest', '@jest/*'],
    logLevel: 'silent',
  });
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  expect(imports.map(({ path }) => path)).toEqual([]);
});
