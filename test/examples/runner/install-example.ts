import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, inject, onTestFinished } from 'vitest';
import { run } from '../../package/run';

const MADE_BY_HAND = new Set(['node_modules', 'dist', '.next', 'package-lock.json']);

/**
 * Copies an example out of the repository, installs it with the packed package instead of the published one, and runs
 * its scripts `typecheck` and `build` if it has them. Returns the copy’s directory, which is removed with the test.
 */
export async function installExample(
  name: string,
  whenFinished: (remove: () => Promise<void>) => void = onTestFinished,
): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), `example-${name}-`));
  // Retried, because a program that was just stopped may still write there.
  whenFinished(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));

  await cp(join('examples', name), directory, {
    recursive: true,
    filter: (source) => !MADE_BY_HAND.has(basename(source)),
  });
  const quickly = ['--prefer-offline', '--no-audit', '--no-fund'];
  await run(directory, 'npm', 'install', ...quickly, inject('tarball'));
  for (const script of ['typecheck', 'build']) await run(directory, 'npm', 'run', '--if-present', script);
  return directory;
}

/** As `installExample`, once for all tests of a suite, which get its directory by what this returns. */
export function installOnce(name: string): () => string {
  let directory = '';
  let remove = async () => {};
  beforeAll(async () => {
    directory = await installExample(name, (whenFinished) => {
      remove = whenFinished;
    });
  }, 300_000);
  afterAll(() => remove());
  return () => directory;
}
