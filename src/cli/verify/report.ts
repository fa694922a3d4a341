import { paint } from '../output';
import type { CheckResult, Verdict } from './check';

const marks = {
  passed: paint('green', '✓'),
  failed: paint('red', '✗'),
  'not-checked': paint('yellow', '–'),
};

/** A check for a person: what is wrong, what could not be told, what to do. */
export function reportLines({ title, verdict, problems, open, why, fix }: CheckResult): string {
  const lines = [`  ${marks[verdict]} ${title}${verdict === 'not-checked' ? ': not checked' : ''}`];
  for (const problem of problems) lines.push(`      ${problem}`);
  if (verdict === 'not-checked') for (const reason of open) lines.push(paint('dim', `      ${reason}`));
  if (why !== undefined) lines.push(...wrap(`Why: ${why}`).map((line) => `      ${line}`));
  if (fix !== undefined) lines.push(...wrap(`Fix: ${fix}`).map((line) => `      ${line}`));
  return lines.join('\n');
}

export function tally(results: readonly CheckResult[]): Readonly<Record<Verdict, number>> {
  const count = (verdict: Verdict) => results.filter((result) => result.verdict === verdict).length;
  return { passed: count('passed'), failed: count('failed'), 'not-checked': count('not-checked') };
}

const WIDTH = 90;

function wrap(text: string): string[] {
  const lines: string[] = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + word.length >= WIDTH) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines;
}
