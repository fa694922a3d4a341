import { expect, it } from 'vitest';
import type { Attempt } from '../../src/orders/attempt';
import type { Transaction } from '../../src/service/operations/get-transaction';
import { type StoreSteps, stepsOf } from '../../src/stores/steps';
import { notificationRequest } from '../../src/testing';
import { allOf } from '../helpers/all-of';
import { storeOf } from '../helpers/store-of';
import { createBug } from '../webhooks/faults';
import { credentials, paid, setUp } from './support';

// A case is told once: it is its letter. Its order knows its own money, because `open` must, and is told first.

const UUID = 'uuid-of-order-1';
const ID = `payment:${UUID}:PAID`;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

function shop(options: object = {}, callback: () => unknown = async () => undefined) {
  const reports: string[] = [];
  const parts = setUp([], {
    credentials,
    on: { paid: callback, returned: 'ignore' },
    onReport: ({ code }: { code: string }) => reports.push(code),
    ...options,
  } as never);
  const { orders, client } = parts;
  const pay = async (sale = UUID, fields: Partial<Transaction> = {}, at = orders) => {
    client.transactions.set(sale, paid(sale, fields));
    const payload = { saleToken: sale, referenceCode: 'order-1', amount: 59.7, currency: 'BRL', ...fields };
    return (await at.webhook(notificationRequest('payment', payload, credentials))).status;
  };
  const find = () => orders.find({ key: 'order-1' });
  const cases = async () => (await allOf(orders.cases())).map(({ reason, sale }) => `${reason} ${sale}`);
  return { ...parts, reports, pay, find, cases };
}

/** The steps of a process that dies after the first of the two writes of a case: its order's entry, or its letter. */
function dyingBetween(steps: StoreSteps<undefined>): StoreSteps<undefined> {
  const never = new Promise<never>(() => undefined);
  let isDead = false;
  const dies: Partial<StoreSteps<undefined>> = {
    async keepLetter(...given) {
      if (isDead) return never;
      await steps.keepLetter(...given);
      isDead = true;
    },
    release: (claim) => (isDead ? never : steps.release(claim)),
    complete: (...given) => (isDead ? never : steps.complete(...given)),
    async changeRecord(prefix, ...given) {
      if (isDead) return never;
      const written = await steps.changeRecord(prefix, ...given);
      isDead = prefix === 'order:' && written !== undefined;
      return written as never;
    },
  };
  return { ...steps, ...dies };
}

it('shows no QR code after a crash between the order and the letter of a case, which the next `maintain` writes', async () => {
  const { clock, store, client, open, orders, pay, find, cases } = shop();
  await open();
  const dying = shop({ client, store: storeOf(dyingBetween(stepsOf(store))) });
  void pay(UUID, { amount: 10 }, dying.orders);
  await expect.poll(async () => (await find()).state).toBe('review');
  clock.now += 2 * MINUTE_MS;
  // Nobody has the letter, and the order knows all the same.
  expect([await cases(), (await open()).state]).toEqual([[], 'review']);
  expect((await find()).cases).toMatchObject([{ id: ID, reason: 'other_amount', sale: UUID, amount: 10 }]);

  clock.now += HOUR_MS;
  expect(await orders.maintain()).toMatchObject({ errors: [] });
  expect([await cases(), (await open()).state]).toEqual([[`other_amount ${UUID}`], 'review']);
  // It is written once, and asked about no more.
  expect(await orders.reconcile()).toMatchObject({ asked: 0 });
  expect(await orders.decide(ID, 'book')).toEqual({ status: 'booked' });
  expect([await cases(), await find()]).toMatchObject([[], { state: 'paid', cases: [] }]);
});

it('remembers each of several sales of an attempt without a uuid, and is in review until all are decided', async () => {
  const { write, read, pay, find, cases, orders, open } = shop();
  await open();
  const [attempt] = (await read()).order.attempts;
  await write({ ...(attempt as Attempt), state: 'lost', uuid: undefined });
  for (const sale of ['one', 'two']) expect(await pay(sale, { amount: 10 })).toBe(200);
  expect((await find()).cases.map(({ sale }) => sale)).toEqual(['one', 'two']);
  expect(await orders.decide('payment:one:PAID', 'dismiss', { evenIfPaid: true })).toEqual({
    status: 'dismissed',
  });
  expect([await cases(), (await find()).state]).toEqual([['other_amount two'], 'review']);
});

it('leaves a closed attempt closed: a redelivery of its case books nothing', async () => {
  const { open, orders, pay, find, cases } = shop();
  await open();
  await orders.close('order-1');
  expect([await pay(), await pay()]).toEqual([200, 200]);
  expect([await cases(), await find()]).toMatchObject([
    [`closed ${UUID}`],
    { state: 'review', attempts: [{ state: 'closed' }], payments: [] },
  ]);
});

it('is in review where the charge of a journey without an immediate payment was returned in full', async () => {
  const { client, open, pay, find, cases, orders } = shop();
  const recurrence = { immediatePayment: false, amount: { recurrenceAmount: 59.7 } };
  await open('order-1', { amount: undefined, recurrence });
  const refunds = { transactions: [{ uuid: 'r-1', status: 'PAID', total: 59.7 }] };
  expect(await pay('charge-1', { refunds } as never)).toBe(200);
  expect([await cases(), (await find()).state]).toEqual([['returned_in_full charge-1'], 'review']);
  expect((await open('order-1', { amount: undefined, recurrence })).state).toBe('review');
  // Its own transaction is another one, which is asked about all the same.
  client.transactions.set(UUID, paid(UUID, { situation: 'PENDING' }));
  expect(await orders.reconcile()).toMatchObject({ asked: 1, failed: 0 });
  await orders.decide('payment:charge-1:PAID', 'dismiss', { evenIfPaid: true });
  expect((await find()).state).toBe('open');
});

it('ends what has begun with its case, without a confirmation', async () => {
  const { breaks } = createBug();
  const { open, pay, find, cases, read } = shop({ confirm: false }, breaks());
  await open();
  expect(await pay()).toBe(500);
  expect([await cases(), (await find()).state]).toEqual([[`callback_failed ${UUID}`], 'review']);
  expect((await read()).order.begun).toBeUndefined();
});
