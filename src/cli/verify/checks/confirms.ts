import type { SandboxNotification } from '../../../sandbox/model/records';
import { type CheckDefinition, type Findings, WITHOUT_EFFECTS } from '../check';
import type { Session } from '../session';

/** More than a client retries. What is left is taken back. */
const FAULTS = 50;

const CONFIRM =
  'Confirm with `confirmPayment` before you act: it compares situation, amount, currency and reference code with the ' +
  'transaction of the service, and a listener that only looks the sale up compares nothing.';

/** What a listener that asks the service about a payment does about the answer. */
export const confirms: CheckDefinition = {
  id: 'confirms',
  title: 'Acts only on payments that the service confirms, and fails while it cannot ask',
  asks:
    'With `--sandbox`: a payment while the transaction query answers 503. A listener that does not act on it asks the ' +
    'service; it is then sent a payment with the amount 0.01, and one of a sale that nobody has paid. One that does not ' +
    'is reported as not checked.',
  why: 'A payment that could not be confirmed for a moment and was answered with 200 is lost; one with a wrong amount ships goods for a cent.',
  fix:
    'Answer 500 or 503 when the service cannot be asked: the service sends the notification again (document section ' +
    '6.1). Let the error of `confirmPayment` or `getTransaction` go through; do not catch it and answer 200.',
  async run(findings, session) {
    if (!session.countsEffects) return findings.leaveOpen(WITHOUT_EFFECTS);
    if (!session.hasRealSales) return findings.leaveOpen('it needs sales that exist: pass --sandbox');
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

/** Whether the listener asks, and what it does while there is no answer. */
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
    if (result.reception === 'accepted') findings.fail(`${what} was answered with 200, and not acted on`);
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
