import type { SandboxNotification } from '../../../sandbox/model/records';
import { say } from '../../language';
import type { TextKey } from '../../texts';
import { allAccepted, type CheckDefinition, type Findings } from '../check';
import { notActedOn, type Sample, samplesOfKinds } from '../documented-kinds';
import { type Exchange, fingerprint, type Named, type Session } from '../session';

/** Notifications that share an identifier but are not duplicates. With `saleToken` alone as the key, they are lost. */
export const oneSale: CheckDefinition = {
  id: 'one-sale',
  async run(findings, session) {
    const sale = await session.sale();
    const reversal = await (await session.announcedSale()).reversal('PAID');
    const identity = session.samples.newIdentity();
    const all: Comparison[] = [
      {
        sample: samplesOfKinds.refund,
        opening: ['run.aPayment', sale.payment],
        following: [
          ['one-sale.refund', () => sale.refund(2)],
          ['one-sale.secondRefund', () => sale.refund(2)],
        ],
      },
      {
        sample: samplesOfKinds.reversal,
        opening: ['one-sale.pending', reversal.pending],
        following: [['one-sale.paid', async () => reversal.ended]],
      },
      {
        sample: samplesOfKinds.payout,
        opening: ['one-sale.failedPayout', session.samples.payout('PE0001', identity)],
        following: [['one-sale.paidPayout', async () => session.samples.payout(undefined, identity)]],
      },
    ];
    const comparisons = all.filter(({ sample }) => session.acceptedKinds.has(sample.name));
    if (comparisons.length < all.length) findings.leaveOpen('one-sale.refused');
    const opened = await session.sendAll(comparisons.map(({ opening: [what, one] }) => [say(what), one]));
    await session.settle();
    const followers: Follower[] = [];
    for (const [index, { sample, following }] of comparisons.entries()) {
      const answers = session.countsEffects ? undefined : await answersTo(session, sample);
      const before = [opened[index] as Exchange, ...(answers === undefined ? [] : [answers.first])];
      if (!allAccepted(findings, before)) continue;
      // Made just before sending: once a sale is refunded, the service no longer confirms its payment.
      for (const [what, make] of following)
        followers.push({ name: sample.name, sent: [say(what), await make()], answers });
    }
    await judge(findings, session, followers);
    if (!session.countsEffects) findings.leaveOpen('run.withoutEffects');
  },
};

interface Comparison {
  readonly sample: Sample;
  readonly opening: readonly [what: TextKey, notification: SandboxNotification];
  readonly following: readonly (readonly [what: TextKey, make: () => Promise<SandboxNotification>])[];
}

/** A notification that follows another of the same sale, reversal or payout. */
interface Follower {
  readonly name: TextKey;
  readonly sent: Named;
  /** Without `--effects`: what the listener answers to one that comes alone, and to its duplicate. */
  readonly answers: Answers | undefined;
}

/**
 * The listener must act on a notification that follows another of the same sale if it acts on one that comes alone. A
 * listener that does nothing about refunds passes.
 */
async function judge(findings: Findings, session: Session, followers: readonly Follower[]): Promise<void> {
  const expected = followers.reduce((sum, { name }) => sum + session.actionsPer(name), 0);
  const notifications = followers.map(({ sent }) => sent);
  const { result, actions } = await session.watchAll(expected, notifications);
  const accepted = followers.filter((_, index) => findings.expectAccepted(result[index] as Exchange));
  const names = accepted.map(({ name }) => name);
  for (const name of notActedOn(session, names, actions)) {
    const what = accepted.flatMap((one) => (one.name === name ? [one.sent[0]] : [])).join('; ');
    findings.fail('run.notActedOn', { what });
  }
  for (const { sent, answers } of accepted) {
    const response = result.find((exchange) => exchange.what === sent[0]);
    if (response !== undefined && answers !== undefined && isAnsweredAsDuplicate(response, answers))
      findings.fail('one-sale.likeDuplicate', { what: sent[0] });
  }
}

interface Answers {
  readonly first: Exchange;
  readonly repeated: Exchange;
}

async function answersTo(session: Session, { name, make }: Sample): Promise<Answers> {
  const notification = await make(session);
  const kind = say(name);
  const first = await session.send(say('one-sale.byItself', { kind }), notification);
  return {
    first,
    repeated: await session.send(say('one-sale.byItselfAgain', { kind }), notification),
  };
}

/** Many listeners say in their response that they have seen a notification before. */
function isAnsweredAsDuplicate(response: Exchange, { first, repeated }: Answers): boolean {
  return fingerprint(first) !== fingerprint(repeated) && fingerprint(response) === fingerprint(repeated);
}
