import { type Sentence, say } from '../../language';
import { type CheckDefinition, type Findings, WITHOUT_EFFECTS } from '../check';
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
  async run(findings, session) {
    if (!session.countsEffects) return findings.leaveOpen(say(WITHOUT_EFFECTS));
    const payment = session.actionsOf.get('payment');
    if (payment === undefined) return findings.leaveOpen(say('no payment was accepted'));
    if (payment.byName === undefined || !('payment' in payment.byName)) {
      return findings.leaveOpen(
        say(
          'one number for everything does not tell kinds apart: let --effects answer an object such as {"payment": 7, "refund": 5}',
        ),
      );
    }
    for (const [name, acted] of session.actionsOf) {
      if (name === 'payment') continue;
      const own = OF_A_REVERSAL.includes(acted.kind) ? OF_A_REVERSAL : [counterOf(name, acted)];
      expectOwnCounters(findings, say('a {kind}', { kind: say(name) }), acted, own);
    }
    await sendWithoutQuery(findings, session);
    await sendUnpaid(findings, session);
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
      findings.fail(say('{what} was counted as `{counter}`', { what, counter }), ...fix);
  }
}

/** Gateways and queues may drop the query. The body shows the kind as well. */
async function sendWithoutQuery(findings: Findings, session: Session): Promise<void> {
  const unit = session.actionsPer('refund');
  const what = say('a refund without its query');
  const refund = { ...(await (await session.announcedSale()).refund(1)), query: '' };
  await session.settlePayments();
  const { result, actions } = await session.watch(unit, () => session.send(what, refund));
  expectOwnCounters(findings, what, actions, ['refund']);
  if (unit > 0 && result.reception === 'accepted' && actions?.total === 0) {
    findings.fail(
      say(
        'a refund without its query was accepted, but not acted on: the listener takes the kind from the query alone',
      ),
    );
  }
}

const UNPAID = ['PENDING', 'CANCELLED', 'SANDBOX'];

/** The document says that `newStatus` is "typically PAID". Only that value means that the sale is paid. */
async function sendUnpaid(findings: Findings, session: Session): Promise<void> {
  const sales: Named[] = [];
  for (const newStatus of UNPAID) {
    const { payment } = await session.sale();
    const payload = { ...payment.payload, newStatus };
    sales.push([say('a sale with the newStatus {newStatus}', { newStatus }), { ...payment, payload }]);
  }
  const { actions } = await session.watch(0, () => session.sendAll(sales));
  const { payment: moved = 0 } = actions?.byName ?? {};
  if (moved > 0) {
    const values = { moved, all: UNPAID.length, list: UNPAID.join(', ') };
    findings.fail(say('{moved} of {all} sales with `newStatus` {list} were counted as `payment`', values));
  }
}
