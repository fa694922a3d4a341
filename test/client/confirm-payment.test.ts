import { confirmPayment, InvalidRequestError, type Transaction } from 'pix-automatic-sdk';
import { describe, expect, it, vi } from 'vitest';
import { reply, stall, startHttpServer } from '../helpers/http-server';
import { clientFor, failureOf } from './support';

const transaction = {
  uuid: 'uuid-1',
  situation: 'PAID',
  amount: 59.7,
  currency: 'BRL',
  referenceCode: 'order-1',
};
const payload = {
  saleToken: 'uuid-1',
  newStatus: 'PAID',
  amount: 59.7,
  currency: 'BRL',
  referenceCode: 'order-1',
};

const source = (answer: Transaction) => ({ getTransaction: vi.fn(async () => answer) });
const notification = (change: object = {}) => ({
  kind: 'payment' as const,
  payload: { ...payload, ...change },
});

it('a payment that the service has as PAID, without a difference, is confirmed', async () => {
  const server = await startHttpServer(reply(200, transaction));
  const confirmation = await confirmPayment(clientFor(server), notification());
  expect(confirmation).toEqual({ confirmed: true, transaction, differences: [] });
  expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /v1.1/transactions/uuid-1',
  ]);
});

describe('a difference', () => {
  it.each([
    ['uuid', { uuid: 'uuid-2' }, 'uuid-1', 'uuid-2'],
    ['amount', { amount: 59.69 }, 59.7, 59.69],
    ['amount', { amount: 0 }, 59.7, 0],
    ['currency', { currency: 'USD' }, 'BRL', 'USD'],
    ['referenceCode', { referenceCode: '' }, 'order-1', ''],
    ['situation', { situation: 'PENDING' }, 'PAID', 'PENDING'],
    ['situation', { situation: 'CANCELLED' }, 'PAID', 'CANCELLED'],
    ['situation', { situation: 'paid' }, 'PAID', 'paid'],
  ])('of %s (%j) is not confirmed', async (field, change, notified, queried) => {
    const confirmation = await confirmPayment(source({ ...transaction, ...change }), notification());
    expect(confirmation.confirmed).toBe(false);
    expect(confirmation.differences).toEqual([{ field, notified, queried }]);
  });

  it('of everything is told field by field', async () => {
    const other = { uuid: 'x', situation: 'PENDING', amount: 1, currency: 'USD', referenceCode: 'x' };
    const { differences } = await confirmPayment(source(other), notification());
    expect(differences.map(({ field }) => field)).toEqual([
      'uuid',
      'amount',
      'currency',
      'referenceCode',
      'situation',
    ]);
  });
});

it.each([undefined, null])('a situation that is %s confirms nothing', async (situation) => {
  const confirmation = await confirmPayment(source({ ...transaction, situation }), notification());
  expect(confirmation).toMatchObject({ confirmed: false, differences: [{ field: 'situation' }] });
});

it.each(['amount', 'currency', 'referenceCode'])(
  '%s is compared only where both sides have it',
  async (field) => {
    for (const absent of [undefined, null]) {
      const one = await confirmPayment(source({ ...transaction, [field]: absent }), notification());
      const other = await confirmPayment(source(transaction), notification({ [field]: absent }));
      expect([one.confirmed, other.confirmed]).toEqual([true, true]);
    }
  },
);

it('an answer without a uuid is that of the uuid that was asked for', async () => {
  const { uuid: _, ...rest } = transaction;
  expect(await confirmPayment(source(rest), notification())).toMatchObject({ confirmed: true });
});

it.each(['saleStatus', 'refund', 'reversal', 'payout', 'unrecognized', undefined])(
  'a notification of kind %s confirms no payment, and the service is not asked',
  async (kind) => {
    const client = source(transaction);
    const thrown = await failureOf(confirmPayment(client, { kind, payload } as never));
    expect(thrown).toBeInstanceOf(InvalidRequestError);
    expect(client.getTransaction).not.toHaveBeenCalled();
  },
);

it('takes five seconds at most, retries included, so that the listener answers promptly', async () => {
  const client = source(transaction);
  await confirmPayment(client, notification());
  expect(client.getTransaction).toHaveBeenCalledExactlyOnceWith('uuid-1', {
    timeoutMs: 5_000,
    totalTimeoutMs: 5_000,
  });
});

it('takes no longer than timeoutMs', async () => {
  const server = await startHttpServer(stall);
  const started = performance.now();
  const thrown = await failureOf(confirmPayment(clientFor(server), notification(), { timeoutMs: 120 }));
  expect(thrown.code).toBe('timeout');
  expect(performance.now() - started).toBeLessThan(3_000);
});

it('a time-out that cannot be is refused', async () => {
  const client = source(transaction);
  expect(await failureOf(confirmPayment(client, notification(), { timeoutMs: 0 }))).toMatchObject({
    code: 'configuration',
  });
  expect(client.getTransaction).not.toHaveBeenCalled();
});

it('throws what the query throws, so that the notification comes again', async () => {
  const server = await startHttpServer(reply(404));
  expect(await failureOf(confirmPayment(clientFor(server), notification()))).toMatchObject({
    httpStatus: 404,
  });
});

it('a saleToken that would be another path is refused', async () => {
  const server = await startHttpServer(reply(200, transaction));
  const thrown = await failureOf(confirmPayment(clientFor(server), notification({ saleToken: '..' })));
  expect(thrown.code).toBe('invalid_request');
  expect(server.requests).toEqual([]);
});
