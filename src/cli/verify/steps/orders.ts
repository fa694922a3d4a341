import { say } from '../../language';
import { bookingOf } from '../judge';
import type { Sale } from '../sales';
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
  const sends = [{ what: say('sent.secondPayment'), notification: second.payment }];
  return (yield { id: 'secondPayment', sends, may }).holds;
}

/** What a listener remembers when its process ends. */
export async function* afterRestart({ sales, restart, readRows }: World, first: Sale): Script {
  if (restart === undefined) return;
  await restart();
  // Rows in the memory of the process are gone, which is no fault of a listener under test.
  await readRows();
  yield { id: 'restart', sends: [{ what: say('sent.afterRestart'), notification: first.payment }] };
  yield paymentStep('newAfterRestart', (await sales.sale()).payment);
}
