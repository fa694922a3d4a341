import { redirect } from 'next/navigation';
import { orders, request } from '../lib/orders';

async function subscribe() {
  'use server';
  const { length } = await orders().list({ limit: 1_000 }); // your database has a better key
  const { uuid } = await orders().open(`order-${1001 + length}`, request);
  redirect(`/orders/${uuid}`);
}

export default function Page() {
  return (
    <form action={subscribe}>
      <button type="submit">Subscribe</button>
    </form>
  );
}
