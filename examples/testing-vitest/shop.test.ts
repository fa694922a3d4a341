import { http } from 'msw';
import { setupServer } from 'msw/node';
import { PaymentsClient } from 'pix-automatic-sdk';
import { fakeClock, fixtures, mockService, notificationRequest } from 'pix-automatic-sdk/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createListener, subscribe } from './shop';

const credentials = { apiKey: 'test-key', apiToken: 'test-token' };
const baseUrl = 'https://service.example';
const client = new PaymentsClient({ baseUrl, ...credentials });
const orders = { markAsPaid: vi.fn(), addRefund: vi.fn(), markAsDoubtful: vi.fn() };
beforeEach(() => vi.resetAllMocks());

describe('a notification', () => {
  test('adds a refund once, however often it is delivered', async () => {
    const listener = createListener(credentials, client, orders);
    const deliver = () => listener(notificationRequest('refund', { refund: { amount: 5 } }, credentials));
    expect((await deliver()).status).toBe(200);
    expect((await deliver()).status).toBe(200);
    expect(orders.addRefund.mock.calls).toEqual([[fixtures.refund().saleToken, 5]]);
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

  /** The service, the shop's listener that it notifies, and a clock that only the test moves. */
  function start() {
    const clock = fakeClock();
    const listener = createListener(credentials, client, orders);
    const service = mockService({ http, baseUrl, credentials, clock, deliverTo: listener });
    server.resetHandlers(...service.handlers);
    return { clock, service, listener };
  }

  test('shows the QR code of its journey', async () => {
    start();
    const { qrCode } = await subscribe(client, orders, request);
    expect(qrCode?.plain).toMatch(/^000201/);
    expect(orders.markAsDoubtful).not.toHaveBeenCalled();
  });

  test('goes on under a second reference when nobody knows what became of the first', async () => {
    const { service } = start();
    service.fault('createRecurringCheckout', { kind: 'status', status: 504, takesEffect: true });
    const { qrCode } = await subscribe(client, orders, request);
    expect(qrCode?.plain).toMatch(/^000201/);
    expect(orders.markAsDoubtful.mock.calls).toEqual([['order-1']]);
  });

  test('is not created a second time when the failed response has its uuid', async () => {
    const { service } = start();
    const body = JSON.stringify(fixtures.recurringCheckout());
    service.fault('createRecurringCheckout', { kind: 'status', status: 504, body, takesEffect: true });
    const { uuid } = fixtures.recurringCheckout().response;
    expect(await subscribe(client, orders, request)).toEqual({ uuid });
    expect(orders.markAsDoubtful).not.toHaveBeenCalled();
  });

  test('is paid with the retry when the database was away, a minute later and in no time', async () => {
    const { service, clock } = start();
    const { response } = await client.createRecurringCheckout(request);
    orders.markAsPaid.mockRejectedValueOnce(new Error('the database is away'));
    service.pay(response.uuid);
    await clock.advance(0);
    expect(service.deliveries[0]?.attempts.map(({ httpStatus }) => httpStatus)).toEqual([500]);
    await clock.advance(60_000);
    expect(service.deliveries[0]?.attempts.map(({ httpStatus }) => httpStatus)).toEqual([500, 200]);
    expect(orders.markAsPaid.mock.calls).toEqual([['order-1'], ['order-1']]);
  });

  test('is not paid because somebody who knows the credentials says so', async () => {
    const { listener } = start();
    const { response } = await client.createRecurringCheckout(request);
    const forged = notificationRequest('payment', { saleToken: response.uuid }, credentials);
    expect((await listener(forged)).status).toBe(500); // the service says that it is pending
    expect(orders.markAsPaid).not.toHaveBeenCalled();
  });
});
