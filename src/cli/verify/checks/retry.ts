import { say } from '../../language';
import type { CheckDefinition, Findings } from '../check';
import type { Session } from '../session';

/** A key that is recorded before work which fails makes the retry a duplicate. Runs late: it uses all recoveries. */
export const retry: CheckDefinition = {
  id: 'retry',
  needsEffects: true,
  async run(findings, session) {
    for (const { what, kind, actions } of session.recoveries) {
      const isActedOn = [...session.actionsOf.values()].some(
        (acted) => acted.kind === kind && acted.total > 0,
      );
      if ((kind === 'payment' || isActedOn) && actions === 0) {
        findings.fail('retry.notActedOn', { what });
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
    const first = await session.sendOnce(say('run.wrongAmount'), wrong);
    await session.send(say('retry.right'), payment);
    return first;
  });
  if (actions?.total !== 0) return;
  findings.fail(result.reception === 'accepted' ? 'retry.acceptedWrong' : 'retry.refusedWrong');
}
