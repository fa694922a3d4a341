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
