/** A language of the explanations. */
export type PixLocale = 'pt-BR' | 'en';

/** A text in English and in Brazilian Portuguese. */
type Texts = readonly [en: string, pt: string];

/** What a code of Pix means, and who can do something about it. */
export interface PixCodeExplanation {
  /** The code, as asked for. */
  readonly code: string;
  /** What it means. */
  readonly meaning: string;
  /**
   * Only for a refused `charge`: `true` if the code ends the charge for good. `false` means that only one attempt
   * ended, and does not allow you to charge again: some of these codes mean that the charge is already paid. `action`
   * says what to do. Missing for a code of the service's public pages, which do not say it: look at `retryScheduled` of
   * the event.
   */
  readonly endsCharge?: boolean | undefined;
  /** Who can do something about it. */
  readonly who: PixCodeParty;
  /** What they can do: this library's advice, not the source's. */
  readonly action: string;
  /** Where the code is listed, with its version. */
  readonly source: string;
}

/**
 * Explains a code that a bank gave. The codes are facts of Pix; the service's document does not mention them, so the
 * library refuses nothing because of them. Returns `undefined` for a code that is not listed for the context.
 *
 * @param code - such as `AM02`, in either case
 * @param context - where it was seen: `charge` (a refused recurring charge), `charge-cancelled`, `return` or `payout`
 * @param locale - `pt-BR` (the default) or `en`
 * @throws `RangeError` for another context
 */
export function explainPixCode(
  code: string,
  context: PixCodeContext,
  locale: PixLocale = 'pt-BR',
): PixCodeExplanation | undefined {
  if (!Object.hasOwn(CODES, context)) {
    throw new RangeError(
      'explainPixCode: the second argument is `charge`, `charge-cancelled`, `return` or `payout`.',
    );
  }
  const listed = typeof code === 'string' ? code.toUpperCase() : '';
  const row = Object.hasOwn(CODES[context], listed) ? CODES[context][listed] : undefined;
  if (row === undefined) return undefined;
  const [en, pt, [who, actionEn, actionPt], note] = row;
  const isOfPages = note === 'pages';
  return {
    code: listed,
    meaning: inLocale([en, pt], locale),
    ...(context === 'charge' && !isOfPages ? { endsCharge: note === 'ends' } : {}),
    who,
    action: inLocale([actionEn, actionPt], locale),
    source: isOfPages ? PAGES : SOURCE,
  };
}

/** Where a code was seen: the same code means different things in different places. */
export type PixCodeContext = 'charge' | 'charge-cancelled' | 'return' | 'payout';

/** Who can do something about a code. */
export type PixCodeParty = 'payer' | 'merchant' | 'bank';

/** Who can act, and how, in English and in Portuguese. */
type Action = readonly [who: PixCodeParty, ...texts: Texts];

/**
 * What a code means, and who can act. `ends`: the charge is over for good, not just one attempt. `pages`: listed by the
 * service's public pages alone.
 */
export type CodeRow = readonly [...meaning: Texts, action: Action, note?: 'ends' | 'pages'];

/** Where the codes come from. */
const SOURCE =
  'Banco Central do Brasil: bacen/pix-api openapi.yaml v2.9.0, IN BCB 436/2023; read in November 2026';

const PAGES = "The service's public pages, not its document; read in August 2026";

