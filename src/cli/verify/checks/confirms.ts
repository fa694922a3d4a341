import { say } from '../../language';
import type { CheckDefinition, Findings } from '../check';
import type { UnpaidSale } from '../sales';
import { describeExchange, type Named, type Session, type SessionOptions } from '../session';

/** More than a client's retries use up. The rest is removed afterwards. */
const FAULTS = 50;

/** Whether a listener that asks the service about a payment acts on the answer. */
export const confirms: CheckDefinition = {
  id: 'confirms',
  needsEffects: true,
  async run(findings, session) {
    if (!session.hasRealSales) return findings.leaveOpen('confirms.needsSales');
    if (session.actionsPer('payment') === 0) return findings.leaveOpen('confirms.nothingActedOn');
    await session.settle();
    if (!(await asksService(findings, session, session.options))) return;
    const { payment } = await session.sale();
    const wrong = { ...payment, payload: { ...payment.payload, amount: 0.01 } };
    const unpaid = await session.unpaid();
    const unconfirmed: Named[] = [
      [say('run.wrongAmount'), wrong],
      [say('confirms.unpaid'), unpaid.payment],
    ];
    const { result, actions } = await session.watch(0, () =>
      session.each(unconfirmed, (one) => session.sendOnce(...one)),
    );
    // With 200, it keeps the notification, and the same one is a duplicate.
    const isKept = result.at(-1)?.reception === 'accepted';
    if ((actions?.total ?? 0) > 0) {
      findings.fail('confirms.actedOn', {}, 'confirms.compare');
    } else if (!isKept) await paidSince(findings, session, unpaid);
  },
};

/** Now the sale is paid. A listener that keeps the answer of before refuses it, or does nothing, until it is too late. */
async function paidSince(findings: Findings, session: Session, { payment, pay }: UnpaidSale): Promise<void> {
  const { sandbox } = session.options;
  if (sandbox === undefined) return;
  await pay();
  const uuid = String(Object(payment.payload).saleToken);
  const calls = await sandbox.callsAbout(uuid);
  const what = say('confirms.paidSince');
  const { result, actions } = await session.watch(session.actionsPer('payment'), () =>
    session.sendOnce(what, payment),
  );
  if ((actions?.total ?? 0) > 0 || session.recordsFailures) return;
  const hasAsked = (await sandbox.callsAbout(uuid)) > calls;
  const sent = describeExchange(result);
  findings.fail('confirms.notActedOn', { sent }, ...(hasAsked ? [] : (['confirms.caches'] as const)));
}

/** Whether the listener asks the service before it answers. If so, it must not act while the service fails. */
async function asksService(
  findings: Findings,
  session: Session,
  { sandbox, effects }: SessionOptions,
): Promise<boolean> {
  if (sandbox === undefined || effects === undefined) return false;
  const { payment } = await session.sale();
  const uuid = String(Object(payment.payload).saleToken);
  const what = say('confirms.unasked');
  const fault = { kind: 'status', status: 503, times: FAULTS };
  await sandbox.call('POST', '/sandbox/faults', { operation: 'getTransaction', fault });
  const calls = await sandbox.callsAbout(uuid);
  const count = await effects.count();
  let asksFirst = false;
  const { result, actions } = await session
    .watch(0, async () => {
      const sent = await session.sendOnce(what, payment);
      asksFirst = (await sandbox.faults()).every(({ left }) => left !== FAULTS);
      return sent;
    })
    .finally(() => sandbox.call('DELETE', '/sandbox/faults', { operation: 'getTransaction' }));
  const isActedOn = (actions?.total ?? 0) > 0;
  if (isActedOn && (await sandbox.callsAbout(uuid)) === calls) {
    findings.leaveOpen('confirms.doesNotAsk');
    return false;
  }
  if (isActedOn && !asksFirst) {
    findings.leaveOpen('confirms.asksLater');
    return false;
  }
  if (isActedOn) findings.fail('confirms.actedUnasked', { what });
  else if (result.reception === 'accepted') {
    // A worker that keeps it comes back to it, now that the service answers.
    const later = await effects.since(count, session.actionsPer('payment'));
    if (later.total === 0) findings.fail('run.notActedOn', { what });
  }
  return true;
}
