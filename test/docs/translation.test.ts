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
    expect(differences(translatedPart(original), sections(translated))).toEqual([]);
  },
);

/** The pages of which only these sections are translated. A link to another section leads to the original. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  'docs/database.md': ['Your database', 'Which store', 'What a callback must keep to', 'MySQL and MariaDB'],
};

function translatedPart(original: string): Section[] {
  const parts = PARTS[original];
  const all = sections(original);
  expect(all.map(({ heading }) => heading)).toEqual(expect.arrayContaining([...(parts ?? [])]));
  return all.filter(({ heading }) => parts === undefined || heading === '' || parts.includes(heading));
}

test('what a merchant opens at work is translated', () => {
  const guides = [
    'database',
    'errors',
    'going-live',
    'listener',
    'orders',
    'pix-codes',
    'recurrence',
    'sandbox',
  ];
  expect(
    translations()
      .map(({ translated }) => translated)
      .sort(),
  ).toEqual(['README.pt-BR.md', ...guides.map((name) => `docs/pt/${name}.md`)]);
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
    't.md:6 "Detalhes" (o.md:6 "Details"): missing heading of level 2',
  ],
  ['a figure', '25 s', '30 s', 'missing number: 25'],
  ['a figure of its own', '25 s', '25 s, 30 s', 'not in the original: number: 30'],
  ['a name', '`timeoutMs`', '`limiteMs`', 'missing inline code: `timeoutMs`'],
  ['a link', '(#detalhes)', '(#nome)', 'missing link: heading 2'],
  ['a paragraph', 'Um segundo parágrafo.', '', 'missing 2 paragraphs'],
  ['an item', '- um item', 'um item', 'missing 1 items of lists'],
  ['a first column', '| `a` |', '| `b` |', 'missing table 1, row 2, column 1: `a`'],
  ['code in a cell', '`first`', 'primeiro', 'missing table 1, row 2, column 2, inline code: `first`'],
  ['a column', '1,5 MB |', '1,5 | MB |', 'missing table 1, row 2: 2 columns'],
  ['code', 'console.log(url)', 'console.info(url)', 'missing block 1: console.log(url);'],
  ['text in code', "//example.com'", "//exemplo.com'", "missing block 1: const url = 'https://example.com';"],
  ['a language', '```ts', '```js', 'missing block 1 is ts'],
  ['a section', '## Detalhes', '## Novo\n\n## Detalhes', 'the original has no heading for it'],
])('the check names a difference in %s', (_, from, to, expected) => {
  expect(differencesOf(translated.replace(from, to))).toContainEqual(expect.stringContaining(expected));
});

function differencesOf(text: string): string[] {
  return differences(sections('o.md', original), sections('t.md', text));
}

/** What a translation lacks, or should not have, compared with its original; each with its place. */
function differences(original: readonly Section[], translated: readonly Section[]): string[] {
  const pairs = Array.from({ length: Math.max(original.length, translated.length) }, (_, i) => i);
  return pairs.flatMap((index) => {
    const [from, to] = [original[index], translated[index]];
    if (from === undefined || to === undefined) {
      const other = from === undefined ? 'original' : 'translation';
      return [`${(from ?? to)?.place}: the ${other} has no heading for it`];
    }
    const about = `${to.place} "${to.heading}" (${from.place} "${from.heading}")`;
    const extra = facts(to, translated);
    const missing: string[] = [];
    // In any order, because a translation may reorder a sentence.
    for (const fact of facts(from, original)) {
      const found = extra.indexOf(fact);
      if (found === -1) missing.push(`${about}: missing ${fact}`);
      else extra.splice(found, 1);
    }
    return [...missing, ...extra.map((fact) => `${about}: not in the original: ${fact}`)];
  });
}

/** What is the same in every language, as lines that say where it is. */
function facts(section: Section, document: readonly Section[]): string[] {
  const prose = section.text.replace(/^\|.*/gm, '');
  const paragraphs = prose.split(/\n\s*\n/).filter((paragraph) => paragraph.trim() !== '');
  const all = (about: string, values: readonly string[]) => values.map((value) => `${about}: ${value}`);
  const inText = (about: string, text: string) => [
    ...all(`${about}inline code`, text.match(/`[^`\n]+`/g) ?? []),
    ...all(`${about}number`, numbersIn(text)),
  ];
  return [
    `heading of level ${section.level}`,
    `${paragraphs.length} paragraphs`,
    `${prose.match(/^\s*(?:[-*]|\d+\.) /gm)?.length ?? 0} items of lists`,
    ...inText('', prose),
    ...linksIn(section.text).map((target) => `link: ${positionOf(target, document)}`),
    ...section.blocks.flatMap((block, index) => [
      `block ${index + 1} is ${block.info}`,
      ...all(`block ${index + 1}`, codeOf(block)),
    ]),
    ...section.tables.flatMap((rows, table) =>
      rows.flatMap((cells, row) => [
        `table ${table + 1}, row ${row + 1}: ${cells.length} columns`,
        ...cells.flatMap((cell, column) => {
          const about = `table ${table + 1}, row ${row + 1}, column ${column + 1}`;
          // A name in code is the same everywhere; a cell of words is translated.
          const isName = row > 0 && column === 0 && cell.startsWith('`');
          return isName ? [`${about}: ${cell}`] : inText(`${about}, `, cell);
        }),
      ]),
    ),
  ];
}

/**
 * The target of a link in a form that is the same in every language: a heading of this document by its number,
 * because its text is translated, and a document by its original.
 */
function positionOf(target: string, document: readonly Section[]): string {
  if (/^[a-z]+:/.test(target)) return target;
  const heading = document.findIndex(({ anchor }) => `#${anchor}` === target);
  if (target.startsWith('#')) return heading === -1 ? 'the other language' : `heading ${heading}`;
  const [file = ''] = document[0]?.place.split(':') ?? [];
  const [path = '', anchor = ''] = target.split('#');
  const linked = normalize(join(dirname(file), path));
  const original = originalOf(linked);
  if (original === originalOf(file)) return 'the other language';
  // The headings of a translated document are translated too.
  const isTranslated = original !== linked || existsSync(linked.replace(/^docs\//, 'docs/pt/'));
  return isTranslated || anchor === '' ? original : `${original}#${anchor}`;
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
