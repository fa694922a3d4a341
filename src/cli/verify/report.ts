import { paint, print, printJson } from '../output';
import type { CheckResult, Verdict } from './check';

const marks = {
  passed: paint('green', '✓'),
  failed: paint('red', '✗'),
  'not-checked': paint('yellow', '–'),
};

/** A check's result for people: what is wrong, what could not be checked, what to do. */
export function reportLines({ title, verdict, problems, open, why, fix }: CheckResult): string {
  const lines = [`  ${marks[verdict]} ${title}${verdict === 'not-checked' ? ': not checked' : ''}`];
  for (const problem of problems) lines.push(`      ${problem}`);
  for (const reason of open) lines.push(paint('dim', `      ${reason}`));
  if (why !== undefined) lines.push(...wrap(`Why: ${why}`).map((line) => `      ${line}`));
  if (fix !== undefined) lines.push(...wrap(`Fix: ${fix}`).map((line) => `      ${line}`));
  return lines.join('\n');
}

/** Prints the end of the report, or all of it as JSON. @returns the exit code */
export function reportEnd(
  checks: readonly CheckResult[],
  { json, ...run }: { readonly to: string; readonly credentials: string; readonly json: boolean },
): number {
  const count = (verdict: Verdict) => checks.filter((check) => check.verdict === verdict).length;
  const [passed, failed, notChecked] = [count('passed'), count('failed'), count('not-checked')];
  const ok = failed === 0;
  if (json) printJson({ ...run, ok, passed, failed, notChecked, checks }, 2);
  else {
    const counts = [`${passed} passed`, `${failed} failed`, `${notChecked} not checked`];
    print(`\n${counts.filter((text) => !text.startsWith('0 ')).join(', ')}.`);
  }
  return ok ? 0 : 1;
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
