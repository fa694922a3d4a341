const { fixtures, notificationRequest, testOrders } = require('pix-automatic-sdk/testing');
const { openShop, unsubscribe } = require('./shop');

const database = { markAsPaid: jest.fn(), addReturn: jest.fn() };
beforeEach(() => jest.resetAllMocks());

const { referenceCode: _, ...request } = fixtures.recurringCheckoutRequest();

/** A shop that has seen nothing yet, the service that notifies it, and a clock that only the test moves. */
const start = () => testOrders((parts) => openShop(parts, database));

describe('a notification', () => {
  test('of a reversal is acted on once, when the money is back', async () => {
    const { orders, service, clock, pay } = start();
    const order = await orders.open('order-1', request);
    await pay(order);
    const reversal = service.reverse(order.uuid, { amount: 10 });
    await clock.advance(0);
    expect(database.addReturn).not.toHaveBeenCalled(); // it is pending
    service.completeReversal(reversal.uuid);
    await clock.advance(0);
    for (const { id } of service.deliveries) await service.redeliver(id);
    expect(database.addReturn.mock.calls).toEqual([[order.uuid, 10]]);
  });

  test('of somebody else is refused', async () => {
    const { orders, service } = start();
    const forged = notificationRequest('payment', {}, { ...service.credentials, apiToken: 'guessed' });
    expect((await orders.webhook(forged)).status).toBe(401);
    expect(database.markAsPaid).not.toHaveBeenCalled();
  });
});

describe('a subscription', () => {
  test('is paid with the retry when the database was away, a minute later and in no time', async () => {
    const { orders, service, pay, clock } = start();
    database.markAsPaid.mockRejectedValueOnce(new Error('the database is away'));
    await pay(await orders.open('order-1', request));
    await clock.advance(60_000);
    expect(service.deliveries[0].attempts.map(({ httpStatus }) => httpStatus)).toEqual([500, 200]);
    expect(database.markAsPaid.mock.calls).toEqual([['order-1'], ['order-1']]);
  });

  test('is not paid because somebody who knows the credentials says so', async () => {
    const { orders, service } = start();
    const { uuid } = await orders.open('order-1', request);
    const forged = notificationRequest('payment', { saleToken: uuid }, service.credentials);
    expect((await orders.webhook(forged)).status).toBe(500); // the service says that it is pending
    expect(database.markAsPaid).not.toHaveBeenCalled();
  });

  test('that ends leaves nothing scheduled', async () => {
    const { orders, service, client, pay } = start();
    const order = await orders.open('order-1', request);
    await pay(order);
    const scheduled = service.scheduledPayments(order.uuid);
    expect(scheduled).not.toHaveLength(0);
    await unsubscribe(
      client,
      scheduled.map(({ instructionId }) => instructionId),
    );
    const left = service.scheduledPayments(order.uuid).filter(({ status }) => status === 'SCHEDULED');
    expect(left).toEqual([]);
  });
});
