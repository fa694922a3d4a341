/** What the text of a Pix QR code says. */
export interface BrCode {
  /**
   * The journey of Pix Automático that it corresponds to: 2 only authorizes, 3 also pays at once, 4 pays a charge with
   * a due date. `undefined` for a plain Pix, which has no recurrence, and for a recurrence beside anything that the
   * Central Bank's samples do not show, such as a static key.
   */
  readonly journey?: 2 | 3 | 4 | undefined;
  /** Where the payer's bank fetches the charge (tag 26 to 51), as written: the rules ask for no scheme. */
  readonly chargeUrl?: string | undefined;
  /** Where the payer's bank fetches the recurrence (tag 80 to 99), as written: the rules ask for no scheme. */
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
      Object(text) === text
        ? 'expected a text, got an object: pass `qrCode.plain`.'
        : 'a BR Code is a text that starts with 000201, without white space before it.',
    );
  const fields = readAll(text);

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

/** What a length may count: UTF-16 units, as JavaScript does, code points, or bytes of UTF-8. */
const UNITS: readonly Unit[] = [
  ({ length }) => length,
  () => 1,
  (character) => new TextEncoder().encode(character).length,
];

/** How many units of a length one character takes. */
type Unit = (character: string) => number;

/** Reads all fields by the unit that its lengths count in: programs that make codes differ there. */
function readAll(text: string): readonly BrCodeField[] {
  const isWhole = hasRightChecksum(text);
  let failure: unknown;
  for (const unit of isWhole ? UNITS : UNITS.slice(0, 1)) {
    try {
      const fields = readFields(text, 0, text.length, unit).map((field) =>
        withInnerFields(field, text, unit),
      );
      checkChecksum(text, fields, isWhole);
      return fields;
    } catch (error) {
      failure ??= error;
    }
  }
  throw clearer(failure, text, isWhole);
}

/** Whether the checksum at the end is right, over the text's UTF-8 bytes or, as some programs do it, over Latin-1. */
function hasRightChecksum(text: string): boolean {
  const [content, checksum] = [text.slice(0, -4), text.slice(-4)];
  return content.endsWith('6304') && (crc16(content) === checksum || crc16OfLatin1(content) === checksum);
}

/** The advice to copy all of the text helps only where a part of it is missing. */
function clearer(failure: unknown, text: string, isWhole: boolean): unknown {
  if (!(failure instanceof BrCodeError)) return failure;
  const lineEnd = text.search(/[\r\n]/);
  if (lineEnd >= 0 && hasRightChecksum(text.replace(/[\r\n]+/g, ''))) {
    return new BrCodeError('line_end', lineEnd, 'there is a line end in the text. Take it out.');
  }
  if (!isWhole || !COPIED_IN_PART.has(failure.code)) return failure;
  return new BrCodeError(
    failure.code,
    failure.offset,
    'a tag or its length is wrong here, and the checksum is right: the text is as it was made. Whoever made it has to ' +
      'correct it.',
  );
}

const COPIED_IN_PART: ReadonlySet<BrCodeErrorCode> = new Set([
  'bad_tag',
  'bad_length',
  'cut_short',
  'no_checksum',
]);

function checkChecksum(text: string, fields: readonly BrCodeField[], isRight: boolean): void {
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
  if (!isRight)
    throw new BrCodeError(
      'wrong_checksum',
      valueAt,
      'the checksum does not match: a character of it, or before it, was changed, perhaps to lower case. ' +
        'Copy the text again.',
    );
}

/** Tags 26 to 51, 62 and 80 to 99 may contain fields; only those of Pix certainly do. */
function withInnerFields(field: BrCodeField, text: string, unit: Unit): BrCodeField {
  const { tag, value, offset } = field;
  if (!/^(2[6-9]|[34]\d|5[01]|62|[89]\d)$/.test(tag)) return field;
  try {
    return { ...field, fields: readFields(text, offset + 4, offset + 4 + value.length, unit) };
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
function readFields(text: string, start: number, end: number, unit: Unit): BrCodeField[] {
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

    const value = take(text.slice(valueAt, end), Number(length), unit);
    if (value === undefined)
      throw new BrCodeError(
        'cut_short',
        offset,
        `tag ${tag} should be ${Number(length)} long, and is ${end - valueAt} long. Copy all of the text.`,
      );
    if (fields.some((field) => field.tag === tag))
      throw new BrCodeError('repeated_tag', offset, `tag ${tag} is there twice.`);
    fields.push({ tag, value, offset });
    offset = valueAt + value.length;
  }
  return fields;
}

/** The beginning of a text that is as long as this, or `undefined` if none is. */
function take(text: string, length: number, unit: Unit): string | undefined {
  let end = 0;
  let left = length;
  for (const character of text) {
    if (left <= 0) break;
    left -= unit(character);
    end += character.length;
  }
  return left === 0 ? text.slice(0, end) : undefined;
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
  | 'line_end'
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
  return crc16OfBytes(new TextEncoder().encode(text));
}

/** `undefined` for a text with a character that Latin-1 does not have. */
function crc16OfLatin1(text: string): string | undefined {
  const bytes = Array.from(text, (character) => character.codePointAt(0) as number);
  return bytes.every((byte) => byte <= 0xff) ? crc16OfBytes(bytes) : undefined;
}

function crc16OfBytes(bytes: Iterable<number>): string {
  let crc = 0xffff;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
    crc &= 0xffff;
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}
