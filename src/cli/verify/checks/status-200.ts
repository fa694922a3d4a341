import type { CheckDefinition } from '../check';
import { describeExchange } from '../exchange';

/** Over everything that was sent before. */
export const status200: CheckDefinition = {
  id: 'status-200',
  title: 'Accepts with 200 and with no other status',
  asks: 'Whether everything that was accepted was answered with 200.',
  why: 'After 202 or 204 the service sends the same again, five times, and may call the delivery failed.',
  fix:
    'Answer 200 when you have taken a notification. The service knows no other success: after 202 or 204 it sends the ' +
    'same again, five times (document section 6.1).',
  async run(findings, session) {
    const accepted = session.exchanges.filter(({ reception }) => reception === 'accepted');
    const others = accepted.filter(({ httpStatus }) => httpStatus !== 200);
    for (const exchange of firstOfEachStatus(others)) findings.fail(describeExchange(exchange));
    if (accepted.length === 0) findings.leaveOpen('nothing was accepted');
  },
};

function firstOfEachStatus<Answer extends { httpStatus: number | undefined }>(
  answers: readonly Answer[],
): Answer[] {
  return [...new Map(answers.toReversed().map((answer) => [answer.httpStatus, answer])).values()];
}
