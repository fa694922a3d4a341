import { bookingOf } from '../judge';
import type { Sale } from '../sales';
import { books } from '../step';
import type { Script, World } from '../world';
import { paymentStep } from './payments';

/**
 * An order that is paid once more, through another QR code. What a shop makes of that money is its own matter; it must
 * take the notification, and leave the first payment as it is.
 *
 * @returns whether no row shows what became of it
 */
export async function* secondPayment({ sales }: World, { referenceCode, amount }: Sale): Script<boolean> {
  const second = await sales.sale({ referenceCode, amount });
  const may = [{ ...bookingOf(second.payment), subjects: [second.uuid, referenceCode] }];
  const sends = [
    { what: 'a payment of an order that was paid before, by another sale', notification: second.payment },
  ];
  return (yield { id: 'secondPayment', sends, may }).holds;
}

/** The charge of the next month, which the document does not tell from any other payment. */
export async function* laterCharge(order: Sale): Script {
  const { payment } = await order.charge();
  yield books('laterCharge', {
    what: 'a later charge of an order that was paid before',
    notification: payment,
  });
}

/** What a listener remembers when its process ends. */
export async function* afterRestart({ sales, restart, readRows }: World, first: Sale): Script {
  if (restart === undefined) return;
  await restart();
  // Rows in the memory of the process are gone, which is no fault of a listener under test.
  await readRows();
  yield {
    id: 'restart',
    sends: [{ what: 'the first payment, after the restart', notification: first.payment }],
  };
  yield paymentStep('newAfterRestart', (await sales.sale()).payment);
}