const funds: Action = [
  'payer',
  'The payer needs funds on the due date. If no retry is scheduled, agree on another way to pay.',
  'O pagador precisa de saldo na data de vencimento. Se não houver retentativa agendada, combine outra forma de pagamento.',
];
const payerBank: Action = [
  'payer',
  'The payer has to ask their bank, or to pay in another way.',
  'O pagador precisa falar com o banco dele ou pagar de outra forma.',
];
const payerMaximum: Action = [
  'payer',
  "The payer can raise the maximum in their bank's app.",
  'O pagador pode aumentar o valor máximo no app do banco dele.',
];
const payerChoice: Action = [
  'payer',
  'The payer decided it. The authorization stays: ask the payer how to go on.',
  'O pagador decidiu. A autorização continua valendo: combine com o pagador como seguir.',
];
const journey: Action = [
  'merchant',
  'Create a new journey for the payer to authorize.',
  'Crie uma nova jornada para o pagador autorizar.',
];
const charge: Action = [
  'merchant',
  'Correct the data and send a new charge.',
  'Corrija os dados e envie outra cobrança.',
];
const stop: Action = [
  'merchant',
  'Do not retry. Wait for the next cycle, or agree on another way to pay.',
  'Não tente de novo. Espere o próximo ciclo ou combine outra forma de pagamento.',
];
const nothing: Action = ['merchant', 'Nothing to do.', 'Nada a fazer.'];
const amount: Action = ['merchant', 'Correct the amount.', 'Corrija o valor.'];
const receiver: Action = [
  'merchant',
  'Check the data with the receiver and send a new payout.',
  'Confira os dados com o recebedor e faça outro pagamento.',
];
const duplicate: Action = [
  'merchant',
  'Check whether the first one was paid before you send another.',
  'Confira se o primeiro foi pago antes de enviar outro.',
];
const support: Action = [
  'merchant',
  "Give the code to your provider's support.",
  'Informe o código ao suporte do seu provedor.',
];
const wait: Action = [
  'bank',
  'Nothing to correct: wait, or try again later.',
  'Não há o que corrigir: espere ou tente de novo mais tarde.',
];
const banks: Action = [
  'bank',
  'The bank decides. Ask your provider about the case.',
  'O banco decide. Consulte seu provedor sobre o caso.',
];

