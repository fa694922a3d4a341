import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ApiError } from '../../src/errors';
import { notificationRequest } from '../../src/testing';
import { defineNotification } from '../../src/webhooks';
import { allOf } from '../helpers/all-of';
import { createBug } from '../webhooks/faults';
import { allPlaces, newId, type PlaceKind, Shop } from './places';
import { credentials } from './support';

// Who may end a case, what of it is remembered, and what can be revoked.

const HOUR = 3_600_000;

function testIn(kind: PlaceKind): void {
  describe.skipIf(!kind.isThere)(`dismissals, over ${kind.name}`, () => {
    beforeAll(kind.prepare);
    afterAll(kind.close);
    const shop = (...more: [Shop['hooks']?, Shop['options']?]) => new Shop(kind.open(), ...more);
    const dismiss = (s: Shop, sale: string, options: object = {}) =>
      s.orders.decide(`payment:${sale}:PAID`, 'dismiss', options);
    const book = (s: Shop, sale: string, options: object = {}) =>
      s.orders.decide(`payment:${sale}:PAID`, 'book', options);
    const tell = (s: Shop, sale: string, fields: object = {}) =>
      s.deliver('payment', {
        saleToken: sale,
        referenceCode: s.key,
        amount: 59.7,
        currency: 'BRL',
        ...fields,
      });
    const dismissed = async (s: Shop) => (await s.orders.find({ key: s.key })).dismissed;
    const EVEN_IF_PAID = { code: 'invalid_request', issues: [{ path: ['evenIfPaid'] }] };

    /** A payment that the service does not confirm, whose case a person has dismissed. */
    async function denied() {
      const s = shop();
      const sale = await s.uuid();
      s.says(sale, { situation: 'PENDING' });
      expect(await tell(s, sale)).toBe(500);
      expect(await s.cases()).toEqual([`not_confirmed ${sale}`]);
      expect(await dismiss(s, sale)).toEqual({ status: 'dismissed' });
      expect([await s.cases(), await s.state(), (await s.open()).uuid]).toEqual([[], 'open', sale]);
      return [s, sale] as const;
    }

    it('asks again about what was dismissed unconfirmed, and books it once it is confirmed', async () => {
      const [s, sale] = await denied();
      expect([await tell(s, sale), await s.cases(), await s.lines()]).toEqual([200, [], []]);
      expect([await s.pay(sale), await s.pay(sale)]).toEqual([200, 200]);
      expect([await s.lines(), await s.state()]).toEqual([[`paid ${sale} 59.7 first`], 'paid']);
      expect([await dismissed(s), await s.cases()]).toEqual([[], []]);
    });

    it('finds by asking what was dismissed unconfirmed, and books it', async () => {
      const [s, sale] = await denied();
      s.says(sale);
      expect(await s.orders.maintain()).toMatchObject({ reconciled: { asked: 1, paid: 1 } });
      expect([await s.lines(), await s.state()]).toEqual([[`paid ${sale} 59.7 first`], 'paid']);
      expect(await s.pay(sale)).toBe(200);
      expect(await s.lines()).toHaveLength(1);
    });

    it('keeps a case where it cannot ask about what was dismissed unconfirmed', async () => {
      const [s, sale] = await denied();
      s.client.transactions.delete(sale);
      expect(await tell(s, sale)).toBe(500);
      expect(await s.cases()).toEqual([`confirm_failed ${sale}`]);
      s.says(sale, { situation: 'PENDING' });
      expect([await tell(s, sale), await s.cases()]).toEqual([200, []]);
    });

    it('dismisses no own money that the service says is paid, unless it is asked to', async () => {
      const { breaks } = createBug();
      const s = shop({ paid: breaks() });
      const sale = await s.uuid();
      expect(await s.pay(sale)).toBe(500);
      await expect(dismiss(s, sale)).rejects.toMatchObject(EVEN_IF_PAID);
      expect([await s.cases(), await s.state()]).toEqual([[`callback_failed ${sale}`], 'review']);
      expect(await dismissed(s)).toEqual([]);
      expect(await dismiss(s, sale, { evenIfPaid: true })).toEqual({ status: 'dismissed' });
      expect([await s.cases(), await s.state()]).toEqual([[], 'none']);
      const remembered = { id: `payment:${sale}:PAID`, reason: 'callback_failed', sale, amount: 59.7 };
      expect(await dismissed(s)).toEqual([{ ...remembered, at: expect.any(Number) }]);
      expect(await s.open()).toMatchObject({ state: 'open', attempt: 2 });
      // It is final: neither a delivery nor a question begins it again.
      expect([await s.pay(sale), (await s.orders.maintain()).skipped]).toEqual([200, false]);
      expect([await s.cases(), await s.lines()]).toEqual([[], []]);
      expect(await dismiss(s, sale)).toEqual({ status: 'dismissed', was: 'dismissed' });
    });

    it('throws what the service cannot say, and the case stays', async () => {
      const { breaks } = createBug();
      const s = shop({ paid: breaks() });
      const sale = await s.uuid();
      await s.pay(sale);
      s.client.transactions.delete(sale);
      await expect(dismiss(s, sale)).rejects.toThrow(`a query for ${sale}`);
      expect([await s.cases(), await s.state()]).toEqual([[`callback_failed ${sale}`], 'review']);
    });

    it('closes the attempt of own money that is not paid any more, and swallows no payment of it that comes', async () => {
      const { fix, breaks } = createBug();
      const s = shop({ paid: breaks() });
      const sale = await s.uuid();
      await s.pay(sale);
      s.says(sale, { situation: 'PENDING' });
      expect(await dismiss(s, sale)).toEqual({ status: 'dismissed' });
      expect([await s.state(), (await s.orders.find({ key: s.key })).attempts[0]?.state]).toEqual([
        'none',
        'closed',
      ]);
      fix();
      expect(await s.pay(sale)).toBe(200);
      expect([await s.cases(), await s.state(), await s.lines()]).toEqual([[`closed ${sale}`], 'review', []]);
    });

    it('asks before it dismisses own money, without a confirmation too', async () => {
      const s = shop({}, { confirm: false });
      const sale = await s.uuid();
      await s.orders.close(s.key);
      expect(await s.pay(sale)).toBe(200);
      expect(await s.cases()).toEqual([`closed ${sale}`]);
      await expect(dismiss(s, sale)).rejects.toMatchObject(EVEN_IF_PAID);
      s.says(sale, { situation: 'CANCELLED' });
      expect(await dismiss(s, sale)).toEqual({ status: 'dismissed' });
    });

    it('books what was dismissed, which revokes it, and says what was decided before', async () => {
      const s = shop();
      const sale = await s.uuid();
      await s.orders.close(s.key);
      await s.pay(sale);
      await dismiss(s, sale, { evenIfPaid: true });
      s.says(sale, { situation: 'PENDING' });
      await expect(book(s, sale)).rejects.toMatchObject({ code: 'invalid_request' });
      expect((await dismissed(s)).map(({ reason }) => reason)).toEqual(['closed']);
      s.says(sale);
      expect(await book(s, sale)).toEqual({ status: 'booked', was: 'dismissed' });
      expect([await s.lines(), await s.state()]).toEqual([[`paid ${sale} 59.7 first`], 'paid']);
      expect(await dismissed(s)).toEqual([]);
      const booked = { status: 'booked', was: 'booked' };
      expect([await book(s, sale), await dismiss(s, sale)]).toEqual([booked, booked]);
      expect(await s.lines()).toHaveLength(1);
    });

    it('revokes the dismissal of money of no order, for the order that is named', async () => {
      const s = shop();
      await s.pay(await s.uuid());
      const none = newId();
      await s.pay(none, { referenceCode: 'nobody' });
      expect(await dismiss(s, none)).toEqual({ status: 'dismissed' });
      await expect(book(s, none)).rejects.toMatchObject({ issues: [{ path: ['order'] }] });
      expect(await book(s, none, { order: s.key })).toEqual({ status: 'booked', was: 'dismissed' });
      expect((await s.lines()).slice(1)).toEqual([`paid ${none} 59.7 later`]);
    });

    it('revokes the dismissal of nothing but a payment', async () => {
      const s = shop();
      const sale = await s.uuid();
      await s.pay(sale);
      await s.refund(sale, newId(), 100);
      const { id } = await s.caseOf('unclear_amount');
      expect(await s.orders.decide(id, 'dismiss')).toEqual({ status: 'dismissed' });
      expect((await dismissed(s)).map((each) => [each.id, each.reason])).toEqual([[id, 'unclear_amount']]);
      const final = { code: 'invalid_request', issues: [{ path: ['decision'] }] };
      await expect(s.orders.decide(id, 'book', { amount: 10 })).rejects.toMatchObject(final);
      expect(await s.orders.decide(id, 'dismiss')).toEqual({ status: 'dismissed', was: 'dismissed' });
    });

    it('compares what comes again with what was dismissed', async () => {
      const s = shop();
      const [sale, id] = [await s.uuid(), newId()];
      await s.pay(sale);
      const refund = (currency: string) => s.refund(sale, id, 100, { currency, date: '2027-01-15 10:00:00' });
      await refund('BRL');
      await s.orders.decide((await s.caseOf('unclear_amount')).id, 'dismiss');
      await s.place.later?.(25 * HOUR);
      // The same again, on purpose.
      expect([await refund('BRL'), await s.cases()]).toEqual([200, []]);
      expect([await refund('USD'), await s.cases()]).toEqual([200, [`unexpected_repeat ${sale}`]]);
    });

    it('compares what the service does not know with what was dismissed', async () => {
      const s = shop();
      await s.uuid();
      const sale = newId();
      s.client.getTransaction = async () => {
        throw new ApiError('404', {
          operation: 'getTransaction',
          attempts: 1,
          outcome: 'refused',
          httpStatus: 404,
          body: {},
        });
      };
      expect(await tell(s, sale)).toBe(500);
      expect(await dismiss(s, sale)).toEqual({ status: 'dismissed' });
      expect([await tell(s, sale), await s.cases()]).toEqual([200, []]);
      expect([await tell(s, sale, { amount: 60 }), await s.cases()]).toEqual([
        200,
        [`unexpected_repeat ${sale}`],
      ]);
    });

    it('remembers the newest 50 of an order', async () => {
      const s = shop();
      await s.uuid();
      const sales = Array.from({ length: 52 }, () => newId());
      for (const sale of sales) {
        await s.pay(sale);
        await dismiss(s, sale);
      }
      expect((await dismissed(s)).map(({ sale }) => sale)).toEqual(sales.slice(2));
    });

    it('leaves nothing of a dismissed notification that has no callback, or lacks a field, to come again', async () => {
      const own = defineNotification({
        kind: 'own',
        match: (body) => 'own' in body,
        schema: z.looseObject({ own: z.string() }),
        subject: (payload) => payload.own,
      });
      const { breaks } = createBug();
      const s = shop({}, { kinds: [own], on: { unrecognized: breaks() } } as never);
      const custom = async (body: object) =>
        (await s.orders.webhook(notificationRequest('custom', body, credentials))).status;
      const deliver = async () => [
        await custom({ own: 'o-1' }),
        await s.deliver('payout', { uuid: 'p-1', success: true, status: 'PAID' }),
        await custom({ newStatus: 'PAID', amount: 1 }),
        await custom({ something: 'else' }),
      ];
      expect(await deliver()).toEqual([200, 200, 500, 500]);
      const found = await allOf(s.orders.cases());
      expect(found).toHaveLength(4);
      for (const { id } of found)
        expect(await s.orders.decide(id, 'dismiss')).toEqual({ status: 'dismissed' });
      s.reports.length = 0;
      expect([await deliver(), await s.cases(), s.reports]).toEqual([[200, 200, 200, 200], [], []]);
      await s.place.later?.(2 * HOUR);
      expect([(await deliver()).slice(0, 2), (await s.cases()).length]).toEqual([[200, 200], 2]);
    });
  });
}

const movable = (await allPlaces()).filter(({ name }) => name === 'memory' || name.startsWith('PostgreSQL'));
for (const kind of movable) testIn(kind);
