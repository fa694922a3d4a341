import { advise, fieldAt, type PixAdvice, type PixAdviceOptions, type Texts } from './advice';
import { AMOUNT_TAG, type BrCode, BrCodeError, readBrCode } from './br-code';

/** What `checkBrCode` may find. */
export type BrCodeAdviceCode =
  | 'broken_code'
  | 'no_recurrence'
  | 'other_journey'
  | 'other_amount'
  | 'other_currency'
  | 'too_long';

type Finding = readonly [code: BrCodeAdviceCode, path: string, texts: Texts];

/**
 * Compares a journey's QR code with the request that created the journey. Returns an empty list if nothing stands out.
 * A broken text is reported as advice too; `readBrCode` throws the error.
 *
 * @param text - the QR code's text, `response.instructions.qrCode.plain`
 * @param request - the checkout request (document section 2.1)
 */
export function checkBrCode(
  text: string,
  request: object,
  options?: Pick<PixAdviceOptions, 'locale'>,
): PixAdvice<BrCodeAdviceCode>[] {
  return findings(text, request).map((finding) => advise(...finding, options?.locale));
}

function findings(text: string, request: object): Finding[] {
  try {
    return [...differences(readBrCode(text), request), ...(text.length > 512 ? [TOO_LONG] : [])];
  } catch (error) {
    // Anything else comes from the caller's own object, such as a getter that throws.
    if (!(error instanceof BrCodeError)) return [];
    const where = `${error.code}, ${error.offset}`;
    return [
      [
        'broken_code',
        '',
        [
          `The text is not a complete BR Code (${where}). Show the payer the service's text unchanged.`,
          `O texto não é um BR Code íntegro (${where}). Mostre ao pagador o texto do serviço sem alterações.`,
        ],
      ],
    ];
  }
}

const TOO_LONG: Finding = [
  'too_long',
  '',
  [
    'Longer than 512 characters: banks may refuse it as copy and paste.',
    'Mais de 512 caracteres: bancos podem recusar o Pix copia e cola.',
  ],
];

function* differences(
  { journey, recurrenceUrl, amount, currency, fields }: BrCode,
  request: object,
): Iterable<Finding> {
  const isImmediate = fieldAt(request, 'recurrence.immediatePayment');
  const asked = fieldAt(request, 'amount');
  const askedCurrency = fieldAt(request, 'currency');
  if (recurrenceUrl === undefined)
    yield [
      'no_recurrence',
      'recurrence',
      [
        'The QR code has no recurrence: it is a plain Pix, and the payer authorizes nothing.',
        'O QR code não tem recorrência: é um Pix comum, e o pagador não autoriza nada.',
      ],
    ];
  else if (typeof isImmediate === 'boolean' && journey !== (isImmediate ? 3 : 2))
    yield [
      'other_journey',
      'recurrence.immediatePayment',
      [
        `The QR code corresponds to journey ${journey ?? '?'}, the request to journey ${isImmediate ? 3 : 2}.`,
        `O QR code corresponde à jornada ${journey ?? '?'}; o pedido, à jornada ${isImmediate ? 3 : 2}.`,
      ],
    ];
  // The code's amount may be there and unreadable, such as `59,70`.
  const hasAmount = fields.some(({ tag }) => tag === AMOUNT_TAG);
  if (isImmediate === true && hasAmount && asked !== undefined && asked !== null && amount !== asked)
    yield [
      'other_amount',
      'amount',
      [
        'The QR code has another amount, or one of the two cannot be read as a number.',
        'O QR code tem outro valor, ou um dos dois não pode ser lido como número.',
      ],
    ];
  if (
    currency !== undefined &&
    typeof askedCurrency === 'string' &&
    (currency === 'BRL') !== (askedCurrency === 'BRL')
  )
    yield ['other_currency', 'currency', ['The QR code has another currency.', 'O QR code tem outra moeda.']];
}
