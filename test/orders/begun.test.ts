import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiError } from '../../src/errors';
import type { Store } from '../../src/stores';
import { stepsOf } from '../../src/stores/steps';
import { storeOf } from '../helpers/store-of';
import { allPlaces, newId, type PlaceKind, Shop } from './places';

// Without a transaction, an order says that its first `paid` has begun. A process that dies there may leave nothing else. In a
// transaction it leaves nothing at all: the order is as open as before.

const HOUR = 3_600_000;
const LEASE_MS = 300;
const unknown = () =>
  new ApiError('404', {
    operation: 'getTransaction',
    attempts: 1,
    outcome: 'refused',
    httpStatus: 404,
    body: {},
  });

function testIn(kind: PlaceKind): void {
  describe.skipIf(!kind.isThere)(`what has begun, over ${kind.name}`, () => {
    beforeAll(kind.prepare);
    afterAll(kind.close);

    /** A process that dies in its first `paid`, with its connection; without a transaction, it leaves a lease to run out. */
    async function dieInPaid(s: Shop, sale: string, amount: number): Promise<void> {
      let isDead = false;
      const forEver = new Promise<never>(() => undefined);
      const steps = stepsOf(s.place.store as Store<unknown>);
      const dying = Object.fromEntries(
        Object.entries(steps).map(([name, step]) => [
          name,
          typeof step === 'function'
            ? (...given: unknown[]) =>
                isDead ? forEver : (step as (...given: unknown[]) => unknown)(...given)
            : step,
        ]),
      ) as typeof steps;
      const claim: typeof steps.claim = (subject, state, limits) =>
        dying.claim(subject, state, { ...limits, leaseMs: LEASE_MS });
      const paid: Shop['hooks']['paid'] = (_, { transaction }) => {
        isDead = true;
        return transaction?.query('SELECT pg_terminate_backend(pg_backend_pid())') ?? forEver;
      };
      const shop = new Shop(s.place, { paid }, {}, s);
      void shop.pay(sale, { amount }, shop.process(storeOf({ ...dying, claim }) as Store<never>));
      await expect.poll(() => isDead).toBe(true);
      await sleep(2 * LEASE_MS);
      s.place.skip?.(2 * LEASE_MS);
    }

    const recurrence = { immediatePayment: false, amount: { recurrenceAmount: 29.9 } };
    const journeys: Record<string, (s: Shop) => Promise<readonly [sale: string, amount: number]>> = {
      'a lost attempt': async (s) => {
        s.client.answers.push(new Error('lost'));
        await expect(s.open()).rejects.toThrow('lost');
        return [newId(), 59.7];
      },
      'a journey without an immediate payment': async (s) => {
        const uuid = await s.uuid({ amount: undefined, recurrence });
        s.says(uuid, { situation: 'PENDING' });
        return [newId(), 29.9];
      },
      'a journey with its own sale': async (s) => [await s.uuid(), 59.7],
    };
    const all = Object.entries(journeys);

    if (kind.isTransactional) {
      it.each(all)('leaves nothing, and its redelivery books it: %s', async (name, begin) => {
        const s = new Shop(kind.open());
        const [sale, amount] = await begin(s);
        const before = await s.orders.find({ key: s.key });
        await dieInPaid(s, sale, amount);
        expect(await s.orders.find({ key: s.key })).toEqual(before);
        expect([await s.cases(), await s.lines()]).toEqual([[], []]);
        // Without one, `maintain` finds the sale of a journey that is known: nothing else knows another.
        if (name === 'a journey with its own sale') await s.orders.maintain();
        else expect(await s.pay(sale, { amount })).toBe(200);
        expect([await s.state(), await s.cases()]).toEqual(['paid', []]);
        expect(await s.lines()).toEqual([`paid ${sale} ${amount} first`]);
      });
      return;
    }

    it.each(all)('is booked by the next `maintain`: %s', async (_, begin) => {
      const s = new Shop(kind.open());
      const [sale, amount] = await begin(s);
      await dieInPaid(s, sale, amount);
      expect([await s.state(), await s.cases(), await s.lines()]).toEqual(['review', [], []]);
      expect(await s.orders.maintain()).toMatchObject({ errors: [], reconciled: { paid: 1 } });
      expect([await s.state(), await s.cases()]).toEqual(['paid', []]);
      expect(await s.lines()).toEqual([`paid ${sale} ${amount} first`]);
      expect(await s.orders.find({ uuid: sale })).toMatchObject({ key: s.key });
    });

    it.each(all)('is a case where the service denies it, which a person ends: %s', async (_, begin) => {
      const s = new Shop(kind.open());
      const [sale, amount] = await begin(s);
      await dieInPaid(s, sale, amount);
      const { getTransaction } = s.client;
      s.client.getTransaction = async (uuid) => {
        if (uuid === sale) throw unknown();
        return getTransaction.call(s.client, uuid);
      };
      await s.orders.maintain();
      expect([await s.state(), await s.cases()]).toEqual(['review', [`confirm_failed ${sale}`]]);
      s.client.getTransaction = getTransaction;
      s.says(sale, { amount, situation: 'PENDING' });
      expect(await s.dismiss(sale)).toBe('dismissed');
      expect([['open', 'none'].includes(await s.state()), await s.cases()]).toEqual([true, []]);
    });

    it('asks about it no more once it has its case', async () => {
      const s = new Shop(kind.open());
      const [sale, amount] = await (journeys['a lost attempt'] as (typeof all)[0][1])(s);
      await dieInPaid(s, sale, amount);
      s.says(sale, { amount, situation: 'PENDING' });
      expect(await s.orders.reconcile()).toMatchObject({ asked: 1 });
      expect(await s.cases()).toEqual([`not_confirmed ${sale}`]);
      expect(await s.orders.reconcile()).toMatchObject({ asked: 0 });
      if (s.place.later !== undefined) {
        // Its case is over after 30 days, and what has begun has not ended.
        await s.place.later(HOUR);
        await s.orders.reconcile();
        await s.place.later(31 * 24 * HOUR);
        expect([await s.cases(), await s.state()]).toEqual([[], 'review']);
        expect(await s.orders.reconcile()).toMatchObject({ asked: 1 });
        expect(await s.cases()).toEqual([`not_confirmed ${sale}`]);
      }
      s.says(sale, { amount });
      expect(await s.book(sale)).toBe('booked');
      expect([await s.state(), await s.lines()]).toEqual(['paid', [`paid ${sale} 59.7 first`]]);
    });
  });
}

for (const kind of await allPlaces()) testIn(kind);
