import { describe, expect, it } from 'vitest';
import { type Entry, packageOf, sourcesOf } from './metafile';

const formats = ['esm', 'cjs'] as const;
const production: Entry[] = ['index', 'webhooks', 'stores'];

describe.each(formats)('the %s build', (format) => {
  it.each(production)('keeps sandbox and testing code out of %s', (entry) => {
    const sources = sourcesOf(entry, format, { later: true });
    expect(sources.filter((source) => /^src\/(sandbox|testing)\//.test(source))).toEqual([]);
  });

  it('imports ky with the root, and imports nothing while a call runs', () => {
    const packages = (later: boolean) => sourcesOf('index', format, { later }).map(packageOf);
    expect(packages(false)).toContain('ky');
    expect(new Set(packages(true))).toEqual(new Set(packages(false)));
  });

  it('never loads ky or the client for webhooks and stores', () => {
    for (const entry of ['webhooks', 'stores'] as const) {
      const sources = sourcesOf(entry, format, { later: true });
      expect(
        sources.filter((source) => packageOf(source) === 'ky' || source.startsWith('src/client/')),
      ).toEqual([]);
    }
  });
});
