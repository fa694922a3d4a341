import { execFileSync } from 'node:child_process';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { atMost, type Goal, type PartReport } from '../lib/part';
import { PEERS, ROOT } from '../lib/prepare';

/** What a caller would import, and the goal in KiB. */
const BUNDLES: readonly (readonly [name: string, code: string, goal: number])[] = [
  [
    'verifyAuthorization and parseNotification',
    "export { verifyAuthorization, parseNotification } from 'pix-automatic-sdk/webhooks'",
    20,
  ],
  ['all of ./webhooks', "export * from 'pix-automatic-sdk/webhooks'", 24],
  ['all of ./orders', "export * from 'pix-automatic-sdk/orders'", 55.5],
  ['all of ./stores', "export * from 'pix-automatic-sdk/stores'", 22],
  ['all of the root', "export * from 'pix-automatic-sdk'", 28],
];
const INSTALLED_LIMIT_MB = 2.5;

/** Bytes of a tree-shaken bundle, and of an installation. */
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
    tables: [{ title, columns: ['', 'minified', 'and gzipped'], rows }],
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
    write: false,
    logLevel: 'error',
  });
  const code = outputFiles[0]?.contents ?? new Uint8Array();
  return { minified: code.byteLength, gzipped: gzipSync(code, { level: 9 }).byteLength };
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
