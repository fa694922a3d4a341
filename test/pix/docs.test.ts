import { explainPixCode } from 'pix-automatic-sdk/pix';
import { describe, expect, it } from 'vitest';
import type { PixCodeContext, PixLocale } from '../../src/pix/explain-pix-code';
import { sections } from '../docs/markdown';

const parties = {
  en: { payer: 'payer', merchant: 'merchant', bank: 'bank' },
  'pt-BR': { payer: 'pagador', merchant: 'lojista', bank: 'banco' },
};

/** The tables of codes of a guide: each row with the context that its heading names. */
function rowsOf(file: string) {
  return sections(file).flatMap(({ level, heading, tables: [table = []] }) => {
    const [, context] = /`(.+)`$/.exec(heading) ?? [];
    if (level !== 2 || context === undefined) return [];
    return table.slice(1).map((row) => ({ context: context as PixCodeContext, row }));
  });
}

describe.each([
  ['docs/pix-codes.md', 'en'],
  ['docs/pt/pix-codes.md', 'pt-BR'],
] as [string, PixLocale][])('%s', (file, locale) => {
  it('lists each code as explainPixCode explains it', () => {
    const rows = rowsOf(file);
    expect(rows).toHaveLength(59);
    for (const { context, row } of rows) {
      const code = row[0]?.slice(1, 5) ?? '';
      const { meaning, who, action, endsCharge } = explainPixCode(code, context, locale) ?? {};
      const first = `\`${code}\`${endsCharge === true ? ' ●' : ''}`;
      expect(row).toEqual([first, meaning, who && parties[locale][who], action]);
    }
  });
});

it('docs/pix.md names the version of its source', () => {
  const text = sections('docs/pix.md')
    .map((section) => section.text)
    .join('\n');
  expect(text).toMatch(/bacen\/pix-api.*\n?.*2\.9\.0/);
});
