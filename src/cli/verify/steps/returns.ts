import type { SandboxNotification } from '../../../sandbox/model/records';
import { bookingOf } from '../judge';
import type { Sale } from '../sales';
import { books, type Outcome } from '../step';
import type { Script, World } from '../world';

/** What came back, for the steps that send it again. */
export interface Returned {
  readonly refund: SandboxNotification;
  readonly reversal: SandboxNotification;
  readonly payout: SandboxNotification;
}

/** Refunds in parts, reversals and payouts: what shares an identity, and is no duplicate. */
export async function* returns({ sales }: World, paid: readonly Sale[]): Script<Returned> {
  const [refunded, whole, stopped, lost] = (await Promise.all(
    [0, 1, 2, 3].map(async (index) => paid[index] ?? (await sales.sale())),
  )) as [Sale, Sale, Sale, Sale];

  const refund = await refunded.refund(5);
  yield books('refund', { what: 'a partial refund', notification: refund });
  const { payload, ...other } = await refunded.refund(5);
  const { amountRefunded: _, ...without } = Object(payload);
  yield books('secondRefund', {
    what: 'a second partial refund',
    notification: { ...other, payload: without },
  });
  const third = { ...(await refunded.refund(3)), query: '' };
  yield books('refundNoQuery', { what: 'a refund without its query', notification: third });

  const sale = await sales.sale();
  const early = { what: 'a refund that comes before its payment', notification: await sale.refund(2) };
  const refundOf = { ...bookingOf(early.notification), orBefore: true };
  const paymentOf = { ...bookingOf(sale.payment), orBefore: true };
  const begun = yield { id: 'refundFirst', sends: [{ ...early, accept: 'may' }], may: [refundOf] };
  const came = yield {
    id: 'refundOvertakes',
    sends: [{ what: 'its payment', notification: sale.payment, accept: 'may' }],
    may: [paymentOf, refundOf],
    isProbe: true,
  };
  // The payment may be refused because money went back. The refund must not be lost all the same.
  const isPaid = isAccepted(came);
  yield {
    id: 'refundOvertakes',
    sends: isAccepted(begun) ? [] : [{ ...early, what: 'the refund again, after its payment' }],
    must: isPaid ? [paymentOf, refundOf] : [refundOf],
    ...(isPaid ? {} : { warning: REFUSED }),
  };

  const part = Math.ceil(lost.amount * 40) / 100;
  const alone = await lost.reversal('PAID', part);
  yield books('reversal', { what: 'a reversal PAID', notification: alone.ended });
  const second = await lost.reversal('PAID', part);
  yield books('secondReversal', { what: 'another reversal PAID of that sale', notification: second.ended });
  const both = await whole.reversal('PAID');
  yield {
    id: 'reversalBegins',
    sends: [{ what: 'a reversal PENDING', notification: both.pending }],
    may: [bookingOf(both.pending)],
  };
  yield {
    id: 'reversalEnds',
    sends: [{ what: 'a reversal PAID', notification: both.ended }],
    must: [{ ...bookingOf(both.ended), orBefore: true }],
  };
  yield {
    id: 'latePending',
    sends: [{ what: 'the PENDING of a reversal that is PAID', notification: alone.pending }],
  };
  const over = await stopped.reversal('CANCELLED');
  yield {
    id: 'reversalCancelled',
    sends: [
      { what: 'a reversal PENDING', notification: over.pending },
      { what: 'the same reversal CANCELLED', notification: over.ended },
    ],
    none: [bookingOf(over.ended)],
  };

  const payout = sales.payout(true);
  yield books('payout', { what: 'a payout', notification: payout });
  const failing = sales.newPayout();
  yield {
    id: 'failedPayout',
    sends: [{ what: 'a payout that failed', notification: sales.payout(false, failing) }],
  };
  yield books('payoutAfterFailed', {
    what: 'the same payout, PAID',
    notification: sales.payout(true, failing),
  });
  return { refund, reversal: alone.ended, payout };
}

/** It asks the service, which says that money of this sale has gone back. */
const REFUSED =
  'a payment that comes after its refund is refused. If your listener asks the service, let it accept what is refunded (`acceptRefunded` of `confirmPayment`): the rest of it was paid.';

function isAccepted({ exchanges }: Outcome): boolean {
  return exchanges[0]?.reception === 'accepted';
}
