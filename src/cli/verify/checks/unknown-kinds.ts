import type { CheckDefinition } from '../check';
import { expectAccepted } from '../expectations';

/** Comes after the others: what does not survive it is gone for them. */
export const unknownKinds: CheckDefinition = {
  id: 'unknown-kinds',
  title: 'Accepts kinds that it does not know',
  asks: 'JSON objects of no kind that the document shows, and then a payment.',
  why: 'The service has notifications of the recurring journey that its document does not show. Refused, they are lost.',
  fix:
    'Answer 200 to a JSON object of no known kind, keep it, and look at it: the service has notifications for the ' +
    'recurring journey that its document does not show (document section 6.1). `defineNotification` describes yours.',
  async run(findings, session) {
    const { samples } = session;
    const unknown = [
      await session.send('an unknown body without flags', samples.unrecognized()),
      await session.send('an unknown body with an unknown flag', samples.unrecognized('type=sandbox')),
    ];
    for (const exchange of unknown) expectAccepted(findings, exchange);
    const { payment } = await session.sale();
    const next = await session.send('a payment after them', payment);
    const wasThere = unknown.some(({ reception }) => reception !== 'gone');
    if (wasThere && next.reception === 'gone')
      findings.fail('nothing listens any more: it ended the process');
  },
};
