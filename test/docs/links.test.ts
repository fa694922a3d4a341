import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { documents, linksIn, originalOf, sections } from './markdown';

/** Made by `npm run docs`, and not in the repository. */
const GENERATED = ['docs/api/index.html'];

test.each([...documents(), 'llms.txt'])('every relative link of %s leads somewhere', (file) => {
  expect(brokenLinks(file)).toEqual([]);
});

test('the check finds a link to a missing file or heading', () => {
  const text = [
    '# Here and there',
    '[a](#here-and-there) [b](README.md#errors) [c](https://example.com/none) `[d](none.md)`',
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

test('a link to a page in another language says so', () => {
  const isPortuguese = (file: string) => originalOf(file) !== file;
  const silent = documents().flatMap((file) => {
    const paragraphs = sections(file).flatMap(({ text }) => text.split(/\n\s*\n/));
    return paragraphs.flatMap((paragraph) =>
      [...paragraph.matchAll(/(?<!!)\[([^\]]*)\]\(([^):#\s]+\.md)[^)]*\)/g)].flatMap(
        ([link, label = '', target = '']) => {
          const isHere = isPortuguese(file);
          if (isHere === isPortuguese(normalize(join(dirname(file), target)))) return [];
          const says = isHere ? /\(em inglês\)$|^English$/ : /Portugu[eê]s/;
          return says.test(label) || paragraph.startsWith('In Portuguese: ') ? [] : [`${file}: ${link}`];
        },
      ),
    );
  });
  expect(silent).toEqual([]);
});

test('every file of the repository that a document names exists', () => {
  const named = documents().flatMap((file) =>
    [
      ...readFileSync(file, 'utf8').matchAll(/`((?:src|test|docs|scripts|bench|\.github)\/[\w./-]+\.\w+)`/g),
    ].map(([, name = '']) => `${name} in ${file}`),
  );
  expect(named.length).toBeGreaterThan(10);
  const isThere = (name: string) => /\/x\/y\./.test(name) || existsSync(name.split(' ')[0] ?? '');
  expect(named.filter((name) => !isThere(name))).toEqual([]);
});

test('a page that a message of the library names is in the package', () => {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.(ts|tsx|json)$/.test(file),
  );
  const named = sources.flatMap((file) =>
    pagesIn(file, readFileSync(join('src', file), 'utf8')).map((page) => `${page} in ${file}`),
  );
  expect(named.length).toBeGreaterThan(0);
  const { files } = JSON.parse(readFileSync('package.json', 'utf8')) as { files: string[] };
  const isGuide = (page: string) => /^docs\/(?:pt\/)?[^/]+\.md$/.test(page) && existsSync(page);
  expect(files).toEqual(expect.arrayContaining(['docs/*.md', 'docs/pt/*.md']));
  const packed = [...files, 'README.md', 'README.pt-BR.md'];
  const pages = named.map((name) => name.split(' ')[0] ?? '');
  expect(pages.filter((page) => !packed.includes(page) && !isGuide(page))).toEqual([]);
});

test('the check reads texts, and no comments', () => {
  const code = "// docs/a.md\nconst x = [`docs/b.md#there`, 'docs/c.md']; /** docs/d.md */";
  expect(pagesIn('x.ts', code)).toEqual(['docs/b.md', 'docs/c.md']);
});

/** The pages that the texts of a source file name, as paths from the repository's root. */
function pagesIn(file: string, text: string): string[] {
  // Most files name no page, and parsing them all takes longer than the rest of these tests.
  if (!text.includes('.md')) return [];
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      texts.push(node.text);
    }
    ts.forEachChild(node, visit);
  };
  if (file.endsWith('.json')) texts.push(text);
  else visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest));
  return texts.flatMap((each) => each.match(/(?:docs\/[\w/-]+|\b[A-Z]{4,}(?:\.[\w-]+)?)\.md/g) ?? []);
}

test('docs/README.md and CONTRIBUTING.md lead to every guide, and no document links to a host of this project', () => {
  const guides = documents().filter((file) => /^docs\/(?!README|pt\/)/.test(file));
  const linked = ['docs/README.md', 'CONTRIBUTING.md'].flatMap((file) =>
    linksIn(readFileSync(file, 'utf8')).map((target) => join(dirname(file), target)),
  );
  expect(guides.filter((file) => !linked.includes(file))).toEqual([]);

  const hosts = documents().flatMap((file) =>
    linksIn(readFileSync(file, 'utf8')).filter((target) => /^https?:.*pix-automatic/.test(target)),
  );
  expect(hosts).toEqual([]);
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
