import { type CheckDefinition, expectAccepted } from '../check';
import { everyKind } from '../documented-kinds';
import type { Exchange } from '../exchange';
import type { Session } from '../session';

export const kinds: CheckDefinition = {
  id: 'kinds',
  title: 'Accepts every kind of notification',
  asks: 'One notification of each kind and status that the document shows, failed payouts included. What is refused is sent again after the payment of its sale.',
  why: 'A refused notification comes five more times and is then lost. A process that crashes loses the next payments, too.',
  fix:
    'Answer 200 to every kind, even to those that you do nothing about. A payout that failed has no receipt and another ' +
    '`status`; a sale may have a `newStatus` other than `PAID` (document section 6).',
  async run(findings, session) {
    const exchanges = await sendEveryKind(session);
    const isRefused = [...exchanges.values()].some(({ reception }) => reception === 'refused');
    if (isRefused) await sendAfterPayments(session, exchanges);
    for (const [name, exchange] of exchanges) {
      if (expectAccepted(findings, exchange)) session.acceptedKinds.add(name);
    }
  },
};

async function sendEveryKind(session: Session): Promise<Map<string, Exchange>> {
  const exchanges = new Map<string, Exchange>();
  for (const [name, notification] of await everyKind(session)) {
    exchanges.set(name, await session.send(name, notification));
  }
  return exchanges;
}

/** A listener may refuse a refund until it has seen the payment. Sends the payment first, and keeps what is accepted. */
async function sendAfterPayments(session: Session, exchanges: Map<string, Exchange>): Promise<void> {
  session.needsPaymentFirst = true;
  let isBetter = false;
  for (const [name, notification] of await everyKind(session)) {
    if (exchanges.get(name)?.reception !== 'refused') continue;
    const exchange = await session.send(`${name} after its payment`, notification);
    if (exchange.reception !== 'accepted') continue;
    exchanges.set(name, exchange);
    isBetter = true;
  }
  session.needsPaymentFirst = isBetter;
}
