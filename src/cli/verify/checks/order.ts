import { say } from '../../language';
import type { CheckDefinition } from '../check';
import { counters } from '../effects';
import type { Named } from '../session';

/** A failed delivery comes again a minute later, after newer notifications. */
export const order: CheckDefinition = {
  id: 'order',
  title: 'Accepts a notification that comes after a newer one',
  asks: 'A reversal with PAID and then PENDING, and a sale with PAID and then PENDING: no count may fall.',
  why: 'A listener that refuses a late notification gets it five more times. One that goes back to the old state reopens a closed reversal.',
  fix: 'Answer 200 to a state that is over already, such as PENDING after PAID, and do not go back to it: a retry comes a minute or more late (document section 6.1). `context.handledStates` has the states that were handled before.',
  async run(findings, session) {
    const { payment } = await session.sale();
    const back = { ...payment, payload: { ...payment.payload, newStatus: 'PENDING' } };
    const newer: Named[] = [[say('a payment'), payment]];
    const late: Named[] = [[say('the same sale PENDING, after PAID'), back]];
    if (session.acceptedKinds.has('reversal PENDING') && session.acceptedKinds.has('reversal PAID')) {
      const { pending, ended } = await (await session.announcedSale()).reversal('PAID');
      newer.push([say('a reversal PAID'), ended]);
      late.push([say('the same reversal PENDING, after PAID'), pending]);
    } else findings.leaveOpen('reversals are not accepted in the right order either');
    await session.sendAll(newer);
    await session.settle();
    const { result, actions } = await session.watchAll(0, late);
    const [, reversal] = result;
    if (reversal !== undefined) findings.expectAccepted(reversal);
    for (const [name, moved] of Object.entries(actions?.byName ?? { all: actions?.total ?? 0 })) {
      const isLookedAt = name === 'all' || counters.includes(name);
      if (moved < 0 && isLookedAt) {
        const values = { name, count: -moved };
        findings.fail(
          'a PENDING that came after PAID undid it: the count of `{name}` fell by {count}',
          values,
        );
      }
    }
  },
};
