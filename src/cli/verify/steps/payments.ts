import type { SandboxNotification } from '../../../sandbox/model/records';
import { decimal } from '../../format';
import { line } from '../../visible';
import type { Sale } from '../sales';
import { books, type Step } from '../step';
import type { Script, World } from '../world';

/**
 * In binary, each of the first three times 100 is no whole number: 1998.9999999999998, 114.99999999999999,
 * 110.00000000000001. Written for people, the others have a separator of thousands.
 */
const AMOUNTS = [19.99, 1.15, 1.1, 1234.56, 12_345.67];

export function paymentStep(id: Step['id'], ...notifications: readonly SandboxNotification[]) {
  return books(id, ...notifications.map((notification) => ({ what: 'a payment', notification })));
}

/** Payments that differ in their amounts, in nothing but their identity, and in what the document does not promise. */
export async function* payments({ sales }: World): Script<Sale[]> {
  const paid: Sale[] = [];
  for (const amount of AMOUNTS) paid.push(await sales.sale({ amount }));
  const isChosen = paid.every(({ amount }, index) => amount === AMOUNTS[index]);
  if (!isChosen) yield paymentStep('shopAmounts', ...paid.map(({ payment }) => payment));
  else {
    const all = paid.map(({ payment, amount }) => ({
      what: line`a payment of R$ ${decimal(amount)}`,
      notification: payment,
    }));
    yield { ...books('cents', ...all), judges: 'amount' };
  }
  const one = await sales.sale({ amount: 50 });
  const other = await sales.sale({ amount: 50 });
  const { date, shopper } = Object(one.payment.payload);
  const twin = { ...other.payment, payload: { ...other.payment.payload, date, shopper } };
  yield { ...paymentStep('alike', one.payment, twin), judges: 'subject' };
  paid.push(one, { ...other, payment: twin });
  return paid;
}
