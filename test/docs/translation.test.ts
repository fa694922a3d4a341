import { expect, test } from 'vitest';
import { sections, translations } from './markdown';
import { differences } from './translation';

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
  expect(compare(translated)).toEqual([]);
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
  expect(compare(translated.replace(from, to))).toContainEqual(expect.stringContaining(expected));
});

function compare(text: string): string[] {
  return differences(sections('o.md', original), sections('t.md', text));
}
