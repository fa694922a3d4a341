import { type CheckDefinition, expectAccepted, type Findings, isGround, WITHOUT_EFFECTS } from '../check';
import { everyKind, samplesOfKinds } from '../documented-kinds';
import type { Exchange } from '../exchange';
import type { Session } from '../session';

const BURST = 5;

/** Section 6.1, item 5: the same notification again must be answered 200, and do nothing. */
export const duplicates: CheckDefinition = {
  id: 'duplicates',
  title: 'Acts once on duplicates, and accepts them',
  asks:
    'Every kind and status, payouts that failed included, and then all of them once more; and a payment, a refund and a ' +
    'payout, each five times at once. Each must be answered with 200, and must be acted on once.',
  why: 'The service sends again whatever it got no 200 for in time: goods are shipped twice, money is booked twice.',
  fix:
    'Record the idempotency key of what you have acted on, atomically with acting or by a claim before it, and answer ' +
    '200 to what is recorded (document section 6.1). `createWebhookHandler` with a store does it.',
  async run(findings, session) {
    await session.settle();
    await oneAfterTheOther(findings, session);
    for (const name of ['payment', 'refund', 'payout'] as const) await allAtOnce(findings, session, name);
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
  // A kind that is refused is the subject of another check, unless it is every kind.
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

/** Two processes of a merchant may get the same notification in the same moment: a look-up alone is not enough. */
async function allAtOnce(
  findings: Findings,
  session: Session,
  name: keyof typeof samplesOfKinds,
): Promise<void> {
  if (!session.acceptedKinds.has(name)) return;
  const notification = await samplesOfKinds[name].make(session);
  await session.settlePayments();
  const { actions } = await session.watch(0, async () => {
    // A listener at work on one of them may turn the others away for now. Afterwards it may not.
    await Promise.all(
      Array.from({ length: BURST }, () => session.sendOnce(`a ${name} ${BURST} times at once`, notification)),
    );
    const last = await session.send(`a ${name} that came ${BURST} times at once, sent again`, notification);
    expectAccepted(findings, last);
  });
  const unit = session.unit(name);
  if (actions === undefined || unit === 0) return;
  if (actions.total > unit) {
    findings.fail(
      `${actions.total} actions for a ${name} that came ${BURST} times at once, ${unit} for a single one`,
    );
  }
  if (actions.total === 0) findings.fail(`no action for a ${name} that came ${BURST} times at once`);
}
