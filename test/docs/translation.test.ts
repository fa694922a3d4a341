import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import {
  type CodeBlock,
  extensionOf,
  linksIn,
  originalOf,
  type Section,
  sections,
  translations,
} from './markdown';

test.each(translations())(
  '$translated matches $original in everything that is not translated',
  ({ translated, original }) => {
    expect(differences(sections(original), sections(translated))).toEqual([]);
  },
);

test('the guides with most readers are translated', () => {
  const guides =
    'client errors get-started going-live listener one-order-one-journey recurrence stores testing verify';
  expect(translations().map(({ translated }) => translated)).toEqual(
    expect.arrayContaining(['README.pt-BR.md', ...guides.split(' ').map((name) => `docs/pt/${name}.md`)]),
  );
});

const original = `# Name
[Português](README.pt-BR.md). It waits 25 s, as \`timeoutMs\` says: see [below](#details).

A second paragraph.

## Details

- one item

| name | what |
|---|---|
| \`a\` | the \`first\`, 1.5 MB |

\`\`\`ts
const url = 'https://example.com'; // a comment
// another
console.log(url);
\`\`\`
`;
const translated = `# Nome
[English](README.md). Espera, como diz \`timeoutMs\`, 25 s: veja [abaixo](#detalhes).

Um segundo parágrafo.

## Detalhes

- um item

| nome | o quê |
|---|---|
| \`a\` | o \`first\`, 1,5 MB |

\`\`\`ts
const url = 'https://example.com'; // um comentário
console.log(url);
\`\`\`
`;

test('a faithful translation has no differences', () => {
  expect(differencesOf(translated)).toEqual([]);
});

test.each([
  [
    'a heading',
    '## Detalhes',
    '### Detalhes',
    't.md:6 "Detalhes" (o.md:6 "Details"): a heading of level 3, not 2',
  ],
  ['a figure', '25 s', '30 s', 'numbers: missing 25'],
  ['a figure of its own', '25 s', '25 s, 30 s', 'numbers: not in the original 30'],
  ['a name', '`timeoutMs`', '`limiteMs`', 'missing `timeoutMs`'],
  ['a link', '(#detalhes)', '(#nome)', 'links: missing heading 2'],
  ['a paragraph', 'Um segundo parágrafo.', '', 'paragraphs: missing 2'],
  ['an item', '- um item', 'um item', 'items of lists: missing 1'],
  ['a first column', '| `a` |', '| `b` |', 'first column: missing `a`'],
  ['code in a cell', '`first`', 'primeiro', 'table 1, row 2, column 2, inline code: missing `first`'],
  ['code', 'console.log(url)', 'console.info(url)', 'block of code 1: missing console.log(url);'],
  ['text in code', "//example.com'", "//exemplo.com'", "missing const url = 'https://example.com';"],
  ['a language', '```ts', '```js', 'blocks of code: missing ts'],
  ['a section', '## Detalhes', '## Novo\n\n## Detalhes', 'the original has no heading for it'],
])('the check names a difference in %s', (_, from, to, expected) => {
  expect(differencesOf(translated.replace(from, to))).toContainEqual(expect.stringContaining(expected));
});

function differencesOf(text: string): string[] {
  return differences(sections('o.md', original), sections('t.md', text));
}

/** What a translation lacks, or should not have, compared with its original; each with its place. */
function differences(original: readonly Section[], translated: readonly Section[]): string[] {
  const found: string[] = [];
  for (let index = 0; index < Math.max(original.length, translated.length); index += 1) {
    const [from, to] = [original[index], translated[index]];
    if (from === undefined || to === undefined) {
      const [extra, other] = [from ?? to, from === undefined ? 'original' : 'translation'];
      found.push(`${extra?.place} "${extra?.heading}": the ${other} has no heading for it`);
      continue;
    }
    const about = `${to.place} "${to.heading}" (${from.place} "${from.heading}")`;
    if (from.level !== to.level) found.push(`${about}: a heading of level ${to.level}, not ${from.level}`);
    const wanted = facts(from, original);
    const given = facts(to, translated);
    for (const [name, values] of wanted) found.push(...compare(`${about}: ${name}`, values, given.get(name)));
    for (const [name] of given) if (!wanted.has(name)) found.push(`${about}: ${name} is not in the original`);
  }
  return found;
}

