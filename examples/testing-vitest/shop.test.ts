import type { Case, Orders } from 'pix-automatic-sdk/orders';
import { fixtures, notificationRequest, testOrders } from 'pix-automatic-sdk/testing';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { openShop, subscribe } from './shop';

const database = { markAsPaid: vi.fn(), addRefund: vi.fn() };
beforeEach(() => vi.resetAllMocks());

const { referenceCode: _, ...request } = fixtures.recurringCheckoutRequest();

/** A shop that has seen nothing yet, the service that notifies it, and a clock that only the test moves. */
const start = () => testOrders((parts) => openShop(parts, database));

describe('a notification', () => {
  test('adds a refund once, however often it is delivered', async () => {
    const { orders, service, pay, refund } = start();
    const order = await subscribe(orders, 'order-1', request);
    await pay(order);
    await refund(order, { amount: 5 });
    await service.redeliver('delivery-2');
    expect(service.deliveries[1]?.attempts.map(({ httpStatus }) => httpStatus)).toEqual([200, 200]);
    expect(database.addRefund.mock.calls).toEqual([[order.uuid, 5]]);
  });

  test('of somebody else is refused', async () => {
    const { orders, service } = start();
    const forged = notificationRequest('payment', {}, { ...service.credentials, apiToken: 'guessed' });
    expect((await orders.webhook(forged)).status).toBe(401);
    expect(database.markAsPaid).not.toHaveBeenCalled();
  });
});

async function casesOf(orders: Pick<Orders, 'cases'>): Promise<Case[]> {
  const all: Case[] = [];
  for await (const each of orders.cases()) all.push(each);
  return all;
}

describe('a subscription', () => {
  test('shows the same QR code to two clicks at once', async () => {
    const { orders, service } = start();
    const click = () => subscribe(orders, 'order-1', request);
    const [first, second] = await Promise.all([click(), click()]);
    expect(first).toMatchObject({ state: 'open', qrCode: { plain: expect.stringMatching(/^000201/) } });
    expect(second).toEqual(first);
    expect(service.transactions).toHaveLength(1);
  });

  test('goes on under a second reference when nobody knows what became of the first', async () => {
    const { orders, service, pay } = start();
    service.fault('createRecurringCheckout', { kind: 'status', status: 504, takesEffect: true });
    await expect(subscribe(orders, 'order-1', request)).rejects.toMatchObject({ outcome: 'unknown' });
    const order = await subscribe(orders, 'order-1', request);
    expect(order.referenceCode).toBe('order-1-2');

    // Nobody was shown the QR code of the first. Should it be paid all the same, a person decides.
    const lost = service.transactions.find(({ uuid }) => uuid !== order.uuid);
    await pay(order);
    await pay({ uuid: lost?.uuid });
    expect(database.markAsPaid.mock.calls).toEqual([['order-1']]);
    // The payer would be charged by two recurrences, too.
    expect(await casesOf(orders)).toMatchObject([
      { reason: 'paid_twice', sale: lost?.uuid },
      { reason: 'authorized_twice' },
    ]);
  });

  test('is paid with the retry when the database was away, a minute later and in no time', async () => {
    const { orders, service, pay, clock } = start();
    database.markAsPaid.mockRejectedValueOnce(new Error('the database is away'));
    await pay(await subscribe(orders, 'order-1', request));
    await clock.advance(60_000);
    expect(service.deliveries[0]?.attempts.map(({ httpStatus }) => httpStatus)).toEqual([500, 200]);
    expect(database.markAsPaid.mock.calls).toEqual([['order-1'], ['order-1']]);
  });

  test('is marked as paid again, and not sent to a person, after a crash', async () => {
    const { orders, pay, crash, clock } = start();
    const order = await subscribe(orders, 'order-1', request);
    crash();
    await pay(order);
    await clock.advance(60_000);
    expect(database.markAsPaid.mock.calls).toEqual([['order-1'], ['order-1']]);
    expect(await casesOf(orders)).toEqual([]);
  });

  test('is not paid because somebody who knows the credentials says so', async () => {
    const { orders, service } = start();
    const { uuid } = await subscribe(orders, 'order-1', request);
    const forged = notificationRequest('payment', { saleToken: uuid ?? '' }, service.credentials);
    expect((await orders.webhook(forged)).status).toBe(500); // the service says that it is pending
    expect(database.markAsPaid).not.toHaveBeenCalled();
  });
});
