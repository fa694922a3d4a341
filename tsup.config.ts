import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
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
 *
 * What is to be read is the ESM build. The CommonJS build, and a chunk without source of ours (ky, which has an entry of
 * its own for this), go without their white space, so that the package stays small. Ours keep their source maps.
 */
const chunks: TsupPlugin = {
  name: 'chunks',
  buildStart() {
    if (this.format === 'cjs') this.splitting = false;
  },
  async renderChunk(code, { path, map }) {
    const { sources } = JSON.parse(String(map)) as { sources: unknown[] };
    const isOurs = sources.length > 0;
    if (this.format !== 'cjs' && isOurs) return;
    return transform(withSourceMap(code, String(map)), {
      format: this.format === 'cjs' ? 'cjs' : 'esm',
      target,
      supported: { 'dynamic-import': this.format !== 'cjs' },
      minifyWhitespace: !isOurs || this.format === 'cjs',
      sourcefile: path,
      sourcemap: isOurs && 'external',
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

/**
 * Says what was just bundled, twice: licence texts with exact versions for people, a bill of materials for tools. Both
 * formats have a build of their own, and only one has the command line, so each of them writes what both have so far.
 */
const thirdParties: EsbuildPlugin = {
  name: 'third-parties',
  setup({ onEnd }) {
    onEnd(({ metafile }) => {
      const inputs = Object.values(metafile?.outputs ?? {}).flatMap((output) => Object.keys(output.inputs));
      for (const [, name] of inputs.map((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file) ?? []))
        if (name !== undefined) inlined.add(name);
      const packages = [...inlined].sort().map(readPackage);
      mkdirSync('dist', { recursive: true });
      writeFileSync('dist/THIRD_PARTY_NOTICES.txt', notices(packages));
      writeFileSync('dist/sbom.cdx.json', `${JSON.stringify(billOfMaterials(packages), null, 2)}\n`);
    });
  },
};

const inlined = new Set(inlinedTypes);

function withSourceMap(code: string, map: string): string {
  return `${code}\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString('base64')}`;
}

interface Package {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

function readPackage(name: string): Package {
  return JSON.parse(readFileSync(join('node_modules', name, 'package.json'), 'utf8'));
}

function notices(packages: readonly Package[]): string {
  const sections = packages.map(({ name, version, license }) => {
    const directory = join('node_modules', name);
    const file = readdirSync(directory).find((entry) => /^licen[cs]e/i.test(entry));
    if (file === undefined) throw new Error(`${name} is inlined and has no licence file to ship.`);
    return `${name}@${version} (${license})\n\n${readFileSync(join(directory, file), 'utf8').trim()}\n`;
  });
  const rule = `\n${'-'.repeat(80)}\n\n`;
  return `pix-automatic-sdk contains code of these packages.\n${rule}${sections.join(rule)}`;
}

/**
 * A software bill of materials (CycloneDX 1.6): scanners do not see what is inlined, and no advisory for it would reach
 * a merchant. It has neither a time nor a serial number, so that the same source gives the same file.
 */
function billOfMaterials(packages: readonly Package[]) {
  const own: Package = JSON.parse(readFileSync('package.json', 'utf8'));
  const names = packages.map(({ name }) => name);
  const dependsOn = (wanted: readonly string[]) =>
    packages.filter(({ name }) => wanted.includes(name)).map(packageUrl);
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { lifecycles: [{ phase: 'build' }], component: component(own) },
    components: packages.map((inner) => ({ ...component(inner), hashes: [tarballHash(inner)] })),
    dependencies: [
      { ref: packageUrl(own), dependsOn: dependsOn(names) },
      ...packages.map((inner) => ({
        ref: packageUrl(inner),
        dependsOn: dependsOn(Object.keys(inner.dependencies ?? {})),
      })),
    ],
    compositions: [{ aggregate: 'complete', assemblies: [packageUrl(own)] }],
  };
}

function component(from: Package) {
  const [name = '', group] = from.name.split('/').reverse();
  return {
    type: 'library',
    'bom-ref': packageUrl(from),
    ...(group === undefined ? {} : { group }),
    name,
    version: from.version,
    licenses: [{ license: { id: from.license } }],
    purl: packageUrl(from),
  };
}

function packageUrl({ name, version }: Package): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

/** Of the package's tarball, as the lock file has it. */
function tarballHash({ name, version }: Package) {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const locked = packages[`node_modules/${name}`];
  const [algorithm, hash] = String(locked?.integrity).split('-');
  if (locked?.version !== version || algorithm !== 'sha512' || hash === undefined)
    throw new Error(
      `${name}@${version} is inlined, and the lock file has another version or no SHA-512 of it.`,
    );
  return { alg: 'SHA-512', content: Buffer.from(hash, 'base64').toString('hex') };
}

export default defineConfig({
  // Nobody imports the command line or ky from here, so they have no declarations.
  entry: { ...entries, ky: 'node_modules/ky/distribution/index.js', cli: 'src/sandbox/cli.ts' },
  format: ['esm', 'cjs'],
  target,
  // One copy of what several entries use.
  splitting: true,
  // For stack traces: file and line in `src`. The text of `src` would double the package, twice over in two formats.
  sourcemap: true,
  esbuildOptions(options, { format }) {
    options.sourcesContent = false;
    // Nobody requires the command line.
    if (format === 'cjs') options.entryPoints = { ...entries, ky: 'node_modules/ky/distribution/index.js' };
  },
  metafile: true,
  clean: true,
  // Inlined is all that the manifest does not name as a (peer) dependency: everything but the caller's own msw.
  esbuildPlugins: [ownSourceMapsOnly, thirdParties],
  plugins: [chunks],
  // Deno, Workers and `node:sqlite` know the built-in modules by their full names only.
  removeNodeProtocol: false,
  dts: {
    entry: entries,
    resolve: inlinedTypes,
    // tsup sets `baseUrl`, which TypeScript 6.0 calls deprecated.
    compilerOptions: { ignoreDeprecations: '6.0' },
  },
});