/** The parts of a section that are the same in every language, by the name for messages. */
function facts(section: Section, document: readonly Section[]): Map<string, readonly string[]> {
  const prose = section.text
    .split('\n')
    .filter((line) => !line.startsWith('|'))
    .join('\n');
  const paragraphs = prose.split(/\n\s*\n/).filter((paragraph) => paragraph.trim() !== '');
  const named = new Map<string, readonly string[]>([
    ['links', linksIn(section.text).map((target) => positionOf(target, document))],
    ['paragraphs', [String(paragraphs.length)]],
    ['items of lists', [String(prose.match(/^\s*(?:[-*]|\d+\.) /gm)?.length ?? 0)]],
    ['inline code', codeIn(prose)],
    ['numbers', numbersIn(prose)],
    ['blocks of code', section.blocks.map(({ info }) => info)],
    ['tables', section.tables.map((rows) => `${rows.length} rows`)],
  ]);
  for (const [index, block] of section.blocks.entries()) {
    named.set(`block of code ${index + 1}`, codeOf(block));
  }
  for (const [index, rows] of section.tables.entries()) {
    for (const [row, cells] of rows.entries()) {
      const about = `table ${index + 1}, row ${row + 1}`;
      named.set(`${about}, columns`, [String(cells.length)]);
      // A name in code is the same everywhere; a cell of words is translated.
      if (row > 0 && cells[0]?.startsWith('`')) named.set(`${about}, first column`, cells.slice(0, 1));
      for (const [column, cell] of cells.entries()) {
        named.set(`${about}, column ${column + 1}, inline code`, codeIn(cell));
        named.set(`${about}, column ${column + 1}, numbers`, numbersIn(cell));
      }
    }
  }
  return named;
}

/** Compares the values one by one, in any order, because a translation may reorder a sentence. */
function compare(about: string, wanted: readonly string[], given: readonly string[] = []): string[] {
  const extra = [...given];
  const missing: string[] = [];
  for (const value of wanted) {
    const index = extra.indexOf(value);
    if (index === -1) missing.push(value);
    else extra.splice(index, 1);
  }
  return [
    ...missing.map((value) => `${about}: missing ${value}`),
    ...extra.map((value) => `${about}: not in the original ${value}`),
  ];
}

/**
 * The target of a link in a form that is the same in every language: a heading of this document by its number,
 * because its text is translated, and a document by its original.
 */
function positionOf(target: string, document: readonly Section[]): string {
  if (/^[a-z]+:/.test(target)) return target;
  if (target.startsWith('#')) return `heading ${document.findIndex(({ anchor }) => `#${anchor}` === target)}`;
  const [file = ''] = document[0]?.place.split(':') ?? [];
  const [path = '', anchor = ''] = target.split('#');
  const linked = normalize(join(dirname(file), path));
  const original = originalOf(linked);
  if (original === originalOf(file)) return 'the other language';
  // The headings of a translated document are translated too.
  const isTranslated = original !== linked || existsSync(linked.replace(/^docs\//, 'docs/pt/'));
  return isTranslated || anchor === '' ? original : `${original}#${anchor}`;
}

function codeIn(text: string): string[] {
  return text.match(/`[^`\n]+`/g) ?? [];
}

/** Numbers, with a decimal point instead of a comma. */
function numbersIn(text: string): string[] {
  const prose = text.replace(/`[^`\n]*`/g, '').replace(/\]\([^)]*\)/g, ']');
  return (prose.match(/\d+(?:[.,]\d+)*/g) ?? []).map((number) => number.replace(',', '.'));
}

/**
 * The part of a block that is the same in every language. For a drawing or printed output, that is the number of
 * lines.
 */
function codeOf(block: CodeBlock): string[] {
  if (block.info === 'text') return [`${block.code.split('\n').length} lines`];
  const isScript = extensionOf(block) !== undefined;
  const bare = isScript ? withoutComments(block.code) : block.code.replace(/(^|\s)#.*$/gm, '');
  return bare
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function withoutComments(code: string): string {
  const source = ts.createSourceFile('block.ts', code, ts.ScriptTarget.Latest, true);
  return ts.createPrinter({ removeComments: true }).printFile(source);
}
