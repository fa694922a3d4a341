import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Version } from '@cyclonedx/cyclonedx-library/Spec';
import { JsonStrictValidator } from '@cyclonedx/cyclonedx-library/Validation';
import { expect, inject, it } from 'vitest';

const installed = join(inject('consumer'), 'node_modules', 'pix-automatic-sdk');
const read = (file: string): string => readFileSync(join(installed, file), 'utf8');
const text = read('dist/sbom.cdx.json');

interface Component {
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses: readonly [{ readonly license: { readonly id: string } }];
  readonly hashes: readonly [{ readonly alg: string; readonly content: string }];
}

const bom = JSON.parse(text) as { readonly components: readonly Component[]; readonly metadata: object };
const nameOf = ({ group, name }: Component) => (group === undefined ? name : `${group}/${name}`);

it('the bill of materials is valid CycloneDX 1.6', async () => {
  expect(await new JsonStrictValidator(Version.v1dot6).validate(text)).toBeNull();
});

it('the bill of materials has the versions and licences of the notices', () => {
  const noticed = read('dist/THIRD_PARTY_NOTICES.txt').match(/^-{80}\n\n.+$/gm) ?? [];
  const listed = bom.components.map(
    (component) => `${nameOf(component)}@${component.version} (${component.licenses[0].license.id})`,
  );
  expect(listed).toEqual(noticed.map((line) => line.split('\n').at(-1)));
});

it('the bill of materials has the package URL of each component, and the hash of its tarball', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  for (const component of bom.components) {
    const name = nameOf(component);
    const { integrity } = packages[`node_modules/${name}`];
    const [{ alg, content }] = component.hashes;
    expect(component.purl).toBe(`pkg:npm/${name.replace('@', '%40')}@${component.version}`);
    expect([alg, Buffer.from(content, 'hex').toString('base64')]).toEqual(['SHA-512', integrity.slice(7)]);
  }
});

it('the bill of materials describes this package', () => {
  const { version } = JSON.parse(read('package.json'));
  expect(bom.metadata).toMatchObject({ component: { purl: `pkg:npm/pix-automatic-sdk@${version}` } });
});

it('the bill of materials has nothing that changes from build to build', () => {
  expect(text).not.toMatch(/"(timestamp|serialNumber)"/);
  expect(text).not.toContain(process.cwd());
});
