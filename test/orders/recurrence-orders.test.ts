import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConnectionError } from '../../src/errors';
import type { RecurrenceOfOrder } from '../../src/orders';
import { changeOrder, pointToSale } from '../../src/orders/order-records';
import { stepsOf } from '../../src/stores/steps';
import { notificationRequest } from '../../src/testing';
import { allOf } from '../helpers/all-of';
import { allPlaces, newId, type PlaceKind, type Shop } from './places';
import { FakeService, monthly, STATED, type Stated, Subscription } from './subscription';
import { credentials, errors } from './support';

const events = (lines: readonly string[]) => lines.filter((line) => !line.startsWith('paid'));
const paid = (lines: readonly string[]) =>
  lines.filter((line) => line.startsWith('paid')).map((line) => line.replace(/ s-\S+/, ''));

function testIn(kind: PlaceKind): void {
  describe.skipIf(!kind.isThere)(`the recurrence of an order, over ${kind.name}`, () => {
    beforeAll(kind.prepare);
    afterAll(kind.close);
    type Given = ConstructorParameters<typeof Subscription>;
    const subscription = (hooks?: Given[1], options?: Given[2]) =>
      new Subscription(kind.open(), hooks, options);
    /** An order whose payer has the QR code of a journey without an immediate payment. */
    const opened = async (...given: Parameters<typeof subscription>) => {
      const s = subscription(...given);
      await s.open(monthly);
      return s;
    };
    const authorized = async (...given: Parameters<typeof subscription>) => {
      const s = await opened(...given);
      expect(await s.tell('authorized', { nextRecurrenceDate: '2027-02-15 00:00:00' })).toBe(200);
      return s;
    };
    /** An order that is paid at once. */
    const sold = async (...given: Parameters<typeof subscription>) => {
      const s = subscription(...given);
      expect(await s.pay(await s.uuid())).toBe(200);
      return s;
    };

    it('is authorized once, and `open` shows no second QR code, whatever the clock or `replace` say', async () => {
      const s = await authorized();
      expect(await s.tell('authorized', { eventDate: '2027-01-15 11:00:00' })).toBe(200);
      expect([await s.lines(), await s.state(), s.reports]).toEqual([['authorized'], 'authorized', []]);
      const given = { state: 'authorized', nextChargeAt: '2027-02-15 00:00:00', attempt: 1 };
      for (const options of [{}, { replace: true }]) {
        expect(await s.open(monthly, options)).toMatchObject(given);
        expect(await s.open({ ...monthly, maxAge: 1 }, options)).toMatchObject(given);
        await expect(s.open({ amount: 59.7 }, options)).rejects.toMatchObject({
          code: 'order_conflict',
          state: 'authorized',
          outcome: 'not-sent',
        });
      }
      expect(s.client.calls).toHaveLength(1);
      expect(await s.recurrences()).toEqual([
        { idRec: s.idRec, attempt: 1, status: 'APPROVED', nextChargeAt: '2027-02-15 00:00:00' },
      ]);
    });

    it('is found by the reference, else by its `idRec`', async () => {
      const s = await authorized();
      expect(await s.tell('charge_scheduled', { externalId: null, saleToken: 's-1' })).toBe(200);
      expect(await s.tell('cancelled', { externalId: 'nobody’s' })).toBe(200);
      expect(await s.lines()).toEqual(['authorized', 'charge_scheduled', 'cancelled']);
      expect(await s.recurrences()).toMatchObject([{ status: 'CANCELLED', charge: { sale: 's-1' } }]);
    });

    it.each(STATED)(
      'books each month once, whose transaction has the reference: %s',
      async (stated: Stated) => {
        const s = await authorized();
        for (let month = 1; month <= 3; month += 1) {
          const sale = s.charged(newId(), { stated });
          expect([await s.tellPaid(sale), await s.tellPaid(sale)]).toEqual([200, 200]);
          // June’s pages: the same money in the other form, where it leads to the order at all.
          if (stated === 'the journey’s') expect(await s.tellSale(sale)).toBe(200);
        }
        expect(paid(await s.lines())).toEqual(['paid 29.9 first', 'paid 29.9 later', 'paid 29.9 later']);
        expect([await s.cases(), s.reports, await s.state()]).toEqual([[], [], 'paid']);
        const asked = s.service.requests.filter((each) => each.includes('/authorizations/'));
        expect(asked).toHaveLength(stated === 'the journey’s' ? 0 : 3);
      },
    );

    it.each(STATED)(
      'books the months of what was paid at once, whose transaction has the reference: %s',
      async (stated) => {
        const s = await sold();
        const sale = s.charged(newId(), { stated });
        expect([await s.tellPaid(sale, { externalId: s.key }), await s.tell('cancelled')]).toEqual([
          200, 200,
        ]);
        // A charge that was on its way when it was cancelled.
        const last = s.charged(newId(), { stated });
        expect(await s.tellPaid(last, { externalId: null })).toBe(200);
        expect(paid(await s.lines()).slice(1)).toEqual(['paid 29.9 later', 'paid 29.9 later']);
        expect([await s.cases(), s.reports]).toEqual([[], []]);
      },
    );

    it('books no walk-in’s sale of the same price as a month', async () => {
      const s = await authorized();
      await s.tellPaid(s.charged());
      const walkIn = newId();
      s.says(walkIn, { amount: 29.9, referenceCode: undefined });
      for (const to of [s.orders, s.process()]) expect(await s.tellPaid(walkIn, { to })).toBe(500);
      expect(await s.cases()).toEqual([`not_confirmed ${walkIn}`]);
      expect([paid(await s.lines()), s.reports]).toEqual([
        ['paid 29.9 first'],
        ['not_confirmed', 'not_confirmed'],
      ]);
      // The service has none of its recurrence.
      s.service.authorizations.delete(s.idRec);
      expect(
        await s.deliver('recurrence', {
          eventType: 'RECURRENCE_CHARGE_PAID',
          idRec: s.idRec,
          externalId: s.key,
          saleToken: walkIn,
          chargeAmount: 29.9,
        }),
      ).toBe(500);
      // A person who has looked books it all the same.
      expect(await s.book(walkIn)).toBe('booked');
    });

    it('stays dismissed while it is not proven, and is booked once it is', async () => {
      const s = await authorized();
      const sale = newId();
      s.says(sale, { amount: 29.9, referenceCode: undefined });
      expect(await s.tellPaid(sale)).toBe(500);
      const key = `payment:${sale}:PAID`;
      expect(await s.orders.decide(key, 'dismiss')).toMatchObject({ status: 'dismissed' });
      expect([await s.tellPaid(sale), await s.cases(), s.reports]).toEqual([200, [], ['not_confirmed']]);
      s.charged(sale, { stated: 'none' });
      expect([await s.tellPaid(sale), paid(await s.lines())]).toEqual([200, ['paid 29.9 first']]);
      expect([await s.cases(), s.reports]).toEqual([[], ['not_confirmed']]);
    });

    it.each([
      ['toUpperCase', 'toLowerCase'],
      ['toLowerCase', 'toUpperCase'],
    ] as const)('is proven by its sale as the service spells it: told %s, named %s', async (told, named) => {
      const s = await authorized();
      const sale = randomUUID();
      s.charged(sale[named](), { stated: 'none' });
      s.says(sale[told](), { amount: 29.9, referenceCode: undefined });
      expect(await s.tellPaid(sale[told]())).toBe(200);
      expect([paid(await s.lines()), await s.cases()]).toEqual([[`paid ${sale[told]()} 29.9 first`], []]);
    });

    it.each([
      ['toUpperCase', 'toLowerCase'],
      ['toLowerCase', 'toUpperCase'],
    ] as const)('is one in both spellings of a uuid: %s, then %s', async (one, other) => {
      const uuid = randomUUID();
      const [first, second] = [uuid[one](), uuid[other]()];
      const s = await opened();
      const month = { saleToken: newId(), chargeDueDate: '2027-02-15' };
      for (const idRec of [first, second, first]) {
        expect(await s.tell('authorized', { idRec })).toBe(200);
        expect(await s.tell('charge_scheduled', { idRec, externalId: null, ...month })).toBe(200);
      }
      const sale = s.charged(newId(), { stated: 'none', idRec: second });
      expect(await s.tellPaid(sale, { idRec: second, externalId: null })).toBe(200);
      expect(await s.tell('cancelled', { idRec: second, externalId: null })).toBe(200);
      expect(await s.lines()).toEqual([
        'authorized',
        'charge_scheduled',
        `paid ${sale} 29.9 first`,
        'cancelled',
      ]);
      expect([await s.cases(), s.reports]).toEqual([[], []]);
      // As it was told first.
      expect(await s.recurrences()).toMatchObject([{ idRec: first, status: 'CANCELLED', charge: { sale } }]);
    });

    it.each([
      ['case', (idRec: string) => idRec.toLowerCase()],
      ['blanks', (idRec: string) => ` ${idRec}`],
    ])('is another one where it differs in anything and is no uuid: %s', async (_, change) => {
      const s = await authorized();
      const other = change(s.idRec);
      expect(await s.tell('authorized', { idRec: other })).toBe(200);
      expect((await s.cases()).map((each) => each.split(' ')[0])).toEqual(['authorized_twice']);
      expect((await s.recurrences()).map(({ idRec }) => idRec)).toEqual([s.idRec, other]);
      // What is charged by it is the order's all the same, by its reference.
      const sale = s.charged(newId(), { idRec: other });
      expect(await s.tellPaid(sale, { idRec: other })).toBe(200);
      expect((await s.lines()).filter((line) => line.startsWith('paid'))).toEqual([
        `paid ${sale} 29.9 first`,
      ]);
    });

    it('is proven by its transaction alone where the service does not have the call, which is reported once', async () => {
      const s = await authorized();
      s.service.withoutCalls();
      for (let month = 1; month <= 2; month += 1) {
        expect(await s.tellPaid(s.charged(newId(), { stated: 'none' }))).toBe(200);
      }
      expect(paid(await s.lines())).toEqual(['paid 29.9 first', 'paid 29.9 later']);
      expect(s.reports).toEqual(['recurrence_call_missing']);
    });

    it('is delivered again while the service cannot be asked', async () => {
      const s = await authorized();
      const sale = s.charged(newId(), { stated: 'none' });
      s.service.trouble = new ConnectionError('reset', {
        operation: 'getTransaction',
        attempts: 1,
        outcome: 'unknown',
      });
      expect(await s.tellPaid(sale)).toBe(500);
      expect(await s.cases()).toEqual([`confirm_failed ${sale}`]);
      s.service.trouble = undefined;
      expect([await s.tellPaid(sale), await s.cases()]).toEqual([200, []]);
    });

    it('is never proven by a transaction that is not paid, of another sum or of another currency', async () => {
      const s = await authorized();
      for (const said of [{ situation: 'PENDING' as const }, { amount: 30 }, { uuid: 'another' }]) {
        expect(await s.tellPaid(s.charged(newId(), said))).toBe(500);
      }
      const dollars = s.charged(newId(), { currency: 'USD' });
      expect(await s.tellPaid(dollars)).toBe(200);
      const other = s.charged(newId(), { amount: 30 });
      expect(await s.tellPaid(other, { chargeAmount: 30 })).toBe(200);
      expect(paid(await s.lines())).toEqual([]);
      expect((await s.cases()).filter((each) => each.startsWith('other_amount'))).toEqual(
        [`other_amount ${dollars}`, `other_amount ${other}`].sort(),
      );
      expect(await s.state()).toBe('authorized');
    });

    it('is a case `other_order` where the service or its first event names another order', async () => {
      const s = await authorized();
      const t = new Subscription(s.place, {}, {}, s.service);
      await t.open(monthly);
      await t.tell('authorized');
      // Its transaction carries the reference of `t`.
      const stated = t.charged();
      s.service.authorizations.get(s.idRec)?.sales.push(stated);
      expect(await s.tellPaid(stated)).toBe(200);
      // Its recurrence was told of under `t`.
      const routed = s.charged(newId(), { stated: 'none', idRec: t.idRec });
      expect(await s.tellPaid(routed, { idRec: t.idRec })).toBe(200);
      expect(await s.cases()).toEqual([`other_order ${routed}`, `other_order ${stated}`].sort());
      for (const each of [stated, routed]) {
        await expect(s.book(each)).rejects.toMatchObject({ issues: [{ path: ['order'] }] });
      }
      await expect(s.book(stated, { order: s.key })).rejects.toMatchObject({ issues: [{ path: ['order'] }] });
      expect(await s.book(stated, { order: t.key })).toBe('booked');
      expect(await s.book(routed, { order: s.key })).toBe('booked');
      expect([paid(await s.lines()), paid(await t.lines())].flat().sort()).toEqual([
        'paid 29.9 first',
        'paid 29.9 first',
      ]);
    });

    it('tells each event once, also of a charge that fails again under the same sale', async () => {
      const s = await sold();
      const fail = (day: string, retryScheduled: boolean, more: object = {}) =>
        s.tell('charge_failed', {
          saleToken: 's-1',
          chargeDueDate: '2027-02-15 00:00:00',
          eventDate: `2027-02-${day} 09:00:00`,
          retryScheduled,
          rejectionCode: 'AM04',
          ...more,
        });
      for (let delivery = 0; delivery < 6; delivery += 1) expect(await fail('15', true)).toBe(200);
      // A redelivery may have another time of day.
      expect(await fail('15', true, { eventDate: '2027-02-15 09:05:00' })).toBe(200);
      expect([await fail('18', true), await fail('21', false)]).toEqual([200, 200]);
      // A try with a sale of its own.
      expect(await fail('21', false, { saleToken: 's-2', eventDate: '2027-02-21 09:00:00' })).toBe(200);
      expect(events(await s.lines())).toEqual([
        'charge_failed and again',
        'charge_failed and again',
        'charge_failed for good',
        'charge_failed for good',
      ]);
      expect(await s.recurrences()).toMatchObject([
        { charge: { status: 'FAILED', code: 'AM04', willRetry: false, dueDate: '2027-02-15' } },
      ]);
    });

    it.each<[string, { saleToken?: string; chargeDueDate?: string; eventDate?: string }]>([
      ['the same sale', { saleToken: 's-0' }],
      ['the same due day', { chargeDueDate: '2027-02-15 00:00:00' }],
      ['an older event', { chargeDueDate: '2027-02-12 00:00:00', eventDate: '2027-02-12 09:00:00' }],
    ])('says nothing of a failure that was made up for: %s', async (_, fields) => {
      const s = await authorized();
      const sale = s.charged();
      const told = { chargeDueDate: '2027-02-15 00:00:00', eventDate: '2027-02-15 10:00:00' };
      expect(await s.tellPaid(sale, told)).toBe(200);
      const late = { saleToken: newId(), ...fields, ...(fields.saleToken && { saleToken: sale }) };
      expect(await s.tell('charge_failed', { ...late, retryScheduled: false })).toBe(200);
      expect(events(await s.lines())).toEqual(['authorized']);
      expect(await s.recurrences()).toMatchObject([{ charge: { sale, status: 'PAID' } }]);
      expect(
        await s.tell('charge_failed', {
          saleToken: newId(),
          chargeDueDate: '2027-03-15 00:00:00',
          eventDate: '2027-03-15 09:00:00',
        }),
      ).toBe(200);
      expect(events(await s.lines())).toHaveLength(2);
    });

    it('keeps what a payer has approved twice as one case, which ends once one is over', async () => {
      const s = await authorized();
      const second = `${s.idRec}-2`;
      expect([
        await s.tell('authorized', { idRec: second }),
        await s.tell('authorized', { idRec: second }),
      ]).toEqual([200, 200]);
      expect(await s.tell('charge_scheduled', { idRec: second, saleToken: 's-2' })).toBe(200);
      expect([await s.cases(), await s.lines()]).toEqual([['authorized_twice undefined'], ['authorized']]);
      const [twice] = await allOf(s.orders.cases());
      expect(twice).toMatchObject({ order: s.key, retries: false, kind: 'recurrence' });
      expect((await s.orders.find({ key: s.key })).cases).toEqual([]);
      await expect(s.book(String(twice?.id))).rejects.toMatchObject({ issues: [{ path: ['decision'] }] });
      expect((await s.orders.maintain()).skipped).toBe(false);
      expect(await s.cases()).toEqual(['authorized_twice undefined']);
      expect(await s.orders.cancelRecurrence(s.key, { reason: 'twice', idRec: second })).toEqual({
        cancelled: [second],
      });
      expect(await s.tell('cancelled', { idRec: second })).toBe(200);
      await s.orders.maintain();
      expect([await s.cases(), await s.lines(), await s.state()]).toEqual([[], ['authorized'], 'authorized']);
    });

    it('takes the second one of two for the order’s once the first is over', async () => {
      const s = await authorized();
      const second = `${s.idRec}-2`;
      await s.tell('authorized', { idRec: second });
      await s.tell('cancelled');
      // Between the two it lives, so no QR code is shown.
      expect((await s.open(monthly)).state).toBe('authorized');
      await s.orders.maintain();
      expect([await s.cases(), await s.lines()]).toEqual([[], ['authorized', 'cancelled', 'authorized']]);
      const sale = s.charged(newId(), { idRec: second, stated: 'none' });
      expect(await s.tellPaid(sale, { idRec: second, externalId: null })).toBe(200);
      expect(paid(await s.lines())).toEqual(['paid 29.9 first']);
    });

    it('ends a case of two by `dismiss`', async () => {
      const s = await authorized();
      const second = { idRec: `${s.idRec}-2` };
      await s.tell('authorized', second);
      const [twice] = await allOf(s.orders.cases());
      expect(await s.dismiss(String(twice?.id))).toBe('dismissed');
      expect([
        await s.tell('authorized', second),
        await s.tell('charge_scheduled', { ...second, saleToken: 's' }),
      ]).toEqual([200, 200]);
      expect([await s.cases(), await s.lines(), await s.state()]).toEqual([[], ['authorized'], 'authorized']);
    });

    it('is a case where its journey was closed, or is over an older price, which nobody books', async () => {
      const s = await opened();
      await s.orders.close(s.key);
      expect([await s.tell('authorized'), await s.tell('charge_scheduled')]).toEqual([200, 200]);
      expect([await s.cases(), await s.lines()]).toEqual([['closed undefined'], []]);
      const t = await opened();
      t.says(`uuid-of-${t.key}`, { situation: 'PENDING' });
      await t.open(
        { ...monthly, recurrence: { immediatePayment: false, amount: { recurrenceAmount: 39.9 } } },
        { replace: true },
      );
      expect(await t.tell('authorized')).toBe(200);
      expect(await t.cases()).toEqual(['other_amount undefined']);
      for (const each of [s, t]) {
        const [found] = await allOf(each.orders.cases());
        await expect(each.book(String(found?.id))).rejects.toMatchObject({
          issues: [{ path: ['decision'] }],
        });
        expect(await each.dismiss(String(found?.id))).toBe('dismissed');
        // It lives all the same: a QR code would be a second one.
        expect([each.reports.length > 0, await each.cases()]).toEqual([true, []]);
      }
      await expect(t.open({ amount: 59.7 }, { replace: true })).rejects.toMatchObject({
        state: 'authorized',
      });
    });

    it('lives on after `close`, which says so, until its end has come', async () => {
      const s = await authorized();
      expect(await s.orders.close(s.key)).toMatchObject({
        attempts: [{ attempt: 1, state: 'closed' }],
        recurrences: [{ idRec: s.idRec, status: 'APPROVED' }],
      });
      expect([(await s.open(monthly)).state, await s.state()]).toEqual(['authorized', 'authorized']);
      expect(await s.orders.cancelRecurrence(s.key, { reason: 'closed' })).toEqual({ cancelled: [s.idRec] });
      expect((await s.open(monthly)).state).toBe('authorized');
      expect(await s.tell('cancelled')).toBe(200);
      expect(await s.orders.cancelRecurrence(s.key, { reason: 'closed' })).toEqual({ cancelled: [] });
      expect(await s.open(monthly)).toMatchObject({ state: 'open', attempt: 2 });
    });

    it('asks the service first where a payer has rejected, then makes a new journey', async () => {
      const s = await opened();
      expect(await s.tell('rejected')).toBe(200);
      const uuid = `uuid-of-${s.key}`;
      s.says(uuid, { situation: 'PENDING' });
      expect(await s.open(monthly)).toMatchObject({ state: 'open', attempt: 2 });
      expect(await s.lines()).toEqual(['rejected']);
      // The payer scans the first code again, and approves: the order’s all the same.
      expect(await s.tell('authorized', { idRec: `${s.idRec}-2` })).toBe(200);
      expect([await s.lines(), (await s.open(monthly)).state]).toEqual([
        ['rejected', 'authorized'],
        'authorized',
      ]);
    });

    it('comes in any order: authorized, scheduled, paid and an end', async () => {
      const names = ['authorized', 'charge_scheduled', 'charge_paid', 'cancelled'];
      const orders = names.flatMap((a) =>
        names
          .filter((b) => b !== a)
          .flatMap((b) =>
            names
              .filter((c) => c !== a && c !== b)
              .map((c) => [a, b, c, ...names.filter((d) => ![a, b, c].includes(d))]),
          ),
      );
      expect(orders).toHaveLength(24);
      const s = await opened();
      for (const order of orders) {
        const each = new Subscription(s.place, {}, {}, new FakeService());
        await each.open(monthly);
        const sale = each.charged(newId(), { stated: 'none' });
        const fields = { saleToken: sale, chargeAmount: 29.9, chargeDueDate: '2027-02-15 00:00:00' };
        for (const name of order) {
          expect(await each.tell(name, name.startsWith('charge') ? fields : {}), `${order}: ${name}`).toBe(
            200,
          );
        }
        expect(paid(await each.lines()), String(order)).toEqual(['paid 29.9 first']);
        expect([await each.state(), await each.recurrences()], String(order)).toMatchObject([
          'paid',
          [{ status: 'CANCELLED', charge: { sale, status: 'PAID' } }],
        ]);
        const told = events(await each.lines());
        expect(
          told.filter((name) => name === 'cancelled'),
          String(order),
        ).toHaveLength(1);
        expect(new Set(told).size, String(order)).toBe(told.length);
        const isLate = (one: string, other: string) => order.indexOf(one) > order.indexOf(other);
        expect(told.includes('authorized'), String(order)).toBe(!isLate('authorized', 'cancelled'));
        expect(told.includes('charge_scheduled'), String(order)).toBe(
          !isLate('charge_scheduled', 'charge_paid'),
        );
      }
    });

    it.each(STATED)('takes both forms of a charge for one, in both orders, reference: %s', async (stated) => {
      for (const isEventFirst of [true, false]) {
        const s = await authorized({}, { on: { foreign: 'ignore' } as never });
        const sale = s.charged(newId(), { stated });
        const forms = [() => s.tellPaid(sale), () => s.tellSale(sale)];
        for (const form of isEventFirst ? forms : forms.reverse()) expect(await form()).toBe(200);
        expect([paid(await s.lines()), await s.cases()]).toEqual([['paid 29.9 first'], []]);
        for (const form of forms) expect(await form()).toBe(200);
        expect([paid(await s.lines()), await s.cases(), s.reports]).toEqual([['paid 29.9 first'], [], []]);
      }
    });

    it('is a case where its money was done as nobody’s by a function, before its event led to the order', async () => {
      const foreign: string[] = [];
      const on = { foreign: ({ kind }: { kind: string }) => void foreign.push(kind) };
      const s = await authorized({}, { on: on as never });
      const sale = s.charged(newId(), { stated: 'another' });
      expect([await s.tellSale(sale), await s.tellPaid(sale), await s.tellPaid(sale)]).toEqual([
        200, 200, 200,
      ]);
      expect([foreign, await s.cases(), paid(await s.lines())]).toEqual([
        ['payment'],
        [`unexpected_repeat ${sale}`],
        [],
      ]);
      const [found] = await allOf(s.orders.cases());
      expect(found).toMatchObject({ order: s.key });
      expect(await s.book(String(found?.id))).toBe('booked');
      expect(await s.orders.find({ key: s.key })).toMatchObject({ payments: [{ sale, amount: 29.9 }] });
      expect([await s.tellPaid(sale), await s.cases()]).toEqual([200, []]);
    });

    it('is booked though a crash has left nothing but its pointer, after it was done as nobody’s', async () => {
      const s = subscription({}, { on: { foreign: 'ignore' } as never });
      await s.open(monthly);
      const sale = s.charged(newId(), { stated: 'none' });
      expect([await s.tellSale(sale), await s.lines()]).toEqual([200, []]);
      await pointToSale(stepsOf(s.place.store), sale, s.key);
      expect([await s.tellPaid(sale), await s.tellPaid(sale)]).toEqual([200, 200]);
      expect([await s.lines(), await s.cases()]).toEqual([[`paid ${sale} 29.9 first`], []]);
    });

    it.each([
      ['payments', { amount: 29.9, currency: 'BRL' }],
      ['dismissed', { id: 'x', reason: 'closed' }],
    ] as const)(
      'is booked once, though its order has so many %s that it may have forgotten it',
      async (list, each) => {
        const s = subscription({}, { on: { foreign: 'ignore' } as never });
        await s.open(monthly);
        const sale = s.charged();
        expect(await s.tellPaid(sale)).toBe(200);
        const many = Array.from({ length: list === 'payments' ? 400 : 50 }, (_, at) => {
          return { sale: `another-${at}`, at, ...each };
        });
        const payments = [{ sale: 'another', amount: 29.9, currency: 'BRL', at: 1 }];
        await changeOrder(stepsOf(s.place.store), s.key, (order) => ({ ...order, payments, [list]: many }));
        expect([await s.tellPaid(sale), await s.lines()]).toEqual([200, [`paid ${sale} 29.9 first`]]);
        expect((await s.orders.find({ key: s.key }))[list]).toHaveLength(many.length);
      },
    );

    it('is no case any more once its event is booked, where its money was done as nobody’s before', async () => {
      const s = subscription({}, { on: { foreign: 'ignore' } as never });
      const recurrence = { immediatePayment: true, amount: { recurrenceAmount: 29.9 } };
      const first = await s.uuid({ recurrence });
      const sale = s.charged(newId(), { stated: 'another' });
      expect([await s.tellSale(sale), await s.tellPaid(sale)]).toEqual([200, 200]);
      expect(await s.cases()).toEqual([`other_sale ${sale}`]);
      expect([await s.pay(first), await s.tellPaid(sale)]).toEqual([200, 200]);
      expect([await s.lines(), await s.cases()]).toEqual([
        [`paid ${first} 59.7 first`, `paid ${sale} 29.9 later`],
        [],
      ]);
      // Compared with what was booked, though its order has forgotten that.
      await changeOrder(stepsOf(s.place.store), s.key, (order) => ({ ...order, payments: [] }));
      expect([await s.tellPaid(sale), await s.cases()]).toEqual([200, []]);
      expect([await s.tellPaid(sale, { chargeAmount: 31 }), await s.cases()]).toEqual([
        200,
        [`unexpected_repeat ${sale}`],
      ]);
      expect(await s.lines()).toHaveLength(2);
    });

    it('is booked though it was dismissed, where its money was done as nobody’s before', async () => {
      const s = subscription({}, { on: { foreign: 'ignore' } as never });
      await s.open();
      const sale = s.charged(newId(), { stated: 'another' });
      expect([await s.tellSale(sale), await s.tellPaid(sale)]).toEqual([200, 200]);
      const { id } = await s.caseOf('other_sale');
      expect(await s.dismiss(id)).toBe('dismissed');
      expect((await s.orders.find({ key: s.key })).dismissed).toMatchObject([{ id, sale }]);
      expect(await s.book(id)).toBe('booked, was dismissed');
      expect([paid(await s.lines()), await s.cases()]).toEqual([['paid 29.9 first'], []]);
      expect((await s.orders.find({ key: s.key })).dismissed).toEqual([]);
      expect([await s.tellPaid(sale), await s.book(id)]).toEqual([200, 'booked, was booked']);
    });

    it('is remembered without `on.recurrence`, and of no order it is `on.foreign`’s, never a case', async () => {
      const s = await authorized({}, { on: { recurrence: undefined } as never });
      expect([await s.lines(), await s.state()]).toEqual([[], 'authorized']);
      const none = { idRec: 'RR-nobody', externalId: 'nobody' };
      expect([await s.tell('authorized', none), await s.cases(), s.reports]).toEqual([200, [], []]);
      const seen: unknown[] = [];
      const on = {
        foreign: ({ kind, payload }: { kind: string; payload: object }) =>
          void seen.push(kind, Object(payload).idRec),
      };
      const t = subscription({}, { on: on as never });
      expect([await t.tell('cancelled', none), await t.tell('cancelled', none)]).toEqual([200, 200]);
      expect([seen, await t.cases()]).toEqual([['recurrence', 'RR-nobody'], []]);
    });

    it('gives the callback what it needs, with the bank’s text, which the order does not keep', async () => {
      const given: RecurrenceOfOrder[] = [];
      const s = await authorized({ recurrence: (each) => void given.push(each) });
      await s.tell('charge_failed', {
        saleToken: 's-1',
        chargeAmount: 29.9,
        chargeDueDate: '2027-02-15 00:00:00',
        nextRecurrenceDate: '2027-02-18 00:00:00',
        eventDate: '2027-02-15 09:00:00',
        rejectionCode: 'AM04',
        rejectionReason: 'saldo insuficiente',
        retryScheduled: true,
      });
      expect(given).toEqual([
        {
          order: s.key,
          idRec: s.idRec,
          event: 'authorized',
          status: 'APPROVED',
          nextChargeAt: '2027-02-15 00:00:00',
        },
        {
          order: s.key,
          idRec: s.idRec,
          event: 'charge_failed',
          status: 'APPROVED',
          nextChargeAt: '2027-02-18 00:00:00',
          charge: {
            sale: 's-1',
            amount: 29.9,
            dueDate: '2027-02-15',
            code: 'AM04',
            reason: 'saldo insuficiente',
            willRetry: true,
          },
        },
      ]);
    });

    it.each(STATED)(
      'finds the order of what `asPayment` gives, and of what a person names, reference: %s',
      async (stated) => {
        const asPayment = (body: Readonly<Record<string, unknown>>) =>
          body['yourSale'] === undefined
            ? undefined
            : { saleToken: String(body['yourSale']), referenceCode: String(body['of']), amount: 29.9 };
        const s = await sold({}, { asPayment });
        const [two, three] = [s.charged(newId(), { stated }), s.charged(newId(), { stated })];
        const body = { yourSale: two, of: s.key };
        expect((await s.orders.webhook(notificationRequest('custom', body, credentials))).status).toBe(200);
        expect(paid(await s.lines()).slice(1)).toEqual(['paid 29.9 later']);
        // Another body of the same account, whose reference is of nobody.
        const ordinary = { saleToken: three, referenceCode: 'nobody', amount: 29.9, currency: 'BRL' };
        s.says(three, { amount: 29.9, referenceCode: 'nobody' });
        expect(await s.deliver('payment', ordinary)).toBe(200);
        expect(await s.cases()).toEqual([`no_order ${three}`]);
        expect(await s.book(three, { order: s.key })).toBe('booked');
        expect([paid(await s.lines()).length, await s.cases()]).toEqual([3, []]);
        // The service states another reference than the notification: a person has named the order.
        const four = s.charged(newId(), { stated: 'none' });
        expect(await s.deliver('payment', { ...ordinary, saleToken: four })).toBe(500);
        expect(await s.book(four, { order: s.key })).toBe('booked');
        expect([paid(await s.lines()).length, await s.cases()]).toEqual([4, []]);
      },
    );

    it('is approved twice at the same time: one is the order’s, and the other one a case', async () => {
      const s = await opened({ recurrence: () => sleep(50) });
      const second = { idRec: `${s.idRec}-2`, to: s.process() };
      expect(await Promise.all([s.tell('authorized'), s.tell('authorized', second)])).toEqual([200, 200]);
      expect([await s.lines(), await s.cases()]).toEqual([['authorized'], ['authorized_twice undefined']]);
    });

    it('never takes the sale of a charge for that of a journey whose answer was lost', async () => {
      const s = subscription();
      s.client.answers.push(errors.unknown());
      await expect(s.open(monthly)).rejects.toThrow('504');
      const sale = s.charged();
      expect(await s.tellPaid(sale)).toBe(200);
      const { state, attempts, payments } = await s.orders.find({ key: s.key });
      expect([state, attempts, payments]).toMatchObject([
        'paid',
        [{ state: 'paid' }],
        [{ sale, attempt: 1 }],
      ]);
      expect(attempts[0]?.uuid).toBeUndefined();
    });

    it('is told before `open` has recorded its answer, and neither sees a QR code nor makes a second journey', async () => {
      for (const names of [
        ['authorized'],
        ['authorized', 'cancelled'],
        ['rejected'],
        ['charge_paid'],
        ['charge_failed'],
      ]) {
        const s = new Subscription(kind.open(), {}, {}, new FakeService());
        const { createRecurringCheckout } = s.service;
        s.service.createRecurringCheckout = async (...given) => {
          const answer = await createRecurringCheckout.apply(s.service, given);
          const sale = s.charged();
          for (const name of names) {
            const fields = name.startsWith('charge') ? { saleToken: sale, chargeAmount: 29.9 } : {};
            expect(await s.tell(name, fields), String(names)).toBe(200);
          }
          return answer;
        };
        const opened = await s.open(monthly).then(
          ({ state }) => state,
          ({ code }) => code,
        );
        const last = names.at(-1);
        const expected =
          last === 'charge_paid'
            ? 'paid'
            : last === 'cancelled'
              ? 'store_failed'
              : last === 'rejected'
                ? 'open'
                : 'authorized';
        expect([opened, s.client.calls.length], String(names)).toEqual([expected, 1]);
        expect(await s.cases()).toEqual([]);
      }
    });

    it('never has two live QR codes, nor one for who has approved, whatever happens at the same time', async () => {
      const expensive = {
        ...monthly,
        recurrence: { immediatePayment: false, amount: { recurrenceAmount: 39.9 } },
      };
      type Act = (s: Subscription) => Promise<unknown>;
      const acts: Readonly<Record<string, Act>> = {
        open: (s) => s.open(monthly),
        replace: (s) => s.open(expensive, { replace: true }),
        close: (s) => s.orders.close(s.key),
        end: (s) => s.tell('cancelled'),
        'the same again': (s) => s.tell('authorized', { to: s.process() }),
        charge: (s) => s.tellPaid(s.charged()),
      };
      for (const [name, act] of Object.entries(acts)) {
        for (let round = 0; round < 4; round += 1) {
          const s = new Subscription(kind.open(), {}, {}, new FakeService());
          await s.open(monthly);
          s.says(`uuid-of-${s.key}`, { situation: 'PENDING' });
          const about = `${name}, ${round}`;
          const pair = [() => s.tell('authorized'), () => act(s)];
          const done = await Promise.all(
            (round % 2 === 0 ? pair : pair.reverse()).map((each) => each().catch((error) => error)),
          );
          // What was busy, or had lost a race, is delivered again.
          if (done.includes(503) || done.includes(500)) {
            expect(await s.tell('authorized'), about).toBe(200);
            if (name === 'end') expect(await s.tell('cancelled'), about).toBe(200);
            if (name === 'charge')
              for (const sale of s.service.authorizations.get(s.idRec)?.sales ?? [])
                expect(await s.tellPaid(sale), about).toBe(200);
          }
          const told = events(await s.lines());
          expect(new Set(told).size, about).toBe(told.length);
          const { state, payments, attempts } = await s.orders.find({ key: s.key });
          expect(attempts.filter((each) => each.state === 'created').length, about).toBeLessThanOrEqual(1);
          if (name === 'charge') expect([state, payments.length], about).toEqual(['paid', 1]);
          else if (name !== 'end') {
            // It lives: no later `open` shows a QR code, at whichever price.
            for (const request of [monthly, expensive]) {
              const shown = await s.open(request, { replace: true }).catch((error) => error);
              expect(shown.state, about).toBe('authorized');
            }
          }
        }
      }
    });

    it('books a charge once that a person decides about beside an event of another process', async () => {
      type Act = (s: Subscription, sale: string, to: Shop['orders']) => Promise<number>;
      const acts: Readonly<Record<string, Act>> = {
        authorized: (s, _, to) => s.tell('authorized', { to }),
        cancelled: (s, _, to) => s.tell('cancelled', { to }),
        'the charge again': (s, sale, to) => s.tellPaid(sale, { to }),
      };
      for (const decision of ['book', 'dismiss'] as const) {
        for (const [name, act] of Object.entries(acts)) {
          const s = new Subscription(kind.open(), {}, {}, new FakeService());
          await s.open(monthly);
          await s.orders.close(s.key);
          const sale = s.charged();
          expect(await s.tellPaid(sale)).toBe(200);
          const { id } = await s.caseOf('closed');
          const other = s.process();
          const decide = () => s.orders.decide(id, decision).catch((error) => error.code);
          const about = `${decision} beside ${name}`;
          const [first, status] = await Promise.all([decide(), act(s, sale, other)]);
          if (first === 'order_busy') expect(await decide(), about).toHaveProperty('status');
          if (status !== 200) expect(await act(s, sale, other), about).toBe(200);
          const booked = decision === 'book' ? [sale] : [];
          const { payments, attempts } = await s.orders.find({ key: s.key });
          expect(
            payments.map((each) => each.sale),
            about,
          ).toEqual(booked);
          expect((await s.lines()).filter((line) => line.startsWith('paid')).length, about).toBe(
            booked.length,
          );
          expect(
            (await s.cases()).filter((each) => each.endsWith(sale)),
            about,
          ).toEqual([]);
          expect(attempts.filter(({ state }) => state === 'created').length, about).toBe(0);
          const live = new Set(
            [await s.open(monthly), await s.open(monthly)].map((each) => JSON.stringify(each)),
          );
          expect(live.size, about).toBe(1);
        }
      }
    });

    it('runs again after a callback that failed, an end too', async () => {
      let fails = 2;
      const s = await opened({
        recurrence: () => {
          if (fails-- > 0) throw new Error('simulated');
        },
      });
      expect(await s.tell('authorized')).toBe(500);
      expect(await s.cases()).toEqual(['callback_failed undefined']);
      expect((await s.orders.find({ key: s.key })).cases).toEqual([]);
      expect(await s.tell('authorized')).toBe(500);
      expect([await s.tell('authorized'), await s.cases()]).toEqual([200, []]);
      fails = 1;
      expect([await s.tell('cancelled'), await s.tell('concluded'), await s.tell('cancelled')]).toEqual(
        kind.isTransactional ? [500, 200, 200] : [500, 200, 200],
      );
      expect((await s.lines()).filter((line) => line !== 'authorized')).toHaveLength(1);
    });
  });
}

for (const place of await allPlaces()) testIn(place);
