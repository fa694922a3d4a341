import { expect } from 'vitest';
import { userEnvironment } from '../../package/run';
import { Program } from '../runner/program';
import { openDatabase } from './open-database';
import { startListeners } from './start-listeners';
import { answering } from './verify-example';

/**
 * Plays a whole merchant: two processes of the example behind a load balancer, its database, its daily job, and the
 * sandbox. The examples differ in their frameworks only, so that all of them have the same routes and tables.
 */
export async function playWholeMerchant(directory: string): Promise<void> {
  const { query, ...database } = await openDatabase();
  const env = { ...database.env, SUPPORT_TOKEN: 'support-token', DRAIN_DELAY_MS: '0' };
  const command = async (words: string[], more: NodeJS.ProcessEnv = {}, status = 0) => {
    const [first = '', ...rest] = words;
    const ended = await new Program([first, ...rest], directory, {
      ...userEnvironment(),
      ...env,
      ...more,
    }).ended();
    const printed = [...ended.stdout, ...ended.stderr].join('\n');
    expect(ended, `${words.join(' ')}\n${printed}`).toMatchObject({ status });
    return ended.stdout.join('\n');
  };
  await command(['npm', 'run', 'migrate']);
  const { sandbox, programs, deliverAllAgain, stop } = await startListeners(directory, 2, env);
  const shop = String(sandbox.webhookUrl);
  const call = async (method: string, path: string, body?: object) => {
    const headers = { 'content-type': 'application/json', authorization: 'Bearer support-token' };
    return fetch(new URL(path, shop), { method, headers, body: JSON.stringify(body) ?? null });
  };
  const subscribe = async (referenceCode: string): Promise<{ uuid: string; qrCode: string }> => {
    const answer = await call('POST', '/subscriptions', { referenceCode });
    expect(answer.ok).toBe(true);
    return answer.json() as Promise<{ uuid: string; qrCode: string }>;
  };
  const cases = async () => (await call('GET', '/support')).json();
  const payments = () =>
    query('SELECT sale_token, order_key, amount::float, needs_person FROM payments ORDER BY 2, 1');
  const paidOrders = async () =>
    (await query('SELECT key FROM orders WHERE paid ORDER BY key')).map(({ key }) => key);
  const maintain = async (status: number) => {
    const credentials = {
      PAYMENTS_BASE_URL: sandbox.url,
      PAYMENTS_API_KEY: sandbox.credentials.apiKey,
      PAYMENTS_API_TOKEN: sandbox.credentials.apiToken,
    };
    const printed = await command(['npm', 'run', 'maintain'], credentials, status);
    return JSON.parse(/^\{.*"reconciled".*\}$/m.exec(printed)?.[0] ?? printed);
  };

  // Four clicks at once, in two processes: one journey, one QR code, one payment.
  const click = () => subscribe('order-1');
  const [first, ...others] = await Promise.all([click(), click(), click(), click()]);
  expect(others).toEqual([first, first, first]);
  expect(sandbox.transactions).toHaveLength(1);
  sandbox.pay(first.uuid);
  await deliverAllAgain();
  const firstPayment = { sale_token: first.uuid, order_key: 'order-1', amount: 59.7, needs_person: false };
  expect(await payments()).toEqual([firstPayment]);
  expect(await paidOrders()).toEqual(['order-1']);
  // A paid order shows its QR code no more.
  expect(await subscribe('order-1')).toEqual({ state: 'paid', uuid: first.uuid });

  // The answer is lost after the effect: nobody sees that QR code, and a payment of it reaches a person.
  sandbox.fault('createRecurringCheckout', { kind: 'status', status: 504, takesEffect: true });
  expect(await call('POST', '/subscriptions', { referenceCode: 'order-2' })).toMatchObject({ status: 503 });
  const second = await subscribe('order-2');
  const lost = sandbox.transactions.find(({ referenceCode }) => referenceCode === 'order-2')?.uuid ?? '';
  expect(lost).not.toBe(second.uuid);
  expect(await subscribe('order-2')).toEqual(second);
  sandbox.pay(lost);
  await deliverAllAgain();
  const lostPayment = { sale_token: lost, order_key: 'order-2', amount: 59.7, needs_person: true };
  expect(await payments()).toEqual([firstPayment, lostPayment]);
  expect(await paidOrders()).toEqual(['order-1']);

  // A notification that the document does not show is kept for a person, too.
  sandbox.notify({ event: 'recurrence' });
  await sandbox.idle();
  expect(await cases()).toMatchObject({
    payments: [{ saleToken: lost, orderKey: 'order-2' }],
    deadLetters: [{ code: 'unhandled' }],
  });

  // The daily job finds a payment whose notification never came. When it comes after all, nothing happens twice.
  const third = await subscribe('order-3');
  const fourth = await subscribe('order-4');
  sandbox.setWebhookUrl(undefined);
  sandbox.pay(third.uuid);
  sandbox.cancelTransaction(fourth.uuid);
  // One query fails for good. The job tries the others all the same, and says by its exit code that it must run again.
  sandbox.fault('getTransaction', { kind: 'status', status: 400 });
  const [failing, next] = [await maintain(1), await maintain(0)];
  expect(failing.reconciled).toMatchObject({ asked: 3, failed: 1, isComplete: true });
  // A letter is due an hour after its first failure.
  expect(failing.replayed).toEqual({ done: 0, busy: 0, failed: 0, unhandled: 0 });
  expect(next.reconciled).toMatchObject({ failed: 0, isComplete: true });
  // The second run asks about a paid order no more, and counts what is closed already no more.
  expect(failing.reconciled.paid + next.reconciled.paid).toBe(1);
  expect(failing.reconciled.closed + next.reconciled.closed).toBe(1);
  expect(await paidOrders()).toEqual(['order-1', 'order-3']);
  sandbox.setWebhookUrl(shop);
  sandbox.notify({ saleToken: third.uuid, newStatus: 'PAID' });
  await sandbox.idle();
  expect(await payments()).toHaveLength(3);

  // The fourth order's QR code can no longer be paid, so the order gets another one.
  const again = await subscribe('order-4');
  expect(again.uuid).not.toBe(fourth.uuid);
  expect(await subscribe('order-4')).toEqual(again);

  // Every step of verify runs and holds.
  const effects = await answering(async () => {
    const booked = await query('SELECT sale_token, amount::float FROM payments WHERE NOT needs_person');
    return booked.map(({ sale_token, amount }) => ({ kind: 'payment', subject: sale_token, amount }));
  });
  const verify = ['npx', 'pix-automatic-sdk', 'verify', shop, '--sandbox', sandbox.url];
  await command(
    [
      ...verify,
      '--shop',
      new URL('/subscriptions', shop).href,
      '--effects',
      effects,
      '--kinds',
      'payment',
      '--effects-wait',
      '200',
    ],
    {
      PAYMENTS_API_KEY: sandbox.credentials.apiKey,
      PAYMENTS_API_TOKEN: sandbox.credentials.apiToken,
    },
  );

  const printed = programs.length;
  const { status, stdout, stderr } = await stop();
  expect(status).toEqual(Array(printed).fill(0));
  const toLookAt = [...stdout, ...stderr].filter((line) => line.includes('A person must look at'));
  expect(toLookAt.join('\n')).toContain(lost);
}
