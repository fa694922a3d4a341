import { ConfigurationError, InvalidRequestError } from 'pix-automatic-sdk';
import { fixtures, notificationRequest, recurrencePayments } from 'pix-automatic-sdk/testing';
import { createWebhookHandler } from 'pix-automatic-sdk/webhooks';
import { expect, it, vi } from 'vitest';
import { credentials } from './support';

it('makes a payment a month, of one order, with a sale token of the form of a uuid each', () => {
  const payments = recurrencePayments({ times: 3, initialDate: '2027-01-31' }, { amount: 29.9 });
  expect(payments.map(({ date, amount }) => [date, amount])).toEqual([
    ['2027-01-31 08:00:00', 29.9],
    ['2027-02-28 08:00:00', 29.9],
    ['2027-03-31 08:00:00', 29.9],
  ]);
  const { saleToken, referenceCode } = fixtures.payment();
  expect(payments[0]?.saleToken).toBe(saleToken);
  expect(new Set(payments.map((payment) => payment.saleToken)).size).toBe(3);
  expect(
    payments.every((payment) => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(payment.saleToken)),
  ).toBe(true);
  expect(new Set(payments.map((payment) => payment.referenceCode))).toEqual(new Set([referenceCode]));
  expect(recurrencePayments()).toHaveLength(12);
  expect(recurrencePayments({ times: 2, periodicity: 'WEEKLY' })[1]?.date).toBe('2027-01-22 08:00:00');
});

it('is acted on once a month with a token each, and once for all with the same one', async () => {
  for (const [saleTokens, times] of [
    ['own', 3],
    ['same', 1],
  ] as const) {
    const payment = vi.fn();
    const handler = createWebhookHandler({ credentials, on: { payment: (given) => payment(given) } });
    for (const each of recurrencePayments({ times: 3, saleTokens })) {
      expect((await handler(notificationRequest('payment', each, credentials))).status).toBe(200);
    }
    expect(payment).toHaveBeenCalledTimes(times);
  }
});

it('refuses what cannot work', () => {
  expect(() => recurrencePayments({ times: 0 })).toThrow(ConfigurationError);
  expect(() => recurrencePayments({ times: 1.5 })).toThrow(ConfigurationError);
  expect(() => recurrencePayments({ initialDate: '2027-02-30' })).toThrow(RangeError);
  expect(() => recurrencePayments({}, { amount: 'x' as never })).toThrow(InvalidRequestError);
});
