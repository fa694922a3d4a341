// Packs what is published: the files of the manifest, after a build. Documents in it link to the repository, at the tag of
// this version, for what is not in the package.
// Run: npm run pack [-- --pack-destination packed]     prints the path of the tarball
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { absoluteLinks } from './absolute-links';
import { repositoryOf } from './release-problems';

const destinationAt = process.argv.indexOf('--pack-destination');
const destination = resolve(destinationAt === -1 ? '.' : (process.argv[destinationAt + 1] ?? '.'));
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));

const npmPack = (folder: string, ...args: string[]) => {
  const printed = execFileSync('npm', ['pack', '--ignore-scripts', '--json', ...args], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(printed)[0] as { filename: string; size: number; files: { path: string }[] };
};

const copy = mkdtempSync(join(tmpdir(), 'pix-automatic-sdk-pack-'));
try {
  const files = npmPack('.', '--dry-run').files.map(({ path }) => path);
  const repository = `${repositoryOf(manifest)}/blob/v${manifest.version}`;
  for (const file of files) {
    cpSync(file, join(copy, file));
    if (!/\.md$|^llms\.txt$/.test(file)) continue;
    writeFileSync(join(copy, file), absoluteLinks(readFileSync(file, 'utf8'), { file, files, repository }));
  }
  const { filename, size } = npmPack(copy, '--pack-destination', destination);
  console.error(`${(size / 1000).toFixed(0)} kB packed, ${files.length} files`);
  console.log(join(destination, filename));
} finally {
  rmSync(copy, { recursive: true });
}
