import type { Outcome } from '../command';
import { decimal, say } from '../language';
import { paint, print, wrap } from '../output';
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
    `  ${marks[verdict]} ${verdict === 'not-checked' ? say('run.checkNotChecked', { title }) : title}`,
  ];
  for (const problem of problems) lines.push(`      ${problem}`);
  for (const reason of open) lines.push(paint('dim', `      ${reason}`));
  if (why !== undefined) lines.push(...wrap(say('run.why', { why }), WIDTH).map((line) => `      ${line}`));
  if (fix !== undefined) lines.push(...wrap(say('run.fix', { fix }), WIDTH).map((line) => `      ${line}`));
  return lines.join('\n');
}

/** Prints each result, and on a terminal also which check is under way and what is left. */
export const terminalProgress: Progress = {
  under({ title, number, leftMs }) {
    if (!process.stderr.isTTY) return;
    const left = say('run.progress', {
      number,
      all: checklist.length,
      seconds: Math.ceil(leftMs / 1000),
    });
    const line = `  ${left}: ${say(title)} …`;
    process.stderr.write(`\r\u001b[K${line.slice(0, (process.stderr.columns || 80) - 1)}`);
  },
  estimated(responseMs, runMs) {
    const [seconds, minutes] = [decimal(responseMs / 1000, 1), Math.ceil(runMs / 60_000)];
    print(`  ${say('run.duration', { seconds, minutes })}`);
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

/** The end of the report, and all of it for `--json`. */
export function endOf(checks: readonly CheckResult[], run: object, isPartial: boolean): Outcome {
  const count = (verdict: Verdict) => checks.filter((check) => check.verdict === verdict).length;
  const [passed, failed, notChecked] = [count('passed'), count('failed'), count('not-checked')];
  const exitCode = exitCodeOf(checks, isPartial);
  const counts = [
    ...(passed > 0 ? [say(passed === 1 ? 'run.onePassed' : 'run.passed', { count: passed })] : []),
    ...(failed > 0 ? [say(failed === 1 ? 'run.oneFailed' : 'run.failed', { count: failed })] : []),
    ...(notChecked > 0
      ? [say(notChecked === 1 ? 'run.oneNotChecked' : 'run.notChecked', { count: notChecked })]
      : []),
  ];
  const hint = exitCode === 3 ? `\n${say('run.exit3')}` : '';
  return {
    exitCode,
    data: { ...run, ok: exitCode === 0, passed, failed, notChecked, checks },
    text: `\n${counts.join(', ')}.${hint}`,
  };
}

const WIDTH = 90;
