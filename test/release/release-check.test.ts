import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ReleaseFacts, releaseProblems } from '../../scripts/check-release';

const host = 'https://git.merchant-tools.com.br/sdk/pix-automatic-sdk';
const ready: ReleaseFacts = {
  manifest: {
    name: 'pix-automatic-sdk',
    version: '1.2.3',
    repository: { type: 'git', url: `git+${host}.git` },
    homepage: `${host}#readme`,
    bugs: { url: `${host}/issues` },
    author: 'Merchant Tools',
  },
  lock: { version: '1.2.3', packages: { '': { version: '1.2.3' } } },
  sourceVersion: '1.2.3',
  changelog: '# Changelog\n\n## [1.2.3] - 2026-12-01\n\nText.\n',
  workflow: `jobs:\n  check:\n    container: node:20@sha256:${'0a'.repeat(32)}\n`,
  tag: 'v1.2.3',
};

describe('releaseProblems', () => {
  it('finds no problem in a commit with a host, a dated section and one version', () => {
    expect(releaseProblems(ready)).toEqual([]);
    expect(releaseProblems({ ...ready, tag: undefined })).toEqual([]);
  });

  it.each<[what: string, change: Partial<ReleaseFacts>, says: string]>([
    ['no host', { manifest: without('repository') }, '`repository.url`'],
    ['an example host', { manifest: at('https://git.example.com/a/b') }, '`repository.url`'],
    ['a placeholder in the host', { manifest: at('https://git.host.com/OWNER/b') }, '`repository.url`'],
    ['a host without https', { manifest: at('http://git.host.com/a/b') }, '`repository.url`'],
    ['another host in the manifest', { manifest: at('https://git.host.com/a/b') }, '`homepage`'],
    ['no author', { manifest: without('author') }, '`author`'],
    ['a placeholder for the author', { manifest: { ...ready.manifest, author: 'OWNER' } }, '`author`'],
    ['a manifest without homepage', { manifest: without('homepage') }, '`homepage`'],
    ['a manifest without bugs', { manifest: without('bugs') }, '`bugs.url`'],
    [
      'another version in the lock file',
      { lock: { ...ready.lock, version: '1.2.2' } },
      'package-lock.json has 1.2.2',
    ],
    [
      'another version in its root package',
      { lock: { ...ready.lock, packages: {} } },
      'root package has undefined',
    ],
    ['another version in the source', { sourceVersion: '1.2.4' }, 'src/version.ts has 1.2.4'],
    ['another version in the tag', { tag: 'v1.3.0' }, 'has 1.3.0'],
    ['an image without its digest', { workflow: '    container: node:20\n' }, 'imagetools inspect node:20`'],
    ['an image with a short digest', { workflow: '    container: node:20@sha256:0a\n' }, 'digest'],
    ['no section', { changelog: '# Changelog\n\n## [Unreleased]\n' }, 'no section `## [1.2.3]'],
    ['a section without a date', { changelog: '## [1.2.3]\n' }, 'give the section 1.2.3 its date'],
    ['an impossible date', { changelog: '## [1.2.3] - 2026-02-30\n' }, 'give the section 1.2.3 its date'],
    [
      'the word unreleased instead of a date',
      { changelog: '## [1.2.3] - unreleased\n' },
      'give the section 1.2.3 its date',
    ],
  ])('given %s, says what to do', (_what, change, says) => {
    expect(releaseProblems({ ...ready, ...change }).join('\n')).toContain(says);
  });
});

function at(url: string): ReleaseFacts['manifest'] {
  return { ...ready.manifest, repository: { type: 'git', url: `git+${url}.git` } };
}

function without(field: 'homepage' | 'bugs' | 'repository' | 'author'): ReleaseFacts['manifest'] {
  const { [field]: _left, ...rest } = ready.manifest;
  return rest;
}

/** A copy of the files that a release checks, changed as a release changes them. */
function copyOfRepository(change: (copy: string) => void): string {
  const copy = mkdtempSync(join(tmpdir(), 'pix-automatic-sdk-release-'));
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
  const files = ['scripts', 'src/version.ts', 'package.json', 'package-lock.json', 'CHANGELOG.md'];
  for (const file of [...files, '.github/workflows/release.yml']) {
    cpSync(file, join(copy, file), { recursive: true });
  }
  symlinkSync(join(process.cwd(), 'node_modules'), join(copy, 'node_modules'));
  change(copy);
  return copy;
}

function releaseCheck(cwd: string): string {
  try {
    const args = ['--import', 'tsx', 'scripts/check-release.ts'];
    return execFileSync(process.execPath, args, { cwd, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    return String((error as { stderr?: string }).stderr);
  }
}

function enterHost(copy: string): void {
  const { manifest } = ready;
  const own = JSON.parse(readFileSync(join(copy, 'package.json'), 'utf8'));
  const { repository, homepage, bugs, author } = manifest;
  writeFileSync(join(copy, 'package.json'), JSON.stringify({ ...own, repository, homepage, bugs, author }));
}

function dateChangelog(copy: string): void {
  const { version } = JSON.parse(readFileSync(join(copy, 'package.json'), 'utf8'));
  writeFileSync(join(copy, 'CHANGELOG.md'), `# Changelog\n\n## [${version}] - 2026-12-01\n`);
}

function pinImage(copy: string): void {
  const workflow = join(copy, '.github/workflows/release.yml');
  const digest = `@sha256:${'0a'.repeat(32)}`;
  writeFileSync(
    workflow,
    readFileSync(workflow, 'utf8').replace(/(container: node:[\w-]+)$/m, `$1${digest}`),
  );
}

describe('npm run release:check, on a copy', { timeout: 60_000 }, () => {
  it('passes when the host is entered, the section is dated and the image is pinned', () => {
    const copy = copyOfRepository((directory) => {
      enterHost(directory);
      dateChangelog(directory);
      pinImage(directory);
    });
    expect(releaseCheck(copy)).toMatch(/^\d+\.\d+\.\d+ can be released\.\n$/);
  });

  it('fails when the section is dated and the manifest has placeholders', () => {
    const copy = copyOfRepository((directory) => {
      dateChangelog(directory);
    });
    expect(releaseCheck(copy)).toContain('No host: set `repository.url` in package.json');
  });
});
