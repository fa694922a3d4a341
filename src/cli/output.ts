import { randomUUID } from 'node:crypto';
import { styleText } from 'node:util';
import { line, visibleLines } from './visible';

type Style = Parameters<typeof styleText>[0];

/** What marks coloured text until it is printed. Nobody else can know it, so no value from outside has a colour. */
const MARK = `\ue000${randomUUID()}`;
const styles: Style[] = [];

/** Colours text on a terminal, unless NO_COLOR is set. */
export function paint(style: Style, text: string): string {
  if (!process.stdout.isTTY || process.env['NO_COLOR']) return text;
  return `${MARK}${styles.push(style) - 1}(${text}${MARK})`;
}

const PAINTED = new RegExp(`${MARK}(\\d+)\\((.*?)${MARK}\\)`, 'gs');

/** Prints text. The one place where it meets the terminal: whatever controls one is escaped, save colours and line ends. */
export function print(text = ''): void {
  const coloured = visibleLines(text).replaceAll(PAINTED, (_all, index, inner) =>
    styleText(styles[Number(index)] ?? 'reset', inner),
  );
  process.stdout.write(`${coloured}\n`);
}

export function printJson(value: object, indent?: number): void {
  // JSON.stringify does not escape DEL, C1 and direction characters. Line ends are indentation: values have none.
  print(JSON.stringify(value, undefined, indent));
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

/** A delivery in a line; of an event of a recurrence, with its type. */
export function deliveryName({ id, kind }: { id: string; kind: string }, eventType: unknown): string {
  const event = kind === 'recurrence' ? ` ${String(eventType).replace('RECURRENCE_', '')}` : '';
  return line`→ ${kind}${event} ${id}`;
}

/** The same as `describeAnswer`, green for 200 and red for anything else. */
export function paintAnswer(answer: Answer): string {
  return paint(answer.httpStatus === 200 ? 'green' : 'red', describeAnswer(answer));
}

/** What to change in a listener that answers this; `''` if that says nothing. */
export function answerHint({ httpStatus, error }: Answer): string {
  const hint = httpStatus === undefined ? errorHint(error) : statusHint(httpStatus);
  return hint === undefined ? '' : paint('yellow', hint);
}

/** Whether a connection failed because TLS was spoken to a port of plain HTTP. */
export function isPlainHttp(code: string): boolean {
  return /^(EPROTO|ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG))$/.test(code);
}

function errorHint(error = ''): string | undefined {
  if (error === 'ECONNREFUSED') return 'nothing listens there: is your server running, on this port?';
  if (error === 'timeout')
    return 'does your route pass both to the handler, as in `handler(request, response)`?';
  if (isPlainHttp(error))
    return 'your server speaks http, not https, on this port: write http:// in `--webhook-url`';
  if (/^(ECONNRESET|EPIPE|connection closed)$/.test(error))
    return 'your server closed the connection without an answer: did the handler crash? See its log. Or it speaks https there';
  return error.startsWith('HPE_')
    ? 'what listens there does not speak HTTP: check the port of `--webhook-url`'
    : undefined;
}

function statusHint(status: number): string | undefined {
  if (status === 401 || status === 403)
    return 'your listener has another pair: use the one of the sandbox. Or something before the handler answered';
  if (status === 404 || status === 405) return 'your server has no POST at this path: check `--webhook-url`';
  if (status === 413) return 'your server refuses a body of this size: raise the limit of its body parser';
  if (status >= 400) return "see your listener's log";
  if ([301, 302, 303, 307, 308].includes(status))
    return 'it redirects, and only 200 counts: check the path of `--webhook-url`, a `/` at its end, and http or https';
  return status > 200 ? 'only 200 counts as received' : undefined;
}

/** How an attempt ended, in few words. */
export function describeAnswer({ httpStatus, error }: Answer): string {
  if (httpStatus !== undefined) return `HTTP ${httpStatus}`;
  return error === 'timeout' ? 'no answer in time' : line`no answer (${error})`;
}
