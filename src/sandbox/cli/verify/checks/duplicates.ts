import type { SandboxNotification } from '../../../model/records';
import type { CheckDefinition, Findings } from '../check';
import { expectAccepted, isGround, WITHOUT_EFFECTS } from '../expectations';
import type { Exchange, Session } from '../session';

const BURST = 5;

/** Section 6.1, item 5: the same notification again must be answered 200, and do nothing. */
export const duplicates: CheckDefinition = {
  id: 'duplicates',
  title: 'Acts once on duplicates, and accepts them',
  fix:
    'Record the idempotency key of what you have acted on, atomically with acting or by a claim before it, and ' +
    'answer 200 to what is recorded (document section 6.1). `createWebhookHandler` with a store does it.',
  async run(findings, session) {
    await oneAfterTheOther(findings, session);
    await allAtOnce(findings, session);
    if (!session.countsEffects) findings.leaveOpen(WITHOUT_EFFECTS);
  },
};

async function oneAfterTheOther(findings: Findings, session: Session): Promise<void> {
  const { samples } = session;
  const originals: [what: string, notification: SandboxNotification][] = [
    ['payment', samples.sale().payment],
    ['refund', samples.sale().refund(10)],
    ['reversal PAID', samples.sale().reversal('PAID').ended],
    ['payout', samples.payout()],
  ];
  const first: Exchange[] = [];
  await session.watch(async () => {
    for (const [what, original] of originals) first.push(await session.send(`first ${what}`, original));
  });
  // A kind that is refused is the subject of another check, unless it is every kind.
  const accepted = originals.filter((_, index) => first[index]?.reception === 'accepted');
  if (accepted.length === 0) isGround(findings, first);

  const { actions } = await session.watch(async () => {
    for (const [what, original] of accepted) {
      expectAccepted(findings, await session.send(`${what}, sent again`, original));
    }
  });
  if (actions) findings.fail(`${actions} actions were counted for notifications that were sent again`);
}

/** Two processes of a merchant may get the same notification in the same moment: a look-up alone is not enough. */
async function allAtOnce(findings: Findings, session: Session): Promise<void> {
  if (!session.acceptedKinds.has('payment')) return;
  const single = session.samples.sale().payment;
  const { actions: once } = await session.watch(() => session.send('one payment', single));

  const contested = session.samples.sale().payment;
  const { actions: burst } = await session.watch(async () => {
    const copies = Array.from({ length: BURST }, () => session.send(`${BURST} payments at once`, contested));
    // Who is at work on one of them may turn the others away for now. Afterwards it may not.
    await Promise.all(copies);
    const last = await session.send(`a payment that came ${BURST} times at once, sent again`, contested);
    expectAccepted(findings, last);
  });
  if (once === undefined || burst === undefined) return;
  if (burst > once) {
    findings.fail(
      `${burst} actions for a payment that came ${BURST} times at once, ${once} for a single one`,
    );
  }
  if (once === 0) {
    findings.leaveOpen(
      '--effects did not change when a payment came: does it count what this listener does?',
    );
  }
}
