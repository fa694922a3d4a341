import { styleText } from 'node:util';
import { say } from './language';

type Style = Parameters<typeof styleText>[0];

/** Colours text on a terminal, unless NO_COLOR is set. */
export function paint(style: Style, text: string): string {
  return process.stdout.isTTY && !process.env['NO_COLOR'] ? styleText(style, text) : text;
}

export function print(line = ''): void {
  process.stdout.write(`${line}\n`);
}

export function printJson(value: object, indent?: number): void {
  const json = JSON.stringify(value, undefined, indent);
  // JSON.stringify does not escape DEL, C1 and direction characters. Line ends are indentation: values have none.
  print(
    json.replaceAll(STEERING, (character) => (character === '\n' ? character : escapeCharacter(character))),
  );
}

/** Control characters (C0, DEL, C1) and those that change the direction of text. They could falsify output. */
const STEERING = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** Escapes every character that controls a terminal, in text from outside such as a reference code. */
export function visible(text: string): string {
  return text.replaceAll(STEERING, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** What a listener answered, as one short line without characters that control a terminal. */
export function excerpt(text: string, maxLength = 160): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return line.length > maxLength ? `${line.slice(0, maxLength)}…` : line;
}

/** The lines of a paragraph. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + word.length >= width) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines;
}

/** Ends quietly when the reader goes away, as with `| head`. */
export function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    throw error;
  });
}

/** How an attempt ended. */
interface Answer {
  readonly httpStatus?: number | undefined;
  readonly error?: string | undefined;
}

/** The same as `describeAnswer`, green for 200 and red for anything else. */
export function paintAnswer(answer: Answer): string {
  return paint(answer.httpStatus === 200 ? 'green' : 'red', describeAnswer(answer));
}

/** How an attempt ended, in few words. */
export function describeAnswer({ httpStatus, error }: Answer): string {
  if (httpStatus !== undefined) return `HTTP ${httpStatus}`;
  return error === 'timeout' ? say('no answer in time') : say('no answer ({error})', { error });
}
