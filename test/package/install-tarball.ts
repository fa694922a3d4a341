import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { run } from './run';

declare module 'vitest' {
  interface ProvidedContext {
    /** An empty project, outside the repository, that has the packed package and `@types/node` installed. */
    consumer: string;
    /** The packed package. */
    tarball: string;
  }
}

/**
 * Installs the packed package as a merchant would: one package, no registry. `PACKED_TARBALL` may name a tarball,
 * so that a release tests the file that it publishes; `dist` must then be the code that it was packed from.
 */
export default async function installTarball(project: TestProject): Promise<() => Promise<void>> {
  const repository = process.cwd();
  const consumer = await mkdtemp(join(tmpdir(), 'pix-automatic-sdk-consumer-'));

  const tarball = process.env['PACKED_TARBALL'] ?? (await pack(repository, consumer));
  await writeFile(join(consumer, 'package.json'), JSON.stringify({ name: 'consumer', private: true }));
  await run(consumer, 'npm', 'install', '--offline', '--no-audit', '--no-fund', tarball);
  for (const types of ['@types/node', 'undici-types']) {
    await cp(join(repository, 'node_modules', types), join(consumer, 'node_modules', types), {
      recursive: true,
    });
  }

  project.provide('consumer', consumer);
  project.provide('tarball', tarball);
  return () => rm(consumer, { recursive: true, force: true });
}

/** Builds the package, and packs it as a release does. */
async function pack(repository: string, destination: string): Promise<string> {
  const printed = await run(
    repository,
    'npm',
    'run',
    '--silent',
    'pack',
    '--',
    '--pack-destination',
    destination,
  );
  return printed.trim().split('\n').at(-1) ?? '';
}
