import { advise, fieldAt, type PixAdvice, type PixAdviceOptions, type Texts } from './advice';
import { dayInSaoPaulo, dueDay, isPeriodicity, readDay } from './pix-calendar';

/** What `adviseCheckout` may find. */
export type CheckoutAdviceCode =
  | 'first_date_past'
  | 'first_date_too_near'
  | 'end_before_one_cycle'
  | 'amount_above_limit'
  | 'unknown_periodicity'
  | 'document_digits'
  | 'document_punctuation'
  | 'currency_not_brl';

type Finding = readonly [code: CheckoutAdviceCode, path: string, texts: Texts];

const HIGHEST_AMOUNT = 9_999_999_999.99;
const DOCUMENT = 'shopper.document.number';

/**
 * Compares a checkout request (document section 2.1) with the rules of Pix before it is sent. Returns an empty list if
 * nothing stands out. This is advice: only the service decides what it accepts, and nothing is ever thrown.
 *
 * @param request - the request that is about to be sent
 */
export function adviseCheckout(request: object, options?: PixAdviceOptions): PixAdvice<CheckoutAdviceCode>[] {
  const advice: PixAdvice<CheckoutAdviceCode>[] = [];
  try {
    const today = dayInSaoPaulo((options?.now ?? new Date()).getTime());
    for (const find of [dates, amounts, shopperDocument, currency])
      for (const finding of find(request, today)) advice.push(advise(...finding, options?.locale));
  } catch {
    // The caller's own object threw, for example in a getter. What was found before still helps.
  }
  return advice;
}

function* dates(request: object, today: number): Iterable<Finding> {
  const calendar = 'recurrence.calendar';
  const first = readDay(fieldAt(request, `${calendar}.initialDate`));
  const last = readDay(fieldAt(request, `${calendar}.finalDate`));
  const periodicity = fieldAt(request, `${calendar}.periodicity`);
  if (first !== undefined && first < today)
    yield [
      'first_date_past',
      `${calendar}.initialDate`,
      ['The first date is in the past.', 'A primeira data já passou.'],
    ];
  else if (first !== undefined && first < today + 2)
    yield [
      'first_date_too_near',
      `${calendar}.initialDate`,
      [
        "The first date is too near: a charge is sent to the payer's bank 2 to 10 days before it is due.",
        'A primeira data está próxima demais: a cobrança é enviada ao banco do pagador de 2 a 10 dias antes do vencimento.',
      ],
    ];
  if (isPeriodicity(periodicity)) {
    if (first !== undefined && last !== undefined && last < dueDay(first, periodicity, 1))
      yield [
        'end_before_one_cycle',
        `${calendar}.finalDate`,
        [
          'It ends before one cycle is over: there is one charge at most.',
          'Termina antes de completar um ciclo: haverá no máximo uma cobrança.',
        ],
      ];
  } else if (periodicity !== undefined && periodicity !== null)
    yield [
      'unknown_periodicity',
      `${calendar}.periodicity`,
      [
        'Pix has five periodicities: weekly, monthly, quarterly, half-yearly, yearly. This is not a known name of any of them.',
        'O Pix tem cinco periodicidades: semanal, mensal, trimestral, semestral e anual. Este não é um nome conhecido delas.',
      ],
    ];
}

function* amounts(request: object): Iterable<Finding> {
  for (const path of ['amount', 'recurrence.amount.recurrenceAmount']) {
    const amount = fieldAt(request, path);
    if (typeof amount === 'number' && amount > HIGHEST_AMOUNT)
      yield [
        'amount_above_limit',
        path,
        ["Above Pix's limit of 9,999,999,999.99.", 'Acima do limite do Pix, 9.999.999.999,99.'],
      ];
  }
}

function* shopperDocument(request: object): Iterable<Finding> {
  const type = fieldAt(request, 'shopper.document.type');
  const number = fieldAt(request, DOCUMENT);
  const isRight = type === 'CPF' ? isCpf : type === 'CNPJ' ? isCnpj : undefined;
  if (isRight === undefined || typeof number !== 'string') return;
  const bare = number.replace(/[\s./-]/g, '');
  if (bare !== number)
    yield [
      'document_punctuation',
      DOCUMENT,
      [`Write the ${type} without punctuation.`, `Escreva o ${type} sem pontuação.`],
    ];
  if (!isRight(bare))
    yield [
      'document_digits',
      DOCUMENT,
      [`The check digits of the ${type} do not match.`, `Os dígitos verificadores do ${type} não conferem.`],
    ];
}

function* currency(request: object): Iterable<Finding> {
  const value = fieldAt(request, 'currency');
  if (typeof value === 'string' && value !== 'BRL')
    yield ['currency_not_brl', 'currency', ['Pix payments are in BRL only.', 'O Pix é pago somente em BRL.']];
}

/** Whether the two check digits of a CPF are right. Digits only. */
function isCpf(text: string): boolean {
  return /^\d{11}$/.test(text) && checks(text, 11);
}

/** Whether the two check digits of a CNPJ are right. Digits, or capital letters in the first twelve places. */
function isCnpj(text: string): boolean {
  return /^[\dA-Z]{12}\d\d$/.test(text) && checks(text, 9);
}

/** Refuses the same digit repeated: it would pass the check, but no such number is issued. */
function checks(text: string, highestWeight: number): boolean {
  const isRight = (length: number) => checkDigit(text.slice(0, length), highestWeight) === text[length];
  return !/^(.)\1+$/.test(text) && isRight(text.length - 2) && isRight(text.length - 1);
}

/** Modulo 11 with weights from 2 upward, from the right; a letter counts as its ASCII code minus 48. */
function checkDigit(text: string, highestWeight: number): string {
  let sum = 0;
  let weight = 2;
  for (const character of [...text].reverse()) {
    sum += (character.charCodeAt(0) - 48) * weight;
    weight = weight === highestWeight ? 2 : weight + 1;
  }
  return String(((sum * 10) % 11) % 10);
}
