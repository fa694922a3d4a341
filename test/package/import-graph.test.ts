import { describe, expect, it } from 'vitest';
import { type Entry, packageOf, sourcesOf } from './metafile';

/** The rooms of the source, and the packages, that each entry loads, later imports included: nothing else. */
const LOADS: Readonly<Record<Entry, readonly [rooms: string, packages: string]>> = {
  index: ['client errors service shared values version.ts', 'ky zod'],
  webhooks: ['errors service shared stores values webhooks', '@noble/hashes zod'],
  stores: ['errors service shared stores values', '@noble/hashes'],
  orders: [
    'client errors orders recurrence service shared stores values version.ts webhooks',
    '@noble/hashes zod',
  ],
  recurrence: ['errors recurrence service shared values', 'zod'],
  testing: [
    'client errors pix sandbox service shared stores testing values version.ts webhooks',
    '@noble/hashes ky uqr zod',
  ],
  sandbox: ['client errors pix sandbox service shared values webhooks', '@noble/hashes uqr zod'],
  pix: ['pix', ''],
};
const entries = Object.keys(LOADS) as Entry[];

describe.each(['esm', 'cjs'] as const)('the %s build', (format) => {
  const loads = (entry: Entry) => sourcesOf(entry, format, { later: true });

  it.each(entries)('loads for %s only the rooms and the packages that it needs', (entry) => {
    const own = loads(entry).flatMap((source) => /^src\/([^/]+)/.exec(source)?.[1] ?? []);
    const packages = loads(entry).flatMap((source) => packageOf(source) ?? []);
    expect([own, packages].map((names) => [...new Set(names)].sort().join(' '))).toEqual(LOADS[entry]);
  });

  it("loads the sandbox's page only with ./sandbox", () => {
    const withPage = entries.filter((entry) => loads(entry).some((file) => file.includes('sandbox/page/')));
    expect(withPage).toEqual(['sandbox']);
  });

  it('loads of the stores for orders what the listener loads, and what a pool without a connection says', () => {
    const ofStores = loads('orders').filter((source) => source.startsWith('src/stores/'));
    expect(ofStores.filter((source) => source !== 'src/stores/driver-error.ts')).toEqual(
      loads('webhooks').filter((source) => source.startsWith('src/stores/')),
    );
  });

  it('imports ky with the root, and imports nothing while a call runs', () => {
    const atOnce = sourcesOf('index', format, { later: false });
    expect(new Set(atOnce)).toEqual(new Set(loads('index')));
  });
});
