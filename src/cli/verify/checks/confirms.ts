import { type Sentence, say } from '../../language';
import type { CheckDefinition, Findings } from '../check';
import type { UnpaidSale } from '../sales';
import { describeExchange, type Named, type Session, type SessionOptions } from '../session';

/** More than a client's retries use up. The rest is removed afterwards. */
const FAULTS = 50;

const CONFIRM =
  'Confirm with `confirmPayment` before you act: it compares situation, amount, currency and reference code with the transaction of the service. To look up the sale is not enough.' satisfies Sentence;

/** Whether a listener that asks the service about a payment acts on the answer. */
export const confirms: CheckDefinition = {
  id: 'confirms',
  title: 'Acts only on payments that the service confirms, and refuses them while it cannot ask',
  asks: 'With `--sandbox`: a payment while the transaction query answers 503, one with the amount 0.01, and one of a sale that nobody has paid, and the same once it is paid. The calls of the sandbox show whether the listener asks at all.',
  why: 'A payment that cannot be confirmed and is answered with 200 is lost. If the amount is not compared, goods are shipped for a cent.',
  fix: 'Answer 500 or 503 when the service cannot be asked: the service sends the notification again (document section 6.1). Let `confirmPayment` or `getTransaction` throw; do not catch the error to answer 200.',
  needsEffects: true,
  async run(findings, session) {
    if (!session.hasRealSales) return findings.leaveOpen('this check needs sales that exist: pass --sandbox');
    if (session.actionsPer('payment') === 0) return findings.leaveOpen('no payment was acted on');
    await session.settle();
    if (!(await asksService(findings, session, session.options))) return;
    const { payment } = await session.sale();
    const wrong = { ...payment, payload: { ...payment.payload, amount: 0.01 } };
    const unpaid = await session.unpaid();
    const unconfirmed: Named[] = [
      [say('a payment with the wrong amount 0.01'), wrong],
      [say('a payment of a sale that nobody has paid'), unpaid.payment],
    ];
    const { result, actions } = await session.watch(0, () =>
      session.each(unconfirmed, (one) => session.sendOnce(...one)),
    );
    // With 200, it keeps the notification, and the same one is a duplicate.
    const isKept = result.at(-1)?.reception === 'accepted';
    if ((actions?.total ?? 0) > 0) {
      findings.fail(
        'a payment with the wrong amount 0.01, or one of a sale that nobody has paid, was acted on',
        {},
        CONFIRM,
      );
    } else if (!isKept) await paidSince(findings, session, unpaid);
  },
};

const CACHES: Sentence =
  'Ask the service about each notification, and cache no answer: a sale that was pending a moment ago is paid now. In Next.js pass `cache: "no-store"`, as `PaymentsClient` does.';

/** Now the sale is paid. A listener that keeps the answer of before refuses it, or does nothing, until it is too late. */
async function paidSince(findings: Findings, session: Session, { payment, pay }: UnpaidSale): Promise<void> {
  const { sandbox } = session.options;
  if (sandbox === undefined) return;
  await pay();
  const uuid = String(Object(payment.payload).saleToken);
  const calls = await sandbox.callsAbout(uuid);
  const what = say('the same payment, once its sale was paid');
  const { result, actions } = await session.watch(session.actionsPer('payment'), () =>
    session.sendOnce(what, payment),
  );
  if ((actions?.total ?? 0) > 0 || session.recordsFailures) return;
  const hasAsked = (await sandbox.callsAbout(uuid)) > calls;
  const sent = describeExchange(result);
  findings.fail('{sent}, and it was not acted on', { sent }, ...(hasAsked ? [] : [CACHES]));
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
  const what = say('a payment while the transaction query answered 503');
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
    findings.leaveOpen('your listener does not confirm payments with the service before it acts');
    return false;
  }
  if (isActedOn && !asksFirst) {
    findings.leaveOpen(
      'your listener asks the service only after its 200, as the worker of an inbox does: count what the worker has done as `payment`, and what is written down before it as `inbox`',
    );
    return false;
  }
  if (isActedOn)
    findings.fail('{what}: your listener asked, got no answer, and acted all the same', { what });
  else if (result.reception === 'accepted') {
    // A worker that keeps it comes back to it, now that the service answers.
    const later = await effects.since(count, session.actionsPer('payment'));
    if (later.total === 0) findings.fail('{what} was accepted, but not acted on', { what });
  }
  return true;
}
