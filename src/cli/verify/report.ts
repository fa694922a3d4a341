import { say } from '../language';
import { paint, print, printJson, wrap } from '../output';
import type { CheckResult, Verdict } from './check';
import { reachable } from './checks/reachable';
import { checklist, type Progress } from './run-checklist';

const marks = {
  passed: paint('green', '✓'),
  failed: paint('red', '✗'),
  'not-checked': paint('yellow', '–'),
};

/** A check's result for people: what is wrong, what could not be checked, what to do. */
export function reportLines({ title, verdict, problems, open, why, fix }: CheckResult): string {
  const lines = [
    `  ${marks[verdict]} ${verdict === 'not-checked' ? say('{title}: not checked', { title }) : title}`,
  ];
  for (const problem of problems) lines.push(`      ${problem}`);
  for (const reason of open) lines.push(paint('dim', `      ${reason}`));
  if (why !== undefined)
    lines.push(...wrap(say('Why: {why}', { why }), WIDTH).map((line) => `      ${line}`));
  if (fix !== undefined)
    lines.push(...wrap(say('Fix: {fix}', { fix }), WIDTH).map((line) => `      ${line}`));
  return lines.join('\n');
}

/** Prints each result, and on a terminal also which check is under way. */
export const terminalProgress: Progress = {
  started(title, number) {
    if (process.stderr.isTTY)
      process.stderr.write(`\r\u001b[K  ${number}/${checklist.length} ${say(title)} …`);
  },
  estimated(responseMs, runMs) {
    const [seconds, minutes] = [Math.round(responseMs / 1000), Math.ceil(runMs / 60_000)];
    print(
      `  ${say('A response takes about {seconds} s: the whole run takes about {minutes} min.', { seconds, minutes })}`,
    );
  },
  ended(result) {
    if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
    print(reportLines(result));
  },
};

/**
 * The exit code of a whole run: 0 only if every check ran and passed.
 *
 * @param isPartial - whether checks that could not run are accepted; an unreachable listener never is
 */
export function exitCodeOf(
  checks: readonly Pick<CheckResult, 'id' | 'verdict'>[],
  isPartial: boolean,
): number {
  if (checks.some(({ verdict }) => verdict === 'failed')) return 1;
  const couldBegin = checks.some(({ id, verdict }) => id === reachable.id && verdict === 'passed');
  if (!couldBegin) return 2;
  return isPartial || checks.every(({ verdict }) => verdict === 'passed') ? 0 : 3;
}

/** Prints the end of the report, or all of it as JSON. @returns the exit code */
export function reportEnd(
  checks: readonly CheckResult[],
  {
    json,
    isPartial,
    ...run
  }: {
    readonly to: string;
    readonly credentials: string;
    readonly json: boolean;
    readonly isPartial: boolean;
  },
): number {
  const count = (verdict: Verdict) => checks.filter((check) => check.verdict === verdict).length;
  const [passed, failed, notChecked] = [count('passed'), count('failed'), count('not-checked')];
  const exitCode = exitCodeOf(checks, isPartial);
  const ok = exitCode === 0;
  if (json) printJson({ ...run, ok, passed, failed, notChecked, checks }, 2);
  else {
    const counts = [
      ...(passed > 0 ? [say('{count} passed', { count: passed })] : []),
      ...(failed > 0 ? [say('{count} failed', { count: failed })] : []),
      ...(notChecked > 0 ? [say('{count} not checked', { count: notChecked })] : []),
    ];
    print(`\n${counts.join(', ')}.`);
    if (exitCode === 3) print(say('Not checked is not passed: exit code 3. --partial accepts it.'));
  }
  return exitCode;
}

const WIDTH = 90;
