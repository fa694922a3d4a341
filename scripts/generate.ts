// Writes every generated file: the guards, the sandbox's page, and, in both languages, the tables of controls and of
// inventions in docs/sandbox.md.
// Run: npm run generate               writes the files
//      npm run generate -- --check    fails when a file does not match its sources
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { controls } from '../src/sandbox/controls/controls';
import { inventionTable } from '../src/sandbox/inventions';
import { guards } from './generate-guards';
import { page } from './generate-page';

write('src/service/guards.generated.ts', guards());
write('src/sandbox/page/page.generated.ts', page);

const heads = [
  ['| command | route | what it does |', '| row | what is invented, and why | value |'],
  ['| comando | rota | o que faz |', '| linha | o que é inventado, e por quê | valor |'],
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
    ([row, { about, value }]) => `| \`${row}\` | ${about[language]} | \`${JSON.stringify(value)}\` |`,
  );
  const withControls = replacePart(readFileSync(file, 'utf8'), 'controls', [
    heads[language][0],
    '|---|---|---|',
    ...controlRows,
  ]);
  write(
    file,
    replacePart(withControls, 'inventions', [heads[language][1], '|---|---|---|', ...inventionRows]),
  );
}

function replacePart(page: string, name: string, lines: readonly string[]): string {
  const [start, end] = [`<!-- ${name}: generated -->`, `<!-- /${name} -->`];
  const [from, to] = [page.indexOf(start), page.indexOf(end)];
  if (from === -1 || to === -1) throw new Error(`The page has no part ${name}.`);
  return `${page.slice(0, from + start.length)}\n\n${lines.join('\n')}\n\n${page.slice(to)}`;
}

/** Writes a generated file in the repository's format. With `--check`, fails instead if the file is not up to date. */
function write(file: string, code: string): void {
  const formatted = file.endsWith('.md') ? code : format(file, code);
  if (!process.argv.includes('--check')) {
    writeFileSync(file, formatted);
  } else if (readFileSync(file, 'utf8') !== formatted) {
    console.error(`${file} does not match its sources. Run \`npm run generate\` and commit what it changes.`);
    process.exit(1);
  }
}

function format(file: string, code: string): string {
  return execFileSync('npx', ['biome', 'format', `--stdin-file-path=${file}`], {
    input: code,
    encoding: 'utf8',
  });
}
