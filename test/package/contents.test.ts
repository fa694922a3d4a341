import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, inject, it } from 'vitest';
import { pageHtml } from '../../src/sandbox/page/page.generated';
import { VERSION } from '../../src/version';
import { metafile, packageOf, packagesOfPage } from './metafile';

const installed = join(inject('consumer'), 'node_modules', 'pix-automatic-sdk');
const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
const files = readdirSync(installed, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(installed.length + 1))
  .sort();
const read = (file: string): string => readFileSync(join(installed, file), 'utf8');

describe('the tarball', () => {
  it('holds what is meant to be published, and nothing else', () => {
    const meant = [
      /^(package\.json|README(\.pt-BR)?\.md|(CHANGELOG|SECURITY)\.md|LICENSE|llms\.txt)$/,
      // The users' guides. The maintainers' documents are in the repository.
      /^docs\/(pt\/)?(?!api-report)[\w-]+\.md$/,
      // The recipe that the guides name for Next.js: too long for a page, and read where no repository is.
      /^examples\/nextjs\/(?!node_modules|\.next)[\w./[\]-]+\.(tsx?|json)$/,
      /^dist\/(THIRD_PARTY_NOTICES\.txt|sbom\.cdx\.json)$/,
      /^dist\/(index|webhooks|stores|orders|testing|sandbox|pix|recurrence)\.(js|cjs)$/,
      /^dist\/(index|webhooks|stores|orders|testing|sandbox|pix|recurrence)\.d\.(ts|cts)$/,
      /^dist\/cli\.js$/,
      // Code that entries share, under generated names: `chunk-5ZHJPPLI.js`, `api-error-CYuYrYzn.d.ts`.
      /^dist\/[a-z0-9-]+-[A-Z0-9]{8}\.(js|cjs)$/,
      /^dist\/[a-z0-9-]+-[\w-]{8}\.d\.(ts|cts)$/,
    ];
    expect(files.filter((file) => !meant.some((pattern) => pattern.test(file)))).toEqual([]);
    expect(files).toEqual(
      expect.arrayContaining([
        'LICENSE',
        'CHANGELOG.md',
        'docs/errors.md',
        'docs/pt/errors.md',
        'dist/THIRD_PARTY_NOTICES.txt',
        'dist/sbom.cdx.json',
        'examples/nextjs/lib/orders.ts',
      ]),
    );
  });

  it('holds every file that the manifest points at', () => {
    const { exports, main, module, types, typesVersions } = manifest;
    const named =
      JSON.stringify([exports, main, module, types, typesVersions]).match(/\.\/[\w./-]+\.\w+/g) ?? [];
    const missing = named.filter((target) => !files.includes(target.slice(2)));
    expect(missing).toEqual([]);
    expect(named).toContain('./dist/webhooks.d.cts');
  });

  it('takes at most 2.8 MB installed, of which at most 2.51 MB is code with declarations', () => {
    const sizeOf = (some: readonly string[]) =>
      some.reduce((sum, file) => sum + statSync(join(installed, file)).size, 0);
    const code = sizeOf(files.filter((file) => file.startsWith('dist/')));
    const all = sizeOf(files);
    console.log(
      `Installed: ${(all / 1000).toFixed(0)} kB in ${files.length} files, dist ${(code / 1000).toFixed(0)} kB.`,
    );
    expect(code).toBeLessThan(2_510_000);
    expect(all).toBeLessThan(2_800_000);
  });

  it('holds the page of the sandbox in at most 60 KiB after gzip, in both formats together', () => {
    const bytes = gzipSync(pageHtml, { level: 9 }).length;
    console.log(`The sandbox's page: ${(bytes / 1024).toFixed(1)} KiB gzip in each format.`);
    expect(2 * bytes).toBeLessThan(60 * 1024);
  });

  it('installs no other package', () => {
    expect(manifest.dependencies).toBeUndefined();
    expect(manifest.optionalDependencies).toBeUndefined();
    expect(manifest.peerDependenciesMeta).toEqual({ msw: { optional: true } });
    expect(Object.keys(manifest.peerDependencies)).toEqual(['msw']);
  });

  it('states the version of its manifest in the code', () => {
    expect(VERSION).toBe(manifest.version);
  });

  it('offers the command line exactly when it holds one, as an executable', () => {
    const built = files.includes('dist/cli.js');
    expect(manifest.bin).toEqual(built ? { 'pix-automatic-sdk': 'dist/cli.js' } : undefined);
    if (built) expect(read('dist/cli.js')).toMatch(/^#!\/usr\/bin\/env node\n/);
  });

  it('names no source map: there are none, and bundlers would warn', () => {
    const code = files.filter((file) => /\.c?js$/.test(file));
    expect(code.filter((file) => read(file).includes('sourceMappingURL='))).toEqual([]);
  });

  it('carries the licence and exact version of everything it inlines', () => {
    const notices = read('dist/THIRD_PARTY_NOTICES.txt');
    const bundled = (['esm', 'cjs'] as const).flatMap((format) =>
      Object.values(metafile(format).outputs).flatMap(({ inputs }) => Object.keys(inputs)),
    );
    const packages = [...new Set(bundled.flatMap((source) => packageOf(source) ?? []))];
    expect(packages).toEqual(expect.arrayContaining(['ky', 'zod']));

    for (const name of [...packages, ...packagesOfPage(), '@standard-schema/spec']) {
      const { version, license } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8'));
      const licence = readdirSync(`node_modules/${name}`).find((file) => /^licen[cs]e/i.test(file)) ?? '';
      expect(notices, 'Inlined without its notice').toContain(`${name}@${version} (${license})`);
      expect(notices).toContain(readFileSync(`node_modules/${name}/${licence}`, 'utf8').trim());
    }
  });
});
