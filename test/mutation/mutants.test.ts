import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { mutated } from './mutant';
import { mutants } from './mutants';
import { scopes } from './scopes';

it.each(mutants)('the listed fault "$name" changes one place in $file, and its tests exist', (mutant) => {
  const source = readFileSync(mutant.file, 'utf8');
  expect(mutated(source, mutant)).not.toBe(source);
  for (const test of mutant.tests) expect(existsSync(test), test).toBe(true);
});

it('no two listed faults of a file have the same name', () => {
  const names = mutants.map(({ file, name }) => `${file}: ${name}`);
  expect(names).toEqual([...new Set(names)]);
});

it.each(Object.entries(scopes))('each file of the scope %s exists, and so do its tests', (_, scope) => {
  const paths = Object.entries(scope).flat(2);
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
});
