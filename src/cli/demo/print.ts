import { renderUnicodeCompact } from 'uqr';
import { paint, print } from '../output';

const LABEL_WIDTH = 14;

/** Where the demo tells what it does: the terminal, or a list for `--json`. */
export interface DemoOutput {
  heading(text: string): void;
  line(label: string, value: string): void;
  /** The QR code of this text. */
  picture(text: string): void;
}

/** A step as `--json` prints it. */
export interface DemoStep {
  readonly title: string;
  readonly lines: { readonly label: string; readonly value: string }[];
}

export const terminal: DemoOutput = {
  heading(text) {
    print(`\n${paint('bold', text)}`);
  },
  line(label, value) {
    print(`   ${paint('dim', label.padEnd(LABEL_WIDTH))} ${value}`);
  },
  /**
   * Two rows of squares a line of text. Its light squares are drawn, which suits a dark terminal; with color it is dark
   * on light everywhere.
   */
  picture(text) {
    print();
    for (const row of renderUnicodeCompact(text, { ecc: 'L', border: 2 }).split('\n')) {
      print(`   ${paint(['whiteBright', 'bgBlack'], row)}`);
    }
    print();
  },
};

/** Keeps the steps instead of printing them. */
export function recorder(steps: DemoStep[]): DemoOutput {
  return {
    heading: (title) => steps.push({ title, lines: [] }),
    line: (label, value) => steps.at(-1)?.lines.push({ label, value }),
    picture: () => undefined,
  };
}
