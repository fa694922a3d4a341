import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { allPlaces, type PlaceKind, Shop } from './places';

// Whoever forgets `start()` hears of it from the listener.

const HOUR = 3_600_000;

function testIn(kind: PlaceKind): void {
  describe.skipIf(!kind.isThere)(`not_maintained, over ${kind.name}`, () => {
    beforeAll(kind.prepare);
    afterAll(kind.close);
    beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
    afterEach(() => void vi.useRealTimers());

    const opened = () => {
      const shop = new Shop(kind.open());
      const { later } = shop.place;
      if (later === undefined) throw new Error('Its clock cannot be moved.');
      return {
        shop,
        /** Lets time pass for the database and for the process. */
        async pass(hours: number) {
          await later(hours * HOUR);
          vi.advanceTimersByTime(hours * HOUR);
        },
      };
    };

    /** Has the listener answer something, and gives the reports once it has had time to look. */
    async function told(shop: Shop, orders = shop.orders) {
      shop.reports.length = 0;
      expect((await orders.webhook(new Request('https://shop.example/webhooks'))).status).toBe(405);
      await new Promise((resolve) => setTimeout(resolve, 100));
      return shop.reports;
    }

    const NOTHING = ['method_not_allowed'];
    const TOLD = ['method_not_allowed', 'not_maintained'];

    it('counts 25 hours from the first answer where none has ever run', async () => {
      const { shop, pass } = opened();
      expect(await told(shop)).toEqual(NOTHING);
      await pass(24);
      expect(await told(shop)).toEqual(NOTHING);
      await pass(2);
      expect(await told(shop)).toEqual(TOLD);
    });

    it('counts 25 hours from the end of the last run', async () => {
      const { shop, pass } = opened();
      expect(await told(shop)).toEqual(NOTHING);
      await pass(24);
      await shop.orders.maintain();
      await pass(24);
      expect(await told(shop)).toEqual(NOTHING);
      await pass(2);
      expect(await told(shop)).toEqual(TOLD);
      await shop.orders.maintain();
      await pass(24);
      expect(await told(shop)).toEqual(NOTHING);
    });

    it('tells it once a day and process', async () => {
      const { shop, pass } = opened();
      await shop.orders.maintain();
      await pass(26);
      expect(await told(shop)).toEqual(TOLD);
      await pass(2);
      expect(await told(shop)).toEqual(NOTHING);
      expect(await told(shop, shop.process())).toEqual(TOLD);
      await pass(23);
      expect(await told(shop)).toEqual(TOLD);
    });

    it('looks once an hour', async () => {
      const { shop } = opened();
      await shop.orders.maintain();
      expect(await told(shop)).toEqual(NOTHING);
      await shop.place.later?.(26 * HOUR);
      expect(await told(shop)).toEqual(NOTHING);
      vi.advanceTimersByTime(HOUR);
      expect(await told(shop)).toEqual(TOLD);
    });
  });
}

for (const kind of (await allPlaces()).slice(0, 2)) testIn(kind);

describe('not_maintained', () => {
  it('is a report like others: of severity alert, with the way out', async () => {
    const [memory] = await allPlaces();
    const shop = new Shop((memory as PlaceKind).open(), {}, {
      onReport: (report: { code: string; severity: string; status: number; message: string }) =>
        seen.push(report),
    } as never);
    const seen: { code: string; severity: string; status: number; message: string }[] = [];
    await shop.orders.maintain();
    await shop.place.later?.(26 * HOUR);
    await shop.orders.webhook(new Request('https://shop.example/webhooks'));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(seen.at(-1)).toMatchObject({ code: 'not_maintained', severity: 'alert', status: 200 });
    expect(seen.at(-1)?.message).toContain('orders.start()');
  });
});
