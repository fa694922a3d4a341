import { explainPixCode } from 'pix-automatic-sdk/pix';
import { describe, expect, it } from 'vitest';

/** The lists of codes from the facts of Pix. ● marks a code that ends the charge for good. */
const listed = {
  charge:
    'AB10 AC05● AC06 AM02 AM09● DENC● DS27● DTED● DTNT IRNT MIDI● MSUC● NIEC NIPA NITX● QUNT RC09● UDEI',
  'charge-cancelled': 'ACCT BLCK CCLD FAIL OTHR SLCR SLBD',
  return: 'MD06 SL02 BE08 FR01 REFU',
  payout:
    'AB03 AB09 AB11 AC03 AC06 AC07 AC14 AG03 AG12 AM01 AM02 AM04 AM09 AM18 BE01 BE17 CH11 DS04 DS27 DT02 DT05 DUPL ED05 FF08 FRAD RC09 RC10 RR04 UPAY',
};

/** Each code's meaning in English and in Portuguese, and who can fix it. */
const meanings: Record<
  keyof typeof listed,
  Record<string, readonly [en: string, pt: string, who: string]>
> = {
  charge: {
    AB10: ["Error at the payer's bank", 'Erro no banco do pagador', 'bank'],
    AC05: ['Account closed', 'Conta encerrada', 'merchant'],
    AC06: ['Account blocked', 'Conta bloqueada', 'payer'],
    AM02: ["Above the payer's maximum", 'Acima do valor máximo definido pelo pagador', 'payer'],
    AM09: ['Not the authorized amount', 'Valor diferente do autorizado', 'merchant'],
    DENC: ["The payer's document differs", 'Documento do pagador diferente', 'merchant'],
    DS27: ['Bank not active in Pix', 'Banco não ativo no Pix', 'merchant'],
    DTED: [
      'Due date against the periodicity or the rules',
      'Vencimento fora da periodicidade ou das regras',
      'merchant',
    ],
    DTNT: ['Retry from the 8th day on', 'Nova tentativa a partir do 8º dia', 'merchant'],
    IRNT: ['Retries are not allowed', 'A recorrência não permite retentativas', 'merchant'],
    MIDI: ['Recurrence unknown', 'Recorrência desconhecida', 'merchant'],
    MSUC: ['Recurrence not confirmed', 'Recorrência não confirmada', 'merchant'],
    NIEC: ['An order is still pending', 'Ainda há uma ordem pendente', 'bank'],
    NIPA: ['Already paid', 'Já paga', 'merchant'],
    NITX: ['Matches no charge', 'Não corresponde a nenhuma cobrança', 'merchant'],
    QUNT: ['More than 3 retries in 7 days', 'Mais de 3 retentativas em 7 dias', 'merchant'],
    RC09: ["Code of the payer's bank invalid", 'Código do banco do pagador inválido', 'merchant'],
    UDEI: ["The debtor's document is wrong", 'Documento do devedor incorreto', 'merchant'],
  },
  'charge-cancelled': {
    ACCT: ['Account ended', 'Conta encerrada', 'merchant'],
    BLCK: ['Account blocked', 'Conta bloqueada', 'payer'],
    CCLD: ['Authorization cancelled', 'Autorização cancelada', 'merchant'],
    FAIL: ['Payment failed', 'Falha no pagamento', 'merchant'],
    OTHR: ['Other reason', 'Outro motivo', 'merchant'],
    SLCR: ["At the receiver's request", 'A pedido do recebedor', 'merchant'],
    SLBD: ["At the payer's request", 'A pedido do pagador', 'payer'],
  },
  return: {
    MD06: ['Asked for by the receiver', 'Solicitada pelo recebedor', 'merchant'],
    SL02: ['Return of a withdrawal or change', 'Devolução de saque ou troco', 'merchant'],
    BE08: ['Special return, operational failure', 'Devolução especial, falha operacional', 'bank'],
    FR01: ['Special return, suspected fraud', 'Devolução especial, suspeita de fraude', 'bank'],
    REFU: ['Special return of Pix Automático', 'Devolução especial do Pix Automático', 'bank'],
  },
  payout: {
    AB03: ['Timeout in the settlement system', 'Tempo esgotado no sistema de liquidação', 'bank'],
    AB09: ["Error at the receiver's bank", 'Erro no banco do recebedor', 'bank'],
    AB11: ["Timeout at the sender's bank", 'Tempo esgotado no banco do pagador', 'bank'],
    AC03: ['Account invalid', 'Conta inválida', 'merchant'],
    AC06: ['Account blocked', 'Conta bloqueada', 'merchant'],
    AC07: ['Account closed', 'Conta encerrada', 'merchant'],
    AC14: ['Wrong type of account', 'Tipo de conta incorreto', 'merchant'],
    AG03: ['Not supported by the account', 'Transação não aceita pela conta', 'merchant'],
    AG12: ['Same institution', 'Mesma instituição', 'merchant'],
    AM01: ['Amount zero', 'Valor zero', 'merchant'],
    AM02: ['Above the limit', 'Acima do limite', 'merchant'],
    AM04: ['No funds in the settlement account', 'Sem saldo na conta de liquidação', 'bank'],
    AM09: ['Return above the original amount', 'Devolução acima do valor original', 'merchant'],
    AM18: ['Wrong number of transactions', 'Quantidade de transações incorreta', 'merchant'],
    BE01: ['The account holder differs', 'Titular da conta diferente', 'merchant'],
    BE17: ['QR code refused', 'QR code recusado', 'merchant'],
    CH11: ["The receiver's document is wrong", 'Documento do recebedor incorreto', 'merchant'],
    DS04: ["Refused by the receiver's bank", 'Recusado pelo banco do recebedor', 'bank'],
    DS27: ['Bank not active in Pix', 'Banco não ativo no Pix', 'merchant'],
    DT02: ['Bad date', 'Data inválida', 'merchant'],
    DT05: ['Past the period for returns', 'Fora do prazo de devolução', 'merchant'],
    DUPL: ['Duplicate', 'Duplicado', 'merchant'],
    ED05: ['Generic failure of settlement', 'Falha genérica na liquidação', 'bank'],
    FF08: ['Bad end-to-end id', 'Identificador fim a fim inválido', 'merchant'],
    FRAD: ['Suspected fraud', 'Suspeita de fraude', 'bank'],
    RC09: ['Bank code invalid', 'Código do banco inválido', 'merchant'],
    RC10: ['Bank code invalid', 'Código do banco inválido', 'merchant'],
    RR04: ['Sanctions', 'Sanções', 'bank'],
    UPAY: ['No valid recurrence', 'Sem recorrência válida', 'merchant'],
  },
};

