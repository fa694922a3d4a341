import type { SandboxNotification } from '../../../sandbox/model/records';
import { say } from '../../language';
import { bookingOf } from '../judge';
import { newIdentity, type Sale } from '../sales';
import { books } from '../step';
import type { Script, World } from '../world';

/** What came back, for the steps that send it again. */
export interface Returned {
  readonly refund: SandboxNotification;
  readonly reversal: SandboxNotification;
  readonly payout: SandboxNotification;
}

/** Refunds in parts, reversals and payouts: what shares an identity, and is no duplicate. */
export async function* returns({ sales }: World, paid: readonly Sale[]): Script<Returned> {
  const [refunded, lost, whole, stopped] = (await Promise.all(
    [0, 1, 2, 3].map(async (index) => paid[index] ?? (await sales.sale())),
  )) as [Sale, Sale, Sale, Sale];

  const refund = await refunded.refund(5);
  yield books('refund', { what: say('sent.refund'), notification: refund });
  const { payload, ...second } = await refunded.refund(5);
  const { amountRefunded: _, ...without } = Object(payload);
  yield books('secondRefund', {
    what: say('sent.secondRefund'),
    notification: { ...second, payload: without },
  });
  const third = { ...(await refunded.refund(3)), query: '' };
  yield books('refundNoQuery', { what: say('sent.refundNoQuery'), notification: third });

  const alone = await lost.reversal('PAID');
  yield books('reversal', { what: say('sent.reversal'), notification: alone.ended });
  const both = await whole.reversal('PAID');
  yield {
    id: 'reversalBegins',
    sends: [{ what: say('sent.pending'), notification: both.pending }],
    may: [bookingOf(both.pending)],
  };
  yield {
    id: 'reversalEnds',
    sends: [{ what: say('sent.reversal'), notification: both.ended }],
    must: [{ ...bookingOf(both.ended), orBefore: true }],
  };
  yield {
    id: 'latePending',
    sends: [{ what: say('sent.latePending'), notification: alone.pending }],
    may: [bookingOf(alone.pending)],
  };
  const { ended } = await stopped.reversal('CANCELLED');
  yield {
    id: 'reversalCancelled',
    sends: [{ what: say('sent.cancelled'), notification: ended }],
    may: [bookingOf(ended)],
  };

  const payout = sales.payout(true);
  yield books('payout', { what: say('sent.payout'), notification: payout });
  const identity = newIdentity();
  yield {
    id: 'failedPayout',
    sends: [{ what: say('sent.failedPayout'), notification: sales.payout(false, identity) }],
  };
  yield books('payoutAfterFailed', {
    what: say('sent.payoutAfterFailed'),
    notification: sales.payout(true, identity),
  });
  return { refund, reversal: alone.ended, payout };
}
