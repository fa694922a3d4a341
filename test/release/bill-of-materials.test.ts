import { expect, it } from 'vitest';
import { packagesIn } from '../../scripts/advisories';

const billOf = (...purls: string[]) => JSON.stringify({ components: purls.map((purl) => ({ purl })) });

it('packagesIn reads packages with their scope and exact version', () => {
  expect(packagesIn(billOf('pkg:npm/ky@2.1.0', 'pkg:npm/%40noble/hashes@2.4.0'))).toEqual({
    ky: '2.1.0',
    '@noble/hashes': '2.4.0',
  });
});

it('a bill of materials without a package, or with one of another registry, is refused', () => {
  expect(() => packagesIn('{}')).toThrow('empty');
  expect(() => packagesIn(billOf())).toThrow('empty');
  expect(() => packagesIn(billOf('pkg:pypi/six@1.17.0'))).toThrow('not from npm: pkg:pypi/six@1.17.0');
});
