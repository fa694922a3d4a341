import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { codeLines, sourceFiles } from '../lib/code-lines';
import { atMost, type BenchContext, type Goal, type PartReport } from '../lib/part';
import { ROOT } from '../lib/prepare';

/** What a caller would import of an entry, and the goal in KiB. */
const BUNDLES: readonly (readonly [name: string, entry: string, names: string, goal: number])[] = [
  ['verifyAuthorization and parseNotification', 'webhooks', '{ verifyAuthorization, parseNotification }', 20],
  ['all of ./webhooks', 'webhooks', '*', 39],
  ['all of ./orders', 'orders', '*', 55.5],
  ['all of ./stores', 'stores', '*', 22],
  ['all of the root', 'index', '*', 35],
];
const INSTALLED_LIMIT_MB = 2.5;

/**
 * Bytes of a tree-shaken bundle and of an installation, and lines of code; with `--beside`, also those of another checkout,
 * which must be built.
 */
export async function size({ beside }: BenchContext): Promise<PartReport> {
  const rows: string[][] = [];
  const goals: Goal[] = [];
  for (const [name, entry, names, goal] of BUNDLES) {
    const { minified, gzipped } = await bundle(ROOT, entry, names);
    const before = beside === undefined ? [] : [kib((await bundle(beside, entry, names)).gzipped)];
    rows.push([name, kib(minified), kib(gzipped), ...before]);
    goals.push(atMost(`bundle of ${name}`, gzipped, goal * 1024, kib));
  }
  const { unpackedSize, entryCount } = packed();
  goals.push(atMost('installed, in one package', unpackedSize, INSTALLED_LIMIT_MB * 1e6, megabytes));
  const title = 'Bundles by esbuild, minified';
  const andBefore = (column: string) =>
    beside === undefined ? [column] : [column, `${column}, in ${beside}`];
  return {
    tables: [
      { title, columns: ['', 'minified', ...andBefore('gzipped')], rows },
      {
        title: 'Each entry, minified, by folder of `src`',
        columns: ['', 'all', 'KiB'],
        rows: await byEntry(),
      },
      {
        title: 'Code without comments and blank lines',
        columns: ['', 'files', ...andBefore('lines')],
        rows: byFolder(beside),
      },
    ],
    goals,
    notes: [`Installed: ${entryCount} files, declarations included.`],
  };
}

async function bundle(
  root: string,
  entry: string,
  names: string,
): Promise<{ minified: number; gzipped: number }> {
  const { outputFiles } = await build({
    stdin: { contents: `export ${names} from './dist/${entry}.js'`, resolveDir: resolve(root) },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    external: ['node:*'],
    write: false,
    logLevel: 'error',
  });
  const code = outputFiles[0]?.contents ?? new Uint8Array();
  return { minified: code.byteLength, gzipped: gzipSync(code, { level: 9 }).byteLength };
}

/** What of each entry comes from where, packages from npm last. */
async function byEntry(): Promise<string[][]> {
  const entries = readdirSync(join(ROOT, 'src')).filter((folder) =>
    existsSync(join(ROOT, 'src', folder, 'index.ts')),
  );
  const files = ['index.ts', ...entries.map((folder) => `${folder}/index.ts`)];
  return Promise.all(
    files.map(async (file) => {
      const { metafile } = await build({
        entryPoints: [join(ROOT, 'src', file)],
        absWorkingDir: ROOT,
        bundle: true,
        minify: true,
        format: 'esm',
        platform: 'node',
        write: false,
        metafile: true,
        logLevel: 'error',
      });
      const bytes = new Map<string, number>();
      for (const { inputs } of Object.values(metafile.outputs))
        for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
          const [, folder = 'npm'] = /^src\/([^/]+)/.exec(path) ?? [];
          bytes.set(folder, (bytes.get(folder) ?? 0) + bytesInOutput);
        }
      const sorted = [...bytes].sort(([, one], [, other]) => other - one).filter(([, size]) => size > 50);
      const all = sorted.reduce((sum, [, size]) => sum + size, 0);
      return [
        `\`${file}\``,
        kib(all),
        sorted.map(([name, size]) => `${name} ${(size / 1024).toFixed(1)}`).join(', '),
      ];
    }),
  );
}

/** Files and lines of code of each folder of `src`, and of what is beside it. */
function byFolder(beside: string | undefined): string[][] {
  const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  const linesOf = (root: string, files: readonly string[]) =>
    String(files.reduce((sum, file) => sum + codeLines(root, file), 0));
  return [...folders.map(({ name }) => `src/${name}`), 'src', 'test', 'scripts', 'bench'].map((name) => {
    const files = sourceFiles(ROOT, name);
    const before = beside === undefined ? [] : [linesOf(beside, sourceFiles(beside, name))];
    return [`\`${name}\``, String(files.length), linesOf(ROOT, files), ...before];
  });
}

function packed(): { unpackedSize: number; entryCount: number } {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const [report] = JSON.parse(execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8' }));
  return report;
}

function kib(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KiB`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(2)} MB`;
}
