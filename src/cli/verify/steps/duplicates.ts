import type { SandboxNotification } from '../../../sandbox/model/records';
import { isObject } from '../../../shared/objects';
import { say } from '../../language';
import { bookingOf } from '../judge';
import type { Sale } from '../sales';
import { books, type Outcome, type Step } from '../step';
import type { Script, World } from '../world';
import { paymentStep } from './payments';
import type { Returned } from './returns';

/** Section 6.1, item 5: what comes again must be answered with 200, and not booked. */
export async function* duplicates(
  world: World,
  first: Sale,
  paid: readonly Sale[],
  { refund, reversal, payout }: Returned,
): Script {
  const last = paid.at(-1) ?? first;
  const send = (notification: SandboxNotification, key: 'sent.again' | 'sent.reordered' = 'sent.again') => ({
    what: `${say(`kind.${bookingOf(notification).kind}`)}: ${say(key)}`,
    notification,
  });
  const all = [first.payment, last.payment, refund, reversal, payout];
  const again = yield { id: 'allAgain', sends: all.map((one) => send(one)) };
  const kinds = again.rows.map(({ kind }) => kind);
  // The first payment was a duplicate before, and was known.
  if (again.only('again', 'unexpected'))
    again.blame(kinds.includes('payment') ? 'forgets' : 'noKeyOfKind', {
      kinds: [...new Set(kinds)].join(', '),
    });
  // Payments were accepted before; another kind may be refused for itself.
  if (again.only('refused') && again.exchanges[0]?.reception === 'refused') again.blame('refusesDuplicates');

  const reordered = [last.payment, refund].map((one) => ({ ...one, payload: Object(reversed(one.payload)) }));
  const other = yield { id: 'reordered', sends: reordered.map((one) => send(one, 'sent.reordered')) };
  if (again.types.length === 0 && other.only('again', 'unexpected')) other.blame('hashesBody');

  yield* together(world, paid, again.types.length === 0);
}

/** Shoppers do not wait for each other, and a retry may meet the first attempt. */
async function* together({ sales }: World, paid: readonly Sale[], hasKeys: boolean): Script {
  const sale = await sales.sale();
  const of = paid.at(-1) ?? sale;
  const refund = await of.refund(1);
  const copies: [Step['id'], SandboxNotification, number][] = [
    ['fiveAtOnce', sale.payment, 5],
    ['refundAtOnce', refund, 3],
    ['payoutAtOnce', sales.payout(true), 3],
  ];
  for (const [id, notification, times] of copies) {
    const one = { what: say(`kind.${bookingOf(notification).kind}`), notification };
    const step = { ...books(id, one), sends: Array.from({ length: times }, () => one), atOnce: true };
    const outcome: Outcome = yield step;
    if (hasKeys && outcome.only('doubled')) outcome.blame('noClaim');
  }
  const three = [await sales.sale(), await sales.sale(), await sales.sale()];
  const many = yield { ...paymentStep('threeAtOnce', ...three.map(({ payment }) => payment)), atOnce: true };
  if (many.only('missing') && many.exchanges.every(({ reception }) => reception === 'accepted'))
    many.blame('losesAtOnce');
}

function reversed(value: unknown): unknown {
  if (!isObject(value)) return value;
  const entries = Object.entries(value).reverse();
  return Object.fromEntries(entries.map(([name, inner]) => [name, reversed(inner)]));
}
