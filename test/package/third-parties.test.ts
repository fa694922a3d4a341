import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';

// The notices are compared with the published bytes, because the bundler's own list does not show
// what an inlined package has itself inlined.
const installed = join(inject('consumer'), 'node_modules', 'pix-automatic-sdk');
const shipped = filesIn(join(installed, 'dist')).filter((file) => /\.(c?js|d\.c?ts)$/.test(file));
const bytes = shipped.map((file) => readFileSync(file, 'utf8')).join('\n');
// The sandbox's page is a text within the code, so its backslashes are doubled.
const dist = withoutSpace(bytes + bytes.replaceAll('\\\\', '\\'));
const own = withoutSpace(
  filesIn('src')
    .filter((file) => !file.endsWith('page.generated.ts'))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n'),
);
const notices = readFileSync(join(installed, 'dist/THIRD_PARTY_NOTICES.txt'), 'utf8');
const bom = JSON.parse(readFileSync(join(installed, 'dist/sbom.cdx.json'), 'utf8')) as {
  readonly components: ReadonlyArray<{ readonly purl: string }>;
};
const named = bom.components.map(({ purl }) =>
  decodeURIComponent(purl)
    .replace(/^pkg:npm\//, '')
    .replace(/@[^@]+$/, ''),
);

/** For each package a text that only this package has, in its own files and in our published bytes. */
const distinctive: Readonly<Record<string, string>> = {
  '@noble/hashes': 'digestInto(out)',
  '@standard-schema/spec': 'StandardTypedV1',
  htm: String.raw`/^\s*\n\s*|\s*\n\s*$/g`,
  ky: 'asciiTabOrNewLinePattern',
  preact: 'componentWillReceiveProps',
  uqr: 'Mask value out of range',
  zod: 'ZodAsyncError',
};

it('the table of distinctive texts has each named package, and no other', () => {
  expect(Object.keys(distinctive).sort()).toEqual([...named].sort());
});

describe.each(Object.entries(distinctive))('%s', (name, text) => {
  it('has its distinctive text in the published bytes, and our source does not', () => {
    const source = filesIn(join('node_modules', name))
      .filter((file) => /\.(m?js|ts)$/.test(file))
      .map((file) => readFileSync(file, 'utf8'));
    expect(withoutSpace(source.join('\n')), `${name} no longer has this text`).toContain(withoutSpace(text));
    expect(dist, `${name} is named, and not in the package`).toContain(withoutSpace(text));
    expect(own).not.toContain(withoutSpace(text));
  });

  it('is named in the notices', () => {
    expect(notices).toMatch(new RegExp(`^${name}@\\d`, 'm'));
  });
});

it('every path into node_modules in the published bytes belongs to a named package', () => {
  const marked = shipped.flatMap((file) => markedIn(readFileSync(file, 'utf8')));
  expect(marked.length).toBeGreaterThan(0);
  expect(unnamed(marked)).toEqual([]);
});

it('packages that a named package has inlined, by its manifest or by marks in its files, are named too', () => {
  const inner = named.flatMap((name) => {
    const directory = join('node_modules', name);
    const { inlinedDependencies } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
    const code = filesIn(directory).filter((file) => /\.[cm]?js$/.test(file));
    return [
      ...Object.keys(inlinedDependencies ?? {}),
      ...code.flatMap((file) => markedIn(readFileSync(file, 'utf8'))),
    ];
  });
  expect(markedIn('//#region node_modules/inner/lib/index.mjs')).toEqual(['inner']);
  expect(unnamed(inner)).toEqual([]);
});

it('every licence banner in the published bytes belongs to a named package', () => {
  // esbuild gathers them at the end of a file: a package's path, and the banner below it.
  const gathered = shipped.flatMap((file) => readFileSync(file, 'utf8').match(/\/\*!.*?\*\//gs) ?? []);
  const owners = gathered.flatMap((banner) => [...banner.matchAll(/^((?:@[^/\n]+\/)?[^/@\n]+)\/.*:$/gm)]);
  expect(gathered.length).toBeGreaterThan(0);
  expect(owners.length).toBeGreaterThanOrEqual(gathered.length);
  expect(unnamed(owners.map(([, name]) => name as string))).toEqual([]);
});

/** The packages named in comments that bundlers leave: `// node_modules/ky/index.js`, `//#region node_modules/…`. */
function markedIn(code: string): string[] {
  const paths = code.match(/^\s*\/\/(#region)? ?\S*node_modules\/.*$/gm) ?? [];
  return paths.flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []);
}

function unnamed(packages: readonly string[]): string[] {
  return [...new Set(packages)].filter((name) => !named.includes(name));
}

function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.slice(directory.length).includes('node_modules'))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Removes white space, because the CommonJS build has none. */
function withoutSpace(code: string): string {
  return code.replace(/\s+/g, '');
}
