// Writes the tables of controls and of inventions in docs/sandbox.md and docs/pt/sandbox.md.
// Run: npm run generate               writes the files
//      npm run generate -- --check    fails when a file does not match the sources
import { readFileSync } from 'node:fs';
import { controls } from '../src/sandbox/controls/controls';
import { inventionTable } from '../src/sandbox/inventions';
import { writeGenerated } from './write-generated';

const heads = [
  [
    '| command | route | what it does |',
    '| row | section | what the document leaves open | what the sandbox does |',
  ],
  [
    '| comando | rota | o que faz |',
    '| linha | seção | o que a documentação deixa em aberto | o que o sandbox faz |',
  ],
] as const;

for (const [file, language] of [
  ['docs/sandbox.md', 0],
  ['docs/pt/sandbox.md', 1],
] as const) {
  const controlRows = controls.map(
    ({ name, typed = name, method, path, about }) =>
      `| \`${typed}\` | \`${method} ${path}\` | ${about[language]} |`,
  );
  const inventionRows = Object.entries(inventionTable).map(
    ([row, { section, notShown, value }]) =>
      `| \`${row}\` | ${section} | ${notShown} | \`${JSON.stringify(value)}\` |`,
  );
  const page = replacePart(readFileSync(file, 'utf8'), 'controls', [
    heads[language][0],
    '|---|---|---|',
    ...controlRows,
  ]);
  writeGenerated(
    file,
    replacePart(page, 'inventions', [heads[language][1], '|---|---|---|---|', ...inventionRows]),
  );
}

function replacePart(page: string, name: string, lines: readonly string[]): string {
  const [start, end] = [`<!-- ${name}: generated -->`, `<!-- /${name} -->`];
  const [from, to] = [page.indexOf(start), page.indexOf(end)];
  if (from === -1 || to === -1) throw new Error(`The page has no part ${name}.`);
  return `${page.slice(0, from + start.length)}\n\n${lines.join('\n')}\n\n${page.slice(to)}`;
}
