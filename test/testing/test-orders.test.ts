import { ConfigurationError } from 'pix-automatic-sdk';
import { createOrders, type PaidOrder } from 'pix-automatic-sdk/orders';
import { fixtures, type MockService, type OrdersParts, testOrders } from 'pix-automatic-sdk/testing';
import { MemoryStore } from 'pix-automatic-sdk/webhooks';
import { describe, expect, it, vi } from 'vitest';
import { stepsOf } from '../../src/stores/steps';
import { type FakeTransact, fakeTransact } from '../helpers/fake-transact';
import { storeOf } from '../helpers/store-of';

const { referenceCode: _, ...request } = fixtures.recurringCheckoutRequest({ amount: 59.7 });

/** Orders that note what they book. */
function openShop() {
  const booked: string[] = [];
  const seen: PaidOrder[] = [];
  const reports: string[] = [];
  const make = (parts: OrdersParts) =>
    createOrders({
      ...parts,
      on: {
        paid: async (payment) => {
          booked.push(payment.sale);
          seen.push(payment);
        },
        returned: async ({ amount, left }) => void booked.push(`${amount} back, ${left} left`),
      },
      onReport: ({ code }) => void reports.push(code),
    });
  return { ...testOrders(make), booked, seen, reports };
}

/** The end of each attempt of the first delivery. */
const trace = ({ deliveries: [delivery] }: MockService) =>
  delivery?.attempts.map(({ httpStatus, error }) => httpStatus ?? error).join(', ');

describe('orders under test', () => {
  it('are opened, paid and refunded with one call each, and every payment is confirmed', async () => {
    const { orders, service, pay, refund, booked, reports } = openShop();
    const order = await orders.open('order-1', request);
    expect(await pay(order)).toMatchObject({ kind: 'payment', status: 'delivered' });
    expect(await refund(order, { amount: 5 })).toMatchObject({ kind: 'refund', status: 'delivered' });
    expect(booked).toEqual([order.uuid, '5 back, 54.7 left']);
    expect(await orders.open('order-1', request)).toMatchObject({ state: 'paid' });
    expect(service.deliveries).toHaveLength(2);
    expect(reports).toEqual([]);
  });

  it('are found paid by reconcile when every delivery was lost', async () => {
    const { orders, service, client, pay, clock, booked } = openShop();
    const order = await orders.open('order-1', request);
    service.setWebhookUrl(undefined);
    expect(await pay(order)).toBeUndefined();
    await clock.advance(24 * 60 * 60 * 1000);
    expect(booked).toEqual([]);
    expect(await orders.maintain()).toMatchObject({ skipped: false, reconciled: { paid: 1 } });
    expect(booked).toEqual([order.uuid]);
    expect(await client.getTransaction(order.uuid ?? '')).toMatchObject({ situation: 'PAID' });
  });

  it('see the same payment again after a crash before the completion', async () => {
    const { orders, service, pay, crash, clock, booked, seen, reports } = openShop();
    const order = await orders.open('order-1', request);
    crash();
    await pay(order);
    await clock.advance(60_000);
    expect(trace(service)).toBe('ECONNRESET, 200');
    expect(booked).toEqual([order.uuid, order.uuid]);
    expect(seen.map(({ isFirst }) => isFirst)).toEqual([true, true]);
    // The crash was one.
    await service.redeliver('delivery-1');
    expect(booked).toHaveLength(2);
    expect(reports).toEqual([]);
  });

  it('keep the crash for a callback that succeeds', async () => {
    const fails = vi.fn().mockRejectedValueOnce(new Error('the database is away'));
    const { orders, service, pay, crash, clock } = testOrders((parts) =>
      createOrders({ ...parts, on: { paid: fails, returned: 'ignore' }, onReport: () => {} }),
    );
    crash();
    await pay(await orders.open('order-1', request));
    await clock.advance(120_000);
    expect(trace(service)).toBe('500, ECONNRESET, 200');
  });

  it('book once over a crash in your own transaction', async () => {
    const committed: string[] = [];
    const memory = stepsOf(new MemoryStore());
    const transact: FakeTransact<string[]> = async (asked, work) => {
      const claim = await memory.claim(asked.subject, asked.state, { leaseMs: 1_000, withinMs: 1_000 });
      if (claim.status !== 'claimed') return claim;
      const transaction: string[] = [];
      const writes: Parameters<typeof memory.writeRecord>[] = [];
      const writeRecord = async (...write: (typeof writes)[number]) => writes.push(write) > 0;
      await work(transaction, claim, { ...memory, writeRecord }).catch(async (error: unknown) => {
        await memory.release(claim);
        throw error;
      });
      committed.push(...transaction);
      for (const write of writes) await memory.writeRecord(...write);
      await memory.complete(claim, { retentionMs: asked.retentionMs, withinMs: 1_000 });
      return { status: 'completed' };
    };
    const { orders, service, pay, crash, clock } = testOrders(
      (parts: OrdersParts<string[]>) =>
        createOrders({
          ...parts,
          on: { paid: async ({ sale }, { transaction }) => transaction.push(sale), returned: 'ignore' },
          onReport: () => {},
        }),
      { store: storeOf({ ...memory, transact: fakeTransact(transact) }) },
    );
    const order = await orders.open('order-1', request);
    crash();
    await pay(order);
    expect(committed).toEqual([]);
    await clock.advance(60_000);
    expect(committed).toEqual([order.uuid]);
    expect(service.deliveries).toMatchObject([{ status: 'delivered', attempts: { length: 2 } }]);
  });

  it('refuse to pay what has no uuid', async () => {
    await expect(openShop().pay({})).rejects.toThrow(ConfigurationError);
  });
});
