import { type CheckDefinition, expectAccepted, type Findings, isGround, WITHOUT_EFFECTS } from '../check';
import { everyKind, type Sample, samplesOfKinds } from '../documented-kinds';
import type { Exchange } from '../exchange';
import type { Session } from '../session';

const BURST = 5;

/** Section 6.1, item 5: a notification that comes again must be answered with 200, and not acted on. */
export const duplicates: CheckDefinition = {
  id: 'duplicates',
  title: 'Acts once on duplicates, and accepts them',
  asks:
    'Every kind and status, failed payouts included, and then all of them once more; then a payment, a refund and a ' +
    'payout, each five times at once. Each must be acted on once, and answered with 200 when it comes again.',
  why: 'The service sends a notification again if it got no 200 in time. A listener that acts again ships goods or books money twice.',
  fix:
    'Record the idempotency key of what you have acted on, in the same transaction or by a claim beforehand, and answer ' +
    '200 to what is already recorded (document section 6.1). `createWebhookHandler` with a store does this.',
  async run(findings, session) {
    await session.settle();
    await oneAfterTheOther(findings, session);
    const { payment, refund, payout } = samplesOfKinds;
    for (const sample of [payment, refund, payout]) await allAtOnce(findings, session, sample);
    if (!session.countsEffects) findings.leaveOpen(WITHOUT_EFFECTS);
  },
};

async function oneAfterTheOther(findings: Findings, session: Session): Promise<void> {
  const originals = await everyKind(session);
  await session.settlePayments();
  const first: Exchange[] = [];
  const expected = originals.reduce((sum, [name]) => sum + session.unit(name), 0);
  await session.watch(expected, async () => {
    for (const [name, original] of originals) first.push(await session.send(`first ${name}`, original));
  });
  // `kinds` reports refused kinds. If every kind was refused, nothing is left to send again.
  const accepted = originals.filter((_, index) => first[index]?.reception === 'accepted');
  if (accepted.length === 0) isGround(findings, first);

  const { actions } = await session.watch(0, async () => {
    for (const [name, original] of accepted) {
      expectAccepted(findings, await session.send(`${name}, sent again`, original));
    }
  });
  const { total = 0 } = actions ?? {};
  if (total > 0) findings.fail(`${total} actions were counted for notifications that were sent again`);
}

/** Two processes may get the same notification at the same moment: to look up the key, without a claim, is not enough. */
async function allAtOnce(findings: Findings, session: Session, { name, make }: Sample): Promise<void> {
  if (!session.acceptedKinds.has(name)) return;
  const notification = await make(session);
  await session.settlePayments();
  const { actions } = await session.watch(0, async () => {
    // While the listener works on one of them, it may refuse the others. Afterwards it must accept.
    await Promise.all(
      Array.from({ length: BURST }, () => session.sendOnce(`a ${name} ${BURST} times at once`, notification)),
    );
    const last = await session.send(`a ${name} sent ${BURST} times at once, sent again`, notification);
    expectAccepted(findings, last);
  });
  const unit = session.unit(name);
  if (actions === undefined || unit === 0) return;
  if (actions.total > unit) {
    findings.fail(
      `${actions.total} actions were counted for a ${name} sent ${BURST} times at once; a single one counts ${unit}`,
    );
  }
  if (actions.total === 0) findings.fail(`no action was counted for a ${name} sent ${BURST} times at once`);
}
