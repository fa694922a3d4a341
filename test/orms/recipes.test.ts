import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { codeBlocks } from '../docs/markdown';

const blocksOf = (file: string) => codeBlocks(file).filter(({ info }) => info.startsWith('typescript '));
const ORM_BLOCKS = blocksOf('docs/orm.md');
const QUEUES = blocksOf('docs/transactions.md');

const source = (file: string) => readFileSync(fileURLToPath(new URL(file, import.meta.url)), 'utf8');

/** The lines between `// #region` and `// #endregion`: what the document shows, and what the tests run. */
function shown(file: string): string {
  const regions = [...source(file).matchAll(/^ *\/\/ #region\n((?:.*\n)*?)^ *\/\/ #endregion\n/gm)];
  return regions.map(([, lines = '']) => lines.replaceAll(/^ {2}/gm, '')).join('');
}

const nameOf = ({ info }: { readonly info: string }) => info.split(' ')[1] ?? '';

it('docs/orm.md has a block for each of the 6 ORMs, and there are recipes for 2 queues', () => {
  const postgres = readdirSync(fileURLToPath(new URL('blocks/postgres', import.meta.url)));
  expect(postgres).toHaveLength(6);
  const shownOnes = ORM_BLOCKS.map(nameOf).filter((name) => name.startsWith('blocks/postgres/'));
  expect(shownOnes.sort()).toEqual(postgres.map((file) => `blocks/postgres/${file}`).sort());
  expect(QUEUES.map(nameOf).filter((file) => file.startsWith('queues/'))).toHaveLength(2);
});

it.each(ORM_BLOCKS.map((block) => [nameOf(block), block.code]))(
  'the block of %s is the file that the tests run: at most ten lines, the first to install it',
  (file, code) => {
    expect(code).toBe(source(file));
    const lines = code.split('\n').filter((line) => line !== '');
    expect(lines[0]).toMatch(/^\/\/ npm install pix-automatic-sdk /);
    expect(lines.length).toBeLessThanOrEqual(10);
  },
);

it.each(QUEUES.map((block) => [nameOf(block), block.code]))(
  'the recipe of %s in docs/transactions.md is the one that the tests run',
  (file, code) => {
    expect(shown(file)).not.toBe('');
    expect(code).toBe(shown(file));
  },
);