/** Every code, by its context. */
export const CODES: Readonly<Record<PixCodeContext, Readonly<Record<string, CodeRow>>>> = {
  charge: {
    AB09: ["Failure at the payer's bank", 'Falha no banco do pagador', wait, 'pages'],
    AB10: ["Error at the payer's bank", 'Erro no banco do pagador', wait],
    AC01: ['Account invalid', 'Conta inválida', journey, 'pages'],
    AC03: ['Account invalid', 'Conta inválida', journey, 'pages'],
    AC05: ['Account closed', 'Conta encerrada', journey, 'ends'],
    AC06: ['Account blocked', 'Conta bloqueada', payerBank],
    AG03: ['Not allowed for the account', 'Não permitido para a conta', payerBank, 'pages'],
    AM02: ["Above the payer's maximum", 'Acima do valor máximo definido pelo pagador', payerMaximum],
    AM04: ['No funds', 'Saldo insuficiente', funds, 'pages'],
    AM09: ['Not the authorized amount', 'Valor diferente do autorizado', charge, 'ends'],
    DENC: ["The payer's document differs", 'Documento do pagador diferente', charge, 'ends'],
    DS27: ['Bank not active in Pix', 'Banco não ativo no Pix', journey, 'ends'],
    DTED: [
      'Due date against the periodicity or the rules',
      'Vencimento fora da periodicidade ou das regras',
      charge,
      'ends',
    ],
    DTNT: ['Retry from the 8th day on', 'Retentativa a partir do 8º dia', stop],
    IRNT: ['Retries are not allowed', 'A recorrência não permite retentativas', stop],
    MD01: ['No authorization', 'Sem autorização', journey, 'pages'],
    MIDI: ['Recurrence unknown', 'Recorrência desconhecida', support, 'ends'],
    MSUC: ['Recurrence not confirmed', 'Recorrência não confirmada', journey, 'ends'],
    NIEC: ['An order is still pending', 'Ainda há uma ordem pendente', wait],
    NIPA: ['Already paid', 'Já paga', nothing],
    NITX: ['Matches no charge', 'Não corresponde a nenhuma cobrança', support, 'ends'],
    QUNT: ['More than 3 retries in 7 days', 'Mais de 3 retentativas em 7 dias', stop],
    RC09: ["Code of the payer's bank invalid", 'Código do banco do pagador inválido', support, 'ends'],
    SL02: ['Above the limit of Pix Automático', 'Acima do limite do Pix Automático', payerMaximum, 'pages'],
    SLCR: ['Cancellation asked for', 'Cancelamento solicitado', stop, 'pages'],
    UDEI: ["The debtor's document is wrong", 'Documento do devedor incorreto', charge],
  },
  'charge-cancelled': {
    ACCT: ['Account ended', 'Conta encerrada', journey],
    BLCK: ['Account blocked', 'Conta bloqueada', payerBank],
    CCLD: ['Authorization cancelled', 'Autorização cancelada', journey],
    FAIL: ['Payment failed', 'Falha no pagamento', stop],
    OTHR: ['Other reason', 'Outro motivo', support],
    SLCR: ["At the receiver's request", 'A pedido do recebedor', nothing],
    SLBD: ["At the payer's request", 'A pedido do pagador', payerChoice],
  },
  return: {
    MD06: ['Asked for by the receiver', 'Solicitada pelo recebedor', nothing],
    SL02: ['Return of a withdrawal or change', 'Devolução de saque ou troco', nothing],
    BE08: ['Special return, operational failure', 'Devolução especial, falha operacional', banks],
    FR01: ['Special return, suspected fraud', 'Devolução especial, suspeita de fraude', banks],
    REFU: ['Special return of Pix Automático', 'Devolução especial do Pix Automático', banks],
  },
  payout: {
    AB03: ['Timeout in the settlement system', 'Tempo esgotado no sistema de liquidação', wait],
    AB09: ["Error at the receiver's bank", 'Erro no banco do recebedor', wait],
    AB11: ["Timeout at the sender's bank", 'Tempo esgotado no banco do pagador', wait],
    AC03: ['Account invalid', 'Conta inválida', receiver],
    AC06: ['Account blocked', 'Conta bloqueada', receiver],
    AC07: ['Account closed', 'Conta encerrada', receiver],
    AC14: ['Wrong type of account', 'Tipo de conta incorreto', receiver],
    AG03: ['Not supported by the account', 'Transação não aceita pela conta', receiver],
    AG12: ['Same institution', 'Mesma instituição', support],
    AM01: ['Amount zero', 'Valor zero', amount],
    AM02: ['Above the limit', 'Acima do limite', amount],
    AM04: ['No funds in the settlement account', 'Sem saldo na conta de liquidação', wait],
    AM09: ['Return above the original amount', 'Devolução acima do valor original', amount],
    AM18: ['Wrong number of transactions', 'Quantidade de transações incorreta', support],
    BE01: ['The account holder differs', 'Titular da conta diferente', receiver],
    BE17: ['QR code refused', 'QR code recusado', receiver],
    CH11: ["The receiver's document is wrong", 'Documento do recebedor incorreto', receiver],
    DS04: ["Refused by the receiver's bank", 'Recusado pelo banco do recebedor', banks],
    DS27: ['Bank not active in Pix', 'Banco não ativo no Pix', receiver],
    DT02: ['Bad date', 'Data inválida', support],
    DT05: ['Past the period for returns', 'Fora do prazo de devolução', support],
    DUPL: ['Duplicate', 'Duplicado', duplicate],
    ED05: ['Generic failure of settlement', 'Falha genérica na liquidação', wait],
    FF08: ['Bad end-to-end id', 'Identificador fim a fim inválido', support],
    FRAD: ['Suspected fraud', 'Suspeita de fraude', banks],
    RC09: ['Bank code invalid', 'Código do banco inválido', receiver],
    RC10: ['Bank code invalid', 'Código do banco inválido', receiver],
    RR04: ['Sanctions', 'Sanções', banks],
    UPAY: ['No valid recurrence', 'Sem recorrência válida', support],
  },
};

/** Portuguese, unless English is asked for. */
function inLocale([en, pt]: Texts, locale: PixLocale | undefined): string {
  return locale === 'en' ? en : pt;
}
