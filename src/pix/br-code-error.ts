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
 * A text that is no whole BR Code. The message says where it breaks and why; it never quotes the values, which may be
 * personal data.
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
