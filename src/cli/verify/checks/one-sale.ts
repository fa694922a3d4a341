import { type CheckDefinition, expectAccepted, type Findings, isGround, WITHOUT_EFFECTS } from '../check';
import type { Named } from '../documented-kinds';
import { type Exchange, fingerprint } from '../exchange';
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
    await compare(findings, session, {
      name: 'refund',
      alone: async () => ['a refund by itself', await (await session.announcedSale()).refund(1)],
      opening: async () => ['a payment', sale.payment],
      following: [
        async () => ['a partial refund of a sale whose payment came before', await sale.refund(2)],
        async () => ['a second partial refund of that sale, of the same amount', await sale.refund(2)],
      ],
    });
    const reversal = await (await session.announcedSale()).reversal('PAID');
    await compare(findings, session, {
      name: 'reversal PAID',
      alone: async () => [
        'a reversal PAID by itself',
        (await (await session.announcedSale()).reversal('PAID')).ended,
      ],
      opening: async () => ['a reversal PENDING', reversal.pending],
      following: [async () => ['the same reversal PAID', reversal.ended]],
    });
    const identity = session.samples.newIdentity();
    await compare(findings, session, {
      name: 'payout',
      alone: async () => ['a payout by itself', session.samples.payout()],
      opening: async () => ['a payout that failed', session.samples.payout('PE0001', identity)],
      following: [async () => ['the same payout PAID', session.samples.payout(undefined, identity)]],
    });
    if (!session.countsEffects) findings.leaveOpen(WITHOUT_EFFECTS);
  },
};

/** Called just before sending: once a sale is refunded, the service no longer confirms its payment. */
type Maker = () => Promise<Named>;

interface Comparison {
  readonly name: string;
  readonly alone: Maker;
  readonly opening: Maker;
  readonly following: readonly Maker[];
}

/**
 * The listener must act on a notification that follows another of the same sale if it acts on one that comes alone. A
 * listener that does nothing about refunds passes.
 */
async function compare(
  findings: Findings,
  session: Session,
  { name, alone, opening, following }: Comparison,
): Promise<void> {
  const [what, notification] = await alone();
  await session.settlePayments();
  const reference = await session.watch(1, () => session.send(what, notification));
  const unit = reference.actions?.total ?? 0;
  const { result: opened } = await session.watch(unit === 0 ? 0 : 1, async () =>
    session.send(...(await opening())),
  );
  if (!isGround(findings, [reference.result, opened])) return;

  for (const make of following) {
    const follower = await make();
    const { result, actions } = await session.watch(unit, () => session.send(...follower));
    if (!expectAccepted(findings, result)) continue;
    if (unit > 0 && actions?.total === 0) findings.fail(`${result.what} was accepted, but not acted on`);
    if (!session.countsEffects) {
      const repeated = await session.send(`${what}, sent again`, notification);
      if (isAnsweredAsDuplicate(result, reference.result, repeated)) {
        findings.fail(`${result.what} was answered like a duplicate, but is none`);
      }
    }
  }
  if (unit === 0 && session.unit(name) > 0) findings.leaveOpen(`a ${name} was not counted this time`);
}

/** Many listeners say in their response that they have seen a notification before. */
function isAnsweredAsDuplicate(response: Exchange, first: Exchange, repeated: Exchange): boolean {
  return fingerprint(first) !== fingerprint(repeated) && fingerprint(response) === fingerprint(repeated);
}
