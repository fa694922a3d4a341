import { redirect } from 'next/navigation';
import { PaymentsClient } from 'pix-automatic-sdk';
import { orders } from '../lib/orders';

async function subscribe() {
  'use server';
  const referenceCode = `order-${1001 + orders.size}`;
  const { response } = await PaymentsClient.fromEnv().createRecurringCheckout({
    currency: 'BRL',
    referenceCode,
    amount: 59.7,
    shopper: { name: 'Maria Silva', document: { type: 'CPF', number: '12345678909' } },
    recurrence: {
      immediatePayment: true,
      amount: { recurrenceAmount: 29.9 },
      calendar: { periodicity: 'MONTHLY' },
    },
  });
  orders.set(response.uuid, { reference: referenceCode, qrCode: response.instructions.qrCode, paid: false });
  redirect(`/orders/${response.uuid}`);
}

export default function Page() {
  return (
    <form action={subscribe}>
      <button type="submit">Subscribe</button>
    </form>
  );
}
