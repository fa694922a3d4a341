import { say } from '../../language';
import type { TextKey } from '../../texts';
import type { CheckDefinition } from '../check';
import { everyKind, type SentKind, watchEachKind } from '../documented-kinds';
import type { Session } from '../session';

/** Measures, with `--effects`, what the listener does about one notification of each kind; later checks build on it. */
export const kinds: CheckDefinition = {
  id: 'kinds',
  async run(findings, session) {
    const sent = await watchEachKind(session);
    if (sent.some(({ exchange }) => exchange.reception === 'refused')) await sendAfterPayments(session, sent);
    await measureAgain(session, sent);
    const routed = sent.filter(({ notification }) => notification.query !== '');
    const noQuery: TextKey[] = routed.every(({ exchange }) => exchange.httpStatus === 404)
      ? ['kinds.query']
      : [];
    for (const one of sent) {
      const { name, notification, exchange, actions } = one;
      const fixes = noQuery.length > 0 ? noQuery : await lacksType(session, one);
      if (!findings.expectAccepted(exchange, ...(notification.query === '' ? [] : fixes))) continue;
      session.acceptedKinds.add(name);
      if (name === 'payment') session.firstPayment = notification;
      if (actions !== undefined) session.actionsOf.set(name, { ...actions, kind: notification.kind });
    }
  },
};

/** A listener may refuse a refund until it has seen the payment. Sends the payment first, and keeps what is accepted. */
async function sendAfterPayments(session: Session, sent: SentKind[]): Promise<void> {
  session.needsPaymentFirst = true;
  let isBetter = false;
  for (const [name, notification] of await everyKind(session)) {
    const index = sent.findIndex((one) => one.name === name);
    if (sent[index]?.exchange.reception !== 'refused') continue;
    await session.settle();
    const { result: exchange, actions } = await session.watch(1, () =>
      session.send(say('kinds.afterPayment', { kind: say(name) }), notification),
    );
    if (exchange.reception !== 'accepted') continue;
    sent[index] = { name, notification, exchange, actions };
    isBetter = true;
  }
  session.needsPaymentFirst = isBetter;
}

/** What was done about a kind that failed at first shows with another notification. */
async function measureAgain(session: Session, sent: SentKind[]): Promise<void> {
  const names = session.recoveries.flatMap(({ what, actions }) => (actions === 0 ? [what] : []));
  if (names.length === 0 || !session.countsEffects) return;
  for (const [name, notification] of await everyKind(session)) {
    const one = sent.find((known) => known.name === name);
    if (one === undefined || !names.includes(say(name))) continue;
    const { result, actions } = await session.watch(1, () => session.sendOnce(say(name), notification));
    if (result.reception === 'accepted') sent[sent.indexOf(one)] = { ...one, actions };
  }
}

async function lacksType(session: Session, { name, notification, exchange }: SentKind): Promise<TextKey[]> {
  if (name !== 'failedPayout' || exchange.reception !== 'refused') return [];
  const query = `${notification.query}&type=payout`;
  const again = await session.sendOnce(say('kinds.failedPayoutByType'), { ...notification, query });
  return again.reception === 'accepted' ? ['kinds.failedPayout'] : [];
}
