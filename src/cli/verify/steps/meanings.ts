import { say } from '../../language';
import type { Sale } from '../sales';
import type { Script, World } from '../world';
import { paymentStep } from './payments';

const UNPAID = ['REVERSAL', 'PENDING', 'SANDBOX'];

/** What looks like a payment, and is none. */
export async function* meanings({ sales }: World, first: Sale): Script {
  const unpaid: { what: string; notification: Sale['payment'] }[] = [];
  for (const newStatus of UNPAID) {
    const { payment } = await sales.sale();
    const notification = { ...payment, payload: { ...payment.payload, newStatus } };
    unpaid.push({ what: say('sent.status', { status: newStatus }), notification });
  }
  const statuses = yield { id: 'statuses', sends: unpaid };
  const asPaid = UNPAID.filter((_, index) =>
    statuses.rows.some(
      ({ subject }) => subject === undefined || isOf(unpaid[index]?.notification.payload, subject),
    ),
  );
  if (statuses.rows.some(({ kind }) => kind === 'payment'))
    statuses.blame('statusAsPayment', { list: asPaid.join(', ') });

  const { payment } = first;
  const back = { ...payment, payload: { ...payment.payload, newStatus: 'PENDING' } };
  const late = yield { id: 'lateSale', sends: [{ what: say('sent.lateSale'), notification: back }] };
  if (late.only('takenBack')) late.blame('reopens');
  if (statuses.types.length === 0 && late.only('refused')) late.blame('refusesOvertaken');

  const known = { saleToken: crypto.randomUUID(), referenceCode: 'sandbox', amount: 59.7 };
  const bodies = [
    { what: say('sent.unknownFlag'), notification: sales.unrecognized({}, 'type=sandbox') },
    { what: say('sent.unknownToken'), notification: sales.unrecognized(known) },
    {
      what: say('sent.unknownPaid'),
      notification: sales.unrecognized({ ...known, saleToken: undefined, status: 'PAID' }),
    },
  ];
  const unknown = yield { id: 'unknownKinds', sends: bodies };
  if (unknown.rows.length > 0) unknown.blame('booksUnknown');
  else if (statuses.types.length === 0 && unknown.exchanges.every(({ reception }) => reception === 'refused'))
    unknown.blame('refusesUnknown');
  yield paymentStep('afterUnknown', (await sales.sale()).payment);
}

function isOf(payload: object | undefined, subject: string): boolean {
  return [Object(payload).saleToken, Object(payload).referenceCode].includes(subject);
}
