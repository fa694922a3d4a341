import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBug } from '../webhooks/faults';
import { allPlaces, newId, type PlaceKind, Shop } from './places';
import { refunded } from './support';

const HOUR = 3_600_000;

// One return is one, whether it is told as a refund or as a reversal: its uuid says so.

function testIn(kind: PlaceKind): void {
  describe.skipIf(!kind.isThere)(`a return that is told twice, over ${kind.name}`, () => {
    beforeAll(kind.prepare);
    afterAll(kind.close);
    const sold = async (hooks: Shop['hooks'] = {}) => {
      const s = new Shop(kind.open(), hooks);
      const sale = await s.uuid();
      await s.pay(sale);
      return [s, sale, newId()] as const;
    };
    const tellings: Record<string, (s: Shop, sale: string, id: string) => Promise<number>> = {
      refund: (s, sale, id) => s.refund(sale, id, 9.7),
      reversal: (s, sale, id) => s.reverse(sale, id, 9.7, 'PAID'),
    };
    const orders = [
      ['refund', 'reversal'],
      ['reversal', 'refund'],
    ] as const;

    it.each(orders)('runs `returned` once for a %s that is told as a %s too', async (one, other) => {
      const [s, sale, id] = await sold();
      expect([await tellings[one]?.(s, sale, id), await tellings[other]?.(s, sale, id)]).toEqual([200, 200]);
      expect((await s.lines()).slice(1)).toEqual([`returned ${sale} 9.7 left 50`]);
      expect(await s.cases()).toEqual([]);
      const { returns } = await s.orders.find({ key: s.key });
      expect(returns).toMatchObject([{ id, sale, amount: 9.7, status: 'PAID' }]);
      await s.refund(sale, newId(), 50);
      expect((await s.lines()).slice(2)).toEqual([`returned ${sale} 50 left 0`]);
    });

    it.each(orders)('runs it once where the %s has failed, and the %s succeeds', async (one, other) => {
      const { fix, breaks } = createBug();
      const [s, sale, id] = await sold({ returned: breaks() });
      expect(await tellings[one]?.(s, sale, id)).toBe(500);
      fix();
      expect([await tellings[other]?.(s, sale, id), await tellings[one]?.(s, sale, id)]).toEqual([200, 200]);
      expect((await s.lines()).slice(1)).toEqual([`returned ${sale} 9.7 left 50`]);
      expect(await s.cases()).toEqual([]);
    });

    it('runs it once where both are told at the same moment', async () => {
      const [s, sale, id] = await sold({ returned: () => sleep(60) });
      const [one, other] = await Promise.all([s.refund(sale, id, 9.7), s.reverse(sale, id, 9.7, 'PAID')]);
      // Without a transaction, the one that comes second waits for its next delivery.
      expect([one, other].filter((status) => status !== 200 && status !== 503)).toEqual([]);
      expect([await s.refund(sale, id, 9.7), await s.reverse(sale, id, 9.7, 'PAID')]).toEqual([200, 200]);
      expect((await s.lines()).slice(1)).toEqual([`returned ${sale} 9.7 left 50`]);
      expect(await s.cases()).toEqual([]);
    });

    it('is answered 503 while the other telling is at work: that may fail', async () => {
      let fail = (_: Error) => {};
      const works = new Promise<never>((_, reject) => {
        fail = reject;
      });
      let isAtWork = false;
      const returned = () => {
        isAtWork = true;
        return works;
      };
      const [s, sale, id] = await sold({ returned });
      const one = s.refund(sale, id, 9.7);
      await expect.poll(() => isAtWork).toBe(true);
      // In a transaction it waits for the lock of its order.
      const other = s.reverse(sale, id, 9.7, 'PAID');
      if (!kind.isTransactional) expect(await other).toBe(503);
      await sleep(50);
      fail(new Error('simulated'));
      expect(await one).toBe(500);
      expect(await other).not.toBe(200);
      expect((await s.lines()).slice(1)).toEqual([]);
    });

    it('runs it once where both came before their payment', async () => {
      const s = new Shop(kind.open());
      const [sale, id] = [await s.uuid(), newId()];
      await s.refund(sale, id, 9.7);
      await s.reverse(sale, id, 9.7, 'PAID');
      expect(await s.pay(sale)).toBe(200);
      expect((await s.lines()).slice(1)).toEqual([`returned ${sale} 9.7 left 50`]);
      expect(await s.cases()).toEqual([]);
    });

    it('runs it, as the service states it, where nothing but its beginning was told', async () => {
      const s = new Shop(kind.open());
      const [sale, id] = [await s.uuid(), newId()];
      expect(await s.pay(sale, { refunds: refunded(id, 9.7) })).toBe(200);
      expect(await s.reverse(sale, id, 9.7, 'PENDING')).toBe(200);
      await s.place.later?.(HOUR + 1);
      await s.orders.maintain();
      const lines = s.place.later === undefined ? [] : [`returned ${sale} 9.7 left 50`];
      expect([(await s.lines()).slice(1), await s.cases()]).toEqual([lines, []]);
    });

    it.each(['refund', 'reversal'])(
      'runs none that a person has dismissed as a %s, and the service states',
      async (one) => {
        const s = new Shop(kind.open());
        const [sale, id] = [await s.uuid(), newId()];
        expect(await tellings[one]?.(s, sale, id)).toBe(200);
        expect(await s.dismiss((await s.caseOf('early_return')).id)).toBe('dismissed');
        expect(await s.pay(sale, { refunds: refunded(id, 9.7) })).toBe(200);
        for (let run = 0; run < 2; run += 1) {
          await s.place.later?.(HOUR + 1);
          expect(await s.orders.maintain()).toMatchObject({ returned: 0, errors: [] });
        }
        expect([(await s.lines()).slice(1), await s.cases()]).toEqual([[], []]);
      },
    );

    it('asks a person where one says something else than the other', async () => {
      const [s, sale, id] = await sold();
      await s.refund(sale, id, 9.7);
      expect(await s.reverse(sale, id, 10, 'PAID')).toBe(200);
      expect(await s.cases()).toEqual([`unclear_amount ${sale}`]);
      expect((await s.lines()).slice(1)).toEqual([`returned ${sale} 9.7 left 50`]);
    });
  });
}

for (const kind of await allPlaces()) testIn(kind);
