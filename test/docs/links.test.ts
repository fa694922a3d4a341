import { existsSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { documents, linksIn, sections } from './markdown';

/** Made by `npm run docs`, and not in the repository. */
const GENERATED = ['docs/api/index.html'];

test.each(documents())('every relative link of %s leads somewhere', (file) => {
  expect(brokenLinks(file)).toEqual([]);
});

test('a link to a file, or to a heading, that is not there would be found', () => {
  const text = [
    '# Here and there',
    '[a](#here-and-there) [b](README.md#configuration) [c](https://example.com/none) `[d](none.md)`',
    '[e](#there) [f](none.md) [g](README.md#none) [h](docs/api/none.html) [i](docs)',
    '[j]: none.png',
  ].join('\n');
  expect(brokenLinks('README.md', text)).toEqual([
    '#there: no such heading in README.md',
    'none.md: no such file',
    'README.md#none: no such heading in README.md',
    'docs/api/none.html: no such file',
    'none.png: no such file',
  ]);
});

test.each(['README.md', 'README.pt-BR.md'])('the contents of %s name every section, in order', (file) => {
  const [contents, ...others] = sections(file).filter(({ level }) => level === 2);
  // The licence, at the end, is not looked for.
  const anchors = others.slice(0, -1).map(({ anchor }) => `#${anchor}`);
  expect(linksIn(contents?.text ?? '')).toEqual(anchors);
});

function brokenLinks(file: string, text?: string): string[] {
  const own = sections(file, text);
  const targets = own.flatMap((section) => linksIn(`${section.heading}\n${section.text}`));
  return targets.flatMap((target) => {
    if (/^[a-z]+:/.test(target)) return [];
    const [path = '', anchor] = target.split('#');
    const linked = path === '' ? file : normalize(join(dirname(file), path));
    if (GENERATED.includes(linked)) return [];
    if (!existsSync(linked)) return [`${target}: no such file`];
    if (anchor === undefined) return [];
    const there = path === '' ? own : statSync(linked).isFile() ? sections(linked) : [];
    return there.some((section) => section.anchor === anchor)
      ? []
      : [`${target}: no such heading in ${linked}`];
  });
}
