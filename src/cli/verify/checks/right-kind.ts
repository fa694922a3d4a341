import { say } from '../../language';
import type { TextKey } from '../../texts';
import type { CheckDefinition, Findings } from '../check';
import { counterOf } from '../documented-kinds';
import { type ActionCount, counters } from '../effects';
import type { Named, Session } from '../session';

/** A notification of one kind must not have the effects of another. */
export const rightKind: CheckDefinition = {
  id: 'right-kind',
  needsEffects: true,
  async run(findings, session) {
    const payment = session.actionsOf.get('payment');
    if (payment === undefined) return findings.leaveOpen('run.noPaymentAccepted');
    if (payment.byName === undefined || !('payment' in payment.byName)) {
      return findings.leaveOpen('right-kind.oneNumber');
    }
    for (const [name, acted] of session.actionsOf) {
      if (name === 'payment') continue;
      const own = OF_A_REVERSAL.includes(acted.kind) ? OF_A_REVERSAL : [counterOf(name, acted)];
      expectOwnCounters(findings, say('run.aKind', { kind: say(name) }), acted, own);
    }
    await sendMistakable(findings, session);
  },
};

/** A reversal may be reported in two ways: as a reversal, and as a sale with REVERSAL. */
const OF_A_REVERSAL = ['saleStatus', 'reversal'];

/** Fails for each counter of another kind that was moved. */
export function expectOwnCounters(
  findings: Findings,
  what: string,
  actions: ActionCount | undefined,
  own: readonly string[],
  ...fix: TextKey[]
): void {
  for (const counter of counters) {
    const moved = actions?.byName?.[counter] ?? 0;
    if (moved > 0 && !own.includes(counter)) findings.fail('right-kind.countedAs', { what, counter }, ...fix);
  }
}

const UNPAID = ['PENDING', 'CANCELLED', 'SANDBOX'];

/**
 * Gateways and queues may drop the query: the body shows the kind as well. And the document says that `newStatus` is
 * "typically PAID": only that value means that the sale is paid.
 */
async function sendMistakable(findings: Findings, session: Session): Promise<void> {
  const refund = { ...(await (await session.announcedSale()).refund(1)), query: '' };
  const all: Named[] = [[say('right-kind.withoutQuery'), refund]];
  for (const newStatus of UNPAID) {
    const { payment } = await session.sale();
    const payload = { ...payment.payload, newStatus };
    all.push([say('right-kind.newStatus', { newStatus }), { ...payment, payload }]);
  }
  await session.settlePayments();
  const { result, actions } = await session.watchAll(0, all);
  const { payment = 0, refund: refunds = 0 } = actions?.byName ?? {};
  if (payment > 0) {
    const values = { payment, list: UNPAID.join(', ') };
    findings.fail('right-kind.asPayment', values);
  } else if (session.actionsPer('refund') > 0 && result[0]?.reception === 'accepted' && refunds === 0) {
    findings.fail('right-kind.byQueryAlone');
  }
}
