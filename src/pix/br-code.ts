/** What the text of a Pix QR code says. */
export interface BrCode {
  /**
   * The journey of Pix Automático that it corresponds to: 2 only authorizes, 3 also pays at once, 4 pays a charge with
   * a due date. `undefined` for a plain Pix, which has no recurrence.
   */
  readonly journey?: 2 | 3 | 4 | undefined;
  /** Where the payer's bank fetches the charge (tag 26 to 51), without a scheme. */
  readonly chargeUrl?: string | undefined;
  /** Where the payer's bank fetches the recurrence (tag 80 to 99), without a scheme. */
  readonly recurrenceUrl?: string | undefined;
  /**
   * In the currency's main unit. `undefined` if the code has none, and the charge's URL gives it, or if it cannot be
   * read: tag 54 of `fields` then has it as written.
   */
  readonly amount?: number | undefined;
  /** `BRL`, or the ISO 4217 number of another currency, as written. */
  readonly currency?: string | undefined;
  /** As the payer sees it. */
  readonly merchantName?: string | undefined;
  /** As the payer sees it. */
  readonly merchantCity?: string | undefined;
  /** As written: `***` means none. */
  readonly txid?: string | undefined;
  /** All fields in order, including those that this library does not know. */
  readonly fields: readonly BrCodeField[];
}

/**
 * Reads a BR Code, the text of a Pix QR code, and checks its checksum. Sources: EMV QR code, and the Central Bank's
 * samples (`bacen/pix-api` v2.9.0).
 *
 * @param text - the whole text, as in `instructions.qrCode.plain`, without white space around it
 * @throws `BrCodeError` with the position where a broken text breaks
 */
export function readBrCode(text: string): BrCode {
  if (typeof text !== 'string' || !text.startsWith('000201'))
    throw new BrCodeError(
      'not_a_br_code',
      0,
      'a BR Code is a text that starts with 000201, without white space before it.',
    );
  const fields = readFields(text, 0, text.length).map((field) => withInnerFields(field, text));
  checkChecksum(text, fields);

  const pix = fieldsOfPix(fields, /^(2[6-9]|[34]|5[01])/);
  const chargeUrl = valueIn(pix, '25');
  const recurrence = valueIn(fieldsOfPix(fields, /^[89]/), '25');
  const recurrenceUrl = /\/rec\//i.test(recurrence ?? '') ? recurrence : undefined;
  const currency = valueIn(fields, '53');
  return {
    journey: recurrenceUrl === undefined ? undefined : journeyOf(pix, chargeUrl),
    chargeUrl,
    recurrenceUrl,
    amount: readAmount(valueIn(fields, AMOUNT_TAG)),
    currency: currency === '986' ? 'BRL' : currency,
    merchantName: valueIn(fields, '59'),
    merchantCity: valueIn(fields, '60'),
    txid: valueIn(fields.find(({ tag }) => tag === '62')?.fields, '05'),
    fields,
  };
}

function checkChecksum(text: string, fields: readonly BrCodeField[]): void {
  const checksum = fields.find(({ tag }) => tag === '63');
  if (checksum?.value.length !== 4)
    throw new BrCodeError(
      'no_checksum',
      text.length,
      'it does not end with its checksum, tag 63. Copy all of it.',
    );
  const valueAt = checksum.offset + 4;
  if (valueAt + 4 < text.length)
    throw new BrCodeError('text_after_checksum', valueAt + 4, 'there is text after the checksum, tag 63.');
  if (crc16(text.slice(0, valueAt)) !== checksum.value)
    throw new BrCodeError(
      'wrong_checksum',
      valueAt,
      'the checksum does not match: a character of it, or before it, was changed, perhaps to lower case. ' +
        'Copy the text again.',
    );
}

/** Tags 26 to 51, 62 and 80 to 99 may contain fields; only those of Pix certainly do. */
function withInnerFields(field: BrCodeField, text: string): BrCodeField {
  const { tag, value, offset } = field;
  if (!/^(2[6-9]|[34]\d|5[01]|62|[89]\d)$/.test(tag)) return field;
  try {
    return { ...field, fields: readFields(text, offset + 4, offset + 4 + value.length) };
  } catch (error) {
    if (/^0014br\.gov\.bcb\.pix/i.test(value)) throw error;
    return field;
  }
}

