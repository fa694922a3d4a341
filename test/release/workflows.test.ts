import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const directory = '.github/workflows';
const workflows = readdirSync(directory).map((name) => ({
  name,
  // Without comments, which may name what a workflow does not do.
  text: readFileSync(join(directory, name), 'utf8').replace(/^\s*#.*$/gm, ''),
}));

/** A tag can be moved to other code, also beside `id-token: write`. */
const PINNED = /^uses: [\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;

describe('release.yml', () => {
  const text = workflows.find(({ name }) => name === 'release.yml')?.text ?? '';
  const [check = '', publish = ''] = text.split(/^ {2}publish:$/m);

  it('the publish job has no checkout, installs nothing and runs no script of a package', () => {
    expect(publish).toContain('npm publish');
    expect(publish).not.toMatch(/actions\/checkout|npm (ci|install|i|run|exec)\b|npx /);
    expect(publish).toContain('--ignore-scripts');
  });

  it.each([
    ['v1.2.3', 'latest'],
    ['v1.2.3-rc.1', 'next'],
  ])('the publish job gives %s the tag %s', (ref, tag) => {
    const script = /run: \|\n((?: {10}.*\n)*? {10}npm publish.*)/.exec(publish)?.[1] ?? '';
    const env = { ...process.env, GITHUB_REF_NAME: ref };
    const shell = ['-ec', `npm() { echo "$@"; }\n${script}`];
    const printed = execFileSync('bash', shell, { env, encoding: 'utf8' });
    expect(printed).toMatch(
      new RegExp(`^publish \\./pix-automatic-sdk-${ref.slice(1)}\\.tgz .* --tag ${tag}\\n$`),
    );
  });

  it('the publish job compares both hashes before it publishes', () => {
    const [before = ''] = publish.split('npm publish');
    expect(before).toMatch(/sha256sum --check/);
    expect(before).toMatch(/sha512sum --check/);
    expect(publish).toContain('needs: check');
  });

  it('only the publish job may ask for an identity, and no workflow has a token for npm', () => {
    expect(publish).toContain('id-token: write');
    expect(check).not.toContain('id-token');
    for (const { text: all } of workflows) expect(all).not.toMatch(/NPM_TOKEN|NODE_AUTH_TOKEN/);
  });

  it('the check job requires the tag on main, runs all tests, and tests the tarball that it uploads', () => {
    expect(check).toContain('git merge-base --is-ancestor "$GITHUB_SHA" origin/main');
    const steps = ['.ci/run', 'release:check', 'npm run pack', 'PACKED_TARBALL', 'upload-artifact'];
    const places = steps.map((step) => check.indexOf(step));
    expect(places.every((place) => place >= 0)).toBe(true);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
  });
});

describe.each(workflows)('$name', ({ text }) => {
  it('runs no install script of a dependency', () => {
    for (const install of text.match(/npm (ci|install)\b.*/g) ?? [])
      expect(install).toContain('--ignore-scripts');
  });

  it('declares its permissions, and leaves no credentials in a checkout', () => {
    expect(text).toMatch(/^permissions:/m);
    const checkouts = text.match(/uses: actions\/checkout@/g)?.length ?? 0;
    expect(text.match(/persist-credentials: false/g)?.length ?? 0).toBe(checkouts);
  });

  it('names each action by its commit, with the version in a comment', () => {
    const unpinned = (text.match(/uses: .*/g) ?? []).filter((use) => !PINNED.test(use));
    expect(unpinned).toEqual([]);
  });

  it('has no expression inside a script, where it could run a name that an attacker chose', () => {
    const scripts = text.match(/run: \|\n(?: {10,}.*\n)+|run: .*/g) ?? [];
    for (const script of scripts) expect(script).not.toContain('${{');
  });
});

it('an action is pinned to the same commit in all workflows, and Dependabot updates it', () => {
  const uses = workflows.flatMap(({ text }) => text.match(/uses: .*/g) ?? []);
  const actions = new Set(uses.map((use) => use.split('@')[0]));
  expect(actions.size).toBeGreaterThan(1);
  expect(new Set(uses).size).toBe(actions.size);
  const { updates } = parse(readFileSync('.github/dependabot.yml', 'utf8'));
  expect(updates).toContainEqual(
    expect.objectContaining({
      'package-ecosystem': 'github-actions',
      directory: '/',
      schedule: { interval: 'weekly' },
    }),
  );
});

it('.ci/run runs no install script of a dependency', () => {
  expect(readFileSync('.ci/run', 'utf8')).toMatch(/npm ci --ignore-scripts/);
});
