import { expect, inject, it } from 'vitest';
import { node } from './run';

it('the tarball passes publint in its strict mode', async () => {
  const output = await node('.', 'node_modules/publint/src/cli.js', 'run', inject('tarball'), '--strict');
  expect(output).toContain('All good!');
});

it('the tarball resolves with matching types in every mode of TypeScript (@arethetypeswrong/cli)', async () => {
  const output = await node(
    '.',
    'node_modules/@arethetypeswrong/cli/dist/index.js',
    inject('tarball'),
    '--no-color',
  );
  expect(output).toContain('No problems found');
});
