import { type CheckDefinition, expectAccepted } from '../check';

/** A delivery that failed comes a minute later, after what was sent since. */
export const order: CheckDefinition = {
  id: 'order',
  title: 'Accepts a notification that was overtaken',
  asks: 'A reversal with PAID, and after it the same reversal with PENDING.',
  why: 'A listener that refuses what comes late gets it five more times; one that goes back to it reopens what is closed.',
  fix:
    'Answer 200 to a state that is over already, such as PENDING after PAID, and do not go back to it: retries come a ' +
    'minute later than what they report (document section 6.1). `context.handledStates` says what was handled.',
  async run(findings, session) {
    if (!['reversal PENDING', 'reversal PAID'].every((kind) => session.acceptedKinds.has(kind))) {
      return findings.leaveOpen('reversals are not accepted in their order either');
    }
    const { pending, ended } = await (await session.announcedSale()).reversal('PAID');
    await session.send('a reversal PAID', ended);
    expectAccepted(findings, await session.send('the same reversal PENDING, after PAID', pending));
  },
};
