import { type Sentence, say } from '../../language';
import type { CheckDefinition, Findings } from '../check';
import { counterOf } from '../documented-kinds';
import { type ActionCount, counters } from '../effects';
import type { Named, Session } from '../session';

/** A notification of one kind must not have the effects of another. */
export const rightKind: CheckDefinition = {
  id: 'right-kind',
  title: 'Tells the kinds of notifications apart',
  asks: 'Whether one kind moves the counter of another: a `newStatus` that is not `PAID`, failed payouts, and a refund without its query, which gateways may drop.',
  why: 'An order that is marked paid by a reversal or a refund is shipped while its money goes back.',
  fix: 'Mark an order paid only when the query has no flag of another kind and `newStatus` is `PAID`; a `saleToken` alone proves nothing, because refunds and sales with `REVERSAL` have one too (document sections 6.2 to 6.5). Look at the query and at the body, as `parseNotification` does.',
  needsEffects: true,
  async run(findings, session) {
    const payment = session.actionsOf.get('payment');
    if (payment === undefined) return findings.leaveOpen('no payment was accepted');
    if (payment.byName === undefined || !('payment' in payment.byName)) {
      return findings.leaveOpen(
        'one number for everything does not tell kinds apart: let --effects answer an object such as {"payment": 7, "refund": 5}',
      );
    }
    for (const [name, acted] of session.actionsOf) {
      if (name === 'payment') continue;
      const own = OF_A_REVERSAL.includes(acted.kind) ? OF_A_REVERSAL : [counterOf(name, acted)];
      expectOwnCounters(findings, say('a {kind}', { kind: say(name) }), acted, own);
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
  ...fix: Sentence[]
): void {
  for (const counter of counters) {
    const moved = actions?.byName?.[counter] ?? 0;
    if (moved > 0 && !own.includes(counter))
      findings.fail('{what} was counted as `{counter}`', { what, counter }, ...fix);
  }
}

const UNPAID = ['PENDING', 'CANCELLED', 'SANDBOX'];

/**
 * Gateways and queues may drop the query: the body shows the kind as well. And the document says that `newStatus` is
 * "typically PAID": only that value means that the sale is paid.
 */
async function sendMistakable(findings: Findings, session: Session): Promise<void> {
  const refund = { ...(await (await session.announcedSale()).refund(1)), query: '' };
  const all: Named[] = [[say('a refund without its query'), refund]];
  for (const newStatus of UNPAID) {
    const { payment } = await session.sale();
    const payload = { ...payment.payload, newStatus };
    all.push([say('a sale with the newStatus {newStatus}', { newStatus }), { ...payment, payload }]);
  }
  await session.settlePayments();
  const { result, actions } = await session.watchAll(0, all);
  const { payment = 0, refund: refunds = 0 } = actions?.byName ?? {};
  if (payment > 0) {
    const values = { payment, list: UNPAID.join(', ') };
    findings.fail(
      '{payment} of these were counted as `payment`: a refund without its query, and sales with the `newStatus` {list}',
      values,
    );
  } else if (session.actionsPer('refund') > 0 && result[0]?.reception === 'accepted' && refunds === 0) {
    findings.fail(
      'a refund without its query was accepted, but not counted as `refund`: the listener takes the kind from the query alone',
    );
  }
}
