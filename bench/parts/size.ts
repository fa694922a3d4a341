import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { codeLines, sourceFiles } from '../lib/code-lines';
import { atMost, type Goal, type PartReport } from '../lib/part';
import { PEERS, ROOT } from '../lib/prepare';

/** What a caller would import, and the goal in KiB. */
const BUNDLES: readonly (readonly [name: string, code: string, goal: number])[] = [
  [
    'verifyAuthorization and parseNotification',
    "export { verifyAuthorization, parseNotification } from 'pix-automatic-sdk/webhooks'",
    20,
  ],
  ['all of ./webhooks', "export * from 'pix-automatic-sdk/webhooks'", 39],
  ['all of ./orders', "export * from 'pix-automatic-sdk/orders'", 55.5],
  ['all of ./stores', "export * from 'pix-automatic-sdk/stores'", 22],
  ['all of the root', "export * from 'pix-automatic-sdk'", 35],
];
const INSTALLED_LIMIT_MB = 2.5;

/** Bytes of a tree-shaken bundle and of an installation, and lines of code. */
export async function size(): Promise<PartReport> {
  const rows: string[][] = [];
  const goals: Goal[] = [];
  for (const [name, code, goal] of BUNDLES) {
    const { minified, gzipped } = await bundle(code);
    rows.push([name, kib(minified), kib(gzipped)]);
    goals.push(atMost(`bundle of ${name}`, gzipped, goal * 1024, kib));
  }
  const { unpackedSize, entryCount } = packed();
  goals.push(atMost('installed, in one package', unpackedSize, INSTALLED_LIMIT_MB * 1e6, megabytes));
  const title = 'Bundles by esbuild, minified';
  return {
    tables: [
      { title, columns: ['', 'minified', 'and gzipped'], rows },
      {
        title: 'Each entry, minified, by folder of `src`',
        columns: ['', 'all', 'KiB'],
        rows: await byEntry(),
      },
      { title: 'Code without comments and blank lines', columns: ['', 'files', 'lines'], rows: byFolder() },
    ],
    goals,
    notes: [`Installed: ${entryCount} files, declarations included.`],
  };
}

async function bundle(contents: string): Promise<{ minified: number; gzipped: number }> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: PEERS },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['worker'],
    external: ['node:*'],
    // Not the paths of this repository's `tsconfig.json`, which lead to `src`.
    tsconfigRaw: {},
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
function byFolder(): string[][] {
  const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  return [...folders.map(({ name }) => `src/${name}`), 'src', 'test', 'scripts', 'bench'].map((name) => {
    const files = sourceFiles(name);
    return [
      `\`${name}\``,
      String(files.length),
      String(files.reduce((sum, file) => sum + codeLines(file), 0)),
    ];
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
