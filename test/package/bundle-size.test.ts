import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, inject, it } from 'vitest';

/** Bundles a module for a runtime without Node's built-in modules, and gives its size in KiB after gzip. */
async function bundled(contents: string): Promise<{ kib: number; sources: string[] }> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: inject('consumer') },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    conditions: ['import'],
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const bytes = gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length;
  return { kib: bytes / 1024, sources: Object.keys(metafile.inputs) };
}

// Each limit is a little above the present size.
it.each([
  [
    'verifyAuthorization and parseNotification',
    "export { verifyAuthorization, parseNotification } from 'pix-automatic-sdk/webhooks'",
    16,
  ],
  ['all of ./webhooks', "export * from 'pix-automatic-sdk/webhooks'", 41],
  ['all of ./orders', "export * from 'pix-automatic-sdk/orders'", 69.5],
  ['all of ./stores', "export * from 'pix-automatic-sdk/stores'", 22],
  ['all of ./recurrence', "export * from 'pix-automatic-sdk/recurrence'", 9.25],
  ['all of ./pix', "export * from 'pix-automatic-sdk/pix'", 5.25],
  ['all of the root, ky included', "export * from 'pix-automatic-sdk'", 36],
])('%s has a size within its limit, minified and gzipped', async (name, contents, limitKib) => {
  const { kib } = await bundled(contents);
  console.log(`${name}: ${kib.toFixed(1)} KiB minified + gzip (limit ${limitKib}).`);
  expect(kib).toBeLessThan(limitKib);
});
