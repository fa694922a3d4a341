import type { Outcome } from '../command';
import { say } from '../language';
import { paint, print, wrap } from '../output';
import type { Progress, Report } from './run';
import type { StepResult, Verdict } from './step';

const marks = {
  passed: paint('green', '✓'),
  failed: paint('red', '✗'),
  'not-checked': paint('yellow', '–'),
};

const WIDTH = 90;

/** The result of a step for people: if it failed, what was sent and answered, what is wrong, and what to do. */
export function reportLines({ title, verdict, sent, problems, open, fix }: StepResult): string {
  const indented = (text: string) => wrap(text, WIDTH).map((line) => `      ${line}`);
  return [
    `  ${marks[verdict]} ${verdict === 'not-checked' ? say('run.notChecked', { title }) : title}`,
    ...(verdict === 'failed'
      ? shortened(sent)
          .flatMap((line) => indented(`→ ${line}`))
          .map((line) => paint('dim', line))
      : []),
    ...problems.map((problem) => `      ${problem}`),
    ...open.flatMap(indented).map((line) => paint('dim', line)),
    ...(fix === undefined ? [] : indented(say('run.fix', { fix }))),
  ].join('\n');
}

/** Many that are alike are told by the first ones. */
function shortened(sent: readonly string[]): string[] {
  const different = [...new Set(sent)];
  return different.length <= MOST_SENT ? different : [...different.slice(0, MOST_SENT), '…'];
}

const MOST_SENT = 4;

/** Prints each result, and on a terminal also which step is under way. */
export const terminalProgress: Progress = {
  under(title, number) {
    if (!process.stderr.isTTY) return;
    const line = `  ${say('run.progress', { number })}: ${title} …`;
    process.stderr.write(`\r\u001b[K${line.slice(0, (process.stderr.columns || 80) - 1)}`);
  },
  ended(result) {
    if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
    print(reportLines(result));
  },
};

/**
 * The exit code of a whole run: 0 only if every step ran and held.
 *
 * @param isPartial - whether steps that could not run are accepted
 */
export function exitCodeOf({ steps, ended }: Pick<Report, 'steps' | 'ended'>, isPartial: boolean): number {
  if (steps.some(({ verdict }) => verdict === 'failed')) return 1;
  const isWhole = ended === undefined && steps.every(({ verdict }) => verdict === 'passed');
  if (isWhole) return 0;
  return isPartial && ended === undefined ? 0 : 3;
}

/** The end of the report, and all of it for `--json`. */
export function endOf(report: Report, run: object, isPartial: boolean): Outcome {
  const { steps, ended, notSeen, sent } = report;
  const count = (verdict: Verdict) => steps.filter((step) => step.verdict === verdict).length;
  const [passed, failed, notChecked] = [count('passed'), count('failed'), count('not-checked')];
  const exitCode = exitCodeOf(report, isPartial);
  const lines = [
    say('run.counts', { passed, failed, open: notChecked, sent }),
    ...(ended === undefined ? [] : wrap(say('run.ended', { reason: ended }), WIDTH)),
    ...(exitCode === 3 ? [say('run.exit3')] : []),
    ...(exitCode === 0 ? [say('run.notSeen'), ...notSeen.flatMap((line) => wrap(`- ${line}`, WIDTH))] : []),
  ];
  const data = { ...run, ok: exitCode === 0, passed, failed, notChecked, sent, ended, notSeen, steps };
  return { exitCode, data, text: `\n${lines.join('\n')}` };
}
