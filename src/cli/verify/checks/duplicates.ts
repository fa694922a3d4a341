import { isObject } from '../../../shared/objects';
import { say } from '../../language';
import { allAccepted, type CheckDefinition, type Findings, WITHOUT_EFFECTS } from '../check';
import { everyKind, type Sample, samplesOfKinds } from '../documented-kinds';
import type { Named, Session } from '../session';

const BURST = 5;

/** Section 6.1, item 5: a notification that comes again must be answered with 200, and not acted on. */
export const duplicates: CheckDefinition = {
  id: 'duplicates',
  title: 'Acts once on duplicates, and accepts them',
  asks: 'Each of them twice, and a third time with its fields in another order; a payment, a refund and a payout five times at once. Each must be acted on once, and answered with 200 when it comes again.',
  why: 'The service sends a notification again if it got no 200 in time. A listener that acts again ships goods or books money twice.',
  fix: 'Record the idempotency key of what you have acted on, in the same transaction or by a claim beforehand, and answer 200 to what is already recorded (document section 6.1). Take the key from the fields, never from the whole body: the same notification may come with its fields in another order. `createWebhookHandler` with a store does this.',
  async run(findings, session) {
    await session.settle();
    await oneAfterTheOther(findings, session);
    const { payment, refund, payout } = samplesOfKinds;
    const samples = [payment, refund, payout].filter(({ name }) => session.acceptedKinds.has(name));
    const areTold =
      session.isSlow && samples.every(({ name }) => name in (session.actionsOf.get(name)?.byName ?? {}));
    for (const group of areTold ? [samples] : samples.map((sample) => [sample])) {
      await allAtOnce(findings, session, group);
    }
    if (!session.countsEffects) findings.leaveOpen(WITHOUT_EFFECTS);
  },
};

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

/**
 * Two processes may get the same notification at the same moment: to look up the key, without a claim, is not enough.
 *
 * @param samples - one; or several that have counters of their own, for a slow listener
 */
async function allAtOnce(findings: Findings, session: Session, samples: readonly Sample[]): Promise<void> {
  const copies: Named[] = [];
  for (const { name, make } of samples) {
    const one: Named = [say('a {kind} sent 5 times at once', { kind: say(name) }), await make(session)];
    copies.push(...Array.from({ length: BURST }, () => one));
  }
  await session.settlePayments();
  const { actions } = await session.watch(0, async () => {
    // While the listener works on one of them, it may refuse the others. Afterwards it must accept.
    const first = await Promise.all(copies.map((copy) => session.sendOnce(...copy)));
    if (first.every(({ reception }) => reception === 'accepted')) return;
    const last = await session.sendAll(copies.filter((_, index) => index % BURST === 0));
    for (const exchange of last) findings.expectAccepted(exchange);
  });
  for (const { name } of samples) {
    const unit = session.actionsPer(name);
    if (actions === undefined || unit === 0) continue;
    const moved = samples.length === 1 ? actions.total : (actions.byName?.[name] ?? 0);
    const values = { moved, kind: say(name), unit };
    if (moved > unit)
      findings.fail(
        '{moved} actions were counted for a {kind} sent 5 times at once; a single one counts {unit}',
        values,
      );
    if (moved === 0) findings.fail('no action was counted for a {kind} sent 5 times at once', values);
  }
}
