import type { SandboxNotification } from '../../../sandbox/model/records';
import { isObject } from '../../../shared/objects';
import { bookingOf } from '../judge';
import type { Sale } from '../sales';
import { books, type Step } from '../step';
import type { Script, World } from '../world';
import { paymentStep } from './payments';
import type { Returned } from './returns';

/** Section 6.1, item 5: what comes again must be answered with 200, and not booked. */
export async function* duplicates(
  { sales }: World,
  first: Sale,
  paid: readonly Sale[],
  returned: Returned,
): Script {
  const last = paid.at(-1) ?? first;
  const named = (notification: SandboxNotification) => bookingOf(notification).kind;
  const send = (notification: SandboxNotification, how: string) => ({
    what: `${named(notification)}: ${how}`,
    notification,
  });
  const all = [first.payment, last.payment, returned.refund, returned.reversal, returned.payout];
  yield { id: 'allAgain', sends: all.map((one) => send(one, 'once more')) };
  const reordered = [last.payment, returned.refund].map((one) => ({
    ...one,
    payload: Object(reversed(one.payload)),
  }));
  yield {
    id: 'reordered',
    sends: reordered.map((one) => send(one, 'once more, with its fields in another order')),
  };

  // Shoppers do not wait for each other, and a retry may meet the first attempt.
  const copies: [Step['id'], SandboxNotification, number][] = [
    ['fiveAtOnce', (await sales.sale()).payment, 5],
    ['refundAtOnce', await last.refund(1), 3],
    ['payoutAtOnce', sales.payout(true), 3],
  ];
  for (const [id, notification, times] of copies) {
    const one = { what: named(notification), notification };
    yield { ...books(id, one), sends: Array.from({ length: times }, () => one), atOnce: true };
  }
  const three = [await sales.sale(), await sales.sale(), await sales.sale()];
  yield { ...paymentStep('threeAtOnce', ...three.map(({ payment }) => payment)), atOnce: true };
}

function reversed(value: unknown): unknown {
  if (!isObject(value)) return value;
  const entries = Object.entries(value).reverse();
  return Object.fromEntries(entries.map(([name, inner]) => [name, reversed(inner)]));
}
