import type { SandboxNotification } from '../../../sandbox/model/records';
import { type Sentence, say } from '../../language';
import { allAccepted, type CheckDefinition, type Findings, WITHOUT_EFFECTS } from '../check';
import { notActedOn, type Sample, samplesOfKinds } from '../documented-kinds';
import { type Exchange, fingerprint, type Named, type Session } from '../session';

/** Notifications that share an identifier but are not duplicates. With `saleToken` alone as the key, they are lost. */
export const oneSale: CheckDefinition = {
  id: 'one-sale',
  title: 'Acts on each notification of one sale, one reversal and one payout',
  asks: 'A payment and then two partial refunds of that sale, of the same amount, which share its `saleToken`; a reversal with PENDING and then with PAID, and a payout that failed and then is PAID, which share their `uuid`. None of them is a duplicate.',
  why: 'If a refund counts as a duplicate of the payment, it is never booked, and the customer is told nothing.',
  fix: 'Deduplicate on kind, identity and status together. The partial refunds of a sale share their `saleToken` with its payment and differ in `refund.uuid`; two of them may have the same amount; a reversal keeps its `uuid` from PENDING to PAID, and so does a payout (document sections 6.2 to 6.5). `notification.key` combines all three.',
  async run(findings, session) {
    const sale = await session.sale();
    const reversal = await (await session.announcedSale()).reversal('PAID');
    const identity = session.samples.newIdentity();
    const all: Comparison[] = [
      {
        sample: samplesOfKinds.refund,
        opening: ['a payment', sale.payment],
        following: [
          ['a partial refund of a sale whose payment came before', () => sale.refund(2)],
          ['a second partial refund of that sale, of the same amount', () => sale.refund(2)],
        ],
      },
      {
        sample: samplesOfKinds.reversal,
        opening: ['a reversal PENDING', reversal.pending],
        following: [['the same reversal PAID', async () => reversal.ended]],
      },
      {
        sample: samplesOfKinds.payout,
        opening: ['a payout that failed', session.samples.payout('PE0001', identity)],
        following: [['the same payout PAID', async () => session.samples.payout(undefined, identity)]],
      },
    ];
    const comparisons = all.filter(({ sample }) => session.acceptedKinds.has(sample.name));
    if (comparisons.length < all.length) findings.leaveOpen('a refund, a reversal or a payout was refused');
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
    if (!session.countsEffects) findings.leaveOpen(WITHOUT_EFFECTS);
  },
};

interface Comparison {
  readonly sample: Sample;
  readonly opening: readonly [what: Sentence, notification: SandboxNotification];
  readonly following: readonly (readonly [what: Sentence, make: () => Promise<SandboxNotification>])[];
}

/** A notification that follows another of the same sale, reversal or payout. */
interface Follower {
  readonly name: Sentence;
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
    findings.fail('{what} was accepted, but not acted on', { what });
  }
  for (const { sent, answers } of accepted) {
    const response = result.find((exchange) => exchange.what === sent[0]);
    if (response !== undefined && answers !== undefined && isAnsweredAsDuplicate(response, answers))
      findings.fail('{what} was answered like a duplicate, but is none', { what: sent[0] });
  }
}

interface Answers {
  readonly first: Exchange;
  readonly repeated: Exchange;
}

async function answersTo(session: Session, { name, make }: Sample): Promise<Answers> {
  const notification = await make(session);
  const kind = say(name);
  const first = await session.send(say('a {kind} by itself', { kind }), notification);
  return {
    first,
    repeated: await session.send(say('a {kind} by itself, sent again', { kind }), notification),
  };
}

/** Many listeners say in their response that they have seen a notification before. */
function isAnsweredAsDuplicate(response: Exchange, { first, repeated }: Answers): boolean {
  return fingerprint(first) !== fingerprint(repeated) && fingerprint(response) === fingerprint(repeated);
}
