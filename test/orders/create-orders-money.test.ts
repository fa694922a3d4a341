import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { Order } from '../../src/orders/attempt';
import { changeOrder, readOrder } from '../../src/orders/order-records';
import { isUntold } from '../../src/orders/returns';
import type { Store } from '../../src/stores';
import { stepsOf } from '../../src/stores/steps';
import { crashBeforeCommit, notificationRequest } from '../../src/testing';
import { defineNotification } from '../../src/webhooks';
import { clientFor } from '../client/support';
import { allOf } from '../helpers/all-of';
import { deferred } from '../helpers/deferred';
import { reply, startHttpServer } from '../helpers/http-server';
import { storeOf } from '../helpers/store-of';
import { createBug, throwing } from '../webhooks/faults';
import { allPlaces, type HookContext, newId, type PlaceKind, Shop } from './places';
import { credentials, errors, paid, refunded } from './support';

const HOUR = 3_600_000;
const MINUTE = 60_000;

function testIn(kind: PlaceKind): void {
  const { isTransactional } = kind;
  describe.skipIf(!kind.isThere)(`money of orders, over ${kind.name}`, () => {
    beforeAll(kind.prepare);
    afterAll(kind.close);
    const shop = (...more: [Shop['hooks']?, Shop['options']?]) => new Shop(kind.open(), ...more);
    /** The same, with an order that is open, or that is paid. */
    const opened = async (...more: Parameters<typeof shop>) => {
      const s = shop(...more);
      return [s, await s.uuid()] as const;
    };
    const sold = async (...more: Parameters<typeof shop>) => {
      const [s, sale] = await opened(...more);
      await s.pay(sale);
      return [s, sale] as const;
    };
    const itInTransactions = (title: string, test: () => Promise<void>) => isTransactional && it(title, test);

    it('books the first payment and later charges once, however often they come', async () => {
      const [s, first] = await opened();
      expect([await s.pay(first), await s.pay(first)]).toEqual([200, 200]);
      const two = newId();
      expect([await s.pay(two, { amount: 29.9 }), await s.pay(two, { amount: 29.9 })]).toEqual([200, 200]);
      expect(await s.lines()).toEqual([`paid ${first} 59.7 first`, `paid ${two} 29.9 later`]);
      expect([await s.state(), await s.cases(), s.reports]).toEqual(['paid', [], []]);
      expect(await s.open()).toMatchObject({ state: 'paid', uuid: first, returns: [] });
      expect(await s.orders.find({ uuid: two })).toMatchObject({
        key: s.key,
        payments: [
          { sale: first, attempt: 1, amount: 59.7, currency: 'BRL' },
          { sale: two, amount: 29.9 },
        ],
      });
    });

    it('books nothing that somebody else has made under its reference, really paid or not', async () => {
      const s = shop();
      await s.uuid();
      const [cheap, equal] = [newId(), newId()];
      expect([await s.pay(cheap, { amount: 0.01 }), await s.pay(equal)]).toEqual([200, 200]);
      expect(await s.lines()).toEqual([]);
      expect(await s.cases()).toEqual([`other_sale ${cheap}`, `other_sale ${equal}`].sort());
      // It is not its own money: the payer may still pay.
      expect([await s.state(), (await s.open()).state]).toEqual(['open', 'open']);
    });

    it('makes cases of what is not expected, which a person books or dismisses', async () => {
      const s = shop();
      const [first, second] = await s.twice();
      const referenceCode = `${s.key}-2`;
      const [odd, none] = [newId(), newId()];
      expect([await s.pay(second, { referenceCode }), await s.pay(first)]).toEqual([200, 200]);
      expect(await s.pay(odd, { referenceCode, amount: 12 })).toBe(200);
      expect(await s.pay(none, { referenceCode: `nobody-${none}` })).toBe(200);
      expect(await s.lines()).toEqual([`paid ${second} 59.7 first`]);
      expect(await s.cases()).toEqual(
        [`no_order ${none}`, `other_amount ${odd}`, `paid_twice ${first}`].sort(),
      );
      expect(await s.orders.maintain()).toMatchObject({ skipped: false, errors: [] });
      expect(s.reports.filter((code) => code === 'paid_twice')).toHaveLength(1);
      const { cases } = await s.orders.find({ key: s.key });
      // The order knows its own money only.
      expect(cases.map(({ reason }) => reason)).toEqual(['paid_twice']);

      expect([await s.book(first), await s.book(first)]).toEqual(['booked', 'booked, was booked']);
      expect(await s.dismiss(odd)).toBe('dismissed');
      expect(await s.pay(odd, { referenceCode, amount: 12 })).toBe(200);
      const { id: noOrder } = await s.caseOf('no_order');
      await expect(s.book(noOrder)).rejects.toMatchObject({ issues: [{ path: ['order'] }] });
      expect(await s.book(noOrder, { order: s.key })).toBe('booked');
      const booked = [`paid ${second} 59.7 first`, `paid ${first} 59.7 later`, `paid ${none} 59.7 later`];
      expect([await s.lines(), ...(await s.allCases())]).toEqual([booked, [], []]);
    });

    it('books a lost attempt that was paid, and makes a case of the next one', async () => {
      const s = shop();
      s.client.answers.push(new Error('lost'));
      await expect(s.open()).rejects.toThrow('lost');
      const second = await s.uuid();
      const lost = newId();
      expect(await s.pay(lost)).toBe(200);
      expect(await s.lines()).toEqual([`paid ${lost} 59.7 first`]);
      expect((await s.open()).state).toBe('paid');
      expect(await s.pay(second, { referenceCode: `${s.key}-2` })).toBe(200);
      expect(await s.cases()).toEqual([`paid_twice ${second}`]);
    });

    it('does not book the payment of a closed journey, until a person does', async () => {
      const [s, uuid] = await opened();
      expect((await s.orders.close(s.key)).attempts).toMatchObject([{ attempt: 1, state: 'closed', uuid }]);
      expect(await s.orders.close(s.key)).toEqual({ attempts: [], recurrences: [] });
      expect(await s.state()).toBe('none');
      expect(await s.pay(uuid)).toBe(200);
      expect([await s.lines(), await s.state()]).toEqual([[], 'review']);
      expect((await s.open()).state).toBe('review');
      expect(await s.book(uuid)).toBe('booked');
      expect([await s.lines(), await s.state()]).toEqual([[`paid ${uuid} 59.7 first`], 'paid']);
    });

    it('asks nobody what it is about: an amount that neither states is a case', async () => {
      const [s, uuid] = await opened();
      s.says(uuid, { amount: undefined });
      const body = { saleToken: uuid, referenceCode: s.key, amount: null, currency: null };
      expect(await s.deliver('payment', body)).toBe(200);
      expect(await s.cases()).toEqual([`unclear_amount ${uuid}`]);
      await expect(s.book(uuid)).rejects.toMatchObject({ issues: [{ path: ['amount'] }] });
      expect(await s.book(uuid, { amount: 59.7 })).toBe('booked');
      expect(await s.lines()).toEqual([`paid ${uuid} 59.7 first`]);
    });

    it('books what the service says where the notification leaves it out', async () => {
      const [s, uuid] = await opened();
      s.says(uuid);
      const body = { saleToken: uuid, amount: null, currency: null, referenceCode: null };
      expect(await s.deliver('payment', body)).toBe(200);
      expect(await s.lines()).toEqual([`paid ${uuid} 59.7 first`]);
    });

    it('tells what goes back, once each, with what is left', async () => {
      const [s, sale] = await opened();
      expect(await s.refund(sale, newId(), 5)).toBe(200);
      expect([await s.lines(), await s.cases()]).toEqual([[], [`early_return ${sale}`]]);
      expect(await s.state()).toBe('open');
      expect(await s.pay(sale)).toBe(200);
      expect(await s.lines()).toEqual([`paid ${sale} 59.7 first`, `returned ${sale} 5 left 54.7`]);
      expect(await s.cases()).toEqual([]);
      const id = newId();
      await s.refund(sale, id, 4.7);
      await s.refund(sale, id, 4.7);
      await s.refund(sale, newId(), 50);
      expect((await s.lines()).slice(2)).toEqual([
        `returned ${sale} 4.7 left 50`,
        `returned ${sale} 50 left 0`,
      ]);
      expect(await s.open()).toMatchObject({
        state: 'paid',
        returns: [{ amount: 5 }, { amount: 4.7 }, { amount: 50 }],
      });
      expect(await s.refund(sale, newId(), 1)).toBe(200);
      expect(await s.cases()).toEqual([`unclear_amount ${sale}`]);
      expect(await s.state()).toBe('paid');
      const { id: unclear } = await s.caseOf('unclear_amount');
      // Nothing is left that could go back.
      await expect(s.book(unclear, { amount: 1 })).rejects.toMatchObject({ issues: [{ path: ['amount'] }] });
      expect(await s.dismiss(unclear)).toBe('dismissed');
      expect(await s.cases()).toEqual([]);
    });

    it('tells a reversal once it is PAID, also one of month two', async () => {
      const [s, sale] = await sold();
      const [a, b, two] = [newId(), newId(), newId()];
      for (const status of ['PENDING', 'CANCELLED', 'PENDING'])
        expect(await s.reverse(sale, a, 10, status)).toBe(200);
      for (const status of ['PENDING', 'PAID', 'PENDING'])
        expect(await s.reverse(sale, b, 10, status)).toBe(200);
      await s.pay(two, { amount: 29.9 });
      expect(await s.reverse(two, newId(), 29.9, 'PAID')).toBe(200);
      expect((await s.lines()).slice(1)).toEqual([
        `returned ${sale} 10 left 49.7`,
        `paid ${two} 29.9 later`,
        `returned ${two} 29.9 left 0`,
      ]);
      const { returns } = await s.orders.find({ key: s.key });
      expect(returns.map(({ status }) => status)).toEqual(['CANCELLED', 'PAID', 'PAID']);
    });

    it('tells a reversal of month two that overtakes it, by the delivery that books it', async () => {
      const s = shop();
      await s.pay(await s.uuid());
      const two = newId();
      expect(await s.reverse(two, newId(), 29.9, 'PAID')).toBe(200);
      expect(await s.cases()).toEqual([`early_return ${two}`]);
      expect(await s.pay(two, { amount: 29.9 })).toBe(200);
      expect((await s.lines()).slice(1)).toEqual([`paid ${two} 29.9 later`, `returned ${two} 29.9 left 0`]);
      expect(await s.cases()).toEqual([]);
    });

    it('runs `returned` again after it has thrown', async () => {
      const { fix, breaks } = createBug();
      const s = shop({ returned: breaks() });
      const [sale, id] = [await s.uuid(), newId()];
      await s.pay(sale);
      expect(await s.refund(sale, id, 9.7)).toBe(500);
      expect(await s.cases()).toEqual([`callback_failed ${sale}`]);
      fix();
      expect(await s.refund(sale, id, 9.7)).toBe(200);
      expect((await s.lines()).slice(1)).toEqual([`returned ${sale} 9.7 left 50`]);
      expect(await s.allCases()).toEqual([[], []]);
      const { returns } = await s.orders.find({ key: s.key });
      expect(returns).toMatchObject([{ amount: 9.7, status: 'PAID' }]);
    });

    it('never runs `returned` inside `paid`: one that throws leaves the payment booked once', async () => {
      const [s, sale] = await opened({ returned: throwing(new Error('a bug')) });
      await s.refund(sale, newId(), 9.7);
      expect([await s.pay(sale), await s.pay(sale), await s.pay(sale)]).toEqual([200, 200, 200]);
      expect(await s.lines()).toEqual([`paid ${sale} 59.7 first`]);
      expect(await s.cases()).toEqual([`callback_failed ${sale}`]);
    });

    it('books what was refunded in part since, and asks a person where all of it went back', async () => {
      const [s, sale] = await opened();
      const [id, other] = [newId(), newId()];
      expect(await s.pay(sale, { refunds: refunded(id, 9.7) })).toBe(200);
      expect(await s.refund(sale, other, 10)).toBe(200);
      expect(await s.refund(sale, id, 9.7)).toBe(200);
      expect(await s.lines()).toEqual([
        `paid ${sale} 59.7 first`,
        `returned ${sale} 10 left 40`,
        `returned ${sale} 9.7 left 40`,
      ]);
      const [t, gone] = await opened();
      expect(await t.pay(gone, { refunds: refunded(newId(), 59.7) })).toBe(200);
      expect([await t.lines(), await t.cases()]).toEqual([[], [`returned_in_full ${gone}`]]);
      expect(await t.state()).toBe('review');
    });

    it('reads what the service states as text: a sum, and what was refunded of it', async () => {
      /** What is settled where the service says so, of 59.70. */
      const settled = async (total: string) => {
        const [s, sale] = await opened();
        const refunds = { quantity: 1, transactions: [{ uuid: newId(), total, status: 'PAID' }] };
        const said = { ...paid(sale, { referenceCode: s.key }), amount: '59.70', refunds };
        const orders = s.process(s.place.store, clientFor(await startHttpServer(reply(200, said))));
        expect(await orders.reconcile()).toMatchObject({ asked: 1, failed: 0 });
        expect(await s.refund(sale, newId(), 10, {}, orders)).toBe(200);
        return [await s.lines(), await s.cases(), sale] as const;
      };
      const [lines, cases, sale] = await settled('9.70');
      expect([lines, cases]).toEqual([[`paid ${sale} 59.7 first`, `returned ${sale} 10 left 40`], []]);
      const [none, [early, inFull], gone] = await settled('59.70');
      expect([none, early, inFull]).toEqual([[], `early_return ${gone}`, `returned_in_full ${gone}`]);
    });

    it('books one of two attempts that are paid at once', async () => {
      const s = shop({ paid: () => sleep(80) });
      // The answer of the first one was lost, but for its uuid.
      const first = newId();
      s.client.answers.push(errors.unknownWithUuid(first));
      await expect(s.open()).rejects.toMatchObject({ uuid: first });
      const second = await s.uuid();
      const other = new Shop(s.place, s.hooks, {}, s);
      const referenceCode = `${s.key}-2`;
      const statuses = await Promise.all([s.pay(second, { referenceCode }), other.pay(first)]);
      expect(statuses).toEqual([200, 200]);
      expect(await s.lines()).toEqual([expect.stringMatching(/ first$/)]);
      expect(await s.cases()).toEqual([expect.stringMatching(/^paid_twice /)]);
    });

    it('says sums in minor units beside the main unit, and takes what a float has left of one', async () => {
      const given: object[] = [];
      const note = (each: object) => void given.push(each);
      const [s, sale] = await sold({ paid: note, returned: note });
      const noisy = { refund: { uuid: newId(), amount: 8.47, status: 'PAID' }, amountRefunded: 8.47 };
      await s.refund(sale, '', 8.469999999999999, noisy);
      expect(given).toMatchObject([
        { amount: 59.7, minorUnits: 5970, currency: 'BRL' },
        { amount: 8.47, minorUnits: 847, left: 51.23, leftMinorUnits: 5123 },
      ]);
      expect(await s.cases()).toEqual([]);
      // A currency without a minor unit, and one that ISO 4217 does not list.
      for (const [currency, minorUnits, leftMinorUnits] of [['JPY', 500, 400], ['XXX'] as const] as const) {
        const other = new Shop(s.place, s.hooks);
        const uuid = await other.uuid({ currency, amount: 500 });
        await other.pay(uuid, { currency, amount: 500 });
        await other.refund(uuid, newId(), 100, { currency });
        expect(given.slice(-2)).toEqual([
          expect.objectContaining({ currency, minorUnits }),
          expect.objectContaining({ currency, left: 400, leftMinorUnits }),
        ]);
      }
    });

    it('counts what has gone back, however many returns somebody makes up', async () => {
      const [s, sale] = await sold();
      expect(await s.refund(sale, newId(), 50)).toBe(200);
      const made = Array.from({ length: 397 }, (_, index) => {
        return { id: `reversal:${index}`, sale, amount: 1, status: 'PENDING', at: 1 };
      });
      const steps = stepsOf(s.place.store);
      await changeOrder(steps, s.key, (order) => ({ ...order, returns: [...order.returns, ...made] }));
      for (let more = 0; more < 5; more += 1) {
        expect(await s.reverse(sale, newId(), 1, 'PENDING')).toBe(200);
      }
      const { returns } = await s.orders.find({ key: s.key });
      expect(returns).toHaveLength(400);
      expect(await s.refund(sale, newId(), 50)).toBe(200);
      expect(await s.cases()).toContain(`unclear_amount ${sale}`);
      expect(await s.refund(sale, newId(), 9.7)).toBe(200);
      expect((await s.lines()).slice(1)).toEqual([
        `returned ${sale} 50 left 9.7`,
        `returned ${sale} 9.7 left 0`,
      ]);
    });

    it.each(['refund', 'reversal'] as const)(
      'leaves a %s to its person, of which the service tells beside the payment, too',
      async (kind) => {
        let asks = true;
        const returned = (_: object, { needsPerson }: HookContext) => {
          if (asks) needsPerson('look at it');
        };
        const s = shop({ returned });
        const [sale, id] = [await s.uuid(), newId()];
        await s.pay(sale, { refunds: refunded(id, 9.7) });
        const answer =
          kind === 'refund' ? await s.refund(sale, id, 9.7) : await s.reverse(sale, id, 9.7, 'PAID');
        expect(answer).toBe(200);
        expect(await s.cases()).toEqual([`needs_person ${sale}`]);
        asks = false;
        await s.place.later?.(HOUR + 1);
        expect(await s.orders.maintain()).toMatchObject({ returned: 0, errors: [] });
        expect((await s.lines()).slice(1)).toEqual([]);
        expect(await s.book((await s.caseOf('needs_person')).id)).toBe('booked');
        await s.place.later?.(HOUR + 1);
        expect(await s.orders.maintain()).toMatchObject({ returned: 0, errors: [] });
        expect((await s.lines()).slice(1)).toEqual([`returned ${sale} 9.7 left 50`]);
      },
    );

    it('looks no more for a return that a person has dismissed, of which the service tells, too', async () => {
      const s = shop({ returned: (_, { needsPerson }) => needsPerson('look at it') });
      const [sale, id] = [await s.uuid(), newId()];
      await s.pay(sale, { refunds: refunded(id, 9.7) });
      expect(await s.refund(sale, id, 9.7)).toBe(200);
      await s.orders.decide((await s.caseOf('needs_person')).id, 'dismiss');
      await s.place.later?.(HOUR + 1);
      expect(await s.orders.maintain()).toMatchObject({ returned: 0, errors: [] });
      const { order } = await readOrder(stepsOf(s.place.store), s.key);
      if (s.place.later !== undefined) expect(isUntold(order, id)).toBe(false);
      expect([(await s.lines()).slice(1), await s.cases()]).toEqual([[], []]);
    });

    it('tells two refunds at once what both leave', async () => {
      const [s, sale] = await sold({ returned: () => sleep(30) });
      const two = new Shop(s.place, s.hooks, {}, s);
      expect(await Promise.all([s.refund(sale, newId(), 29.7), two.refund(sale, newId(), 30)])).toEqual([
        200, 200,
      ]);
      const lines = (await s.lines()).slice(1);
      expect(lines).toHaveLength(2);
      expect(lines.some((line) => line.endsWith('left 0'))).toBe(true);
    });

    it('tells a refund that comes while its payment is being booked', async () => {
      const paid = vi.fn(() => sleep(100));
      const [s, sale] = await opened({ paid });
      const paying = s.pay(sale);
      await expect.poll(() => paid).toHaveBeenCalled();
      expect(await s.refund(sale, newId(), 9.7)).toBe(200);
      expect(await paying).toBe(200);
      expect(await s.lines()).toEqual([`paid ${sale} 59.7 first`, `returned ${sale} 9.7 left 50`]);
      expect(await s.cases()).toEqual([]);
    });

    // In a transaction the order is locked from the decision on.
    const betweens = isTransactional ? [] : (['keepLetter', 'changeRecord', 'release'] as const);
    it.each(betweens)(
      'tells a refund whose payment is booked just before its case is there: %s',
      async (step) => {
        const [s, sale] = await opened();
        let paying: Promise<number> | undefined;
        const steps = stepsOf(s.place.store as Store<unknown>);
        const between = async (...given: unknown[]) => {
          paying ??= s.pay(sale);
          await paying;
          return (steps[step] as (...given: unknown[]) => Promise<unknown>)(...given);
        };
        const slow = s.process(storeOf({ ...steps, [step]: between }) as Store<never>);
        expect(await s.refund(sale, newId(), 9.7, {}, slow)).toBe(200);
        expect(await paying).toBe(200);
        expect(await s.lines()).toEqual([`paid ${sale} 59.7 first`, `returned ${sale} 9.7 left 50`]);
        expect(await s.cases()).toEqual([]);
      },
    );

    it('hands a payment to a person, undoes what was written, and has nobody try it again', async () => {
      let asks = true;
      const s = shop({
        async paid({ sale }, { transaction, needsPerson }) {
          if (!asks) return;
          if (transaction !== undefined) await s.place.write(transaction, s.key, `half of ${sale}`);
          try {
            needsPerson('the plan has ended');
          } catch {
            // It is remembered all the same.
          }
        },
      });
      const sale = await s.uuid();
      expect(await s.pay(sale)).toBe(200);
      expect([await s.cases(), await s.state()]).toEqual([[`needs_person ${sale}`], 'review']);
      if (isTransactional) expect(await s.lines()).toEqual([]);
      expect((await s.open()).state).toBe('review');
      await s.orders.maintain();
      await s.orders.reconcile();
      const before = (await s.lines()).length;
      const about = { note: 'the plan has ended', retries: false, order: s.key };
      expect(await s.caseOf('needs_person')).toMatchObject(about);
      asks = false;
      expect(await s.book(sale)).toBe('booked');
      expect((await s.lines()).slice(before)).toEqual([`paid ${sale} 59.7 first`]);
      expect(await s.state()).toBe('paid');
    });

    it('quotes nothing of what a callback has said to a person: the case has its newest word', async () => {
      let why = 'Maria has left';
      const [s, sale] = await opened({ paid: (_, { needsPerson }) => needsPerson(why) });
      await s.pay(sale);
      why = 'Maria, 123.456.789-09, asked twice';
      const error = await s.book(sale).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'invalid_request', issues: [{ path: ['order'] }] });
      expect(inspect(error, { depth: 9 })).not.toContain('Maria');
      expect(await s.caseOf('needs_person')).toMatchObject({ note: why, attempts: 2 });
    });

    it('reports a lost connection as the store’s failure, while it tries cases again', async () => {
      const { breaks, fix } = createBug();
      const [s, sale] = await opened({ paid: breaks() });
      await s.pay(sale);
      fix();
      const seen: { code: string; error: unknown }[] = [];
      const t = new Shop(s.place, s.hooks, { onReport: ({ code, error }) => seen.push({ code, error }) }, s);
      const lost = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
      const read = vi.spyOn(stepsOf(s.place.store), 'readLetter').mockRejectedValueOnce(lost);
      const letters = await t.orders.webhook.deadLetters.list();
      expect(await t.orders.webhook.replay(letters)).toMatchObject([
        { status: 'failed', code: 'store_failed' },
      ]);
      expect(seen).toEqual([{ code: 'store_failed', error: lost }]);
      read.mockRestore();
      expect(await t.orders.webhook.replay(letters)).toMatchObject([{ status: 'done' }]);
    });

    it('ends a case once, whatever races', async () => {
      const { fix, breaks } = createBug();
      const broken = breaks();
      const [s, sale] = await opened({ paid: () => sleep(20).then(broken) });
      expect(await s.pay(sale)).toBe(500);
      expect((await s.open()).state).toBe('review');
      fix();
      const racing = [s.book(sale), s.orders.maintain(), s.pay(sale), s.book(sale), s.dismiss(sale)];
      await Promise.allSettled(racing);
      const lines = await s.lines();
      expect(lines.length).toBeLessThanOrEqual(1);
      await s.orders.maintain();
      expect(await s.allCases()).toEqual([[], []]);
      expect(await s.state()).toBe(lines.length === 1 ? 'paid' : 'none');
    });

    it('says whose order a case is about that the service does not confirm, which is no review', async () => {
      const [s, sale] = await opened();
      const forged = { saleToken: sale, referenceCode: s.key, amount: 59.7, currency: 'BRL' };
      s.says(sale, { situation: 'PENDING' });
      expect(await s.deliver('payment', forged)).toBe(500);
      const about = { order: s.key, sale, amount: 59.7, retries: true };
      expect(await s.caseOf('not_confirmed')).toMatchObject(about);
      s.client.transactions.delete(sale);
      expect(await s.deliver('payment', forged)).toBe(500);
      const found = await s.caseOf('confirm_failed');
      expect(found).toMatchObject({ ...about, attempts: 2 });
      expect(await s.orders.find({ key: s.key })).toMatchObject({ state: 'open', cases: [] });
      expect((await s.open()).state).toBe('open');
      expect(await s.pay(sale)).toBe(200);
      expect(await s.allCases()).toEqual([[], []]);
    });

    it('stays in review where the service does not confirm what `paid` has failed on, and shows no QR code', async () => {
      const { fix, breaks } = createBug();
      const [s, sale] = await opened({ paid: breaks() });
      const body = { saleToken: sale, referenceCode: s.key, amount: 59.7 };
      s.says(sale);
      expect(await s.deliver('payment', body)).toBe(500);
      s.says(sale, { situation: 'PENDING' });
      expect(await s.deliver('payment', body)).toBe(500);
      expect([await s.cases(), await s.state()]).toEqual([[`not_confirmed ${sale}`], 'review']);
      fix();
      expect(await s.pay(sale)).toBe(200);
      expect([await s.cases(), await s.state()]).toEqual([[], 'paid']);
    });

    itInTransactions('remembers no case of a payment that another process books meanwhile', async () => {
      const [s, sale] = await opened();
      s.says(sale);
      const { promise, resolve } = deferred();
      const failing = s.process(undefined, {
        createRecurringCheckout: () => Promise.reject(new Error('no')),
        getTransaction: () => promise.then(() => Promise.reject(new Error('the service is down'))),
      });
      const late = s.pay(sale, {}, failing);
      expect(await s.pay(sale)).toBe(200);
      resolve();
      expect(await late).toBe(500);
      expect((await s.orders.find({ key: s.key })).cases).toEqual([]);
      // The letter of the failed one is left: it is found done, and forgotten.
      await s.book(sale);
      expect([await s.lines(), await s.cases()]).toEqual([[`paid ${sale} 59.7 first`], []]);
    });

    it('says whose order a case of an own kind or a payout is about, and forgets it once that is done', async () => {
      const { fix, breaks } = createBug();
      const charge = defineNotification({
        kind: 'charge',
        match: (body) => 'yourCharge' in body,
        schema: z.looseObject({ yourCharge: z.string(), sale: z.string() }),
        subject: ({ yourCharge }) => yourCharge,
        order: ({ sale }) => ({ uuid: sale }),
      });
      const [s, sale] = await sold({}, { kinds: [charge], on: { charge: breaks() } } as never);
      const body = { yourCharge: newId(), sale };
      const payout = { uuid: newId(), success: true, status: 'PAID', referenceCode: s.key };
      const deliver = async () => [
        (await s.orders.webhook(notificationRequest('custom', body, credentials))).status,
        await s.deliver('payout', payout),
      ];
      expect(await deliver()).toEqual([500, 200]);
      const found = await allOf(s.orders.cases());
      expect(found.map(({ kind, reason, order, sale: of }) => [kind, reason, order, of]).sort()).toEqual([
        ['charge', 'callback_failed', s.key, sale],
        ['payout', 'unhandled', s.key, undefined],
      ]);
      expect(await s.orders.find({ key: s.key })).toMatchObject({ state: 'paid', cases: [] });
      fix();
      expect((await deliver())[0]).toBe(200);
      const left = `payout:${payout.uuid}:true:PAID`;
      expect(await allOf(s.orders.cases())).toMatchObject([{ id: left }]);
      await s.dismiss(left);
      expect(await s.cases()).toEqual([]);
    });

    it('books what the service says where the notification differs by what floats leave', async () => {
      const s = shop();
      const given: number[] = [];
      const t = shop({ paid: ({ amount }) => void given.push(amount) });
      for (const [each, notified, said] of [
        [s, 59.7 + 1e-14, 59.7],
        [t, 59.7, 59.7 + 1e-14],
      ] as const) {
        expect(notified).not.toBe(said);
        const sale = await each.uuid();
        each.says(sale, { amount: said });
        const body = { saleToken: sale, referenceCode: each.key, amount: notified, currency: 'BRL' };
        expect(await each.deliver('payment', body)).toBe(200);
        expect([await each.cases(), await each.lines()]).toEqual([[], [`paid ${sale} 59.7 first`]]);
      }
      expect(given).toEqual([59.7]);
    });

    it('keeps the reason of a case that a person has tried to book in vain', async () => {
      let asks = false;
      const bug = new Error('a bug');
      const s = shop({
        paid(_, { needsPerson }) {
          if (asks) needsPerson('ask the boss');
          throw bug;
        },
      });
      const sale = await s.uuid();
      await s.orders.close(s.key);
      expect(await s.pay(sale)).toBe(200);
      const { id, attempts } = await s.caseOf('closed');
      await expect(s.book(id)).rejects.toBe(bug);
      asks = true;
      await expect(s.book(id)).rejects.toMatchObject({ code: 'invalid_request' });
      s.says(sale, { situation: 'PENDING' });
      await expect(s.book(id)).rejects.toMatchObject({ code: 'invalid_request' });
      const found = await allOf(s.orders.cases());
      const kept = { reason: 'closed', retries: false, order: s.key, attempts: attempts + 3 };
      expect([found, found[0]?.note]).toMatchObject([[kept], undefined]);
      const { cases, state } = await s.orders.find({ key: s.key });
      expect([cases.map(({ reason }) => reason), state]).toEqual([['closed'], 'review']);
    });

    it('reports a case by its own name, and never sends anybody to the handler below', async () => {
      const messages: string[] = [];
      const paid = () => Promise.reject(new Error('a bug'));
      const s = shop({ paid }, { onReport: ({ message }) => messages.push(message) });
      await s.pay(await s.uuid());
      expect(await s.pay(newId(), { referenceCode: 'of nobody' })).toBe(200);
      const orders = '`orders.';
      expect(messages).toMatchObject([
        expect.stringContaining(`It is kept as a case: ${orders}maintain\` tries it again.`),
        expect.stringContaining(`It is kept as a case: ${orders}cases()\` has it.`),
      ]);
      expect(messages.join()).not.toMatch(/dead letter|handler/);
    });

    it('never begins again what a person has dismissed, beside a reconciliation or after it', async () => {
      const s = shop();
      const [first, second] = await s.twice();
      await s.pay(second, { referenceCode: `${s.key}-2` });
      await s.pay(first);
      expect(await s.cases()).toEqual([`paid_twice ${first}`]);
      expect((await Promise.all([s.dismiss(first), s.orders.reconcile()]))[0]).toBe('dismissed');
      await s.orders.maintain();
      await s.orders.reconcile();
      expect([await s.cases(), await s.lines()]).toEqual([[], [`paid ${second} 59.7 first`]]);
      const [t, own] = await sold({ paid: (_, { needsPerson }) => needsPerson('no') });
      expect(await t.dismiss(own)).toBe('dismissed');
      await t.orders.reconcile();
      await t.orders.maintain();
      expect([await t.cases(), await t.state()]).toEqual([[], 'none']);
      expect(await t.open()).toMatchObject({ state: 'open', attempt: 2 });
    });

    it('books nothing over transactions for a `paid` that waited for nothing, unless it says so', async () => {
      let said: string | undefined;
      const s = shop({}, { on: { paid: async () => said } as never });
      const sale = await s.uuid();
      const answer = await s.pay(sale);
      if (!kind.isTransactional) {
        expect([answer, await s.state(), await s.cases()]).toEqual([200, 'paid', []]);
        return;
      }
      expect([answer, await s.state(), await s.cases()]).toEqual([
        500,
        'review',
        [`nothing_written ${sale}`],
      ]);
      expect((await s.orders.find({ key: s.key })).payments).toEqual([]);
      said = 'nothing';
      expect([await s.pay(sale), await s.state(), await s.cases()]).toEqual([200, 'paid', []]);
    });

    it('says when its QR code dies, without the margin that is ours to know', async () => {
      const { createdAt, expiresAt } = (await shop().open({ maxAge: 10 })) as Record<string, unknown>;
      expect(Number(expiresAt) - Number(createdAt)).toBe(10 * MINUTE);
    });

    it('replaces another price once the service has said that the old one is not paid', async () => {
      const [s, first] = await opened();
      s.says(first, { situation: 'PENDING' });
      await expect(s.open({ amount: 79.7 })).rejects.toMatchObject({
        code: 'order_conflict',
        message: expect.stringContaining('{ replace: true }'),
      });
      expect(await s.open({ amount: 79.7 }, { replace: true })).toMatchObject({ state: 'open', attempt: 2 });
      expect(await s.pay(first)).toBe(200);
      expect(await s.cases()).toEqual([`other_amount ${first}`]);
      expect((await s.open({ amount: 79.7 })).state).toBe('review');
      const [t, own] = await opened();
      t.says(own);
      const conflict = { code: 'order_conflict' };
      await expect(t.open({ amount: 79.7 }, { replace: true })).rejects.toMatchObject(conflict);
      expect(await t.lines()).toEqual([`paid ${own} 59.7 first`]);
    });

    it('books the first charge of a journey without an immediate payment, and the next ones', async () => {
      const s = shop();
      const recurrence = { immediatePayment: false, amount: { recurrenceAmount: 29.9 } };
      await s.open({ amount: undefined, recurrence });
      const [one, two] = [newId(), newId()];
      expect([await s.pay(one, { amount: 29.9 }), await s.pay(two, { amount: 29.9 })]).toEqual([200, 200]);
      expect(await s.lines()).toEqual([`paid ${one} 29.9 first`, `paid ${two} 29.9 later`]);
      const found = { state: 'paid', attempts: [{ state: 'paid' }] };
      expect(await s.orders.find({ key: s.key })).toMatchObject(found);
    });

    it('books month two that came before the first payment, once that is found', async () => {
      const s = shop();
      const [first, two] = [await s.uuid(), newId()];
      await s.pay(two, { amount: 29.9 });
      expect(await s.cases()).toEqual([`other_sale ${two}`]);
      expect(await s.orders.maintain()).toMatchObject({ replayed: { done: 0 } });
      s.says(first);
      expect(await s.orders.maintain()).toMatchObject({ reconciled: { paid: 1 }, errors: [] });
      expect(await s.lines()).toEqual([`paid ${first} 59.7 first`, `paid ${two} 29.9 later`]);
      expect([await s.cases(), await s.state()]).toEqual([[], 'paid']);
    });

    it('decides what it finds by asking as it decides a notification', async () => {
      const [s, uuid] = await opened();
      s.says(uuid, { amount: 0.01 });
      expect(await s.orders.reconcile()).toMatchObject({ asked: 1, paid: 0, review: 1 });
      expect([await s.lines(), await s.cases()]).toEqual([[], [`other_amount ${uuid}`]]);
      expect(await s.orders.reconcile()).toMatchObject({ asked: 0 });
    });

    it('keeps one case of a sale that changes its status, with its states', async () => {
      const [s, sale] = await sold();
      for (const newStatus of ['REVERSAL', 'CHARGEBACK']) {
        expect(await s.deliver('payment', { saleToken: sale, referenceCode: s.key, newStatus })).toBe(200);
      }
      const found = await s.caseOf('sale_status');
      expect(found).toMatchObject({ sale, order: s.key, retries: false, attempts: 2 });
      expect(found.states?.map(({ state }) => state)).toEqual(['REVERSAL', 'CHARGEBACK']);
      await expect(s.book(found.id)).rejects.toMatchObject({ code: 'invalid_request' });
      expect(await s.dismiss(found.id)).toBe('dismissed');
      expect([await s.cases(), await s.state()]).toEqual([[], 'paid']);
    });

    it('makes a case of each charge under the first one’s sale, which a person books for what it says', async () => {
      const [s, sale] = await sold();
      const again = (month: string, fields: object = {}) => {
        const date = `2027-${month}-15 10:00:00`;
        const body = { saleToken: sale, referenceCode: s.key, currency: 'BRL', amount: 29.9, date };
        return s.deliver('payment', { ...body, ...fields });
      };
      expect(await again('02')).toBe(200);
      const about = { reason: 'unexpected_repeat', order: s.key, sale, amount: 29.9, retries: false };
      const [two] = await allOf(s.orders.cases());
      expect(two).toMatchObject({ ...about, attempts: 1, repeats: 1 });
      expect((await s.orders.find({ key: s.key })).cases).toEqual([]);
      expect([await s.state(), await s.orders.maintain()]).toMatchObject(['paid', { errors: [] }]);

      expect([await s.book(String(two?.id)), await s.book(String(two?.id))]).toEqual([
        'booked',
        'booked, was booked',
      ]);
      expect([await s.cases(), await again('03')]).toEqual([[], 200]);
      expect(await allOf(s.orders.cases())).toMatchObject([{ ...about, attempts: 1, repeats: 1 }]);
      expect(await s.dismiss(String(two?.id))).toBe('dismissed');
      const booked = [`paid ${sale} 59.7 first`, `paid ${sale} 29.9 later`];
      await expect(s.open({ amount: 79.7 }, { replace: true })).rejects.toMatchObject({
        code: 'order_conflict',
        message: expect.stringContaining('The order is paid, for a different amount: amount differs'),
      });
      expect([await s.lines(), await s.cases()]).toEqual([booked, []]);
      expect(await s.orders.find({ key: s.key })).toMatchObject({
        payments: [{ amount: 59.7 }, { amount: 29.9 }],
        cases: [],
      });

      // What a person has decided about comes once more: nothing is open again.
      expect([await again('02'), await again('03'), await s.cases()]).toEqual([200, 200, []]);
      expect((await s.orders.find({ key: s.key })).cases).toEqual([]);

      // Nobody but the notification can say how much it is.
      await again('04', { amount: null, currency: null, newStatus: 'PAID', referenceCode: `${s.key}-9` });
      const { id: four } = await s.caseOf('unexpected_repeat');
      s.says(sale, { referenceCode: `${s.key}-9` });
      await expect(s.book(four)).rejects.toMatchObject({ issues: [{ path: ['amount'] }] });
      expect(await s.book(four, { amount: 19.9 })).toBe('booked');
      expect(await s.lines()).toEqual([...booked, `paid ${sale} 19.9 later`]);
    });

    it('has one case of several charges under the first one’s sale, of which a person books the newest', async () => {
      const [s, sale] = await sold();
      const body = { saleToken: sale, referenceCode: s.key, currency: 'BRL' };
      for (const amount of [29.9, 19.9, 19.9])
        expect(await s.deliver('payment', { ...body, amount })).toBe(200);
      const found = await s.caseOf('unexpected_repeat');
      expect(found).toMatchObject({ sale, amount: 19.9, attempts: 3, repeats: 2 });
      expect(await s.book(found.id, { amount: 19.9 })).toBe('booked');
      const lines = [`paid ${sale} 59.7 first`, `paid ${sale} 19.9 later`];
      expect([await s.lines(), await s.cases()]).toEqual([lines, []]);
    });

    it('keeps a charge under the first one’s sale that comes after 25 other bodies of it, and a person books it', async () => {
      const [s, sale] = await sold();
      const body = { saleToken: sale, referenceCode: s.key, currency: 'BRL' };
      for (let made = 1; made <= 25; made += 1) {
        expect(await s.deliver('payment', { ...body, amount: made })).toBe(200);
      }
      expect(await s.deliver('payment', { ...body, amount: 29.9 })).toBe(200);
      const [found, ...others] = await allOf(s.orders.cases());
      expect(found).toMatchObject({ reason: 'unexpected_repeat', sale, amount: 29.9, repeats: 26 });
      expect([others, JSON.parse(String(found?.body)).amount]).toEqual([[], 29.9]);
      expect(await s.book(String(found?.id))).toBe('booked');
      const lines = [`paid ${sale} 59.7 first`, `paid ${sale} 29.9 later`];
      expect([await s.lines(), await s.cases()]).toEqual([lines, []]);
    });

    // Only its clock can be moved.
    if (kind.name === 'memory') {
      it('makes a case of its own of an equal charge under the first one’s sale, on a later day', async () => {
        const [s, sale] = await sold();
        const body = { saleToken: sale, referenceCode: s.key, currency: 'BRL', amount: 29.9 };
        for (const days of [0, 28, 1]) {
          s.place.skip?.(days * 24 * HOUR);
          await s.deliver('payment', body);
          const { id } = await s.caseOf('unexpected_repeat');
          expect(await s.book(id)).toBe('booked');
          await s.deliver('payment', body);
          expect(await s.cases()).toEqual([]);
        }
        const later = `paid ${sale} 29.9 later`;
        expect(await s.lines()).toEqual([`paid ${sale} 59.7 first`, later, later, later]);
      });
    }

    it('decides about no case that is none, for no other order, and for no sum that is known', async () => {
      const [s, sale] = await opened();
      await s.orders.close(s.key);
      await s.pay(sale);
      const { id } = await s.caseOf('closed');
      for (const wrong of [id.slice(0, -1), `${id}x`, sale, s.key, `payment:${newId()}:PAID`, 'x~status']) {
        for (const decision of ['book', 'dismiss'] as const) {
          const decided = s.orders.decide(wrong, decision);
          await expect(decided).rejects.toMatchObject({ issues: [{ path: ['id'] }] });
        }
      }
      const wrongs = {
        orderKey: { order: 1 as never },
        amount: { amount: 5970 },
        order: { order: `${s.key}x` },
      };
      for (const [path, given] of Object.entries(wrongs))
        await expect(s.book(id, given)).rejects.toMatchObject({ issues: [{ path: [path] }] });
      expect([await s.lines(), await s.cases()]).toEqual([[], [`closed ${sale}`]]);
      expect(await s.dismiss(id)).toBe('dismissed');
      expect(await s.book(id)).toBe('booked, was dismissed');
    });

    it('books no charge under the first one’s sale that is not paid any more, or went back in full', async () => {
      const [s, sale] = await sold();
      await s.deliver('payment', { saleToken: sale, referenceCode: s.key, currency: 'BRL', amount: 29.9 });
      const { id } = await s.caseOf('unexpected_repeat');
      const returned = { refunds: refunded(newId(), 59.7) };
      for (const said of [{ situation: 'REVERSAL' }, { currency: 'USD' }, returned]) {
        s.says(sale, said);
        await expect(s.book(id)).rejects.toMatchObject({ code: 'invalid_request' });
        expect((await allOf(s.orders.cases())).map((each) => each.id)).toEqual([id]);
      }
      s.says(sale, { refunds: refunded(newId(), 9.7) });
      expect(await s.book(id)).toBe('booked');
      expect(await s.lines()).toEqual([`paid ${sale} 59.7 first`, `paid ${sale} 29.9 later`]);
    });

    it('has a person end what is beyond the 64 states that are remembered, for good', async () => {
      const s = shop();
      const [sale, id] = [await s.uuid(), newId()];
      await s.pay(sale);
      const tell = (state: string) =>
        s.refund(sale, id, 9.7, { status: state, refund: { uuid: id, amount: 9.7, status: state } });
      for (let count = 0; count < 64; count += 1) expect(await tell(`X-${count}`)).toBe(200);
      expect([await tell('X-64'), await tell('X-65')]).toEqual([200, 200]);
      const found = await allOf(s.orders.cases());
      const about = { reason: 'too_many_states', order: s.key, sale, amount: 9.7, retries: false };
      expect(found).toMatchObject([about, about]);
      expect(await s.book(String(found[0]?.id))).toBe('booked');
      expect(await s.dismiss(String(found[1]?.id))).toBe('dismissed');
      expect([await tell('X-64'), await tell('X-65')]).toEqual([200, 200]);
      expect(await s.allCases()).toEqual([[], []]);
      // Nothing but a decision has more room than before.
      expect([await tell('X-66'), await s.cases()]).toEqual([200, [`too_many_states ${sale}`]]);
    });

    it('gives money of no order to `foreign`, as it came and once', async () => {
      const seen: string[] = [];
      const on = { foreign: ({ kind: of }: { kind: string }) => seen.push(of) };
      const s = shop({}, { on: on as never });
      const none = newId();
      const said = { referenceCode: 'nobody' };
      expect([await s.pay(none, said), await s.pay(none, said)]).toEqual([200, 200]);
      expect(await s.deliver('payment', { saleToken: none, newStatus: 'REVERSAL', ...said })).toBe(200);
      expect([seen, await s.cases()]).toEqual([['payment', 'saleStatus'], []]);
      const t = shop({}, { on: { foreign: 'ignore' } as never });
      expect(await t.pay(none, said)).toBe(200);
      expect([t.reports, await t.cases()]).toEqual([[], []]);
    });

    it('books the payment that a body of the service’s own means, in whichever form it comes', async () => {
      const asPayment = (body: Readonly<Record<string, unknown>>) =>
        body['type'] === 'RECURRENCE_CHARGE_PAID'
          ? {
              saleToken: String(body['sale']),
              referenceCode: String(body['of']),
              amount: Number(body['value']),
            }
          : undefined;
      const [s, first] = await sold({}, { asPayment, on: { unrecognized: 'ignore' } as never });
      const charge = async (sale: string, value: number) => {
        s.says(sale, { amount: value });
        const body = { type: 'RECURRENCE_CHARGE_PAID', sale, of: s.key, value };
        return (await s.orders.webhook(notificationRequest('custom', body, credentials))).status;
      };
      const [two, three] = [newId(), newId()];
      expect([await charge(two, 29.9), await charge(two, 29.9), await s.pay(two, { amount: 29.9 })]).toEqual([
        200, 200, 200,
      ]);
      expect(await charge(three, 31)).toBe(200);
      expect(await s.lines()).toEqual([`paid ${first} 59.7 first`, `paid ${two} 29.9 later`]);
      expect(await s.cases()).toEqual([`other_amount ${three}`]);
    });

    itInTransactions('loses nothing where a process dies between `paid` and its record', async () => {
      const [s, sale] = await opened();
      s.orders = s.process(crashBeforeCommit(s.place.store));
      expect(await s.pay(sale)).toBe(500);
      expect(await s.lines()).toEqual([]);
      s.orders = s.process();
      expect(await s.pay(sale)).toBe(200);
      expect([await s.lines(), await s.state()]).toEqual([[`paid ${sale} 59.7 first`], 'paid']);
    });

    // Only memory has a clock that can be moved.
    if (kind.name !== 'memory') return;

    it('lets nothing else be the first payment while one may have been, though the service denies it now', async () => {
      const s = shop();
      const first = await s.uuid({ maxAge: 10 });
      s.place.skip?.(12 * MINUTE);
      s.says(first, { situation: 'PENDING' });
      const second = await s.uuid({ maxAge: 10 });
      const { changeRecord, ...steps } = stepsOf(s.place.store as Store);
      const dying: typeof changeRecord = (prefix, id, next, known) =>
        changeRecord(
          prefix,
          id,
          async (read) => {
            const change = await next(read);
            const isBooking = prefix === 'order:' && (change?.value as Order | undefined)?.payments.length;
            return isBooking ? new Promise(() => undefined) : change;
          },
          known,
        );
      const mortal = s.process(storeOf({ ...steps, changeRecord: dying }) as Store<unknown> as Store<never>);
      void s.pay(second, { referenceCode: `${s.key}-2` }, mortal);
      await expect.poll(() => s.lines()).toEqual([`paid ${second} 59.7 first`]);
      s.place.skip?.(2 * MINUTE);
      s.says(second, { situation: 'PENDING' });
      const body = { saleToken: second, amount: 59.7, currency: 'BRL' };
      expect(await s.deliver('payment', body)).toBe(500);
      expect(await s.pay(first)).toBe(200);
      expect(await s.lines()).toHaveLength(1);
      expect(await s.cases()).toEqual([`not_confirmed ${second}`, `paid_twice ${first}`].sort());
    });

    it('asks before a code that is over is replaced, and books its late payer', async () => {
      const s = shop();
      const first = await s.uuid({ maxAge: 10 });
      s.says(first, { situation: 'PENDING' });
      expect(await s.open({ maxAge: 10 })).toMatchObject({ uuid: first });
      s.place.skip?.(11 * MINUTE);
      expect(await s.open({ maxAge: 10 })).toMatchObject({ state: 'open', attempt: 2 });
      expect(await s.pay(first)).toBe(200);
      expect((await s.open({ maxAge: 10 })).state).toBe('paid');
      expect(await s.lines()).toEqual([`paid ${first} 59.7 first`]);
      // One that was paid while the listener was down.
      const t = shop();
      const lost = await t.uuid({ maxAge: 10 });
      t.says(lost);
      t.place.skip?.(11 * MINUTE);
      expect(await t.open({ maxAge: 10 })).toMatchObject({ state: 'paid', attempt: 1 });
      expect(await t.lines()).toEqual([`paid ${lost} 59.7 first`]);
      // One of which nobody knows.
      const u = shop();
      await u.uuid({ maxAge: 10 });
      u.place.skip?.(11 * MINUTE);
      await expect(u.open({ maxAge: 10 })).rejects.toThrow('a query for');
    });

    it('tries a failed callback again, and an early return until an hour is over', async () => {
      const { fix, breaks } = createBug();
      const s = shop({ paid: breaks() });
      const [sale, nobody] = [await s.uuid(), newId()];
      await s.pay(sale);
      await s.reverse(nobody, newId(), 5, 'PAID');
      fix();
      await s.orders.maintain();
      expect(await s.cases()).toEqual([`callback_failed ${sale}`, `early_return ${nobody}`]);
      s.place.skip?.(HOUR + 1);
      expect(await s.orders.maintain()).toMatchObject({ replayed: { done: 1 } });
      expect(await s.lines()).toEqual([`paid ${sale} 59.7 first`]);
      expect(await s.cases()).toEqual([`no_order ${nobody}`]);
      // Then it is known whose it is.
      await s.pay(nobody, { amount: 29.9 });
      await s.orders.maintain();
      expect((await s.lines()).slice(1)).toEqual([
        `paid ${nobody} 29.9 later`,
        `returned ${nobody} 5 left 24.9`,
      ]);
      expect(await s.cases()).toEqual([]);
    });

    it('runs `returned` for a refund whose notification has not come for an hour', async () => {
      const s = shop();
      const [sale, id] = [await s.uuid(), newId()];
      await s.pay(sale, { refunds: refunded(id, 9.7) });
      expect(await s.orders.maintain()).toMatchObject({ returned: 0 });
      s.place.skip?.(HOUR + 1);
      expect(await s.orders.maintain()).toMatchObject({ returned: 1, errors: [] });
      expect(await s.orders.maintain()).toMatchObject({ returned: 0 });
      expect((await s.lines()).slice(1)).toEqual([`returned ${sale} 9.7 left 50`]);
      expect(await s.refund(sale, id, 9.7)).toBe(200);
      expect(await s.lines()).toHaveLength(2);
    });

    it('books 70 months under one sale, each by a person', async () => {
      const [s, sale] = await sold();
      for (let month = 2; month <= 70; month += 1) {
        s.place.skip?.(30 * 24 * HOUR);
        const body = { saleToken: sale, referenceCode: s.key, currency: 'BRL', amount: month };
        expect(await s.deliver('payment', body)).toBe(200);
        const { id } = await s.caseOf('unexpected_repeat');
        expect(await s.book(id, { amount: month })).toBe('booked');
      }
      expect((await s.lines()).at(-1)).toBe(`paid ${sale} 70 later`);
      expect([(await s.lines()).length, await s.cases()]).toEqual([70, []]);
    });

    it('stays in review when its case is dropped after 30 days, and a person still decides', async () => {
      const [s, sale] = await opened();
      await s.orders.close(s.key);
      await s.pay(sale);
      expect(await s.cases()).toEqual([`closed ${sale}`]);
      s.place.skip?.(29.5 * 24 * HOUR);
      await s.orders.maintain();
      expect(s.reports).toContain('dead_letter_dropped');
      s.place.skip?.(24 * HOUR);
      await s.orders.maintain();
      expect([await s.cases(), await s.state()]).toEqual([[], 'review']);
      expect((await s.open()).state).toBe('review');
      const [known] = (await s.orders.find({ key: s.key })).cases;
      expect(await s.book(String(known?.id))).toBe('booked');
      expect([await s.lines(), await s.state()]).toEqual([[`paid ${sale} 59.7 first`], 'paid']);
    });
  });
}

for (const kind of await allPlaces()) testIn(kind);
