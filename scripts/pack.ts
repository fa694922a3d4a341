// Packs what is published: the files of the manifest, after the build that is the script `prepack`. Documents in it link to
// the repository, at the tag of this version, for what is not in the package.
// Run: npm run pack [-- --pack-destination packed]     prints the path of the tarball
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix, resolve } from 'node:path';
import { repositoryOf } from './check-release';

if (process.argv[1]?.endsWith('pack.ts')) pack();

function pack(): void {
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
}

/** Where a document is, and what is beside it. */
export interface Place {
  /** The document's own path. */
  readonly file: string;
  /** Every file of the package. */
  readonly files: readonly string[];
  /** The URL of the repository's files, without a slash at the end. */
  readonly repository: string;
}

/** Makes each relative link to a file that is not in the package an absolute one. Code stays as it is. */
export function absoluteLinks(text: string, { file, files, repository }: Place): string {
  const absolute = (target: string): string => {
    const [path = '', ...anchor] = target.split('#');
    if (path === '' || /^[a-z]+:/.test(path)) return target;
    const linked = posix.join(posix.dirname(file), path);
    if (files.includes(linked)) return target;
    return [`${repository}/${linked}`, ...anchor].join('#');
  };
  let isCode = false;
  const lines = text.split('\n').map((line) => {
    if (/^\s*```/.test(line)) isCode = !isCode;
    if (isCode) return line;
    return line
      .replace(/(\]\(<?)([^)\s>]+)(>?\))/g, (_, open, target, close) => `${open}${absolute(target)}${close}`)
      .replace(/^(\[[^\]]+\]: *)(\S+)$/, (_, open, target) => `${open}${absolute(target)}`);
  });
  return lines.join('\n');
}
