import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { codeBlocks, sections } from '../docs/markdown';
import { NAMES } from './orms';

const PAGE = 'docs/database.md';
const source = (file: string) => readFileSync(fileURLToPath(new URL(file, import.meta.url)), 'utf8');
const blocksOf = (folder: string) =>
  codeBlocks(PAGE).flatMap(({ info, code }) => {
    const [, file = ''] = info.split(' ');
    return file.startsWith(`${folder}/`) ? [{ file, code }] : [];
  });

/** The rows of the ORMs: the name, and the call that makes the store. */
const ROWS = (sections(PAGE).find(({ heading }) => heading === 'Your ORM')?.tables[0] ?? [])
  .slice(1)
  .map(([name = '', call = '']) => [name.match(/^\w+/)?.[0] ?? '', call.replaceAll('`', '')] as const);

/** The lines between `// #region` and `// #endregion`, without their indent: what the document shows, and what the tests run. */
function shown(file: string): string {
  const [, indent = '', lines = ''] =
    /^( *)\/\/ #region\n((?:.*\n)*?) *\/\/ #endregion\n/m.exec(source(file)) ?? [];
  return lines.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
}

it(`${PAGE} has a row for each ORM, a recipe for a queue, and a shop`, () => {
  expect(ROWS.map(([name]) => name)).toEqual(NAMES.postgres);
  expect([blocksOf('queues').length, blocksOf('shops').length]).toEqual([1, 1]);
});

it.each(ROWS)('the store of %s is made by %s in the files that the tests run', (name, call) => {
  for (const [dialect, names] of Object.entries(NAMES)) {
    if (!names.includes(name)) continue;
    const file = `blocks/${dialect}/${name.toLowerCase()}.ts`;
    // The tests add a limit to its options.
    const begin = call.replace(/(?: \})?\)$/, '').replace("'postgres'", `'${dialect}'`);
    expect(source(file)).toContain(`export const store = ${begin}`);
  }
});

it('a pool of pg that an ORM takes has the listeners that the page names', () => {
  const listeners = codeBlocks(PAGE).find(({ code }) => code.includes("pool.on('connect'"))?.code ?? '';
  const calls = listeners.match(/^pool\.on\([^;]*;/gm) ?? [];
  expect(calls).toHaveLength(2);
  for (const name of ['drizzle', 'kysely'])
    for (const call of calls) expect(source(`blocks/postgres/${name}.ts`)).toContain(call);
});

it.each(blocksOf('queues'))(
  'the recipe of $file in the page is the one that the tests run',
  ({ file, code }) => {
    expect(shown(file)).not.toBe('');
    expect(code).toBe(shown(file));
  },
);

it('the relay to BullMQ names its job as the page says', () => {
  const add = "queue.add('payment', payload, { jobId: encodeURIComponent(key) })";
  expect(readFileSync(PAGE, 'utf8')).toContain(`\`${add}\``);
  expect(source('queues/bullmq.ts')).toContain(add);
});

it.each(blocksOf('shops'))('the page shows the program $file, which the tests run', ({ file, code }) =>
  expect(code).toBe(source(file)),
);

/** Code without what a formatter, a comment or a type adds to it. */
const bare = (code: string) =>
  code
    .replace(/\/\/.*/g, '')
    .replace(/ as unknown\[\]|\s+/g, '')
    .replace(/,(?=[)}])/g, '');

it.each([
  ['storeWithin', 'within.ts', 'mysql-access.ts', /async transaction.*\[0\] as unknown\[\]/s],
  ['MysqlStore', 'mysql-store.ts', 'close-silent.ts', /const timers.*;/s],
])('the comment of %s in %s shows the code of %s, which the tests run', (_, documented, run, part) => {
  const comments = source(`../../src/stores/${documented}`).replace(/^ \* ?/gm, '');
  const [code = ''] = part.exec(source(`../helpers/${run}`)) ?? [];
  expect(code).not.toBe('');
  expect(bare(comments)).toContain(bare(code));
});
