import type { SandboxNotification } from '../../../sandbox/model/records';
import { decimal, say } from '../../language';
import type { Sale } from '../sales';
import { books, type Step } from '../step';
import type { Script, World } from '../world';

/** In binary, each of them times 100 is no whole number: 1998.9999999999998, 114.99999999999999, 110.00000000000001. */
const AMOUNTS = [19.99, 1.15, 1.1];

export function paymentStep(id: Step['id'], ...notifications: readonly SandboxNotification[]) {
  return books(id, ...notifications.map((notification) => ({ what: say('sent.payment'), notification })));
}

/** Payments that differ in their amounts, in nothing but their identity, and in what the document does not promise. */
export async function* payments(world: World): Script<Sale[]> {
  const { sales, shop } = world;
  const paid: Sale[] = [];
  if (shop !== undefined) {
    for (let number = 0; number < AMOUNTS.length; number++) paid.push(await sales.sale());
    yield paymentStep('shopAmounts', ...paid.map(({ payment }) => payment));
  } else {
    for (const amount of AMOUNTS) paid.push(await sales.sale({ amount }));
    const all = paid.map(({ payment, amount }) => ({
      what: say('sent.amount', { amount: decimal(amount) }),
      notification: payment,
    }));
    const cents = yield { ...books('cents', ...all), judges: 'amount' };
    const wrong = cents.rows.filter(({ type }) => type === 'amount');
    if (cents.only('amount')) {
      const isOff = (digits: number, round: (amount: number) => number) =>
        wrong.every(({ got, amount = 0 }) => got === round(amount * 10 ** digits) / 10 ** digits);
      if (wrong.every(({ got, amount = 0 }) => got === Math.trunc(amount * 100))) cents.blame('inCents');
      else if (isOff(0, Math.round) || isOff(0, Math.trunc)) cents.blame('wholeAmounts');
      else if (isOff(2, Math.trunc)) cents.blame('truncates');
    } else if (cents.types.includes('refused') || cents.types.includes('missing'))
      cents.blame('refusesCents');
  }
  const one = await sales.sale({ amount: 50 });
  const other = await sales.sale({ amount: 50 });
  const { date, shopper } = Object(one.payment.payload);
  const twin = { ...other.payment, payload: { ...other.payment.payload, date, shopper } };
  const twins = yield { ...paymentStep('alike', one.payment, twin), judges: 'subject' };
  if (twins.only('missing')) twins.blame('keyWithoutIdentity');
  paid.push(one, { ...other, payment: twin });
  return paid;
}
