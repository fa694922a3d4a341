import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';

/**
 * Lists what was bundled, in two files: license texts with exact versions for people, a bill of materials for tools.
 * The two formats are built separately, and only ESM has the command line, so each build writes what both have inlined
 * so far.
 *
 * @param unseen - packages that esbuild does not see: only their types are copied, or they were inlined before
 */
export function thirdParties(unseen: readonly string[]): Plugin {
  const names = new Set(unseen);
  return {
    name: 'third-parties',
    setup({ onEnd }) {
      onEnd(({ metafile }) => {
        const inputs = Object.values(metafile?.outputs ?? {}).flatMap((output) => Object.keys(output.inputs));
        for (const [, name] of inputs.map((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file) ?? []))
          if (name !== undefined) names.add(name);
        const packages = withInlined([...names]);
        mkdirSync('dist', { recursive: true });
        writeFileSync('dist/THIRD_PARTY_NOTICES.txt', notices(packages));
        writeFileSync('dist/sbom.cdx.json', `${JSON.stringify(billOfMaterials(packages), null, 2)}\n`);
      });
    },
  };
}

interface Package {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  /** What the package itself has inlined, with exact versions: a convention of bundlers. */
  readonly inlinedDependencies?: Readonly<Record<string, string>>;
}

function readPackage(name: string): Package {
  return JSON.parse(readFileSync(join('node_modules', name, 'package.json'), 'utf8'));
}

/** The packages, sorted, and those that they have inlined themselves, which no import shows. */
function withInlined(names: readonly string[]): Package[] {
  const found = new Map<string, Package>();
  const add = (name: string, version?: string): void => {
    if (found.has(name)) return;
    const read = readPackage(name);
    if (version !== undefined && read.version !== version)
      throw new Error(`${name}@${version} is inlined by another package, and ${read.version} is installed.`);
    found.set(name, read);
    for (const inner of Object.entries(read.inlinedDependencies ?? {})) add(...inner);
  };
  for (const name of names) add(name);
  return [...found.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
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
 * A software bill of materials (CycloneDX 1.6). Scanners do not see inlined packages, and without it no advisory for
 * them would reach a merchant. It has neither a time nor a serial number, so that the same source gives the same file.
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
        dependsOn: dependsOn(Object.keys({ ...inner.dependencies, ...inner.inlinedDependencies })),
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

/** The hash of the package's tarball, from the lock file. */
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
