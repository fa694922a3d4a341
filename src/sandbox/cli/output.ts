import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** Colour only where somebody looks, and where they did not say no. */
export function paint(style: Style, text: string): string {
  return process.stdout.isTTY && !process.env['NO_COLOR'] ? styleText(style, text) : text;
}

export function print(line = ''): void {
  process.stdout.write(`${line}\n`);
}

export function printJson(value: object, indent?: number): void {
  print(JSON.stringify(value, undefined, indent));
}

/** What a listener wrote, as one short line that cannot steer the terminal. */
export function excerpt(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return line.length > MAX_EXCERPT ? `${line.slice(0, MAX_EXCERPT)}…` : line;
}

const MAX_EXCERPT = 160;

/** Ends quietly when the reader goes away, as with `| head`. */
export function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    throw error;
  });
}
