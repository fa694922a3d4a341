const { http } = require('msw');
const { setupServer } = require('msw/node');
const { PaymentsClient } = require('pix-automatic-sdk');
const { fakeClock, fixtures, mockService, notificationRequest } = require('pix-automatic-sdk/testing');
const { createListener, unsubscribe } = require('./shop');

const credentials = { apiKey: 'test-key', apiToken: 'test-token' };
const baseUrl = 'https://service.example';
const client = new PaymentsClient({ baseUrl, ...credentials });
const orders = { markAsPaid: jest.fn(), setReversal: jest.fn() };
beforeEach(() => jest.resetAllMocks());

describe('a notification', () => {
  test('of each state of a reversal is acted on once', async () => {
    const listener = createListener(credentials, client, orders);
    for (const status of ['PENDING', 'PENDING', 'PAID', 'PAID']) {
      const { status: answer } = await listener(notificationRequest('reversal', { status }, credentials));
      expect(answer).toBe(200);
    }
    const { uuid } = fixtures.reversal().sale;
    expect(orders.setReversal.mock.calls).toEqual([
      [uuid, 'PENDING'],
      [uuid, 'PAID'],
    ]);
  });

  test('of somebody else is refused', async () => {
    const forged = notificationRequest('payment', {}, { ...credentials, apiToken: 'guessed' });
    expect((await createListener(credentials, client, orders)(forged)).status).toBe(401);
    expect(orders.markAsPaid).not.toHaveBeenCalled();
  });
});

describe('a subscription', () => {
  const request = fixtures.recurringCheckoutRequest({ referenceCode: 'order-1' });
  const server = setupServer();
  beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
  afterAll(() => server.close());

  /** The service, the shop's listener behind it, and a clock that only the test moves. */
  function start() {
    const clock = fakeClock();
    const listener = createListener(credentials, client, orders);
    const service = mockService({ http, baseUrl, credentials, clock, deliverTo: listener });
    server.resetHandlers(...service.handlers);
    return { clock, service, listener };
  }

  test('is paid with the retry when the database was away, a minute later and in no time', async () => {
    const { service, clock } = start();
    const { response } = await client.createRecurringCheckout(request);
    orders.markAsPaid.mockRejectedValueOnce(new Error('the database is away'));
    service.pay(response.uuid);
    await clock.advance(0);
    expect(service.deliveries[0].attempts.map(({ httpStatus }) => httpStatus)).toEqual([500]);
    await clock.advance(60_000);
    expect(service.deliveries[0].attempts.map(({ httpStatus }) => httpStatus)).toEqual([500, 200]);
    expect(orders.markAsPaid.mock.calls).toEqual([['order-1'], ['order-1']]);
  });

  test('is not paid because somebody who knows the credentials says so', async () => {
    const { listener } = start();
    const { response } = await client.createRecurringCheckout(request);
    const forged = notificationRequest('payment', { saleToken: response.uuid }, credentials);
    expect((await listener(forged)).status).toBe(500); // the service says that it is pending
    expect(orders.markAsPaid).not.toHaveBeenCalled();
  });

  test('that ends leaves nothing scheduled', async () => {
    const { service } = start();
    const { response } = await client.createRecurringCheckout(request);
    const scheduled = service.pay(response.uuid);
    const ids = scheduled.map(({ instructionId }) => instructionId);
    expect(ids).not.toHaveLength(0);
    await unsubscribe(client, ids);
    const left = service.scheduledPayments(response.uuid).filter(({ status }) => status === 'SCHEDULED');
    expect(left).toEqual([]);
  });
});
