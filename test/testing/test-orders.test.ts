import { ConfigurationError } from 'pix-automatic-sdk';
import { createOrders, type PaidOrder } from 'pix-automatic-sdk/orders';
import { SandboxError } from 'pix-automatic-sdk/sandbox';
import { fixtures, type MockService, type OrdersParts, testOrders } from 'pix-automatic-sdk/testing';
import { MemoryStore } from 'pix-automatic-sdk/webhooks';
import { describe, expect, it, vi } from 'vitest';
import { stepsOf } from '../../src/stores/steps';
import { allOf } from '../helpers/all-of';
import { type FakeTransact, fakeTransact } from '../helpers/fake-transact';
import { storeOf } from '../helpers/store-of';

const { referenceCode: _, ...request } = fixtures.recurringCheckoutRequest({
  amount: 59.7,
  recurrence: { amount: { recurrenceAmount: 29.9 } },
});

const MONTH = 30 * 24 * 60 * 60 * 1000;

/** Orders that note what they book. */
function openShop(options: Parameters<typeof testOrders<undefined>>[1] = {}) {
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
      asPayment: ({ yourSale, yourReference, yourAmount }) =>
        yourSale === undefined
          ? undefined
          : { saleToken: `${yourSale}`, referenceCode: `${yourReference}`, amount: Number(yourAmount) },
      onReport: ({ code }) => void reports.push(code),
    });
  return { ...testOrders(make, options), booked, seen, reports };
}

/** The end of each attempt of the first delivery. */
const trace = ({ deliveries: [delivery] }: Pick<MockService, 'deliveries'>) =>
  delivery?.attempts.map(({ httpStatus, error }) => httpStatus ?? error).join(', ');

