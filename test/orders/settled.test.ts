import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Attempt } from '../../src/orders/attempt';
import { withAttempt } from '../../src/orders/attempt';
import { changeOrder } from '../../src/orders/order-records';
import type { Store } from '../../src/stores';
import { stepsOf } from '../../src/stores/steps';
import { allOf } from '../helpers/all-of';
import { createBug } from '../webhooks/faults';
import { allPlaces, newId, type PlaceKind, Shop } from './places';

// What the service has said counts, and not what was told before or after it.

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const recurrence = { immediatePayment: false, amount: { recurrenceAmount: 29.9 } };

function testIn(kind: PlaceKind): void {
  describe.skipIf(!kind.isThere)(`what is settled, over ${kind.name}`, () => {
    beforeAll(kind.prepare);
    afterAll(kind.close);
    const shop = (...more: [Shop['hooks']?, Shop['options']?]) => new Shop(kind.open(), ...more);
    const tell = (s: Shop, sale: string, fields: object = {}) =>
      s.deliver('payment', {
        saleToken: sale,
        referenceCode: s.key,
        amount: 59.7,
        currency: 'BRL',
        ...fields,
      });
    const own = async (s: Shop) =>
      (await s.orders.find({ key: s.key })).cases.map(({ reason, amount }) => `${reason} ${amount}`);
    const lose = async (s: Shop) => {
      s.client.answers.push(new Error('lost'));
      await expect(s.open()).rejects.toThrow('lost');
      return newId();
    };

    it('replaces an unconfirmed body by what the service says, which a person books', async () => {
      const { fix, breaks } = createBug();
      const s = shop({ paid: breaks() });
      const sale = await s.uuid();
      s.says(sale);
      expect(await tell(s, sale, { amount: 5970 })).toBe(500);
      expect(await s.cases()).toEqual([`not_confirmed ${sale}`]);
      await s.orders.maintain();
      expect(await s.cases()).toEqual([`callback_failed ${sale}`]);
      expect((await allOf(s.orders.cases())).map(({ amount }) => amount)).toEqual([59.7]);
      fix();
      expect(await s.book(sale)).toBe('booked');
      expect(await s.lines()).toEqual([`paid ${sale} 59.7 first`]);
    });

    it('keeps what was settled where an unconfirmed body comes after it', async () => {
      const s = shop();
      const sale = await s.uuid();
      await s.orders.close(s.key);
      s.says(sale);
      await s.orders.maintain();
      expect(await s.cases()).toEqual([`closed ${sale}`]);
      expect(await tell(s, sale, { amount: 1 })).toBe(500);
      expect([await s.cases(), await own(s), await s.state()]).toEqual([
        [`closed ${sale}`],
        ['closed 59.7'],
        'review',
      ]);
      expect(await s.book(sale)).toBe('booked');
      expect(await s.lines()).toEqual([`paid ${sale} 59.7 first`]);
    });

    it('stays in review where nobody is asked, and another sum is told', async () => {
      const s = shop({}, { confirm: false });
      const sale = await s.uuid();
      s.says(sale, { amount: 10 });
      await s.orders.reconcile();
      expect([await own(s), await s.state()]).toEqual([['other_amount 10'], 'review']);
      expect(await tell(s, sale, { amount: 12 })).toBe(200);
      expect([await own(s), await s.state()]).toEqual([['other_amount 10'], 'review']);
    });

    it('stays in review where own money becomes another sale of the order', async () => {
      const s = shop();
      const sale = await lose(s);
      expect(await s.pay(sale, { amount: 10 })).toBe(200);
      expect([await s.cases(), await s.state()]).toEqual([[`other_amount ${sale}`], 'review']);
      // The answer of its call comes late, with the uuid of its own transaction.
      await changeOrder(stepsOf(s.place.store as Store), s.key, (order) =>
        withAttempt(order, { ...(order.attempts[0] as Attempt), uuid: newId() }),
      );
      await s.orders.maintain();
      expect(await s.cases()).toEqual([`other_sale ${sale}`]);
      expect([await own(s), await s.state()]).toEqual([['other_sale 10'], 'review']);
      expect(await s.dismiss(sale)).toBe('dismissed');
      expect([await own(s), await s.state()]).toEqual([[], 'none']);
    });

    it.each(['throws', 'asks a person'])(
      'is in review without a confirmation where `paid` %s',
      async (how) => {
        const s = shop(
          {
            paid(_, { needsPerson }) {
              if (how === 'throws') throw new Error('a bug');
              needsPerson('look');
            },
          },
          { confirm: false },
        );
        const sale = await s.uuid();
        await s.pay(sale);
        expect([await s.state(), (await s.open()).state]).toEqual(['review', 'review']);
      },
    );

    it('is in review where `paid` fails on the first charge of a journey without an immediate payment', async () => {
      const { fix, breaks } = createBug();
      const s = shop({ paid: breaks() });
      await s.open({ amount: undefined, recurrence });
      const sale = newId();
      expect(await s.pay(sale, { amount: 29.9 })).toBe(500);
      expect([await s.state(), await own(s)]).toEqual(['review', ['callback_failed 29.9']]);
      expect((await s.open({ amount: undefined, recurrence })).state).toBe('review');
      fix();
      expect(await s.pay(sale, { amount: 29.9 })).toBe(200);
      expect([await s.state(), await own(s), await s.cases()]).toEqual(['paid', [], []]);
    });

    it('decides after 30 days about own money that was found by its reference', async () => {
      const { fix, breaks } = createBug();
      const s = shop({ paid: breaks() });
      const sale = await lose(s);
      await s.pay(sale);
      await s.place.later?.(31 * DAY);
      expect([await s.cases(), await s.state()]).toEqual([[], 'review']);
      fix();
      expect(await s.book(sale)).toBe('booked');
      expect([await s.lines(), await s.state()]).toEqual([[`paid ${sale} 59.7 first`], 'paid']);
    });

    it('books after 30 days no sum that the service does not state, unless a person says it', async () => {
      const s = shop({}, { confirm: false });
      const sale = await s.uuid();
      await s.orders.close(s.key);
      s.says(sale, { amount: 5970 });
      await s.orders.reconcile();
      expect(await own(s)).toEqual(['other_amount 5970']);
      await s.place.later?.(31 * DAY);
      s.says(sale, { amount: undefined });
      await expect(s.book(sale)).rejects.toMatchObject({ issues: [{ path: ['amount'] }] });
      s.says(sale);
      await expect(s.book(sale, { amount: 597 })).rejects.toMatchObject({ issues: [{ path: ['amount'] }] });
      s.says(sale, { amount: undefined });
      expect(await s.book(sale, { amount: 59.7 })).toBe('booked');
      expect(await s.lines()).toEqual([`paid ${sale} 59.7 first`]);
    });

    it('makes a case of own money whose letter is missing, whatever the service says of it now', async () => {
      const { breaks } = createBug();
      const s = shop({ paid: breaks() });
      const sale = await s.uuid();
      await s.pay(sale);
      await stepsOf(s.place.store as Store).forgetLetter(`payment:${sale}:PAID`);
      s.says(sale, { situation: 'PENDING' });
      expect(await s.orders.reconcile()).toMatchObject({ asked: 1 });
      expect([await s.cases(), await s.state()]).toEqual([[`not_confirmed ${sale}`], 'review']);
      expect(await s.orders.reconcile()).toMatchObject({ asked: 0 });
    });

    it('books a repeat for no sum that nothing but its body states', async () => {
      const s = shop();
      const sale = await s.uuid();
      await s.pay(sale);
      const repeat = async (amount: number) => {
        expect(await tell(s, sale, { amount })).toBe(200);
        return (await s.caseOf('unexpected_repeat')).id;
      };
      const wrong = await repeat(5970);
      await expect(s.book(wrong)).rejects.toMatchObject({ issues: [{ path: ['amount'] }] });
      expect(await s.lines()).toHaveLength(1);
      expect(await s.book(wrong, { amount: 19.9 })).toBe('booked');
      expect(await s.book(await repeat(29.9))).toBe('booked');
      expect((await s.lines()).slice(1)).toEqual([`paid ${sale} 19.9 later`, `paid ${sale} 29.9 later`]);
    });

    it('books a repeat of money of no order for no sum that nothing but its body states', async () => {
      const s = shop({}, { on: { foreign: 'ignore' } as never });
      await s.pay(await s.uuid());
      const none = newId();
      const walkIn = { referenceCode: 'nobody' };
      await s.pay(none, walkIn);
      expect(await tell(s, none, { ...walkIn, amount: 5970 })).toBe(200);
      const { id } = await s.caseOf('unexpected_repeat');
      const order = s.key;
      await expect(s.book(id, { order })).rejects.toMatchObject({ issues: [{ path: ['amount'] }] });
      expect(await s.book(id, { order, amount: 10 })).toBe('booked');
      expect((await s.lines()).slice(1)).toEqual([`paid ${none} 10 later`]);
    });

    it('runs no return that only a person may end, because a repeat of its sale is booked', async () => {
      const s = shop();
      await s.pay(await s.uuid());
      const two = newId();
      expect(await s.reverse(two, newId(), 50, 'PAID')).toBe(200);
      await s.pay(two, { amount: 29.9 });
      expect(await s.cases()).toEqual([`unclear_amount ${two}`]);
      await s.place.later?.(2 * HOUR);
      expect(await tell(s, two, { amount: 29.9, date: '2027-02-15 10:00:00' })).toBe(200);
      expect(await s.book((await s.caseOf('unexpected_repeat')).id)).toBe('booked');
      expect([(await s.lines()).length, await s.cases()]).toEqual([3, [`unclear_amount ${two}`]]);
    });

    it('records no return that only a person may end, because a repeat of its sale is booked', async () => {
      const s = shop();
      const [sale, id] = [await s.uuid(), newId()];
      await s.pay(sale);
      await s.reverse(sale, id, 70, 'PAID');
      expect(await s.cases()).toEqual([`unclear_amount ${sale}`]);
      await tell(s, sale, { amount: 29.9 });
      s.says(sale, { refunds: { transactions: [{ uuid: id, total: 50, status: 'PAID' }] } });
      expect(await s.book((await s.caseOf('unexpected_repeat')).id)).toBe('booked');
      expect((await s.orders.find({ key: s.key })).returns).toEqual([]);
    });

    it('runs `returned` for what the service says went back of a sale whose repeat is its first payment', async () => {
      const s = shop();
      const sale = await s.uuid();
      await s.pay(sale, { amount: 10 });
      expect([await s.cases(), await s.dismiss(sale)]).toEqual([[`other_amount ${sale}`], 'dismissed']);
      await s.place.later?.(2 * HOUR);
      const refunds = { transactions: [{ uuid: newId(), total: 4, status: 'PAID' }] };
      expect(await s.pay(sale, { amount: 10, date: '2027-02-15 10:00:00', refunds })).toBe(200);
      expect(await s.book((await s.caseOf('unexpected_repeat')).id)).toBe('booked');
      await s.place.later?.(2 * HOUR);
      await s.orders.maintain();
      expect(await s.lines()).toEqual([`paid ${sale} 10 first`, `returned ${sale} 4 left 6`]);
    });

    it('runs `returned` for what the service says went back of a case that a person books days later', async () => {
      const s = shop();
      const sale = await s.uuid();
      await s.pay(sale, { amount: 10 });
      expect(await s.cases()).toEqual([`other_amount ${sale}`]);
      await s.place.later?.(2 * HOUR);
      await s.orders.maintain();
      const refunds = { transactions: [{ uuid: newId(), total: 4, status: 'PAID' }] };
      s.says(sale, { amount: 10, refunds });
      expect(await s.book(sale)).toBe('booked');
      await s.place.later?.(2 * HOUR);
      await s.orders.maintain();
      expect(await s.lines()).toEqual([`paid ${sale} 10 first`, `returned ${sale} 4 left 6`]);
    });

    it('books no repeat of a sale that was dismissed, once all of it went back', async () => {
      const s = shop();
      const sale = await s.uuid();
      await s.pay(sale, { amount: 10 });
      expect(await s.dismiss(sale)).toBe('dismissed');
      await s.place.later?.(2 * HOUR);
      const refunds = { transactions: [{ uuid: newId(), total: 10, status: 'PAID' }] };
      expect(await s.pay(sale, { amount: 10, date: '2027-02-15 10:00:00', refunds })).toBe(200);
      const { id } = await s.caseOf('unexpected_repeat');
      await expect(s.book(id)).rejects.toMatchObject({ code: 'invalid_request' });
      expect([await s.lines(), await s.cases()]).toEqual([[], [`unexpected_repeat ${sale}`]]);
    });

    it('says once more that a status of a sale was dismissed', async () => {
      const s = shop();
      const sale = await s.uuid();
      const status = { saleToken: sale, referenceCode: s.key, newStatus: 'PENDING' };
      expect([await s.deliver('payment', status), await s.pay(sale)]).toEqual([200, 200]);
      const { id } = await s.caseOf('sale_status');
      expect([await s.dismiss(id), await s.dismiss(id)]).toEqual(['dismissed', 'dismissed, was dismissed']);
    });

    it('says so of a status and of a repeat too where its sale was booked after that', async () => {
      const s = shop();
      const sale = await s.uuid();
      const status = { saleToken: sale, referenceCode: s.key, newStatus: 'PENDING' };
      await s.deliver('payment', status);
      const ofStatus = (await s.caseOf('sale_status')).id;
      expect([await s.dismiss(ofStatus), await s.pay(sale)]).toEqual(['dismissed', 200]);
      expect(await s.dismiss(ofStatus)).toBe('dismissed, was dismissed');
      await tell(s, sale, { amount: 29.9 });
      const ofRepeat = (await s.caseOf('unexpected_repeat')).id;
      expect([await s.book(ofRepeat), await s.dismiss(ofStatus)]).toEqual([
        'booked',
        'dismissed, was dismissed',
      ]);
      await s.deliver('payment', { ...status, newStatus: 'REVERSAL' });
      expect(await s.dismiss((await s.caseOf('sale_status')).id)).toBe('dismissed');
      expect(await s.book(ofRepeat)).toBe('booked, was booked');
    });

    it('runs `returned` once for a return that a person books in both of its forms', async () => {
      const s = shop();
      const [sale, id] = [await s.uuid(), newId()];
      await s.pay(sale);
      await s.refund(sale, id, 100);
      expect(await s.book((await s.caseOf('unclear_amount')).id, { amount: 1 })).toBe('booked');
      await s.reverse(sale, id, 90, 'PAID');
      expect(await s.book((await s.caseOf('unclear_amount')).id, { amount: 1 })).toBe('booked');
      expect([(await s.lines()).slice(1), await s.cases()]).toEqual([[`returned ${sale} 1 left 58.7`], []]);
    });

    it('books no return of more than is left, whatever a person says', async () => {
      const s = shop();
      const sale = await s.uuid();
      await s.pay(sale);
      await s.refund(sale, newId(), 100);
      const { id } = await s.caseOf('unclear_amount');
      await expect(s.book(id, { amount: 59.71 })).rejects.toMatchObject({ issues: [{ path: ['amount'] }] });
      expect([(await s.lines()).length, await s.cases()]).toEqual([1, [`unclear_amount ${sale}`]]);
      expect(await s.book(id, { amount: 59.7 })).toBe('booked');
      expect((await s.lines()).slice(1)).toEqual([`returned ${sale} 59.7 left 0`]);
    });

    it.each(['maintain books', 'a person books', 'a person dismisses'])(
      'is no unexpected repeat where it is first delivered long after %s its case',
      async (how) => {
        const { fix, breaks } = createBug();
        const s = shop({ paid: breaks() });
        const sale = await s.uuid();
        s.says(sale);
        await s.orders.maintain();
        expect(await s.cases()).toEqual([`callback_failed ${sale}`]);
        fix();
        await s.place.later?.(2 * HOUR);
        if (how === 'maintain books') await s.orders.maintain();
        else await (how === 'a person books' ? s.book(sale) : s.dismiss(sale));
        await s.place.later?.(2 * HOUR);
        expect(await tell(s, sale)).toBe(200);
        const lines = how === 'a person dismisses' ? [] : [`paid ${sale} 59.7 first`];
        expect([await s.lines(), await s.cases()]).toEqual([lines, []]);
        // The next one is compared with that one.
        await s.place.later?.(2 * HOUR);
        expect(await tell(s, sale, { date: '2027-02-15 10:00:00' })).toBe(200);
        expect(await s.cases()).toEqual([`unexpected_repeat ${sale}`]);
      },
    );

    it('compares a repeat with what was settled, though its first delivery did not say how much it is', async () => {
      const s = shop();
      const sale = await s.uuid();
      s.says(sale);
      await s.orders.maintain();
      expect(await tell(s, sale, { amount: null })).toBe(200);
      expect(await tell(s, sale, { amount: 29.9 })).toBe(200);
      expect(await s.cases()).toEqual([`unexpected_repeat ${sale}`]);
    });
  });
}

const movable = (await allPlaces()).filter(({ name }) => name === 'memory' || name.startsWith('PostgreSQL'));
for (const kind of movable) testIn(kind);
