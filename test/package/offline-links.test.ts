import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { linksIn, sections } from '../docs/markdown';

// What is in node_modules links to the repository for examples, pictures and the maintainers' documents.
const installed = join(inject('consumer'), 'node_modules', 'pix-automatic-sdk');
const documents = readdirSync(installed, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.md$|^llms\.txt$/.test(entry.name))
  .map((entry) => join(entry.parentPath, entry.name).slice(installed.length + 1))
  .sort();

const { version, repository } = JSON.parse(readFileSync('package.json', 'utf8'));
const REPOSITORY = `${repository.url.replace(/^git\+|\.git$/g, '')}/blob/v${version}/`;

/** Placeholders for a host that is not known yet, and our own name on hosts that we do not use. */
const placeholders =
  /\b(?:github|gitlab|codeberg)\.com\/(?:[^/\s)]*\/)?pix-automatic|your-?(?:org|name|host)|\bTODO\b|OWNER\/REPO|npmjs\.com\/package\/pix-automatic/i;

it('the package has both READMEs, every guide, the policies and llms.txt, and no other document', () => {
  const guides = ['docs', 'docs/pt'].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => /\.md$/.test(name) && name !== 'api-report.md')
      .map((name) => `${folder}/${name}`),
  );
  const policies = ['CHANGELOG.md', 'README.md', 'README.pt-BR.md', 'SECURITY.md', 'llms.txt'];
  expect(guides.length).toBeGreaterThan(20);
  expect(documents).toEqual([...guides, ...policies].sort());
});

it('a page that a declaration names is in the package, with its heading', () => {
  const declarations = readdirSync(join(installed, 'dist')).filter((name) => name.endsWith('.d.ts'));
  const named = declarations.flatMap((name) => {
    // In one line, because a comment may break a name's sentence.
    const text = readFileSync(join(installed, 'dist', name), 'utf8').replace(/\n\s*\*\s*/g, ' ');
    return text.match(/docs\/[\w/-]+\.md(?:#[\w-]+)?/g) ?? [];
  });
  expect(named).toEqual(expect.arrayContaining(['docs/database.md', 'docs/errors.md#timeout']));
  expect(brokenLinks('README.md', named.map((page) => `[a](${page})`).join(' '))).toEqual([]);
});

describe.each(documents)('%s', (file) => {
  it('has relative links that lead to files and headings inside the package', () => {
    expect(brokenLinks(file, readFileSync(join(installed, file), 'utf8'))).toEqual([]);
  });

  it('has links to the repository that lead to files of this version, and to no guide', () => {
    const text = readFileSync(join(installed, file), 'utf8');
    const inRepository = linksIn(text).filter((target) => target.startsWith(REPOSITORY));
    const files = inRepository.map((target) => target.slice(REPOSITORY.length).split('#')[0] ?? '');
    expect(files.filter((path) => !existsSync(path) || /^docs\/(?:pt\/)?[^/]+\.md$/.test(path))).toEqual([]);
  });

  it('links to no placeholder host', () => {
    const text = readFileSync(join(installed, file), 'utf8');
    expect(linksIn(text).filter((target) => placeholders.test(target))).toEqual([]);
  });
});

it('a link that leaves the package or leads nowhere is found', () => {
  const text = '[a](README.md) [b](src/index.ts) [c](docs/none.md) [d](../other) [e](docs/errors.md#none)';
  expect(brokenLinks('CHANGELOG.md', text)).toEqual([
    'src/index.ts: not in the package',
    'docs/none.md: not in the package',
    '../other: not in the package',
    'docs/errors.md#none: no such heading',
  ]);
});

function brokenLinks(file: string, text: string): string[] {
  const own = sections(file, text);
  const targets = own.flatMap((section) => linksIn(`${section.heading}\n${section.text}`));
  return targets.flatMap((target) => {
    if (/^[a-z]+:/.test(target)) return [];
    const [path = '', anchor] = target.split('#');
    const linked = path === '' ? file : normalize(join(dirname(file), path));
    const place = join(installed, linked);
    if (linked.startsWith('..') || !existsSync(place)) return [`${target}: not in the package`];
    if (anchor === undefined) return [];
    const headings = statSync(place).isFile() ? sections(place, path === '' ? text : undefined) : [];
    return headings.some((heading) => heading.anchor === anchor) ? [] : [`${target}: no such heading`];
  });
}