/** The fields inside the tag that names Pix as its owner. EMV leaves these tags to several owners. */
function fieldsOfPix(fields: readonly BrCodeField[], tags: RegExp): readonly BrCodeField[] | undefined {
  return fields.find(
    ({ tag, fields: inner }) => tags.test(tag) && valueIn(inner, '00')?.toLowerCase() === 'br.gov.bcb.pix',
  )?.fields;
}

function journeyOf(pix: readonly BrCodeField[] | undefined, chargeUrl: string | undefined) {
  if (chargeUrl !== undefined) return /\/cobv\//i.test(chargeUrl) ? 4 : 3;
  return pix?.length === 1 ? 2 : undefined;
}

function readAmount(text = ''): number | undefined {
  return /^\d+(\.\d*)?$/.test(text) ? Number(text) : undefined;
}

/** One field of a BR Code, known or not. */
export interface BrCodeField {
  /** Two digits. */
  readonly tag: string;
  /** As written. */
  readonly value: string;
  /** Where the field starts in the text, from 0. */
  readonly offset: number;
  /** The fields inside it, if it has any. */
  readonly fields?: readonly BrCodeField[] | undefined;
}

/** Reads the fields from `start` up to `end`: each is a tag, a length and a value. */
function readFields(text: string, start: number, end: number): BrCodeField[] {
  const fields: BrCodeField[] = [];
  for (let offset = start; offset < end; ) {
    const valueAt = offset + 4;
    const head = text.slice(offset, Math.min(valueAt, end));
    const tag = head.slice(0, 2);
    const length = head.slice(2);
    if (head.length < 4)
      throw new BrCodeError('cut_short', offset, 'the text ends inside a tag or its length. Copy all of it.');
    if (!/^\d\d$/.test(tag)) throw new BrCodeError('bad_tag', offset, 'expected a tag of two digits.');
    if (!/^\d\d$/.test(length))
      throw new BrCodeError('bad_length', offset + 2, `expected the length of tag ${tag}, two digits.`);

    const next = valueAt + Number(length);
    if (next > end)
      throw new BrCodeError(
        'cut_short',
        offset,
        `tag ${tag} announces ${Number(length)} characters, and ${end - valueAt} follow. Copy all of the text.`,
      );
    if (fields.some((field) => field.tag === tag))
      throw new BrCodeError('repeated_tag', offset, `tag ${tag} is there twice.`);
    fields.push({ tag, value: text.slice(valueAt, next), offset });
    offset = next;
  }
  return fields;
}

/** The amount that the payer pays. */
const AMOUNT_TAG = '54';

/** The value of a tag among fields. */
function valueIn(fields: readonly BrCodeField[] | undefined, tag: string): string | undefined {
  return fields?.find((field) => field.tag === tag)?.value;
}

/** What is wrong with a BR Code, for a program. */
export type BrCodeErrorCode =
  | 'not_a_br_code'
  | 'bad_tag'
  | 'bad_length'
  | 'cut_short'
  | 'repeated_tag'
  | 'no_checksum'
  | 'text_after_checksum'
  | 'wrong_checksum';

/**
 * A text that is not a complete BR Code. The message says where it breaks and why; it never quotes the values, which
 * may be personal data.
 */
export class BrCodeError extends Error {
  /** For logs. */
  override readonly name = 'BrCodeError';
  /** What is wrong, for a program. */
  readonly code: BrCodeErrorCode;
  /** Where the text breaks: an index into it, from 0. */
  readonly offset: number;

  /** Made by `readBrCode`. */
  constructor(code: BrCodeErrorCode, offset: number, message: string) {
    super(`BR Code, position ${offset}: ${message}`);
    this.code = code;
    this.offset = offset;
  }
}

/** CRC-16/CCITT-FALSE over the text's UTF-8 bytes, as EMV asks for, in four upper-case hexadecimal digits. */
export function crc16(text: string): string {
  let crc = 0xffff;
  for (const byte of new TextEncoder().encode(text)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
    crc &= 0xffff;
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}
