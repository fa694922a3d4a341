import { styleText } from 'node:util';
import { renderUnicodeCompact } from 'uqr';

type Style = Parameters<typeof styleText>[0];

/** Colour only where somebody looks, and where they did not say no. */
const hasColour = process.stdout.isTTY === true && !process.env['NO_COLOR'];

const LABEL_WIDTH = 14;

export function paint(style: Style, text: string): string {
  return hasColour ? styleText(style, text) : text;
}

export function heading(text: string): void {
  console.log(`\n${paint('bold', text)}`);
}

export function line(label: string, value: string): void {
  console.log(`   ${paint('dim', label.padEnd(LABEL_WIDTH))} ${value}`);
}

/**
 * The QR code, two rows of squares a line of text. Its light squares are drawn, which suits a dark terminal; with
 * colour it is dark on light everywhere.
 */
export function picture(text: string): void {
  console.log();
  for (const row of renderUnicodeCompact(text, { ecc: 'L', border: 2 }).split('\n')) {
    console.log(`   ${paint(['whiteBright', 'bgBlack'], row)}`);
  }
  console.log();
}