const contexts = Object.keys(listed) as (keyof typeof listed)[];
const rows = contexts.flatMap((context) =>
  listed[context].split(' ').map((item) => [context, item.slice(0, 4), item.endsWith('●')] as const),
);

describe('explainPixCode', () => {
  it.each(rows)('explains %s %s in both languages, with its source', (context, code, ends) => {
    const [en, pt, who] = meanings[context][code] ?? [];
    const inPortuguese = explainPixCode(code, context);
    const inEnglish = explainPixCode(code, context, 'en');
    expect(inEnglish).toEqual({
      code,
      meaning: en,
      ...(context === 'charge' ? { endsCharge: ends } : {}),
      who,
      action: expect.stringMatching(/^[A-Z].+\.$/),
      source: expect.stringContaining('v2.9.0'),
    });
    expect(inPortuguese).toEqual({ ...inEnglish, meaning: pt, action: expect.stringMatching(/^[A-Z].+\.$/) });
    expect(inPortuguese?.action).not.toBe(inEnglish?.action);
    expect(explainPixCode(code, context, 'pt-BR')).toEqual(inPortuguese);
  });

  it('is tested with every code of the facts, and with no other', () => {
    for (const context of contexts) {
      const codes = rows.filter(([where]) => where === context).map(([, code]) => code);
      expect(codes.sort()).toEqual(Object.keys(meanings[context]).sort());
    }
    expect(rows).toHaveLength(18 + 7 + 5 + 29);
  });

  it('explains the same code differently in each context', () => {
    expect(explainPixCode('AM02', 'charge', 'en')?.meaning).toBe("Above the payer's maximum");
    expect(explainPixCode('AM02', 'payout', 'en')?.meaning).toBe('Above the limit');
    expect(explainPixCode('AM02', 'return')).toBeUndefined();
  });

  it.each([
    'FBRD',
    'XXXX',
    'am02',
    '',
    ' AM02',
    'constructor',
    '__proto__',
    'toString',
    undefined,
    null,
    1,
    {},
  ])('returns undefined for %j, which is not listed', (code) => {
    for (const context of contexts) expect(explainPixCode(code as string, context)).toBeUndefined();
  });

  it.each(['', 'refund', 'constructor', '__proto__', undefined, null])(
    'returns undefined for %j, which is not a context',
    (context) => {
      expect(explainPixCode('AM02', context as 'charge')).toBeUndefined();
    },
  );
});
