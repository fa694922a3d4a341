import { http } from 'msw';
import { setupServer } from 'msw/node';
import { PaymentsClient } from 'pix-automatic-sdk';
import { JourneyJournal, MemoryJourneyRecords } from 'pix-automatic-sdk/journal';
import { fakeClock, fixtures, mockService, notificationRequest } from 'pix-automatic-sdk/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createListener, subscribe } from './shop';

const credentials = { apiKey: 'test-key', apiToken: 'test-token' };
const baseUrl = 'https://service.example';
const client = new PaymentsClient({ baseUrl, ...credentials });
const orders = { markAsPaid: vi.fn(), addRefund: vi.fn(), askAPerson: vi.fn() };
beforeEach(() => vi.resetAllMocks());

/** The shop's journal and listener, which have seen nothing yet. */
function openShop() {
  const journal = new JourneyJournal({ client, records: new MemoryJourneyRecords() });
  return { journal, listener: createListener(credentials, client, journal, orders) };
}

describe('a notification', () => {
  test('adds a refund once, however often it is delivered', async () => {
    const { listener } = openShop();
    const deliver = () => listener(notificationRequest('refund', { refund: { amount: 5 } }, credentials));
    expect((await deliver()).status).toBe(200);
    expect((await deliver()).status).toBe(200);
    expect(orders.addRefund.mock.calls).toEqual([[fixtures.refund().saleToken, 5]]);
  });

  test('of somebody else is refused', async () => {
    const forged = notificationRequest('payment', {}, { ...credentials, apiToken: 'guessed' });
    expect((await openShop().listener(forged)).status).toBe(401);
    expect(orders.markAsPaid).not.toHaveBeenCalled();
  });
});

describe('a subscription', () => {
  const request = fixtures.recurringCheckoutRequest();
  const server = setupServer();
  beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
  afterAll(() => server.close());

  /** The shop, the service that notifies it, and a clock that only the test moves. */
  function start() {
    const clock = fakeClock();
    const shop = openShop();
    const service = mockService({ http, baseUrl, credentials, clock, deliverTo: shop.listener });
    server.resetHandlers(...service.handlers);
    return { clock, service, ...shop };
  }

  test('shows the same QR code to two clicks at once', async () => {
    const { journal, service } = start();
    const click = () => subscribe(journal, 'order-1', request);
    const [first, second] = await Promise.all([click(), click()]);
    expect(first.qrCode.plain).toMatch(/^000201/);
    expect(second).toEqual(first);
    expect(service.transactions).toHaveLength(1);
  });

  test('goes on under a second reference when nobody knows what became of the first', async () => {
    const { journal, service, clock } = start();
    service.fault('createRecurringCheckout', { kind: 'status', status: 504, takesEffect: true });
    await expect(subscribe(journal, 'order-1', request)).rejects.toMatchObject({ outcome: 'unknown' });
    const { uuid, referenceCode } = await subscribe(journal, 'order-1', request);
    expect(referenceCode).toBe('order-1-2');

    // Nobody was shown the QR code of the first. Should it be paid, a person looks at it.
    const lost = service.transactions.find((each) => each.uuid !== uuid)?.uuid ?? '';
    service.pay(lost);
    await clock.advance(0);
    expect(orders.askAPerson.mock.calls).toEqual([[lost]]);
    expect(orders.markAsPaid).not.toHaveBeenCalled();
  });

  test('is paid with the retry when the database was away, a minute later and in no time', async () => {
    const { journal, service, clock } = start();
    const { uuid } = await subscribe(journal, 'order-1', request);
    orders.markAsPaid.mockRejectedValueOnce(new Error('the database is away'));
    service.pay(uuid);
    await clock.advance(0);
    expect(service.deliveries[0]?.attempts.map(({ httpStatus }) => httpStatus)).toEqual([500]);
    await clock.advance(60_000);
    expect(service.deliveries[0]?.attempts.map(({ httpStatus }) => httpStatus)).toEqual([500, 200]);
    expect(orders.markAsPaid.mock.calls).toEqual([['order-1'], ['order-1']]);
  });

  test('is not paid because somebody who knows the credentials says so', async () => {
    const { journal, listener } = start();
    const { uuid } = await subscribe(journal, 'order-1', request);
    const forged = notificationRequest('payment', { saleToken: uuid }, credentials);
    expect((await listener(forged)).status).toBe(500); // the service says that it is pending
    expect(orders.markAsPaid).not.toHaveBeenCalled();
  });
});
