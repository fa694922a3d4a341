import type { SandboxNotification } from '../../../sandbox/model/records';
import { type CheckDefinition, expectAccepted, WITHOUT_EFFECTS } from '../check';
import type { Exchange } from '../exchange';

const BURST = 5;

/** Shoppers do not wait for each other: different notifications may come at the same moment. */
export const burst: CheckDefinition = {
  id: 'burst',
  title: 'Acts on each of several payments that come at once',
  asks: 'Five payments of five sales at the same moment. Those that are refused are sent again, one by one.',
  why: 'A listener that answers 200 while it is too busy to act loses those payments: the service does not send them again.',
  fix:
    'Answer 200 only to what you have acted on or have seen before, and 503 while you are busy: the service retries ' +
    '(document section 6.1). Lock each payment by its own key. Do not use one flag for all payments, or one lock that ' +
    'gives up.',
  async run(findings, session) {
    if (!session.acceptedKinds.has('payment')) return findings.leaveOpen('no payment was accepted');
    const payments: SandboxNotification[] = [];
    for (let number = 1; number <= BURST; number++) payments.push((await session.sale()).payment);
    const unit = session.actionsPer('payment');
    const { result: accepted, actions } = await session.watch(unit * BURST, async () => {
      const what = `one of ${BURST} payments at once`;
      const first = await Promise.all(payments.map((payment) => session.sendOnce(what, payment)));
      const last: Exchange[] = [];
      for (const [index, exchange] of first.entries()) {
        const payment = payments[index];
        if (exchange.reception === 'accepted' || payment === undefined) last.push(exchange);
        else last.push(await session.send(`${what}, sent again`, payment));
      }
      return last.filter((exchange) => expectAccepted(findings, exchange)).length;
    });
    if (actions === undefined) return findings.leaveOpen(WITHOUT_EFFECTS);
    const missing = unit * accepted - actions.total;
    if (missing > 0) {
      findings.fail(
        `${actions.total} actions were counted for ${accepted} payments accepted at once; a single payment counts ${unit}`,
      );
    }
  },
};
