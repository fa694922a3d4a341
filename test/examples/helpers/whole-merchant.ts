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
  const { sandbox, programs, deliverAllAgain, stop } = await startListeners(directory, 2, env, {
    inventions: { recurrenceEvents: 'payments' },
  });
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
  const cases = async (): Promise<Seen[]> =>
    ((await (await call('GET', '/support')).json()) as Seen[]).sort((one: Seen, other: Seen) =>
      one.reason < other.reason ? -1 : 1,
    );
  const decide = async (body: object) => {
    const answer = await call('POST', '/support/decide', body);
    return { http: answer.status, ...((await answer.json()) as object) };
  };
  const payments = () =>
    query('SELECT sale, order_key, amount::float, is_first FROM payments ORDER BY booked_at');
  const returns = () =>
    query('SELECT sale, amount::float, left_of_sale::float FROM returns ORDER BY booked_at');
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
  const booked: object[] = [{ sale: first.uuid, order_key: 'order-1', amount: 59.7, is_first: true }];
  expect(await payments()).toEqual(booked);
  expect(await paidOrders()).toEqual(['order-1']);
  // A paid order shows its QR code no more.
  expect(await subscribe('order-1')).toEqual({ state: 'paid', uuid: first.uuid });

  // Months two and three: each is a sale of its own. Some of month two goes back, then the rest.
  const charges: string[] = [];
  for (const _month of [2, 3]) {
    const sale = sandbox.charge(first.uuid).saleUUID ?? '';
    await sandbox.idle();
    charges.push(sale);
    booked.push({ sale, order_key: 'order-1', amount: 29.9, is_first: false });
  }
  const [secondMonth = ''] = charges;
  for (const amount of [10, 19.9]) {
    sandbox.refund(secondMonth, { amount });
    await sandbox.idle();
  }
  await deliverAllAgain();
  expect(await payments()).toEqual(booked);
  expect(await returns()).toEqual([
    { sale: secondMonth, amount: 10, left_of_sale: 19.9 },
    { sale: secondMonth, amount: 19.9, left_of_sale: 0 },
  ]);
  expect(await cases()).toEqual([]);

  // The answer is lost after the effect: the order gets another QR code. Whichever is paid books the order, and if both
  // are, the other one is a case.
  sandbox.fault('createRecurringCheckout', { kind: 'status', status: 504, takesEffect: true });
  expect(await call('POST', '/subscriptions', { referenceCode: 'order-2' })).toMatchObject({ status: 503 });
  const second = await subscribe('order-2');
  const lost = sandbox.transactions.find(({ referenceCode }) => referenceCode === 'order-2')?.uuid ?? '';
  expect(lost).not.toBe(second.uuid);
  expect(await subscribe('order-2')).toEqual(second);
  sandbox.pay(lost);
  await sandbox.idle();
  booked.push({ sale: lost, order_key: 'order-2', amount: 59.7, is_first: true });
  sandbox.pay(second.uuid);
  await deliverAllAgain();
  expect(await payments()).toEqual(booked);
  expect(await paidOrders()).toEqual(['order-1', 'order-2']);

  // So is the payment of a journey that is of no order of ours, and a notification that the document does not show.
  const walkIn = sandbox.createTestJourney({ referenceCode: 'elsewhere', amount: 12 });
  sandbox.pay(walkIn.uuid);
  await sandbox.idle();
  sandbox.notify({ event: 'recurrence' });
  await sandbox.idle();
  const [noOrder, twice, unknown, ...rest] = await cases();
  expect(rest).toEqual([]);
  expect(noOrder).toMatchObject({ reason: 'no_order', sale: walkIn.uuid, amount: 12 });
  expect(twice).toMatchObject({ reason: 'paid_twice', order: 'order-2', sale: second.uuid, amount: 59.7 });
  expect(unknown).toMatchObject({ reason: 'unhandled' });
  expect(JSON.stringify([noOrder, twice, unknown])).not.toContain('Maria');

  // A person decides, once.
  expect(await decide({ id: noOrder?.id, decision: 'book' })).toMatchObject({ http: 422 });
  expect(await decide({ id: noOrder?.id, decision: 'dismiss' })).toEqual({ http: 200, status: 'dismissed' });
  expect(await decide({ id: twice?.id, decision: 'book' })).toEqual({ http: 200, status: 'booked' });
  expect(await decide({ id: twice?.id, decision: 'book' })).toEqual({
    http: 200,
    status: 'booked',
    was: 'booked',
  });
  expect(await decide({ id: unknown?.id, decision: 'dismiss' })).toEqual({ http: 200, status: 'dismissed' });
  booked.push({ sale: second.uuid, order_key: 'order-2', amount: 59.7, is_first: false });
  expect(await payments()).toEqual(booked);
  expect(await cases()).toEqual([]);

  // The daily job finds a payment whose notification never came. When it comes after all, nothing happens twice.
  const third = await subscribe('order-3');
  const fourth = await subscribe('order-4');
  sandbox.setWebhookUrl(undefined);
  sandbox.pay(third.uuid);
  sandbox.cancelTransaction(fourth.uuid);
  // One query fails for good. The job tries the others all the same, and says by its exit code that it must run again.
  sandbox.fault('getTransaction', {
    kind: 'status',
    status: 400,
    transactionUUID: third.uuid,
    times: Number.POSITIVE_INFINITY,
  });
  const failing = await maintain(1);
  sandbox.clearFaults();
  const next = await maintain(0);
  expect(failing.reconciled).toMatchObject({ asked: 2, failed: 1, isComplete: true });
  // No case is left to try again.
  expect(failing.replayed).toEqual({ done: 0, busy: 0, failed: 0, unhandled: 0 });
  expect(next.reconciled).toMatchObject({ failed: 0, isComplete: true });
  // The second run asks about a paid order no more, and counts what is closed already no more.
  expect(failing.reconciled.paid + next.reconciled.paid).toBe(1);
  expect(failing.reconciled.closed + next.reconciled.closed).toBe(1);
  expect(await paidOrders()).toEqual(['order-1', 'order-2', 'order-3']);
  sandbox.setWebhookUrl(shop);
  sandbox.notify({ saleToken: third.uuid, newStatus: 'PAID' });
  await sandbox.idle();
  booked.push({ sale: third.uuid, order_key: 'order-3', amount: 59.7, is_first: true });
  expect(await payments()).toEqual(booked);

  // The fourth order's QR code can no longer be paid, so the order gets another one.
  const again = await subscribe('order-4');
  expect(again.uuid).not.toBe(fourth.uuid);
  expect(await subscribe('order-4')).toEqual(again);

  // Every step of verify runs and holds.
  const effects = await answering(async () => {
    const rows = await query('SELECT sale, amount::float FROM payments');
    return rows.map(({ sale, amount }) => ({ kind: 'payment', subject: sale, amount }));
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
  const reported = [...stdout, ...stderr].filter((line) => line.includes('paid_twice'));
  expect(reported.join('\n')).toContain(second.uuid);
}

/** A case as the support staff see it. */
interface Seen {
  readonly id: string;
  readonly reason: string;
}
