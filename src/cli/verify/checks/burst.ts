import { say } from '../../language';
import { type CheckDefinition, WITHOUT_EFFECTS } from '../check';
import type { Named } from '../session';

const BURST = 5;

/** Shoppers do not wait for each other: different notifications may come at the same moment. */
export const burst: CheckDefinition = {
  id: 'burst',
  title: 'Acts on each of several payments that come at once',
  asks: 'Five payments of five sales at the same moment. Those that are refused are sent again, one by one.',
  why: 'A listener that answers 200 while it is too busy to act loses those payments: the service does not send them again.',
  fix: 'Answer 200 only to what you have acted on or have seen before, and 503 while you are busy: the service retries (document section 6.1). Lock each payment by its own key. Do not use one flag for all payments, or one lock that gives up.',
  async run(findings, session) {
    if (!session.acceptedKinds.has('payment')) return findings.leaveOpen('no payment was accepted');
    const payments: Named[] = [];
    for (let number = 1; number <= BURST; number++)
      payments.push([say('one of 5 payments at once'), (await session.sale()).payment]);
    const unit = session.actionsPer('payment');
    const { result, actions } = await session.watch(unit * BURST, () => session.sendAtOnce(payments));
    const accepted = result.filter((exchange) => findings.expectAccepted(exchange)).length;
    if (actions === undefined) return findings.leaveOpen(WITHOUT_EFFECTS);
    if (unit * accepted > actions.total) {
      const counted = actions.total;
      findings.fail(
        '{counted} actions were counted for {accepted} payments accepted at once; a single payment counts {unit}',
        { counted, accepted, unit },
      );
    }
  },
};
