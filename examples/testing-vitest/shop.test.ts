import { http } from 'msw';
import { setupServer } from 'msw/node';
import { PaymentsClient } from 'pix-automatic-sdk';
import { fakeClock, fixtures, mockService, notificationRequest } from 'pix-automatic-sdk/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { openShop, subscribe } from './shop';

const credentials = { apiKey: 'test-key', apiToken: 'test-token' };
const baseUrl = 'https://service.example';
const client = new PaymentsClient({ baseUrl, ...credentials });
const database = { markAsPaid: vi.fn(), addRefund: vi.fn(), askAPerson: vi.fn() };
beforeEach(() => vi.resetAllMocks());

/** A shop that has seen nothing yet. */
const newShop = () => openShop(credentials, client, database);

describe('a notification', () => {
  test('adds a refund once, however often it is delivered', async () => {
    const shop = newShop();
    const deliver = () => shop.webhook(notificationRequest('refund', { refund: { amount: 5 } }, credentials));
    expect((await deliver()).status).toBe(200);
    expect((await deliver()).status).toBe(200);
    expect(database.addRefund.mock.calls).toEqual([[fixtures.refund().saleToken, 5]]);
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

  test('shows the same QR code to two clicks at once', async () => {
    const { shop, service } = start();
    const click = () => subscribe(shop, 'order-1', request);
    const [first, second] = await Promise.all([click(), click()]);
    expect(first).toMatchObject({ state: 'open', qrCode: { plain: expect.stringMatching(/^000201/) } });
    expect(second).toEqual(first);
    expect(service.transactions).toHaveLength(1);
  });

  test('goes on under a second reference when nobody knows what became of the first', async () => {
    const { shop, service, clock } = start();
    service.fault('createRecurringCheckout', { kind: 'status', status: 504, takesEffect: true });
    await expect(subscribe(shop, 'order-1', request)).rejects.toMatchObject({ outcome: 'unknown' });
    const { uuid, referenceCode } = await subscribe(shop, 'order-1', request);
    expect(referenceCode).toBe('order-1-2');

    // Nobody was shown the QR code of the first. Should it be paid, a person looks at it.
    const lost = service.transactions.find((each) => each.uuid !== uuid)?.uuid ?? '';
    service.pay(lost);
    await clock.advance(0);
    expect(database.askAPerson.mock.calls).toEqual([[lost]]);
    expect(database.markAsPaid).not.toHaveBeenCalled();
  });

  test('is paid with the retry when the database was away, a minute later and in no time', async () => {
    const { shop, service, clock } = start();
    const { uuid } = await subscribe(shop, 'order-1', request);
    database.markAsPaid.mockRejectedValueOnce(new Error('the database is away'));
    service.pay(uuid ?? '');
    await clock.advance(0);
    expect(service.deliveries[0]?.attempts.map(({ httpStatus }) => httpStatus)).toEqual([500]);
    await clock.advance(60_000);
    expect(service.deliveries[0]?.attempts.map(({ httpStatus }) => httpStatus)).toEqual([500, 200]);
    expect(database.markAsPaid.mock.calls).toEqual([['order-1'], ['order-1']]);
  });

  test('is not paid because somebody who knows the credentials says so', async () => {
    const { shop } = start();
    const { uuid } = await subscribe(shop, 'order-1', request);
    const forged = notificationRequest('payment', { saleToken: uuid ?? '' }, credentials);
    expect((await shop.webhook(forged)).status).toBe(500); // the service says that it is pending
    expect(database.markAsPaid).not.toHaveBeenCalled();
  });
});
