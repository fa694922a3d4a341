import { type BrCode, BrCodeError, type BrCodeErrorCode, readBrCode } from '../../pix/br-code';
import type { Command } from '../command';
import { failure } from '../failure';
import { decimal, type Sentence, say } from '../language';
import { visible } from '../output';

export const readQr: Command = {
  name: 'read-qr',
  summary: 'Read the text of a Pix QR code: whether it has a recurrence, its amount, and who is paid',
  arguments: [{ name: 'text', isRequired: true }],
  options: {},
  examples: ["read-qr '00020101021226…6304ABCD'"],
  exitCodes: ['it worked', 'it is not a complete BR Code; the message says where it breaks'],
  async run({ args }) {
    const code = read((args[0] ?? '').trim());
    const lines = partsOf(code).flatMap(([label, value]) =>
      value === undefined ? [] : [`${say(label).padEnd(12)} ${visible(value)}`],
    );
    return { data: code, text: lines.join('\n') };
  },
};

function read(text: string): BrCode {
  try {
    return readBrCode(text);
  } catch (error) {
    if (!(error instanceof BrCodeError)) throw error;
    const { code, offset } = error;
    throw failure('BR Code, position {offset}: {problem}', { offset, problem: say(problems[code]) });
  }
}

const problems: Readonly<Record<BrCodeErrorCode, Sentence>> = {
  not_a_br_code: 'a BR Code starts with 000201, without white space before it.',
  bad_tag: 'expected a tag of two digits.',
  bad_length: 'expected the length of a tag, two digits.',
  cut_short: 'the text ends too early. Copy all of it.',
  repeated_tag: 'a tag is there twice.',
  no_checksum: 'it does not end with its checksum, tag 63. Copy all of it.',
  text_after_checksum: 'there is text after the checksum, tag 63.',
  wrong_checksum: 'the checksum does not match: the text was changed, perhaps to lower case. Copy it again.',
};

const journeys = {
  2: '2: authorizes only',
  3: '3: authorizes, and pays at once',
  4: '4: authorizes, and pays a charge with a due date',
} as const;

function partsOf(code: BrCode): [label: Sentence, value: string | undefined][] {
  const { journey, amount, currency = '', chargeUrl, recurrenceUrl, merchantName, merchantCity, txid } = code;
  return [
    ['journey', say(journey === undefined ? 'none: a plain Pix, without a recurrence' : journeys[journey])],
    ['amount', amount === undefined ? undefined : `${decimal(amount)} ${currency}`],
    ['merchant', merchantName],
    ['city', merchantCity],
    ['txid', txid],
    ['charge', chargeUrl],
    ['recurrence', recurrenceUrl],
  ];
}
