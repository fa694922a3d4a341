import { say } from '../../language';
import type { Sale } from '../sales';
import type { Send } from '../send';
import type { Script, World } from '../world';
import { paymentStep } from './payments';

/** What looks like a payment, and is none. */
export async function* meanings({ sales }: World, { payment }: Sale): Script {
  const unpaid: Send[] = [];
  for (const newStatus of ['REVERSAL', 'PENDING', 'SANDBOX']) {
    const { payment } = await sales.sale();
    const notification = { ...payment, payload: { ...payment.payload, newStatus } };
    unpaid.push({ what: say('sent.status', { status: newStatus }), notification });
  }
  yield { id: 'statuses', sends: unpaid };
  const back = { ...payment, payload: { ...payment.payload, newStatus: 'PENDING' } };
  yield { id: 'lateSale', sends: [{ what: say('sent.lateSale'), notification: back }] };
  const known = { saleToken: crypto.randomUUID(), referenceCode: 'sandbox', amount: 59.7 };
  yield {
    id: 'unknownKinds',
    sends: [
      { what: say('sent.unknownFlag'), notification: sales.unrecognized({}, 'type=sandbox') },
      { what: say('sent.unknownToken'), notification: sales.unrecognized(known) },
      {
        what: say('sent.unknownPaid'),
        notification: sales.unrecognized({ ...known, saleToken: undefined, status: 'PAID' }),
      },
    ],
  };
  yield paymentStep('afterUnknown', (await sales.sale()).payment);
}
