import { explainPixCode } from 'pix-automatic-sdk/pix';
import { describe, expect, it } from 'vitest';
import { CODES } from '../../src/pix/explain-pix-code';

/**
 * The lists of codes from the facts of Pix. ● marks a code that ends the charge for good, ○ one of the service's public pages,
 * which do not say whether it does.
 */
const listed = {
  charge:
    'AB09○ AB10 AC01○ AC03○ AC05● AC06 AG03○ AM02 AM04○ AM09● DENC● DS27● DTED● DTNT IRNT MD01○ MIDI● MSUC● NIEC NIPA NITX● QUNT RC09● SL02○ SLCR○ UDEI',
  'charge-cancelled': 'ACCT BLCK CCLD FAIL OTHR SLCR SLBD',
  return: 'MD06 SL02 BE08 FR01 REFU',
  payout:
    'AB03 AB09 AB11 AC03 AC06 AC07 AC14 AG03 AG12 AM01 AM02 AM04 AM09 AM18 BE01 BE17 CH11 DS04 DS27 DT02 DT05 DUPL ED05 FF08 FRAD RC09 RC10 RR04 UPAY',
};

const contexts = Object.keys(listed) as (keyof typeof listed)[];
const rows = contexts.flatMap((context) =>
  listed[context].split(' ').map((item) => [context, item.slice(0, 4), item.slice(4)] as const),
);

describe('explainPixCode', () => {
  // Each meaning, who can act and how is compared with the tables of both guides in docs.test.ts.
  it.each(rows)('explains %s %s in both languages, with its source', (context, code, mark) => {
    const inPortuguese = explainPixCode(code, context);
    const inEnglish = explainPixCode(code, context, 'en');
    expect(inEnglish).toEqual({
      code,
      meaning: expect.stringMatching(/^[A-Z]/),
      ...(context === 'charge' && mark !== '○' ? { endsCharge: mark === '●' } : {}),
      who: expect.stringMatching(/^(payer|merchant|bank)$/),
      action: expect.stringMatching(/^[A-Z].+\.$/),
      source: expect.stringContaining(mark === '○' ? 'public pages, not its document' : 'v2.9.0'),
    });
    const { meaning, action, ...same } = inEnglish ?? {};
    expect(inPortuguese).toMatchObject(same);
    expect(inPortuguese?.meaning).not.toBe(meaning);
    expect(inPortuguese?.action).not.toBe(action);
    expect(explainPixCode(code, context, 'pt-BR')).toEqual(inPortuguese);
  });

  it('knows every code of the facts, and no other', () => {
    for (const context of contexts) {
      const codes = rows.filter(([where]) => where === context).map(([, code]) => code);
      expect(codes.sort()).toEqual(Object.keys(CODES[context]).sort());
    }
    expect(rows).toHaveLength(26 + 7 + 5 + 29);
  });

  it('explains the same code differently in each context', () => {
    expect(explainPixCode('AM02', 'charge', 'en')?.meaning).toBe("Above the payer's maximum");
    expect(explainPixCode('AM02', 'payout', 'en')?.meaning).toBe('Above the limit');
    expect(explainPixCode('AM02', 'return')).toBeUndefined();
  });

  it.each(['FBRD', 'XXXX', 'am2', '', ' AM02', 'constructor', '__proto__', undefined, null, 1, {}])(
    'returns undefined for %j, which is not listed',
    (code) => {
      for (const context of contexts) expect(explainPixCode(code as string, context)).toBeUndefined();
    },
  );

  it('reads a code in lower case', () => {
    expect(explainPixCode('am02', 'charge')).toEqual(explainPixCode('AM02', 'charge'));
  });

  it.each(['', 'cobranca', 'refund', 'constructor', '__proto__', undefined, null])(
    'refuses %j as a context, and lists them',
    (context) => {
      const says =
        'explainPixCode: the second argument is `charge`, `charge-cancelled`, `return` or `payout`.';
      for (const code of ['AM02', 'XXXX']) {
        expect(() => explainPixCode(code, context as 'charge')).toThrow(new RangeError(says));
      }
    },
  );
});
