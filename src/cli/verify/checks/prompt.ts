import type { CheckDefinition } from '../check';
import { describeExchange } from '../exchange';

/** Over everything that was sent before. */
export const prompt: CheckDefinition = {
  id: 'prompt',
  title: 'Answers promptly',
  asks: 'Whether every response came within `--limit`.',
  why: 'A timeout is a failed delivery: everything comes five more times, and the last one may be lost.',
  fix:
    'Write the notification to a queue or a table, answer, and work afterwards. A timeout is a failed delivery, and ' +
    'brings retries (document section 6.1). How long the service waits is not documented: --limit is made up.',
  async run(findings, session) {
    const { limitMs } = session.options;
    const answered = session.exchanges.filter(({ reception }) => reception !== 'gone');
    const late = answered.filter(
      ({ durationMs, reception }) => reception === 'silent' || durationMs > limitMs,
    );
    if (answered.length === 0) findings.leaveOpen('there was no response');
    const [worst] = late.toSorted((one, other) => other.durationMs - one.durationMs);
    if (worst !== undefined) {
      findings.fail(
        `${late.length} of ${answered.length} responses took longer than ${limitMs} ms; ` +
          `the slowest: ${describeExchange(worst)} after ${worst.durationMs} ms`,
      );
    }
  },
};
