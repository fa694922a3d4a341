import type { CheckDefinition } from '../check';
import { describeExchange } from '../session';

/** Over everything that was sent before. */
export const status200: CheckDefinition = {
  id: 'status-200',
  title: 'Says yes with 200 and nothing else',
  fix:
    'Answer 200 when you have taken a notification. The service knows no other success: after 202 or 204 it sends ' +
    'the same again, five times (document section 6.1).',
  async run(findings, session) {
    const accepted = session.exchanges.filter(({ reception }) => reception === 'accepted');
    const others = accepted.filter(({ httpStatus }) => httpStatus !== 200);
    for (const problem of new Set(others.map(describeExchange))) findings.fail(problem);
    if (accepted.length === 0) findings.leaveOpen('nothing was accepted');
  },
};

export const prompt: CheckDefinition = {
  id: 'prompt',
  title: 'Answers promptly',
  fix:
    'Write the notification to a queue or a table, answer, and work afterwards. A time-out is a failed delivery, and ' +
    'brings retries (document section 6.1). How long the service waits is not documented: --limit is made up.',
  async run(findings, session) {
    const { limitMs } = session.options;
    const answered = session.exchanges.filter(({ reception }) => reception !== 'gone');
    const late = answered.filter(
      ({ durationMs, reception }) => reception === 'silent' || durationMs > limitMs,
    );
    if (answered.length === 0) findings.leaveOpen('there was no answer');
    const [worst] = late.toSorted((one, other) => other.durationMs - one.durationMs);
    if (worst !== undefined) {
      findings.fail(
        `${late.length} of ${answered.length} answers took longer than ${limitMs} ms; ` +
          `the slowest: ${describeExchange(worst)} after ${worst.durationMs} ms`,
      );
    }
  },
};
