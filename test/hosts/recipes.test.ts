import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { here } from './serve';

const PAGE_TEXT = readFileSync('docs/runtimes.md', 'utf8');

const FILES = readdirSync(here('.'), { recursive: true, encoding: 'utf8' }).filter(
  (file) =>
    /^[^/]*\.(ts|mjs)$|^apps\/(?!.*(node_modules|build|dist|\.[a-z-]+)\/).*\.[jt]s$/.test(file) &&
    shown(file) !== '',
);

/** The lines between `// #region` and `// #endregion`, as the page has them. */
function shown(file: string): string {
  const source = readFileSync(here(file), 'utf8');
  const regions = [...source.matchAll(/^ *\/\/ #region\n((?:.*\n)*?)^ *\/\/ #endregion\n/gm)];
  const lines = regions.map(([, inner = '']) => inner).join('');
  const indent = /^ */.exec(lines)?.[0] ?? '';
  return lines.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
}

it('there are lines for each host', () => {
  expect(FILES.length).toBeGreaterThanOrEqual(17);
});

it.each(FILES)('docs/runtimes.md shows the lines of %s that the tests run, or links to them', (file) => {
  if (PAGE_TEXT.includes(`](../test/hosts/${file})`)) return;
  for (const line of shown(file).trim().split('\n'))
    expect(PAGE_TEXT).toContain(`\`${line.replace(/ *\/\/ .*/, '')}\``);
});