describe('orders under test', () => {
  it('are opened, paid and refunded with one call each, and every payment is confirmed', async () => {
    const { orders, service, pay, refund, booked, reports } = openShop();
    const order = await orders.open('order-1', request);
    expect(await pay(order)).toMatchObject({ kind: 'payment', status: 'delivered' });
    expect(await refund(order, { amount: 5 })).toMatchObject({ kind: 'refund', status: 'delivered' });
    expect(booked).toEqual([order.uuid, '5 back, 54.7 left']);
    expect(await orders.open('order-1', request)).toMatchObject({ state: 'paid' });
    expect(service.deliveries.map(({ kind }) => kind)).toEqual(['payment', 'recurrence', 'refund']);
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

  it('see the charge again after a crash, and what else was sent about it once', async () => {
    const { orders, service, pay, charge, crash, clock, booked } = openShop();
    const order = await orders.open('order-1', request);
    await pay(order);
    crash();
    const { uuid } = await charge(order);
    await clock.advance(60_000);
    expect(
      service.deliveries
        .slice(2)
        .map(({ payload, attempts }) => [
          Object(payload)['eventType'],
          attempts.map(({ httpStatus, error }) => httpStatus ?? error).join(', '),
        ]),
    ).toEqual([
      ['RECURRENCE_CHARGE_SCHEDULED', '200'],
      ['RECURRENCE_CHARGE_PAID', 'ECONNRESET, 200'],
    ]);
    expect(booked).toEqual([order.uuid, uuid, uuid]);
    // The crash was one.
    await charge(order);
    expect(service.deliveries.slice(4).every(({ attempts }) => attempts.length === 1)).toBe(true);
  });

  it('book once over a crash in your own transaction', async () => {
    const committed: string[] = [];
    const memory = stepsOf(new MemoryStore());
    const transact: FakeTransact<string[]> = async (asked, work) => {
      const claim = await memory.claim(asked.subject, asked.state, { leaseMs: 1_000, withinMs: 1_000 });
      if (claim.status !== 'claimed') return claim;
      const transaction: string[] = [];
      const changes: (() => Promise<unknown>)[] = [];
      const changeRecord: typeof memory.changeRecord = async (prefix, id, next, read) => {
        const change = await next(read ?? (await memory.readRecord(prefix, id)));
        if (change !== undefined) changes.push(() => memory.changeRecord(prefix, id, next));
        return change?.value;
      };
      await work(transaction, claim, { ...memory, changeRecord }).catch(async (error: unknown) => {
        await memory.release(claim);
        throw error;
      });
      committed.push(...transaction);
      for (const change of changes) await change();
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
    expect(service.deliveries).toMatchObject([
      { kind: 'payment', status: 'delivered', attempts: { length: 2 } },
      { kind: 'recurrence', status: 'delivered', attempts: { length: 1 } },
    ]);
  });

  it('are charged month by month, as a sale of its own, and each month is refunded by itself', async () => {
    const { orders, service, client, pay, charge, refund, clock, booked, seen, reports } = openShop();
    const order = await orders.open('order-1', request);
    await pay(order);
    // More months than the mocked service schedules at a time.
    for (let month = 2; month <= 6; month++) {
      await clock.advance(MONTH);
      const { uuid, delivery } = await charge(order);
      expect(delivery).toMatchObject({
        payload: { eventType: 'RECURRENCE_CHARGE_PAID', saleToken: uuid, chargeAmount: 29.9 },
        status: 'delivered',
      });
      expect(await client.getTransaction(uuid)).toMatchObject({ situation: 'PAID', amount: 29.9 });
    }
    expect(seen.map(({ order, amount, isFirst }) => [order, amount, isFirst])).toEqual([
      ['order-1', 59.7, true],
      ...Array(5).fill(['order-1', 29.9, false]),
    ]);
    expect(new Set(booked).size).toBe(6);
    expect(
      service.scheduledPayments(order.uuid ?? '').map(({ dueDate, status }) => [dueDate, status]),
    ).toEqual([
      ...['2027-02-15', '2027-03-15', '2027-04-15', '2027-05-15', '2027-06-15'].map((day) => [day, 'PAID']),
      ['2027-07-15', 'SCHEDULED'],
    ]);
    const { uuid } = await charge(order);
    expect(await refund({ uuid }, { amount: 9.9 })).toMatchObject({ status: 'delivered' });
    expect(booked.slice(-2)).toEqual([uuid, '9.9 back, 20 left']);
    expect(reports).toEqual([]);
  });

  it("are charged in a body of the service's own", async () => {
    const { orders, pay, charge, seen } = openShop();
    const order = await orders.open('order-1', request);
    await pay(order);
    const { uuid, delivery } = await charge(order, {
      as: ({ sale, referenceCode, amount, currency, date }) => {
        expect([currency, date]).toEqual(['BRL', '2027-01-15 12:00:00']);
        return { yourSale: sale, yourReference: referenceCode, yourAmount: amount };
      },
    });
    expect(delivery).toMatchObject({ kind: 'custom', status: 'delivered' });
    expect(seen.at(-1)).toMatchObject({ sale: uuid, order: 'order-1', amount: 29.9, isFirst: false });
  });

  it('are charged under the first sale, which a person books', async () => {
    const { orders, pay, charge, clock, seen } = openShop();
    const order = await orders.open('order-1', request);
    await pay(order);
    await clock.advance(MONTH);
    const { uuid, delivery } = await charge(order, { as: 'same-sale', amount: 59.7 });
    expect([uuid, delivery?.status]).toEqual([order.uuid, 'delivered']);
    const { id = '', reason } = (await allOf(orders.cases()))[0] ?? {};
    expect([reason, seen.length]).toEqual(['unexpected_repeat', 1]);
    expect(await orders.decide(id, 'book')).toEqual({ status: 'booked' });
    expect(seen.map(({ isFirst }) => isFirst)).toEqual([true, false]);
  });

  it('have a case for a charge of another sum, until it is decided', async () => {
    const { orders, pay, charge, seen } = openShop();
    const order = await orders.open('order-1', request);
    await pay(order);
    await charge(order, { amount: 31 });
    const [{ id, reason, amount } = { id: '', reason: '', amount: 0 }] = await allOf(orders.cases());
    expect([reason, amount, seen.length]).toEqual(['other_amount', 31, 1]);
    expect(await orders.decide(id, 'book')).toEqual({ status: 'booked' });
    expect(seen.at(-1)).toMatchObject({ amount: 31, isFirst: false });
    expect(await allOf(orders.cases())).toEqual([]);
  });

  it('are charged for the first time where the payer has only authorized', async () => {
    const { orders, authorize, charge, seen } = openShop();
    const order = await orders.open('order-1', {
      ...request,
      recurrence: { ...request.recurrence, immediatePayment: false },
    });
    await expect(charge(order)).rejects.toThrow(SandboxError);
    expect(await authorize(order)).toMatchObject({ payload: { eventType: 'RECURRENCE_AUTHORIZED' } });
    await charge(order);
    expect(seen).toMatchObject([{ order: 'order-1', amount: 29.9, isFirst: true }]);
  });

  it('hold a refund that overtakes its payment until that is booked', async () => {
    const { orders, pay, refund, crash, clock, booked } = openShop();
    const order = await orders.open('order-1', request);
    crash();
    await pay(order);
    await refund(order, { amount: 5 });
    expect(await allOf(orders.cases())).toMatchObject([{ reason: 'early_return' }]);
    await clock.advance(60_000);
    expect(booked).toEqual([order.uuid, order.uuid, '5 back, 54.7 left']);
    expect(await allOf(orders.cases())).toEqual([]);
  });

  it('get a new QR code when theirs has expired, which the payer can no longer pay', async () => {
    const { orders, pay, clock, booked } = openShop();
    const first = await orders.open('order-1', { ...request, maxAge: 60 });
    await clock.advance(62 * 60_000);
    await expect(pay(first)).rejects.toThrow(SandboxError);
    const second = await orders.open('order-1', { ...request, maxAge: 60 });
    expect(second.uuid).not.toBe(first.uuid);
    await pay(second);
    expect(booked).toEqual([second.uuid]);
  });

  it('refuse a charge that cannot be', async () => {
    const { orders, service, pay, charge, refund } = openShop();
    const order = await orders.open('order-1', request);
    await expect(charge(order)).rejects.toThrow('A journey that is PENDING cannot be charged: `pay` first.');
    await pay(order);
    await expect(charge(order, { amount: 0 })).rejects.toThrow(SandboxError);
    const forms = '`as` must be `own-sale`, `same-sale`, or a function that makes a body.';
    await expect(charge(order, { as: 'sameSale' as never })).rejects.toThrow(forms);
    await expect(charge(order, { as: (() => {}) as never })).rejects.toThrow(
      'Expected the body as an object.',
    );
    await expect(charge({})).rejects.toThrow(ConfigurationError);
    await expect(charge(order, 31 as never)).rejects.toThrow('`charge(order, { amount })`, got a number');
    await expect(refund(order, 10 as never)).rejects.toThrow('`refund(uuid, { amount })`, got a number');
    await expect(charge(order, { fails: 'AM04', as: 'own-sale' })).rejects.toThrow('leave out `fails`');
    await expect(charge(order, { fails: 'XX01' as never })).rejects.toThrow('`fails` to be one of AM04');
    expect(service.deliveries).toHaveLength(2);
    service.setWebhookUrl(undefined);
    expect((await charge(order)).delivery).toBeUndefined();
  });

  it('are charged in the form that is asked for, whichever form the service has', async () => {
    for (const recurrenceEvents of ['events', 'payments', 'both', 'none'] as const) {
      const { orders, pay, charge, seen } = openShop({ inventions: { recurrenceEvents } });
      const order = await orders.open('order-1', request);
      await pay(order);
      const { uuid, delivery } = await charge(order, { as: 'own-sale' });
      expect(delivery).toMatchObject({ kind: 'payment', payload: { saleToken: uuid, newStatus: 'PAID' } });
      expect(seen, recurrenceEvents).toMatchObject([{ isFirst: true }, { sale: uuid, isFirst: false }]);
    }
  });

  it('are charged in each form of the service, and booked once', async () => {
    for (const [recurrenceEvents, kinds] of [
      ['events', ['recurrence', 'recurrence']],
      ['payments', ['payment']],
      ['both', ['recurrence', 'recurrence', 'payment']],
      ['none', []],
    ] as const) {
      const { orders, service, client, pay, charge, seen } = openShop({ inventions: { recurrenceEvents } });
      const order = await orders.open('order-1', request);
      await pay(order);
      const before = service.deliveries.length;
      const { uuid, delivery } = await charge(order);
      const sent = service.deliveries.slice(before);
      expect(sent.map(({ kind }) => kind)).toEqual(kinds);
      expect(delivery).toEqual(sent.at(-1));
      expect(await client.getTransaction(uuid)).toMatchObject({ situation: 'PAID', amount: 29.9 });
      expect(seen, recurrenceEvents).toHaveLength(kinds.length === 0 ? 1 : 2);
    }
  });

  it('are moved by the kit alone: a move of the service would not wait for the listener', async () => {
    const { service } = openShop();
    for (const move of ['pay', 'authorize', 'charge', 'cancelByPayer', 'refund'] as const) {
      expect(() => Reflect.get(service, move)('any')).toThrow(
        `Expected \`await ${move}(order)\`, with \`${move}\` of what \`testOrders\` gives.`,
      );
    }
  });

  it('refuse a function that leaves out the client of its parts', () => {
    const { client } = openShop();
    const on = { paid: async () => undefined, returned: 'ignore' as const };
    const make = () => createOrders({ client, store: new MemoryStore(), on });
    expect(() => testOrders(make)).toThrow(
      'Expected `make` to pass on its parts: `createOrders({ ...parts, on })`',
    );
  });

  it('refuse to pay what has no uuid', async () => {
    await expect(openShop().pay({})).rejects.toThrow(ConfigurationError);
  });

  it('say that `make` may have left out its parts, for an order of another service', async () => {
    const elsewhere = await openShop().orders.open('order-1', request);
    const { pay, refund, charge } = openShop();
    for (const move of [pay, refund, charge]) {
      await expect(move(elsewhere)).rejects.toThrow(
        'Does `make` pass its parts on: `createOrders({ ...parts',
      );
    }
  });
});

it.each<[string, unknown, unknown, string]>([
  ['nothing', undefined, {}, 'Expected `make` to be a function: `(parts) => createOrders({ ...parts, on: '],
  ['the callbacks', { on: {} }, {}, 'Expected `make` to be a function'],
  ['a function that returns nothing', () => undefined, {}, 'got undefined: is a `return` missing?'],
  ['an async function', async () => undefined, {}, 'got a promise: `make` must not be `async`'],
  ['callbacks among the options', () => undefined, { on: {} }, '`testOrders` has no option `on`.'],
])('testOrders with %s says what to pass', (_, make, options, says) => {
  expect(() => testOrders(make as never, options as never)).toThrow(says);
});
