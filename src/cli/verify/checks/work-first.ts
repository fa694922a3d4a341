import { say } from '../../language';
import type { CheckDefinition } from '../check';
import { type ActionCount, difference, INBOX } from '../effects';

const PAYMENTS = 3;

/** The service never sends a notification again that was answered with 200. */
export const workFirst: CheckDefinition = {
  id: 'work-first',
  async run(findings, session) {
    const { effects } = session.options;
    const unit = session.actionsPer('payment');
    if (effects === undefined) return findings.leaveOpen('run.withoutEffects');
    // `acts` reports a listener that never acts.
    if (unit === 0) return;
    await session.settle();
    let late = 0;
    let sent = 0;
    // Two that were not late leave no room for more than one.
    while (sent < PAYMENTS && sent - late < 2) {
      sent += 1;
      const { payment } = await session.sale();
      const before = await effects.count();
      const { reception } = await session.send(say('run.aPayment'), payment);
      const then = difference(await effects.count(), before);
      const last = await effects.since(before, unit);
      if (reception === 'accepted' && writtenDown(last) > writtenDown(then)) late += 1;
    }
    // Once may be chance: the count is read over another connection.
    if (late > 1)
      findings.fail('work-first.late', {
        late,
        sent,
      });
  },
};

/** A worker may act later on what is in the inbox. */
function writtenDown({ total, byName }: ActionCount): number {
  return byName?.[INBOX] ?? total;
}
