import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBug } from '../webhooks/faults';
import { allPlaces, newId, type PlaceKind, Shop } from './places';
import { Subscription } from './subscription';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

// Money that went back before its payment was booked: `returned` runs once that is, however long it takes.

function testIn(kind: PlaceKind): void {
  describe.skipIf(!kind.isThere)(`early returns, over ${kind.name}`, () => {
    beforeAll(kind.prepare);
    afterAll(kind.close);
    const shop = (...more: [Shop['hooks']?, Shop['options']?]) => new Shop(kind.open(), ...more);
    const ignoring = { on: { foreign: 'ignore' } as never };
    const later = (s: Shop, ms: number) => s.place.later?.(ms);

    it('waits for a sale that leads to an order, longer than an hour, and is no money of nobody', async () => {
      const { fix, breaks } = createBug();
      const s = shop({ paid: breaks() }, ignoring);
      const [sale, id] = [await s.uuid(), newId()];
      expect(await s.pay(sale)).toBe(500);
      expect(await s.reverse(sale, id, 9.7, 'PAID')).toBe(200);
      await later(s, 2 * HOUR);
      expect(await s.reverse(sale, id, 9.7, 'PAID')).toBe(200);
      await s.orders.maintain();
      expect(await s.cases()).toEqual([`callback_failed ${sale}`, `early_return ${sale}`]);
      fix();
      expect(await s.pay(sale)).toBe(200);
      expect(await s.lines()).toEqual([`paid ${sale} 59.7 first`, `returned ${sale} 9.7 left 50`]);
      expect(await s.cases()).toEqual([]);
    });

    it('waits for a sale that nothing but its own case leads to an order', async () => {
      const { fix, breaks } = createBug();
      const s = shop({ paid: breaks() }, ignoring);
      s.client.answers.push(new Error('lost'));
      await expect(s.open()).rejects.toThrow('lost');
      const sale = newId();
      expect(await s.pay(sale)).toBe(500);
      expect(await s.reverse(sale, newId(), 9.7, 'PAID')).toBe(200);
      await later(s, 2 * HOUR);
      await s.orders.maintain();
      expect(await s.cases()).toEqual([`callback_failed ${sale}`, `early_return ${sale}`]);
      fix();
      expect(await s.pay(sale)).toBe(200);
      expect(await s.lines()).toEqual([`paid ${sale} 59.7 first`, `returned ${sale} 9.7 left 50`]);
    });

    it('waits for a charge that was money of nobody before its event came', async () => {
      const s = new Subscription(kind.open(), {}, ignoring);
      const own = await s.uuid();
      const sale = s.charged(newId(), { stated: 'another' });
      expect([await s.tellSale(sale), await s.tellPaid(sale)]).toEqual([200, 200]);
      expect(await s.reverse(sale, newId(), 9.7, 'PAID')).toBe(200);
      await later(s, 2 * HOUR);
      await s.orders.maintain();
      expect(await s.cases()).toEqual([`early_return ${sale}`, `other_sale ${sale}`]);
      expect(await s.pay(own)).toBe(200);
      await s.orders.maintain();
      await s.orders.maintain();
      expect(await s.lines()).toEqual([
        `paid ${own} 59.7 first`,
        `paid ${sale} 29.9 later`,
        `returned ${sale} 9.7 left 20.2`,
      ]);
      expect(await s.cases()).toEqual([]);
    });

    it('gives a return that leads to no order to `foreign` after an hour, and answers 500 where that throws', async () => {
      const { fix, breaks } = createBug();
      const seen: unknown[] = [];
      const foreign = breaks(({ kind: of }: { readonly kind: string }) => seen.push(of));
      const s = shop({}, { on: { foreign } as never });
      const [sale, id] = [newId(), newId()];
      expect(await s.reverse(sale, id, 9.7, 'PAID')).toBe(200);
      await later(s, 2 * HOUR);
      expect(await s.reverse(sale, id, 9.7, 'PAID')).toBe(500);
      expect(await s.cases()).toEqual([`callback_failed ${sale}`]);
      fix();
      expect(await s.reverse(sale, id, 9.7, 'PAID')).toBe(200);
      expect([seen, await s.cases()]).toEqual([['reversal'], []]);
    });

    it('runs a return that names another sale now, by the booking of that', async () => {
      const s = shop();
      await s.pay(await s.uuid());
      const [one, two, id] = [newId(), newId(), newId()];
      expect(await s.refund(one, id, 5)).toBe(200);
      expect(await s.refund(two, id, 5)).toBe(200);
      expect(await s.pay(two, { amount: 29.9 })).toBe(200);
      expect((await s.lines()).slice(1)).toEqual([`paid ${two} 29.9 later`, `returned ${two} 5 left 24.9`]);
      expect(await s.cases()).toEqual([]);
    });

    it('runs a return that was told again after its case was dropped, by the booking of its sale', async () => {
      const s = shop({}, ignoring);
      const [first, sale, id] = [await s.uuid(), newId(), newId()];
      await s.pay(first);
      expect(await s.reverse(sale, id, 9.7, 'PENDING')).toBe(200);
      expect(await s.reverse(sale, id, 9.7, 'PAID')).toBe(200);
      await later(s, 30.5 * DAY);
      expect(await s.reverse(sale, id, 9.7, 'PAID')).toBe(200);
      await later(s, HOUR / 2);
      expect(await s.cases()).toEqual([`early_return ${sale}`]);
      await later(s, DAY);
      expect(await s.pay(sale, { amount: 29.9 })).toBe(200);
      expect((await s.lines()).slice(1)).toEqual([
        `paid ${sale} 29.9 later`,
        `returned ${sale} 9.7 left 20.2`,
      ]);
    });
  });
}

const movable = (await allPlaces()).filter(({ name }) => name === 'memory' || name.startsWith('PostgreSQL'));
for (const kind of movable) testIn(kind);
