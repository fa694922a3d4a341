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

/** Reads tag, length and value, again and again, from `start` up to `end`. */
export function readFields(text: string, start: number, end: number): BrCodeField[] {
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
export const AMOUNT_TAG = '54';

/** The value of a tag among fields. */
export function valueIn(fields: readonly BrCodeField[] | undefined, tag: string): string | undefined {
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
