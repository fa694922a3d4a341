import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { codeBlocks } from '../docs/markdown';

const RECIPES = codeBlocks('docs/transactions.md').filter(({ info }) => info.startsWith('typescript '));

/** The lines between `// #region` and `// #endregion`: what the document shows, and what the tests run. */
function shown(file: string): string {
  const source = readFileSync(fileURLToPath(new URL(file, import.meta.url)), 'utf8');
  const regions = [...source.matchAll(/^ *\/\/ #region\n((?:.*\n)*?)^ *\/\/ #endregion\n/gm)];
  return regions.map(([, lines = '']) => lines.replaceAll(/^ {2}/gm, '')).join('');
}

it('there are recipes for 6 ORMs over PostgreSQL, 3 others over MySQL, and 2 queues', () => {
  const files = RECIPES.map(({ info }) => info.split(' ')[1] ?? '');
  expect(files.filter((file) => file.startsWith('postgres/'))).toHaveLength(6);
  expect(files.filter((file) => file.startsWith('mysql/'))).toHaveLength(3);
  expect(files.filter((file) => file.startsWith('queues/'))).toHaveLength(2);
});

it.each(RECIPES.map(({ info, code }) => [info.split(' ')[1] ?? '', code]))(
  'the recipe of %s in docs/transactions.md is the one that the tests run',
  (file, code) => {
    expect(shown(file)).not.toBe('');
    expect(code).toBe(shown(file));
  },
);

it.each(['typeorm', 'kysely'])(
  'the access of %s is the same over MySQL, as docs/transactions.md says',
  (name) => {
    const overMysql = shown(`mysql/${name}.ts`).replace('mysqlStoreWithin', 'postgresStoreWithin');
    expect(overMysql).not.toBe('');
    expect(shown(`postgres/${name}.ts`)).toContain(overMysql);
  },
);
