import { describe, expect, it } from 'vitest';
import { type Entry, packageOf, sourcesOf } from './metafile';

const formats = ['esm', 'cjs'] as const;
const production: Entry[] = ['index', 'webhooks', 'stores', 'journal'];

describe.each(formats)('the %s build', (format) => {
  it.each(production)('keeps sandbox and testing code out of %s', (entry) => {
    const sources = sourcesOf(entry, format, { later: true });
    expect(sources.filter((source) => /^src\/(sandbox|testing)\//.test(source))).toEqual([]);
  });

  it("loads the sandbox's page only with ./sandbox", () => {
    const entries: Entry[] = [...production, 'testing', 'pix', 'sandbox'];
    const loading = entries.filter((entry) =>
      sourcesOf(entry, format, { later: true }).some((source) => source.includes('sandbox/page/')),
    );
    expect(loading).toEqual(['sandbox']);
  });

  it('imports ky with the root, and imports nothing while a call runs', () => {
    const packages = (later: boolean) => sourcesOf('index', format, { later }).map(packageOf);
    expect(packages(false)).toContain('ky');
    expect(new Set(packages(true))).toEqual(new Set(packages(false)));
  });

  it('loads only the files of pix for pix, and none of them for the root, webhooks and stores', () => {
    const own = sourcesOf('pix', format, { later: true });
    expect(own.filter((source) => !source.startsWith('src/pix/'))).toEqual([]);
    expect(own).toContain('src/pix/br-code.ts');
    for (const entry of production) {
      const sources = sourcesOf(entry, format, { later: true });
      expect(sources.filter((source) => source.startsWith('src/pix/'))).toEqual([]);
    }
  });

  it('loads the journal only with ./journal, which needs neither zod nor a store', () => {
    for (const entry of ['index', 'webhooks', 'stores'] as const) {
      const sources = sourcesOf(entry, format, { later: true });
      expect(sources.filter((source) => source.startsWith('src/journal/'))).toEqual([]);
    }
    const own = sourcesOf('journal', format, { later: true });
    expect(own).toContain('src/journal/next-step.ts');
    expect(own.filter((source) => packageOf(source) !== undefined)).toEqual([]);
    const ofStores = own.filter((source) => source.startsWith('src/stores/'));
    expect(ofStores.toSorted()).toEqual(['src/stores/replies.ts', 'src/stores/sql.ts']);
  });

  it('never loads ky or the client for webhooks, stores and the journal', () => {
    for (const entry of ['webhooks', 'stores', 'journal'] as const) {
      const sources = sourcesOf(entry, format, { later: true });
      expect(
        sources.filter((source) => packageOf(source) === 'ky' || source.startsWith('src/client/')),
      ).toEqual([]);
    }
  });
});
