import { type BrCode, BrCodeError, readBrCode } from '../../pix/br-code';
import type { Command } from '../command';
import { CliFailure } from '../failure';
import { jsonOption } from '../options';
import { print, printJson, visible } from '../output';

export const readQr: Command = {
  name: 'read-qr',
  summary: 'Read the text of a Pix QR code: whether it has a recurrence, its amount, and who is paid',
  arguments: [{ name: 'text', isRequired: true }],
  options: { json: jsonOption },
  examples: ["read-qr '00020101021226…6304ABCD'"],
  exitCodes: ['read', 'it is not a complete BR Code; the message says where it breaks'],
  async run({ args, options }) {
    const code = read((args[0] ?? '').trim());
    if (options.has('json')) {
      printJson(code, 2);
      return 0;
    }
    for (const [label, value] of lines(code)) print(`${label.padEnd(12)} ${visible(value)}`);
    return 0;
  },
};

function read(text: string): BrCode {
  try {
    return readBrCode(text);
  } catch (error) {
    if (error instanceof BrCodeError) throw new CliFailure(1, error.message);
    throw error;
  }
}

const journeys = {
  2: 'authorizes only',
  3: 'authorizes, and pays at once',
  4: 'authorizes, and pays a charge with a due date',
};

function lines(code: BrCode): [label: string, value: string][] {
  const { journey, amount, currency = '', chargeUrl, recurrenceUrl, merchantName, merchantCity, txid } = code;
  const all: [string, string | undefined][] = [
    [
      'journey',
      journey === undefined ? 'none: a plain Pix, without a recurrence' : `${journey}: ${journeys[journey]}`,
    ],
    ['amount', amount === undefined ? undefined : `${amount.toFixed(2)} ${currency}`],
    ['merchant', merchantName],
    ['city', merchantCity],
    ['txid', txid],
    ['charge', chargeUrl],
    ['recurrence', recurrenceUrl],
  ];
  return all.filter((line): line is [string, string] => line[1] !== undefined);
}
