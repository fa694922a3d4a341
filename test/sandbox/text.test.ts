import { describe, expect, it } from 'vitest';
import { en as pageEnglish } from '../../src/sandbox/page/app/texts.en';
import { pt as pagePortuguese } from '../../src/sandbox/page/app/texts.pt';
import { text } from '../../src/sandbox/text';
import { en } from '../../src/sandbox/texts.en';
import { pt } from '../../src/sandbox/texts.pt';
import { filled } from '../../src/shared/filled';
import { expectPortuguese } from './expect-portuguese';

const english: Readonly<Record<string, string>> = { ...en, ...pageEnglish };
const portuguese: Readonly<Record<string, string>> = { ...pt, ...pagePortuguese };

describe('the texts of the sandbox', () => {
  it('have the same values in both languages, and are Portuguese', () => {
    const values = (words = '') => (words.match(/\{\w+\}/g) ?? []).toSorted().join();
    const keys = Object.keys(english);
    expect(keys.length).toBeGreaterThan(300);
    expect(keys.filter((key) => values(portuguese[key]) !== values(english[key]))).toEqual([]);
    for (const key of keys) expectPortuguese(portuguese[key] ?? '');
  });

  it('name what a tab of the page counts in the number that fits', () => {
    const said = (count: number) =>
      [pageEnglish, pagePortuguese].flatMap((texts) =>
        (['count-deliveries', 'count-simulate'] as const).map((key) => filled(texts[key], { count })),
      );
    expect(said(1)).toEqual([
      'notification that failed',
      'armed fault',
      'notificação que falhou',
      'falha armada',
    ]);
    expect(said(2)).toEqual([
      'notifications that failed',
      'armed faults',
      'notificações que falharam',
      'falhas armadas',
    ]);
  });

  it('carry their values in both languages', () => {
    expect(text('refused.moreThanLeft', { left: ['R$19.90', 'R$ 19,90'] })).toEqual([
      '`amount` must be a number above 0 and at most R$19.90, which is what is left.',
      '`amount` precisa estar acima de 0 e ser no máximo R$ 19,90, que é o que resta.',
    ]);
    expect(text('refused.endedReversal', { status: 'PAID' })[1]).toBe('O estorno já terminou: está PAID.');
  });
});
