import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { notificationRequest } from '../../src/testing';
import type { NotificationOverrides } from '../../src/testing/notification-request';
import { defineNotification } from '../../src/webhooks';
import { allPlaces, newId, type PlaceKind, Shop } from './places';
import { credentials as fresh } from './support';

const HOUR = 3_600_000;
const leaked = { apiKey: 'leaked', apiToken: 'pair' };

/** A shop during a rotation, and the same shop once only the new pair is valid. */
function rotating(kind: PlaceKind) {
  const during = new Shop(kind.open(), {}, { credentials: [leaked, fresh] });
  const options = { credentials: fresh, onReport: undefined };
  const after = new Shop(during.place, {}, options, during);
  const forge = async (name: keyof NotificationOverrides, body: object) =>
    (await during.orders.webhook(notificationRequest(name, body as never, leaked))).status;
  /** A refund that nobody has made, of a sale that is not booked yet. */
  const forgeRefund = (sale: string) => {
    const refund = { uuid: newId(), amount: 50, status: 'PAID' };
    const sums = { currency: 'BRL', reversedAmount: 50, amountRefunded: 50 };
    return forge('refund', { saleToken: sale, referenceCode: during.key, ...sums, refund, status: 'PAID' });
  };
  return { during, after, forge, forgeRefund };
}

function testIn(kind: PlaceKind): void {
  describe.skipIf(!kind.isThere)(`a letter that a leaked pair has made, over ${kind.name}`, () => {
    beforeAll(kind.prepare);
    afterAll(kind.close);

    /** Ways that book the sale of an early return, which runs what waits for it. */
    const ways: Record<string, (shop: Shop, sale: string) => Promise<unknown>> = {
      'a delivery of its sale': (shop, sale) => shop.pay(sale),
      'a delivery of its sale, twice': async (shop, sale) => [await shop.pay(sale), await shop.pay(sale)],
      'a reconciliation that finds its sale': async (shop, sale) => {
        shop.says(sale);
        await shop.orders.reconcile();
      },
      'an `open` that finds its sale': async (shop, sale) => {
        shop.says(sale);
        await expect(shop.open({ amount: 12 }, { replace: true })).rejects.toMatchObject({ state: 'paid' });
      },
      'a maintenance': async (shop, sale) => {
        shop.says(sale);
        await shop.orders.maintain();
        shop.place.skip?.(2 * HOUR);
        await shop.orders.maintain();
      },
      'a replay of all that is due': async (shop, sale) => {
        await shop.pay(sale);
        shop.place.skip?.(2 * HOUR);
        await shop.orders.webhook.replay();
      },
      'a replay of the letter of its sale': async (shop, sale) => {
        // The service does not answer: the payment becomes a letter.
        const body = { saleToken: sale, referenceCode: shop.key, amount: 59.7, currency: 'BRL' };
        expect(await shop.deliver('payment', body)).toBe(500);
        shop.says(sale);
        const letters = await shop.orders.webhook.deadLetters.list();
        const results = await shop.orders.webhook.replay(letters.filter((each) => each.kind === 'payment'));
        expect(results).toMatchObject([{ status: 'done' }]);
      },
      'a decision about its sale': async (shop, sale) => {
        const body = { saleToken: sale, referenceCode: shop.key, amount: 59.7, currency: 'BRL' };
        expect(await shop.deliver('payment', body)).toBe(500);
        shop.says(sale);
        await shop.book(sale);
      },
    };

    it.each(Object.keys(ways))('is not run by %s after the rotation', async (way) => {
      const { during, after, forgeRefund } = rotating(kind);
      const sale = await during.uuid();
      expect(await forgeRefund(sale)).toBe(200);
      expect(await during.cases()).toEqual([`early_return ${sale}`]);
      await ways[way]?.(after, sale);
      const booked = [`paid ${sale} 59.7 first`];
      expect(await after.lines()).toEqual(booked);
      // It waits for a person, who may know better.
      const { id } = await after.caseOf('early_return');
      expect(await after.book(id)).toBe('booked');
      expect(await after.lines()).toEqual([...booked, `returned ${sale} 50 left 9.7`]);
    });

    it('is run by each of these ways before the rotation, while the pair is valid', async () => {
      const { during, forgeRefund } = rotating(kind);
      const sale = await during.uuid();
      await forgeRefund(sale);
      await during.pay(sale);
      expect(await during.lines()).toEqual([`paid ${sale} 59.7 first`, `returned ${sale} 50 left 9.7`]);
    });

    it('is tried again if it is a payment, because the service confirms it', async () => {
      const { during, after, forge } = rotating(kind);
      const sale = await during.uuid();
      const body = { saleToken: sale, referenceCode: during.key, amount: 59.7, currency: 'BRL' };
      expect(await forge('payment', body)).toBe(500);
      after.says(sale);
      const letters = await after.orders.webhook.deadLetters.list();
      // Its time has come over memory alone, whose clock can be moved.
      after.place.skip?.(2 * HOUR);
      await after.orders.webhook.replay(after.place.skip === undefined ? letters : undefined);
      expect(await after.lines()).toEqual([`paid ${sale} 59.7 first`]);
    });

    it('is not run as something that nobody confirms, if a payment is read as that today', async () => {
      const place = kind.open();
      const raw = { charge: newId() };
      const asPayment = (body: Readonly<Record<string, unknown>>) => ({ saleToken: String(body['charge']) });
      const before = new Shop(place, {}, { credentials: [leaked, fresh], asPayment });
      // The service does not know such a sale.
      const answer = await before.orders.webhook(notificationRequest('custom', raw, leaked));
      expect(answer.status).toBe(500);
      const acted: unknown[] = [];
      const charge = defineNotification({
        kind: 'charge',
        match: (body) => typeof body['charge'] === 'string',
        schema: {
          '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
        } as never,
        subject: (body: { charge: string }) => body.charge,
      });
      const on = { charge: async (each: { payload: unknown }) => void acted.push(each.payload) };
      const after = new Shop(place, {}, { credentials: fresh, kinds: [charge], on } as never, before);
      expect(await before.cases()).toHaveLength(1);
      after.place.skip?.(2 * HOUR);
      await after.orders.webhook.replay();
      expect(acted).toEqual([]);
      // Asked for, it runs.
      await after.orders.webhook.replay(await after.orders.webhook.deadLetters.list());
      expect(acted).toEqual([raw]);
    });
  });
}

for (const kind of (await allPlaces()).filter(({ name }) => /memory|transactions/.test(name))) testIn(kind);
