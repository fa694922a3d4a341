import { transform } from 'esbuild';
import { defineConfig, type Options } from 'tsup';
import { thirdParties } from './scripts/third-parties';

type TsupPlugin = NonNullable<Options['plugins']>[number];

const target = 'node20.19';
const entries = {
  index: 'src/index.ts',
  webhooks: 'src/webhooks/index.ts',
  stores: 'src/stores/index.ts',
  orders: 'src/orders/index.ts',
  recurrence: 'src/recurrence/index.ts',
  testing: 'src/testing/index.ts',
  sandbox: 'src/sandbox/index.ts',
  pix: 'src/pix/index.ts',
};

/** Packages whose types are copied into our declarations, so that a caller needs none of them installed. */
const inlinedTypes = ['@standard-schema/spec'];

/** What the sandbox's page is made of. `npm run generate` has inlined it before this build begins. */
const inlinedInPage = ['preact', 'htm'];

/**
 * Turns each ESM chunk into CommonJS, in place of tsup's own step for it: that one goes through sucrase, which also
 * rewrites every `?.` and `??` (all over zod, which each notification passes through) into calls of helper functions.
 *
 * esbuild shares chunks in ESM only, and without shared chunks every entry would have its own copy of zod. The CommonJS
 * build goes without white space, so that the package stays small: people read the ESM build.
 */
const commonJs: TsupPlugin = {
  name: 'common-js',
  buildStart() {
    if (this.format === 'cjs') this.splitting = false;
  },
  async renderChunk(code, { path }) {
    if (this.format !== 'cjs') return;
    return transform(code, {
      format: 'cjs',
      target,
      minifyWhitespace: true,
      // Node prints the line of an uncaught error, which must not be the whole file.
      lineLimit: 160,
      sourcefile: path,
    });
  },
};

export default defineConfig({
  // Nobody imports the command line, so it has no declarations.
  entry: { ...entries, cli: 'src/cli/index.ts' },
  format: ['esm', 'cjs'],
  target,
  // One copy of what several entries use.
  splitting: true,
  // No source maps: `src` is not in the package, and the ESM build can be read as it is.
  esbuildOptions(options, { format }) {
    // Nobody requires the command line.
    if (format === 'cjs') options.entryPoints = entries;
  },
  metafile: true,
  clean: true,
  // Inlined is all that the manifest does not name as a (peer) dependency: everything but the caller's own msw.
  esbuildPlugins: [thirdParties([...inlinedTypes, ...inlinedInPage])],
  plugins: [commonJs],
  // Deno, Workers and `node:sqlite` know the built-in modules by their full names only.
  removeNodeProtocol: false,
  dts: {
    entry: entries,
    resolve: inlinedTypes,
    // tsup sets `baseUrl`, which TypeScript 6.0 calls deprecated.
    compilerOptions: { ignoreDeprecations: '6.0' },
  },
});
