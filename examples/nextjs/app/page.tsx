import { redirect } from 'next/navigation';
import { pool } from '../lib/database';

async function subscribe() {
  'use server';
  const { rows } = await pool.query('INSERT INTO subscriptions DEFAULT VALUES RETURNING id');
  redirect(`/subscriptions/${rows[0].id}`);
}

export default function Page() {
  return (
    <form action={subscribe}>
      <button type="submit">Subscribe</button>
    </form>
  );
}
