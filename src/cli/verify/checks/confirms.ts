import type { SandboxNotification } from '../../../sandbox/model/records';
import { type CheckDefinition, type Findings, WITHOUT_EFFECTS } from '../check';
import type { Session } from '../session';

/** More than a client's retries use up. The rest is removed afterwards. */
const FAULTS = 50;

const CONFIRM =
  'Confirm with `confirmPayment` before you act: it compares situation, amount, currency and reference code with the ' +
  'transaction of the service. To look up the sale is not enough.';

/** Whether a listener that asks the service about a payment acts on the answer. */
export const confirms: CheckDefinition = {
  id: 'confirms',
  title: 'Acts only on payments that the service confirms, and refuses them while it cannot ask',
  asks:
    'With `--sandbox`: a payment while the transaction query answers 503. If the listener acts on it, it does not ask ' +
    'the service, and the check is reported as not checked. Otherwise it gets a payment with the amount 0.01, and one of ' +
    'a sale that nobody has paid, and must not act on either.',
  why: 'A payment that cannot be confirmed and is answered with 200 is lost. If the amount is not compared, goods are shipped for a cent.',
  fix:
    'Answer 500 or 503 when the service cannot be asked: the service sends the notification again (document section ' +
    '6.1). Let `confirmPayment` or `getTransaction` throw; do not catch the error to answer 200.',
  async run(findings, session) {
    if (!session.countsEffects) return findings.leaveOpen(WITHOUT_EFFECTS);
    if (!session.hasRealSales) return findings.leaveOpen('this check needs sales that exist: pass --sandbox');
    if (session.unit('payment') === 0) return findings.leaveOpen('no payment was acted on');
    if (!(await asksService(findings, session))) return;
    const { payment } = await session.sale();
    const payload = { ...payment.payload, amount: 0.01 };
    await expectNoAction(findings, session, 'a payment with the wrong amount 0.01', { ...payment, payload });
    await expectNoAction(
      findings,
      session,
      'a payment of a sale that nobody has paid',
      await session.unpaid(),
    );
  },
};

/** Whether the listener asks the service. If it does, it must not answer 200 while the service fails. */
async function asksService(findings: Findings, session: Session): Promise<boolean> {
  const { sandbox } = session.options;
  const { payment } = await session.sale();
  await session.settle();
  await sandbox?.call('POST', '/sandbox/faults', {
    operation: 'getTransaction',
    fault: { kind: 'status', status: 503, times: FAULTS },
  });
  try {
    const what = 'a payment while the transaction query answered 503';
    const { result, actions } = await session.watch(0, () => session.sendOnce(what, payment));
    if (actions !== undefined && actions.total > 0) {
      findings.leaveOpen('your listener does not confirm payments with the service before it acts');
      return false;
    }
    if (result.reception === 'accepted') findings.fail(`${what} was answered with 200, but not acted on`);
    return true;
  } finally {
    await sandbox?.call('DELETE', '/sandbox/faults', { operation: 'getTransaction' });
  }
}

async function expectNoAction(
  findings: Findings,
  session: Session,
  what: string,
  notification: SandboxNotification,
): Promise<void> {
  const { actions } = await session.watch(0, () => session.sendOnce(what, notification));
  if ((actions?.total ?? 0) > 0) findings.fail(`${what} was acted on`, CONFIRM);
}
