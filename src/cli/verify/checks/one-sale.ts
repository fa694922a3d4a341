import { allAccepted, type CheckDefinition, expectAccepted, type Findings, WITHOUT_EFFECTS } from '../check';

import { type Exchange, fingerprint, type Named } from '../exchange';
import type { Session } from '../session';

/** Notifications that share an identifier but are not duplicates. With `saleToken` alone as the key, they are lost. */
export const oneSale: CheckDefinition = {
  id: 'one-sale',
  title: 'Acts on each notification of one sale, one reversal and one payout',
  asks:
    'A payment and then two partial refunds of that sale, of the same amount, which share its `saleToken`; a reversal ' +
    'with PENDING and then with PAID, and a payout that failed and then is PAID, which share their `uuid`. None of them is a duplicate.',
  why: 'If a refund counts as a duplicate of the payment, it is never booked, and the customer is told nothing.',
  fix:
    'Deduplicate on kind, identity and status together. The partial refunds of a sale share their `saleToken` with its ' +
    'payment and differ in `refund.uuid`; two of them may have the same amount; a reversal keeps its `uuid` from ' +
    'PENDING to PAID, and so does a payout (document sections 6.2 to 6.5). `notification.key` combines all three.',
  async run(findings, session) {
    const sale = await session.sale();
    const reversal = await (await session.announcedSale()).reversal('PAID');
    const identity = session.samples.newIdentity();
    const comparisons: Comparison[] = [
      {
        name: 'refund',
        opening: ['a payment', sale.payment],
        following: [
          async () => ['a partial refund of a sale whose payment came before', await sale.refund(2)],
          async () => ['a second partial refund of that sale, of the same amount', await sale.refund(2)],
        ],
      },
      {
        name: 'reversal PAID',
        opening: ['a reversal PENDING', reversal.pending],
        following: [async () => ['the same reversal PAID', reversal.ended]],
      },
      {
        name: 'payout',
        opening: ['a payout that failed', session.samples.payout('PE0001', identity)],
        following: [async () => ['the same payout PAID', session.samples.payout(undefined, identity)]],
      },
    ];
    const accepted = comparisons.filter(({ name }) => session.acceptedKinds.has(name));
    if (accepted.length < comparisons.length)
      findings.leaveOpen('a refund, a reversal or a payout was refused');
    const opened = await session.sendAll(accepted.map(({ opening }) => opening));
    await session.settle();
    for (const [index, comparison] of accepted.entries()) {
      const exchange = opened[index];
      if (exchange !== undefined) await compare(findings, session, comparison, exchange);
    }
    if (!session.countsEffects) findings.leaveOpen(WITHOUT_EFFECTS);
  },
};

interface Comparison {
  readonly name: keyof typeof alone;
  readonly opening: Named;
  /** Made just before sending: once a sale is refunded, the service no longer confirms its payment. */
  readonly following: readonly (() => Promise<Named>)[];
}

const alone = {
  refund: async (session: Session) => (await session.announcedSale()).refund(1),
  'reversal PAID': async (session: Session) => (await (await session.announcedSale()).reversal('PAID')).ended,
  payout: async (session: Session) => session.samples.payout(),
};

/**
 * The listener must act on a notification that follows another of the same sale if it acts on one that comes alone. A
 * listener that does nothing about refunds passes.
 */
async function compare(
  findings: Findings,
  session: Session,
  { name, following }: Comparison,
  opened: Exchange,
): Promise<void> {
  const unit = session.actionsPer(name);
  const answers = session.countsEffects ? undefined : await answersTo(session, name);
  if (!allAccepted(findings, answers === undefined ? [opened] : [opened, answers.first])) return;
  for (const make of following) {
    const follower = await make();
    const { result, actions } = await session.watch(unit, () => session.send(...follower));
    if (!expectAccepted(findings, result)) continue;
    if (unit > 0 && actions?.total === 0) findings.fail(`${result.what} was accepted, but not acted on`);
    if (answers !== undefined && isAnsweredAsDuplicate(result, answers)) {
      findings.fail(`${result.what} was answered like a duplicate, but is none`);
    }
  }
}

interface Answers {
  readonly first: Exchange;
  readonly repeated: Exchange;
}

async function answersTo(session: Session, name: keyof typeof alone): Promise<Answers> {
  const notification = await alone[name](session);
  const first = await session.send(`a ${name} by itself`, notification);
  return { first, repeated: await session.send(`a ${name} by itself, sent again`, notification) };
}

/** Many listeners say in their response that they have seen a notification before. */
function isAnsweredAsDuplicate(response: Exchange, { first, repeated }: Answers): boolean {
  return fingerprint(first) !== fingerprint(repeated) && fingerprint(response) === fingerprint(repeated);
}
