import type { CheckDefinition } from '../check';
import { describeExchange } from '../session';

/** Comes first: without it no other check can say anything. */
export const reachable: CheckDefinition = {
  id: 'reachable',
  title: 'Can be reached, and lets the right credentials in',
  fix:
    'Start the listener, check the URL and its path, and give it the pair that is in PAYMENTS_API_KEY and ' +
    'PAYMENTS_API_TOKEN here. Of a certificate of your own, tell Node with NODE_EXTRA_CA_CERTS.',
  async run(findings, session) {
    const exchange = await session.send('a payment', session.samples.sale().payment);
    const { reception, httpStatus } = exchange;
    const isTurnedAway = httpStatus === 401 || httpStatus === 403 || httpStatus === 404;
    if (reception === 'gone' || reception === 'broken' || isTurnedAway)
      findings.fail(describeExchange(exchange));
    if (reception === 'silent') findings.leaveOpen(describeExchange(exchange));
  },
};
