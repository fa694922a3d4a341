import { decimal, say } from '../../language';
import type { CheckDefinition } from '../check';
import type { Delivery } from '../session';

/** In binary, each of them times 100 is no whole number: 1998.9999999999998, 114.99999999999999, 110.00000000000001. */
const AMOUNTS = [19.99, 1.15, 1.1];

export const amounts: CheckDefinition = {
  id: 'amounts',
  async run(findings, session) {
    if (!session.acceptedKinds.has('payment')) return findings.leaveOpen('run.noPaymentAccepted');
    await session.settle();
    const unit = session.actionsPer('payment');
    const all: Delivery[] = [];
    for (const amount of AMOUNTS) {
      const { payment } = await session.sale({ amount });
      all.push([say('amounts.payment', { amount: decimal(amount) }), payment]);
    }
    const { result, actions } = await session.watchAll(unit * all.length, all);
    const accepted = result.filter((exchange) => findings.expectAccepted(exchange));
    const missing = unit * accepted.length - (actions?.total ?? unit * accepted.length);
    if (missing > 0) findings.fail('run.missing', { missing });
  },
};
