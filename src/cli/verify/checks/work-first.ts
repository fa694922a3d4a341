import { say } from '../../language';
import { type CheckDefinition, WITHOUT_EFFECTS } from '../check';
import { type ActionCount, difference, INBOX } from '../effects';

const PAYMENTS = 3;

/** The service never sends a notification again that was answered with 200. */
export const workFirst: CheckDefinition = {
  id: 'work-first',
  title: 'Has done the work, or written it down, when it answers 200',
  asks: 'Three payments, and the count of `--effects` right after the 200 of each; with `inbox` in it, that count alone.',
  why: 'If the process ends between the 200 and the work, the payment is lost: the service does not send it again.',
  fix: 'Answer 200 only after the work, or after a durable write of it (a row, a job in a queue), and let --effects count that write: as `inbox` if a worker acts on it later. Await what you start, and start nothing after the response: no `setImmediate`, no promise without `await` (document section 6.1).',
  async run(findings, session) {
    const { effects } = session.options;
    const unit = session.actionsPer('payment');
    if (effects === undefined) return findings.leaveOpen(WITHOUT_EFFECTS);
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
      const { reception } = await session.send(say('a payment'), payment);
      const then = difference(await effects.count(), before);
      const last = await effects.since(before, unit);
      if (reception === 'accepted' && writtenDown(last) > writtenDown(then)) late += 1;
    }
    // Once may be chance: the count is read over another connection.
    if (late > 1)
      findings.fail('{late} of {sent} payments were answered with 200 before anything was counted', {
        late,
        sent,
      });
  },
};

/** A worker may act later on what is in the inbox. */
function writtenDown({ total, byName }: ActionCount): number {
  return byName?.[INBOX] ?? total;
}
