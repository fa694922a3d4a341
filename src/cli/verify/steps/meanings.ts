import { line } from '../../visible';
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
    unpaid.push({ what: line`a sale with the newStatus ${newStatus}`, notification });
  }
  yield { id: 'statuses', sends: unpaid };
  const back = { ...payment, payload: { ...payment.payload, newStatus: 'PENDING' } };
  yield { id: 'lateSale', sends: [{ what: 'the PENDING of a sale that is paid', notification: back }] };
  const known = { saleToken: crypto.randomUUID(), referenceCode: 'sandbox', amount: 59.7 };
  yield {
    id: 'unknownKinds',
    sends: [
      {
        what: 'a body of no known kind with an unknown flag',
        notification: sales.unrecognized({}, 'type=sandbox'),
      },
      { what: 'a body of no known kind with a `saleToken`', notification: sales.unrecognized(known) },
      {
        what: 'a body of no known kind with the status PAID',
        notification: sales.unrecognized({ ...known, saleToken: undefined, status: 'PAID' }),
      },
    ],
  };
  yield paymentStep('afterUnknown', (await sales.sale()).payment);
}
