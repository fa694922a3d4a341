// Checks whether an advisory is known for an inlined package. The audit of a merchant's lock file does not show these,
// so this script audits them as if they were installed.
// Run: npm run advisories [-- FILE]     FILE is a bill of materials, by default dist/sbom.cdx.json; uses the network
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

if (process.argv[1]?.endsWith('advisories.ts')) {
  const [file = 'dist/sbom.cdx.json'] = process.argv.slice(2);
  const dependencies = packagesIn(readFileSync(file, 'utf8'));
  console.log(`${Object.keys(dependencies).length} packages in ${file}.`);

  const directory = mkdtempSync(join(tmpdir(), 'advisories-'));
  try {
    const npm = (...args: string[]) => execFileSync('npm', args, { cwd: directory, stdio: 'inherit' });
    writeFileSync(join(directory, 'package.json'), JSON.stringify({ private: true, dependencies }));
    npm('install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund');
    npm('audit');
  } catch {
    process.exitCode = 1;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The npm packages of a CycloneDX bill of materials, each with its exact version. */
export function packagesIn(text: string): Record<string, string> {
  const { components } = JSON.parse(text) as {
    readonly components?: ReadonlyArray<{ readonly purl?: string }>;
  };
  if (components === undefined || components.length === 0) throw new Error('The bill of materials is empty.');
  return Object.fromEntries(components.map(({ purl = '' }) => nameAndVersion(purl)));
}

function nameAndVersion(purl: string): [name: string, version: string] {
  const [, name, version] = /^pkg:npm\/(.+)@([^@]+)$/.exec(purl) ?? [];
  if (name === undefined || version === undefined) {
    throw new Error(`The bill of materials has a package that is not from npm: ${purl}`);
  }
  return [decodeURIComponent(name), version];
}
