import { revalidatePath } from 'next/cache';
import { orders } from '../../lib/orders';
import { wordsFor } from '../../lib/reasons';

async function decide(form: FormData) {
  'use server';
  // Check your login here too: a server action is an endpoint of its own.
  const { id, decision, order, sentBack } = Object.fromEntries(form) as Record<string, string>;
  // Money that was paid is dismissed only once it is sent back.
  const how = decision === 'book' ? { order: order || undefined } : { evenIfPaid: sentBack === 'yes' };
  await orders().decide(id, decision as 'book' | 'dismiss', how);
  revalidatePath('/admin');
}

/** For your staff only: put your own login before it. It reads the query, so it is never static. */
export default async function Page({ searchParams }: { searchParams: Promise<{ key?: string }> }) {
  const { key } = await searchParams;
  const found = key ? await orders().find({ key }) : undefined;
  const cases = [];
  for await (const each of orders().cases()) cases.push(each);
  return (
    <>
      <form>
        <input name="key" placeholder="What happened to order …" />
      </form>
      <pre>{found && JSON.stringify(found, null, 2)}</pre>
      {cases.map(({ id, reason, order, amount, note }) => (
        <form key={id} action={decide}>
          <p>
            {order ?? 'no order'}, {amount ?? '?'}: {wordsFor(reason)} {note}
          </p>
          <input type="hidden" name="id" value={id} />
          {reason === 'no_order' && <input name="order" placeholder="order" />}
          <button type="submit" name="decision" value="book">
            Book
          </button>
          <button type="submit" name="decision" value="dismiss">
            Dismiss
          </button>
          <label>
            <input type="checkbox" name="sentBack" value="yes" /> It is sent back
          </label>
        </form>
      ))}
    </>
  );
}
