import type { SandboxNotification } from '../../../model/records';
import type { CheckDefinition, Findings } from '../check';
import { expectAccepted, isGround, WITHOUT_EFFECTS } from '../expectations';
import type { Exchange, Session, Watched } from '../session';

/** Notifications that share an identifier and are not duplicates: what `saleToken` alone as a key loses. */
export const oneSale: CheckDefinition = {
  id: 'one-sale',
  title: 'Acts on each notification of one sale, and of one reversal',
  fix:
    'Deduplicate on kind, identity and status together. The partial refunds of a sale share their `saleToken` with ' +
    'its payment and differ in `refund.uuid`; a reversal keeps its `uuid` from PENDING to PAID (document sections ' +
    '6.2 to 6.4). `notification.key` has all of it.',
  async run(findings, session) {
    const { samples } = session;
    const sale = samples.sale();
    await compare(findings, session, {
      alone: ['a refund by itself', samples.sale().refund(10)],
      opening: ['a payment', sale.payment],
      following: [
        ['a partial refund of a sale whose payment came before', sale.refund(5)],
        ['a second partial refund of that sale', sale.refund(7)],
      ],
    });
    const reversal = samples.sale().reversal('PAID');
    await compare(findings, session, {
      alone: ['a reversal PAID by itself', samples.sale().reversal('PAID').ended],
      opening: ['a reversal PENDING', reversal.pending],
      following: [['the same reversal PAID', reversal.ended]],
    });
    if (!session.countsEffects) findings.leaveOpen(WITHOUT_EFFECTS);
  },
};

type Named = readonly [what: string, notification: SandboxNotification];

interface Comparison {
  readonly alone: Named;
  readonly opening: Named;
  readonly following: readonly Named[];
}

/**
 * What the listener does about a notification by itself, it must do about one that follows another of its sale. So a
 * listener that does nothing about refunds fails nothing.
 */
async function compare(
  findings: Findings,
  session: Session,
  { alone, opening, following }: Comparison,
): Promise<void> {
  const reference = await session.watch(() => session.send(...alone));
  const { result: opened } = await session.watch(() => session.send(...opening));
  const followers: Watched<Exchange>[] = [];
  for (const one of following) followers.push(await session.watch(() => session.send(...one)));
  if (!isGround(findings, [reference.result, opened])) return;

  const accepted = followers.filter(({ result }) => expectAccepted(findings, result));
  if (!session.countsEffects) {
    const repeated = await session.send(`${alone[0]}, sent again`, alone[1]);
    for (const { result } of accepted) {
      if (isAnsweredAsDuplicate(result, reference.result, repeated)) {
        findings.fail(`${result.what} was answered as a duplicate is, and it is none`);
      }
    }
  }
  const isActedOn = [reference, ...followers].some(({ actions }) => actions !== undefined && actions > 0);
  for (const { result, actions } of isActedOn ? accepted : []) {
    if (actions === 0) findings.fail(`${result.what} was accepted, and not acted on`);
  }
}

/** Many listeners say in their answer that they have seen a notification before. */
function isAnsweredAsDuplicate(answer: Exchange, first: Exchange, repeated: Exchange): boolean {
  return fingerprint(first) !== fingerprint(repeated) && fingerprint(answer) === fingerprint(repeated);
}

/** Status and text, without what is different in each answer: UUIDs, ids, times. */
function fingerprint({ httpStatus, text }: Exchange): string {
  return `${httpStatus} ${text.replaceAll(UUID, '').replaceAll(/\d+/g, '')}`;
}

const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;
