import { isObject } from '../../../shared/objects';
import { say } from '../../language';
import { allAccepted, type CheckDefinition, type Findings } from '../check';
import { everyKind, type Sample, samplesOfKinds } from '../documented-kinds';
import type { Named, Session } from '../session';

const BURST = 5;

/** Section 6.1, item 5: a notification that comes again must be answered with 200, and not acted on. */
export const duplicates: CheckDefinition = {
  id: 'duplicates',
  async run(findings, session) {
    await session.settle();
    await longAgo(findings, session);
    await oneAfterTheOther(findings, session);
    const { payment, refund, payout } = samplesOfKinds;
    const samples = [payment, refund, payout].filter(({ name }) => session.acceptedKinds.has(name));
    for (const sample of samples) await allAtOnce(findings, session, sample);
    if (!session.countsEffects) findings.leaveOpen('run.withoutEffects');
  },
};

/** A listener may remember for a moment only, or only the last few. */
async function longAgo(findings: Findings, session: Session): Promise<void> {
  const { firstPayment } = session;
  if (firstPayment === undefined || session.actionsPer('payment') === 0) return;
  const { result, actions } = await session.watchAll(0, [[say('duplicates.firstAgain'), firstPayment]]);
  for (const exchange of result) findings.expectAccepted(exchange);
  if ((actions?.total ?? 0) > 0) findings.fail('duplicates.actedAgain', {}, 'duplicates.forgets');
}

async function oneAfterTheOther(findings: Findings, session: Session): Promise<void> {
  const originals = await everyKind(session);
  await session.settlePayments();
  const expected = originals.reduce((sum, [name]) => sum + session.actionsPer(name), 0);
  const firsts = originals.map(([name, one]): Named => [say('duplicates.first', { kind: say(name) }), one]);
  const { result: first } = await session.watchAll(expected, firsts);
  // `kinds` reports refused kinds. If every kind was refused, nothing is left to send again.
  const accepted = originals.filter((_, index) => first[index]?.reception === 'accepted');
  if (accepted.length === 0) allAccepted(findings, first);

  const again = accepted.flatMap(([name, original]): Named[] => {
    const kind = say(name);
    const reordered = { ...original, payload: Object(reversed(original.payload)) };
    return [
      [say('duplicates.again', { kind }), original],
      [say('duplicates.otherOrder', { kind }), reordered],
    ];
  });
  const { result, actions } = await session.watchAll(0, again);
  for (const exchange of result) findings.expectAccepted(exchange);
  const { total = 0 } = actions ?? {};
  if (total > 0) {
    findings.fail('duplicates.counted', { count: total });
  }
}

function reversed(value: unknown): unknown {
  if (!isObject(value)) return value;
  const entries = Object.entries(value).reverse();
  return Object.fromEntries(entries.map(([name, inner]) => [name, reversed(inner)]));
}

/** Two processes may get the same notification at the same moment: to look up the key, without a claim, is not enough. */
async function allAtOnce(findings: Findings, session: Session, { name, make }: Sample): Promise<void> {
  const kind = say(name);
  const one: Named = [say('duplicates.atOnce', { kind }), await make(session)];
  await session.settlePayments();
  const { actions } = await session.watch(0, async () => {
    // While the listener works on one of them, it may refuse the others. Afterwards it must accept.
    const first = await Promise.all(Array.from({ length: BURST }, () => session.sendOnce(...one)));
    if (first.every(({ reception }) => reception === 'accepted')) return;
    findings.expectAccepted(await session.send(...one));
  });
  const unit = session.actionsPer(name);
  if (actions === undefined || unit === 0) return;
  const moved = actions.total;
  if (moved > unit) findings.fail('duplicates.atOnceCounted', { moved, kind, unit });
  if (moved === 0) findings.fail('duplicates.atOnceNone', { kind });
}
