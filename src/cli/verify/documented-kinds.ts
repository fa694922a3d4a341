import type { SandboxNotification } from '../../sandbox/model/records';
import type { Session } from './session';

/** A notification with the name that the report gives it. */
export type Named = readonly [name: string, notification: SandboxNotification];

/** One of everything that sections 6.2 to 6.5 show, each of a sale of its own. */
export async function everyKind(session: Session): Promise<Named[]> {
  const sale = () => session.announcedSale();
  const returned = await (await sale()).reversal('PAID');
  const kept = await (await sale()).reversal('CANCELLED');
  return [
    ['payment', (await session.sale()).payment],
    ['sale REVERSAL', (await (await sale()).reversal('PAID')).sale],
    ['reversal PENDING', returned.pending],
    ['reversal PAID', returned.ended],
    ['reversal CANCELLED', kept.ended],
    ['refund', await (await sale()).refund(1)],
    ['payout', session.samples.payout()],
    ['failed payout', session.samples.payout('PE0001')],
  ];
}
