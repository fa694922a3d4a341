import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { type CodeBlock, codeBlocks } from '../docs/markdown';

const PAGE = 'docs/database.md';
const blocksOf = (folder: string) =>
  codeBlocks(PAGE).filter(({ info }) => info.split(' ')[1]?.startsWith(`${folder}/`));
const [ORM_BLOCKS, QUEUES, SHOPS] = ['blocks', 'queues', 'shops'].map(blocksOf) as [
  CodeBlock[],
  CodeBlock[],
  CodeBlock[],
];

const source = (file: string) => readFileSync(fileURLToPath(new URL(file, import.meta.url)), 'utf8');

/** The lines between `// #region` and `// #endregion`: what the document shows, and what the tests run. */
function shown(file: string): string {
  const regions = [...source(file).matchAll(/^ *\/\/ #region\n((?:.*\n)*?)^ *\/\/ #endregion\n/gm)];
  return regions.map(([, lines = '']) => lines.replaceAll(/^ {2}/gm, '')).join('');
}

const nameOf = ({ info }: { readonly info: string }) => info.split(' ')[1] ?? '';

it('docs/database.md has a block for each of the 6 ORMs, recipes for 2 queues, and a shop', () => {
  const postgres = readdirSync(fileURLToPath(new URL('blocks/postgres', import.meta.url)));
  expect(postgres).toHaveLength(6);
  expect(ORM_BLOCKS.map(nameOf).sort()).toEqual(postgres.map((file) => `blocks/postgres/${file}`).sort());
  expect([QUEUES.length, SHOPS.length]).toEqual([2, 1]);
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
  'the recipe of %s in docs/database.md is the one that the tests run',
  (file, code) => {
    expect(shown(file)).not.toBe('');
    expect(code).toBe(shown(file));
  },
);

it.each(SHOPS.map((block) => [nameOf(block), block.code]))(
  'docs/database.md shows the program %s, which the tests run',
  (file, code) => expect(code).toBe(source(file)),
);
