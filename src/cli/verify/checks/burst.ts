import { say } from '../../language';
import type { CheckDefinition } from '../check';
import type { Named } from '../session';

const BURST = 5;

/** Shoppers do not wait for each other: different notifications may come at the same moment. */
export const burst: CheckDefinition = {
  id: 'burst',
  async run(findings, session) {
    if (!session.acceptedKinds.has('payment')) return findings.leaveOpen('run.noPaymentAccepted');
    const payments: Named[] = [];
    for (let number = 1; number <= BURST; number++)
      payments.push([say('burst.oneOf'), (await session.sale()).payment]);
    const unit = session.actionsPer('payment');
    const { result, actions } = await session.watch(unit * BURST, () => session.sendAtOnce(payments));
    const accepted = result.filter((exchange) => findings.expectAccepted(exchange)).length;
    if (actions === undefined) return findings.leaveOpen('run.withoutEffects');
    if (unit * accepted > actions.total) {
      const counted = actions.total;
      findings.fail('burst.counted', { counted, accepted, unit });
    }
  },
};
