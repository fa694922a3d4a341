import { say } from '../../language';
import type { CheckDefinition } from '../check';
import { counters } from '../effects';
import type { Named } from '../session';

/** A failed delivery comes again a minute later, after newer notifications. */
export const order: CheckDefinition = {
  id: 'order',
  async run(findings, session) {
    const { payment } = await session.sale();
    const back = { ...payment, payload: { ...payment.payload, newStatus: 'PENDING' } };
    const newer: Named[] = [[say('run.aPayment'), payment]];
    const late: Named[] = [[say('order.lateSale'), back]];
    if (session.acceptedKinds.has('reversalPending') && session.acceptedKinds.has('reversalPaid')) {
      const { pending, ended } = await (await session.announcedSale()).reversal('PAID');
      newer.push([say('order.reversal'), ended]);
      late.push([say('order.lateReversal'), pending]);
    } else findings.leaveOpen('order.notInRightOrder');
    await session.sendAll(newer);
    await session.settle();
    const { result, actions } = await session.watchAll(0, late);
    const [, reversal] = result;
    if (reversal !== undefined) findings.expectAccepted(reversal);
    for (const [name, moved] of Object.entries(actions?.byName ?? { all: actions?.total ?? 0 })) {
      const isLookedAt = name === 'all' || counters.includes(name);
      if (moved < 0 && isLookedAt) {
        const values = { name, count: -moved };
        findings.fail('order.undone', values);
      }
    }
  },
};
