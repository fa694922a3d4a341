import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiError } from '../../src/errors';
import type { OrdersOptions } from '../../src/orders';
import { allOf } from '../helpers/all-of';
import { allPlaces, newId, type PlaceKind, Shop } from './places';
import { FakeClient, paid, request } from './support';

// What cannot be asked, or ended, keeps nothing that stands behind it waiting.

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const answering = (httpStatus: number) => () =>
  new ApiError(String(httpStatus), {
    operation: 'getTransaction',
    attempts: 1,
    outcome: 'unknown',
    httpStatus,
    body: {},
  });

function testIn(kind: PlaceKind): void {
  describe.skipIf(!kind.isThere)(`what waits for \`maintain\`, over ${kind.name}`, () => {
    beforeAll(kind.prepare);
    afterAll(kind.close);

    /** A shop of orders whose journeys the service answers like this, and then of orders that are paid. */
    async function row(
      count: number,
      error: () => Error,
      paidCount: number,
      options: Partial<OrdersOptions> = {},
    ) {
      const s = new Shop(kind.open(), {}, options);
      const keys = (of: string, many: number) =>
        Array.from({ length: many }, (_, index) => `${of}-${String(index).padStart(2, '0')}`);
      const [silent, sold] = [keys('a-silent', count), keys('b-paid', paidCount)];
      const silentUuids = new Set<string>();
      for (const key of [...silent, ...sold]) {
        const { uuid } = await s.orders.open(key, request);
        if (silent.includes(key)) silentUuids.add(String(uuid));
        else s.client.transactions.set(String(uuid), paid(String(uuid), { referenceCode: key }));
      }
      const asked: string[] = [];
      const { getTransaction } = FakeClient.prototype;
      s.client.getTransaction = async (uuid) => {
        asked.push(uuid);
        if (silentUuids.has(uuid)) throw error();
        return getTransaction.call(s.client, uuid);
      };
      const isPaid = async () => {
        const states = await Promise.all(sold.map(async (key) => (await s.orders.find({ key })).state));
        return states.filter((state) => state === 'paid').length;
      };
      return { s, asked, isPaid };
    }

    it('books 12 orders behind 30 journeys that the service does not know, in one run, and asks again a day later', async () => {
      const { s, asked, isPaid } = await row(30, answering(404), 12);
      const reconciled = { asked: 42, paid: 12, unknown: 30, failed: 0, isComplete: true };
      expect(await s.orders.maintain()).toMatchObject({ errors: [], reconciled, isComplete: true });
      expect(await isPaid()).toBe(12);
      asked.length = 0;
      expect(await s.orders.maintain()).toMatchObject({ errors: [], reconciled: { asked: 0 } });
      await s.place.later?.(DAY);
      expect(await s.orders.maintain()).toMatchObject({ errors: [], reconciled: { asked: 30, unknown: 30 } });
    });

    it('books 12 orders behind 30 journeys that the service does not answer about, in the next run', async () => {
      const { s, asked, isPaid } = await row(30, answering(500), 12);
      expect(await s.orders.maintain()).toMatchObject({ reconciled: { paid: 0, isComplete: false } });
      expect(await s.orders.maintain()).toMatchObject({ reconciled: { paid: 12 } });
      expect(await isPaid()).toBe(12);
      // What has failed comes again in the next round.
      await s.orders.maintain();
      asked.length = 0;
      await s.orders.maintain();
      expect(asked.length).toBeGreaterThan(0);
    });

    it('ends at a pair that the service refuses, and goes on behind what was answered', async () => {
      const { s, asked } = await row(3, answering(401), 2);
      expect(await s.orders.maintain()).toMatchObject({
        reconciled: { isComplete: false },
        isComplete: false,
      });
      expect(asked.length).toBeLessThanOrEqual(4);
    });

    it('takes half of its time to ask a service that hangs, and tries the cases again all the same', async () => {
      const s = new Shop(kind.open(), {}, {});
      for (const key of ['a', 'b', 'c', 'd', 'e', 'f']) await s.orders.open(key, request);
      const none = newId();
      expect(await s.pay(none, { referenceCode: 'nobody' })).toBe(200);
      expect((await allOf(s.orders.cases())).map(({ order }) => order)).toEqual([undefined]);
      await s.orders.open('nobody', request).catch(() => undefined);
      s.client.getTransaction = () => new Promise(() => undefined);
      const started = performance.now();
      expect(await s.orders.maintain({ withinMs: 1_000 })).toMatchObject({
        reconciled: { asked: 0, isComplete: false },
        isComplete: false,
        errors: [],
      });
      expect(performance.now() - started).toBeLessThan(900);
      expect(await s.cases()).toEqual([`other_sale ${none}`]);
    });

    it('books a later charge that has overtaken its first payment in the run that finds that', async () => {
      const s = new Shop(kind.open());
      const [first, two] = [await s.uuid(), newId()];
      await s.pay(two, { amount: 29.9 });
      expect(await s.cases()).toEqual([`other_sale ${two}`]);
      s.says(first);
      expect(await s.orders.maintain()).toMatchObject({ reconciled: { paid: 1 }, replayed: { done: 1 } });
      expect(await s.lines()).toEqual([`paid ${first} 59.7 first`, `paid ${two} 29.9 later`]);
      expect([await s.cases(), await s.state()]).toEqual([[], 'paid']);
    });

    it('goes on with the cases where the run before has stopped, and comes round', async () => {
      // A callback that fails keeps its place, and takes the time of the run.
      let takes = 0;
      const paid = async () => {
        if (takes > 0) await new Promise((resolve) => setTimeout(resolve, takes));
        throw new Error('simulated');
      };
      const s = new Shop(kind.open(), { paid });
      const sales = Array.from({ length: 6 }, (_, index) => `s-0${index}-${newId()}`);
      for (const sale of sales) {
        const key = `o-${sale}`;
        s.client.answers.push({ uuid: sale });
        await s.orders.open(key, request);
        expect(await s.pay(sale, { referenceCode: key })).toBe(500);
      }
      const attempts = async () => (await allOf(s.orders.cases())).map(({ attempts: tried }) => tried);
      expect(await attempts()).toEqual([1, 1, 1, 1, 1, 1]);
      takes = 300;
      for (let run = 0; run < 20 && (await attempts()).includes(1); run += 1) {
        await s.place.later?.(DAY);
        await s.orders.maintain({ withinMs: 700 });
        // Nobody has a second try before each has had one.
        const tried = await attempts();
        if (tried.includes(1)) expect(Math.max(...tried)).toBe(2);
      }
      expect(await attempts()).not.toContain(1);
    });
  });
}

const movable = (await allPlaces()).filter(({ name }) => name === 'memory' || name.startsWith('PostgreSQL'));
for (const kind of movable) testIn(kind);
