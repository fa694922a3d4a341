import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { text } from '../../src/sandbox/text';
import { expectPortuguese } from '../cli/expect-portuguese';

const read = (file: string): Record<string, string> =>
  JSON.parse(readFileSync(`src/sandbox/${file}`, 'utf8'));
const english = read('texts.en.json');
const portuguese = read('texts.pt.json');

describe('the texts of the sandbox', () => {
  it.each(Object.keys(english))('%s has the same values in both languages', (key) => {
    const values = (words = '') => (words.match(/\{\w+\}/g) ?? []).toSorted();
    expect(values(portuguese[key])).toEqual(values(english[key]));
    expectPortuguese(portuguese[key] ?? '');
  });

  it('carry their values in both languages', () => {
    expect(text('refused.moreThanLeft', { left: 19.9 })).toEqual([
      'Expected an amount above 0 and up to 19.9, which is what is left.',
      'É preciso um valor acima de 0 e até 19.9, que é o que resta.',
    ]);
    expect(text('refused.endedReversal', { status: 'PAID' })[1]).toBe('O estorno já terminou: está PAID.');
  });
});
