import { isObject } from '../../../shared/objects';
import { type Sentence, say } from '../../language';
import { allAccepted, type CheckDefinition, type Findings, WITHOUT_EFFECTS } from '../check';
import { everyKind, type Sample, samplesOfKinds } from '../documented-kinds';
import type { Named, Session } from '../session';

const BURST = 5;

/** Section 6.1, item 5: a notification that comes again must be answered with 200, and not acted on. */
export const duplicates: CheckDefinition = {
  id: 'duplicates',
  title: 'Acts once on duplicates, and accepts them',
  asks: 'Each of them twice, and a third time with its fields in another order; a payment, a refund and a payout five times at once; and the first payment of the run once more. Each must be acted on once, and answered with 200 when it comes again.',
  why: 'The service sends a notification again if it got no 200 in time. A listener that acts again ships goods or books money twice.',
  fix: 'Record the idempotency key of what you have acted on, in the same transaction or by a claim beforehand, and answer 200 to what is already recorded (document section 6.1). Take the key from the fields, never from the whole body: the same notification may come with its fields in another order. `createWebhookHandler` with a store does this.',
  async run(findings, session) {
    await session.settle();
    await longAgo(findings, session);
    await oneAfterTheOther(findings, session);
    const { payment, refund, payout } = samplesOfKinds;
    const samples = [payment, refund, payout].filter(({ name }) => session.acceptedKinds.has(name));
    for (const sample of samples) await allAtOnce(findings, session, sample);
    if (!session.countsEffects) findings.leaveOpen(WITHOUT_EFFECTS);
  },
};

const FORGETS =
  'Keep the idempotency key for days at least, where a restart does not lose it: the service sends a notification again for minutes (document section 6.1), and nothing says that none comes later. A window of seconds or the last few keys are not enough. `createWebhookHandler` with a store does this.' satisfies Sentence;

/** A listener may remember for a moment only, or only the last few. */
async function longAgo(findings: Findings, session: Session): Promise<void> {
  const { firstPayment } = session;
  if (firstPayment === undefined || session.actionsPer('payment') === 0) return;
  const { result, actions } = await session.watchAll(0, [
    [say('the first payment of this run, once more'), firstPayment],
  ]);
  for (const exchange of result) findings.expectAccepted(exchange);
  if ((actions?.total ?? 0) > 0)
    findings.fail('the first payment of this run came once more, and was acted on again', {}, FORGETS);
}

async function oneAfterTheOther(findings: Findings, session: Session): Promise<void> {
  const originals = await everyKind(session);
  await session.settlePayments();
  const expected = originals.reduce((sum, [name]) => sum + session.actionsPer(name), 0);
  const firsts = originals.map(([name, one]): Named => [say('first {kind}', { kind: say(name) }), one]);
  const { result: first } = await session.watchAll(expected, firsts);
  // `kinds` reports refused kinds. If every kind was refused, nothing is left to send again.
  const accepted = originals.filter((_, index) => first[index]?.reception === 'accepted');
  if (accepted.length === 0) allAccepted(findings, first);

  const again = accepted.flatMap(([name, original]): Named[] => {
    const kind = say(name);
    const reordered = { ...original, payload: Object(reversed(original.payload)) };
    return [
      [say('{kind}, sent again', { kind }), original],
      [say('{kind}, sent again with its fields in another order', { kind }), reordered],
    ];
  });
  const { result, actions } = await session.watchAll(0, again);
  for (const exchange of result) findings.expectAccepted(exchange);
  const { total = 0 } = actions ?? {};
  if (total > 0) {
    findings.fail(
      '{count} actions were counted for notifications that were sent again, with their fields in the same or in another order',
      { count: total },
    );
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
  const one: Named = [say('a {kind} sent 5 times at once', { kind }), await make(session)];
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
  if (moved > unit)
    findings.fail(
      '{moved} actions were counted for a {kind} sent 5 times at once; a single one counts {unit}',
      { moved, kind, unit },
    );
  if (moved === 0) findings.fail('no action was counted for a {kind} sent 5 times at once', { kind });
}
