import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { stepsOf } from '../../src/stores/steps';
import { allOf } from '../helpers/all-of';
import { allPlaces, newId, type PlaceKind, Shop } from './places';
import { request } from './support';

function testIn(kind: PlaceKind): void {
  describe.skipIf(!kind.isThere)(`what orders list, over ${kind.name}`, () => {
    beforeAll(kind.prepare);
    afterAll(kind.close);

    it('is every case, page after page; those of one order; and goes on behind one', async () => {
      const s = new Shop(kind.open());
      await s.pay(await s.uuid());
      // 45 are more than two pages hold.
      for (let each = 0; each < 44; each += 1) await s.refund(newId(), newId(), 1, { referenceCode: 'none' });
      await s.pay(newId(), { amount: 12 });
      const all = (await allOf(s.orders.cases())).map(({ id }) => id);
      expect([all.length, new Set(all).size, all.toSorted()]).toEqual([45, 45, all]);
      expect(await allOf(s.orders.cases({ order: s.key }))).toMatchObject([
        { reason: 'other_amount', order: s.key },
      ]);
      expect(await allOf(s.orders.cases({ order: 'another' }))).toEqual([]);
      const rest = await allOf(s.orders.cases({ after: String(all[29]) }));
      expect(rest.map(({ id }) => id)).toEqual(all.slice(30));
      // One can be ended while they are read.
      let seen = 0;
      for await (const { id } of s.orders.cases()) {
        seen += 1;
        await s.orders.decide(id, 'dismiss');
      }
      expect([seen, await allOf(s.orders.cases())]).toEqual([45, []]);
    });

    it('reads no more pages than are asked for', async () => {
      const s = new Shop(kind.open());
      for (let each = 0; each < 22; each += 1) await s.refund(newId(), newId(), 1, { referenceCode: 'none' });
      const list = vi.spyOn(stepsOf(s.place.store), 'listLetters');
      for await (const _ of s.orders.cases()) break;
      expect(list).toHaveBeenCalledTimes(1);
      await allOf(s.orders.cases());
      expect(list).toHaveBeenCalledTimes(3);
    });

    it('is every order, beyond the hundred that a page has, and goes on behind one', async () => {
      const s = new Shop(kind.open());
      const keys = Array.from({ length: 105 }, (_, index) => `${index} é ${randomUUID()}`);
      for (const key of keys) await s.orders.open(key, request);
      const all = (await allOf(s.orders.list())).map(({ key }) => key);
      expect(all.toSorted()).toEqual(keys.toSorted());
      const rest = await allOf(s.orders.list({ after: String(all[101]) }));
      expect(rest.map(({ key }) => key)).toEqual(all.slice(102));
    });
  });
}

for (const kind of (await allPlaces()).filter(({ name }) => /memory|transactions/.test(name))) testIn(kind);
