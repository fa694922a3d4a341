import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Plugin as EsbuildPlugin, transform } from 'esbuild';
import { defineConfig, type Options } from 'tsup';

type TsupPlugin = NonNullable<Options['plugins']>[number];

const target = 'node20.19';
const entries = {
  index: 'src/index.ts',
  webhooks: 'src/webhooks/index.ts',
  stores: 'src/stores/index.ts',
  testing: 'src/testing/index.ts',
  sandbox: 'src/sandbox/index.ts',
};

/** Packages whose types are copied into our declarations, so that a caller needs none of them installed. */
const inlinedTypes = ['@standard-schema/spec'];

/**
 * Turns each ESM chunk into CommonJS, in place of tsup's own step for it: that one goes through sucrase, which also
 * rewrites every `?.` and `??` (all over zod, on the way of each notification) into calls of helper functions.
 *
 * Sharing chunks needs this detour because esbuild splits ESM alone. Without shared chunks zod would be there once an
 * entry. `import()` becomes a late `require()`: the loader of Jest refuses the real one.
 */
const commonJsChunks: TsupPlugin = {
  name: 'commonjs-chunks',
  buildStart() {
    if (this.format === 'cjs') this.splitting = false;
  },
  async renderChunk(code, { path, map }) {
    if (this.format !== 'cjs') return;
    const { sources } = JSON.parse(String(map)) as { sources: unknown[] };
    return transform(withSourceMap(code, String(map)), {
      format: 'cjs',
      target,
      supported: { 'dynamic-import': false },
      sourcefile: path,
      // A chunk without source of ours (ky) has no map to go on from.
      sourcemap: sources.length > 0 && 'external',
      sourcesContent: false,
    });
  },
};

/**
 * Leaves other packages out of the source maps: zod's would take more room than all the rest. Each of their files gets
 * a map whose only entry lies behind its last line, for esbuild takes an empty map for none.
 */
const ownSourceMapsOnly: EsbuildPlugin = {
  name: 'own-source-maps-only',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]node_modules[\\/].+\.m?js$/ }, ({ path }) => {
      const code = readFileSync(path, 'utf8');
      const mappings = `${';'.repeat(code.split('\n').length)}AAAA`;
      const map = { version: 3, sources: ['none'], sourcesContent: [''], mappings };
      return { contents: withSourceMap(code, JSON.stringify(map)), loader: 'js' };
    });
  },
};

/** Writes the licence and exact version of every package that a bundle holds, read from what was just bundled. */
const thirdPartyNotices: EsbuildPlugin = {
  name: 'third-party-notices',
  setup({ onEnd }) {
    onEnd(({ metafile }) => {
      const bundled = Object.values(metafile?.outputs ?? {}).flatMap(({ inputs }) => Object.keys(inputs));
      mkdirSync('dist', { recursive: true });
      writeFileSync('dist/THIRD_PARTY_NOTICES.txt', notices(bundled));
    });
  },
};

function withSourceMap(code: string, map: string): string {
  return `${code}\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString('base64')}`;
}

function notices(files: readonly string[]): string {
  const packages = files.flatMap((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []);
  const sections = [...new Set([...packages, ...inlinedTypes])].sort().map((name) => {
    const directory = join('node_modules', name);
    const { version, license } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
    const file = readdirSync(directory).find((entry) => /^licen[cs]e/i.test(entry));
    if (file === undefined) throw new Error(`${name} is inlined and has no licence file to ship.`);
    return `${name}@${version} (${license})\n\n${readFileSync(join(directory, file), 'utf8').trim()}\n`;
  });
  const rule = `\n${'-'.repeat(80)}\n\n`;
  return `pix-automatic-sdk contains code of these packages.\n${rule}${sections.join(rule)}`;
}

export default defineConfig({
  // The command line is built as soon as it exists; nobody imports it, so it has no declarations.
  entry: existsSync('src/sandbox/cli.ts') ? { ...entries, cli: 'src/sandbox/cli.ts' } : entries,
  format: ['esm', 'cjs'],
  target,
  // One copy of what several entries use.
  splitting: true,
  // For stack traces: file and line in `src`. The text of `src` would double the package, twice over in two formats.
  sourcemap: true,
  esbuildOptions(options, { format }) {
    options.sourcesContent = false;
    // Nobody requires the command line.
    if (format === 'cjs') options.entryPoints = entries;
  },
  metafile: true,
  clean: true,
  // Inlined is all that the manifest does not name as a (peer) dependency: everything but the caller's own msw.
  esbuildPlugins: [ownSourceMapsOnly, thirdPartyNotices],
  plugins: [commonJsChunks],
  // Deno, Workers and `node:sqlite` know the built-in modules by their full names only.
  removeNodeProtocol: false,
  dts: {
    entry: entries,
    resolve: inlinedTypes,
    // tsup sets `baseUrl`, which TypeScript 6.0 calls deprecated.
    compilerOptions: { ignoreDeprecations: '6.0' },
  },
});
