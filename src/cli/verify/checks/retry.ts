import { say } from '../../language';
import type { CheckDefinition, Findings } from '../check';
import type { Session } from '../session';

/** A key that is recorded before work which fails makes the retry a duplicate. Runs late: it uses all recoveries. */
export const retry: CheckDefinition = {
  id: 'retry',
  title: 'Acts on the retry of a notification that it failed on',
  asks: 'What was answered with 500 or more, once more; with `--sandbox` also a payment with a wrong amount, and then the right one. What is then accepted must be acted on.',
  why: 'A payment that failed once, because the database was down, is answered "seen before" at each retry, and is never booked.',
  fix: 'Record the idempotency key together with the work, in one transaction, or give the claim back when the work fails (document section 6.1). `createWebhookHandler` records a key only after your callback is done.',
  needsEffects: true,
  async run(findings, session) {
    for (const { what, kind, actions } of session.recoveries) {
      const isActedOn = [...session.actionsOf.values()].some(
        (acted) => acted.kind === kind && acted.total > 0,
      );
      if ((kind === 'payment' || isActedOn) && actions === 0) {
        findings.fail(
          '{what} was answered with an error; its retry was answered with 200, but not acted on',
          { what },
        );
      }
    }
    if (session.hasRealSales && session.actionsPer('payment') > 0) await rightAfterWrong(findings, session);
    session.recordsFailures = findings.problems.length > 0;
  },
};

/** A listener that confirms payments refuses the wrong one. It must not take the right one for a duplicate. */
async function rightAfterWrong(findings: Findings, session: Session): Promise<void> {
  const { payment } = await session.sale();
  const wrong = { ...payment, payload: { ...payment.payload, amount: 0.01 } };
  const { result, actions } = await session.watch(session.actionsPer('payment'), async () => {
    const first = await session.sendOnce(say('a payment with the wrong amount 0.01'), wrong);
    await session.send(say('the right payment after it'), payment);
    return first;
  });
  if (actions?.total !== 0) return;
  findings.fail(
    result.reception === 'accepted'
      ? 'a payment with a wrong amount was answered with 200 and not acted on, and the right one after it was not acted on'
      : 'a payment with a wrong amount was refused, and the right one after it was not acted on',
  );
}
