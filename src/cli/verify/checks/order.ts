import { type CheckDefinition, expectAccepted } from '../check';

/** A failed delivery comes again a minute later, after newer notifications. */
export const order: CheckDefinition = {
  id: 'order',
  title: 'Accepts a notification that comes after a newer one',
  asks: 'A reversal with PAID, and after it the same reversal with PENDING.',
  why: 'A listener that refuses a late notification gets it five more times. One that goes back to the old state reopens a closed reversal.',
  fix:
    'Answer 200 to a state that is over already, such as PENDING after PAID, and do not go back to it: a retry comes a ' +
    'minute or more late (document section 6.1). `context.handledStates` has the states that were handled before.',
  async run(findings, session) {
    if (!['reversal PENDING', 'reversal PAID'].every((kind) => session.acceptedKinds.has(kind))) {
      return findings.leaveOpen('reversals are not accepted in the right order either');
    }
    const { pending, ended } = await (await session.announcedSale()).reversal('PAID');
    await session.send('a reversal PAID', ended);
    expectAccepted(findings, await session.send('the same reversal PENDING, after PAID', pending));
  },
};
