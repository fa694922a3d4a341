import type { Outcome } from '../command';
import { paint, print, wrap } from '../output';
import { line } from '../visible';
import type { Progress, Report } from './run';
import type { StepResult, Verdict } from './step';

const marks = {
  passed: paint('green', '✓'),
  failed: paint('red', '✗'),
  'not-checked': paint('yellow', '–'),
};

const WIDTH = 90;

/** The result of a step for people: if it failed, what was sent and answered, what is wrong, and what to do. */
export function reportLines({
  title,
  verdict,
  sent,
  problems,
  open,
  warning,
  hint,
  follows,
}: StepResult): string {
  const indented = (text: string) => wrap(text, WIDTH).map((line) => `      ${line}`);
  return [
    `  ${marks[verdict]} ${verdict === 'not-checked' ? line`${title}: not checked` : title}`,
    ...(verdict === 'failed'
      ? shortened(sent)
          .flatMap((line) => indented(`→ ${line}`))
          .map((line) => paint('dim', line))
      : []),
    ...problems.map((problem) => `      ${problem}`),
    ...(warning === undefined ? [] : indented(`Warning: ${warning}`).map((line) => paint('yellow', line))),
    ...open.flatMap(indented).map((line) => paint('dim', line)),
    ...(follows === undefined
      ? []
      : indented(line`As in “${follows}”: fix that first.`).map((text) => paint('dim', text))),
    ...(hint === undefined ? [] : indented(`Usually: ${hint}`)),
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
    const text = `  step ${number}: ${title} …`;
    process.stderr.write(`\r\u001b[K${text.slice(0, (process.stderr.columns || 80) - 1)}`);
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
  const count = (verdict: Verdict) =>
    steps.filter((step) => step.verdict === verdict && step.follows === undefined).length;
  const [passed, failed, notChecked] = [count('passed'), count('failed'), count('not-checked')];
  const following = steps.filter(({ follows }) => follows !== undefined).length;
  const exitCode = exitCodeOf(report, isPartial);
  const lines = [
    line`${passed} held, ${failed} failed, ${following === 0 ? '' : `${following} more in the same way, `}${notChecked} not checked; ${sent} ${sent === 1 ? 'notification' : 'notifications'} sent.`,
    ...(ended === undefined ? [] : wrap(line`The run ended here: ${ended}`, WIDTH)),
    ...(exitCode === 3 ? ['Not checked is not passed: exit code 3. --partial accepts it.'] : []),
    ...(exitCode === 0
      ? ['What this run cannot see:', ...notSeen.flatMap((line) => wrap(`- ${line}`, WIDTH))]
      : []),
  ];
  const data = {
    ...run,
    ok: exitCode === 0,
    passed,
    failed,
    following,
    notChecked,
    sent,
    ended,
    notSeen,
    steps,
  };
  return { exitCode, data, text: `\n${lines.join('\n')}` };
}
