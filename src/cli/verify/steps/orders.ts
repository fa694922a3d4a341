import type { SandboxNotification } from '../../../sandbox/model/records';
import { bookingOf } from '../judge';
import type { Sale } from '../sales';
import type { Send } from '../send';
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

/**
 * The life of an order's recurrence, as the service's public pages show it. Its document shows no such notification, so a
 * listener that books nothing for them is not wrong; but where they are sent, it loses each charge.
 */
export async function* recurrence(order: Sale): Script {
  const send = (notification: SandboxNotification): Send => ({
    what: `an event ${Object(notification.payload).eventType}`,
    notification,
  });
  const charge = await order.charge();
  const authorized = send(order.event('RECURRENCE_AUTHORIZED'));
  const paid = send(order.event('RECURRENCE_CHARGE_PAID', charge));
  const failed = send(order.event('RECURRENCE_CHARGE_FAILED', { ...charge, uuid: crypto.randomUUID() }));
  const booking = bookingOf(charge.payment);

  yield { id: 'authorized', sends: [authorized] };
  yield { id: 'chargePaid', sends: [paid], must: [booking], unbooked: UNBOOKED };
  yield {
    id: 'chargeAsPayment',
    sends: [{ what: 'a payment of the same charge', notification: charge.payment }],
    must: [{ ...booking, orBefore: true }],
  };
  yield { id: 'chargeFailed', sends: [failed] };
  yield { id: 'eventsAgain', sends: [authorized, paid, failed] };
}

const UNBOOKED =
  'no row came for a charge that is told by an event. The document shows no such event and the public pages of the service do: if it sends them to you, the money of each month is lost';

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
