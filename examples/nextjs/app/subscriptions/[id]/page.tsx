import { notFound } from 'next/navigation';
import { decodeQrCode } from 'pix-automatic-sdk';
import { pool } from '../../../lib/database';
import { orders } from '../../../lib/orders';
import { Poll } from './poll';

// Never static: `next build` would freeze one QR code for everybody.
export const dynamic = 'force-dynamic';

const WORDS = {
  paid: 'Paid',
  // A second QR code would be a second recurrence.
  authorized: 'You have approved it. It is charged on its first date.',
  review: 'We are checking your payment.',
};

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  const { rowCount } = await pool.query('SELECT FROM subscriptions WHERE id::text = $1', [id]);
  if (!rowCount) notFound();
  // The key is the subscription's id, not the customer's: a second subscription is another order.
  const order = await orders().open(id, {
    currency: 'BRL',
    amount: 59.7,
    shopper: { name: 'Maria Silva', document: { type: 'CPF', number: '12345678909' } },
    recurrence: {
      immediatePayment: true,
      amount: { recurrenceAmount: 29.9 },
      calendar: { periodicity: 'MONTHLY' },
    },
  });
  const image = order.state === 'open' ? decodeQrCode(order.qrCode) : undefined;
  return (
    <>
      {order.state !== 'paid' && <Poll />}
      {/* biome-ignore lint/performance/noImgElement: the picture is in the page, and there is nothing to optimize */}
      {image && <img src={image.dataUrl} alt="QR code" />}
      <p>{order.state === 'open' ? order.qrCode.plain : WORDS[order.state]}</p>
    </>
  );
}
