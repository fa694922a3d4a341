import { explainPixCode } from 'pix-automatic-sdk/pix';
import { describe, expect, it } from 'vitest';
import type { PixCodeContext, PixLocale } from '../../src/pix/explain-pix-code';
import { sections } from '../docs/markdown';

const parties = {
  en: { payer: 'payer', merchant: 'merchant', bank: 'bank' },
  'pt-BR': { payer: 'pagador', merchant: 'lojista', bank: 'banco' },
};

/** Each code of a guide with what its row says, and the context that the heading names. */
function codesOf(file: string) {
  return sections(file).flatMap(({ level, heading, tables: [table = []] }) => {
    const [, context] = /`(.+)`$/.exec(heading) ?? [];
    if (level !== 2 || context === undefined) return [];
    return table
      .slice(1)
      .flatMap(([who, action, codes = '']) =>
        codes.split('<br>').map((text) => ({ context: context as PixCodeContext, who, action, text })),
      );
  });
}

describe.each([
  ['docs/pix-codes.md', 'en'],
  ['docs/pt/pix-codes.md', 'pt-BR'],
] as [string, PixLocale][])('%s', (file, locale) => {
  it('lists each code once, as explainPixCode explains it', () => {
    const codes = codesOf(file);
    expect(new Set(codes.map(({ context, text }) => context + text.slice(0, 6))).size).toBe(67);
    expect(codes).toHaveLength(67);
    for (const { context, text, who, action } of codes) {
      const code = text.slice(1, 5);
      const explained = explainPixCode(code, context, locale);
      const ofPages = explained?.source.includes('public pages') ? ' ○' : '';
      const mark = explained?.endsCharge === true ? ' ●' : ofPages;
      expect(text).toBe(`\`${code}\`${mark} ${explained?.meaning}`);
      expect([who, action]).toEqual([explained && parties[locale][explained.who], explained?.action]);
    }
  });
});

it('docs/pix.md names the version of its source', () => {
  const text = sections('docs/pix.md')
    .map((section) => section.text)
    .join('\n');
  expect(text).toMatch(/bacen\/pix-api.*\n?.*2\.9\.0/);
});
