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

/** Packs the package as `npm publish` would, and installs the tarball as a merchant would: one package, no registry. */
export default async function installTarball(project: TestProject): Promise<() => Promise<void>> {
  const repository = process.cwd();
  const consumer = await mkdtemp(join(tmpdir(), 'pix-automatic-sdk-consumer-'));

  await run(repository, 'npm', 'run', 'build');
  const packed = await run(
    repository,
    'npm',
    'pack',
    '--ignore-scripts',
    '--json',
    '--pack-destination',
    consumer,
  );
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];

  await writeFile(join(consumer, 'package.json'), JSON.stringify({ name: 'consumer', private: true }));
  await run(consumer, 'npm', 'install', '--offline', '--no-audit', '--no-fund', `./${filename}`);
  for (const types of ['@types/node', 'undici-types']) {
    await cp(join(repository, 'node_modules', types), join(consumer, 'node_modules', types), {
      recursive: true,
    });
  }

  project.provide('consumer', consumer);
  project.provide('tarball', join(consumer, filename));
  return () => rm(consumer, { recursive: true, force: true });
}
