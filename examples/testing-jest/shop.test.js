const { http } = require('msw');
const { setupServer } = require('msw/node');
const { PaymentsClient } = require('pix-automatic-sdk');
const { fakeClock, fixtures, mockService, notificationRequest } = require('pix-automatic-sdk/testing');
const { openShop, unsubscribe } = require('./shop');

const credentials = { apiKey: 'test-key', apiToken: 'test-token' };
const baseUrl = 'https://service.example';
const client = new PaymentsClient({ baseUrl, ...credentials });
const database = { markAsPaid: jest.fn(), askAPerson: jest.fn(), setReversal: jest.fn() };

/** A shop that has seen nothing yet. */
const newShop = () => openShop(credentials, client, database);
beforeEach(() => jest.resetAllMocks());

describe('a notification', () => {
  test('of each state of a reversal is acted on once', async () => {
    const shop = newShop();
    for (const status of ['PENDING', 'PENDING', 'PAID', 'PAID']) {
      const { status: answer } = await shop.webhook(notificationRequest('reversal', { status }, credentials));
      expect(answer).toBe(200);
    }
    const { uuid } = fixtures.reversal().sale;
    expect(database.setReversal.mock.calls).toEqual([
      [uuid, 'PENDING'],
      [uuid, 'PAID'],
    ]);
  });

  test('of somebody else is refused', async () => {
    const forged = notificationRequest('payment', {}, { ...credentials, apiToken: 'guessed' });
    expect((await newShop().webhook(forged)).status).toBe(401);
    expect(database.markAsPaid).not.toHaveBeenCalled();
  });
});

describe('a subscription', () => {
  const { referenceCode: _, ...request } = fixtures.recurringCheckoutRequest();
  const server = setupServer();
  beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
  afterAll(() => server.close());

  /** The shop, the service that notifies it, and a clock that only the test moves. */
  function start() {
    const clock = fakeClock();
    const shop = newShop();
    const service = mockService({ http, baseUrl, credentials, clock, deliverTo: shop.webhook });
    server.resetHandlers(...service.handlers);
    return { clock, service, shop };
  }

  test('is paid with the retry when the database was away, a minute later and in no time', async () => {
    const { shop, service, clock } = start();
    const { uuid } = await shop.open('order-1', request);
    database.markAsPaid.mockRejectedValueOnce(new Error('the database is away'));
    service.pay(uuid);
    await clock.advance(0);
    expect(service.deliveries[0].attempts.map(({ httpStatus }) => httpStatus)).toEqual([500]);
    await clock.advance(60_000);
    expect(service.deliveries[0].attempts.map(({ httpStatus }) => httpStatus)).toEqual([500, 200]);
    expect(database.markAsPaid.mock.calls).toEqual([['order-1'], ['order-1']]);
  });

  test('is not paid because somebody who knows the credentials says so', async () => {
    const { shop } = start();
    const { uuid } = await shop.open('order-1', request);
    const forged = notificationRequest('payment', { saleToken: uuid }, credentials);
    expect((await shop.webhook(forged)).status).toBe(500); // the service says that it is pending
    expect(database.markAsPaid).not.toHaveBeenCalled();
  });

  test('that ends leaves nothing scheduled', async () => {
    const { shop, service } = start();
    const { uuid } = await shop.open('order-1', request);
    const scheduled = service.pay(uuid);
    const ids = scheduled.map(({ instructionId }) => instructionId);
    expect(ids).not.toHaveLength(0);
    await unsubscribe(client, ids);
    const left = service.scheduledPayments(uuid).filter(({ status }) => status === 'SCHEDULED');
    expect(left).toEqual([]);
  });
});
